"""`planner check`: is this agent fit to play?"""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from random import Random
from typing import Annotated, Final

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from planner.agents.agent_spec import agent_spec
from planner.agents.user_agents import is_user_agent
from planner.arena.match.referee import TimeLimits
from planner.arena.tournament.agent_trial import Trial, try_agent
from planner.arena.tournament.experiment import MEMORY
from planner.cli.common import Cards, NoColor, console, examples, one_line
from planner.cli.files import check_file
from planner.errors import PlannerError, quote
from planner.game import HasCards, require
from planner.games import DEFAULT, load_game

EXIT_BAD: Final = 1
_LAST_LINES: Final = 10
# What an agent is tried with, unless told otherwise: enough that most kinds of cards come up.
_SETUPS: Final = {
    "hearthstone": ("mage warrior", "thesis_paladin hunter", "warlock druid", "priest rogue"),
    "spire": ("starter", "batter"),
}


def register(app: typer.Typer) -> None:
    """Add this module's command."""
    app.command(
        epilog=examples(
            "planner check my_bot:Bot",
            "planner check experiments.example_bot:Finisher --seconds 5",
            "planner check my_bot:Bot --setup 'mage warrior' --move-time 0.5",
            "planner check 'cmd:./mybot --fast' --memory 512",
            "planner check my_bot:Fighter --game spire",
            "planner check my_cards.yaml",
            "planner check tiny.yaml --cards my_cards.yaml --rules '{deck_size: 6}'",
        )
    )(check)


def check(
    what: Annotated[
        str, typer.Argument(metavar="WHAT", help="An agent of yours: module:Class, or cmd:COMMAND; or a file.")
    ],
    seconds: Annotated[
        float, typer.Option(min=0.1, max=86_400, help="How long to play: the match that runs then is the last.")
    ] = 60.0,
    setups: Annotated[
        list[str] | None,
        typer.Option("--setup", metavar="WORDS", help="What to play, as `planner play` has it; may be given again."),
    ] = None,
    of: Annotated[
        str, typer.Option("--game", metavar="GAME", help="The game that it plays, or module:GAME.")
    ] = DEFAULT,
    move_time: Annotated[float, typer.Option(min=0.001, max=3600, help="Seconds that it has for a decision.")] = 60.0,
    memory: Annotated[
        int, typer.Option(min=64, max=2**20, metavar="MIB", help="Memory that each of its processes has.")
    ] = MEMORY,
    seed: Annotated[int, typer.Option(min=0, help="Decides the matches.")] = 1,
    cards: Cards = None,
    rules: Annotated[str, typer.Option(help="Of a deck: the rules that it is for, as `planner play` has them.")] = "",
    kind: Annotated[str, typer.Option(help="Of a file: what it is meant to be, as `planner schema` names it.")] = "",
    no_color: NoColor = False,
) -> None:
    """Try an agent of yours as a tournament would, or read a file of yours.

    An agent plays for a minute in a process of its own, against simple agents
    and from both seats. Shown are its decisions (all legal?), their speed,
    whether equal seeds give equal matches, and its memory.

    A file holds cards, a deck, rules, a weight profile, an experiment or a
    scenario. Shown are what kind it is, what is in it, and all that is wrong
    with it: the line, the value and what would be right.

    The exit code is 0 if all is well, and 1 if not.
    """
    if not is_user_agent(what) and (what.endswith((".yaml", ".yml")) or Path(what).is_file()):
        owner = load_game(of, [os.getcwd()])
        if cards:
            owner = require(owner, HasCards, "--cards").with_cards(cards)
        if not check_file(
            console(no_color),
            Path(what),
            owner,
            rules,
            kind,
        ):
            raise typer.Exit(EXIT_BAD)
        return
    if not is_user_agent(what):
        raise PlannerError(f"{quote(what)} is neither an agent such as my_bot:Bot or cmd:./mybot nor a file")
    folders = [os.getcwd()]
    played = load_game(of, folders)
    words = setups or _SETUPS.get(of)
    if not words:
        raise PlannerError(f"--setup: is needed for {of}, as `planner play` has it")
    found = [played.setup_from_words(_words(one)) for one in words]
    seats = played.seats(played.start(found[0], Random(0)))
    out = console(no_color)
    with out.status("playing") as status:
        trial = try_agent(
            agent_spec(what, played), played, found, seats, seconds, seed, TimeLimits(move_time, None), memory, folders,
            watch=lambda matches: status.update(f"playing: {matches} matches"),
        )  # fmt: skip
    _show(out, what, trial, move_time, memory)
    if not trial.passed:
        raise typer.Exit(EXIT_BAD)


def _words(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError as error:
        raise PlannerError(f"--setup: {quote(line)}: {error}") from None


def _show(out: Console, what: str, trial: Trial, move_time: float, memory: int) -> None:
    """The findings, one line for each question."""
    against = f" against {' and '.join(trial.opponents)}" if trial.opponents else ""
    matches = "1 match" if trial.matches == 1 else f"{trial.matches} matches"
    out.print(Text(f"{what}: {matches}{against} in {trial.seconds:.1f} s, {trial.won} won"))
    table = Table.grid(padding=(0, 2, 0, 0))
    times = trial.times
    for reason, number in trial.faults.items():
        often = "once" if number == 1 else f"{number} times"
        table.add_row("decisions", Text("bad", style="red"), Text(f"lost {often} by {one_line(reason)}"))
    if not trial.faults:
        table.add_row("decisions", Text("good", style="green"), f"{len(times)}, all legal and in time")
    if times:
        mean, most = sum(times) / len(times), times[-1]
        percentile = times[min(len(times) - 1, int(0.95 * len(times)))]
        told = f"mean {_ms(mean)}, 95 % within {_ms(percentile)}, slowest {_ms(most)}; allowed are {move_time:g} s"
        table.add_row("speed", "", told)
    if trial.unequal is None:
        table.add_row("same seed", Text("good", style="green"), "the same match twice")
    else:
        table.add_row("same seed", Text("bad", style="red"), Text(one_line(trial.unequal)))
    used = f"at most {trial.memory} MiB" if trial.memory else "not known: no match came to its end"
    table.add_row("memory", "", f"{used}; allowed are {memory} MiB")
    out.print(table)
    if trial.stderr and not trial.passed:
        out.print(Text("It wrote to stderr, the last time:"))
        for line in trial.stderr.splitlines()[-_LAST_LINES:]:
            out.print(Text(f"  {one_line(line)}", style="dim"))


def _ms(seconds: float) -> str:
    return f"{1000 * seconds:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"
