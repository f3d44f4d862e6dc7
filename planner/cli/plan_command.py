"""`planner plan`: the best turn from a state."""

from __future__ import annotations

from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from planner import solvers as backends
from planner.api import split_game
from planner.cli.console import (
    AsJson,
    Cards,
    add_cards,
    console,
    examples,
    json_text,
    named_game,
    reject_options,
    write_text,
)
from planner.errors import PlannerError
from planner.formats.documents import parse_json, read_text
from planner.game import AnyGame, require
from planner.games import DEFAULT, game
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.turn.hearthstone_weights import Weights
from planner.planning.capabilities import PlansTurns, WritesPrograms
from planner.planning.plan import AUTO, MAX_PLANS, MAX_SAMPLES, AheadOptions, PlanOptions
from planner.protocol.plan_request import NEXT_BEST, PlanRequest

commands = typer.Typer()

EXACT: Final = "exact"
DEFAULT_PROFILE: Final = Weights.default


@commands.command(
    epilog=examples(
        "planner plan experiments/states/lethal.json",
        "planner plan state.json --weights aggro_face --explain",
        "planner plan state.json --weights aggro_face --ranges",
        "planner plan state.json --weights my_style.yaml --solver cpsat --json",
        "planner plan state.json --weights champion --ahead 8",
        "planner plan state.json --formulation thesis --write-lp turn.lp",
        "planner plan state.json --cards my_cards.yaml",
        "planner plan state.json --game ./thorns.py",
        "echo '3 mana | me 30hp | hand: Wolfrider | enemy 3hp' | planner plan -",
    )
)
def plan(
    state: Annotated[
        str, typer.Argument(metavar="STATE", help="A file with the state: JSON, or one line of text; - reads stdin.")
    ],
    weights: Annotated[
        str,
        typer.Option(
            metavar="PROFILE",
            help="What a good turn is: a name from `planner weights`, or a YAML file. "
            f"Default: {DEFAULT_PROFILE}; for another game its own.",
        ),
    ] = "",
    cards: Cards = None,
    game_name: Annotated[
        str, typer.Option("--game", metavar="GAME", help="The game, if the state does not name it; or a game's path.")
    ] = "",
    solver: Annotated[
        str, typer.Option(metavar="NAME", help=f"{AUTO} is the fastest exact method; or {', '.join(backends.names())}.")
    ] = AUTO,
    formulation: Annotated[
        str, typer.Option(metavar="NAME", help="exact: the true optimum; thesis: the model that Guo 2025 printed.")
    ] = EXACT,
    time_limit: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", help="Then the best legal turn found so far is printed, with its bound."),
    ] = None,
    effort: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="States to search: a limit that gives the same plan every time."),
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Also: lethal, the loss without each action, the next best turns.")
    ] = False,
    ranges: Annotated[
        bool, typer.Option("--ranges", help="Also: how far each weight can move before another turn is better.")
    ] = False,
    ahead: Annotated[
        int | None,
        typer.Option(
            "--ahead",
            metavar="N",
            min=1,
            max=MAX_PLANS,
            help="Of the best N turns, take the one with the best expected state after the opponent's reply.",
        ),
    ] = None,
    samples: Annotated[
        int | None, typer.Option(metavar="N", min=1, max=MAX_SAMPLES, help="With --ahead: hands to sample.")
    ] = None,
    reply_weights: Annotated[
        str, typer.Option(metavar="PROFILE", help="With --ahead: how the opponent plays; by default as you do.")
    ] = "",
    seed: Annotated[int, typer.Option(help="With --ahead: decides the samples.")] = 0,
    k: Annotated[
        int | None,
        typer.Option(
            "-k",
            metavar="N",
            min=1,
            max=MAX_PLANS,
            help=f"The best N turns, as in plan_turns. Default: 1; with --explain {1 + NEXT_BEST}.",
        ),
    ] = None,
    as_json: AsJson = False,
    lp_file: Annotated[
        str,
        typer.Option("--write-lp", metavar="FILE", help="Also write the turn's linear program; - prints only that."),
    ] = "",
) -> None:
    """Find the best legal turn, and prove that it is.

    A state contains what a player sees: mana, heroes, boards and the hand.
    Cards of the catalogue need only their names, so this is a whole state:

      {"mana": 3, "me": {"hero": {"health": 30}, "hand": ["Wolfrider"]},
       "enemy": {"hero": {"health": 3}}}

    The weights decide which turn is best: the value of a point of damage, of
    a surviving minion, of the kill. The rules carry the plan out before it is
    shown, so it is legal and scores what it says.
    """
    owner, position = read_state(state, cards or (), game_name)
    if ranges and not isinstance(position, GameState):
        raise PlannerError(f"--ranges is not supported for {owner.name}")
    profiles = require(owner, PlansTurns, "planning").profiles
    profile: Any = profiles.of(weights or profiles.default)
    _warn_of_negative_costs(profile)
    look_ahead = None
    if ahead is None and (samples is not None or reply_weights):
        raise PlannerError("--samples and --reply-weights need --ahead")
    if ahead is not None:
        reject_options("--ahead", {"-k": k is not None, "--ranges": ranges, "--formulation": formulation != EXACT})
        reply = profiles.of(reply_weights) if reply_weights else None
        look_ahead = AheadOptions(ahead, samples or AheadOptions.samples, reply)
    options = PlanOptions(solver, formulation, time_limit, effort, k=1 if k is None or explain else k, ahead=look_ahead)
    if lp_file:
        lp = StringIO()
        require(owner, WritesPrograms, "--write-lp").turn_program(position, profile, formulation).write_lp(lp)
        write_text(Path(lp_file), lp.getvalue())
        if lp_file == "-":
            return
    alternatives = NEXT_BEST if k is None else k - 1
    request = PlanRequest(owner, position, profile, options, explain, ranges, alternatives=alternatives, seed=seed)
    best, *others = request.plans
    if as_json:
        data = best.to_dict()
        if explain:
            data["explanation"] = request.explanation_json()
        elif k is not None:
            data["next_best"] = [other.to_dict() for other in others]
        if ranges:
            data["ranges"] = request.ranges_json()
        typer.echo(json_text(data, indent=2))
        return
    from planner.cli.plan_view import show_ahead, show_plan, show_ranges  # noqa: PLC0415  (JSON needs nothing that draws)

    out = console()
    if explain:
        show_plan(out, best, request.explanation.others, request.explanation)
    else:
        show_plan(out, best, others)
    if ahead is not None:
        show_ahead(out, best)
    if ranges:
        show_ranges(out, best, request.weight_ranges)
    if lp_file:
        out.print(f"The linear program is in {lp_file}.", markup=False, soft_wrap=True)


def _warn_of_negative_costs(profile: Any) -> None:
    """Warn of a weight whose sign was copied from a score: the term is a cost already."""
    for term in profile.negative_costs():
        typer.echo(f"warning: weights: {term} is a cost; its negative weight rewards it", err=True)


def read_state(source: str, cards: Sequence[Path] = (), game_name: str = "") -> tuple[AnyGame, Any]:
    """Return the game and the state in a file or on stdin: JSON where it begins with a brace, else a line of text.

    `cards` are files with cards that the state may name beside the game's own. `game_name` may name the user's code.
    """
    owner = named_game(game_name) if game_name not in ("", DEFAULT) else None
    if source.lstrip().startswith("{") or " | me " in source:
        raise PlannerError("STATE: must be a file, or - to read from standard input; got the state itself")
    where = "stdin" if source == "-" else source
    text = read_text(Path(source))
    line = text.strip()
    if not line:
        raise PlannerError(f"{where}: is empty; a state is JSON or one line of text (docs/reference/state.md)")
    document = parse_json(text, where) if line[0] in "{[" else None
    if owner is None:
        try:
            name, document = split_game(document) if isinstance(document, dict) else (DEFAULT, document)
        except PlannerError as error:
            raise PlannerError(f"{where}: {error}") from None
        owner = game(name)
    owner = add_cards(owner, cards)
    try:
        return owner, owner.state_from_text(line) if document is None else owner.state_from_json(document)
    except PlannerError as error:
        raise PlannerError(f"{where}: {error}") from None
