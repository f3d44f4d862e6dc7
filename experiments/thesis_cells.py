"""Play the 49 pairings of Guo (2025) in the compiled engine, under printed execution, and compare with table 7.1."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np
from scipy.stats import spearmanr

from planner.arena.match.referee import derive_seed
from planner.arena.report.tournament_results import guo_table
from planner.bench.benchmark_positions import GUO_PROFILES as PROFILES
from planner.errors import PlannerError
from planner.games.hearthstone.cards.decks import Deck, load_deck
from planner.games.hearthstone.rules.match_flow import start_match
from planner.games.hearthstone.rules.ruleset import Ruleset
from planner.games.hearthstone.turn import native
from planner.games.hearthstone.turn.hearthstone_weights import Weights
from planner.games.hearthstone.turn.thesis_program import READINGS, ThesisReading

CELLS = tuple((first, second) for first in range(len(PROFILES)) for second in range(len(PROFILES)))
PRINTED = READINGS["thesis"]._replace(most_actions=True)  # the tie-break under printed execution
EVERY_MINION = READINGS["thesis_every_minion"]._replace(most_actions=True)
WEIGHTS = tuple(Weights.of(name) for name in PROFILES)
DECKS = Path(__file__).parent / "decks"
Decks = tuple[Deck, Deck]


class Table(NamedTuple):
    """Results by cell: the first player's wins in percent, and the average number of rounds."""

    wins: np.ndarray
    rounds: np.ndarray
    several_optima: float = 0.0  # the share of turns


class Distance(NamedTuple):
    """How far a table is from table 7.1."""

    wins: float  # mean absolute difference, in points
    rounds: float  # mean absolute difference
    wins_rank: float
    rounds_rank: float
    mean_rounds: float  # ours minus the printed mean

    def __str__(self) -> str:
        return (
            f"{self.wins:.2f} points, rounds {self.rounds:.2f} ({self.mean_rounds:+.2f}), "
            f"rank correlations {self.wins_rank:.3f} and {self.rounds_rank:.3f}"
        )


def say(line: str) -> None:
    """Print a line at once, also into a file."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def printed_table() -> Table:
    """Return table 7.1."""
    rows = guo_table().set_index(["p1_profile", "p2_profile"])
    cells = [rows.loc[(PROFILES[first], PROFILES[second])] for first, second in CELLS]
    return Table(np.array([cell["p1_wins"] / 10 for cell in cells]), np.array([cell["avg_turns"] for cell in cells]))


def thesis_decks(kind: str = "") -> Decks:
    """Return the two decks of this kind: `fitted`, `blind`, or those that were chosen by hand."""
    first, second = ("paladin", "warrior")
    if kind:
        return load_deck(DECKS / f"{kind}_{first}.yaml"), load_deck(DECKS / f"{kind}_{second}.yaml")
    return load_deck(f"thesis_{first}"), load_deck(f"thesis_{second}")


def play_deal(
    decks: Decks,
    seed: int,
    reading: ThesisReading = PRINTED,
    *,
    rules: Ruleset | None = None,
    cells: Sequence[int] = range(len(CELLS)),
    skip_dead: bool = False,
    count_optima: bool = False,
) -> list[native.ThesisMatch]:
    """Play one game for each of these cells, all with the same deal."""
    deal = start_match(decks, rules or Ruleset.of("thesis_printed"), Random(seed))
    pairings = [(WEIGHTS[CELLS[cell][0]], WEIGHTS[CELLS[cell][1]]) for cell in cells]
    matches = native.thesis_matches(deal, pairings, reading, skip_dead=skip_dead, count_optima=count_optima)
    if matches is None:
        raise PlannerError("this study needs the compiled engine: make engine")
    played = [match for match in matches if match is not None]
    if len(played) < len(matches):
        raise PlannerError(f"deal {seed}: the engine cannot solve one of the turns")
    return played


def scores(matches: Sequence[native.ThesisMatch]) -> list[float]:
    """Return the first player's score in each match: 1 for a win, 0.5 for a draw."""
    return [1.0 if match.winner == 0 else 0.5 if match.winner < 0 else 0.0 for match in matches]


def play_table(
    decks: Decks,
    games: int,
    seed: int,
    reading: ThesisReading = PRINTED,
    *,
    rules: Ruleset | None = None,
    cells: Sequence[int] = range(len(CELLS)),
    skip_dead: bool = False,
    count_optima: bool = False,
) -> Table:
    """Play this many games for each of these cells. Every cell gets the same deals."""
    wins, rounds = np.zeros(len(cells)), np.zeros(len(cells))
    turns = several = 0
    for game in range(games):
        matches = play_deal(
            decks, derive_seed(seed, "deal", game), reading,
            rules=rules, cells=cells, skip_dead=skip_dead, count_optima=count_optima,
        )  # fmt: skip
        wins += scores(matches)
        rounds += [match.rounds for match in matches]
        turns += sum(match.turns for match in matches)
        several += sum(match.several_optima for match in matches)
    return Table(100 * wins / games, rounds / games, several / turns)


def distance(table: Table, cells: Sequence[int] = range(len(CELLS)), printed: Table | None = None) -> Distance:
    """Compare a table of these cells with the same cells of table 7.1."""
    printed = printed or printed_table()
    wins, rounds = printed.wins[list(cells)], printed.rounds[list(cells)]
    return Distance(
        float(np.abs(table.wins - wins).mean()),
        float(np.abs(table.rounds - rounds).mean()),
        float(spearmanr(table.wins, wins).statistic),
        float(spearmanr(table.rounds, rounds).statistic),
        float(table.rounds.mean() - rounds.mean()),
    )
