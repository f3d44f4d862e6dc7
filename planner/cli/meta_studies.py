"""`planner meta replays` and `planner meta trees`: the experiments of Schwensfeier 2019; and the whole group."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from planner.cli.console import AsJson, console, data_table, examples, json_text, one_line, progress_bar, write_text
from planner.cli.meta_commands import Decks, meta, save_figures
from planner.games.hearthstone.metagame import SHIPPED, load_metagame

if TYPE_CHECKING:  # numpy and scipy take a while to import
    from planner.meta.clustering_study import ClusteringResult
    from planner.meta.replay_study import Preparation, ReplayStudy
    from planner.stats.intervals import Interval

commands = typer.Typer()
commands.add_typer(meta, name="meta")

Out = Annotated[Path | None, typer.Option(metavar="FOLDER", help="Write tables and figures into this folder.")]


@meta.command(epilog=examples("planner meta replays replays.json --decks Decks.json --out study"))
def replays(
    path: Annotated[Path, typer.Argument(metavar="REPLAYS", help="A JSON file of replays, as Collect-o-Bot has them.")],
    decks: Decks = SHIPPED,
    sequences: Annotated[int, typer.Option(min=1, max=100_000, help="Generated sequences per class.")] = 100,
    seed: Annotated[int, typer.Option(help="Decides the generated sequences.")] = 1,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """Measure all methods on replays of real matches, as Schwensfeier 2019 does.

    The Coin is removed. Filtered replays leave out every player with a card
    whose text says hand, add, shuffle, into, deck or discover. Intervals are
    Wilson's; the turns of a match are dependent. A match that cannot be read
    is skipped with a message.
    """
    from planner.games.hearthstone.replays import prepare_replays, read_replays  # noqa: PLC0415  (numpy)
    from planner.meta.replay_study import run_study, steps, study_tables  # noqa: PLC0415

    matches, problems = read_replays(path)
    known = load_metagame(decks)
    names = {"with hero powers": True, "without hero powers": False}
    prepared = {name: prepare_replays(matches, known, powers) for name, powers in names.items()}
    for problem in problems:
        console(stderr=True).print(f"match skipped: {one_line(problem)}", soft_wrap=True)
    with progress_bar() as progress:
        bar = progress.add_task("", total=steps(len(prepared)))
        study = run_study(
            prepared, known, sequences, seed, lambda what: progress.update(bar, advance=1, description=what)
        )
    if out is not None:
        from planner.meta.replay_plots import replay_figures  # noqa: PLC0415  (matplotlib)

        save_figures(out, replay_figures(study))
        for name, text in study_tables(study).items():
            write_text(out / name, text)
    if as_json:
        typer.echo(json_text(_study_json(study)))
        return
    _show_study(study, len(matches))
    if out is not None:
        console().print(f"tables and figures: {out}", soft_wrap=True)


def _study_json(study: ReplayStudy) -> dict[str, Any]:
    from planner.meta.replay_study import document_rows  # noqa: PLC0415  (see above)

    return {
        "success": [
            {"preparation": one.name, "method": method, "turns": len(evaluation.rank)}
            | {f"top_{top}": _interval_json(one.success(method, top)) for top in (1, 3, 5, 10)}
            for one in (*study.preparations, study.generated)
            for method, evaluation in one.evaluations.items()
        ],
        "document": [
            {
                "preparation": name,
                "method": method,
                "document": stated,
                "source": source,
                "top_10": _interval_json(ours),
            }
            for name, method, stated, source, ours in document_rows(study)
        ],
    }


def _interval_json(interval: Interval) -> dict[str, float] | None:
    return None if math.isnan(interval.estimate) else interval._asdict()


def _show_study(study: ReplayStudy, matches: int) -> None:
    from planner.meta.replay_study import document_rows  # noqa: PLC0415  (see above)

    screen = console()
    for one in (*study.preparations, study.generated):
        evaluation = one.evaluations["mixture"]
        players = len(set(evaluation.fold.tolist()))
        screen.print(f"{one.name}: {players} sequences, {len(evaluation.rank):,} turns with a card")
        screen.print(_success_table(one))
    rows = []
    for name, method, stated, source, ours in document_rows(study):
        if math.isnan(ours.estimate):  # the filter has left no turn
            continue
        interval = f"{100 * ours.low:.1f} to {100 * ours.high:.1f}"
        rows.append((method, name, f"{100 * stated:.0f}", f"{100 * ours.estimate:.1f}", interval, source))
    screen.print("The ten likeliest cards in Schwensfeier 2019 and here, %")
    screen.print(data_table(("method", "sequences", "document", "here", "95 % interval", "source"), rows))
    screen.print(f"Matches: {matches}. Shares of turns are in percent.")


def _success_table(preparation: Preparation) -> Any:
    rows = []
    for method, evaluation in preparation.evaluations.items():
        if not len(evaluation.rank):
            continue
        shares = [f"{100 * preparation.success(method, top).estimate:.1f}" for top in (1, 3, 5, 10)]
        _, low, high = preparation.success(method, 10)
        gain = preparation.difference("mixture", method, 10).scaled(100)
        shown = "" if method == "mixture" else f"{gain.estimate:.1f} ({gain.low:.1f} to {gain.high:.1f})"
        rows.append((method, *shares, f"{100 * low:.1f} to {100 * high:.1f}", shown))
    return data_table(("method", "top 1", "top 3", "top 5", "top 10", "95 % interval", "mixture better by"), rows)


@meta.command(epilog=examples("planner meta trees", "planner meta trees --decks Decks.json --beta 2 --out study"))
def trees(
    decks: Decks = SHIPPED,
    beta: Annotated[
        float, typer.Option(min=0.0, max=1000, help="Above 1, completeness weighs more; below 1, homogeneity.")
    ] = 1.0,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """Compare the trees of both distances and all linkages for every class, and k-means and DBSCAN.

    Each clustering is compared with the archetypes at its best number of
    clusters. With --out, figures show every class.
    """
    from planner.meta.clustering_study import results_table, study_classes  # noqa: PLC0415  (numpy)

    metagame = load_metagame(decks)
    with progress_bar() as progress:
        bar = progress.add_task("", total=len(metagame.classes))
        results = study_classes(metagame, beta, lambda name: progress.update(bar, advance=1, description=name))
    if out is not None:
        from planner.meta.clustering_plots import class_figures  # noqa: PLC0415  (matplotlib)

        save_figures(out, class_figures(metagame, beta))
        write_text(out / "trees.csv", results_table(results))
    if as_json:
        typer.echo(json_text([one._asdict() for one in results]))
        return
    _show_trees(results)
    if out is not None:
        console().print(f"tables and figures: {out}", soft_wrap=True)


def _show_trees(results: list[ClusteringResult]) -> None:
    from planner.meta.clustering_study import winners  # noqa: PLC0415  (see above)

    screen = console()
    numbers = ("clusters", "homogeneity", "completeness", "V-measure", "V at archetypes")
    rows = []
    for one in results:
        at_labels = "" if one.v_at_labels is None else f"{one.v_at_labels:.3f}"
        shares = (f"{value:.3f}" for value in (one.homogeneity, one.completeness, one.v_measure))
        rows.append((one.player_class, one.method, one.distance, one.clusters, *shares, at_labels))
    screen.print(data_table(("class", "method", "distance", *numbers), rows))
    for best in winners(results):
        screen.print(f"{best.player_class}: best tree {' and '.join(best.methods)}, V {best.v_measure:.3f}")
