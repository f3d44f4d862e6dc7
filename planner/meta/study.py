"""What a study leaves behind: the tables of all methods, and the figures of those that matter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.figure import Figure

from planner.meta import plots
from planner.meta.evaluation import RANKS, Answers, bootstrap
from planner.meta.sequences import TURNS


def tables(found: Sequence[Answers]) -> dict[str, str]:
    """`by_turn.csv`: every method in every turn. `summary.csv`: its means over the groups, with 95 % intervals."""
    lines = ["method,turn,asked,decks,cards,log_loss," + ",".join(f"top_{n}" for n in range(1, RANKS + 1))]
    summary = ["method,measure,mean,low,high"]
    for one in found:
        hits: dict[str, Any] = {f"top_{top}": one.rank < top for top in range(1, RANKS + 1)}
        columns = [one.by_turn(values) for values in (one.decks, one.cards, one.loss, *hits.values())]
        for turn in range(1, TURNS + 1):
            if asked := int((one.turn == turn).sum()):
                values = ",".join(f"{column[turn - 1]:.4f}" for column in columns)
                lines.append(f"{one.method},{turn},{asked},{values}")
        for name, measured in {**hits, "log_loss": one.loss}.items():
            spread = bootstrap(measured, one.fold)
            summary.append(f"{one.method},{name},{spread.mean:.4f},{spread.low:.4f},{spread.high:.4f}")
    return {"by_turn.csv": "\n".join(lines) + "\n", "summary.csv": "\n".join(summary) + "\n"}


def figures(found: Sequence[Answers]) -> dict[str, Figure]:
    """As the document's figures 4.4 to 4.6, D.1 and D.2, with the mixture beside its methods; and the reliability."""
    trees = [one for one in found if one.method.startswith("tree")]
    best = next((one for one in trees if one.method == "tree single 0.99"), trees[-1])
    shown = [*(one for one in found if not one.method.startswith("tree")), best]
    return {
        "cards": plots.considered(shown, "cards"),
        "decks": plots.considered(shown, "decks"),
        "success": plots.success_by_turn(shown),
        "success_trees": plots.success_by_turn(trees[:3]),
        "reliability": plots.reliability(shown),
    }
