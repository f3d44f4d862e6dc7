"""`planner bench`: how fast this machine does what, measured now."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import permutations
from random import Random
from time import process_time
from typing import Annotated

import typer

from planner.arena.match.referee import play_match
from planner.bench.benchmark_positions import thesis_decks
from planner.cli import bench_battles, bench_growth, bench_serve, bench_start, bench_turns
from planner.cli.common import console, examples
from planner.game import AnyGame
from planner.games.hearthstone.hearthstone_game import GAME
from planner.games.hearthstone.match_setup import MatchSetup
from planner.games.hearthstone.rules.ruleset import Ruleset

bench = typer.Typer(no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Add this module's commands."""
    bench_turns.register(bench)
    bench_growth.register(bench)
    bench_battles.register(bench)
    bench_serve.register(bench)
    bench_start.register(bench)
    app.add_typer(bench, name="bench")


@bench.callback(epilog=examples("planner bench turns", "planner bench rules"))
def _bench() -> None:
    """Measure how fast this machine is."""


@bench.command(epilog=examples("planner bench rules", "planner bench rules --seconds 20"))
def rules(
    seconds: Annotated[float, typer.Option(min=0.1, max=3600, help="How long to measure, in processor time.")] = 5.0,
    seed: Annotated[int, typer.Option(help="Of the first match; the next ones count on.")] = 1,
) -> None:
    """Matches and actions per second: random play on one core.

    The decks and the rules are the thesis's. First the rules alone, what is
    legal and what it does: as tournaments ask them, compiled where there was
    a compiler, and as the readable referee, their authority, carries them
    out. Then whole matches between agents, who see only what a player sees,
    and whose every action is verified.
    """
    ruleset = Ruleset.of("thesis")
    setups = [MatchSetup(decks, ruleset) for decks in permutations(thesis_decks(ruleset), 2)]
    ways: tuple[tuple[str, Callable[[MatchSetup, int], int]], ...] = (
        ("rules of tournaments", partial(_rules_alone, GAME)),
        ("readable referee", partial(_rules_alone, GAME.referee())),
        ("whole matches", _whole_match),
    )
    out = console()
    for title, play in ways:
        play(setups[0], seed)  # what is loaded once, is loaded now
        matches = actions = 0
        begin = process_time()
        while (took := process_time() - begin) < seconds / len(ways):
            actions += play(setups[matches % len(setups)], seed + matches)
            matches += 1
        counted = f"{matches} matches of {actions / matches:.0f} actions in {took:.1f} s"
        out.print(
            f"{title}: {matches / took:.0f} matches/s, {actions / took:.0f} actions/s ({counted})", soft_wrap=True
        )


def _rules_alone(of: AnyGame, setup: MatchSetup, seed: int) -> int:
    """Play a random match, and count the actions."""
    rng = Random(seed)
    state = of.start(setup, rng)
    outcome, legal_actions, apply = of.outcome, of.legal_actions, of.apply
    count = 0
    while outcome(state) is None:
        actions = legal_actions(state)
        state = apply(state, actions[int(rng.random() * len(actions))], rng)
        count += 1
    return count


def _whole_match(setup: MatchSetup, seed: int) -> int:
    """The same with agents, as the arena plays it."""
    record = play_match(("random", "random"), setup, seed)
    return sum(len(turn.moves) for turn in record.turns)
