"""Random turns for tests of the engine: states with weights."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from planner.games.hearthstone.cards.decks import deck_names, load_deck
from planner.games.hearthstone.rules.legal import legal_actions
from planner.games.hearthstone.rules.match_flow import mulligan, observe, start_match
from planner.games.hearthstone.rules.resolve import apply
from planner.games.hearthstone.rules.ruleset import Ruleset
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.turn.hearthstone_weights import EXTRA_TERMS, KEYWORDS, RULES, TERMS, Rule, Weights
from tests.build import THESIS_PROFILES
from tests.games.hearthstone.generated import random_state

Turn = tuple[GameState, Weights]


def fresh_seed() -> int:
    """Return another seed in each run; a failure names it."""
    return Random().randrange(2**40)


def random_weights(rng: Random) -> Weights:
    """Return a shipped profile or random weights: also negative ones, further terms, and single terms."""
    kind = rng.random()
    if kind < 0.3:
        return Weights.of(rng.choice(THESIS_PROFILES))
    if kind < 0.6:  # with few terms, slack in one term cannot hide a fault in another
        few = rng.sample((*TERMS, *EXTRA_TERMS), rng.choice((1, 1, 2, 3)))
        return Weights.of(dict.fromkeys(TERMS, 0) | {term: rng.choice((1, 2, 5, -1, -3)) for term in few})
    minimum = 0 if kind < 0.85 else -6
    terms = (*TERMS, *rng.sample(EXTRA_TERMS, rng.choice((0, 2, 5, len(EXTRA_TERMS)))))
    return Weights.of({term: rng.randint(minimum, 12) for term in terms})


def with_hard_rules(rng: Random, weights: Weights, state: GameState) -> Weights:
    """Add one or two hard rules."""
    rules = []
    for kind in rng.sample(sorted(RULES), rng.choice((1, 1, 2))):
        takes = RULES[kind].takes
        if kind == "play":
            rules += [Rule(kind, word=rng.choice(state.me.hand).card.name)] if state.me.hand else []
        elif takes == "word":
            rules.append(
                Rule(kind, word=rng.choice((*KEYWORDS, "hero") if kind == "attack_with" else ("hero", "minions")))
            )
        elif takes == "number":
            rules.append(Rule(kind, number=rng.choice((0.5, 1, 2)) if kind == "trade_below" else rng.randint(1, 4)))
        else:
            rules.append(Rule(kind))
    return replace(
        weights,
        forbid=tuple(rule for rule in rules if RULES[rule.kind].under == "forbid"),
        require=tuple(rule for rule in rules if RULES[rule.kind].under == "require"),
    )


def ruled_weights(rng: Random, state: GameState) -> Weights:
    """Return random weights, sometimes with hard rules."""
    weights = random_weights(rng)
    return with_hard_rules(rng, weights, state) if rng.random() < 0.2 else weights


def small_turn_with_effects(rng: Random) -> Turn:
    """Return a turn of generated cards, small enough to try everything."""
    state = random_state(rng, most_minions=rng.choice((2, 3, 3, 4)), most_cards=rng.choice((1, 2, 3)))
    state = observe(state, state.seat)
    return state, ruled_weights(rng, state)


def small_vanilla_turn(rng: Random) -> Turn:
    """Return a turn of vanilla minions, weapons and keywords, small enough to try everything."""
    state = random_state(rng, texts=False, most_minions=rng.choice((3, 4, 5)), most_cards=3)
    state = observe(state, state.seat)
    return state, ruled_weights(rng, state)


def turn_of_a_match(rng: Random) -> Turn:
    """Return a turn of a random match between two shipped decks, as its player sees it."""
    decks = load_deck(rng.choice(deck_names())), load_deck(rng.choice(deck_names()))
    state = start_match(decks, Ruleset.of("standard"), rng)
    state = mulligan(mulligan(state, [], rng), [], rng)
    for _ in range(rng.randint(10, 90)):
        actions = legal_actions(state)
        if not actions:
            break
        last = len(actions) == 1 or rng.random() < 0.15
        after = apply(state, rng.choice(actions if last else actions[:-1]), rng)
        if not legal_actions(after):
            break
        state = after
    return observe(state, state.seat), random_weights(rng)
