"""Create the states on which agents are graded: `python experiments/record_grade_states.py`.

states/grade_hearthstone_1.txt: every fifth turn of states/recorded.txt, matches with the decks and rules of Guo (2025).
states/grade_spire_1.txt: turns of battles that the look-ahead agent played.

Grades are comparable only on the same states. Other states need another version number (planner/grading.py).
"""

from __future__ import annotations

from pathlib import Path

from planner.arena.match.referee import play_match
from planner.arena.match.replay import walk_turns
from planner.games import load_game

FOLDER = Path(__file__).parent / "states"
SCENARIOS = ("starter", "batter", "tolerate", "bomb", "suffer")


def main() -> None:
    """Write both files."""
    recorded = (FOLDER / "recorded.txt").read_text(encoding="utf-8").splitlines()
    lines = [line.partition("\t")[2] for line in recorded[::5]]
    (FOLDER / "grade_hearthstone_1.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    spire, lines = load_game("spire"), []
    for scenario in SCENARIOS:
        for seed in range(2):
            record = play_match(["lookahead"], spire.setup_from_words([scenario]), seed, spire)
            lines += [spire.state_to_text(state) for state, _, _ in walk_turns(record)][:4]
    (FOLDER / "grade_spire_1.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
