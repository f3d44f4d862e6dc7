"""`planner meta`: clusters of decks, predictions of an opponent's next cards, and the studies of both."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import typer

from planner.cli.console import (
    AsJson,
    ProgressView,
    comma_words,
    console,
    counted,
    data_table,
    examples,
    json_text,
    one_line,
)
from planner.errors import PlannerError, did_you_mean
from planner.games.hearthstone.metagame import SHIPPED, card_name_and_cost, load_metagame

if TYPE_CHECKING:  # numpy and scipy take a while to import
    from planner.meta.clustering_study import ClusteringResult
    from planner.meta.deck_clusters import Agreement
    from planner.meta.known_decks import Metagame
    from planner.meta.prediction import Forecast, Seen
    from planner.meta.prediction_study import Evaluation
    from planner.meta.replay_study import Preparation, ReplayStudy
    from planner.stats.intervals import Interval

Decks = Annotated[
    str,
    typer.Option(
        "--decks", metavar="PATH", help="A JSON file of decks, a folder of deck files, or results of a tournament."
    ),
]
OfClass = Annotated[str, typer.Option("--class", metavar="CLASS", help="Only decks of this class.")]
Distance = Annotated[Literal["jaccard", "euclidean"], typer.Option(help="The distance of two decks.")]
Linkage = Annotated[
    Literal["single", "complete", "average", "centroid", "ward"], typer.Option(help="The distance of two clusters.")
]
Plots = Annotated[
    Path | None, typer.Option("--plots", metavar="FOLDER", help="Write the figures into this folder, as PNG.")
]
SeenCards = Annotated[
    str, typer.Option("--seen", metavar="CARDS", help="Cards that the opponent has played, separated by commas.")
]
Out = Annotated[Path | None, typer.Option(metavar="FOLDER", help="Write tables and figures into this folder.")]

_SUCCESS: Final = ("method", "top 1", "top 3", "top 5", "top 10", "95 % interval")
_PREDICT: Final = "planner meta predict --class mage --seen 'Fireball, Frost Nova' --turn 5"
commands = typer.Typer()
meta = typer.Typer(
    help="Analyse a metagame: clusters of decks, and likely cards.",
    no_args_is_help=True,
    epilog=examples(_PREDICT, "planner meta cluster --decks Decks.json"),
)
commands.add_typer(meta, name="meta")


@meta.command(
    "cluster",
    epilog=examples("planner meta cluster", "planner meta cluster --decks Decks.json --linkage complete -k 92"),
)
def cluster_decks(
    decks: Decks = SHIPPED,
    player_class: OfClass = "",
    distance: Distance = "jaccard",
    linkage: Linkage = "single",
    k: Annotated[
        int | None, typer.Option("-k", min=1, help="Number of clusters; by default the one with the best V-measure.")
    ] = None,
    plots: Plots = None,
    as_json: AsJson = False,
) -> None:
    """Cluster decks, and compare the clusters with the archetypes.

    There are exactly k clusters, also where distances tie. The table has a
    row for each cluster: its decks, its games and its archetypes.
    """
    from planner.meta.deck_clusters import agreement, cluster_metagame  # noqa: PLC0415  (see above)

    metagame = _metagame(decks, player_class)
    clusters = cluster_metagame(metagame, distance, linkage)
    curve = agreement(clusters)
    k = curve.best if k is None else k
    labels = clusters.cut(k)
    measures = {what: float(getattr(curve, what)[k - 1]) for what in ("homogeneity", "completeness", "v_measure")}
    if as_json:
        points = [[float(values[n]) for values in curve] for n in range(len(metagame))]
        named = zip(metagame.decks, labels, strict=True)
        of = [{"name": deck.name, "archetype": deck.archetype, "cluster": label} for deck, label in named]
        typer.echo(json_text({"k": k, "best_k": curve.best, **measures, "decks": of, "curve": points}))
    else:
        _show_clusters(metagame, labels, curve, measures)
    if plots is not None:
        _save(plots, _cluster_figures(metagame, clusters.distance), {}, quiet=as_json)


def _show_clusters(metagame: Metagame, labels: Sequence[int], curve: Agreement, measures: Mapping[str, float]) -> None:
    rows = []
    sizes = sorted(set(labels), key=lambda one: (-labels.count(one), one))
    for one in sizes[:40]:
        members = [deck for deck, label in zip(metagame.decks, labels, strict=True) if label == one]
        names = Counter(deck.archetype for deck in members)
        shown = ", ".join(f"{name} {count}" for name, count in names.most_common(4))
        rows.append((one, len(members), f"{sum(deck.games for deck in members):,.0f}", shown))
    screen = console()
    screen.print(data_table(("cluster", "decks", "games", "archetypes"), rows))
    if len(sizes) > 40:
        screen.print(f"and {len(sizes) - 40} smaller ones")
    words = ", ".join(f"{what.replace('v_', 'V-')} {value:.3f}" for what, value in measures.items())
    archetypes = counted(len(set(metagame.archetypes)), "archetype")
    screen.print(
        f"{counted(len(metagame), 'deck')} of {archetypes} in {counted(len(sizes), 'cluster')}: {words}", soft_wrap=True
    )
    best = f"{curve.v_measure[curve.best - 1]:.3f}, with {counted(curve.best, 'cluster')}"
    screen.print(f"The best V-measure is {best}.")


def _cluster_figures(metagame: Metagame, distance: str) -> dict[str, Any]:
    from planner.meta import clustering_plots as draw  # noqa: PLC0415  (matplotlib)
    from planner.meta.deck_clusters import LINKAGES, agreement, cluster_metagame  # noqa: PLC0415

    by_linkage = {name: cluster_metagame(metagame, distance, name) for name in LINKAGES}
    figures = {"distances": draw.distance_matrix(by_linkage["single"])}
    figures |= {
        f"dendrogram_{name}": draw.dendrogram(clusters) for name, clusters in by_linkage.items() if len(metagame) > 1
    }
    curves = {f"{name}, {distance}": agreement(clusters) for name, clusters in by_linkage.items()}
    other = "euclidean" if distance == "jaccard" else "jaccard"
    curves[f"single, {other}"] = agreement(cluster_metagame(metagame, other, "single"))
    figures["agreement"] = draw.agreement_curves(curves, len(set(metagame.archetypes)))
    return figures


@meta.command(epilog=examples("planner meta tree --class mage --seen 'Fireball, Frost Nova'"))
def tree(
    player_class: Annotated[str, typer.Option("--class", metavar="CLASS", help="The opponent's class.")],
    seen: SeenCards = "",
    decks: Decks = SHIPPED,
    distance: Distance = "jaccard",
    linkage: Linkage = "single",
    threshold: Annotated[float, typer.Option(min=0.0, max=1.0, help="Probability that a step down requires.")] = 0.99,
) -> None:
    """Walk down the tree of clusters with the cards seen, step by step, as Schwensfeier 2019 does."""
    from planner.meta.deck_clusters import ClusterTree  # noqa: PLC0415  (see above)

    metagame = _metagame(decks, player_class)
    built = ClusterTree.of(metagame, distance, linkage, threshold)
    end, steps = built.walk(_cards_of("--seen", seen, metagame, None))
    rows = []
    for number, step in enumerate([None, *steps]):
        node = built.root if step is None else step.node
        members = built.decks_of(node)
        names = list(dict.fromkeys(metagame.archetypes[deck] for deck in members))
        chance = "" if step is None else f"{step.probability:.3f}"
        word = "" if step is None else "taken" if step.taken else "not sure enough"
        shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
        rows.append((number, len(members), chance, word, shown))
    screen = console()
    screen.print(data_table(("step", "decks", "probability", "", "archetypes"), rows))
    left = len(built.decks_of(end))
    screen.print(f"{len(metagame)} decks, {built.depth()} steps deep; the walk ends with {left} decks.")


@meta.command(epilog=examples(_PREDICT, f"{_PREDICT} --method stochastic"))
def predict(
    player_class: Annotated[str, typer.Option("--class", metavar="CLASS", help="The opponent's class.")],
    seen: SeenCards = "",
    shown: Annotated[
        str, typer.Option("--shown", metavar="CARDS", help="Cards seen but not played: drawn, discarded, revealed.")
    ] = "",
    turn: Annotated[
        int | None, typer.Option(min=1, help="The opponent's turn: only cards that it can pay for.")
    ] = None,
    decks: Decks = SHIPPED,
    method: Annotated[Literal["mixture", "stochastic", "tree"], typer.Option(help="How to predict.")] = "mixture",
    linkage: Linkage = "single",
    threshold: Annotated[float, typer.Option(min=0.0, max=1.0, help="Of the tree method.")] = 0.99,
    top: Annotated[int, typer.Option(min=1, max=100, help="How many cards to show.")] = 10,
    as_json: AsJson = False,
) -> None:
    """Predict which cards an opponent will play next, and from which deck.

    The probabilities of the cards, including that of a card in no known deck,
    sum to 1. Without --turn cards of any cost count.
    """
    from planner.meta.deck_clusters import ClusterTree  # noqa: PLC0415  (see above)
    from planner.meta.prediction import Mixture, Predictor, Stochastic  # noqa: PLC0415
    from planner.meta.prediction_study import mana_in_turn  # noqa: PLC0415

    everything = load_metagame(decks)
    metagame = everything.of_class(player_class.lower())
    if method == "mixture":
        predictor: Predictor = Mixture(everything, player_class.lower())
    elif method == "stochastic":
        predictor = Stochastic(metagame)
    else:
        predictor = ClusterTree.of(metagame, "jaccard", linkage, threshold)
    mana = None if turn is None else mana_in_turn(turn)
    evidence = [*_cards_of("--seen", seen, everything, mana), *_cards_of("--shown", shown, everything, None)]
    forecast = predictor.predict(evidence, mana)
    likely = [(forecast.metagame.decks[deck], chance) for deck, chance in forecast.top_decks(5)]
    if as_json:
        likely_cards = {
            "cards": [{"card": card, "chance": chance} for card, chance in forecast.top(top)],
            "other": forecast.other,
            "decks": [{"name": deck.name, "archetype": deck.archetype, "chance": c} for deck, c in likely],
            "archetypes": _by_archetype(forecast),
            "win_rate": forecast.win_rate,
            "considered": {"decks": int(forecast.considered.sum()), "cards": forecast.considered_cards},
        }
        typer.echo(json_text(likely_cards))
        return
    screen = console()
    if not (forecast.cards > 0).any():
        screen.print("No known deck contains all of these cards: the method predicts nothing.")
        return
    rows = [(card, f"{chance:.1%}", everything.costs.get(card, "")) for card, chance in forecast.top(top)]
    if forecast.other > 0:
        rows.append(("a card in no known deck", f"{forecast.other:.1%}", ""))
    screen.print(data_table(("next card", "chance", "cost"), rows))
    archetypes = list(_by_archetype(forecast).items())[:5]
    screen.print(data_table(("archetype", "chance"), [(name, f"{chance:.1%}") for name, chance in archetypes]))
    screen.print(f"{int(forecast.considered.sum())} decks are considered; their win rate is {forecast.win_rate:.1%}.")


def _by_archetype(forecast: Forecast) -> dict[str, float]:
    sums: dict[str, float] = {}
    for deck, chance in zip(forecast.metagame.decks, forecast.decks, strict=True):
        sums[deck.archetype] = sums.get(deck.archetype, 0.0) + float(chance)
    return {name: chance for name, chance in sorted(sums.items(), key=lambda pair: -pair[1]) if chance > 1e-4}


@meta.command(
    epilog=examples(
        "planner meta evaluate --sequences 20 --linkage single",
        "planner meta evaluate --decks Decks.json --held-out archetypes --out study",
    )
)
def evaluate(
    decks: Decks = SHIPPED,
    player_class: OfClass = "",
    sequences: Annotated[int, typer.Option(min=1, max=100_000, help="Sequences per class.")] = 1000,
    held_out: Annotated[
        Literal["nothing", "decks", "archetypes"], typer.Option(help="What the methods must not know.")
    ] = "nothing",
    linkage: Annotated[
        Literal["all", "single", "complete", "average", "centroid", "ward"], typer.Option(help="One linkage, or all.")
    ] = "all",
    threshold: Annotated[
        float | None, typer.Option(min=0.0, max=1.0, help="One threshold; by default all three.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Decides the sequences.")] = 1,
    logs: Annotated[
        list[Path] | None,
        typer.Option("--log", metavar="LOG", help="Use real sequences from client logs; can be repeated."),
    ] = None,
    out: Out = None,
) -> None:
    """Measure how often the methods are right, on sequences of played cards.

    A prediction is right for x if a card that was played in the turn is among
    its x most likely cards. Sequences are generated as in section 4.2.1 of
    Schwensfeier 2019; with --held-out they come from decks that the methods
    do not know. Intervals resample whole classes, or whole archetypes.
    """
    from planner.meta.deck_clusters import LINKAGES, THRESHOLDS  # noqa: PLC0415  (see above)
    from planner.meta.prediction_study import evaluate as ask  # noqa: PLC0415
    from planner.meta.prediction_study import folds, methods, study_tables  # noqa: PLC0415

    linkages = LINKAGES if linkage == "all" else (linkage,)
    metagame = _metagame(decks, player_class)
    if logs:
        from planner.games.hearthstone.logs.match_review import logged_folds  # noqa: PLC0415  (an extra)

        cases = logged_folds(logs, metagame)
    else:
        cases = list(folds(metagame, held_out, sequences, Random(seed)))
    if not cases:
        raise PlannerError("nothing to predict: a class has only one archetype, or no log has a known class")
    makers = methods(linkages, THRESHOLDS if threshold is None else (threshold,))
    evaluations = []
    with ProgressView(console()) as view:
        advance = view.count_to(len(makers) * len(cases))
        for name, make in makers.items():
            evaluations.append(ask(make, name, cases, partial(advance, name)))
    _show_evaluations(evaluations)
    if out is not None:
        from planner.meta.prediction_plots import study_figures  # noqa: PLC0415  (matplotlib)

        _save(out, study_figures(evaluations), study_tables(evaluations))


def _show_evaluations(evaluations: Sequence[Evaluation]) -> None:
    from planner.meta.prediction_study import bootstrap  # noqa: PLC0415  (see above)

    rows = []
    for evaluation in evaluations:
        shares = [bootstrap(evaluation.rank < top, evaluation.fold, draws=1).estimate for top in (1, 3, 5)]
        cells = _share_cells(shares, bootstrap(evaluation.rank < 10, evaluation.fold))
        loss = f"{bootstrap(evaluation.loss, evaluation.fold, draws=1).estimate:.2f}"
        means = f"{evaluation.decks.mean():.0f}", f"{evaluation.cards.mean():.0f}"
        rows.append((evaluation.method, *cells, loss, *means))
    screen = console()
    screen.print(data_table((*_SUCCESS, "log loss", "decks", "cards"), rows))
    turns, groups = len(evaluations[0].rank), counted(len(set(evaluations[0].fold)), "group")
    screen.print(f"{turns:,} turns with a card, in {groups}; shares in percent.")


# -- the experiments of Schwensfeier 2019


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
    with ProgressView(console(), quiet=as_json) as view:
        study = run_study(prepared, known, sequences, seed, view.count_to(steps(len(prepared))))
    if as_json:
        typer.echo(json_text(_study_json(study)))
    else:
        _show_study(study, len(matches))
    if out is not None:
        from planner.meta.prediction_plots import replay_figures  # noqa: PLC0415  (matplotlib)

        _save(out, replay_figures(study), study_tables(study), quiet=as_json)


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
        shares = [preparation.success(method, top).estimate for top in (1, 3, 5)]
        cells = _share_cells(shares, preparation.success(method, 10))
        gain = preparation.difference("mixture", method, 10).scaled(100)
        shown = "" if method == "mixture" else f"{gain.estimate:.1f} ({gain.low:.1f} to {gain.high:.1f})"
        rows.append((method, *cells, shown))
    return data_table((*_SUCCESS, "mixture better by"), rows)


def _share_cells(shares: Sequence[float], last: Interval) -> list[str]:
    """Return the cells of shares of turns, in percent, and of the interval of the last one."""
    return [
        *(f"{100 * share:.1f}" for share in (*shares, last.estimate)),
        f"{100 * last.low:.1f} to {100 * last.high:.1f}",
    ]


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
    with ProgressView(console(), quiet=as_json) as view:
        results = study_classes(metagame, beta, view.count_to(len(metagame.classes)))
    if as_json:
        typer.echo(json_text([one._asdict() for one in results]))
    else:
        _show_trees(results)
    if out is not None:
        from planner.meta.clustering_plots import class_figures  # noqa: PLC0415  (matplotlib)

        _save(out, class_figures(metagame, beta), {"trees.csv": results_table(results)}, quiet=as_json)


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


# -- shared


def _metagame(decks: str, player_class: str) -> Metagame:
    metagame = load_metagame(decks)
    return metagame.of_class(player_class.lower()) if player_class else metagame


def _cards_of(option: str, cards: str, metagame: Metagame, mana: float | None) -> list[Seen]:
    from planner.meta.prediction import Seen  # noqa: PLC0415  (see above)

    cards_seen = []
    names = {card.casefold(): card for card in metagame.cards}
    for word in comma_words(cards, option):
        name = names.get(word.casefold())
        if name is None:
            other = card_name_and_cost(word)
            if other is None:
                raise PlannerError(f"{option}: {word!r} is not a card{did_you_mean(word, metagame.cards)}")
            name = other[0]
        cards_seen.append(Seen(name, mana))
    return cards_seen


def _save(folder: Path, figures: Mapping[str, Any], tables: Mapping[str, str], quiet: bool = False) -> None:
    """Write figures as PNG and tables as CSV, and say where they are."""
    from planner.formats.atomic_files import write_files  # noqa: PLC0415
    from planner.stats.figure_style import png  # noqa: PLC0415  (matplotlib)

    files = {f"{name}.png": png(figure) for name, figure in figures.items()}
    write_files(folder, files | {name: text.encode() for name, text in tables.items()})
    if not quiet:
        console().print(f"{'tables and ' if tables else ''}figures: {folder}", soft_wrap=True)
