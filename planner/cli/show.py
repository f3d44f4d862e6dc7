"""A match on the screen: the table as each turn begins, and what was done in words."""

from __future__ import annotations

from typing import Final

from rich import box
from rich.console import Console
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from planner.arena.match.record import MatchRecord
from planner.arena.match.replay import walk, walk_turns
from planner.cli.turns import number_words
from planner.game import require
from planner.planning.capabilities import JudgesTurns
from planner.planning.plan import BARRED, LUCK, UNPROVED, UnjudgedError

SEAT_STYLES: Final = ("bold cyan", "bold magenta", "bold green", "bold yellow")
_ESTIMATES: Final = {
    LUCK: "estimate: luck",
    UNPROVED: "estimate: not proved",
    BARRED: "estimate: against the profile's rules",
}


def show_match(out: Console, record: MatchRecord) -> None:
    """Print the whole match."""
    game = record.game
    names = game.seat_names(record.initial)
    for seat, (name, agent) in enumerate(zip(names, record.agents, strict=True)):
        out.print(Text.assemble((name, _style(seat)), f" is played by {agent}"))
    for column, value in game.setup_columns(record.setup).items():
        out.print(Text(f"{column.replace('_', ' ')}: {value}", style="dim"))
    moves = walk(record)
    last = record.initial
    for turn in record.turns:
        title = f"{f'Turn {turn.number}' if turn.number else 'Before the first turn'}: {names[turn.seat]}"
        out.print()
        out.print(Rule(Text(title, style=_style(turn.seat)), align="left", style="dim"))
        if turn.number:
            out.print(Text(game.show(last, out.width)))
        for _ in turn.moves:
            before, move, last = next(moves)
            _print_marked(
                out, Text("> ", style=_style(turn.seat)), Text(game.describe_action(before, move.action, last))
            )
    out.print(Rule(style="dim"))
    out.print(outcome_text(record))


def outcome_text(record: MatchRecord) -> Text:
    """The last line: who won, by what, and how long it took."""
    end = record.outcome
    names = record.game.seat_names(record.initial)
    who = [f"{name} ({agent})" for name, agent in zip(names, record.agents, strict=True)]
    length = f"{end.rounds} rounds" if end.rounds != 1 else "1 round"
    kind, _, detail = end.reason.partition(": ")
    detail = f": {detail}" if detail else ""
    if len(who) == 1:
        verb = " wins " if end.winner == 0 else " loses "
        return Text.assemble((who[0], _style(0)), verb, f"by {kind} after {length}{detail}.")
    if end.winner is None:
        return Text(f"Nobody wins: {end.reason}, after {length}.")
    losers = " and ".join(one for seat, one in enumerate(who) if seat != end.winner)
    forfeit = f" of {losers}" if detail else ""
    return Text.assemble((who[end.winner], _style(end.winner)), " wins ", f"by {kind}{forfeit} after {length}{detail}.")


def show_regrets(out: Console, record: MatchRecord, profile: str) -> None:
    """Print what each turn earned by these weights, and what the best one would have."""
    game = require(record.game, JudgesTurns, "--regret")
    names = record.game.seat_names(record.initial)
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False)
    table.add_column("turn", justify="right")
    table.add_column("")
    for title in ("earned", "best", "regret"):
        table.add_column(title, justify="right")
    table.add_column("")
    for before, turn, chance in walk_turns(record):
        if turn.number:
            who = Text(names[turn.seat], style=_style(turn.seat))
            try:
                found = game.regret(before, [move.action for move in turn.moves], chance, profile)
            except UnjudgedError as error:
                table.add_row(str(turn.number), who, "", "", "", Text(str(error), style="dim"))
                continue
            why = _ESTIMATES.get(found.estimate or "", "missed a certain win" if found.missed_win else "")
            numbers = (number_words(value) for value in (found.earned, found.plan.objective, found.value))
            table.add_row(str(turn.number), who, *numbers, Text(why, style="dim"))
    out.print(table)


def _style(seat: int) -> str:
    return SEAT_STYLES[seat % len(SEAT_STYLES)]


def _print_marked(out: Console, mark: Text, text: Text) -> None:
    """A long line goes on below itself, not below its mark."""
    for number, line in enumerate(text.wrap(out, max(20, out.width - 4))):
        line.rstrip()
        out.print(Text.assemble("  ", mark if number == 0 else "  ", line))
