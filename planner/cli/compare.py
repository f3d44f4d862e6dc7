"""`planner compare`: two versions of cards, rules, a deck or an experiment, on the same seeds."""

from __future__ import annotations

import os
from itertools import product
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

import typer
from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from planner.agents.agent_spec import agent_spec
from planner.cli.common import Cards, NoColor, console, examples, json_text, one_line
from planner.errors import PlannerError
from planner.game import AnyGame, HasCards, require
from planner.games import DEFAULT, load_game

if TYPE_CHECKING:
    from planner.arena.tournament.experiment import Experiment
    from planner.arena.tournament.version_comparison import Finding, VersionComparison

OURS: Final = "standard"  # names our own rules, and our own cards
_TWO_WORDS: Final = (DEFAULT,)  # games whose matches two words name, a deck for each seat
_DECKS: Final = {DEFAULT: "mage,warrior", "spire": "starter"}
_AGENTS: Final = {DEFAULT: "greedy", "spire": "lookahead"}
_GAMES: Final = 200
_LINE_SECONDS: Final = 10.0  # between two lines where there is no terminal
_MOST: Final = 1_000_000  # games that are kept in memory


def register(app: typer.Typer) -> None:
    """Add this module's command."""
    app.command(
        epilog=examples(
            "planner compare old_cards.yaml new_cards.yaml --decks tiny.yaml,mage --rules '{deck_size: 6}'",
            "planner compare standard new_cards.yaml --decks mage,warrior",
            "planner compare standard blitz.yaml --decks mage,warrior,hunter --agents greedy,true_balanced",
            "planner compare old_deck.yaml new_deck.yaml --decks warrior,hunter --games 500",
            "planner compare old.yaml new.yaml --game spire --decks my_scenario.yaml --json",
        )
    )(compare)


def compare(
    old: Annotated[str, typer.Argument(metavar="OLD", help="A file with cards, rules, a deck or an experiment.")],
    new: Annotated[
        str, typer.Argument(metavar="NEW", help=f"Another version of it. '{OURS}' stands for our own cards and rules.")
    ],
    decks: Annotated[
        str, typer.Option(help=f"Who meets whom, with commas: every two of them. {_DECKS[DEFAULT]}, unless given.")
    ] = "",
    agents: Annotated[
        str, typer.Option(help=f"Who plays, with commas: everybody in both seats. {_AGENTS[DEFAULT]}, unless given.")
    ] = "",
    games: Annotated[
        int | None, typer.Option(min=2, max=100_000, help=f"Of each pairing in each seat and version: {_GAMES}.")
    ] = None,
    rules: Annotated[str, typer.Option(help="The rules, as `planner play` has them.")] = "",
    cards: Cards = None,
    of: Annotated[str, typer.Option("--game", metavar="GAME", help="The game, or module:GAME.")] = DEFAULT,
    seed: Annotated[
        int | None, typer.Option(min=0, help="The same seed plays the same games: an experiment's own, or 1.")
    ] = None,
    workers: Annotated[int | None, typer.Option(min=1, max=1024, help="Processes; one for each core.")] = None,
    json_wanted: Annotated[bool, typer.Option("--json", help="Print the findings as JSON and nothing else.")] = False,
    no_color: NoColor = False,
) -> None:
    """Say what a change of cards, rules or a deck does to matches.

    Every game is played in both versions with the same seed, agents and
    seats, so that luck cancels out. Shown are the scores of decks and of
    pairings of decks, the first seat's and the length of matches: before,
    after, and the change with its 95 % interval.
    """
    from planner.arena.tournament.version_comparison import compare_versions  # noqa: PLC0415  (scipy)

    folders = (os.getcwd(),)
    game = load_game(of, folders)
    words = [word.strip() for word in (decks or _DECKS.get(of, "")).split(",") if word.strip()]
    kind, of, setups, like = _versions(old, new, game, words, rules, cards or [])
    if like is not None and not agents:
        specs = [entry.spec for entry in like.agents]
    else:
        played = load_game(of, folders if like is None else like.folders)
        specs = [agent_spec(name.strip(), played) for name in (agents or _AGENTS.get(of, "random")).split(",")]
    number = games or (_GAMES if like is None else like.games)
    if seed is None:
        seed = 1 if like is None else like.seed
    if number * len(setups) * 2 > _MOST:
        raise PlannerError(f"--games: {number:,} of each of {len(setups)} pairings are more than {_MOST // 2:,} in all")
    out = console(no_color)
    if not setups:
        raise PlannerError("--decks: is needed: what is played, as `planner play` has it")
    with _Watcher(out, json_wanted) as watch:
        found = compare_versions(of, setups, specs, number, seed, workers, watch.update, folders, like)
    if json_wanted:
        typer.echo(json_text(_as_json(old, new, kind, found), indent=2))
    else:
        _show(out, f"{old} and {new}: two versions of {kind}", found)


class _Asked(NamedTuple):
    """What the two files are, their game, the setups before and after, and the first of two experiments."""

    kind: str
    game: str
    setups: list[tuple[Any, Any]]
    like: Experiment | None = None


class _Watcher:
    """A progress bar; without a terminal, a line now and then; nothing beside JSON."""

    def __init__(self, out: Console, quiet: bool) -> None:
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        self.bar = Progress(*columns, console=out, transient=True, disable=quiet or not out.is_terminal)
        self.task = self.bar.add_task("playing", total=None)
        self.out, self.lines, self.told = out, not quiet and not out.is_terminal, monotonic()

    def __enter__(self) -> _Watcher:
        self.bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.bar.stop()

    def update(self, done: int, total: int) -> None:
        """Show how far it is."""
        self.bar.update(self.task, completed=done, total=total)
        if self.lines and monotonic() - self.told >= _LINE_SECONDS:
            self.told = monotonic()
            self.out.print(f"{done}/{total} games", soft_wrap=True)


def _versions(old: str, new: str, of: AnyGame, words: list[str], rules: str, cards: list[Path]) -> _Asked:
    from planner.arena.tournament.experiment_file import load_experiment  # noqa: PLC0415  (see above)
    from planner.arena.tournament.version_comparison import limits_of  # noqa: PLC0415

    kinds = [_kind(which, of) for which in (old, new)]
    if OURS in (old, new) and "cards" in kinds:
        kinds = ["cards", "cards"]
    if kinds[0] != kinds[1]:
        raise PlannerError(f"{old} is {kinds[0]}, {new} is {kinds[1]}: two versions of one thing can be compared")
    kind = kinds[0]
    if kind == "experiment":
        one, two = load_experiment(old), load_experiment(new)
        first, second = ((each.agents, each.game, len(each.setups), limits_of(each)) for each in (one, two))
        if first != second:
            why = "the same agents and limits, and as many setups; `planner tournament` plays each for itself"
            raise PlannerError(f"{old} and {new}: two versions of an experiment have {why}")
        return _Asked(kind, one.game, list(zip(one.setups, two.setups, strict=True)), one)
    plain = require(of, HasCards, "--cards").with_cards(cards) if cards else of
    if kind == "cards":
        pair = []
        for which in (old, new):
            files = [*cards, *([] if which == OURS else [Path(which)])]
            pair.append(_setups(require(of, HasCards, "--cards").with_cards(files) if files else of, words, rules))
    elif kind == "rules":
        if rules:
            raise PlannerError("--rules: the rules are what is compared")
        pair = [_setups(plain, words, which) for which in (old, new)]
    elif kind == "deck":
        pair = [[plain.setup_from_words(match, rules) for word in words for match in ([which, word], [word, which])]
                for which in (old, new)]  # fmt: skip
    elif kind == "scenario":
        pair = [_setups(plain, [which], rules) for which in (old, new)]
    else:
        raise PlannerError(f"{old}: a {kind} is not compared like this; agents meet in a tournament")
    return _Asked(kind, of.name, list(zip(*pair, strict=True)))


def _kind(which: str, of: AnyGame) -> str:
    """What kind of file it is; what is no file can only be rules."""
    from planner.arena.tournament.experiment_file import find_kind  # noqa: PLC0415  (see above)

    if which.endswith((".yaml", ".yml")) or Path(which).is_file():
        found = find_kind(Path(which), of)
        if found.game != of.name and found.name != "experiment":
            raise PlannerError(f"{which}: is for {found.game}; say --game {found.game}")
        return found.name
    return "rules"


def _setups(of: AnyGame, words: list[str], rules: str) -> list[Any]:
    if of.name in _TWO_WORDS:
        return [of.setup_from_words(list(pair), rules) for pair in product(words, repeat=2)]
    return [of.setup_from_words([word], rules) for word in words]


# -- what was found


def _show(out: Console, title: str, found: VersionComparison) -> None:
    share = found.other_winner / found.games
    games = f"{found.games:,} games in each version, on the same seeds"
    out.print(Text.assemble((title, "bold"), f". {games}; {share:.0%} ended with another winner."), soft_wrap=True)
    if found.untouched:
        pairings = "1 pairing is" if found.untouched == 1 else f"{found.untouched} pairings are"
        out.print(Text(f"{pairings} the same in both versions and not played.", style="dim"))
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for name in ("", "before", "after", "change", "95 % interval"):
        table.add_column(name, justify="left" if not name else "right", no_wrap=bool(name))
    for one in found.findings:
        shift, factor = one.shift, 100 if _is_score(one) else 1
        cells = [f"{factor * value:.1f}" for value in (shift.before, shift.after)]
        change = shift.change.scaled(factor)
        style = "" if not shift.clear else "bold"
        table.add_row(
            Text(one_line(_what(one)), style=style), *cells, Text(f"{change.estimate:+.1f}", style=style),
            f"{change.low:+.1f} to {change.high:+.1f}",
        )  # fmt: skip
    out.print(table)
    clear = [one for one in found.findings if one.shift.clear]
    for one in clear:
        out.print(Text(one_line(_sentence(one))), soft_wrap=True)
    rest = len(found.findings) - len(clear)
    if rest:
        out.print(Text("The rest shows no clear change." if clear else "No clear change: all intervals hold 0."))
    if len(found.findings) > 10:
        often = f"Of {len(found.findings)} intervals about {round(len(found.findings) / 20)} would leave 0 out"
        out.print(Text(f"{often} by luck alone.", style="dim"))


def _is_score(one: Finding) -> bool:
    return one.what in ("deck", "pairing", "setup", "first seat")


def _what(one: Finding) -> str:
    if one.what == "pairing":
        return f"{one.name} against {one.against}, %"
    if one.what in ("deck", "setup"):
        return f"{one.name}{' against all others' * (one.what == 'deck')}, %"
    return "first seat, %" if one.what == "first seat" else one.what.replace("_", " ")


def _sentence(one: Finding) -> str:
    """The change in plain words."""
    change = one.shift.change
    low, high = sorted((abs(change.low), abs(change.high)))
    if _is_score(one):
        who = "The first seat" if one.what == "first seat" else one.name
        against = f" against {one.against}" if one.against else " against the others" if one.what == "deck" else ""
        more = "more" if change.estimate > 0 else "less"
        size = f"{100 * abs(change.estimate):.1f} points {more}"
        return f"{who} scores {size}{against} ({100 * low:.1f} to {100 * high:.1f})."
    if one.what == "rounds":
        longer = "longer" if change.estimate > 0 else "shorter"
        return f"Matches are {abs(change.estimate):.1f} rounds {longer} ({low:.1f} to {high:.1f})."
    more = "more" if change.estimate > 0 else "less"
    return f"{one.what.replace('_', ' ').capitalize()}: {abs(change.estimate):.1f} {more} ({low:.1f} to {high:.1f})."


def _as_json(old: str, new: str, kind: str, found: VersionComparison) -> dict[str, Any]:
    return {
        "old": old, "new": new, "kind": kind, "games": found.games, "untouched": found.untouched,
        "other_winner": found.other_winner,
        "findings": [
            {"what": one.what, "name": one.name or None, "against": one.against or None, "games": one.shift.games,
             "before": one.shift.before, "after": one.shift.after, "change": one.shift.change.estimate,
             "low": one.shift.change.low, "high": one.shift.change.high, "clear": one.shift.clear}
            for one in found.findings
        ],
    }  # fmt: skip
