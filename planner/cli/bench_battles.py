"""`planner bench battles`: how many battles one core fights in a second, with each agent."""

from __future__ import annotations

from itertools import count
from time import process_time
from typing import Annotated

import typer
from rich import box
from rich.table import Table
from rich.text import Text

from planner.agents.agent_spec import AgentSpec, agent_names, agent_spec
from planner.arena.match.referee import agent_seed, chance, deal
from planner.cli.common import NoColor, console, examples
from planner.game import AnyGame
from planner.games import game


def register(app: typer.Typer) -> None:
    """Add this module's command."""
    app.command(epilog=examples("planner bench battles", "planner bench battles --agents random,lookahead"))(battles)


def battles(
    agents: Annotated[str, typer.Option(help="Names with commas; all of the game, unless given.")] = "",
    scenario: Annotated[str, typer.Option(help="A name or a file.")] = "starter",
    seconds: Annotated[float, typer.Option(min=0.1, max=3600, help="How long to measure each agent.")] = 2.0,
    seed: Annotated[int, typer.Option(help="Of the first battle; the next ones count on.")] = 1,
    no_color: NoColor = False,
) -> None:
    """Battles per second on one core, with each agent, and what comes of them.

    The rules and the agent alone, in processor time: nothing is recorded or
    verified.
    """
    spire = game("spire")
    setup = spire.setup_from_words([scenario])
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False)
    for title in ("agent", "battles/s", "battles", "actions each", "won", "health left"):
        table.add_column(title, justify="left" if title == "agent" else "right")
    for name in agents.split(",") if agents else agent_names(spire):
        agent = agent_spec(name.strip(), spire)
        _fight(spire, setup, agent, seed)  # what is loaded once, is loaded now
        fought = actions = 0
        won = health = 0.0
        begin = process_time()
        for number in count(seed):
            if (took := process_time() - begin) >= seconds:
                break
            points, left, steps = _fight(spire, setup, agent, number)
            fought, actions, won, health = fought + 1, actions + steps, won + points, health + left
        numbers = (f"{fought / took:,.0f}", f"{fought:,}", f"{actions / fought:.1f}", f"{won / fought:.1%}")
        table.add_row(Text(agent.agent), *numbers, f"{health / fought:.1f}")
    console(no_color).print(table)


def _fight(of: AnyGame, setup: object, agent: AgentSpec, seed: int) -> tuple[float, float, int]:
    """Points, the health that is left, and how many actions it took."""
    state, luck, steps = deal(of, setup, seed), chance(seed), 0
    decide = agent.make(of, agent_seed(seed, 0)).decide
    while (end := of.outcome(state)) is None:
        state = of.apply(state, decide(state), luck)
        steps += 1
    return end.points[0], of.measures(state)["health"], steps
