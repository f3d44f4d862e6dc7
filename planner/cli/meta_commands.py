"""`planner meta`: clusters of decks, and predictions of an opponent's next cards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import typer

from planner.cli.console import (
    AsJson,
    comma_words,
    console,
    counted,
    data_table,
    examples,
    json_text,
    progress_bar,
    write_text,
)
from planner.errors import PlannerError, did_you_mean, file_errors
from planner.games.hearthstone.metagame import SHIPPED, card_name_and_cost, load_metagame

if TYPE_CHECKING:  # numpy and scipy take a while to import
    from planner.meta.known_decks import Metagame
    from planner.meta.prediction import Forecast, Seen
    from planner.meta.prediction_study import Evaluation

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


_PREDICT: Final = "planner meta predict --class mage --seen 'Fireball, Frost Nova' --turn 5"
meta = typer.Typer(
    help="Analyse a metagame: clusters of decks, and likely cards.",
    no_args_is_help=True,
    epilog=examples(_PREDICT, "planner meta cluster --decks Decks.json"),
)


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
    if plots is not None:
        _cluster_plots(plots, metagame, clusters.distance)
    measures = {what: float(getattr(curve, what)[k - 1]) for what in ("homogeneity", "completeness", "v_measure")}
    if as_json:
        points = [[float(values[n]) for values in curve] for n in range(len(metagame))]
        named = zip(metagame.decks, labels, strict=True)
        of = [{"name": deck.name, "archetype": deck.archetype, "cluster": label} for deck, label in named]
        typer.echo(json_text({"k": k, "best_k": curve.best, **measures, "decks": of, "curve": points}))
        return
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
        f"{counted(len(metagame), 'deck')} of {archetypes} in {counted(k, 'cluster')}: {words}", soft_wrap=True
    )
    best = f"{curve.v_measure[curve.best - 1]:.3f}, with {counted(curve.best, 'cluster')}"
    screen.print(f"The best V-measure is {best}.")
    if plots is not None:
        screen.print(f"figures: {plots}", soft_wrap=True)


def _cluster_plots(folder: Path, metagame: Metagame, distance: str) -> None:
    from planner.meta import prediction_plots as draw  # noqa: PLC0415  (matplotlib)
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
    save_figures(folder, figures)


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
    out: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Write tables and figures into this folder.")
    ] = None,
) -> None:
    """Measure how often the methods are right, on sequences of played cards.

    A prediction is right for x if a card that was played in the turn is among
    its x most likely cards. Sequences are generated as in section 4.2.1 of
    Schwensfeier 2019; with --held-out they come from decks that the methods
    do not know. Intervals resample whole classes, or whole archetypes.
    """
    from planner.meta.deck_clusters import LINKAGES, THRESHOLDS  # noqa: PLC0415  (see above)
    from planner.meta.prediction_study import evaluate as ask  # noqa: PLC0415
    from planner.meta.prediction_study import folds, methods  # noqa: PLC0415

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
    with progress_bar() as progress:
        bar = progress.add_task("", total=len(makers) * len(cases))
        for name, make in makers.items():
            progress.update(bar, description=name)
            evaluations.append(ask(make, name, cases, lambda: progress.advance(bar)))
    _show_evaluations(evaluations)
    if out is not None:
        _save_evaluations(out, evaluations)
        console().print(f"tables and figures: {out}", soft_wrap=True)


def _show_evaluations(evaluations: Sequence[Evaluation]) -> None:
    from planner.meta.prediction_study import bootstrap  # noqa: PLC0415  (see above)

    titles = ("method", "top 1", "top 3", "top 5", "top 10", "95 % interval", "log loss", "decks", "cards")
    rows = []
    for evaluation in evaluations:
        spread = bootstrap(evaluation.rank < 10, evaluation.fold)
        shares = [
            f"{100 * bootstrap(evaluation.rank < top, evaluation.fold, draws=1).estimate:.1f}" for top in (1, 3, 5, 10)
        ]
        interval = f"{100 * spread.low:.1f} to {100 * spread.high:.1f}"
        loss = f"{bootstrap(evaluation.loss, evaluation.fold, draws=1).estimate:.2f}"
        means = f"{evaluation.decks.mean():.0f}", f"{evaluation.cards.mean():.0f}"
        rows.append((evaluation.method, *shares, interval, loss, *means))
    screen = console()
    screen.print(data_table(titles, rows))
    turns, groups = len(evaluations[0].rank), len(set(evaluations[0].fold))
    screen.print(f"{turns:,} turns with a card, in {groups} groups; shares in percent.")


def _save_evaluations(folder: Path, evaluations: Sequence[Evaluation]) -> None:
    from planner.meta.prediction_plots import study_figures  # noqa: PLC0415  (matplotlib)
    from planner.meta.prediction_study import study_tables  # noqa: PLC0415  (matplotlib)

    save_figures(folder, study_figures(evaluations))
    for name, text in study_tables(evaluations).items():
        write_text(folder / name, text)


# -- shared


def _metagame(decks: str, player_class: str) -> Metagame:
    metagame = load_metagame(decks)
    return metagame.of_class(player_class.lower()) if player_class else metagame


def _cards_of(option: str, cards: str, metagame: Metagame, mana: float | None) -> list[Seen]:
    from planner.meta.prediction import Seen  # noqa: PLC0415  (see above)

    cards_seen = []
    names = {card.casefold(): card for card in metagame.cards}
    for word in comma_words(cards):
        name = names.get(word.casefold())
        if name is None:
            other = card_name_and_cost(word)
            if other is None:
                raise PlannerError(f"{option}: {word!r} is not a card{did_you_mean(word, metagame.cards)}")
            name = other[0]
        cards_seen.append(Seen(name, mana))
    return cards_seen


def save_figures(folder: Path, figures: dict[str, Any]) -> None:
    """Write the figures as PNG."""
    from planner.stats.figure_style import png  # noqa: PLC0415  (matplotlib)

    with file_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        for name, figure in figures.items():
            (folder / f"{name}.png").write_bytes(png(figure))
