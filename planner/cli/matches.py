"""`planner play` and `planner replay`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from planner.agents.registry import agent_names
from planner.arena.match import play_match
from planner.arena.replay import load_log, verify_log
from planner.cli.common import EXIT_REFUSED, NoColor, console, examples, one_line, write_text
from planner.cli.show import outcome_text, show_match
from planner.files import PlannerError
from planner.games.hearthstone.cards.decks import load_deck
from planner.games.hearthstone.rules.ruleset import Ruleset, ruleset_names


def register(app: typer.Typer) -> None:
    """Add this module's commands."""
    app.command(
        epilog=examples(
            "planner play mage warrior",
            "planner play mage my_deck.yaml --agents greedy,greedy --seed 7",
            "planner play thesis_paladin thesis_warrior --rules thesis --json match.json",
        )
    )(play)
    app.command(epilog=examples("planner replay match.json", "planner replay match.json --show"))(replay)


def play(
    deck: Annotated[
        str, typer.Argument(metavar="DECK", help="The first player's: a name from `planner decks`, or a YAML file.")
    ],
    enemy_deck: Annotated[str, typer.Argument(metavar="ENEMY_DECK", help="The second player's.")],
    agents: Annotated[
        str, typer.Option(help=f"Who plays, first and second, with a comma between: {', '.join(agent_names())}.")
    ] = "greedy,random",
    seed: Annotated[int, typer.Option(help="Decides shuffle, luck and agents: the same seed, the same match.")] = 1,
    rules: Annotated[
        str, typer.Option(help=f"{', '.join(ruleset_names())}, or a YAML file with rules of your own.")
    ] = "standard",
    json_file: Annotated[
        str, typer.Option("--json", metavar="FILE", help="Write the log of the match; - prints it and nothing else.")
    ] = "",
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only how it ended.")] = False,
    no_color: NoColor = False,
) -> None:
    """Play one match and show it turn by turn.

    A turn begins with both heroes and the hand, then come the actions and
    what they led to, then the boards: the enemy's above, and a double frame
    is a taunt minion. With --json the match is written down as well, and
    `planner replay` can check it.
    """
    first, second = _two_agents(agents)
    ruleset = Ruleset.of(rules)
    decks = tuple(load_deck(name, size=ruleset.deck_size, copies=ruleset.copies) for name in (deck, enemy_deck))
    record = play_match((first, second), (decks[0], decks[1]), ruleset, seed, digests=bool(json_file))
    if json_file:
        log = json.dumps(record.to_dict(), ensure_ascii=False) + "\n"
        if json_file == "-":
            typer.echo(log, nl=False)
            return
        write_text(Path(json_file), log)
    out = console(no_color)
    if quiet:
        out.print(outcome_text(record))
    else:
        show_match(out, record)


def _two_agents(text: str) -> tuple[str, str]:
    names = [name.strip() for name in text.split(",")]
    if len(names) != 2:
        raise PlannerError(f"--agents {text!r}: two agents with a comma between, such as greedy,random")
    return names[0], names[1]


def replay(
    log: Annotated[Path, typer.Argument(metavar="LOG", help="A log that `planner play --json` wrote.")],
    show: Annotated[bool, typer.Option("--show", help="Show the match as well, turn by turn.")] = False,
    no_color: NoColor = False,
) -> None:
    """Check the log of a match, move by move.

    Every move is made again, by the rules and with the same luck. The exit
    code is 0 if all is as it is written there. Otherwise it is 2, and one
    line names the first difference: the turn, the action, what the log
    expects and what the rules say.
    """
    record = load_log(log)
    verdict = verify_log(record)
    if verdict.problem is not None:
        typer.echo(f"{log}: {one_line(verdict.problem)}", err=True)
        raise typer.Exit(EXIT_REFUSED)
    out = console(no_color)
    if show:
        show_match(out, record)
    summary = f"{log}: {verdict.moves} moves in {len(record.turns)} turns, all as the rules say. "
    out.print(Text(summary) + outcome_text(record), soft_wrap=True)
