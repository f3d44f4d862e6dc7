"""Predictions on replays: the experiment of Schwensfeier 2019 (section 4.2), its tables, and the parts of the mixture.

A turn in which a card was played is a success for x if one of its cards is among the x likeliest. Intervals (95 %) are
Wilson's with whole matches as clusters, of which there may be few; those of differences are Student's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from random import Random
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from planner.meta.known_decks import Metagame
from planner.meta.prediction import Mixture, MixtureSettings
from planner.meta.prediction_study import (
    RANKS,
    TURNS,
    Evaluation,
    Fold,
    MakePredictor,
    PlayedSequence,
    csv_text,
    evaluate,
    folds,
    methods,
)
from planner.stats.intervals import Interval, clustered_mean, few_clusters_wilson

TREE: Final = "tree single 0.99"  # the one whose curves Schwensfeier 2019 shows
GENERATED: Final = "generated"
# What chapter 5 and the abstract of Schwensfeier 2019 state for the ten likeliest cards.
DOCUMENT: Final = (
    ("filtered, with hero powers", TREE, 0.40, "chapter 5"),
    ("filtered, with hero powers", "stochastic", 0.20, "abstract: the tree is 20 points better"),
    (GENERATED, TREE, 0.80, "chapter 5"),
    (GENERATED, TREE, 0.90, "abstract"),
    (GENERATED, "stochastic", 0.80, "section 4.2.4: as well as the tree"),
)
# Each part of the mixture, and the settings without it.
PARTS: Final[Mapping[str, Callable[[MixtureSettings], MixtureSettings]]] = {
    "created cards": lambda settings: settings._replace(in_hand=0.0),
    "variants (swapped cards)": lambda settings: settings._replace(swaps=1e-6),
    "similar decks": lambda settings: settings._replace(sources=_without(settings, 1)),
    "the class as a whole": lambda settings: settings._replace(sources=_without(settings, 2)),
    "sources weighted by success": lambda settings: settings._replace(trust=0.0),
    "cards of other classes": lambda settings: settings._replace(kinds=(1.0, 1e-9, 1e-9), kinds_strength=1e9),
    "flattened popularity": lambda settings: settings._replace(popularity=1.0),
}


def _without(settings: MixtureSettings, source: int) -> tuple[float, float, float]:
    first, second, third = (1e-9 if index == source else weight for index, weight in enumerate(settings.sources))
    return first, second, third


class ReplayedPlayer(NamedTuple):
    """One player of a match: the cards by turn, and whether the filter of Schwensfeier 2019 removes them."""

    match: int
    sequence: PlayedSequence
    filtered: bool


class Preparation(NamedTuple):
    """Prepared sequences with the predictions of every method."""

    name: str
    players: Sequence[ReplayedPlayer]  # the fold of an evaluation is an index into them
    evaluations: dict[str, Evaluation]

    def matches(self, evaluation: Evaluation) -> npt.NDArray[np.int64]:
        """Return the match of every row."""
        return np.array([player.match for player in self.players], dtype=np.int64)[evaluation.fold]

    def success(self, method: str, top: int) -> Interval:
        """Return the share of turns in which one of the `top` cards was played."""
        evaluation = self.evaluations[method]
        return few_clusters_wilson(evaluation.rank < top, self.matches(evaluation))

    def repeated(self, method: str, top: int) -> Interval:
        """Return where the share lies for as many other matches."""
        evaluation = self.evaluations[method]
        return few_clusters_wilson(evaluation.rank < top, self.matches(evaluation), repeated=True)

    def difference(self, method: str, other: str, top: int) -> Interval:
        """Return how much larger the share of the first method is; the same turns are compared."""
        first, second = self.evaluations[method], self.evaluations[other]
        gain = (first.rank < top).astype(np.float64) - (second.rank < top)
        return clustered_mean(gain, self.matches(first))

    def of_class(self, player_class: str) -> dict[str, Evaluation]:
        """Return the rows of the players of one class, by method."""
        own = np.array([player.sequence.player_class == player_class for player in self.players])
        return {name: _rows(evaluation, own[evaluation.fold]) for name, evaluation in self.evaluations.items()}


def _rows(evaluation: Evaluation, mask: npt.NDArray[np.bool_]) -> Evaluation:
    """Return some rows; the bins of calibration are those of all rows."""
    columns = {name: getattr(evaluation, name)[mask] for name in ("fold", "turn", "rank", "decks", "cards", "loss")}
    return evaluation._replace(**columns)


class ReplayStudy(NamedTuple):
    """All preparations of the replays, and generated sequences for comparison."""

    preparations: list[Preparation]
    generated: Preparation
    parts: list[Preparation]  # the mixture, and the mixture without each of its parts

    def preparation(self, name: str) -> Preparation:
        """Return the preparation with this name."""
        return next(one for one in (*self.preparations, self.generated) if one.name == name)


def part_methods() -> dict[str, MakePredictor]:
    """Return the mixture, and the mixture without each of its parts."""
    result: dict[str, MakePredictor] = {"mixture": Mixture}
    for part, remove in PARTS.items():
        result[f"without {part}"] = partial(Mixture, settings=remove(MixtureSettings()))
    return result


def run_study(
    prepared: Mapping[str, tuple[list[ReplayedPlayer], Metagame]],
    known: Metagame,
    sequences: int,
    seed: int,
    on_step_done: Callable[[str], None] = lambda _: None,
) -> ReplayStudy:
    """Evaluate all methods on replays (by the name of their preparation) and on generated sequences of known decks."""
    preparations: list[Preparation] = []
    parts: list[Preparation] = []
    for name, (players, metagame) in prepared.items():
        cases = [Fold("", player.sequence.player_class, metagame, [player.sequence]) for player in players]
        evaluations = _evaluate_all(methods(), cases, name, on_step_done)
        part_evaluations = _evaluate_all(part_methods(), cases, name, on_step_done)
        for result, values in ((preparations, evaluations), (parts, part_evaluations)):
            result.append(filtered(f"filtered, {name}", players, values))
            result.append(Preparation(f"unfiltered, {name}", players, values))
    cases = list(folds(known, "nothing", sequences, Random(seed)))
    # A sequence is a match of its own: only the turns of one sequence are dependent.
    flat = [case._replace(sequences=[sequence]) for case in cases for sequence in case.sequences]
    generated = [ReplayedPlayer(index, case.sequences[0], False) for index, case in enumerate(flat)]
    compared = {name: make for name, make in methods().items() if name in ("mixture", "stochastic", TREE)}
    of_generated = Preparation(GENERATED, generated, _evaluate_all(compared, flat, GENERATED, on_step_done))
    return ReplayStudy(preparations, of_generated, parts)


def _evaluate_all(
    makers: Mapping[str, MakePredictor], cases: list[Fold], name: str, on_step_done: Callable[[str], None]
) -> dict[str, Evaluation]:
    result = {}
    for method, make in makers.items():
        result[method] = evaluate(make, method, cases)
        on_step_done(f"{name}: {method}")
    return result


def filtered(name: str, players: Sequence[ReplayedPlayer], evaluations: Mapping[str, Evaluation]) -> Preparation:
    """Return the rows of the players whom the filter keeps."""
    kept = np.array([not player.filtered for player in players])
    rows = {method: _rows(evaluation, kept[evaluation.fold]) for method, evaluation in evaluations.items()}
    return Preparation(name, players, rows)


def steps(preparations: int) -> int:
    """Return how often `run_study` calls `on_step_done`."""
    return preparations * (len(methods()) + len(part_methods())) + 3


# -- tables


def study_tables(study: ReplayStudy) -> dict[str, str]:
    """Return the tables as CSV, by file name."""
    everything = [*study.preparations, study.generated]
    return {
        "success.csv": _success_table(everything),
        "by_turn.csv": _by_turn_table(everything),
        "by_class.csv": _by_class_table(everything),
        "differences.csv": _difference_table(study.preparations),
        "parts.csv": _parts_table(study.parts),
        "document.csv": _document_table(study),
    }


def _success_table(preparations: Sequence[Preparation]) -> str:
    return csv_text(
        ["preparation", "method", "top", "turns", "success", "low", "high", "repeated_low", "repeated_high"],
        (
            (one.name, method, top, len(evaluation.rank), *one.success(method, top), *one.repeated(method, top)[1:])
            for one in preparations
            for method, evaluation in one.evaluations.items()
            for top in range(1, RANKS + 1)
        ),
    )


def _by_turn_table(preparations: Sequence[Preparation]) -> str:
    rows: list[Sequence[object]] = []
    for one in preparations:
        for method, evaluation in one.evaluations.items():
            match = one.matches(evaluation)
            for turn in range(1, TURNS + 1):
                here = evaluation.turn == turn
                if here.any():
                    tops = [float((evaluation.rank[here] < top).mean()) for top in range(1, RANKS + 1)]
                    _, low, high = few_clusters_wilson(evaluation.rank[here] < RANKS, match[here])
                    sizes = (float(evaluation.cards[here].mean()), float(evaluation.decks[here].mean()))
                    rows.append((one.name, method, turn, int(here.sum()), *sizes, *tops, low, high))
    tops_header = ",".join(f"top_{top}" for top in range(1, RANKS + 1))
    header = f"preparation,method,turn,turns,cards,decks,{tops_header},top_10_low,top_10_high"
    return csv_text(header.split(","), rows)


def _by_class_table(preparations: Sequence[Preparation]) -> str:
    rows: list[Sequence[object]] = []
    for one in preparations:
        for own in sorted({player.sequence.player_class for player in one.players}):
            for method, evaluation in one.of_class(own).items():
                if len(evaluation.rank):
                    interval = few_clusters_wilson(evaluation.rank < RANKS, one.matches(evaluation))
                    sequences = len(set(evaluation.fold.tolist()))
                    rows.append((one.name, own, method, sequences, len(evaluation.rank), *interval))
    return csv_text(["preparation", "class", "method", "sequences", "turns", "top_10", "low", "high"], rows)


def _difference_table(preparations: Sequence[Preparation]) -> str:
    return csv_text(
        ["preparation", "method", "other", "top", "difference", "low", "high"],
        (
            (one.name, "mixture", other, top, *one.difference("mixture", other, top))
            for one in preparations
            for other in one.evaluations
            if other != "mixture" and len(one.evaluations[other].rank)
            for top in (1, 3, 5, 10)
        ),
    )


def _parts_table(parts: Sequence[Preparation]) -> str:
    return csv_text(
        ["preparation", "settings", "top_1", "top_5", "top_10", "log_loss", "change_of_top_10", "low", "high"],
        (
            (
                one.name,
                method,
                *(one.success(method, top).estimate for top in (1, 5, 10)),
                float(evaluation.loss.mean()),
                *one.difference(method, "mixture", 10),
            )
            for one in parts
            for method, evaluation in one.evaluations.items()
            if len(evaluation.rank)
        ),
    )


def document_rows(study: ReplayStudy) -> list[tuple[str, str, float, str, Interval]]:
    """Return the numbers of Schwensfeier 2019, each with its source and our result."""
    return [
        (name, method, stated, source, study.preparation(name).success(method, 10))
        for name, method, stated, source in DOCUMENT
    ]


def _document_table(study: ReplayStudy) -> str:
    return csv_text(
        ["preparation", "method", "document", "source", "top_10", "low", "high", "difference"],
        (
            (name, method, stated, source, *ours, ours.estimate - stated)
            for name, method, stated, source, ours in document_rows(study)
        ),
    )
