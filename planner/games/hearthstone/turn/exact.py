"""The exact formulation: a turn of minions and weapons as an integer linear program.

Every blow that a unit can strike (fighters.py) becomes one column per role that it can play for its target:
`first` breaks a divine shield, `last` kills, `part` does neither. "All blows but the last leave the target
alive" is then linear without any big constant. What the rows do not say (that some order of the blows and plays
is legal at every moment) is left to `legal_order`, which sends back a cut where there is none.
docs/explanation/formulation.md has every row in mathematics and in words.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from math import lcm

from planner.games.hearthstone.cards.keywords import IMMUNE, LIFESTEAL, POISONOUS, STEALTH
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.turn.exact_model import Column, ExactModel, digits
from planner.games.hearthstone.turn.fighters import Blow, Condition, Life, blows, heals_enemy, lives, units
from planner.games.hearthstone.turn.hardrules import keep
from planner.games.hearthstone.turn.lexicographic import Terms
from planner.games.hearthstone.turn.mana import add_mana
from planner.games.hearthstone.turn.objective import starting_health
from planner.games.hearthstone.turn.places import add_places
from planner.games.hearthstone.turn.reach import Reach, Strength
from planner.games.hearthstone.turn.weights import Weights, exact
from planner.solvers.model import INF, LinearModel

_NO_TERMS: Terms = []


def build(
    state: GameState,
    weights: Weights,
    health: Mapping[str, int] | None = None,
) -> ExactModel:
    """The program whose optimum is the best turn from this state.

    `health` is what own_survival counts for each own minion, where the turn began before this state.
    """
    return _Builder(state, weights, starting_health(state) if health is None else health).build()


def _is_fatal(blow: Blow) -> bool:
    """Does our hero die of this blow, unless healed before?"""
    return blow.after is not None and blow.after.health <= 0


class _Builder:
    def __init__(self, state: GameState, weights: Weights, health: Mapping[str, int]) -> None:
        self.state = state
        self.health = health
        self.weights = weights
        self.given = weights.scaled()
        value_scale = lcm(*(exact(held.value).denominator for held in state.me.hand), 1)
        self.given = {term: weight * value_scale for term, weight in self.given.items()}
        self.value_scale = value_scale
        self.scale = weights.integer_scale() * value_scale
        self.model = LinearModel("turn")
        self.units = units(state, weights)
        self.lives = lives(state.enemy)
        hero = state.enemy.hero
        self.hero_health = hero.health + hero.armor
        self.hero_open = not hero.keywords & (IMMUNE | STEALTH)
        self.enemy_heals = any(life.keywords & LIFESTEAL and life.attack > 0 and life.reachable for life in self.lives)
        self.columns: list[Column] = []
        self.objective: dict[int, float] = {}
        self.constant = 0
        self.plays: dict[int, int] = {}
        self.struck: dict[Life | None, list[Column]] = defaultdict(list)
        self.by_source: dict[tuple[int, Condition], list[Column]] = defaultdict(list)
        self.mana = state.me.mana - keep(weights, "keep_mana", state.me.mana)
        self.reach = Reach(self.units, self.mana)

    def build(self) -> ExactModel:
        self._add_plays()
        self._add_blows()
        self._add_paths()
        for life in self.lives:
            self._add_fight(life)
        self._add_face()
        self._add_guards()
        self._add_board_and_mana()
        self._add_ends()
        death = self._add_own_death()
        return ExactModel(
            self.state, self.model, self.scale, list(self.objective.items()), self.constant,
            self.units, self.columns, self.plays, digits(self.columns, self.plays, self.lives, death), death,
        )  # fmt: skip

    def _earn(self, var: int, amount: float) -> None:
        if amount:
            self.objective[var] = self.objective.get(var, 0) + amount

    # -- columns

    def _add_plays(self) -> None:
        for number, unit in enumerate(self.units):
            if unit.held is not None:
                var = self.model.add_var(f"play[{unit.id}]")
                self.plays[number] = var
                value = int(exact(unit.held.value) * self.value_scale)
                worth = self.given["card_value"] // self.value_scale * value
                self._earn(var, worth + self.given["own_survival"] * self.health.get(unit.id, 0))

    def _add_blows(self) -> None:
        able: list[tuple[Blow, Strength]] = []
        for number, unit in enumerate(self.units):
            for blow in blows(unit, self.lives, self.hero_open, self.weights):
                strength = Strength(self._harm(blow), number, blow.source.blows)
                able.append((blow, strength))
                self.reach.add(strength, blow.life)
        # Nothing follows the last blow on the hero: who strikes again may not call a blow before it the last.
        self.hero_ranked = not self.enemy_heals and not any(blow.earlier for blow in self.reach.blows.get(None, []))
        kills = [self._can_kill(blow.life, strength) for blow, strength in able]
        mortal = {blow.life for (blow, _), deadly in zip(able, kills, strict=True) if deadly}
        guarded = any(life.guards and life not in mortal for life in self.lives)  # to the end of the turn
        for (blow, strength), deadly in zip(able, kills, strict=True):
            if not guarded or (blow.life is not None and blow.life.guards):
                self._add_columns(blow, strength, deadly)

    def _harm(self, blow: Blow) -> int:
        if blow.life is None:
            return blow.source.attack
        return blow.life.health if blow.source.keywords & POISONOUS else min(blow.source.attack, blow.life.health)

    def _can_kill(self, life: Life | None, strength: Strength) -> bool:
        if life is None:
            return self.reach.kills(strength, life, self.hero_health, self.hero_ranked)
        return self.reach.kills(strength, life, life.health)

    def _add_columns(self, blow: Blow, strength: Strength, deadly: bool) -> None:
        number, life = strength.unit, blow.life
        unit, attack = self.units[number], blow.source.attack
        roles: list[str] = []
        if life is None:
            worth = self.given["face_damage"] * attack
            if attack < self.hero_health or self.enemy_heals:
                roles.append("part")
        else:
            worth = self.given["minion_damage"] * attack - self.given["damage_taken"] * life.attack
            if strength.harm < life.health:
                roles.append("part")
            if life.shielded:
                roles.append("first")
        if deadly:
            roles.append("last")
        suicide = blow.after is None
        for role in roles:
            place = "hero" if life is None else f"{life.id}{'+' if life.second else ''}"
            var = self.model.add_var(f"{role}[{unit.id},{place},{blow.source.blows}]")
            column = Column(var, number, blow, role, strength)
            self.columns.append(column)
            self.struck[life].append(column)
            self.by_source[number, blow.source].append(column)
            self._earn(var, worth)
            if suicide:
                self._earn(var, -self.given["own_survival"] * self.health.get(unit.id, 0))

    # -- rows

    def _add_paths(self) -> None:
        """A unit strikes along one path: no more blows from a condition than blows that lead to it."""
        leading: dict[tuple[int, Condition], Terms] = defaultdict(list)
        for column in self.columns:
            # The killing blow on the hero ends the match, so nothing follows it.
            if column.blow.after is not None and not (column.blow.life is None and column.role == "last"):
                leading[column.unit, column.blow.after].append((column.var, -1))
        for (number, source), out in self.by_source.items():
            unit = self.units[number]
            terms: Terms = [(column.var, 1) for column in out]
            if source != unit.start:
                self.model.add_row(f"path[{unit.id},{source.blows}]", terms + leading[number, source], -INF, 0)
            elif unit.held is not None:
                self.model.add_row(f"played[{unit.id}]", [*terms, (self.plays[number], -1)], -INF, 0)
            else:
                self.model.add_row(f"attacks[{unit.id}]", terms, -INF, 1)

    def _add_fight(self, life: Life) -> None:
        columns = self.struck.get(life, [])
        if not columns:
            return
        name, health = f"{life.id}{'+' if life.second else ''}", life.health
        part = [column for column in columns if column.role == "part"]
        last = [column for column in columns if column.role == "last"]
        first = [column for column in columns if column.role == "first"]
        self._add_wounds(name, part, last, health)
        if first:
            self.model.add_row(f"shield[{name}]", [(column.var, 1) for column in first], -INF, 1)
            self._add_after(f"unshielded[{name}]", [*part, *last], first)
        threat = self.given["enemy_threat"]
        then = next((other for other in self.lives if other.id == life.id and other.second), None)
        gain = life.attack - (then.attack if then is not None and not life.second else 0)
        for column in last:
            self._earn(column.var, threat * gain)
        if life.second:
            before = next(other for other in self.lives if other.id == life.id and not other.second)
            self._add_after(f"reborn[{name}]", columns, self._last(before))

    def _last(self, life: Life | None) -> list[Column]:
        return [column for column in self.struck.get(life, []) if column.role == "last"]

    def _add_wounds(
        self,
        name: str,
        part: list[Column],
        last: list[Column],
        health: int,
        ranked: bool = True,
        healing: Terms = _NO_TERMS,
    ) -> None:
        """All blows but the last leave the target alive, and the last one does not.

        A wound counts no more than is needed, which brings the linear relaxation closer to whole numbers.
        """
        if len(last) > 1:
            self.model.add_row(f"one_last[{name}]", [(column.var, 1) for column in last], -INF, 1)
        if sum(column.harm for column in part) >= health:
            self.model.add_row(f"alive[{name}]", [(c.var, c.harm) for c in part] + healing, -INF, health - 1)
        for column in last:
            need = health - column.harm
            if need <= 0:
                continue  # a blow of full strength needs no help and no row
            mine = column.strength
            if ranked:
                killers = [other for other in last if other.strength <= mine]
                helpers = [other for other in part if other.strength < mine]
            else:
                killers = [column]
                helpers = [other for other in part if other.strength[1:] != mine[1:]]
            terms: Terms = [(other.var, min(other.harm, need)) for other in helpers]
            terms += [(other.var, -need) for other in killers]
            self.model.add_row(f"dead[{name},{self.units[mine.unit].id},{mine.earlier}]", terms, 0, INF)

    def _add_after(self, name: str, columns: list[Column], cause: list[Column]) -> None:
        """None of these blows before the cause, which is another's or an earlier one: one row for each condition, of
        which at most one blow is struck."""
        grouped: dict[tuple[int, Condition], Terms] = defaultdict(list)
        for column in columns:
            grouped[column.unit, column.blow.source].append((column.var, 1))
        for (number, source), terms in grouped.items():
            before: Terms = [(c.var, -1) for c in cause if c.unit != number or c.strength.earlier < source.blows]
            self.model.add_row(f"{name[:-1]},{self.units[number].id},{source.blows}]", terms + before, -INF, 0)

    def _add_face(self) -> None:
        columns = self.struck.get(None, [])
        if not columns:
            return
        last = self._last(None)
        for column in last:
            self._earn(column.var, self.given["lethal"])
        healing: Terms = [(c.var, heals_enemy(c.blow)) for c in self.columns if heals_enemy(c.blow)]
        part = [column for column in columns if column.role == "part"]
        if last and not any(unit.start.keywords & LIFESTEAL for unit in self.units):
            # The match ends with one hero: where nobody heals ours, it is one or the other.
            fatal: Terms = [(c.var, 1) for c in self.columns if self.units[c.unit].is_hero and _is_fatal(c.blow)]
            if fatal:
                self.model.add_row("one_hero_dies", fatal + [(column.var, 1) for column in last], -INF, 1)
        self._add_wounds("hero", part, last, self.hero_health, self.hero_ranked, [(v, -h) for v, h in healing])
        if healing and last:
            self._add_enemy_healing([(column.var, column.harm) for column in part], last, healing)

    def _add_enemy_healing(self, part: Terms, last: list[Column], healing: Terms) -> None:
        """Lethal must also undo what the enemy's lifesteal healed: at least min(what he missed, all healing)."""
        missing = self.state.enemy.hero.max_health - self.state.enemy.hero.health
        if missing <= 0:
            return
        most = sum(amount for _, amount in healing)
        healed = self.model.add_var("healed", 0, missing)
        full = self.model.add_var("healed_fully")
        self.model.add_row("healed_fully", [(healed, 1), (full, -missing)], 0, INF)
        self.model.add_row("healed_partly", [*healing, (healed, -1), (full, -most)], -INF, 0)
        # harm >= health + healed where the last blow is struck; harm + missing >= healed where it is not.
        terms = part + [(c.var, c.harm - self.hero_health - missing) for c in last] + [(healed, -1)]
        self.model.add_row("dead_though_healed[hero]", terms, -missing, INF)

    def _add_guards(self) -> None:
        """Who is not guarding is out of reach until those who guard are dead."""
        for life in self.lives:
            if life.guards:
                others = [c for c in self.columns if c.blow.life is None or not c.blow.life.guards]
                self._add_after(f"guard[{life.id}{'+' if life.second else ''}]", others, self._last(life))

    def _add_board_and_mana(self) -> None:
        me, rules = self.state.me, self.state.rules
        costs: Terms = [(var, held.cost) for n, var in self.plays.items() if (held := self.units[n].held) and held.cost]
        if sum(cost for _, cost in costs) > self.mana:
            add_mana(self.model, "mana", costs, self.mana)
        add_places(self.model, self.units, self.plays, self.columns, rules.board_limit - len(me.board))
        played: Terms = [(var, 1) for var in self.plays.values()]
        hand = len(me.hand) - keep(self.weights, "keep_cards", len(me.hand))
        if len(played) > hand:
            self.model.add_row("keep_cards", played, -INF, hand)
        wanted = keep(self.weights, "keep_minions", len(me.board))
        if wanted:
            dead: Terms = [(column.var, -1) for column in self.columns if column.blow.after is None]
            self.model.add_row("keep_minions", played + dead, wanted - len(me.board), INF)

    def _add_ends(self) -> None:
        """The board at the end: what stands there whatever is done, and whether the enemy's is clear."""
        given, enemy = self.given, self.state.enemy
        self.constant -= given["enemy_threat"] * sum(minion.attack for minion in enemy.board)
        self.constant += given["own_survival"] * sum(self.health.get(minion.id, 0) for minion in self.state.me.board)
        if not given["board_clear"]:
            return
        if not enemy.board:
            self.constant += given["board_clear"]
            return
        ends = {life: self._last(life) for life in self.lives}
        killers = {column.strength[1:] for last in ends.values() for column in last}
        if not all(ends.values()) or self.reach.most(dict.fromkeys(killers, 1)) < len(ends):
            return  # somebody is out of reach
        final = {life.id: life for life in self.lives}  # the second life, where there is one
        kills: list[Terms] = [[(column.var, -1) for column in ends[life]] for life in final.values()]
        clear = self.model.add_var("clear")
        self._earn(clear, given["board_clear"])
        for life, terms in zip(final.values(), kills, strict=True):
            self.model.add_row(f"clear[{life.id}]", [(clear, 1), *terms], -INF, 0)
        if given["board_clear"] < 0:
            everyone: Terms = [term for terms in kills for term in terms]
            self.model.add_row("clear_is_seen", [(clear, 1), *everyone], 1 - len(kills), INF)

    def _add_own_death(self) -> int | None:
        """Our hero dies where its wounds are more than it has and is healed by; whether it is healed in time, the
        `legal_order` says. None where it cannot die."""
        mine = [column.blow for column in self.columns if self.units[column.unit].is_hero]
        if not any(blow.life is not None and _is_fatal(blow) for blow in mine):
            return None
        balance: dict[int, float] = defaultdict(float)
        most = 0
        for column in self.columns:
            source, after = column.blow.source, column.blow.after
            if self.units[column.unit].is_hero and after is not None:
                balance[column.var] += source.health - after.health
                most += source.health - after.health
            if source.keywords & LIFESTEAL and column.role != "first":
                balance[column.var] -= source.attack
        death = self.model.add_var("own_death")
        hero = self.state.me.hero
        terms: Terms = [(var, amount) for var, amount in balance.items() if amount]
        self.model.add_row("own_death", [*terms, (death, -most)], -INF, hero.health + hero.armor - 1)
        return death
