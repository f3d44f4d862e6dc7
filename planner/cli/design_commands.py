"""`planner compare`, `generate` and `playtest`: what a new version or a new card does to matches."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

import typer
import yaml
from rich.console import Console
from rich.table import Table
from rich.text import Text

from planner.agents.agent_spec import agent_names, agent_spec
from planner.cli.console import (
    SPIRE,
    AsJson,
    BattleGame,
    Cards,
    GameName,
    ProgressView,
    Workers,
    add_cards,
    battle_game,
    comma_words,
    console,
    csv_text,
    data_table,
    examples,
    json_text,
    one_line,
    write_text,
)
from planner.errors import PlannerError
from planner.formats.documents import is_file_name
from planner.game import AnyGame
from planner.games import DEFAULT, load_game
from planner.games.hearthstone.cards.decks import deck_names
from planner.planning.capabilities import PlansTurns

if TYPE_CHECKING:
    from planner.arena.tournament.experiment import Experiment
    from planner.arena.tournament.version_comparison import AgentChange, Finding, VersionComparison

commands = typer.Typer()

OURS: Final = "standard"  # the name of our own rules and cards
_TWO_DECKS: Final = (DEFAULT,)  # games whose setup is a deck for each seat
_DECKS: Final = {DEFAULT: "mage,warrior", "spire": "starter"}
_AGENTS: Final = {DEFAULT: "greedy", "spire": "lookahead"}
_GAMES: Final = 200
# A generated card can make a turn of any size: this many states end every search, with the same plan every time.
EFFORT: Final = 2000
_STRONG: Final = 10.0  # health
_USEFUL: Final = 2.0
_MAX_GAMES: Final = 1_000_000  # in memory


@commands.command(
    epilog=examples(
        "planner compare old_cards.yaml new_cards.yaml --decks tiny.yaml,mage --rules '{deck_size: 6}'",
        "planner compare standard new_cards.yaml --decks mage,warrior",
        "planner compare standard blitz.yaml --decks mage,warrior,hunter --agents greedy,true_balanced",
        "planner compare old_deck.yaml new_deck.yaml --decks warrior,hunter --games 500",
        "planner compare old.yaml new.yaml --game spire --decks my_scenario.yaml --json",
    )
)
def compare(
    old: Annotated[
        str, typer.Argument(metavar="OLD", help="A file with cards, rules, a deck or an experiment; or a deck's name.")
    ],
    new: Annotated[
        str, typer.Argument(metavar="NEW", help=f"Another version of it; '{OURS}' means our own cards or rules.")
    ],
    decks: Annotated[
        str, typer.Option(help=f"Decks, separated by commas: every pair is played. Default: {_DECKS[DEFAULT]}.")
    ] = "",
    agents: Annotated[
        str, typer.Option(help=f"Agents, separated by commas: each plays both seats. Default: {_AGENTS[DEFAULT]}.")
    ] = "",
    games: Annotated[
        int | None,
        typer.Option(min=2, max=100_000, help=f"Games of each pairing, seat and version; by default {_GAMES}."),
    ] = None,
    rules: Annotated[str, typer.Option(help="The rules, as for `planner play`.")] = "",
    cards: Cards = None,
    game_name: GameName = DEFAULT,
    seed: Annotated[
        int | None,
        typer.Option(min=0, help="The same seed plays the same games; by default that of the experiment, or 1."),
    ] = None,
    workers: Workers = None,
    as_json: AsJson = False,
) -> None:
    """Measure how a change of cards, rules or a deck affects matches.

    Every game is played in both versions with the same seed, agents and
    seats, so that luck cancels out. The table shows the scores of decks and
    of pairings, that of the first seat, and the length of matches: before,
    after, and the change with its 95 % interval.
    """
    from planner.arena.tournament.version_comparison import compare_versions  # noqa: PLC0415  (scipy)

    folders = (os.getcwd(),)
    words = comma_words(decks or _DECKS.get(game_name, ""), "--decks")
    task = _read_versions(old, new, load_game(game_name, folders), words, rules, cards or [])
    experiment = task.experiment
    if experiment is not None and not agents:
        specs = [entry.spec for entry in experiment.agents]
    else:
        played = load_game(task.game, folders if experiment is None else experiment.folders)
        names = agents or _AGENTS.get(task.game, "random")
        specs = [agent_spec(name, played) for name in comma_words(names, "--agents")]
    number = games or (_GAMES if experiment is None else experiment.games)
    if seed is None:
        seed = 1 if experiment is None else experiment.seed
    setups = task.setups
    if number * len(setups) * 2 > _MAX_GAMES:
        limit = f"{_MAX_GAMES // 2:,} games"
        raise PlannerError(f"--games: {number:,} games of {len(setups)} pairings exceed the limit of {limit}")
    if not setups:
        raise PlannerError("--decks: is required: what to play, as for `planner play`")
    out = console()
    with ProgressView(out, quiet=as_json) as view:

        def show(done: int, total: int) -> None:
            view.show(f"{done}/{total} games", done / max(1, total))

        comparison = compare_versions(task.game, setups, specs, number, seed, workers, show, folders, experiment)
    if as_json:
        typer.echo(json_text(_as_json(old, new, task.kind, comparison), indent=2))
    else:
        _show_comparison(out, f"{old} and {new}: two versions of {task.kind}", comparison)


class _Task(NamedTuple):
    """The kind of the two files, their game, the setups before and after, and the first of two experiments."""

    kind: str
    game: str
    setups: list[tuple[Any, Any]]
    experiment: Experiment | None = None


def _read_versions(old: str, new: str, game: AnyGame, words: list[str], rules: str, cards: list[Path]) -> _Task:
    """Read the two files, and return the setups that each version plays."""
    from planner.arena.tournament.experiment_file import load_experiment  # noqa: PLC0415  (see above)
    from planner.arena.tournament.version_comparison import limits_of  # noqa: PLC0415

    kinds = [_kind(which, game) for which in (old, new)]
    if OURS in (old, new) and "cards" in kinds:
        kinds = ["cards", "cards"]
    if kinds[0] != kinds[1]:
        raise PlannerError(f"{old} contains {kinds[0]}, {new} {kinds[1]}: both files must be of the same kind")
    kind = kinds[0]
    if kind == "experiment":
        first, second = load_experiment(old), load_experiment(new)
        fixed = [(each.agents, each.game, len(each.setups), limits_of(each)) for each in (first, second)]
        if fixed[0] != fixed[1]:
            why = "the same agents, limits and number of setups; use `planner tournament` for each of them"
            raise PlannerError(f"{old} and {new}: two versions of an experiment must have {why}")
        return _Task(kind, first.game, list(zip(first.setups, second.setups, strict=True)), first)
    with_cards = add_cards(game, cards)
    if kind == "cards":
        versions = []
        for which in (old, new):
            files = [*cards, *([] if which == OURS else [Path(which)])]
            versions.append(_setups(add_cards(game, files), words, rules))
    elif kind == "rules":
        if rules:
            raise PlannerError("--rules: cannot be combined with two versions of rules")
        versions = [_setups(with_cards, words, which) for which in (old, new)]
    elif kind == "deck":
        versions = [
            [with_cards.setup_from_words(match, rules) for word in words for match in ([which, word], [word, which])]
            for which in (old, new)
        ]
    elif kind == "scenario":
        versions = [_setups(with_cards, [which], rules) for which in (old, new)]
    else:
        raise PlannerError(f"{old}: a {kind} cannot be compared; use `planner tournament` to compare agents")
    return _Task(kind, game.name, list(zip(*versions, strict=True)))


def _kind(which: str, game: AnyGame) -> str:
    """Return the kind of a file, deck or scenario; anything else must be the name of rules."""
    from planner.file_kinds import find_kind  # noqa: PLC0415  (see above)

    if is_file_name(which) or Path(which).is_file():
        kind = find_kind(Path(which), game)
        if kind.game != game.name and kind.name != "experiment":
            raise PlannerError(f"{which}: belongs to {kind.game}; add --game {kind.game}")
        return kind.name
    if game.name in _TWO_DECKS:
        return "deck" if which in deck_names() else "rules"
    return "scenario" if which in game.setup_names() else "rules"


def _setups(game: AnyGame, words: list[str], rules: str) -> list[Any]:
    if game.name in _TWO_DECKS:
        return [game.setup_from_words(list(pair), rules) for pair in product(words, repeat=2)]
    return [game.setup_from_words([word], rules) for word in words]


# -- results of a comparison


def _show_comparison(out: Console, title: str, comparison: VersionComparison) -> None:
    share = comparison.other_winner / comparison.games
    games = f"{comparison.games:,} games in each version, on the same seeds"
    out.print(Text.assemble((title, "bold"), f". {games}; {share:.0%} ended with another winner."), soft_wrap=True)
    if comparison.untouched:
        pairings = "1 pairing is" if comparison.untouched == 1 else f"{comparison.untouched} pairings are"
        out.print(Text(f"{pairings} identical in both versions and not played.", style="dim"))
    rows = []
    for finding in comparison.findings:
        shift, factor = finding.shift, 100 if _is_score(finding) else 1
        cells = [f"{factor * value:.1f}" for value in (shift.before, shift.after)]
        change = shift.change.scaled(factor)
        style = "" if not shift.clear else "bold"
        estimate = Text(f"{change.estimate:+.1f}", style=style)
        interval = f"{change.low:+.1f} to {change.high:+.1f}"
        rows.append((Text(one_line(_what(finding)), style=style), *cells, estimate, interval))
    out.print(data_table(("", "before", "after", "change", "95 % interval"), rows, whole_numbers=True))
    clear = [finding for finding in comparison.findings if finding.shift.clear]
    for finding in clear:
        out.print(Text(one_line(_sentence(finding))), soft_wrap=True)
    rest = len(comparison.findings) - len(clear)
    if rest:
        out.print(Text("No other change is clear." if clear else "No clear change: all intervals contain 0."))
    if len(comparison.findings) > 10:
        often = f"Of {len(comparison.findings)} intervals about {round(len(comparison.findings) / 20)} would exclude 0"
        out.print(Text(f"{often} by luck alone.", style="dim"))


def _is_score(finding: Finding) -> bool:
    return finding.what in ("deck", "pairing", "setup", "first seat")


def _what(finding: Finding) -> str:
    if finding.what == "pairing":
        return f"{finding.name} against {finding.against}, %"
    if finding.what in ("deck", "setup"):
        return f"{finding.name}{' against all others' * (finding.what == 'deck')}, %"
    return "first seat, %" if finding.what == "first seat" else finding.what.replace("_", " ")


def _sentence(finding: Finding) -> str:
    """Describe the change in one sentence."""
    change = finding.shift.change
    low, high = sorted((abs(change.low), abs(change.high)))
    if _is_score(finding):
        who = "The first seat" if finding.what == "first seat" else finding.name
        against = (
            f" against {finding.against}"
            if finding.against
            else " against the others"
            if finding.what == "deck"
            else ""
        )
        more = "more" if change.estimate > 0 else "less"
        size = f"{100 * abs(change.estimate):.1f} points {more}"
        return f"{who} scores {size}{against} ({100 * low:.1f} to {100 * high:.1f})."
    if finding.what == "rounds":
        longer = "longer" if change.estimate > 0 else "shorter"
        return f"Matches are {abs(change.estimate):.1f} rounds {longer} ({low:.1f} to {high:.1f})."
    more = "more" if change.estimate > 0 else "less"
    return (
        f"{finding.what.replace('_', ' ').capitalize()}: {abs(change.estimate):.1f} {more} ({low:.1f} to {high:.1f})."
    )


def _as_json(old: str, new: str, kind: str, comparison: VersionComparison) -> dict[str, Any]:
    return {
        "old": old,
        "new": new,
        "kind": kind,
        "games": comparison.games,
        "untouched": comparison.untouched,
        "other_winner": comparison.other_winner,
        "findings": [
            {
                "what": finding.what,
                "name": finding.name or None,
                "against": finding.against or None,
                "games": finding.shift.games,
                "before": finding.shift.before,
                "after": finding.shift.after,
                "change": finding.shift.change.estimate,
                "low": finding.shift.change.low,
                "high": finding.shift.change.high,
                "clear": finding.shift.clear,
            }
            for finding in comparison.findings
        ],
    }


# -- new cards


@commands.command(epilog=examples("planner generate --game spire --count 20 --seed 1 --out new.yaml"))
def generate(
    game_name: BattleGame = SPIRE,
    count: Annotated[int, typer.Option(min=1, max=10_000, help="How many cards.")] = 20,
    seed: Annotated[int, typer.Option(min=0, help="The same seed generates the same cards.")] = 1,
    out: Annotated[
        Path | None, typer.Option("--out", help="The file to write; by default the cards are printed.")
    ] = None,
) -> None:
    """Generate cards from a grammar, as YAML.

    Effects are combined at random, with numbers within the ranges of the
    existing cards. `planner playtest` shows how good a card is.
    """
    from planner.games.spire.battle_text import describe_card  # noqa: PLC0415
    from planner.games.spire.card_generator import generate_cards  # noqa: PLC0415  (games load lazily)

    spire = battle_game(game_name)
    data = generate_cards(count, seed, spire.library())
    library = spire.library(data)
    lines = [f"# Made by: planner generate --game {game_name} --count {count} --seed {seed}", "cards:"]
    for name, card in data["cards"].items():
        text = yaml.safe_dump({name: card}, sort_keys=False, default_flow_style=None, width=110)
        lines.append(f"  # {describe_card(library.card(name))}")
        lines += [f"  {line}" for line in text.splitlines()]
    content = "\n".join(lines) + "\n"
    if out is None:
        typer.echo(content, nl=False)
    else:
        write_text(out, content)


@commands.command("playtest", epilog=examples("planner playtest new.yaml", "planner playtest new.yaml --games 500"))
def playtest_command(
    cards: Annotated[Path, typer.Argument(metavar="CARDS", help="A YAML file with cards.")],
    game_name: BattleGame = SPIRE,
    scene: Annotated[
        str, typer.Option("--scenario", help="The scenario whose deck gets the card: a name or a file.")
    ] = "starter",
    agents: Annotated[str, typer.Option(help="Names, separated by commas; by default all of the game.")] = "",
    games: Annotated[
        int, typer.Option(min=2, max=100_000, help="Battles with and without the card, for each agent.")
    ] = 100,
    seed: Annotated[int, typer.Option(min=0, help="The same seed plays the same battles.")] = 1,
    out: Annotated[
        Path | None, typer.Option("--out", help="Also write a CSV file with a row for each card and agent.")
    ] = None,
) -> None:
    """Add each card of a file to a deck, and show what that changes.

    Every agent plays the same seeds without the card and with it. The table
    shows wins and remaining health without it, and the change with its 95 %
    interval. A card is too strong if an agent clearly has more than 10 health
    more with it, and dead if every agent clearly has less than 2 more; it is
    undecided if more battles (--games) could show either. With several cards,
    the last table shows how well each agent uses them.
    """
    from planner.arena.tournament.version_comparison import playtest, verdict  # noqa: PLC0415  (scipy)
    from planner.games.spire.battle_rules import with_card  # noqa: PLC0415
    from planner.games.spire.battle_text import describe_card  # noqa: PLC0415

    spire = battle_game(game_name)
    setup, library = spire.setup_from_words([scene]), spire.with_cards([cards]).library()
    names = list(library.custom.get("cards", {}))
    if not names:
        raise PlannerError(f"{cards}: contains no cards")
    chosen = comma_words(agents, "--agents") or agent_names(spire)
    planners = spire.profiles.names() if isinstance(spire, PlansTurns) else ()
    specs = [agent_spec(name, spire, **({"effort": EFFORT} if name in planners else {})) for name in chosen]
    screen = console()
    found: dict[str, list[AgentChange]] = {}
    versions = (with_card(setup, name, library) for name in names)
    for name, changes in zip(names, playtest(spire, setup, versions, specs, games, seed), strict=True):
        card = library.card(name)
        screen.print(Text.assemble((name, "bold"), f" ({card.cost}, {card.type}): {describe_card(card)}"))
        screen.print(_playtest_table(changes))
        found[name] = changes
    verdicts = {name: verdict(changes, "health", _STRONG, _USEFUL) for name, changes in found.items()}
    for word in ("too strong", "dead", "undecided"):
        if cards_with := [name for name in names if verdicts[name] == word]:
            screen.print(Text(f"{word}: {', '.join(cards_with)}"))
    if len(names) > 1:
        screen.print(_use_table(found))
    if out is not None:
        write_text(out, csv_text(list(_playtest_rows(found, verdicts))))


def _use_table(found: dict[str, list[AgentChange]]) -> Table:
    """Return how well each agent uses the cards: its mean change, and with how many cards it is better or worse."""
    rows = []
    for changes in zip(*found.values(), strict=True):  # the same agent with each card
        health = [change.change["health"] for change in changes]
        mean = sum(change.estimate for change in health) / len(health)
        better, worse = sum(change.low > 0 for change in health), sum(change.high < 0 for change in health)
        rows.append((changes[0].agent, f"{mean:+.1f}", better, worse, len(health)))
    return data_table(("agent", "mean change of health", "clearly better", "clearly worse", "of cards"), rows)


def _playtest_rows(found: dict[str, list[AgentChange]], verdicts: dict[str, str]) -> Iterator[dict[str, Any]]:
    for name, changes in found.items():
        for agent in changes:
            row = {"card": name, "verdict": verdicts[name], "agent": agent.agent, "games": agent.games}
            for key in ("score", "health"):
                change = agent.change[key]
                numbers = {"": agent.before[key], "_change": change.estimate, "_low": change.low, "_high": change.high}
                row |= {f"{key}{part}": f"{number:.4f}" for part, number in numbers.items()}
            yield row


def _playtest_table(changes: list[AgentChange]) -> Table:
    rows = []
    for agent in changes:
        row = [agent.agent]
        for key, factor, unit in (("score", 100, " %"), ("health", 1, "")):
            change = agent.change[key].scaled(factor)
            row.append(f"{agent.before[key] * factor:.1f}{unit}")
            row.append(f"{change.estimate:+.1f} [{change.low:+.1f}, {change.high:+.1f}]")
        rows.append(row)
    return data_table(("agent", "wins", "change", "health", "change"), rows, whole_numbers=True)
