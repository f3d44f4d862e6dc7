"""Random pairings of decks, rules and agents, and matches by the engine compared with those of the match runner."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import NamedTuple

from planner.agents.agent_spec import AgentSpec, agent_spec
from planner.arena.match.fast_matches import check_match
from planner.arena.match.record import MatchRecord
from planner.arena.match.referee import agent_seed, play_match, seeds_of_match
from planner.games.hearthstone.cards.decks import Deck, deck_names, load_deck
from planner.games.hearthstone.hearthstone_game import GAME
from planner.games.hearthstone.match_setup import MatchSetup
from planner.games.hearthstone.rules.ruleset import Ruleset, ruleset_names
from planner.games.hearthstone.turn.hearthstone_weights import Weights
from planner.planning.plan import PlanOptions
from tests.build import effect, power_card
from tests.games.hearthstone.engine.turns import random_weights, with_hard_rules
from tests.matches import IMP, MINIONS, OTHERS

BASELINES = ("random", "greedy")
# The champions search ten times as many states as the others.
SLOW_PROFILES = ("champion", "champion_standard")


class Pairing(NamedTuple):
    """Two agents and what they play with."""

    setup: MatchSetup
    agents: tuple[AgentSpec, AgentSpec]


def random_pairing(rng: Random) -> Pairing:
    """Return shipped or generated decks, shipped or changed rules, and any agents that the engine can play."""
    setup = _shipped_setup(rng) if rng.random() < 0.7 else _generated_setup(rng)
    return Pairing(setup, (_agent(rng, setup), _agent(rng, setup)))


def _shipped_setup(rng: Random) -> MatchSetup:
    rules = Ruleset.of(rng.choice(ruleset_names()))
    return MatchSetup((load_deck(rng.choice(deck_names())), load_deck(rng.choice(deck_names()))), rules)


def _generated_setup(rng: Random) -> MatchSetup:
    """Return small decks of cards that cover most mechanics, and rules that differ from the usual ones."""
    power = power_card(effect("summon", makes=IMP), cost=1)
    cards = [tuple(rng.choices((*MINIONS, *OTHERS), k=rng.randint(1, 20))) for _ in range(2)]
    rules = Ruleset(
        name="generated",
        hero_health=rng.randint(5, 30),
        board_limit=rng.randint(2, 9),
        hand_limit=rng.randint(5, 12),
        mana_start=rng.randint(0, 3),
        starting_hand=(rng.randint(0, 5), rng.randint(0, 5)),
        coin=rng.random() < 0.5,
        mulligan=rng.random() < 0.7,
        draws_per_turn=rng.randint(0, 2),
        fatigue_growth=rng.randint(0, 3),
        turn_limit=rng.randint(1, 40),
    )
    return MatchSetup((Deck("first", "mage", cards[0], power), Deck("second", "priest", cards[1], None)), rules)


def _agent(rng: Random, setup: MatchSetup) -> AgentSpec:
    if rng.random() < 0.25:
        return agent_spec(rng.choice(BASELINES))
    options = PlanOptions(
        formulation=rng.choice(("exact", "exact", "thesis", "thesis_every_minion")), effort=rng.choice((50, 300))
    )
    if rng.random() < 0.4:  # always with a limit: some random weights make turns hard to prove
        weights = replace(random_weights(rng), take_lethal=rng.random() < 0.5, mulligan_cost=rng.randint(0, 5))
        if rng.random() < 0.5:
            weights = with_hard_rules(rng, weights, GAME.start(setup, rng))
        return AgentSpec("generated", weights, options)
    name = rng.choice(Weights.names())
    if name not in SLOW_PROFILES and rng.random() < 0.6:
        options = replace(options, effort=None)
    return replace(agent_spec(name), options=options)


def by_match_runner(pairing: Pairing, seed: int) -> MatchRecord:
    """Play the match with the Python driver."""
    agents = [spec.make(GAME, agent_seed(seed, seat)) for seat, spec in enumerate(pairing.agents)]
    return play_match(agents, pairing.setup, seed, GAME)


def compare_match(seed: int) -> bool:
    """Play a match of a random pairing with both drivers; return whether the engine could play it.

    It declines only matches in which Guo's model needs a solver, or a batch of cards with effects.
    """
    pairing = random_pairing(Random(seed))
    player = GAME.match_player(*pairing)
    assert player is not None
    (played,) = player.play([seeds_of_match(seed, 2)], with_moves=True)
    if played is None:
        assert any(spec.options.formulation.startswith("thesis") for spec in pairing.agents)
        return False
    record = by_match_runner(pairing, seed)
    check_match(played, record)
    decisions = [sum(len(turn.moves) for turn in record.turns if turn.number and turn.seat == seat) for seat in (0, 1)]
    assert list(played.decisions) == decisions
    assert played.turns == sum(turn.number > 0 for turn in record.turns)
    thoughts = [0, 0]
    for turn in record.turns:
        thoughts[turn.seat] += sum(move.thought for move in turn.moves) if turn.number else 0
    histograms = [sum(int(entry.partition(":")[2]) for entry in times[2].split()) for times in played.times]
    assert histograms == thoughts
    return True
