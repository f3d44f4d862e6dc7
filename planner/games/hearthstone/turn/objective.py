"""What a turn earns: the terms of the objective, counted while the referee carries the actions out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from planner.games.hearthstone.cards.keywords import CANNOT_ATTACK, FROZEN, HELPFUL, attacks_per_turn
from planner.games.hearthstone.rules.actions import Action, Attack, Play, Trade
from planner.games.hearthstone.rules.legal import verify
from planner.games.hearthstone.rules.match import last_effects, observe
from planner.games.hearthstone.rules.resolve import IllegalActionError, carried
from planner.games.hearthstone.rules.state import ENEMY_HERO, GameState, HandCard, Hero, Minion
from planner.games.hearthstone.rules.table import CERTAIN_ONLY, ChanceError, Table, Told
from planner.games.hearthstone.turn.chance import outcomes
from planner.games.hearthstone.turn.weights import SIGNS, Number, Weights, exact

Amount = Number | Fraction


class ActionTerms(NamedTuple):
    """What one action counts for when it is taken, whatever comes after it."""

    face_damage: int = 0
    minion_damage: int = 0
    damage_taken: int = 0
    card_value: Number = 0
    cards_drawn: int = 0
    overkill: int = 0


_NOTHING: Final = ActionTerms()
_NONE: Final[Mapping[int, Any]] = MappingProxyType({})


class Taken(NamedTuple):
    """One thing that an action can lead to."""

    probability: Fraction | int
    state: GameState
    step: ActionTerms
    complete: bool = True  # False: chance had too many ways to list them, and is left out
    made: Sequence[str] = ()  # the ids of what effects made, and of who was reborn


class Made(NamedTuple):
    """Something that came into being during a turn."""

    id: str
    name: str  # of its card
    zone: str  # where it is: me.board, me.hand, enemy.board, enemy.hand


class Earned(NamedTuple):
    """A turn carried out: where it leads, and how much of each term was counted (without weights and signs).

    Where chance decides about the last action, or at the end of the turn, amounts are expectations, and `end` is
    the state without what chance does.
    """

    end: GameState
    amounts: Mapping[str, Amount]
    reveals: int | None = None  # the place of the first action that shows what was not known: a draw, or chance
    made: Mapping[int, tuple[Made, ...]] = _NONE  # by the place of the action; chance may make other things
    outcome: str | None = None  # win, draw or loss, where the match is over for certain

    def scaled(self, weights: Weights) -> dict[str, Fraction | int]:
        """Each term with its sign and its weight times `weights.integer_scale()`, exactly."""
        worths: dict[str, Fraction | int] = {}
        for term, weight in weights.scaled().items():
            amount = self.amounts.get(term, 0)
            exactly = exact(amount) if isinstance(amount, float) else amount
            worths[term] = SIGNS[term] * weight * exactly
        return worths

    def worth(self, weights: Weights) -> Fraction | int:
        """The objective times `weights.integer_scale()`, exactly."""
        return sum(self.scaled(weights).values())

    def contributions(self, weights: Weights) -> dict[str, float]:
        """Each term with its weight and sign: together they are the objective."""
        scale = weights.integer_scale()
        return {term: float(worth) / scale for term, worth in self.scaled(weights).items()}


def starting_health(state: GameState) -> dict[str, int]:
    """The health that own_survival counts: on the board now, or printed on the card in hand."""
    known = {minion.id: minion.health for minion in state.me.board}
    known.update((held.id, held.card.health) for held in state.me.hand if held.card.type == "minion")
    return known


def certain(state: GameState, action: Action) -> Taken | None:
    """What this legal action leads to; None where chance decides about it."""
    if isinstance(action, Trade):  # where the card goes, in a deck that is shuffled and not looked at, does not matter
        found = _taken(state, action, 1, carried(state, action, Told((0,))))
        return found._replace(state=observe(found.state, found.state.seat))
    try:
        return _taken(state, action, 1, carried(state, action))
    except ChanceError:
        return None


def taken(state: GameState, action: Action) -> list[Taken]:
    """What this legal action leads to: one state, or where chance decides all those it can make."""
    found = certain(state, action)
    if found is not None:
        return [found]
    return [_taken(state, action, *one) for one in outcomes(lambda rng: carried(state, action, rng))]


def _taken(state: GameState, action: Action, probability: Fraction | int, table: Table, complete: bool = True) -> Taken:
    return Taken(probability, table.state(), step_of(state, action, table), complete, table.made)


def step_of(state: GameState, action: Action, table: Table) -> ActionTerms:
    """What an action counts for that has led from this state to this table."""
    back: int = 0
    value: Number = 0
    if isinstance(action, Attack):
        if action.target != ENEMY_HERO:
            back = next(minion.attack for minion in state.enemy.board if minion.id == action.target)
    elif isinstance(action, Play):
        value = next(held.value for held in state.me.hand if held.id == action.card)
    return ActionTerms(table.dealt_to_hero, table.dealt_to_minions, back, value, table.drawn, table.overkill)


def ends(state: GameState) -> list[Taken]:
    """Where ending the turn here leads: after the effects at its end, about which chance may decide."""
    if not any(minion.card.effects and minion.card.on("turn_end") for minion in state.me.board):
        return [Taken(1, state, _NOTHING)]
    return [
        Taken(
            probability,
            table.state(),
            ActionTerms(table.dealt_to_hero, table.dealt_to_minions, 0, 0, table.drawn, table.overkill),
            complete,
        )
        for probability, table, complete in outcomes(lambda rng: last_effects(state, rng))
    ]


def at_end(state: GameState, health: Mapping[str, int], further: bool = True) -> dict[str, Amount]:
    """What ending the turn here counts for; `further`: also in the terms beyond the eight."""
    found = ends(state)
    if found[0].step is _NOTHING:
        return in_the_end(state, health, further)
    total: dict[str, Amount] = {}
    for one in found:
        amounts = in_the_end(one.state, health, further)
        _add(amounts, one.step._asdict())
        _add(total, amounts, one.probability)
    return total


def in_the_end(end: GameState, health: Mapping[str, int], further: bool = True) -> dict[str, Amount]:
    """What a state counts for in which nothing happens any more; `further`: also in the terms beyond the eight."""
    me, enemy = end.me, end.enemy
    amounts: dict[str, Amount] = {
        "lethal": int(enemy.hero.health <= 0),
        "board_clear": int(not enemy.board),
        "enemy_threat": sum(_lasting_attack(minion) for minion in enemy.board),
        "own_survival": sum(health.get(minion.id, 0) for minion in me.board),
    }
    if further:
        tokens = (minion for minion in me.board if minion.id not in health)
        amounts["own_health"] = _health(me.hero)
        amounts["enemy_health"] = _health(enemy.hero)
        amounts["damage_to_come"] = sum(
            _lasting_attack(minion) * attacks_per_turn(minion.keywords)
            for minion in enemy.board
            if not minion.keywords & (FROZEN | CANNOT_ATTACK)
        )
        amounts["mana_unused"] = me.mana
        amounts["weapon_durability"] = me.weapon.durability if me.weapon else 0
        amounts["token_worth"] = sum(_lasting_attack(minion) + minion.health for minion in tokens)
        for whose, board in (("own", me.board), ("enemy", enemy.board)):
            amounts[f"{whose}_attack"] = sum(map(_lasting_attack, board))
            amounts[f"{whose}_remaining_health"] = sum(minion.health for minion in board)
            amounts[f"{whose}_keywords"] = sum(map(_helpful_keywords, board))
        amounts["cards_in_hand"] = sum(not held.echo for held in me.hand)
    return amounts


def _health(hero: Hero) -> int:
    """Health and armor; nothing of a hero who is dead."""
    return hero.health + hero.armor if hero.health > 0 else 0


def _helpful_keywords(minion: Minion) -> int:
    """How many keywords it has for longer than this turn that help the one who has them."""
    return (minion.keywords & ~minion.keywords_this_turn & HELPFUL).bit_count()


def _lasting_attack(minion: Minion) -> int:
    """Its attack without what ends with the turn."""
    return max(0, minion.attack - minion.attack_this_turn) if minion.attack_this_turn else minion.attack


def _add(total: dict[str, Amount], amounts: Mapping[str, Amount], probability: Fraction | int = 1) -> None:
    for term, amount in amounts.items():
        exactly = exact(amount) if isinstance(amount, float) else amount
        total[term] = total.get(term, 0) + (exactly if probability == 1 else probability * exactly)


def replay(state: GameState, actions: Sequence[Action], further: bool = True) -> Earned:
    """Carry the actions out with the referee, which refuses an illegal one, and count what they earn.

    Where chance decides about an action, it must be the last. `further`: count the terms beyond the eight, too.
    """
    return _carry_out(state, actions, strictly=True, further=further)[1]


def replay_legal(state: GameState, actions: Sequence[Action]) -> tuple[list[Action], Earned]:
    """Carry out those of the actions that are legal when their turn comes, and count what they earn."""
    return _carry_out(state, actions, strictly=False)


def _carry_out(
    state: GameState, actions: Sequence[Action], strictly: bool, further: bool = True
) -> tuple[list[Action], Earned]:
    health = starting_health(state)
    done: list[Action] = []
    face = minions = back = drawn = overkill = 0
    value: Amount = 0
    reveals: int | None = None
    made: dict[int, tuple[Made, ...]] = {}
    for place, action in enumerate(actions):
        problem = verify(state, action)
        if problem is not None:
            if strictly:
                raise IllegalActionError(problem)
            continue
        done.append(action)
        one = certain(state, action)
        if one is None:
            if place + 1 < len(actions):
                raise IllegalActionError(f"chance decides about {action}: what comes after it must be planned anew")
            break
        step = one.step
        face += step.face_damage
        minions += step.minion_damage
        back += step.damage_taken
        value += step.card_value if isinstance(step.card_value, int) else exact(step.card_value)
        overkill += step.overkill
        if step.cards_drawn:
            drawn += step.cards_drawn
            reveals = place if reveals is None else reveals
        state = one.state
        if one.made:
            made[len(done) - 1] = _found(state, one.made)
    else:
        totals = at_end(state, health, further)
        _add(totals, ActionTerms(face, minions, back, 0, drawn, overkill)._asdict())
        totals["card_value"] = value
        return done, Earned(state, totals, reveals, made, _outcome([Taken(1, state, _NOTHING)]))
    totals = {**ActionTerms(face, minions, back, 0, drawn, overkill)._asdict(), "card_value": value}
    all_possible = taken(state, action)
    for possible in all_possible:
        _add(totals, possible.step._asdict(), possible.probability)
        _add(totals, at_end(possible.state, health, further), possible.probability)
    end = carried(state, action, CERTAIN_ONLY).state()
    return done, Earned(end, totals, place if reveals is None else reveals, made, _outcome(all_possible))


_OUTCOMES: Final = {(False, True): "win", (True, True): "draw", (True, False): "loss"}  # which heroes are dead


def _outcome(last: Sequence[Taken]) -> str | None:
    """How the match has ended, whatever chance does in the last action and at the end of the turn."""
    found = {
        _OUTCOMES.get((one.state.me.hero.health <= 0, one.state.enemy.hero.health <= 0))
        if possible.complete and one.complete
        else None
        for possible in last
        for one in ends(possible.state)
    }
    return found.pop() if len(found) == 1 else None


def _found(state: GameState, ids: Sequence[str]) -> tuple[Made, ...]:
    """What has these ids, by zone and in the order of the zone; what is gone already has none."""
    zones: dict[str, tuple[Minion | HandCard, ...]] = {
        "me.board": state.me.board, "me.hand": state.me.hand,
        "enemy.board": state.enemy.board, "enemy.hand": state.enemy.hand,
    }  # fmt: skip
    return tuple(Made(one.id, one.card.name, zone) for zone, things in zones.items() for one in things if one.id in ids)
