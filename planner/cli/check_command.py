"""`planner check` and `planner schema`: try an agent, check a file, and print what editors need to know of it."""

from __future__ import annotations

import json
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
from planner.arena.sandbox.remote_agent import START_SECONDS
from planner.arena.tournament.agent_trial import Trial, try_agent
from planner.arena.tournament.experiment import MEMORY
from planner.cli.console import Cards, GameName, add_cards, console, examples, keep_output, named_game, one_line
from planner.errors import PlannerError, quote
from planner.formats.documents import is_file_name, read_text
from planner.game import AnyGame
from planner.games import DEFAULT, load_game
from planner.games.deckbuilder.definition_reader import definition_file

commands = typer.Typer()

EXIT_BAD: Final = 1
_ANY_DECK_BUILDER: Final = "dominion"  # all games of this kind have the same kinds of files
_STDERR_LINES: Final = 10
_SHORTEST_START: Final = 5.0  # seconds: importing a package such as numpy takes a while
# Setups for a trial: together they contain most kinds of cards.
_SETUPS: Final = {
    "hearthstone": ("mage warrior", "thesis_paladin hunter", "warlock druid", "priest rogue"),
    "spire": ("starter", "batter"),
    "dominion": ("'First Game'", "'Size Distortion'", "'Deck Top'"),
}


@commands.command(
    epilog=examples(
        "planner check my_bot:Bot",
        "planner check experiments.example_bot:Finisher --seconds 5",
        "planner check my_bot:Bot --setup 'mage warrior' --move-time 0.5",
        "planner check 'cmd:./mybot --fast' --memory 512",
        "planner check my_bot:Fighter --game spire",
        "planner check my_cards.yaml",
        "planner check ./mygame",
        "planner check ./thorns.py",
        "planner check experiments/states/lethal.json",
        "planner check tiny.yaml --cards my_cards.yaml --rules '{deck_size: 6}'",
    )
)
def check(
    what: Annotated[str, typer.Argument(metavar="WHAT", help="Your agent: module:Class or cmd:COMMAND; or a file.")],
    seconds: Annotated[
        float, typer.Option(min=0.1, max=86_400, help="How long to play; the match that runs then is the last.")
    ] = 60.0,
    setups: Annotated[
        list[str] | None,
        typer.Option("--setup", metavar="WORDS", help="What to play, as for `planner play`; can be repeated."),
    ] = None,
    game_name: GameName = DEFAULT,
    move_time: Annotated[float, typer.Option(min=0.001, max=3600, help="Seconds for each decision.")] = 60.0,
    memory: Annotated[
        int, typer.Option(min=64, max=2**20, metavar="MIB", help="Memory for each process of the agent.")
    ] = MEMORY,
    seed: Annotated[int, typer.Option(min=0, help="Decides the matches.")] = 1,
    cards: Cards = None,
    rules: Annotated[str, typer.Option(help="For a deck: its rules, as for `planner play`.")] = "",
    kind: Annotated[str, typer.Option(help="For a file: its kind, as `planner schema` names it.")] = "",
) -> None:
    """Try your agent as a tournament would, or check a file.

    An agent plays for a minute in a process of its own, against simple agents
    and from both seats. The output shows whether its decisions are legal,
    their speed, whether equal seeds give equal matches, and its memory.

    A file contains cards, a deck, rules, a weight profile, an experiment, a
    search for weights, a state, a scenario, a deck-building game or a bot of
    one; a folder is that of a deck-building game. The output shows its kind,
    its content, and every mistake with the line, the value and what would be
    right. A Python file is an extension of the battles: it runs, and battles
    with its cards are tried.

    The exit code is 0 if everything is correct, and 1 if not.
    """
    if what.endswith(".py") and Path(what).is_file():
        _check_extension(console(), what, seed)
        return
    # A game that is named as its own game may have mistakes, which are listed below.
    is_own_game = Path(what).is_file() and Path(game_name).is_file() and Path(what).samefile(game_name)
    game = named_game(_ANY_DECK_BUILDER if is_own_game else game_name)
    if Path(what).is_dir():
        what, game, kind = str(definition_file(Path(what))), load_game(_ANY_DECK_BUILDER), "game"
    if not is_user_agent(what) and (is_file_name(what) or what.endswith(".json") or Path(what).is_file()):
        if not _check_file(console(), Path(what), add_cards(game, cards), rules, kind):
            raise typer.Exit(EXIT_BAD)
        return
    if not is_user_agent(what):
        raise PlannerError(f"{quote(what)} is neither an agent such as my_bot:Bot or cmd:./mybot nor a file")
    words = setups or _SETUPS.get(game_name)
    if not words:
        raise PlannerError(f"--setup: is required for {game_name}, as for `planner play`")
    matches = [game.setup_from_words(_split(line)) for line in words]
    seats = game.seats(game.start(matches[0], Random(0)))
    out = console()
    with out.status("playing") as status:
        trial = try_agent(
            agent_spec(what, game),
            game,
            matches,
            seats,
            seconds,
            seed,
            TimeLimits(move_time, None, min(START_SECONDS, max(seconds, _SHORTEST_START))),
            memory,
            [os.getcwd()],
            watch=lambda count: status.update(f"playing: {count} matches"),
        )
    _show_trial(out, what, trial, move_time, memory)
    if not trial.passed:
        raise typer.Exit(EXIT_BAD)


def _split(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError as error:
        raise PlannerError(f"--setup: {quote(line)}: {error}") from None


def _show_trial(out: Console, what: str, trial: Trial, move_time: float, memory: int) -> None:
    """Print the results of a trial, one line for each question."""
    against = f" against {' and '.join(trial.opponents)}" if trial.opponents else ""
    matches = f"{trial.matches} {'match' if trial.matches == 1 else 'matches'}"
    out.print(Text(f"{what}: {matches}{against} in {trial.seconds:.1f} s, {trial.won} won"))
    table = Table.grid(padding=(0, 2, 0, 0))
    good, bad = Text("good", style="green"), Text("bad", style="red")
    times = trial.times
    for reason, number in trial.faults.items():
        often = "once" if number == 1 else f"{number} times"
        table.add_row("decisions", bad, Text(f"lost {often} by {one_line(reason)}"))
    if not trial.faults:
        table.add_row("decisions", good, f"{len(times)}, all legal and in time")
    if times:
        mean, slowest = sum(times) / len(times), times[-1]
        percentile = times[min(len(times) - 1, int(0.95 * len(times)))]
        speed = f"mean {_time(mean)}, 95 % within {_time(percentile)}, slowest {_time(slowest)}"
        table.add_row("speed", "", f"{speed}; the limit is {move_time:g} s")
    if trial.unequal is None:
        table.add_row("same seed", good, "the same match twice")
    else:
        table.add_row("same seed", bad, Text(one_line(trial.unequal)))
    used = f"at most {trial.memory} MiB" if trial.memory else "unknown: no match was finished"
    table.add_row("memory", "", f"{used}; the limit is {memory} MiB")
    out.print(table)
    if trial.stderr and not trial.passed:
        out.print(Text(f"Its last output on stderr, complete in {keep_output(trial.stderr)}:"), soft_wrap=True)
        for line in trial.stderr.splitlines()[-_STDERR_LINES:]:
            out.print(Text(f"  {one_line(line)}", style="dim"))


def _time(seconds: float) -> str:
    return f"{1000 * seconds:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"


# -- files


def _check_file(out: Console, path: Path, game: AnyGame, rules: str, kind: str) -> bool:
    """Print the kind and content of a file and every mistake; return whether it is correct."""
    from planner.file_kinds import find_kind  # noqa: PLC0415  (schemas take a while to build)

    read_text(path)  # a missing file is an error of the command
    try:
        file_kind = find_kind(path, game, kind)
    except PlannerError as error:
        _show_problems(out, error)
        return False
    owner = "" if file_kind.game == game.name == DEFAULT else f" ({file_kind.game})"
    out.print(Text.assemble(f"{path}: ", (f"{file_kind.name}{owner}", "bold")), soft_wrap=True)
    try:
        lines = file_kind.read(path, rules)
    except PlannerError as error:
        _show_problems(out, error)
        return False
    for line in lines:
        style = "yellow" if line.startswith("warning: ") else ""
        out.print(Text(f"  {one_line(line)}", style=style), soft_wrap=True)
    out.print(Text("  correct", style="green"))
    return True


def _check_extension(out: Console, what: str, seed: int) -> None:
    """Print what a Python file adds to the battles, and whether battles with it keep the rules of all games."""
    from planner.games.spire.extension_trial import describe_extension, try_extension  # noqa: PLC0415  (see above)

    path = what if "/" in what or os.sep in what else f"./{what}"
    out.print(Text.assemble(f"{what}: ", ("extension (spire)", "bold")), soft_wrap=True)
    try:
        game = load_game(path)
        for line in describe_extension(path):
            out.print(Text(f"  {one_line(line)}"), soft_wrap=True)
        out.print(Text(f"  {try_extension(game, path, seed)}"), soft_wrap=True)
    except PlannerError as error:
        _show_problems(out, error)
        raise typer.Exit(EXIT_BAD) from None
    out.print(Text("  correct", style="green"))


def _show_problems(out: Console, error: PlannerError) -> None:
    for problem in error.problems:
        out.print(Text(f"  {one_line(problem)}", style="red"), soft_wrap=True)
    if len(error.problems) > 1:
        out.print(f"  {len(error.problems)} mistakes")


@commands.command(
    epilog=examples(
        "planner schema cards > cards.schema.json",
        "planner schema experiment",
        "planner schema state > state.schema.json",
        "planner schema cards --game spire",
    )
)
def schema(
    kind: Annotated[str, typer.Argument(metavar="KIND", help="Such as cards, deck, profile, tune or state.")],
    game_name: GameName = DEFAULT,
) -> None:
    """Print the JSON schema of a kind of file, for editors.

    Everything that the reader accepts is valid. A schema cannot describe all
    that the reader checks, such as whether a card exists: use
    `planner check FILE` for that.
    """
    from planner.file_kinds import named_kind  # noqa: PLC0415  (see above)
    from planner.formats.json_schema import DRAFT  # noqa: PLC0415

    file_kind = named_kind(named_game(game_name), kind)
    title = f"{file_kind.name} ({file_kind.game}), as planner reads it"
    typer.echo(json.dumps({"$schema": DRAFT, "title": title, **file_kind.schema()}, indent=2, ensure_ascii=False))
