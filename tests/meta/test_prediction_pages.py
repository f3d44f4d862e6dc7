"""The numbers in the pages about predictions are those of the committed results."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pandas as pd
import pytest

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "results" / "prediction"
REPLAYS, PREDICTION = (
    " ".join((ROOT / "docs" / "explanation" / name).read_text(encoding="utf-8").split())
    for name in ("replays.md", "prediction.md")
)
NAMES = {
    "mixture": "mixture",
    "tree ward 0.9": "tree, ward, 0.9",
    "tree single 0.99": "tree, single, 0.99",
    "tree single 0.9": "tree, single, 0.9",
    "tree single 0.75": "tree, single, 0.75",
    "tree complete 0.9": "tree, complete, 0.9",
    "stochastic": "stochastic",
}
UNKNOWN = {kind: next(RESULTS.glob(f"left*_{kind}")).name for kind in ("archetypes", "decks")}  # what was unknown
WITH, WITHOUT = "with hero powers", "without hero powers"


def table(path: str) -> pd.DataFrame:
    return pd.read_csv(RESULTS / path)


SUCCESS = table("replays/success.csv").set_index(["preparation", "method", "top"]).sort_index()
TREES = table("trees/trees.csv")


def percent(share: float) -> str:
    return f"{100 * share:.1f}"


def span(low: float, high: float) -> str:
    return f"{percent(low)} to {percent(high)}"


def row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def success_row(powers: str, method: str, title: str) -> str:
    filtered, whole = (SUCCESS.loc[f"{name}, {powers}", method] for name in ("filtered", "unfiltered"))
    cells = []
    for shares, tops in ((filtered, (10,)), (whole, (1, 5, 10))):
        ten = shares.loc[10]
        cells += [f"{percent(shares.loc[top, 'success'])} %" for top in tops]
        cells += [span(ten["low"], ten["high"]), span(ten["repeated_low"], ten["repeated_high"])]
    return row(title, *cells)


def success_rows() -> list[str]:
    shown = {WITH: ("tree single 0.99", "tree single 0.9", "tree single 0.75"), WITHOUT: ("tree single 0.99",)}
    rows = []
    for powers, trees in shown.items():
        tens = SUCCESS.xs((f"unfiltered, {powers}", 10), level=("preparation", "top"))["success"]
        best = str(tens[tens.index.str.startswith("tree")].idxmax())
        titles = {"mixture": "mixture", best: f"{NAMES[best]} (best)"} | {name: NAMES[name] for name in trees}
        rows += [success_row(powers, name, title) for name, title in (titles | {"stochastic": "stochastic"}).items()]
    return rows


def document_rows() -> list[str]:
    stated = {
        ("filtered, with hero powers", "tree single 0.99"): ("filtered replays", "40 % (chapter 5)"),
        ("filtered, with hero powers", "stochastic"): ("filtered replays", "20 points less (abstract)"),
        ("generated", "tree single 0.99"): ("generated", "80 % (chapter 5), 90 % (abstract)"),
        ("generated", "stochastic"): ("generated", "as the tree (section 4.2.4)"),
    }
    rows = []
    for (preparation, method), (sequences, document) in stated.items():
        ours = SUCCESS.loc[preparation, method, 10]
        interval = span(ours["low"], ours["high"])
        rows.append(row(sequences, NAMES[method], document, f"{percent(ours['success'])} %", interval))
    return rows


def part_rows() -> list[str]:
    parts = table("replays/parts.csv").set_index(["preparation", "settings"]).loc[f"unfiltered, {WITHOUT}"]
    rows = []
    for name, part in parts.iterrows():
        change = 100 * part["change_of_top_10"]
        of_change = (f"{change:{'+' if change > 0.05 else ''}.1f}", span(part["low"], part["high"]))
        removed = str(name).removeprefix("without ")
        title, cells = ("(nothing removed)", ("", "")) if name == "mixture" else (removed, of_change)
        tops = (f"{percent(part[top])} %" for top in ("top_1", "top_10"))
        rows.append(row(title, *tops, *cells, f"{part['log_loss']:.2f}").replace("|  |", "| |").replace("|  |", "| |"))
    return rows


def tree_rows() -> list[tuple[str, str]]:
    """Return the rows of the classes: what comes before and after the name of the best tree."""
    rows = []
    for name, own in TREES.groupby("class"):
        best = own[~own["method"].isin(["k-means", "DBSCAN"])]["v_measure"].max()
        single, means, scan = (
            own[(own["method"] == method) & (own["distance"] == distance)]["v_measure"].item()
            for method, distance in (("single", "jaccard"), ("k-means", "euclidean"), ("DBSCAN", "jaccard"))
        )
        cells = [f"{single:.3f}", f"**{means:.3f}**" if means > best else f"{means:.3f}", f"{scan:.3f}"]
        rows.append(
            (row(str(name), str(own["decks"].iloc[0]), str(own["archetypes"].iloc[0])), row(f"{best:.3f}", *cells))
        )
    return rows


def generated_rows(folder: str, methods: Iterable[str]) -> list[str]:
    values = table(f"{folder}/summary.csv").set_index(["method", "measure"])
    rows = []
    for method in methods:
        own = values.loc[method]
        tops = (f"{percent(own.loc[f'top_{top}', 'mean'])} %" for top in (1, 3, 5, 10))
        interval = span(own.loc["top_10", "low"], own.loc["top_10", "high"])
        rows.append(row(NAMES[method], *tops, interval, f"{own.loc['log_loss', 'mean']:.2f}"))
    return rows


@pytest.mark.parametrize("line", [*success_rows(), *document_rows(), *part_rows()])
def test_rows_about_replays(line: str) -> None:
    assert line in REPLAYS


@pytest.mark.parametrize(("start", "end"), tree_rows())
def test_rows_about_trees(start: str, end: str) -> None:
    _, _, rest = REPLAYS.partition(start)
    best, _, _ = rest.partition(end)
    assert best.count("|") == 0  # one cell: the name of the tree
    assert rest.startswith(best + end)


@pytest.mark.parametrize(
    "line",
    [
        *generated_rows(UNKNOWN["archetypes"], ("mixture", "tree ward 0.9", "tree single 0.99", "stochastic")),
        *generated_rows(UNKNOWN["decks"], ("mixture", "tree complete 0.9", "tree single 0.99", "stochastic")),
        *generated_rows("known_decks", ("mixture", "tree single 0.99", "stochastic")),
    ],
)
def test_rows_about_generated_sequences(line: str) -> None:
    assert line in PREDICTION


def turns(folder: str) -> str:
    asked = table(f"{folder}/by_turn.csv")
    return f"{asked[asked['method'] == 'mixture']['asked'].sum():,} turns"


def differences(preparation: str) -> pd.DataFrame:
    values = table("replays/differences.csv")
    values = values[(values["preparation"] == preparation) & (values["top"] == 10)].set_index("other")
    return values[values.index.str.startswith("tree")]


def sentences() -> list[str]:
    whole, without, few = (
        differences(name) for name in (f"unfiltered, {WITH}", f"unfiltered, {WITHOUT}", f"filtered, {WITH}")
    )
    closest, rarest = whole.loc[whole["difference"].idxmin()], few.loc[few["difference"].idxmin()]
    powerless, powers = (SUCCESS.loc[f"filtered, {name}"]["success"] for name in (WITHOUT, WITH))
    mean = TREES.groupby(["method", "distance"])["v_measure"].mean()
    means = {linkage: mean[linkage, "jaccard"] for linkage in ("ward", "centroid", "average", "complete", "single")}
    at_labels = TREES.groupby(["method", "distance"])["v_at_archetypes"].mean()
    tens = SUCCESS.xs((f"unfiltered, {WITH}", 10), level=("preparation", "top"))["success"]
    of_trees, generated = tens[tens.index.str.startswith("tree")], SUCCESS.loc["generated"]["success"]
    tree, stochastic = "tree single 0.99", "stochastic"
    both = " and ".join(f"{percent(generated[name, 10])} %" for name in (tree, stochastic))
    linkages = TREES[~TREES["method"].isin(["k-means", "DBSCAN"])]
    square = linkages.pivot_table(index=["class", "method"], columns="distance", values="v_measure")
    better, worse = (
        (side).sum() for side in (square["jaccard"] > square["euclidean"], square["jaccard"] < square["euclidean"])
    )
    best = linkages.groupby("class")["v_measure"].max()
    return [
        f"unfiltered by {span(whole['difference'].min(), whole['difference'].max())} points",
        f"(the interval for the best tree is {span(closest['low'], closest['high'])})",
        f"and by {span(without['difference'].min(), without['difference'].max())} without",
        (
            f"The filtered difference, {percent(rarest['difference'])} points against the best tree, "
            f"has an interval of {span(rarest['low'], rarest['high'])}"
        ),
        f"(tree {percent(powerless[tree, 10])} %, stochastic {percent(powerless[stochastic, 10])} %)",
        (
            f"Ward linkage on Jaccard distances is best ({means['ward']:.3f}), then centroid ({means['centroid']:.3f}), "
            f"average ({means['average']:.3f}), complete ({means['complete']:.3f}) and single ({means['single']:.3f})"
        ),
        (
            f"Ward {at_labels['ward', 'jaccard']:.3f}, k-means {at_labels['k-means', 'euclidean']:.3f}, "
            f"single {at_labels['single', 'jaccard']:.3f}"
        ),
        f"| mean | | | | | {means['single']:.3f} | {mean['k-means', 'euclidean']:.3f} | {mean['DBSCAN', 'jaccard']:.3f} |",
        f"no tree has V = 1 ({best.min():.3f} to {best.max():.3f})",
        (
            f"{better} of {len(square)} trees are better, {len(square) - better - worse} equal, {worse} worse; "
            f"mean {square['jaccard'].mean():.3f} against {square['euclidean'].mean():.3f}"
        ),
        f"Holds: {both}.",
        (
            f"{percent(powers[tree, 10] - powers[stochastic, 10])} points filtered, "
            f"{percent(tens[tree] - tens[stochastic])} unfiltered"
        ),
        f"Holds: {span(of_trees.min(), of_trees.max())} % in the top ten",
        (
            f"Holds with the filter: {percent(generated[tree, 10])} % and {percent(powers[tree, 10])} %. "
            f"Without the filter {percent(tens[tree])} %."
        ),
    ]


@pytest.mark.parametrize("sentence", sentences())
def test_sentences_about_replays(sentence: str) -> None:
    assert sentence in REPLAYS


@pytest.mark.parametrize("folder", [*UNKNOWN.values(), "known_decks"])
def test_number_of_generated_turns(folder: str) -> None:
    assert turns(folder) in PREDICTION
