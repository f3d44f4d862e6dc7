"""Random matches under the ruleset `ha`, judged by the specification."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.cards.decks import Deck
from planner.games.hearthstone.formal_model.conformance import Judge
from planner.games.hearthstone.rules.actions import Action, Attack, EndTurn, Play
from planner.games.hearthstone.rules.legal import legal_actions
from planner.games.hearthstone.rules.match_flow import start_match
from planner.games.hearthstone.rules.resolve import apply
from planner.games.hearthstone.rules.ruleset import Ruleset
from planner.games.hearthstone.rules.state import ENEMY_HERO, GameState
from planner.specification.notation import Specification

HA = Ruleset.of("ha")


def first_state(rng: Random, deck_size: int = 30) -> GameState:
    """Return the start of a match between random decks, with random numbers of the rules."""
    hand = rng.randint(0, 4)
    rules = replace(
        HA, hero_health=rng.randint(3, 12), board_limit=rng.choice((1, 2, 3, 7)), starting_hand=(hand, hand + 1)
    )
    decks = [
        Deck(f"deck {seat}", "mage", tuple(_card(rng) for _ in range(rng.randint(1, deck_size)))) for seat in (1, 2)
    ]
    return start_match((decks[0], decks[1]), rules, rng)


def _card(rng: Random) -> Card:
    """Return one of a few cards: equal ones are frequent."""
    attack, health = rng.choice(((0, 3), (1, 1), (1, 1), (2, 1), (2, 3), (3, 2), (4, 5)))
    return Card(f"{attack}/{health}", cost=attack, attack=attack, health=health)


def candidates(state: GameState, rng: Random, count: int) -> list[Action]:
    """Return some actions, legal or not: with cards of every zone, and at all times the end of the turn."""
    minions = [minion.id for player in (state.me, state.enemy) for minion in player.board]
    elsewhere = [card.id for player in (state.me, state.enemy) for card in (*player.hand, *player.deck[:1])]
    found: list[Action] = [Play(name) for name in (*elsewhere, *minions)]
    found += [Attack(name, ENEMY_HERO) for name in (*minions, *elsewhere[:1])]
    found += [Attack(one, other) for one in minions for other in (*minions, *elsewhere[:1])]
    return [EndTurn(), *rng.sample(found, min(count, len(found)))]


def problems(
    seed: int, deck_size: int = 30, attempts: int = 2, judged_by: Specification | None = None
) -> Iterator[str]:
    """Play a random match, and yield what the specification finds wrong with it."""
    rng = Random(seed)
    state = first_state(rng, deck_size)
    judge = Judge(state, judged_by)
    yield from judge.deal(state)
    while True:
        yield from judge.state(state)
        for action in candidates(state, rng, attempts):
            yield from judge.legality(state, action)
        actions = legal_actions(state)
        if not actions:
            return
        action = rng.choice(actions)
        after = apply(state, action)
        yield from judge.transition(state, action, after)
        state = after
