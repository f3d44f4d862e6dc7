"""A match on the screen: a header for each turn, what was done in words, and the boards that it left."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rich.console import Console
from rich.rule import Rule
from rich.text import Text

from planner.arena.record import MatchRecord
from planner.arena.replay import Step, walk
from planner.cli.words import Names, hero_words, keyword_words, narrate
from planner.games.hearthstone.cards.keywords import DIVINE_SHIELD, FROZEN, STEALTH, TAUNT
from planner.games.hearthstone.rules.actions import EndTurn
from planner.games.hearthstone.rules.match import Outcome
from planner.games.hearthstone.rules.state import Minion, Player, hero_attack

STYLES: Final = {"act": "", "harm": "yellow", "help": "green", "death": "red", "arrival": "cyan", "card": "dim"}
SEAT_STYLES: Final = ("bold cyan", "bold magenta")
_ROUND: Final = "╭─╮│╰╯"
_DOUBLE: Final = "╔═╗║╚╝"  # a taunt minion is a wall


def show_match(out: Console, record: MatchRecord) -> None:
    """Print the whole match."""
    heroes = hero_names(record)
    for seat in (0, 1):
        out.print(
            Text.assemble((heroes[seat], SEAT_STYLES[seat]), f": {record.decks[seat]}, played by {record.agents[seat]}")
        )
    turn: list[Step] = []
    for step in walk(record):
        if turn and step.before.turn != turn[-1].before.turn:
            _show_turn(out, turn, heroes)
            turn = []
        turn.append(step)
    if turn:
        _show_turn(out, turn, heroes)
    out.print(Rule(style="dim"))
    out.print(outcome_text(record))


def hero_names(record: MatchRecord) -> Names:
    """The heroes' classes, numbered where both are of one class."""
    first, second = (record.initial.player(seat).hero.hero_class.capitalize() for seat in (0, 1))
    return (f"{first} 1", f"{second} 2") if first == second else (first, second)


def outcome_text(record: MatchRecord) -> Text:
    """The last line: who won, by what, and how long it took."""
    heroes = hero_names(record)
    end: Outcome = record.outcome
    length = f"{record.rounds} rounds" if record.rounds != 1 else "1 round"
    if end.winner is None:
        return Text(f"Nobody wins: {end.reason}, after {length}.")
    winner = f"{heroes[end.winner]} ({record.agents[end.winner]})"
    forfeit = f" of {heroes[1 - end.winner]} ({record.agents[1 - end.winner]})" if ":" in end.reason else ""
    kind, _, detail = end.reason.partition(": ")
    detail = f": {detail}" if detail else ""
    return Text.assemble(
        (winner, SEAT_STYLES[end.winner]), " wins ", f"by {kind}{forfeit} after {length}{detail}."
    )


def _show_turn(out: Console, steps: list[Step], heroes: Names) -> None:
    start = steps[0].before
    seat = start.seat
    out.print()
    out.print(Rule(Text(f"Turn {start.turn}: {heroes[seat]}", style=SEAT_STYLES[seat]), align="left", style="dim"))
    width = max(map(len, heroes))
    for number in (seat, 1 - seat):
        out.print(Text("  ") + _hero_line(start.player(number), heroes[number], width, number, number == seat))
    hand = ", ".join(f"{card.card.name} ({card.cost})" for card in start.me.hand)
    _print_marked(out, Text("hand", style="dim"), Text(hand or "nothing", style="dim"))
    for step in steps:
        ended = isinstance(step.move.action, EndTurn)
        told = _told(step, heroes)
        if told:
            mark = Text("then", style="dim") if ended else Text(">", style=SEAT_STYLES[seat])
            _print_marked(out, mark, told)
    end = steps[-1].after
    for number in (1 - seat, seat):
        for place, line in enumerate(board_lines(end.player(number).board, out.width - width - 6)):
            name = heroes[number] if place == 1 else ""
            out.print(Text.assemble("  ", (name.ljust(width), SEAT_STYLES[number]), "  ", line))


def _print_marked(out: Console, mark: Text, text: Text) -> None:
    """A long line goes on below itself, not below its mark."""
    mark.pad_right(4 - mark.cell_len)
    for number, line in enumerate(text.wrap(out, max(20, out.width - 8))):
        line.rstrip()
        out.print(Text.assemble("  ", mark if number == 0 else "    ", "  ", line))


def _told(step: Step, heroes: Names) -> Text:
    """What happened, in one line; nothing where a turn ended and that was all."""
    events = narrate(step.before, step.move.action, step.after, heroes)
    if isinstance(step.move.action, EndTurn):
        events = events[1:]  # the next header says that the turn is over
    return Text("; ").join(Text(event.text, style=STYLES[event.kind]) for event in events)


def _hero_line(player: Player, name: str, width: int, seat: int, to_move: bool) -> Text:
    hero = player.hero
    line = Text.assemble((name.ljust(width), SEAT_STYLES[seat]))
    line.append(f"  health {hero_words(hero):<5}", style="red" if hero.health <= 10 else "")
    line.append(f"  mana {player.mana if to_move else '-':>2}/{player.crystals:<2}", style="blue")
    line.append(f"  hand {len(player.hand):>2}  deck {len(player.deck):>2}")
    if player.weapon is not None:
        weapon = player.weapon
        line.append(f"  {weapon.card.name} {weapon.attack}/{weapon.durability}", style="yellow")
    elif hero_attack(player):
        line.append(f"  attack {hero_attack(player)}", style="yellow")
    if hero.keywords:
        line.append(f"  {', '.join(keyword_words(hero.keywords))}", style="yellow")
    return line


def board_lines(board: tuple[Minion, ...], width: int) -> Iterator[Text]:
    """The minions as boxes side by side, in as many rows as the width needs."""
    row: list[list[Text]] = []
    used = 0
    for box in map(_box, board):
        size = box[0].cell_len + 1
        if row and used + size > width:
            yield from _join(row)
            row, used = [], 0
        row.append(box)
        used += size
    if row:
        yield from _join(row)


def _join(row: list[list[Text]]) -> Iterator[Text]:
    for lines in zip(*row, strict=True):
        yield Text(" ").join(lines)


def _box(minion: Minion) -> list[Text]:
    """Three lines: the name in the frame, then attack/health and keywords; a double frame is a taunt."""
    kept = minion.keywords
    stats = Text(f"{minion.attack}/")
    hurt = minion.health < minion.max_health
    stats.append(str(minion.health), style="red" if hurt else "green" if minion.health > minion.card.health else "")
    marks = keyword_words(kept)
    if minion.silenced:
        marks.append("silenced")
    if marks:
        stats.append("  " + ", ".join(marks), style="dim")
    corner = _DOUBLE if kept & TAUNT else _ROUND
    frame = "cyan" if kept & FROZEN else "yellow" if kept & DIVINE_SHIELD else "dim" if kept & STEALTH else ""
    inner = max(len(minion.card.name), stats.cell_len) + 2
    stats.pad_right(inner - 2 - stats.cell_len)
    top = Text.assemble(
        (corner[0] + corner[1], frame), (minion.card.name, "bold"),
        (corner[1] * (inner - 1 - len(minion.card.name)) + corner[2], frame),
    )
    middle = Text.assemble((corner[3] + " ", frame), stats, (" " + corner[3], frame))
    bottom = Text(corner[4] + corner[1] * inner + corner[5], style=frame)
    return [top, middle, bottom]

