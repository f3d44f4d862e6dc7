"""`planner bench`: how fast this machine does what, measured now."""

from __future__ import annotations

from itertools import count, permutations
from time import perf_counter
from typing import Annotated

import typer

from planner.arena.match import play_match
from planner.cards.decks import Deck, deck_names, load_deck
from planner.cli.common import console, examples
from planner.files import PlannerError
from planner.rules.ruleset import Ruleset

bench = typer.Typer(no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Add this module's commands."""
    app.add_typer(bench, name="bench")


@bench.callback(epilog=examples("planner bench rules"))
def _bench() -> None:
    """Measure how fast this machine is."""


@bench.command(epilog=examples("planner bench rules", "planner bench rules --seconds 20"))
def rules(
    seconds: Annotated[float, typer.Option(min=0.1, max=3600, help="How long to measure.")] = 5.0,
    seed: Annotated[int, typer.Option(help="Of the first match; the next ones count on.")] = 1,
) -> None:
    """Matches and actions per second: random play on one core.

    The decks and the rules are the thesis's, so only the referee is measured.
    """
    ruleset = Ruleset.of("thesis")
    decks = _thesis_decks(ruleset)
    pairs = list(permutations(decks, 2))
    play_match(("random", "random"), pairs[0], ruleset, seed)  # what is loaded once, is loaded now
    matches = actions = turns = 0
    begin = perf_counter()
    for number in count():
        record = play_match(("random", "random"), pairs[number % len(pairs)], ruleset, seed + number)
        matches += 1
        turns += len(record.turns)
        actions += sum(len(turn.moves) for turn in record.turns)
        if perf_counter() - begin >= seconds:
            break
    took = perf_counter() - begin
    console().print(
        f"{matches / took:.0f} matches/s, {actions / took:.0f} actions/s "
        f"({matches} matches of {actions / matches:.0f} actions and {turns / matches:.1f} turns in {took:.1f} s)",
        soft_wrap=True,
    )


def _thesis_decks(ruleset: Ruleset) -> list[Deck]:
    names = [name for name in deck_names() if name.startswith("thesis_")]
    if len(names) < 2:
        raise PlannerError("there are no thesis decks to play with")
    return [load_deck(name, size=ruleset.deck_size, copies=ruleset.copies) for name in names]
