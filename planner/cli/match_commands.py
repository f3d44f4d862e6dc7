"""`planner play` and `planner replay`: a match on the screen, and the check of a match log."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from random import Random
from typing import Annotated, Final

import typer
from rich.console import Console
from rich.rule import Rule
from rich.text import Text

from planner.agents.agent_spec import agent_names
from planner.agents.user_agents import is_user_agent
from planner.arena.match.record import MatchRecord
from planner.arena.match.referee import LEFT, is_forfeit, play_match
from planner.arena.match.replay import load_logs, verify_log, walk, walk_turns
from planner.arena.tournament.agent_trial import play_isolated
from planner.cli.console import (
    EXIT_REFUSED,
    Cards,
    GameName,
    comma_words,
    console,
    counted,
    data_table,
    examples,
    format_number,
    json_text,
    keep_output,
    named_game,
    one_line,
    write_text,
)
from planner.errors import PlannerError
from planner.game import require
from planner.games import DEFAULT
from planner.match_options import setup_columns
from planner.planning.capabilities import JudgesTurns
from planner.planning.plan import BARRED, LUCK, UNPROVED, UnjudgedError

commands = typer.Typer()

_AGENTS: Final = {DEFAULT: ("true_balanced", "greedy"), "spire": ("lookahead",)}
_SEAT_STYLES: Final = ("bold cyan", "bold magenta", "bold green", "bold yellow")
_ESTIMATES: Final = {
    LUCK: "estimate: the turn used its own luck",
    UNPROVED: "estimate: not proved",
    BARRED: "estimate: against the profile's rules",
}
_JsonFile = Annotated[
    str, typer.Option("--json", metavar="FILE", help="Write the log of the match; - prints only that.")
]


@commands.command(
    epilog=examples(
        "planner play mage warrior",
        "planner play mage my_deck.yaml --agents greedy,greedy --seed 7",
        "planner play thesis_paladin thesis_warrior --rules thesis --json match.json",
        "planner play tiny.yaml tiny.yaml --cards my_cards.yaml --rules '{deck_size: 6}'",
        "planner play starter --game spire --agents random",
        "planner play 'First Game' --game dominion --agents random,random",
    )
)
def play(
    setup: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="DECK ENEMY_DECK",
            help="Names from `planner decks`, or YAML files; in deck-building games, the name of a kingdom or nothing.",
        ),
    ] = None,
    agents: Annotated[
        str,
        typer.Option(
            help=f"An agent for each seat, separated by commas: {', '.join(agent_names())}, a bot of the game, "
            f"module:Class, cmd:COMMAND or llm:FILE. By default {' and '.join(_AGENTS[DEFAULT])}, in battles "
            f"{_AGENTS['spire'][0]}, otherwise random."
        ),
    ] = "",
    seed: Annotated[
        int, typer.Option(max=2**64 - 1, help="Decides shuffling, chance and agents: same seed, same match.")
    ] = 1,
    rules: Annotated[
        str,
        typer.Option(help="thesis, standard, a YAML file, or differences from standard such as '{hero_health: 15}'."),
    ] = "",
    cards: Cards = None,
    game_name: GameName = DEFAULT,
    json_file: _JsonFile = "",
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only the outcome.")] = False,
) -> None:
    """Play one match and show it turn by turn.

    A turn begins with the table: both heroes and their boards, with the enemy
    at the top, and the hand. A double frame is a taunt minion. Then come the
    actions and their effects. --json also writes the log of the match, which
    `planner replay` can check.
    """
    game = named_game(game_name, cards)
    match = game.setup_from_words(setup or (), rules)
    names = comma_words(agents, "--agents") or _AGENTS.get(game_name)
    if agents:
        match = game.with_seats(match, len(names or ()))
    if names is None:
        names = ["random"] * game.seats(game.start(match, Random(seed)))
    if any(map(is_user_agent, names)):
        record = play_isolated(names, match, seed, game_name, [os.getcwd()], bool(json_file))
    else:
        record = play_match(names, match, seed, game, digests=bool(json_file))
    if _write_log(record, json_file):
        return
    out = console()
    if quiet:
        out.print(outcome_text(record))
    else:
        show_match(out, record)
        _show_output(out, record)
    if record.outcome.reason.startswith("crash") and any(record.stderr):
        out.print(Text(f"traceback: {keep_output(''.join(record.stderr))}"), soft_wrap=True)


def _show_output(out: Console, record: MatchRecord) -> None:
    """Print what user agents have written to stderr."""
    for name, output in zip(record.agents, record.stderr, strict=False):
        for line in output.splitlines():
            out.print(Text(f"{name}: {one_line(line)}", style="dim"), soft_wrap=True)


def _write_log(record: MatchRecord, json_file: str) -> bool:
    """Write the log if a file is given; return True where it was printed and nothing else may be."""
    if json_file:
        log = json_text(record.to_dict()) + "\n"
        if json_file == "-":
            typer.echo(log, nl=False)
            return True
        write_text(Path(json_file), log)
    return False


@commands.command(
    epilog=examples(
        "planner replay match.json",
        "planner replay match.json --show",
        "planner replay match.json --regret true_balanced",
        "planner replay results/thesis --number 1234",
        "planner replay results/quick --json games.jsonl",
        "planner replay results/thesis --number 1234 --json match.json",
    )
)
def replay(
    log: Annotated[
        Path, typer.Argument(metavar="LOG", help="A log that `planner play --json` wrote, or a tournament's folder.")
    ],
    number: Annotated[
        int | None, typer.Option(metavar="N", min=0, help="Of a folder, or of a file with several logs: one game.")
    ] = None,
    json_file: _JsonFile = "",
    user_game: Annotated[
        str, typer.Option("--game", metavar="MODULE:GAME", help="Your own game, to which the log belongs, or its path.")
    ] = "",
    show: Annotated[bool, typer.Option("--show", help="Show the match as well, turn by turn.")] = False,
    profile: Annotated[
        str, typer.Option("--regret", metavar="PROFILE", help="Also the points lost per turn, by these weights.")
    ] = "",
) -> None:
    """Check the log of a match, or the games of a tournament.

    Every move is made again by the rules, with the same random numbers. The
    exit code is 0 if the log is correct. Otherwise it is 2, and one line names
    the first difference: the turn, the action, what the log expects and what
    the rules give. A game of a tournament is played again from its seed and
    compared with the table; --number shows one of them, otherwise all are
    checked. A file may contain several logs, one a line, as --json writes
    them for a folder. --regret compares each turn with the best one under a
    weight profile.
    """
    if user_game.isdigit():
        raise PlannerError(f"--game: names a game; use --number {user_game} for a game of a tournament")
    is_file = log.suffix in (".json", ".jsonl") or log.is_file() or str(log) == "-"
    if is_file:
        own = named_game(user_game) if user_game else None
        records = load_logs(log, own)
        if number is not None and number >= len(records):
            raise PlannerError(f"--number: {log} has the games 0 to {len(records) - 1}, got {number}")
        if number is None and len(records) > 1:
            _check_all(log, [(record, None) for record in records], range(len(records)), json_file)
            return
        record, problem, where = records[number or 0], None, str(log)
    else:
        from planner.arena.report.tournament_results import find_results  # noqa: PLC0415  (pandas)
        from planner.arena.tournament.rerun import game_numbers, rerun_game  # noqa: PLC0415

        folder = find_results(log)
        if number is None:
            games = game_numbers(folder)
            _check_all(log, (rerun_game(folder, game) for game in games), games, json_file)
            return
        record, problem = rerun_game(folder, number)
        where = f"{log}, game {number}"
    moves = _checked_moves(where, record, problem)
    if _write_log(record, json_file):
        return
    out = console()
    if show or not is_file:
        show_match(out, record)
        _show_output(out, record)
    if profile:
        show_points_lost(out, record, profile)
    turns = sum(turn.number > 0 for turn in record.turns)
    summary = f"{where}: {moves} moves in {turns} turns, all correct. "
    out.print(Text(summary) + outcome_text(record), soft_wrap=True)


def _checked_moves(where: str, record: MatchRecord, problem: str | None) -> int:
    """Return the number of moves of a correct log; print the first difference of another one and exit."""
    verdict = verify_log(record)
    if (problem := problem or verdict.problem) is not None:
        typer.echo(f"{where}: {one_line(problem)}", err=True)
        raise typer.Exit(EXIT_REFUSED)
    return verdict.moves


def _check_all(
    log: Path,
    records: Iterable[tuple[MatchRecord, str | None]],
    numbers: Sequence[int],
    json_file: str,
) -> None:
    """Check many games, and write their logs, one a line, if a file is given."""
    lines: list[str] = []
    moves = 0
    out = console(stderr=json_file == "-")
    with out.status("") as status:
        for count, (game, (record, problem)) in enumerate(zip(numbers, records, strict=True), 1):
            status.update(f"checking game {count:,} of {len(numbers):,}")
            moves += _checked_moves(f"{log}, game {game}", record, problem)
            lines += [json_text(record.to_dict())] if json_file else []
    if json_file:
        write_text(Path(json_file), "\n".join([*lines, ""]))
    out.print(Text(f"{log}: {len(numbers):,} games with {moves:,} moves, all correct."), soft_wrap=True)


# -- a match on the screen


def show_match(out: Console, record: MatchRecord) -> None:
    """Print the whole match."""
    game = record.game
    names = game.seat_names(record.initial)
    for seat, (name, agent) in enumerate(zip(names, record.agents, strict=True)):
        out.print(Text.assemble((name, _style(seat)), f" is played by {agent}"))
    for column, value in setup_columns(game, record.setup).items():
        out.print(Text(f"{column.replace('_', ' ')}: {value}", style="dim"))
    moves = walk(record)
    state = record.initial
    for turn in record.turns:
        title = f"{f'Turn {turn.number}' if turn.number else 'Before the first turn'}: {names[turn.seat]}"
        out.print()
        out.print(Rule(Text(title, style=_style(turn.seat)), align="left", style="dim"))
        if turn.number:
            out.print(Text(game.show(state, out.width)))
        for _ in turn.moves:
            before, move, state = next(moves)
            seat = turn.seat_of(move)
            words = Text(game.describe_action(before, move.action, state))
            if seat != turn.seat:
                words = Text.assemble((names[seat], _style(seat)), ": ", words)
            _print_indented(out, Text("> ", style=_style(seat)), words)
    out.print(Rule(style="dim"))
    out.print(outcome_text(record))


def outcome_text(record: MatchRecord) -> Text:
    """Return the last line: the winner, the reason, and the length."""
    outcome = record.outcome
    names = record.game.seat_names(record.initial)
    players = [f"{name} ({agent})" for name, agent in zip(names, record.agents, strict=True)]
    length = counted(outcome.rounds, "round")
    reason, _, detail = outcome.reason.partition(": ")
    detail = f": {detail}" if detail else ""
    if len(players) == 1:
        verb = " wins " if outcome.winner == 0 else " loses "
        return Text.assemble((players[0], _style(0)), verb, f"by {reason} after {length}{detail}.")
    if len(players) > 2:
        return _places_text(record, players, length)
    if outcome.winner is None:
        return Text(f"Draw: {outcome.reason}, after {length}.")
    losers = " and ".join(player for seat, player in enumerate(players) if seat != outcome.winner)
    forfeit = f" of {losers}" if is_forfeit(outcome.reason) else ""
    winner = (players[outcome.winner], _style(outcome.winner))
    return Text.assemble(winner, " wins ", f"by {reason}{forfeit} after {length}{detail}.")


def _places_text(record: MatchRecord, players: list[str], length: str) -> Text:
    """Return the places of a match of more than two seats, and who forfeited."""
    places = record.outcome.places
    reason = record.outcome.reason.partition(":")[0]
    order = sorted(range(len(players)), key=lambda seat: (places[seat], seat))
    words = Text(f"{reason[:1].upper()}{reason[1:]} after {length}: ")
    for number, seat in enumerate(order):
        shared = "=" if places.count(places[seat]) > 1 else ""
        words.append(f"{', ' if number else ''}{places[seat]}{shared}. ").append(players[seat], style=_style(seat))
    words.append(".")
    for forfeit in record.forfeits:
        words.append(f" {players[forfeit.seat]} forfeited: {forfeit.reason.removeprefix(f'{LEFT}: ')}.")
    return words


def show_points_lost(out: Console, record: MatchRecord, profile: str) -> None:
    """Print the score of each turn by these weights, that of the best turn, and the difference."""
    game = require(record.game, JudgesTurns, "--regret")
    names = record.game.seat_names(record.initial)
    rows: list[Sequence[object]] = []
    for before, turn, chance in walk_turns(record):
        if turn.number:
            player = Text(names[turn.seat], style=_style(turn.seat))
            try:
                regret = game.regret(before, [move.action for move in turn.moves], chance, profile)
            except UnjudgedError as error:
                rows.append((turn.number, player, "", "", "", Text(str(error), style="dim")))
                continue
            note = _ESTIMATES.get(regret.estimate or "", "missed a certain win" if regret.missed_win else "")
            numbers = (format_number(round(value, 2)) for value in (regret.earned, regret.plan.objective, regret.value))
            rows.append((turn.number, player, *numbers, Text(note, style="dim")))
    out.print(data_table(("turn", "", "score", "best", "points lost", ""), rows))


def _style(seat: int) -> str:
    return _SEAT_STYLES[seat % len(_SEAT_STYLES)]


def _print_indented(out: Console, mark: Text, text: Text) -> None:
    """Print a long line so that it continues below itself, not below its mark."""
    for number, line in enumerate(text.wrap(out, max(20, out.width - 4))):
        line.rstrip()
        out.print(Text.assemble("  ", mark if number == 0 else "  ", line))
