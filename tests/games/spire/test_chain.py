"""Chains of battles: health carries over, the deck grows by the chosen rewards, and a lost battle ends the chain."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from planner.agents.agent_spec import FirstAgent
from planner.cli import main
from planner.errors import PlannerError
from planner.games.spire.battle_agents import LookAheadAgent
from planner.games.spire.battle_chain import CHOOSERS, Chain, Start, chain_from_json, play_chain, read_chain
from planner.games.spire.battle_state import Battle
from planner.games.spire.spire_game import GAME

EASY: dict[str, Any] = {
    "deck": {"Strike": 5, "Defend": 4, "Bash": 1}, "battles": [["Goblin"], ["Acid Slime"], ["Spike Slime"]],
    "rewards": ["Cleave", "Suffer", "Anger", "Bomb"], "choices": 2,
}  # fmt: skip


class Watcher(FirstAgent):
    """Plays like `first` and records the first state of each battle."""

    def __init__(self, rng: Random, starts: list[Battle]) -> None:
        super().__init__(GAME, rng)
        self.starts, self.new = starts, True

    def decide(self, state: Battle) -> Any:
        if self.new:
            self.starts.append(state)
            self.new = False
        return super().decide(state)


def watched(chain: Chain, chooser: str, seed: int = 1) -> tuple[Any, list[Battle]]:
    starts: list[Battle] = []
    return play_chain(chain, lambda s: Watcher(Random(s), starts), CHOOSERS[chooser], seed), starts


def cards(state: Battle) -> list[str]:
    return sorted(card.title for pile in (state.hand, state.draw, state.discard) for card in pile)


def test_health_and_deck_carry_over() -> None:
    result, starts = watched(chain_from_json(EASY), "first")
    assert result.won == 3
    assert [state.health for state in starts] == [80, *result.health[:2]]
    assert [state.max_health for state in starts] == [80, 80, 80]
    assert result.health[0] < 80
    assert cards(starts[2]) == sorted(("Strike",) * 5 + ("Defend",) * 4 + ("Bash",) + result.taken)
    assert set(result.taken) <= set(EASY["rewards"])
    assert len(result.taken) == 2  # none after the last battle


def test_healing_stops_at_the_maximum() -> None:
    plain, _ = watched(chain_from_json(EASY), "none")
    healed, _ = watched(chain_from_json({**EASY, "heal": 3}), "none")
    assert healed.health[0] == plain.health[0] + 3
    full, _ = watched(chain_from_json({**EASY, "heal": 500}), "none")
    assert full.health == (80, 80, 80)
    assert plain.taken == (None, None)


def test_lost_battle_ends_the_chain() -> None:
    chain = chain_from_json(
        {**EASY, "health": 12, "battles": [["Spike Slime"], ["Hobgoblin", "Hobgoblin"], ["Goblin"]]}
    )
    result, starts = watched(chain, "first")
    assert (result.won, result.health[-1], len(starts)) == (1, 0, 2)


def test_seed_decides_everything() -> None:
    chain = read_chain("act")
    play = [play_chain(chain, lambda s: LookAheadAgent(Random(s)), CHOOSERS["random"], seed) for seed in (1, 1, 2)]
    assert play[0] == play[1] != play[2]


def test_measured_reward_is_the_one_that_helps() -> None:
    library = {"cards": {
        "Blessing": {"cost": 0, "type": "skill", "does": [{"do": "block", "amount": 40, "to": "self"}]},
        "Wound": {"cost": 9, "type": "skill", "does": [{"do": "damage", "amount": 5, "to": "self"}]},
    }}  # fmt: skip
    offered = []

    def choose(start: Start, deck: Any, cards: Any, rng: Random) -> str | None:
        offered.append(tuple(cards))
        return CHOOSERS["measured"](start, deck, cards, rng)

    chain = chain_from_json({**EASY, "rewards": ["Wound", "Blessing"], "library": library, "battles": [["Goblin"]] * 3})
    result = play_chain(chain, lambda s: FirstAgent(GAME, Random(s)), choose, 3)
    assert result.taken == ("Blessing", "Blessing")
    assert all(sorted(cards) == ["Blessing", "Wound"] for cards in offered)
    only_bad = chain_from_json({**EASY, "rewards": ["Wound"], "library": library, "battles": [["Goblin"]] * 2})
    assert play_chain(only_bad, lambda s: FirstAgent(GAME, Random(s)), CHOOSERS["measured"], 3).taken == (None,)


def test_measured_reward_may_be_a_card_that_heals() -> None:
    library = {"cards": {"Bandage": {"cost": 0, "type": "skill", "does": [{"do": "heal", "amount": 10, "to": "self"}]}}}
    chain = chain_from_json(
        {**EASY, "rewards": ["Bandage"], "choices": 1, "library": library, "battles": [["Hobgoblin"], ["Goblin"]]}
    )
    result = play_chain(chain, lambda s: FirstAgent(GAME, Random(s)), CHOOSERS["measured"], 3)
    assert result.health[0] < 80
    assert result.taken == ("Bandage",)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"battles": []}, "battles: must have between 1 and 100 items, got 0"),
        ({"battles": [["Gobblin"]]}, r"chain.battles\[0\]\[0\]: must be one of .* got 'Gobblin'; did you mean 'Goblin'\?"),
        ({"rewards": ["Strik"]}, "'Strik' is not a card; did you mean 'Strike'"),
        ({"deck": {"Strike": 0}}, "deck.Strike: must be between 1 and 1000, got 0"),
        ({"reward": []}, "unknown field 'reward'; did you mean 'rewards'"),
        ({"heal": -1}, "heal: must be between 0 and 9999, got -1"),
    ],
)  # fmt: skip
def test_invalid_chain_is_an_error_of_one_line(change: dict[str, Any], message: str) -> None:
    with pytest.raises(PlannerError, match=message) as caught:
        chain_from_json({**EASY, **change})
    assert "\n" not in str(caught.value)


def test_run_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "own.yaml").write_text(
        "deck: [Strike, Strike, Defend]\nbattles: [[Spike Slime], [Acid Slime]]\n", "utf-8"
    )
    assert (
        main(["run", str(tmp_path / "own.yaml"), "--agents", "first, random", "--rewards", "none", "--runs", "2"]) == 0
    )
    shown = capsys.readouterr().out
    assert "2 battles, 2 runs of each row" in shown
    assert "first" in shown
    assert main(["run", "akt"]) == 2
    assert "'akt' is not a chain; did you mean 'act'?" in capsys.readouterr().err
    assert main(["run", "act", "--rewards", "measurd"]) == 2
    assert "did you mean 'measured'?" in capsys.readouterr().err
