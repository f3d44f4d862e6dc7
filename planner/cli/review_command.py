"""`planner review` and `planner watch`: the client's logs of the real game, turn by turn."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer
from rich.text import Text

from planner.cli.console import AsJson, console, data_table, examples, write_text
from planner.errors import PlannerError

if TYPE_CHECKING:  # the planner takes a while, and help does not need it
    from rich.console import Console

    from planner.games.hearthstone.logs.match_review import MatchReview, ReviewedTurn

commands = typer.Typer()

_STRONGEST: Final = "champion_standard"  # Weights.strongest; help does not wait for that module
Profile = Annotated[
    str,
    typer.Option(
        "--weights", metavar="PROFILE", help=f"What a good turn is: a profile or its file. Default: {_STRONGEST}."
    ),
]
Seat = Annotated[
    int | None,
    typer.Option("--player", min=1, max=2, help="Whose turns: 1 or 2; by default the player whose cards are shown."),
]


@commands.command(
    epilog=examples(
        "planner review Power.log",
        "planner review Power.log --weights aggro_face --html review.html",
        "planner review match.power.log.gz --json",
        "planner review replay.hsreplay.xml --decks Decks.json",
    )
)
def review(
    log: Annotated[Path, typer.Argument(metavar="LOG", help="Power.log or HSReplay XML, also gzipped.")],
    weights: Profile = _STRONGEST,
    player: Seat = None,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write an HTML page with boards and a chart.")
    ] = None,
    decks: Annotated[
        str | None, typer.Option("--decks", metavar="PATH", help="Known decks, to predict the opponent's next card.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Review matches of the real game from the client's log.

    For each own turn: the actions, the best turn under the profile, and the
    points lost. Turns with cards whose effects are not fully supported are
    estimates, marked with ~.
    """
    from planner.games.hearthstone.logs.match_review import review_match  # noqa: PLC0415  (an extra, and slow)
    from planner.games.hearthstone.logs.power_log import read_log  # noqa: PLC0415
    from planner.games.hearthstone.metagame import load_metagame  # noqa: PLC0415
    from planner.games.hearthstone.turn.hearthstone_weights import Weights  # noqa: PLC0415

    profile = Weights.of(weights)
    known = load_metagame(decks) if decks is not None else None
    reviews = [review_match(match, profile, player, known) for match in read_log(log)]
    if html is not None:
        from planner.cli.review_page import review_page  # noqa: PLC0415  (matplotlib)

        write_text(html, review_page(log.name, reviews))
    if as_json:
        typer.echo(json.dumps({"matches": [match.to_dict() for match in reviews]}, ensure_ascii=False, allow_nan=False))
        return
    screen = console()
    for match in reviews:
        _show(screen, match)
    if html is not None:
        screen.print(f"page: {html}", soft_wrap=True)


def _show(screen: Console, review: MatchReview) -> None:
    screen.print(Text.assemble((players(review), "bold"), f", judged by {review.weights.name}"))
    if review.turns:
        screen.print(data_table(TITLES, [_row(turn) for turn in review.turns]))
    for line in summarise(review):
        screen.print(Text(line, style="bold red" if line.startswith("Missed") else ""), soft_wrap=True)
    if (last := next((turn for turn in reversed(review.turns) if turn.likely), None)) is not None:
        words = f"The opponent's most likely next cards in turn {last.number}: {likely_cards(last)}"
        screen.print(Text(words), soft_wrap=True)
    screen.print()


def _row(turn: ReviewedTurn) -> list[Text]:
    *cells, played, best = cells_of(turn)
    if turn.missed_lethal:
        best = ["LETHAL", *best]
    style = "bold red" if turn.missed_lethal else "dim" if not turn.lost else ""
    return [*map(Text, cells[:-1]), Text(cells[-1], style), Text("\n".join(played)), Text("\n".join(best))]


def players(review: MatchReview) -> str:
    """Return who played against whom."""
    mine, theirs = review.classes
    return f"{review.player} ({mine or '?'}) against {review.opponent} ({theirs or '?'})"


TITLES: Final = ("turn", "mana", "health", "lost", "played", "best")


def cells_of(turn: ReviewedTurn) -> tuple[str, str, str, str, list[str], list[str]]:
    """Return what a table shows of a turn: the number, mana, health, points lost, and what was played and best."""
    state = turn.snapshot.state
    health = f"{state.me.hero.health}:{state.enemy.hero.health}"
    lost = f"{'~' if turn.estimate else ''}{turn.lost:.0f}"
    played = [move.text for move in turn.moves] or ["nothing"]
    return str(turn.number), str(state.me.mana), health, lost, played, best_turn_text(turn)


def likely_cards(turn: ReviewedTurn) -> str:
    """Return the opponent's most likely next cards with their chances."""
    return ", ".join(f"{card} {100 * chance:.0f}%" for card, chance in turn.likely)


def best_turn_text(turn: ReviewedTurn) -> list[str]:
    """Return the best turn in words: the winning one, if there is one."""
    from planner.games.hearthstone.rules.narration import describe_turn  # noqa: PLC0415  (see above)

    plan = turn.lethal_plan or turn.best
    return describe_turn(turn.snapshot.state, plan.actions, briefly=True) or ["end the turn"]


def summarise(review: MatchReview) -> list[str]:
    """Summarise a match in a few lines."""
    moves = [move for turn in review.turns for move in turn.moves]
    missed = [turn for turn in review.turns if turn.missed_lethal]
    lines = []
    if missed:
        sure = [str(turn.number) for turn in missed if not turn.estimate]
        maybe = [str(turn.number) for turn in missed if turn.estimate]
        parts = [f"turn {', '.join(sure)}"] * bool(sure) + [f"probably turn {', '.join(maybe)}"] * bool(maybe)
        lines.append(f"Missed lethal: {'; '.join(parts)}.")
    elif review.turns:
        lines.append("No missed lethal was found.")
    if review.turns:
        exact = [move for move in moves if move.exact]
        legal = sum(not move.illegal_reason for move in moves)
        lines.append(
            f"{len(review.turns)} turns, {sum(turn.estimate for turn in review.turns)} of them estimates (~). "
            f"{legal} of {len(moves)} actions are legal in our rules; of {len(exact)} with fully supported cards, "
            f"{len(review.illegal)} are not."
        )
    else:
        lines.append("No turn of this player in the log.")
    if review.problem:
        lines.append(f"The rest of the log could not be read: {review.problem}.")
    return lines


@commands.command(epilog=examples("planner watch Logs/Power.log", "planner watch Power.log --weights aggro_face"))
def watch(
    log: Annotated[Path, typer.Argument(metavar="LOG", help="The Power.log that the client is writing.")],
    weights: Profile = _STRONGEST,
    player: Seat = None,
    idle: Annotated[
        float | None, typer.Option("--idle", min=0.0, metavar="SECONDS", help="Stop after this time without a line.")
    ] = None,
) -> None:
    """Follow the client's log, and print the plan at the start of each own turn.

    Ctrl-C stops it. A file that the client starts again is read again.
    """
    from planner.games.hearthstone.board_picture import draw_board  # noqa: PLC0415
    from planner.games.hearthstone.logs.match_review import best_turn  # noqa: PLC0415  (an extra, and slow)
    from planner.games.hearthstone.logs.power_log import check_installed  # noqa: PLC0415
    from planner.games.hearthstone.logs.snapshots import follow  # noqa: PLC0415
    from planner.games.hearthstone.rules.narration import describe_turn  # noqa: PLC0415
    from planner.games.hearthstone.turn.hearthstone_weights import Weights  # noqa: PLC0415

    check_installed()
    profile = Weights.of(weights)
    if not log.exists():
        raise PlannerError(f"{log}: no such file")
    screen = console()
    screen.print(f"watching {log} with {profile.name}; press Ctrl-C to stop", soft_wrap=True)
    for snapshot in follow(log, player, idle):
        best, lethal = best_turn(snapshot, profile)
        screen.print(Text(f"Turn {snapshot.state.turn}", style="bold"))
        screen.print(Text(draw_board(snapshot.state)))
        plan = lethal or best
        for number, words in enumerate(describe_turn(snapshot.state, plan.actions), 1):
            screen.print(Text(f"  {number}  {words}"), soft_wrap=True)
        if not plan.actions:
            screen.print("  end the turn")
        if lethal is not None:
            screen.print(Text("Lethal: this turn wins.", style="bold green"))
        if snapshot.unread:
            screen.print(Text(f"~ an estimate: {', '.join(snapshot.unread)}", style="dim"), soft_wrap=True)
