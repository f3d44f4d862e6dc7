"""`planner play` and `planner replay`."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random
from typing import Annotated, Final

import typer
from rich.text import Text

from planner.agents.agent_spec import agent_names
from planner.arena.match.record import MatchRecord
from planner.arena.match.referee import play_match
from planner.arena.match.replay import load_log, verify_log
from planner.cli.common import EXIT_REFUSED, Cards, NoColor, console, examples, json_text, one_line, write_text
from planner.cli.show import outcome_text, show_match, show_regrets
from planner.errors import PlannerError
from planner.game import HasCards, require
from planner.games import DEFAULT, game_names, load_game

_AGENTS: Final = {DEFAULT: ("true_balanced", "greedy"), "spire": ("lookahead",)}
_JsonFile = Annotated[
    str, typer.Option("--json", metavar="FILE", help="Write the log of the match; - prints it and nothing else.")
]


def register(app: typer.Typer) -> None:
    """Add this module's commands."""
    app.command(
        epilog=examples(
            "planner play mage warrior",
            "planner play mage my_deck.yaml --agents greedy,greedy --seed 7",
            "planner play thesis_paladin thesis_warrior --rules thesis --json match.json",
            "planner play tiny.yaml tiny.yaml --cards my_cards.yaml --rules '{deck_size: 6}'",
            "planner play starter --game spire --agents random",
        )
    )(play)
    app.command(
        epilog=examples(
            "planner replay match.json",
            "planner replay match.json --show",
            "planner replay match.json --regret true_balanced",
            "planner replay results/thesis --game 1234",
            "planner replay results/thesis --game 1234 --json match.json",
        )
    )(replay)


def play(
    setup: Annotated[
        list[str],
        typer.Argument(metavar="DECK ENEMY_DECK", help="Names from `planner decks`, or YAML files; as the game needs."),
    ],
    agents: Annotated[
        str,
        typer.Option(
            help=f"Who plays, first and second, with a comma between: {', '.join(agent_names())}. "
            f"{' and '.join(_AGENTS[DEFAULT])} unless given; in battles {_AGENTS['spire'][0]}."
        ),
    ] = "",
    seed: Annotated[int, typer.Option(help="Decides shuffle, luck and agents: the same seed, the same match.")] = 1,
    rules: Annotated[
        str, typer.Option(help="thesis, standard, a YAML file, or what differs from standard: '{hero_health: 15}'.")
    ] = "",
    cards: Cards = None,
    of: Annotated[
        str, typer.Option("--game", metavar="GAME", help=f"{', '.join(game_names())}, or module:GAME.")
    ] = DEFAULT,
    json_file: _JsonFile = "",
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only how it ended.")] = False,
    no_color: NoColor = False,
) -> None:
    """Play one match and show it turn by turn.

    A turn begins with the table: both heroes and their boards, the enemy's
    above, and the hand. A double frame is a taunt minion. Then come the
    actions and what they led to. With --json the match is written down as
    well, and `planner replay` can check it.
    """
    played = load_game(of, [os.getcwd()])
    if cards:
        played = require(played, HasCards, "--cards").with_cards(cards)
    match = played.setup_from_words(setup, rules)
    names = [name.strip() for name in agents.split(",")] if agents else _AGENTS.get(of)
    if names is None:
        names = ["random"] * played.seats(played.start(match, Random(seed)))
    record = play_match(names, match, seed, played, digests=bool(json_file))
    if _written(record, json_file):
        return
    out = console(no_color)
    if quiet:
        out.print(outcome_text(record))
    else:
        show_match(out, record)


def _written(record: MatchRecord, json_file: str) -> bool:
    """Write the log where that is wanted; True where it was printed and nothing else may be."""
    if json_file:
        log = json_text(record.to_dict()) + "\n"
        if json_file == "-":
            typer.echo(log, nl=False)
            return True
        write_text(Path(json_file), log)
    return False


def replay(
    log: Annotated[
        Path, typer.Argument(metavar="LOG", help="A log that `planner play --json` wrote, or a tournament's folder.")
    ],
    number: Annotated[
        int | None, typer.Option("--game", metavar="N", min=0, help="Of a tournament's folder: this game of the table.")
    ] = None,
    json_file: _JsonFile = "",
    own: Annotated[
        str, typer.Option("--import", metavar="MODULE:GAME", help="The log is of this game of yours: import it.")
    ] = "",
    show: Annotated[bool, typer.Option("--show", help="Show the match as well, turn by turn.")] = False,
    profile: Annotated[
        str, typer.Option("--regret", metavar="PROFILE", help="Also what each turn fell short of, by these weights.")
    ] = "",
    no_color: NoColor = False,
) -> None:
    """Check the log of a match, or a game of a tournament.

    Every move is made again, by the rules and with the same luck. The exit
    code is 0 if all is as it is written there. Otherwise it is 2, and one
    line names the first difference: the turn, the action, what the log
    expects and what the rules say. A game of a tournament is played again
    from its seed, compared with the table, and shown. --regret compares each
    turn with the best one that the planner finds under a weight profile.
    """
    if number is not None:
        from planner.arena.report.tournament_results import find_results  # noqa: PLC0415
        from planner.arena.tournament.rerun import rerun_game  # noqa: PLC0415  (reads tables, which takes a second)

        record, problem = rerun_game(find_results(log), number)
        where = f"{log}, game {number}"
    elif log.is_dir():
        raise PlannerError(f"{log}: is a folder of results; which of its games, says --game")
    else:
        record, problem, where = load_log(log, load_game(own, [os.getcwd()]) if own else None), None, str(log)
    verdict = verify_log(record)
    problem = problem or verdict.problem
    if problem is not None:
        typer.echo(f"{where}: {one_line(problem)}", err=True)
        raise typer.Exit(EXIT_REFUSED)
    if _written(record, json_file):
        return
    out = console(no_color)
    if show or number is not None:
        show_match(out, record)
        for name, said in zip(record.agents, record.stderr, strict=False):
            for line in said.splitlines():
                out.print(Text(f"{name}: {one_line(line)}", style="dim"), soft_wrap=True)
    if profile:
        show_regrets(out, record, profile)
    turns = sum(turn.number > 0 for turn in record.turns)
    summary = f"{where}: {verdict.moves} moves in {turns} turns, all as the rules say. "
    out.print(Text(summary) + outcome_text(record), soft_wrap=True)
