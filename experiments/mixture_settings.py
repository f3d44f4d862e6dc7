"""Choose the settings of the mixture on generated sequences of decks and archetypes that it does not know.

    python experiments/mixture_settings.py Decks.json

One setting at a time is changed as long as the objective improves: the share of turns in which a played card is among
the ten likeliest, minus a tenth of the log loss. Neither client logs nor replays are used.
"""

from __future__ import annotations

import sys
from random import Random
from typing import Any

import numpy as np
import typer

from planner.games.hearthstone.metagame import load_metagame
from planner.meta.prediction import Mixture, MixtureSettings
from planner.meta.prediction_study import HELD_OUT, Fold, evaluate, folds

GRID: dict[str, tuple[Any, ...]] = {
    "popularity": (0.0, 0.15, 0.3, 0.5, 1.0),
    "swaps": (0.02, 0.05, 0.1, 0.2, 0.3),
    "flattening": (0.1, 0.2, 0.3, 0.5),
    "sources": ((0.45, 0.4, 0.15), (0.3, 0.5, 0.2), (0.2, 0.5, 0.3), (0.6, 0.3, 0.1), (0.34, 0.33, 0.33)),
    "trust": (0.0, 0.25, 0.5, 1.0),
    "kinds": ((0.9, 0.05, 0.05), (0.8, 0.15, 0.05), (0.85, 0.05, 0.1), (0.95, 0.03, 0.02)),
    "kinds_strength": (2.0, 5.0, 10.0),
    "second_copy": (0.5, 0.9, 1.5, 2.5, 4.0),
}
SEQUENCES = 45
SEED = 42  # other sequences than those that `planner meta evaluate` measures


def measure(settings: MixtureSettings, cases: list[Fold]) -> tuple[float, float]:
    """Return the mean success of the top ten, and the mean log loss."""
    result = evaluate(lambda known, own: Mixture(known, own, settings), "mixture", cases)
    return float((result.rank < 10).mean()), float(np.mean(result.loss))


def main(path: str) -> None:
    """Search, and print every improvement."""
    known = load_metagame(path)
    cases = [case for held_out in HELD_OUT[1:] for case in folds(known, held_out, SEQUENCES, Random(SEED))]
    settings = MixtureSettings()
    success, loss = measure(settings, cases)
    typer.echo(f"{len(cases)} folds; start: top ten {success:.4f}, log loss {loss:.4f}")
    improved = True
    while improved:
        improved = False
        for name, values in GRID.items():
            for value in values:
                if value == getattr(settings, name):
                    continue
                changed = settings._replace(**{name: value})
                other_success, other_loss = measure(changed, cases)
                if other_success - other_loss / 10 > success - loss / 10 + 1e-4:
                    settings, success, loss, improved = changed, other_success, other_loss, True
                    typer.echo(f"{name} = {value}: top ten {success:.4f}, log loss {loss:.4f}")
    typer.echo(str(settings))


if __name__ == "__main__":
    main(sys.argv[1])
