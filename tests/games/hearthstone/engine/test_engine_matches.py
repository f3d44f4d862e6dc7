"""Whole matches by the engine: the same as those of the match runner, move by move."""

from __future__ import annotations

import struct
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from planner.agents.agent_spec import AgentSpec, agent_spec
from planner.arena.match.fast_matches import MatchDifferenceError, check_match
from planner.arena.match.referee import agent_seed, play_match, seeds_of_match
from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.cards.catalogue import standard
from planner.games.hearthstone.cards.decks import Deck
from planner.games.hearthstone.engine import available
from planner.games.hearthstone.engine.referee import AUDIT
from planner.games.hearthstone.hearthstone_game import GAME
from planner.games.hearthstone.match_setup import MatchSetup
from planner.games.hearthstone.rules.ruleset import Ruleset
from planner.planning.capabilities import PlayedMatch
from planner.planning.plan import AheadOptions, PlanOptions
from tests.games.hearthstone.engine.both_drivers import Pairing, by_match_runner, compare_match, random_pairing

pytestmark = pytest.mark.skipif(not available(), reason="the engine is not compiled")

RANDOM = agent_spec("random")


def class_decks() -> MatchSetup:
    return MatchSetup.of("mage", "warrior")


def play(pairing: Pairing, seed: int, **options: Any) -> PlayedMatch:
    player = GAME.match_player(*pairing)
    assert player is not None
    (played,) = player.play([seeds_of_match(seed, 2)], **options)
    assert played is not None
    return played


@pytest.fixture
def rare_audit_of_actions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other tests compare the rules of both languages action by action."""
    monkeypatch.setattr(AUDIT, "every", 100)


@pytest.mark.usefixtures("rare_audit_of_actions")
@pytest.mark.parametrize("part", range(5))
def test_both_drivers_play_the_same_matches(part: int) -> None:
    """Every deck, profile, ruleset and formulation; generated decks, rules and weights; hard rules; effort limits."""
    assert sum(compare_match(seed) for seed in range(150 * part, 150 * (part + 1))) >= 90


def test_a_batch_plays_no_card_that_may_need_a_choice() -> None:
    """Guo's model chooses a magnetic minion while a mech is on the board."""
    cards = [standard()[name] for name in ("Annoy-o-Module", "Shielded Minibot")] * 10
    decks = Deck("first", "mage", tuple(cards), None), Deck("second", "mage", tuple(cards), None)
    guo = replace(agent_spec("aggro_face"), options=PlanOptions(formulation="thesis"))
    pairing = Pairing(MatchSetup(decks, Ruleset.of("thesis_printed")), (guo, guo))
    for seed in range(5):
        check_match(play(pairing, seed, with_moves=True), by_match_runner(pairing, seed))


@pytest.mark.long
@pytest.mark.usefixtures("rare_audit_of_actions")
@pytest.mark.parametrize("part", range(30))
def test_both_drivers_play_the_same_matches_at_length(part: int) -> None:
    begin = 10_000 + 1000 * part
    assert sum(compare_match(seed) for seed in range(begin, begin + 1000)) >= 600


def test_a_match_does_not_depend_on_the_matches_before_it() -> None:
    pairing = random_pairing(Random(3))
    player = GAME.match_player(*pairing)
    assert player is not None
    seeds = [seeds_of_match(seed, 2) for seed in range(20)]
    batch = player.play(seeds, with_moves=True)
    alone = [player.play([seed], with_moves=True)[0] for seed in reversed(seeds)]
    assert [match and match.moves for match in batch] == [match and match.moves for match in reversed(alone)]


@pytest.mark.parametrize("seed", [0, 1, 2**32 - 1, 2**32, 2**64 - 1])
def test_random_numbers_are_those_of_python(seed: int) -> None:
    """A seed of one or two 32-bit words decides the deal, the mulligan, the agents and chance events."""
    setup = class_decks()
    player = GAME.match_player(setup, [RANDOM, RANDOM])
    assert player is not None
    (played,) = player.play([(seed, seed, seed, seed)], with_moves=True)
    assert played is not None
    assert played.moves is not None
    chance, agents = Random(seed), (Random(seed), Random(seed))
    state = GAME.start(setup, Random(seed))
    for turn in played.moves:
        for action, _ in turn.moves:
            if turn.number:
                actions = GAME.legal_actions(state)
                assert action == actions[int(agents[turn.seat].random() * len(actions))]
            state = GAME.apply(state, action, chance)
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert outcome.rounds == played.rounds


@pytest.mark.parametrize(
    "agent",
    [
        AgentSpec("tests.arena.rude:Rude"),
        AgentSpec("cmd:./bot"),
        replace(agent_spec("keep_alive"), options=PlanOptions(time_limit=1.0)),
        replace(agent_spec("keep_alive"), options=PlanOptions(solver="highs")),
        replace(agent_spec("keep_alive"), options=PlanOptions(ahead=AheadOptions())),
    ],
    ids=["class", "program", "time limit", "solver", "ahead"],
)
def test_the_match_runner_plays_what_the_engine_does_not_support(agent: AgentSpec) -> None:
    assert GAME.match_player(class_decks(), [agent, RANDOM]) is None
    assert GAME.match_player(class_decks(), [RANDOM, agent]) is None


def test_a_card_whose_text_is_not_known_in_full_is_declined() -> None:
    setup = class_decks()
    unread = replace(setup.decks[0], cards=(Card("Riddle", unread="Does something."), *setup.decks[0].cards))
    assert GAME.match_player(replace(setup, decks=(unread, setup.decks[1])), [RANDOM, RANDOM]) is None


def test_a_decision_over_the_time_limit_is_left_to_the_match_runner() -> None:
    player = GAME.match_player(class_decks(), [RANDOM, RANDOM], move_time=1e-9)
    assert player is not None
    assert player.play([seeds_of_match(1, 2)]) == [None]
    player = GAME.match_player(class_decks(), [RANDOM, RANDOM], game_time=1e-9)
    assert player is not None
    assert player.play([seeds_of_match(1, 2)]) == [None]


def test_moves_are_returned_only_if_asked_for() -> None:
    pairing = Pairing(class_decks(), (RANDOM, RANDOM))
    assert play(pairing, 5).moves is None
    assert play(pairing, 5, with_moves=True).moves


def test_the_heartbeat_counts_every_decision() -> None:
    numbers = bytearray(struct.pack("=QQ", 16 * 40 + 2, 9))
    played = play(Pairing(class_decks(), (RANDOM, RANDOM)), 5, heartbeat=memoryview(numbers).cast("Q"))
    count, turn = struct.unpack("=QQ", numbers)
    assert (count % 16, turn) == (0, 0)  # no seat decides
    assert count // 16 == 40 + 2 * sum(played.decisions) + 1


# -- the audit notices every kind of difference


@pytest.fixture
def pairing() -> Pairing:
    return Pairing(class_decks(), (agent_spec("aggro_face"), agent_spec("greedy")))


def changed(match: PlayedMatch, kind: str) -> PlayedMatch:
    assert match.moves is not None
    turns = list(match.moves)
    if kind == "action":
        turns[4] = turns[4]._replace(moves=turns[4].moves[:-1])
    elif kind == "plan":
        turns[-2] = turns[-2]._replace(moves=[(action, not planned) for action, planned in turns[-2].moves])
    elif kind == "turns":
        turns = turns[:-1]
    elif kind == "winner":
        return match._replace(winner=1 - match.winner)
    elif kind == "rounds":
        return match._replace(rounds=match.rounds + 1)
    elif kind == "cards":
        return match._replace(cards=(match.cards[0], match.cards[1][:-1] + "9"))
    return match._replace(moves=turns)


@pytest.mark.parametrize("kind", ["action", "plan", "turns", "winner", "rounds", "cards"])
def test_the_audit_notices_a_difference(pairing: Pairing, kind: str) -> None:
    played, record = play(pairing, 11, with_moves=True), by_match_runner(pairing, 11)
    check_match(played, record)
    with pytest.raises(MatchDifferenceError, match="with seed 11 differs"):
        check_match(changed(played, kind), record)


def test_the_audit_notices_another_seed(pairing: Pairing) -> None:
    agents = [spec.make(GAME, agent_seed(12, seat)) for seat, spec in enumerate(pairing.agents)]
    with pytest.raises(MatchDifferenceError, match="with seed 12 differs"):
        check_match(play(pairing, 11, with_moves=True), play_match(agents, pairing.setup, 12, GAME))
