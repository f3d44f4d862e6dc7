"""Vary one thing at a time in the study of Guo (2025): `python -m experiments.thesis_variants table|ties|figure`.

table   [GAMES] play the 49 pairings in each variant and compare them with table 7.1; writes results/thesis_variants
ties    [GAMES] how often Gurobi decides a tie as the documented tie-breaks do, on turns of GAMES games (needs gurobipy)
figure  draw how far the studies are from table 7.1, cell by cell: docs/images/thesis_differences.png
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from experiments.thesis_cells import EVERY_MINION, PRINTED, PROFILES, Decks, distance, play_table, say, thesis_decks
from planner import guo_results, load_results
from planner.bench.speed import solve_reference
from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.rules.actions import EndTurn
from planner.games.hearthstone.rules.match_flow import start_match
from planner.games.hearthstone.rules.resolve import apply
from planner.games.hearthstone.rules.ruleset import Ruleset
from planner.games.hearthstone.rules.state import is_over
from planner.games.hearthstone.turn import native
from planner.games.hearthstone.turn.hearthstone_weights import Weights
from planner.games.hearthstone.turn.thesis_program import Choice, ThesisReading, printed_batch
from planner.stats.figure_style import png, style

OUT = Path("results/thesis_variants")
STUDIES = {"thesis_legal": "legal turns", "thesis": "as printed"}
GAMES = 1000
SEED = 7


class Variant(NamedTuple):
    """What differs from the program as printed with the decks that were chosen by hand."""

    name: str
    reading: ThesisReading = PRINTED
    rules: Mapping[str, Any] = MappingProxyType({})
    decks: Decks | None = None
    skip_dead: bool = False


def variants() -> Iterator[Variant]:
    """Yield the variants of the table in docs/explanation/reproduction.md."""
    by_hand, blind, fitted = thesis_decks(), thesis_decks("blind"), thesis_decks("fitted")
    yield Variant("program and execution as printed")
    yield Variant("ties: fewest actions, then first", PRINTED._replace(most_actions=False))
    yield Variant("ties: fewest actions, then last", PRINTED._replace(most_actions=False, last_of_equals=True))
    yield Variant("ties: most actions, then last", PRINTED._replace(last_of_equals=True))
    yield Variant("attacks on and by dead minions skipped", skip_dead=True)
    yield Variant("own_survival (W5) without the hand", PRINTED._replace(survival_on_board_only=True))
    yield Variant("rows (2) and (3) with the printed ceiling", PRINTED._replace(ceiling=True))
    yield Variant("no draw in the first turn", rules={"first_turn_draw": False})
    yield Variant("starting hands of 4 and 5", rules={"starting_hand": (4, 5)})
    yield Variant("no fatigue", rules={"fatigue_start": 0, "fatigue_growth": 0})
    yield Variant("hand limit 7", rules={"hand_limit": 7})
    yield Variant("hand limit 12", rules={"hand_limit": 12})
    yield Variant("turn limit 60 (30 rounds)", rules={"turn_limit": 60})
    yield Variant("card values 0", decks=_valued(by_hand, lambda _: 0))
    yield Variant("card values: cost", decks=_valued(by_hand, lambda card: card.cost))
    yield Variant("card values: attack plus health", decks=_valued(by_hand, lambda card: card.attack + card.health))
    yield Variant("rows (1) and (5) for every minion", EVERY_MINION)
    yield Variant("blind decks, as printed", decks=blind)
    yield Variant("blind decks, every minion", EVERY_MINION, decks=blind)
    yield Variant("decks fitted to half of the table, as printed", decks=fitted)
    yield Variant("decks fitted to half of the table, every minion", EVERY_MINION, decks=fitted)


def _valued(decks: Decks, value: Any) -> Decks:
    def valued(card: Card) -> Card:
        return replace(card, value=value(card))

    first, second = (replace(deck, cards=tuple(map(valued, deck.cards))) for deck in decks)
    return first, second


def table(games: int) -> None:
    """Play every variant and print a row for each."""
    rows = []
    for variant in variants():
        rules = replace(Ruleset.of("thesis_printed"), name="variant", **variant.rules)
        is_first = not rows
        result = play_table(
            variant.decks or thesis_decks(), games, SEED, variant.reading,
            rules=rules, skip_dead=variant.skip_dead, count_optima=is_first,
        )  # fmt: skip
        found = distance(result)
        rows.append({"variant": variant.name, "games": games, **found._asdict()})
        more = f"; {100 * result.several_optima:.1f} % of turns have several optima" if is_first else ""
        ranks = f"{found.wins_rank:.3f} / {found.rounds_rank:.3f}"
        say(f"| {variant.name} | {found.wins:.1f} | {ranks} | {found.mean_rounds:+.1f} |{more}")
    OUT.mkdir(parents=True, exist_ok=True)
    pd.DataFrame(rows).round(4).to_csv(OUT / "variants.csv", index=False)


def ties(games: int) -> None:
    """Print how often Gurobi chooses as each tie-break, on turns with several optima."""
    orders = {
        f"{'most' if most else 'fewest'} actions, then {'last' if last else 'first'}":
        PRINTED._replace(most_actions=most, last_of_equals=last)
        for most in (True, False) for last in (False, True)
    }  # fmt: skip
    rng, decks, rules = Random(SEED), thesis_decks(), Ruleset.of("thesis_printed")
    count: Counter[str] = Counter()
    for game in range(games):
        state = start_match(decks, rules, Random(game))
        profiles = [Weights.of(rng.choice(PROFILES)) for _ in range(2)]
        while not is_over(state):
            weights = profiles[state.seat]
            choices = {name: native.thesis_choice(state, weights, order) for name, order in orders.items()}
            first = next(iter(choices.values()))
            assert first is not None
            count["turns"] += 1
            if any(_actions(choice) != _actions(first) for choice in choices.values()):
                count["several optima"] += 1
                solution = solve_reference(state, weights)
                by_gurobi = tuple(
                    sorted(key for key, value in solution[part].items() if value)
                    for part in ("cards_played", "x_minions", "x_hero")
                )
                count.update(name for name, choice in choices.items() if _actions(choice) == by_gurobi)
            batch = printed_batch(state, first)
            state = apply(state, batch) if batch.actions else state
            state = state if is_over(state) else apply(state, EndTurn())
    for name, number in count.items():
        say(f"{name}: {number}")


def _actions(choice: Choice | None) -> tuple[Any, ...]:
    return () if choice is None else (sorted(choice.plays), sorted(choice.hits), sorted(choice.face))


def figure() -> None:
    """Draw the differences of the studies to table 7.1."""
    with style():
        drawing = Figure(figsize=(11, 6))
        room = {"left": 0.13, "right": 0.97, "bottom": 0.24, "top": 0.9, "wspace": 0.08}
        axes = drawing.subplots(1, len(STUDIES), sharey=True, gridspec_kw=room)
        for axis, (name, title) in zip(axes, STUDIES.items(), strict=True):
            differences = 100 * (load_results(name).scores() - guo_results().scores())
            differences = differences.loc[list(PROFILES), list(PROFILES)]
            image = axis.imshow(differences, cmap="RdBu", vmin=-30, vmax=30)
            mean = differences.abs().to_numpy().mean()
            axis.set_title(f"{title}\nmean {mean:.1f} points")
            axis.set_xticks(range(len(PROFILES)), PROFILES, rotation=60, ha="right")
            axis.set_yticks(range(len(PROFILES)), PROFILES)
            for (row, column), value in np.ndenumerate(differences.to_numpy()):
                color = "white" if abs(value) > 20 else "black"
                axis.text(column, row, f"{value:+.0f}", ha="center", va="center", color=color, fontsize=8)
        drawing.colorbar(image, ax=axes, label="wins of the first player, points above table 7.1", shrink=0.8)
        Path("docs/images/thesis_differences.png").write_bytes(png(drawing))


def main(words: Sequence[str]) -> None:
    """Run a part of this study."""
    games = int(words[1]) if len(words) > 1 else 0
    if words[0] == "figure":
        figure()
    elif words[0] == "table":
        table(games or GAMES)
    else:
        ties(games or 200)


if __name__ == "__main__":
    main(sys.argv[1:])
