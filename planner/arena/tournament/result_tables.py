"""Write the tables of a finished run.

The same games give the same bytes: measured times are in separate tables.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from pandas.api.types import is_numeric_dtype

from planner.arena.tournament.experiment import Experiment
from planner.arena.tournament.game_result import Result, bin_edges, other_seats, read_histogram, score
from planner.arena.tournament.run_store import PLACES, SUMMARY
from planner.arena.tournament.schedule import UNPAIRED, Fixture, schedule
from planner.errors import PlannerError, file_errors
from planner.formats.atomic_files import replacing, write_bytes
from planner.game import CardList
from planner.games import load_game
from planner.match_options import Adjudication, card_lists, is_adjudicated
from planner.match_options import setup_columns as columns_of_setup
from planner.stats.card_scores import COLUMNS as CARD_COLUMNS
from planner.stats.card_scores import CardScores, use_table
from planner.stats.durations import histogram_percentiles
from planner.stats.games_table import clusters, first_points, matchup_matrix
from planner.stats.intervals import clustered_wilson, mean_interval, wilson
from planner.stats.placings import pairwise_table, places_table, seats_table
from planner.stats.plackett_luce import rate_places
from planner.stats.ratings import rate

CARDS: Final = "cards.csv"
CARD_USE: Final = "card_use.csv"
DECKS: Final = "decks.csv"
SEATS: Final = "seats.csv"  # in games of more than two seats
_DECK_COLUMNS: Final = ("p1_deck", "p2_deck")
_RESUME_HINT: Final = "; --resume writes the tables again"
_CARD_BLOCK: Final = 20_000  # games whose cards are in memory at a time
_ROW_BLOCK: Final = 1 << 15  # games that are rows of Python objects at a time
_ROW_GROUP: Final = 1 << 20  # games in a row group of a Parquet file: the default of the format's own writer
# The columns of table 7.1 of Guo 2025 come first, under Guo's names.
_MATRIX_COLUMNS: Final = (
    "p1_profile", "p2_profile", "p1_wins", "p2_wins", "draws", "avg_turns", "games", "p1_score", "p1_low", "p1_high",
    "turns_low", "turns_high",
)  # fmt: skip


class FinishedGames:
    """The games at these positions with their results, read again from the journal on every iteration."""

    def __init__(self, experiment: Experiment, results: Mapping[int, Result], positions: Sequence[int]) -> None:
        self.games, self.results, self.positions = schedule(experiment), results, positions

    def __iter__(self) -> Iterator[tuple[Fixture, Result]]:
        return ((self.games[position], self.results[position]) for position in self.positions)


def write_tables(folder: Path, experiment: Experiment, results: Mapping[int, Result], positions: Sequence[int]) -> None:
    """Write every table from the games at these positions, in the order of the schedule.

    Only a block of games is in memory at a time, and of all games only the columns that `matrix.csv` needs.
    """
    played = FinishedGames(experiment, results, positions)
    decisions, measures = _decision_table(experiment, played)
    write_csv(folder / "decisions.csv", decisions, "%.9g")
    games = games_schema(experiment, measures)
    with ExitStack() as files:
        tables = [
            (files.enter_context(parquet(folder / "games.parquet", games)), games_row(experiment, measures)),
            (files.enter_context(parquet(folder / "times.parquet", times_schema(experiment))), times_row),
        ]
        for fixture, result in played:
            for table, row in tables:
                table.add(row(fixture, result))
    unused = {"game", "number", "seed", "turns"}
    if experiment.seats != 2 or experiment.adjudication == Adjudication():
        unused.add("reason")
    if experiment.seats <= 2:
        unused.add("pair")
    if experiment.seats > 1:
        unused |= {f"p{seat + 1}_decisions" for seat in range(experiment.seats)} | set(measures)
    columns = [name for name in games.names if name not in unused]
    frame = pq.read_table(folder / "games.parquet", columns=columns).to_pandas()
    if experiment.seats == 1:
        write_csv(folder / SUMMARY, summary(frame, experiment))
        if (use := card_use(experiment, played)) is not None:
            write_csv(folder / CARD_USE, use)
    elif experiment.seats == 2:
        _write_matrix(folder, experiment, frame)
    else:
        _write_places(folder, experiment, frame)
    for name, optional in ((DECKS, deck_matrix(frame)), (CARDS, card_table(experiment, played))):
        if optional is not None:
            write_csv(folder / name, optional)


def _write_matrix(folder: Path, experiment: Experiment, frame: pd.DataFrame) -> None:
    matrix = matchup_matrix(frame, experiment.names).rename(columns={"p1": "p1_profile", "p2": "p2_profile"})
    if "reason" in frame:
        counts = frame[frame["reason"].map(is_adjudicated)].groupby(["p1", "p2"]).size().to_dict()
        pairings = zip(matrix["p1_profile"], matrix["p2_profile"], strict=True)
        matrix["adjudicated"] = [counts.get(pairing, 0) for pairing in pairings]
    others = (column for column in matrix if column not in _MATRIX_COLUMNS)
    write_csv(folder / "matrix.csv", matrix[[*_MATRIX_COLUMNS, *others]])
    if (frame["p1"] != frame["p2"]).any():  # mirror matches alone say nothing about strength
        write_csv(folder / "ratings.csv", rate(frame, experiment.names).table)


def _write_places(folder: Path, experiment: Experiment, frame: pd.DataFrame) -> None:
    """Write the tables of games with more than two seats: who finished ahead of whom, places, seats and ratings."""
    matrix = pairwise_table(frame, experiment.names)
    write_csv(folder / "matrix.csv", matrix)
    write_csv(folder / PLACES, places_table(frame, experiment.names))
    write_csv(folder / SEATS, seats_table(frame, experiment.names))
    if len(matrix):  # an agent alone says nothing about strength
        write_csv(folder / "ratings.csv", rate_places(frame, experiment.names).table)


# -- games and times: one row per game


def games_schema(experiment: Experiment, measures: Iterable[str]) -> pa.Schema:
    """Return the columns of `games.parquet`."""
    seats = [f"p{seat + 1}" for seat in range(experiment.seats)]
    return pa.schema(
        {
            "game": pa.int64(), **dict.fromkeys(seats, pa.string()), "number": pa.int64(),
            **dict.fromkeys(setup_columns(experiment)[0], pa.string()), "seed": pa.uint64(), "pair": pa.int64(),
            "winner": pa.int8(), "reason": pa.string(), "rounds": pa.int32(), "turns": pa.int32(),
            **({f"{seat}_place": pa.int8() for seat in seats} if len(seats) > 2 else {}),
            **({f"{seat}_forfeit": pa.string() for seat in seats} if len(seats) > 2 else {}),
            **{f"{seat}_decisions": pa.int32() for seat in seats}, **dict.fromkeys(measures, pa.float64()),
        }
    )  # fmt: skip


def games_row(experiment: Experiment, measures: Iterable[str]) -> Callable[[Fixture, Result], tuple[Any, ...]]:
    """Return the function that makes a row of `games.parquet`."""
    names, setups = experiment.names, [tuple(columns.values()) for columns in setup_columns(experiment)]
    no_forfeits = ("",) * experiment.seats if experiment.seats > 2 else ()

    def row(fixture: Fixture, result: Result) -> tuple[Any, ...]:
        return (
            fixture.position, *(names[agent] for agent in fixture.agents), fixture.number, *setups[fixture.setup],
            fixture.seed, fixture.pair, result.winner, result.reason, result.rounds, result.turns, *result.places,
            *(result.forfeits or no_forfeits), *result.decisions,
            *(result.measures.get(key) for key in measures),
        )  # fmt: skip

    return row


def setup_columns(experiment: Experiment) -> list[Mapping[str, str]]:
    """Return the columns that describe each setup."""
    game = load_game(experiment.game, experiment.folders)
    return [columns_of_setup(game, setup) for setup in experiment.setups]


def times_schema(experiment: Experiment) -> pa.Schema:
    """Return the columns of `times.parquet`: how long each game took, and how long each agent thought."""
    seats = [f"p{seat + 1}" for seat in range(experiment.seats)]
    columns = ("seconds", *(f"{seat}_seconds" for seat in seats), *(f"{seat}_slowest" for seat in seats))
    return pa.schema({"game": pa.int64(), **dict.fromkeys(columns, pa.float64())})


def times_row(fixture: Fixture, result: Result) -> tuple[Any, ...]:
    """Return a row of `times.parquet`."""
    return fixture.position, result.seconds, *(t.seconds for t in result.times), *(t.slowest for t in result.times)


def summary(frame: pd.DataFrame, experiment: Experiment) -> pd.DataFrame:
    """Return, for games of one seat, the share of games won and the means of all measures, per setup and agent."""
    keys = [*setup_columns(experiment)[0], "p1"]
    first = [*frame.columns].index("p1_decisions")
    measures = ["rounds", *frame.columns[first:]]
    rows: list[dict[str, Any]] = []
    for group_keys, group in frame.groupby(keys, sort=False):
        won, games = int((group["winner"] == 0).sum()), len(group)
        share, low, high = wilson(won, games)
        row = dict(zip(keys, group_keys, strict=True))
        row |= {"games": games, "won": won, "score": share, "low": low, "high": high}
        for column in measures:  # a game that an agent lost together with its process has no measures
            row[f"mean_{column}"], row[f"{column}_low"], row[f"{column}_high"] = mean_interval(group[column].dropna())
        rows.append(row)
    return pd.DataFrame(rows).rename(columns={"p1": "agent"})


def _decision_table(experiment: Experiment, played: FinishedGames) -> tuple[pd.DataFrame, list[str]]:
    """Return one row per agent (decisions, how many took thought, their times) and the names of all measures."""
    edges = np.asarray(bin_edges())
    edges[-1] = 10 * edges[-2]
    counts = np.zeros((len(experiment.agents), len(edges) - 1))
    seconds, slowest = np.zeros(len(counts)), np.zeros(len(counts))
    decisions, fallbacks, has_model = [0] * len(counts), [0] * len(counts), False
    measures: dict[str, None] = {}
    for fixture, result in played:
        measures |= dict.fromkeys(result.measures)
        has_model = has_model or bool(result.fallbacks)
        for agent, count in zip(fixture.agents, result.fallbacks, strict=False):  # empty without a language model
            fallbacks[agent] += count
        for agent, count, times in zip(fixture.agents, result.decisions, result.times, strict=True):
            decisions[agent] += count
            seconds[agent] += times.seconds
            slowest[agent] = max(slowest[agent], times.slowest)
            for number, in_bin in read_histogram(times.histogram):
                counts[agent, number] += in_bin
    rows: list[dict[str, Any]] = []
    for agent, name in enumerate(experiment.names):
        total = counts[agent].sum()
        percentiles = histogram_percentiles(edges, counts[agent], slowest[agent])
        # Unlike the percentiles, the mean is known exactly.
        mean = seconds[agent] / total if total else math.nan
        exact: dict[str, Any] = {"decisions": decisions[agent], "thought": int(total), "mean": mean}
        if has_model:
            exact["fallbacks"] = fallbacks[agent]
        rows.append({"agent": name, **exact, **{key: percentiles[key] for key in percentiles if key not in exact}})
    return pd.DataFrame(rows), list(measures)


# -- cards and decks


class _DeckSamples:
    """The cards of one deck: a sample for each seat that had the deck in a game, buffered until the next count."""

    def __init__(self, deck: CardList) -> None:
        self.deck, self.scores = deck, CardScores(deck.cards)
        self.used: list[str] = []
        self.samples: list[tuple[float, int, int]] = []  # points, game, cluster

    def count(self) -> None:
        """Count the buffered samples."""
        if self.used:
            stages = np.frombuffer("".join(self.used).encode(), np.uint8).reshape(len(self.used), -1) - ord("0")
            points, games, cluster = zip(*self.samples, strict=True)
            self.scores.add(stages, np.array(points), np.array(games, np.int64), np.array(cluster, np.int64))
            self.used.clear()
            self.samples.clear()


def card_table(experiment: Experiment, played: Iterable[tuple[Fixture, Result]]) -> pd.DataFrame | None:
    """Return one row per deck and card, or None if the game has no cards or nothing is known about them."""
    game = load_game(experiment.game, experiment.folders)
    lists = [card_lists(game, setup) for setup in experiment.setups]
    decks: dict[CardList, _DeckSamples] = {}
    in_block = last_number = 0
    for fixture, result in played:
        # The games of a pair must be counted together. They are in one round, or in two of which the first is even.
        if in_block >= _CARD_BLOCK and fixture.number != last_number and fixture.number % 2 == 0:
            in_block = 0
            for deck in decks.values():
                deck.count()
        in_block, last_number = in_block + 1, fixture.number
        # Pairs are numbered from 0, so an unpaired game gets a number that no pair has.
        cluster = fixture.pair if fixture.pair != UNPAIRED else -1 - fixture.position
        for seat, (cards, used) in enumerate(zip(lists[fixture.setup], result.cards, strict=False)):
            deck = decks.setdefault(cards, _DeckSamples(cards))
            points = score(result, seat, other_seats(seat, experiment.seats))
            deck.used.append(used)
            deck.samples.append((points, fixture.position, cluster))
    tables = []
    for deck in decks.values():
        deck.count()
        table = deck.scores.table()
        table.insert(0, "deck", deck.deck.name)
        tables.append(table)
    return pd.concat(tables, ignore_index=True) if tables else None


def card_use(experiment: Experiment, played: Iterable[tuple[Fixture, Result]]) -> pd.DataFrame | None:
    """Return, for games of one seat, how often each agent played each card and each pair of cards of each deck."""
    game = load_game(experiment.game, experiment.folders)
    lists = [card_lists(game, setup) for setup in experiment.setups]
    samples: dict[tuple[CardList, int], list[tuple[str, float]]] = {}
    for fixture, result in played:
        if result.cards and lists[fixture.setup]:
            key = lists[fixture.setup][0], fixture.agents[0]
            samples.setdefault(key, []).append((result.cards[0], score(result, 0, [])))
    tables = []
    for (deck, agent), games in samples.items():
        stages = np.array([list(used.encode()) for used, _ in games], np.uint8) - ord("0")
        table = use_table(deck.cards, stages, np.array([points for _, points in games]))
        table.insert(0, "deck", deck.name)
        table.insert(1, "agent", experiment.names[agent])
        tables.append(table)
    return pd.concat(tables, ignore_index=True) if tables else None


def deck_matrix(games: pd.DataFrame) -> pd.DataFrame | None:
    """Return one row per pair of decks, or None if no two different decks met in several combinations."""
    first, second = _DECK_COLUMNS
    if not set(_DECK_COLUMNS) <= set(games) or "p3" in games or (games[first] == games[second]).all():
        return None
    order = list(dict.fromkeys([*games[first].unique(), *games[second].unique()]))
    if len(order) == 2 and len(games[[*_DECK_COLUMNS]].drop_duplicates()) == 1:
        return None  # each seat always has the same deck: the scores of the seats say the same
    matrix = matchup_matrix(games.assign(p1=games[first], p2=games[second]), order)
    return matrix.rename(columns={"p1": first, "p2": second})


def deck_scores(games: pd.DataFrame) -> pd.DataFrame:
    """Return each deck's score against other decks from either seat, best first: deck, games, score, low, high."""
    games = games[games[_DECK_COLUMNS[0]] != games[_DECK_COLUMNS[1]]]
    points, keys = first_points(games), clusters(games)
    rows = []
    for deck in dict.fromkeys([*games[_DECK_COLUMNS[0]].unique(), *games[_DECK_COLUMNS[1]].unique()]):
        first, second = (games[column].to_numpy() == deck for column in _DECK_COLUMNS)
        own = np.where(first, points, 1 - points)[first | second]
        rows.append((deck, len(own), *clustered_wilson(own, np.unique(keys[first | second], return_inverse=True)[1])))
    table = pd.DataFrame(rows, columns=["deck", "games", "score", "low", "high"])
    return table.sort_values(["score", "deck"], ascending=[False, True], ignore_index=True)


# -- files


class ParquetRows:
    """A Parquet file that grows row by row."""

    def __init__(self, writer: pq.ParquetWriter, schema: pa.Schema) -> None:
        self.writer, self.schema = writer, schema
        self.rows: list[tuple[Any, ...]] = []
        self.blocks: list[pa.Table] = []

    def add(self, row: tuple[Any, ...]) -> None:
        """Append a row."""
        self.rows.append(row)
        if len(self.rows) == _ROW_BLOCK:
            self._pack()
            if len(self.blocks) == _ROW_GROUP // _ROW_BLOCK:
                self._write()

    def close(self) -> None:
        """Write the remaining rows."""
        if self.rows:
            self._pack()
        if self.blocks:
            self._write()

    def _pack(self) -> None:
        columns = zip(*self.rows, strict=True)
        arrays = [pa.array(column, kind) for column, kind in zip(columns, self.schema.types, strict=True)]
        self.blocks.append(pa.table(arrays, self.schema))
        self.rows = []

    def _write(self) -> None:
        # In one piece: the bytes must not depend on the size of our blocks.
        self.writer.write_table(pa.concat_tables(self.blocks).combine_chunks())
        self.blocks = []


@contextmanager
def parquet(path: Path, schema: pa.Schema) -> Iterator[ParquetRows]:
    """Open a Parquet file that appears at `path` when all its rows are written."""
    with (
        file_errors(path, _RESUME_HINT),
        replacing(path) as file,
        pq.ParquetWriter(file, schema, compression="zstd") as writer,
    ):
        rows = ParquetRows(writer, schema)
        yield rows
        rows.close()


def write_csv(path: Path, frame: pd.DataFrame, numbers: str = "%.4f") -> None:
    """Write a CSV file. Numbers are rounded: the last digits of an iteration may differ between machines."""
    with file_errors(path, _RESUME_HINT):
        write_bytes(path, frame.to_csv(index=False, float_format=numbers, lineterminator="\n").encode())


def read_summary(folder: Path) -> pd.DataFrame:
    """Read the summary of a run of one seat."""
    return read_table(folder / SUMMARY, required=("agent", "games", "score", "low", "high"))


def read_ratings(folder: Path) -> pd.DataFrame:
    """Read the ratings of a run."""
    return read_table(folder / "ratings.csv", ["agent"], ("elo", "low", "high", "games", "score"))


def read_cards(folder: Path) -> pd.DataFrame:
    """Read the scores of cards of a run."""
    return read_table(folder / CARDS, ["deck", "card"], CARD_COLUMNS)


def read_table(path: Path, texts: Sequence[str] | None = None, required: Iterable[str] = ()) -> pd.DataFrame:
    """Read a table that a run wrote, CSV or Parquet.

    With `texts`, these columns must be there and hold text, and all others numbers. `required` must be there as well.
    """
    try:
        table = pd.read_parquet(path) if path.suffix == ".parquet" else pd.read_csv(path)
    except FileNotFoundError:
        raise PlannerError(f"{path}: no such file; `planner tournament EXPERIMENT --resume` writes it again") from None
    except (OSError, ValueError, pa.ArrowException) as error:
        reason = " ".join((str(error) or type(error).__name__).split())
        raise PlannerError(f"{path}: cannot be read: {reason[:150]}") from None
    if missing := [column for column in (*(texts or ()), *required) if column not in table]:
        raise PlannerError(f"{path}: missing column {', '.join(missing)}")
    if texts is not None:
        table = table.assign(**{column: table[column].fillna("").astype(str) for column in texts})
        for column in table.columns.difference([*texts]):
            if len(table) and not is_numeric_dtype(table[column]):
                raise PlannerError(f"{path}: {column}: must be a column of numbers")
    return table
