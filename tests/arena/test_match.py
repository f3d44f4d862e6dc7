"""A match is decided by its seed, is fair to both agents, and an agent that breaks the rules loses."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from planner.arena.match import referee as arena_match
from planner.arena.match.record import MatchRecord
from planner.arena.match.referee import agent_seed, derive_seed, play_match
from planner.games.hearthstone.cards.card import HIDDEN
from planner.games.hearthstone.match_setup import MatchSetup
from planner.games.hearthstone.rules.actions import Action, Attack, EndTurn, Mulligan, Play
from planner.games.hearthstone.rules.ruleset import Ruleset
from planner.games.hearthstone.rules.state import GameState
from tests.arena.helpers import THESIS, BadMulligan, Hostile, Passive, decks, play, raises

PROGRAM = "import json; from tests.arena.helpers import play; print(json.dumps(play().to_dict(seconds=False)))"


def test_same_seed_gives_the_same_match_in_every_process() -> None:
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            stdout=subprocess.PIPE,
            text=True,
        )
        for hash_seed in ("0", "4711")
    ]
    here = json.dumps(play().to_dict(seconds=False))
    for process in processes:
        there, _ = process.communicate(timeout=100)
        assert there.strip() == here


def test_other_seeds_give_other_matches() -> None:
    starts = {play_match(("random", "random"), MatchSetup(decks(), THESIS), seed).initial for seed in range(5)}
    assert len(starts) == 5
    assert len({agent_seed(7, 0), agent_seed(7, 1), agent_seed(8, 0), derive_seed(7, "chance")}) == 4


def test_derived_seeds_never_change() -> None:
    assert derive_seed(7, "agent", 0) == 0xF116EFF813F1DB6B  # a changed one would change every published result


def test_record_contains_the_complete_match() -> None:
    record = play()
    assert record.agents == ("greedy", "random")
    assert record.setup.decks == decks()
    assert [turn.number for turn in record.turns] == [0, *range(len(record.turns) - 1)]
    assert [turn.seat for turn in record.turns] == [number % 2 for number in range(len(record.turns))]
    assert all(isinstance(turn.moves[0].action, Mulligan) and len(turn.moves) == 1 for turn in record.turns[:2])
    for turn in record.turns[2:-1]:
        assert turn.moves[-1].action == EndTurn()
    assert all(move.seconds > 0 for turn in record.turns for move in turn.moves)
    assert record.rounds == (record.turns[-1].number + 1) // 2
    assert record.outcome.winner in (0, 1)


def test_log_round_trip() -> None:
    record = play()
    text = json.dumps(record.to_dict())
    again = MatchRecord.from_dict(json.loads(text))
    assert again.initial == record.initial
    assert json.dumps(again.to_dict()) == text
    assert "seconds" not in json.dumps(record.to_dict(seconds=False))


def test_log_needs_digests() -> None:
    record = play_match(("random", "random"), MatchSetup(decks(), THESIS), 1)
    assert record.turns[0].number == 1  # these rules have no mulligan
    with pytest.raises(ValueError, match="digests"):
        record.to_dict()


def test_agents_see_only_what_a_player_sees() -> None:
    seen: list[GameState] = []

    class Spy(Passive):
        def decide(self, state: GameState) -> Action:
            seen.append(state)
            return super().decide(state)

    record = play(Spy(), Spy())
    assert record.outcome.reason == "fatigue"
    for state in seen:
        assert state.me.hand or state.turn > 0
        assert all(held.card != HIDDEN for held in state.me.hand)
        assert all(held.card == HIDDEN for held in (*state.enemy.hand, *state.me.deck, *state.enemy.deck))
    assert [state.seat for state in seen[:2]] == [0, 1]
    assert len(seen[1].me.hand) == 4  # the second player's own hand, not the first one's


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize(
    ("misbehaviour", "reason"),
    [
        (raises(ZeroDivisionError("oh\nno")), "crash: ZeroDivisionError: oh no"),
        (raises(RecursionError()), "crash: RecursionError"),
        (lambda state: Attack("me.hero", "enemy.hero"), "illegal action: your hero has no attack"),
        (lambda state: Play("nothing"), "illegal action: nothing is not in your hand"),
        (lambda state: Play(["unhashable"]), "illegal action: ['unhashable'] is not in your hand"),
        (lambda state: None, "illegal action: null is not an action"),
        (lambda state: "end", "illegal action: 'end' is not an action"),
        (lambda state: state._replace(turn=99), "illegal action: "),
    ],
)
def test_hostile_agents_lose(misbehaviour: Any, reason: str, seat: int) -> None:
    agents: list[Any] = [Passive(), Passive()]
    agents[seat] = Hostile(misbehaviour)
    record = play(*agents)
    assert record.outcome.winner == 1 - seat
    assert record.outcome.reason.startswith(reason)
    assert "\n" not in record.outcome.reason
    assert record.turns[-1] == arena_match.RecordedTurn(3 + seat, seat, ())


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize(
    ("misbehaviour", "reason"),
    [
        (raises(ValueError("no")), "crash: ValueError: no"),
        (lambda state: None, "illegal action: null is not an action"),
        (lambda state: EndTurn(), "illegal action: the match has not begun: the mulligan comes first"),
        (lambda state: Mulligan((7,)), "illegal action: mulligan: must be a list of ids, got (7,)"),
        (lambda state: Mulligan(("p9.9",)), "illegal action: mulligan: p9.9 is not in the starting hand of player"),
        (lambda state: Mulligan((state.enemy.hand[0].id,)), "illegal action: mulligan: enemy.hand.0 is not in"),
    ],
)
def test_hostile_mulligans_lose(misbehaviour: Any, reason: str, seat: int) -> None:
    agents: list[Any] = [Passive(), Passive()]
    agents[seat] = BadMulligan(misbehaviour)
    record = play(*agents)
    assert record.outcome.winner == 1 - seat
    assert record.outcome.reason.startswith(reason)
    assert record.turns[-1] == arena_match.RecordedTurn(0, seat, ())
    assert record.rounds == 0


def test_agent_cannot_change_the_state() -> None:
    def tamper(state: GameState) -> Any:
        state.me.hero.health = 1000  # type: ignore[misc]

    assert play(Hostile(tamper), Passive()).outcome.reason.startswith("crash: AttributeError")


def test_endless_turn_loses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arena_match, "MAX_TURN_ACTIONS", 0)
    assert play("random", "random").outcome.reason == "illegal action: no end of the turn after 0 actions"


def test_turn_limit_is_a_draw() -> None:
    record = play_match((Passive(), Passive()), MatchSetup(decks(), Ruleset(turn_limit=9)), 1)
    assert (record.outcome.winner, record.outcome.reason) == (None, "turn limit")
    assert (record.turns[-1].number, record.rounds) == (9, 5)


def test_keyboard_interrupt_is_not_a_forfeit() -> None:
    with pytest.raises(KeyboardInterrupt):
        play(Hostile(raises(KeyboardInterrupt())), Passive())
