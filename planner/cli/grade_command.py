"""`planner grade`: the points that the turns of agents lose against the best ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from planner.agents.agent_spec import agent_spec
from planner.cli.console import AsJson, GameName, console, data_table, examples, named_game, one_line
from planner.errors import file_errors
from planner.game import require
from planner.games import DEFAULT
from planner.grading import Grade, grade_agent, shipped_states
from planner.match_options import read_states
from planner.planning.capabilities import JudgesTurns

commands = typer.Typer()


@commands.command(
    epilog=examples(
        "planner grade greedy random",
        "planner grade true_balanced mcts --plot grades.png",
        "planner grade first lookahead --game spire",
        "planner grade llm:my_model.yaml --json",
    )
)
def grade(
    agents: Annotated[list[str], typer.Argument(metavar="AGENT...", help="As for `planner play`.")],
    game_name: GameName = DEFAULT,
    profile: Annotated[str, typer.Option(help="The weights that count points; by default the game's own.")] = "",
    states: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Other states than those of the package, one in each line.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the agents.")] = 1,
    plot: Annotated[Path | None, typer.Option(metavar="FILE", help="Also draw the grades, as PNG or SVG.")] = None,
    as_json: AsJson = False,
) -> None:
    """Count the points that agents lose per turn against the proved best turn.

    Each agent plays one turn from each state of a fixed set. A planner with
    the grading profile loses 0. Mistakes are listed by kind: a missed lethal,
    too few actions (wasted mana or attacks), another card or attack than the
    best turn (a bad trade), the wrong order. Your own agents run in this
    process.
    """
    game = named_game(game_name)
    judging = require(game, JudgesTurns, "grading")
    weights = judging.profiles.of(profile or judging.profiles.default)
    path = states or shipped_states(game)
    positions = list(read_states(game, path).values())
    screen = console(stderr=as_json)
    grades = []
    for name in agents:
        spec = agent_spec(name, game)
        with screen.status(f"grading {name}"):
            result = grade_agent(spec, game, positions, path.stem, weights, seed)
        grades.append(result)
    if plot is not None:
        _draw(grades, plot)
    if as_json:
        typer.echo(json.dumps([result.to_dict() for result in grades], indent=2))
        return
    screen.print(f"{len(positions)} states of {path.stem}, points by {weights.name}")
    titles = ("agent", "points lost per turn", "95 % interval", "best turns", "mistakes: turns, points")
    rows = []
    for result in sorted(grades, key=lambda entry: entry.points_lost.estimate):
        kinds = "; ".join(f"{kind} {count}, {lost:.2f}" for kind, (count, lost) in result.mistakes.items())
        mean, low, high = result.points_lost
        best = sum(turn.mistake is None for turn in result.turns) / len(result.turns)
        interval = f"{low:.2f} to {high:.2f}" if len(positions) > 1 else ""
        rows.append((result.agent, f"{mean:.2f}", interval, f"{best:.0%}", kinds or "none"))
    screen.print(data_table(titles, rows))
    for result in grades:
        if result.estimates:
            screen.print(f"{result.agent}: {result.estimates} turns are estimates: luck, or no proof")
        if result.problems:
            screen.print(Text(f"{result.agent}: {one_line(result.problems[0])}"))


def _draw(grades: list[Grade], path: Path) -> None:
    """Draw a bar for each agent, divided by kind of mistake."""
    from matplotlib.figure import Figure  # noqa: PLC0415  (slow to import)

    from planner.stats.figure_style import Picture  # noqa: PLC0415

    figure = Figure(figsize=(7, 1.2 + 0.5 * len(grades)), layout="constrained")
    axes = figure.subplots()
    kinds = list(dict.fromkeys(kind for result in grades for kind in result.mistakes))
    left = [0.0] * len(grades)
    for kind in kinds:
        lost = [result.mistakes.get(kind, (0, 0.0))[1] for result in grades]
        axes.barh([result.agent for result in grades], lost, left=left, label=kind)
        left = [start + width for start, width in zip(left, lost, strict=True)]
    reach = [result.points_lost.high - result.points_lost.estimate for result in grades]
    axes.errorbar(left, range(len(grades)), xerr=reach, fmt="none", ecolor="black", capsize=3)
    axes.set_xlabel(f"points lost per turn by {grades[0].profile}, with 95 % interval")
    if kinds:
        axes.legend(fontsize="small")
    with file_errors(path):
        Picture(figure).save(path)
