"""`planner generate` and `planner playtest`: new cards for battles, and what they do to those who have them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer
import yaml
from rich import box
from rich.table import Table
from rich.text import Text

from planner.agents.agent_spec import agent_names, agent_spec
from planner.cli.common import NoColor, console, examples, write_text
from planner.errors import PlannerError
from planner.games import game
from planner.planning.capabilities import PlansTurns

if TYPE_CHECKING:
    from planner.arena.tournament.version_comparison import AgentChange

SPIRE: Final = "spire"
# A generated card can make a turn of any size: so many states give the same plan every time, and an end.
EFFORT: Final = 2000
_Game = Annotated[str, typer.Option("--game", metavar="GAME", help="The game; so far only spire has a grammar.")]


def register(app: typer.Typer) -> None:
    """Add this module's commands."""
    app.command(epilog=examples("planner generate --game spire --count 20 --seed 1 --out new.yaml"))(generate)
    app.command("playtest", epilog=examples("planner playtest new.yaml", "planner playtest new.yaml --battles 500"))(
        playtest_command
    )


def generate(
    of: _Game = SPIRE,
    count: Annotated[int, typer.Option(min=1, max=10_000, help="How many cards.")] = 20,
    seed: Annotated[int, typer.Option(min=0, help="The same seed makes the same cards.")] = 1,
    out: Annotated[Path | None, typer.Option("--out", help="The file to write; otherwise they are printed.")] = None,
) -> None:
    """Make cards from a grammar, as YAML.

    Actions are joined and pointed at random, with numbers within the ranges
    of the cards that exist. How good a card is, playtest shows.
    """
    from planner.games.spire.battle_text import describe_card  # noqa: PLC0415
    from planner.games.spire.card_generator import generate_cards  # noqa: PLC0415  (games load lazily)
    from planner.games.spire.card_library import library_with  # noqa: PLC0415

    _only_spire(of)
    data = generate_cards(count, seed)
    library = library_with(data)
    lines = [f"# Made by: planner generate --game spire --count {count} --seed {seed}", "cards:"]
    for name, card in data["cards"].items():
        text = yaml.safe_dump({name: card}, sort_keys=False, default_flow_style=None, width=110)
        lines.append(f"  # {describe_card(library.card(name))}")
        lines += [f"  {line}" for line in text.splitlines()]
    content = "\n".join(lines) + "\n"
    if out is None:
        typer.echo(content, nl=False)
    else:
        write_text(out, content)


def playtest_command(
    cards: Annotated[Path, typer.Argument(metavar="CARDS", help="A YAML file with cards.")],
    of: _Game = SPIRE,
    scene: Annotated[str, typer.Option("--scenario", help="Whose deck gets the card: a name or a file.")] = "starter",
    agents: Annotated[str, typer.Option(help="Names with commas; all of the game, unless given.")] = "",
    battles: Annotated[int, typer.Option(min=2, max=100_000, help="Battles with and without, for each agent.")] = 100,
    seed: Annotated[int, typer.Option(min=0, help="The same seed fights the same battles.")] = 1,
    no_color: NoColor = False,
) -> None:
    """Add each card of a file to a deck, and show what that changes.

    Every agent fights the same seeds without the card and with it. Shown are
    wins and health left without it, and the change with its 95 % interval.
    """
    from planner.arena.tournament.version_comparison import playtest  # noqa: PLC0415  (scipy)
    from planner.games.spire.battle_rules import with_card  # noqa: PLC0415
    from planner.games.spire.battle_text import describe_card  # noqa: PLC0415
    from planner.games.spire.card_library import load_library  # noqa: PLC0415
    from planner.games.spire.scenario_files import scenario  # noqa: PLC0415

    _only_spire(of)
    spire, setup = game(SPIRE), scenario(scene)
    library = load_library(cards)
    names = list(library.custom.get("cards", {}))
    if not names:
        raise PlannerError(f"{cards}: there is no card to play")
    chosen = [name.strip() for name in agents.split(",")] if agents else agent_names(spire)
    planners = spire.profiles.names() if isinstance(spire, PlansTurns) else ()
    specs = [agent_spec(name, spire, **({"effort": EFFORT} if name in planners else {})) for name in chosen]
    screen = console(no_color)
    for name in names:
        card = library.card(name)
        screen.print(Text.assemble((name, "bold"), f" ({card.cost}, {card.type}): {describe_card(card)}"))
        changed = with_card(setup, name, library)
        screen.print(_table(playtest(spire, setup, changed, specs, battles, seed)))


def _only_spire(of: str) -> None:
    if of != SPIRE:
        game(of)  # refuses what does not exist
        raise PlannerError(f"--game: {of!r} has no grammar for cards; spire has one")


def _table(changes: list[AgentChange]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False)
    for title in ("agent", "wins", "change", "health", "change"):
        table.add_column(title, justify="left" if title == "agent" else "right", no_wrap=True)
    for one in changes:
        row = [one.agent]
        for key, factor, unit in (("score", 100, " %"), ("health", 1, "")):
            found = one.change[key].scaled(factor)
            row.append(f"{one.before[key] * factor:.1f}{unit}")
            row.append(f"{found.estimate:+.1f} [{found.low:+.1f}, {found.high:+.1f}]")
        table.add_row(*map(Text, row))
    return table
