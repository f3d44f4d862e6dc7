"""The exact formulation: a vanilla turn as an integer linear program.

Every attack that a unit can make becomes one column per role that it can play for its target: `first` breaks a
divine shield, `last` kills, `part` does neither. "All hits but the last leave the target alive" is then linear
without any big constant. The rows do not say that some order of the attacks and plays is legal at every moment:
`find_legal_order` checks that, and where there is no such order the choice is cut off.
docs/explanation/formulation.md has every row in mathematics and in words.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from math import lcm

from planner.games.hearthstone.cards.keywords import IMMUNE, LIFESTEAL, POISONOUS, STEALTH
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.turn.exact_model import (
    Column,
    ExactModel,
    Strength,
    tie_break_digits,
)
from planner.games.hearthstone.turn.hearthstone_weights import Weights, hero_must_live, required_amounts
from planner.games.hearthstone.turn.lexicographic import Terms
from planner.games.hearthstone.turn.scoring import starting_health
from planner.games.hearthstone.turn.vanilla_units import (
    Hit,
    Life,
    UnitCondition,
    enemy_healing,
    enemy_lives,
    own_units,
    possible_hits,
)
from planner.planning.profiles import exact
from planner.solvers.linear_model import INF, LinearModel

_NO_TERMS: Terms = []


def build_exact(state: GameState, weights: Weights, health: Mapping[str, int] | None = None) -> ExactModel:
    """Return the program whose optimum is the best turn from this state.

    `health` is what own_survival counts for each own minion, where the turn began before this state.
    """
    return _Builder(state, weights, starting_health(state) if health is None else health).build()


def _is_fatal(hit: Hit) -> bool:
    """Return whether our hero dies of this attack, unless healed before."""
    return hit.after is not None and hit.after.health <= 0


class _Builder:
    def __init__(self, state: GameState, weights: Weights, health: Mapping[str, int]) -> None:
        self.state = state
        self.health = health
        self.weights = weights
        self.value_scale = lcm(*(exact(held.value).denominator for held in state.me.hand), 1)
        self.weight = {term: weight * self.value_scale for term, weight in weights.scaled().items()}
        self.scale = weights.integer_scale() * self.value_scale
        self.model = LinearModel("turn")
        self.units = own_units(state, weights)
        self.lives = enemy_lives(state.enemy)
        hero = state.enemy.hero
        self.hero_health = hero.health + hero.armor
        self.hero_reachable = not hero.keywords & (IMMUNE | STEALTH)
        self.enemy_heals = any(life.keywords & LIFESTEAL and life.attack > 0 and life.reachable for life in self.lives)
        self.columns: list[Column] = []
        self.objective: dict[int, float] = {}
        self.constant = 0
        self.plays: dict[int, int] = {}
        self.by_target: dict[Life | None, list[Column]] = defaultdict(list)
        self.by_source: dict[tuple[int, UnitCondition], list[Column]] = defaultdict(list)
        self.required = required_amounts(weights, state)
        self.mana = state.me.mana - self.required.mana
        self.strengths: dict[Life | None, list[Strength]] = defaultdict(list)

    def build(self) -> ExactModel:
        self._add_plays()
        self._add_attacks()
        self._add_paths()
        for life in self.lives:
            self._add_fight(life)
        self._add_face()
        self._add_taunts()
        self._add_board_and_mana()
        self._add_ends()
        death = self._add_own_death()
        return ExactModel(
            self.model,
            self.scale,
            list(self.objective.items()),
            self.constant,
            tie_break_digits(self.columns, self.plays, self.lives, death),
            self.state,
            self.units,
            self.columns,
            self.plays,
            death,
        )

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
                earned = self.weight["card_value"] // self.value_scale * value
                self._earn(var, earned + self.weight["own_survival"] * self.health.get(unit.id, 0))

    def _add_attacks(self) -> None:
        possible: list[tuple[Hit, Strength]] = []
        for number, unit in enumerate(self.units):
            for hit in possible_hits(unit, self.lives, self.hero_reachable, self.weights):
                strength = Strength(self._damage(hit), number, hit.source.attacks)
                possible.append((hit, strength))
                self.strengths[hit.life].append(strength)
        # Nothing follows the last hit on the hero, so a unit that attacks again cannot have made it. Then the
        # strongest hit is not always the last one.
        self.hero_ranked = not self.enemy_heals and not any(hit.earlier for hit in self.strengths[None])
        kills = [self._can_kill(hit.life, strength) for hit, strength in possible]
        mortal = {hit.life for (hit, _), kill in zip(possible, kills, strict=True) if kill}
        protected = any(life.taunts and life not in mortal for life in self.lives)  # to the end of the turn
        for (hit, strength), kill in zip(possible, kills, strict=True):
            if not protected or (hit.life is not None and hit.life.taunts):
                self._add_columns(hit, strength, kill)

    def _damage(self, hit: Hit) -> int:
        if hit.life is None:
            return hit.source.attack
        return hit.life.health if hit.source.keywords & POISONOUS else min(hit.source.attack, hit.life.health)

    def _can_kill(self, life: Life | None, mine: Strength) -> bool:
        """Return whether this attack can be the last on its target.

        Among the attacks that kill a target together, the strongest may be called the last: the others leave the
        target alive all the more. So an attack counts only on the help of weaker ones.
        """
        health, ranked = (self.hero_health, self.hero_ranked) if life is None else (life.health, True)
        others = [other for other in self.strengths[life] if other[1:] != mine[1:]]
        if life is not None and life.shielded and len(others) < (1 if mine.damage >= health else 2):
            return False  # another attack must break the shield
        helpers: dict[tuple[int, ...], int] = defaultdict(int)
        for other in others:
            if not ranked or other < mine:
                helpers[other[1:]] = max(other.damage, helpers[other[1:]])
        return mine.damage + sum(helpers.values()) >= health

    def _add_columns(self, hit: Hit, strength: Strength, can_kill: bool) -> None:
        number, life = strength.unit, hit.life
        unit, attack = self.units[number], hit.source.attack
        roles: list[str] = []
        if life is None:
            earned = self.weight["face_damage"] * attack
            if attack < self.hero_health or self.enemy_heals:
                roles.append("part")
        else:
            earned = self.weight["minion_damage"] * attack - self.weight["damage_taken"] * life.attack
            if strength.damage < life.health:
                roles.append("part")
            if life.shielded:
                roles.append("first")
        if can_kill:
            roles.append("last")
        for role in roles:
            target = "hero" if life is None else _name(life)
            var = self.model.add_var(f"{role}[{unit.id},{target},{hit.source.attacks}]")
            column = Column(var, number, hit, role, strength)
            self.columns.append(column)
            self.by_target[life].append(column)
            self.by_source[number, hit.source].append(column)
            self._earn(var, earned)
            if hit.after is None:
                self._earn(var, -self.weight["own_survival"] * self.health.get(unit.id, 0))

    # -- rows

    def _add_paths(self) -> None:
        """A unit attacks along one path: at most as many attacks from a condition as attacks that lead to it."""
        leading: dict[tuple[int, UnitCondition], Terms] = defaultdict(list)
        for column in self.columns:
            # The killing hit on the hero ends the match, so nothing follows it.
            if column.hit.after is not None and not (column.hit.life is None and column.role == "last"):
                leading[column.unit, column.hit.after].append((column.var, -1))
        for (number, source), out in self.by_source.items():
            unit = self.units[number]
            terms: Terms = [(column.var, 1) for column in out]
            if source != unit.start:
                self.model.add_row(f"path[{unit.id},{source.attacks}]", terms + leading[number, source], -INF, 0)
            elif unit.held is not None:
                self.model.add_row(f"played[{unit.id}]", [*terms, (self.plays[number], -1)], -INF, 0)
            else:
                self.model.add_row(f"attacks[{unit.id}]", terms, -INF, 1)

    def _add_fight(self, life: Life) -> None:
        columns = self.by_target.get(life, [])
        if not columns:
            return
        name, health = _name(life), life.health
        part = [column for column in columns if column.role == "part"]
        last = [column for column in columns if column.role == "last"]
        first = [column for column in columns if column.role == "first"]
        self._add_damage(name, part, last, health)
        if first:
            self.model.add_row(f"shield[{name}]", [(column.var, 1) for column in first], -INF, 1)
            self._add_after(f"unshielded[{name}]", [*part, *last], first)
        for column in last:
            if column.strength.damage < health:
                continue  # the strongest attack is called the last one: a weaker one of the same unit may follow it
            for other in columns:
                if other.unit == column.unit and other.strength.earlier > column.strength.earlier:
                    row = f"over[{name},{self.units[column.unit].id},{other.strength.earlier}]"
                    self.model.add_row(row, [(column.var, 1), (other.var, 1)], -INF, 1)
        threat = self.weight["enemy_threat"]
        then = next((other for other in self.lives if other.id == life.id and other.second), None)
        gain = life.lasting_attack - (then.lasting_attack if then is not None and not life.second else 0)
        for column in last:
            self._earn(column.var, threat * gain)
        if life.second:
            before = next(other for other in self.lives if other.id == life.id and not other.second)
            self._add_after(f"reborn[{name}]", columns, self._last(before))

    def _last(self, life: Life | None) -> list[Column]:
        return [column for column in self.by_target.get(life, []) if column.role == "last"]

    def _add_damage(
        self,
        name: str,
        part: list[Column],
        last: list[Column],
        health: int,
        ranked: bool = True,
        healing: Terms = _NO_TERMS,
    ) -> None:
        """All hits but the last leave the target alive, and the last one kills it.

        No hit counts for more than is needed, which tightens the linear relaxation.
        """
        if len(last) > 1:
            self.model.add_row(f"one_last[{name}]", [(column.var, 1) for column in last], -INF, 1)
        if sum(column.damage for column in part) >= health:
            self.model.add_row(f"alive[{name}]", [(c.var, c.damage) for c in part] + healing, -INF, health - 1)
        for column in last:
            need = health - column.damage
            if need <= 0:
                continue  # kills without help
            mine = column.strength
            if ranked:
                killers = [other for other in last if other.strength <= mine]
                helpers = [other for other in part if other.strength < mine]
            else:
                killers = [column]
                helpers = [other for other in part if other.strength[1:] != mine[1:]]
            terms: Terms = [(other.var, min(other.damage, need)) for other in helpers]
            terms += [(other.var, -need) for other in killers]
            self.model.add_row(f"dead[{name},{self.units[mine.unit].id},{mine.earlier}]", terms, 0, INF)

    def _add_after(self, name: str, columns: list[Column], cause: list[Column]) -> None:
        """None of these attacks comes before the cause, which is another unit's or an earlier attack.

        There is one row for each condition, since at most one attack is made from it.
        """
        grouped: dict[tuple[int, UnitCondition], Terms] = defaultdict(list)
        for column in columns:
            grouped[column.unit, column.hit.source].append((column.var, 1))
        for (number, source), terms in grouped.items():
            before: Terms = [(c.var, -1) for c in cause if c.unit != number or c.strength.earlier < source.attacks]
            self.model.add_row(f"{name[:-1]},{self.units[number].id},{source.attacks}]", terms + before, -INF, 0)

    def _add_face(self) -> None:
        columns = self.by_target.get(None, [])
        if not columns:
            return
        last = self._last(None)
        for column in last:
            self._earn(column.var, self.weight["lethal"])
        healing: Terms = [(c.var, enemy_healing(c.hit)) for c in self.columns if enemy_healing(c.hit)]
        part = [column for column in columns if column.role == "part"]
        if last and not any(column.hit.source.keywords & LIFESTEAL for column in self.columns):
            # The match ends with one hero: without lifesteal only one of the two can die.
            fatal: Terms = [(c.var, 1) for c in self.columns if self.units[c.unit].is_hero and _is_fatal(c.hit)]
            if fatal:
                self.model.add_row("one_hero_dies", fatal + [(column.var, 1) for column in last], -INF, 1)
        self._add_damage("hero", part, last, self.hero_health, self.hero_ranked, [(v, -h) for v, h in healing])
        if healing and last:
            self._add_enemy_healing([(column.var, column.damage) for column in part], last, healing)

    def _add_enemy_healing(self, part: Terms, last: list[Column], healing: Terms) -> None:
        """Lethal must also undo the enemy's lifesteal: at least min(missing health, all healing)."""
        missing = self.state.enemy.hero.max_health - self.state.enemy.hero.health
        if missing <= 0:
            return
        maximum = sum(amount for _, amount in healing)
        healed = self.model.add_var("healed", 0, missing)
        full = self.model.add_var("healed_fully")
        self.model.add_row("healed_fully", [(healed, 1), (full, -missing)], 0, INF)
        self.model.add_row("healed_partly", [*healing, (healed, -1), (full, -maximum)], -INF, 0)
        # damage >= health + healed where the last hit is made; damage + missing >= healed where it is not.
        terms = part + [(c.var, c.damage - self.hero_health - missing) for c in last] + [(healed, -1)]
        self.model.add_row("dead_though_healed[hero]", terms, -missing, INF)

    def _add_taunts(self) -> None:
        """Other targets are out of reach until the taunt minions are dead."""
        for life in self.lives:
            if life.taunts:
                others = [c for c in self.columns if c.hit.life is None or not c.hit.life.taunts]
                self._add_after(f"guard[{_name(life)}]", others, self._last(life))

    def _add_board_and_mana(self) -> None:
        me, rules = self.state.me, self.state.rules
        costs: Terms = [(var, held.cost) for n, var in self.plays.items() if (held := self.units[n].held) and held.cost]
        if sum(cost for _, cost in costs) > self.mana:
            self.model.add_row("mana", costs, -INF, self.mana)
        self._add_slots(rules.board_limit - len(me.board))
        played: Terms = [(var, 1) for var in self.plays.values()]
        kept: Terms = [(var, 1) for n, var in self.plays.items() if (held := self.units[n].held) and not held.echo]
        most = sum(not held.echo for held in me.hand) - self.required.cards
        if len(kept) > most:
            self.model.add_row("keep_cards", kept, -INF, most)
        if self.required.minions:
            dead: Terms = [(column.var, -1) for column in self.columns if column.hit.after is None]
            self.model.add_row("keep_minions", played + dead, self.required.minions - len(me.board), INF)

    def _add_slots(self, free: int) -> None:
        """Limit the played minions to the free slots and those that deaths make free.

        A minion that is played to attack a taunt minion needs a slot while that one is alive. Only fights against
        taunt minions can have freed one by then.
        """
        if len(self.plays) <= free:
            return
        guards = [column for column in self.columns if column.hit.life is not None and column.hit.life.taunts]
        early: dict[int, Terms] = defaultdict(list)
        for column in guards:
            if column.unit in self.plays and not column.strength.earlier:
                early[column.unit].append((column.var, 1))
        all_played: dict[int, Terms] = {unit: [(var, 1)] for unit, var in self.plays.items()}
        for rows, played, fights in (("", all_played, self.columns), ("_guarded", early, guards)):
            if len(played) <= free:
                continue
            dead = [column for column in fights if column.hit.after is None]
            freed: Terms = [(column.var, -1) for column in dead]
            entering: Terms = [term for terms in played.values() for term in terms]
            self.model.add_row(f"places{rows}", entering + freed, -INF, free)
            if free <= 0:
                # The first minion to be played waits for the death of one that is on the board now.
                on_board: Terms = [(column.var, -1) for column in dead if column.unit not in self.plays]
                for unit, terms in played.items():
                    self.model.add_row(f"place_first{rows}[{self.units[unit].id}]", terms + on_board, -INF, 0)

    def _add_ends(self) -> None:
        """Score the board at the end: the part that no action changes, and whether the enemy board is clear."""
        weight, enemy = self.weight, self.state.enemy
        threat = sum(life.lasting_attack for life in self.lives if not life.second)
        self.constant -= weight["enemy_threat"] * threat
        self.constant += weight["own_survival"] * sum(self.health.get(minion.id, 0) for minion in self.state.me.board)
        if not weight["board_clear"]:
            return
        if not enemy.board:
            self.constant += weight["board_clear"]
            return
        ends = {life: self._last(life) for life in self.lives}
        killers = {column.strength[1:] for last in ends.values() for column in last}
        if not all(ends.values()) or len(killers) < len(ends):
            return  # a minion is out of reach
        final = {life.id: life for life in self.lives}  # the second life, where there is one
        kills: list[Terms] = [[(column.var, -1) for column in ends[life]] for life in final.values()]
        clear = self.model.add_var("clear")
        self._earn(clear, weight["board_clear"])
        for life, terms in zip(final.values(), kills, strict=True):
            self.model.add_row(f"clear[{life.id}]", [(clear, 1), *terms], -INF, 0)
        if weight["board_clear"] < 0:
            all_kills: Terms = [term for terms in kills for term in terms]
            self.model.add_row("clear_is_seen", [(clear, 1), *all_kills], 1 - len(kills), INF)

    def _add_own_death(self) -> int | None:
        """Our hero dies where the damage exceeds its health and healing; None where it cannot die, or must not.

        `find_legal_order` checks whether the healing comes in time.
        """
        own = [column.hit for column in self.columns if self.units[column.unit].is_hero]
        if not any(hit.life is not None and _is_fatal(hit) for hit in own):
            return None
        balance: dict[int, float] = defaultdict(float)
        maximum = 0
        for column in self.columns:
            source, after = column.hit.source, column.hit.after
            if self.units[column.unit].is_hero and after is not None:
                balance[column.var] += source.health - after.health
                maximum += source.health - after.health
            if source.keywords & LIFESTEAL and column.role != "first":
                balance[column.var] -= source.attack
        hero = self.state.me.hero
        terms: Terms = [(var, amount) for var, amount in balance.items() if amount]
        death = None if hero_must_live(self.weights) else self.model.add_var("own_death")
        if death is not None:
            terms.append((death, -maximum))
        self.model.add_row("own_death", terms, -INF, hero.health + hero.armor - 1)
        return death


def _name(life: Life) -> str:
    return f"{life.id}{'+' if life.second else ''}"
