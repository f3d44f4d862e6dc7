"""Guo's model as his program builds it (Guo 2025, 4.3, 5.4.4 and 6.3), each row named after its number.

Where the print is ambiguous, docs/explanation/formulation.md has the reading that is used here, other readings, and
what the model gets wrong. `decode` puts the actions of a solution in order, legal or not; `printed_batch` carries them
out as section 6.5 prints.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import lcm
from typing import Final, NamedTuple

from planner.games.hearthstone.cards.keywords import CHARGE, DIVINE_SHIELD, RUSH, TAUNT, WINDFURY
from planner.games.hearthstone.rules.actions import Action, Attack, Batch, Play
from planner.games.hearthstone.rules.legal import landing_actions
from planner.games.hearthstone.rules.state import ENEMY_HERO, GameState, HandCard, Minion
from planner.games.hearthstone.turn.hearthstone_weights import Weights
from planner.games.hearthstone.turn.lexicographic import Digit, RankedModel, Terms
from planner.planning.profiles import exact
from planner.solvers.linear_model import INF, LinearModel


class ThesisReading(NamedTuple):
    """How the printed rows are read. The defaults are the program of section 6.3.

    The first five are in the order of the bits in which engine/binding/module_vanilla.cpp reads them.
    """

    every_minion: bool = False  # rows (1) and (5) also hold for minions played this turn
    survival_on_board_only: bool = False  # W5 counts the minions on the board, as 4.3 prints the objective
    ceiling: bool = False  # rows (2) and (3) with the printed ceiling: any damage kills
    most_actions: bool = False  # among equal optima the one with the most actions, not with the fewest
    last_of_equals: bool = False  # then the one with the latest cards and targets, not with the earliest
    keyword_rows: bool = False  # the rows of chapter 5 for battlecry, deathrattle and divine shield

    @property
    def bits(self) -> int | None:
        """The reading as a number for the engine; None if the engine does not support it."""
        return None if self.keyword_rows else sum(flag << index for index, flag in enumerate(self[:5]))


READINGS: Final = {
    "thesis": ThesisReading(),
    "thesis_every_minion": ThesisReading(every_minion=True),
    "thesis_keywords": ThesisReading(keyword_rows=True),
}


class Choice(NamedTuple):
    """A solution of the model: friendly minions by number (board, then hand), enemies by board position."""

    objective: int  # claimed, times `scale`
    scale: int
    plays: list[int]
    hits: list[tuple[int, int]]
    face: list[int]


@dataclass
class ThesisModel(RankedModel):
    """The program, and the meaning of its columns. Friendly minions are 0..m-1 on the board, then those in hand."""

    hit: dict[tuple[int, int], int]  # (friend, enemy) -> x(i, j)
    face: list[int]  # x(i, hero)
    play: dict[int, int]  # u(i) of the minions in hand

    def choice(self, values: Sequence[float]) -> Choice:
        """Return the solution as a choice of actions."""
        return Choice(
            self.claimed(values),
            self.scale,
            [i for i, var in self.play.items() if values[var]],
            [pair for pair, var in self.hit.items() if values[var]],
            [i for i, var in enumerate(self.face) if values[var]],
        )


def decode(state: GameState, choice: Choice) -> list[Action]:
    """Return the chosen actions, legal or not, in a sensible order.

    Cards come first, then attacks on taunt minions, small hits first, then on other minions, then on the hero, then
    the cards again, since a trade may have made room for them.
    """
    hand, enemies = minions_in_hand(state), state.enemy.board
    names = [minion.id for minion in state.me.board] + [held.id for held in hand]
    attack_of = [minion.attack for minion in state.me.board] + [held.card.attack for held in hand]
    plays: list[Action] = [Play(names[i]) for i in choice.plays]
    hits = sorted(
        choice.hits, key=lambda hit: (not enemies[hit[1]].keywords & TAUNT, hit[1], attack_of[hit[0]], hit[0])
    )
    attacks: list[Action] = [Attack(names[i], enemies[j].id) for i, j in hits]
    attacks += [Attack(names[i], ENEMY_HERO) for i in sorted(choice.face, key=lambda i: (attack_of[i], i))]
    return [*plays, *attacks, *plays]


def printed_batch(state: GameState, choice: Choice) -> Batch:
    """Return the chosen actions that the loops of section 6.5 carry out, in their order."""
    names = [minion.id for minion in state.me.board] + [held.id for held in minions_in_hand(state)]
    actions: list[Play | Attack] = [Play(names[i]) for i in sorted(choice.plays)]
    for i, name in enumerate(names):
        actions += [Attack(name, state.enemy.board[j].id) for friend, j in sorted(choice.hits) if friend == i]
        actions += [Attack(name, ENEMY_HERO)] * (i in choice.face)
    return Batch(landing_actions(state, actions))


def value_scale_of(hand: Sequence[HandCard]) -> int:
    """Return the factor that makes the value of every card an integer."""
    return lcm(*(exact(held.value).denominator for held in hand), 1)


def minions_in_hand(state: GameState) -> list[HandCard]:
    """Return the cards that the model knows: minions."""
    return [held for held in state.me.hand if held.card.type == "minion"]


def build_thesis(state: GameState, weights: Weights, reading: ThesisReading = READINGS["thesis"]) -> ThesisModel:
    """Return the program of Guo (2025) for this state."""
    model = LinearModel("thesis")
    me, enemies, hand = state.me, state.enemy.board, minions_in_hand(state)
    m, n = len(me.board), len(enemies)
    friends = range(m + len(hand))
    value_scale = value_scale_of(hand)
    w = {term: weight * value_scale for term, weight in weights.scaled().items()}
    names = [minion.id for minion in me.board] + [held.id for held in hand]
    attack = [minion.attack for minion in me.board] + [held.card.attack for held in hand]
    health = [minion.health for minion in me.board] + [held.card.health for held in hand]
    kept = [minion.keywords for minion in me.board] + [held.card.keywords for held in hand]
    # 6.3: a divine shield counts as one more point of health in rows (2) and (5). The rows of chapter 5 replace that.
    shield = 0 if reading.keyword_rows else 1
    tough = [h + shield * bool(k & DIVINE_SHIELD) for h, k in zip(health, kept, strict=True)]
    mortal = [1 if reading.ceiling else e.health + shield * bool(e.keywords & DIVINE_SHIELD) for e in enemies]

    # Where (8), (9) and (10) forbid a play or an attack, the variable is fixed at 0.
    paid = [i < m or hand[i - m].cost <= me.mana for i in friends]
    hitting = [i < m or (paid[i] and bool(kept[i] & (CHARGE | RUSH))) for i in friends]
    charging = [i < m or (paid[i] and bool(kept[i] & CHARGE)) for i in friends]
    hero_health = 1 if reading.ceiling else state.enemy.hero.health + state.enemy.hero.armor
    max_damage = sum(attack[i] for i in friends if hitting[i])
    max_face_damage = sum(attack[i] for i in friends if charging[i])
    face = [model.add_var(f"x[{names[i]},hero]", 0, int(charging[i])) for i in friends]
    hit = {
        (i, j): model.add_var(f"x[{names[i]},{enemies[j].id}]", 0, int(hitting[i])) for i in friends for j in range(n)
    }
    lives = [model.add_var(f"y[{names[i]}]") for i in friends]
    stands = [model.add_var(f"z[{enemy.id}]", int(max_damage < mortal[j])) for j, enemy in enumerate(enemies)]
    hero_stands = model.add_var("z[hero]", int(max_face_damage < hero_health))
    clear = model.add_var("c")
    play = {i: model.add_var(f"u[{names[i]}]", 0, int(paid[i])) for i in friends if i >= m}

    objective: Terms = [(hero_stands, -w["lethal"]), (clear, w["board_clear"])]
    objective += [(face[i], w["face_damage"] * attack[i]) for i in friends]
    objective += [(stands[j], -w["enemy_threat"] * enemies[j].attack) for j in range(n)]
    counted = range(m) if reading.survival_on_board_only else friends
    objective += [(lives[i], w["own_survival"] * health[i]) for i in counted]
    for (i, j), var in hit.items():
        objective.append((var, w["minion_damage"] * attack[i] - w["damage_taken"] * enemies[j].attack))
    for i, var in play.items():
        objective.append((var, w["card_value"] // value_scale * int(exact(hand[i - m].value) * value_scale)))

    limited = friends if reading.every_minion else range(m)
    for i in limited:  # (1), with the right-hand side that 5.2.3 gives it for windfury
        attacks = 2 if kept[i] & WINDFURY else 1
        model.add_row(f"(1)[{names[i]}]", [(face[i], 1), *((hit[i, j], 1) for j in range(n))], -INF, attacks)
    # (2) and (3), times the health so that the coefficients stay integers. No attack counts more than the health: for
    # integers that is the same row, and its linear relaxation is tighter.
    for j in range(n):
        damage: Terms = [(hit[i, j], min(attack[i], mortal[j])) for i in friends]
        model.add_row(f"(2)[{enemies[j].id}]", [*damage, (stands[j], mortal[j])], mortal[j], INF)
    face_hits: Terms = [(face[i], min(attack[i], hero_health)) for i in friends]
    model.add_row("(3)", [*face_hits, (hero_stands, hero_health)], hero_health, INF)
    for j in range(n):
        model.add_row(f"(4)[{enemies[j].id}]", [(clear, 1), (stands[j], 1)], -INF, 1)
    for i in limited:
        risks: Terms = [(hit[i, j], _ceil_of_risk(enemies[j].attack, tough[i])) for j in range(n)]
        model.add_row(f"(5)[{names[i]}]", [(lives[i], 1), *risks], -INF, 1)
    slots: Terms = [(var, 1) for var in (*lives[:m], *play.values())]
    model.add_row("(6)", slots, -INF, state.rules.board_limit)
    for i, var in play.items():
        model.add_row(f"(7)[{names[i]}]", [(lives[i], 1), (var, -1)], -INF, 0)
    model.add_row("(8)", [(var, hand[i - m].cost) for i, var in play.items()], -INF, me.mana)
    for i, var in play.items():
        if hitting[i]:
            for j in range(n):
                model.add_row(f"(9)[{names[i]},{enemies[j].id}]", [(hit[i, j], 1), (var, -1)], -INF, 0)
        if charging[i]:
            model.add_row(f"(10)[{names[i]}]", [(face[i], 1), (var, -1)], -INF, 0)
    for k in range(n):
        if not enemies[k].keywords & TAUNT:
            continue
        for i in friends:  # (11) and (12), one row for each taunt minion instead of their sum
            if charging[i]:
                model.add_row(f"(11)[{names[i]},{enemies[k].id}]", [(face[i], 1), (stands[k], 1)], -INF, 1)
            for j in range(n):
                if hitting[i] and not enemies[j].keywords & TAUNT:
                    row = f"(12)[{names[i]},{enemies[j].id},{enemies[k].id}]"
                    model.add_row(row, [(hit[i, j], 1), (stands[k], 1)], -INF, 1)

    if reading.keyword_rows:
        _add_keyword_rows(model, state, hit, lives, stands, play)

    payable = [i for i in play if paid[i]]
    fighters = [i for i in range(m) if attack[i]]
    chargers = [i for i in payable if kept[i] & (CHARGE | RUSH) and attack[i]]
    actions: Terms = [(var, 1) for var in (*face, *hit.values(), *play.values())]
    digits = [Digit(actions, 0, len(actions))] if actions else []
    digits += [Digit([(play[i], -1)], 1, 1) for i in payable]
    for i in fighters:  # the earliest target, for one with windfury the earliest of each
        aims: Terms = [*((hit[i, j], j - n - 1) for j in range(n)), (face[i], -1)]
        if kept[i] & WINDFURY:
            digits += [Digit([(var, -1)], 1, 1) for var, _ in aims]
        else:
            digits.append(Digit(aims, n + 1, n + 1))
    for i in chargers:
        aims = [(hit[i, j], -1) for j in range(n)]
        aims += [(face[i], -1)] if kept[i] & CHARGE else []
        digits += [Digit([aim], 1, 1) for aim in aims]
    if reading.last_of_equals:
        digits[1:] = map(_reversed, digits[1:])
    if reading.most_actions:
        idle = [(face[i], 1.0) for i in friends if not attack[i]]
        idle += [(var, 1.0) for (i, _), var in hit.items() if not attack[i]]
        # Attacks without damage stay out.
        digits[:1] = [Digit(idle, 0, len(idle)), *map(_reversed, digits[:1])]
    return ThesisModel(
        model, weights.integer_scale() * value_scale, [(v, f) for v, f in objective if f], w["lethal"], digits,
        hit, face, play,
    )  # fmt: skip


def _reversed(digit: Digit) -> Digit:
    return Digit([(var, -factor) for var, factor in digit.terms], digit.top - digit.constant, digit.top)


def _add_keyword_rows(
    model: LinearModel,
    state: GameState,
    hit: dict[tuple[int, int], int],
    lives: list[int],
    stands: list[int],
    play: dict[int, int],
) -> None:
    """Add the rows that 5.2.4, 5.2.5, 5.2.6 and 5.3.3 print, with their own variables.

    The variables of battlecries and deathrattles appear in no other row and not in the objective, so these rows change
    nothing. The row of a friendly shield repeats (5) where s is 1 and is void where it is 0. That of an enemy shield
    forbids z to be 1 after any attack, while (2) forbids it to be 0 unless the damage kills.
    """
    me, enemies, hand = state.me, state.enemy.board, minions_in_hand(state)
    m = len(me.board)
    friends: list[Minion | HandCard] = [*me.board, *hand]
    for i, var in play.items():
        if hand[i - m].card.on("play"):
            triggered = model.add_var(f"e[{hand[i - m].id}]")
            model.add_row(f"battlecry[{hand[i - m].id}]", [(triggered, 1), (var, -1)], -INF, 0)
    for i, friend in enumerate(friends):
        if friend.card.on("death"):
            triggered = model.add_var(f"e_d[{friend.id}]")
            model.add_row(f"deathrattle[{friend.id}]", [(triggered, 1), (lives[i], 1)], -INF, 1)
    for j, enemy in enumerate(enemies):
        if enemy.card.on("death"):
            triggered = model.add_var(f"e[{enemy.id}]")
            model.add_row(f"deathrattle[{enemy.id}]", [(triggered, 1), (stands[j], 1)], -INF, 1)
        for i, friend in enumerate(friends):
            keywords = friend.keywords if isinstance(friend, Minion) else friend.card.keywords
            health = friend.health if isinstance(friend, Minion) else friend.card.health
            if keywords & DIVINE_SHIELD and enemy.attack > 0:  # times P, so that the coefficients are integers
                risk = [(lives[i], enemy.attack), (hit[i, j], enemy.attack - health + 1)]
                model.add_row(f"shield[{friend.id},{enemy.id}]", risk, -INF, enemy.attack)
            if enemy.keywords & DIVINE_SHIELD:
                model.add_row(f"shield[{enemy.id},{friend.id}]", [(stands[j], 1), (hit[i, j], 1)], -INF, 1)


def _ceil_of_risk(enemy_attack: int, own_health: int) -> int:
    """ceil((P - B + 1) / P), the coefficient in (5); 0 for a minion without attack."""
    return 0 if enemy_attack <= 0 else -((own_health - 1 - enemy_attack) // enemy_attack)
