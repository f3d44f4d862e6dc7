"""Makes the states that the benchmark plans: `python experiments/record_states.py`. The same decks give the same files.

states/recorded.txt: turns from matches of the thesis's seven profiles, each against each, with its decks and rules.
They are every fourth of all turns in the order of their rounds, so every stage of a match has its true share.
states/crowded.txt: boards of 6 or 7 against 6 or 7 minions, some damaged, with 8 to 10 cards in hand and 10 mana.
"""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random

from planner.agents.planning import PlannerAgent
from planner.arena.bench_states import Position, crowded_state, spread, thesis_decks
from planner.arena.match import play_match
from planner.rules.actions import Action
from planner.rules.ruleset import Ruleset
from planner.rules.state import GameState
from planner.turn.weights import Weights

FOLDER = Path(__file__).parent / "states"
PROFILES = (
    "keep_alive", "board_clear", "aggro_face", "value_trade", "aggro_tempo", "true_balanced", "author_favorite",
)  # fmt: skip
RECORDED, CROWDED = 300, 98  # the latter 14 for each profile


class Recorder(PlannerAgent):
    """A planner that writes down the turns that it is asked to plan, as they begin."""

    def __init__(self, profile: str, seen: list[Position]) -> None:
        super().__init__(profile)
        self.seen = seen

    def decide(self, state: GameState) -> Action:
        """The same as without writing it down."""
        if self._turn != (state.turn, state.seat):
            self.seen.append(Position(self.weights, state))
        return super().decide(state)


def recorded() -> list[Position]:
    rules = Ruleset.of("thesis")
    decks = thesis_decks(rules)
    seen: list[Position] = []
    for seed, (first, second) in enumerate([(a, b) for a in PROFILES for b in PROFILES], start=1):
        play_match((Recorder(first, seen), Recorder(second, seen)), decks, rules, seed)
    seen.sort(key=lambda position: position.state.round)  # stable: within a round in the order of the matches
    return spread(seen, RECORDED)


def crowded() -> list[Position]:
    rules = Ruleset.of("thesis")
    first, second = thesis_decks(rules)
    rng = Random(20261116)
    found = []
    for number in range(CROWDED):
        decks = (first, second) if number % 2 == 0 else (second, first)
        sizes = rng.randint(6, 7), rng.randint(6, 7), rng.randint(8, 10)
        state = crowded_state(rng, decks, rules, *sizes, mana=10)
        found.append(Position(Weights.of(PROFILES[number % len(PROFILES)]), state))
    return found


def main() -> None:
    for name, positions in (("recorded", recorded()), ("crowded", crowded())):
        path = FOLDER / f"{name}.txt"
        path.write_text("".join(f"{position.to_line()}\n" for position in positions), encoding="utf-8")
        sys.stdout.write(f"{path}: {len(positions)} states\n")


if __name__ == "__main__":
    main()
