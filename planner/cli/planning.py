"""`planner plan`, `planner weights` and `planner solvers`: the best turn, what "best" means, and who finds it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from io import StringIO
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from planner import solvers as backends
from planner.api import plan_ahead, plan_turn, plan_turns, split_game
from planner.cli.common import Cards, NoColor, console, examples, json_text, one_line, write_text
from planner.errors import PlannerError
from planner.formats.documents import decode_stream, parse_json, read_text
from planner.game import AnyGame, HasCards, require
from planner.games import DEFAULT, game
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.turn.turn_plan import linear_model
from planner.planning.capabilities import PlansTurns
from planner.planning.plan import AUTO, MAX_PLANS
from planner.planning.weights import HardRule, Profile

EXACT: Final = "exact"
_BESIDE: Final = 7  # profiles beside each other fit on 80 columns
_NEXT_BEST: Final = 3  # in an explanation, unless -k says otherwise


def register(app: typer.Typer) -> None:
    """Add this module's commands."""
    app.command(
        epilog=examples(
            "planner plan experiments/states/lethal.json",
            "planner plan state.json --weights aggro_face --explain",
            "planner plan state.json --weights aggro_face --ranges",
            "planner plan state.json --weights my_style.yaml --solver cpsat --json",
            "planner plan state.json --weights champion --ahead 8",
            "planner plan state.json --formulation thesis --write-lp turn.lp",
            "planner plan state.json --cards my_cards.yaml",
            "echo '3 mana | me 30hp | hand: Wolfrider | enemy 3hp' | planner plan -",
        )
    )(plan)
    app.command(
        epilog=examples("planner weights", "planner weights aggro_face my_style.yaml", "planner weights --game spire")
    )(weights)
    app.command(epilog=examples("planner solvers"))(solvers)


def plan(
    state: Annotated[
        str, typer.Argument(metavar="STATE", help="A file with the state: JSON, or one line of text; - reads stdin.")
    ],
    weights: Annotated[
        str, typer.Option(metavar="PROFILE", help="What a good turn is: a name from `planner weights`, or a YAML file.")
    ] = "",
    cards: Cards = None,
    solver: Annotated[
        str, typer.Option(metavar="NAME", help=f"{AUTO} is the fastest exact method; or {', '.join(backends.names())}.")
    ] = AUTO,
    formulation: Annotated[
        str, typer.Option(metavar="NAME", help="exact: the true optimum; thesis: the model that Guo (2025) printed.")
    ] = EXACT,
    time_limit: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", help="Then the best legal turn found so far, with its bound. For each plan."),
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Also: lethal, what each action is worth, the next best. No time limit.")
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
            help="Of the best N turns, the one with the best outlook after the reply.",
        ),
    ] = None,
    k: Annotated[
        int | None,
        typer.Option(
            "-k",
            metavar="N",
            min=0,
            max=MAX_PLANS - 1,
            help=f"Also the next best N turns (with --explain: {_NEXT_BEST}).",
        ),
    ] = None,
    json_wanted: Annotated[bool, typer.Option("--json", help="Print the plan as JSON and nothing else.")] = False,
    lp_file: Annotated[
        str, typer.Option("--write-lp", metavar="FILE", help="Also write the turn's linear program; - prints it alone.")
    ] = "",
    no_color: NoColor = False,
) -> None:
    """Find the best legal turn, and prove that it is.

    A state says what a player sees: mana, heroes, boards and the hand. Cards
    of the catalogue need no more than their names, so this is a whole state:

      {"mana": 3, "me": {"hero": {"health": 30}, "hand": ["Wolfrider"]},
       "enemy": {"hero": {"health": 3}}}

    What is best, the weights decide: how much a point of damage, a surviving
    minion or the kill counts. The plan is carried out by the referee before
    it is shown, so it is legal and earns what it says.
    """
    of, given = read_state(state, cards or ())
    if (lp_file or explain or ranges) and not isinstance(given, GameState):
        raise PlannerError(f"--write-lp, --explain and --ranges are not for {of.name}")
    profiles = require(of, PlansTurns, "planning").profiles
    profile: Any = profiles.of(weights or profiles.default)
    if lp_file:
        lp = StringIO()
        linear_model(given, profile, formulation).write_lp(lp)
        if lp_file == "-":  # the program alone, for another one to read
            typer.echo(lp.getvalue(), nl=False)
            return
        write_text(Path(lp_file), lp.getvalue())
    if ahead is not None and (k is not None or explain or ranges or formulation != EXACT or solver != AUTO):
        raise PlannerError("--ahead compares turns by samples: no -k, --explain, --ranges, --solver or --formulation")
    more = k if k is not None and not explain else 0
    # The printed model knows no next best plans, and says so where some are wanted.
    if ahead is not None:
        best, others = plan_ahead(given, profile, k=ahead, time_limit=time_limit), []
    elif more or formulation == EXACT:
        best, *others = plan_turns(given, profile, solver, formulation, time_limit, k=1 + more)
    else:
        best, others = plan_turn(given, profile, solver, formulation, time_limit), []
    why = None
    if explain:
        why = best.explain(_NEXT_BEST if k is None else k)
        others = list(why.others)
    found = best.ranges(time_limit) if ranges else []
    if json_wanted:
        answer: dict[str, Any] = best.to_dict()
        if why is not None:
            answer["explanation"] = why.to_dict()
        elif k is not None:
            answer["next_best"] = [other.to_dict() for other in others]
        if ranges:
            answer["ranges"] = {one.term: one.to_dict() for one in found}
        typer.echo(json_text(answer, indent=2))
        return
    from planner.cli.turns import show_ahead, show_plan, show_ranges  # noqa: PLC0415  (JSON needs nothing that draws)

    show_plan(console(no_color), best, others, why)
    if ahead is not None:
        show_ahead(console(no_color), best)
    if ranges:
        show_ranges(console(no_color), best, found)
    if lp_file:
        console(no_color).print(f"The linear program is in {lp_file}.", markup=False, soft_wrap=True)


def read_state(source: str, cards: Sequence[Path] = ()) -> tuple[AnyGame, Any]:
    """The state in this file, or on stdin, and its game: JSON where it begins with a brace, else a line of text.

    `cards` are files with cards that a state may name beside the game's own.
    """
    where = "stdin" if source == "-" else source
    text = (decode_stream(sys.stdin.buffer, where) if source == "-" else read_text(Path(source))).removeprefix("\ufeff")
    line = text.strip()
    if not line:
        raise PlannerError(f"{where}: is empty; a state is JSON or one line of text (docs/reference/state.md)")
    document = parse_json(text, where) if line[0] in "{[" else None
    try:
        name, document = split_game(document) if isinstance(document, dict) else (DEFAULT, document)
    except PlannerError as error:
        raise PlannerError(f"{where}: {error}") from None
    of = require(game(name), HasCards, "--cards").with_cards(cards) if cards else game(name)
    try:
        return of, of.state_from_text(line) if document is None else of.state_from_json(document)
    except PlannerError as error:
        raise PlannerError(f"{where}: {error}") from None


def weights(
    profiles: Annotated[
        list[str] | None, typer.Argument(metavar="[PROFILE]...", help="Names or YAML files; all that come with us.")
    ] = None,
    of: Annotated[str, typer.Option("--game", metavar="GAME", help="Whose profiles.")] = DEFAULT,
    no_color: NoColor = False,
) -> None:
    """Show weight profiles side by side, with their hard rules and habits.

    A plan maximises the sum of weight times what is counted, each term with
    the sign in front of it: -3 for enemy_threat means that every point of
    attack that the enemy keeps costs 3. W1 to W8 are the thesis's names.
    """
    from rich import box  # noqa: PLC0415  (a plan as JSON needs nothing that draws)
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    from planner.cli.turns import number_words  # noqa: PLC0415

    kind: type[Profile] = require(game(of), PlansTurns, "planning").profiles
    found = [kind.of(name) for name in profiles or kind.names()]
    letters = {term: letter for letter, term in kind.spellings.items()}
    out = console(no_color)
    # Those that weigh only what every profile weighs share a table, and so do the others.
    found.sort(key=lambda profile: bool(profile.extra))
    groups = [list(group) for _, group in groupby(found, key=lambda profile: bool(profile.extra))]
    for shown in (group[at : at + _BESIDE] for group in groups for at in range(0, len(group), _BESIDE)):
        table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False)
        table.add_column("")
        table.add_column("term", no_wrap=True)
        for profile in shown:
            table.add_column(Text(profile.name.replace("_", "_\n")), justify="right")  # two short lines each
        for term, sign in kind.signs.items():
            values = [profile.terms().get(term, 0) for profile in shown]
            if term in kind.required or any(values):
                signed = (number_words(sign * value) for value in values)
                table.add_row(Text(letters.get(term, ""), style="dim"), term, *signed)
        out.print(table)
        out.print()
    styles = Table.grid(padding=(0, 2, 0, 0))
    for profile in found:
        styles.add_row(Text(profile.name, style="bold"), Text(profile.description or "no description"))
        for under, rules in (("never", profile.forbid), ("always", profile.require)):
            for rule in rules:
                styles.add_row("", Text.assemble((f"{under} ", "yellow"), _rule_words(rule)))
        for habit, value in profile.own_habits().items():
            styles.add_row("", Text.assemble((f"{habit}: ", "yellow"), str(value).lower()))
    out.print(styles)


def _rule_words(rule: HardRule) -> str:
    return f"{rule.kind}: {rule.word or rule.number}" if rule.word or rule.number else rule.kind


def solvers(no_color: NoColor = False) -> None:
    """Show which solvers are installed, and whether they work here.

    Each one that is installed has to solve a tiny program now: then it is
    ready. For those that are missing, the command that installs them is
    shown. "start" says whether a solver can begin with a plan that is known
    already, "runs" whether it works inside this process or as a program of
    its own. All of them prove the same optimum and give the same plan.
    """
    from rich import box  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False)
    for title in ("name", "solver", "package", "state", "start", "runs"):
        table.add_column(title, no_wrap=title == "name")
    notes = Table.grid(padding=(0, 2, 0, 0))
    for info in backends.SOLVERS:
        version = backends.version(info.name)
        if version is None:
            state = Text("missing", style="yellow")
            notes.add_row(Text(info.name, style="bold"), Text(f"to install it: {info.install}"))
        else:
            problem = solver_problem(info.name)
            state = Text("broken" if problem else "ready", style="red" if problem else "green")
            if problem:
                notes.add_row(Text(info.name, style="bold"), Text(problem, style="red"))
        if info.note:
            notes.add_row(Text(info.name, style="bold"), Text(info.note))
        package = f"{info.package} {version or ''}".strip()
        start, runs = "yes" if info.warm_start else "no", "inside" if info.in_process else "outside"
        table.add_row(Text(info.name, style="bold"), Text(info.title), package, state, start, runs)
    default = f"the default: without a solver where a turn allows it, otherwise {backends.DEFAULT}"
    notes.add_row(Text(AUTO, style="bold"), Text(default))
    out = console(no_color)
    out.print(table)
    out.print()
    out.print(notes)


def solver_problem(name: str) -> str | None:
    """Why this installed solver cannot be used: it has to show that it can."""
    try:
        solver = backends.get(name)
    except PlannerError as error:
        return one_line(str(error))
    problem = solver.usable()
    if problem is None:
        model = backends.LinearModel("try")
        model.add_row("enough", [(model.add_var("x", 0, 3, objective=1), 2)], upper=5)
        solution = solver.solve(model)
        if solution.status is not backends.Status.OPTIMAL or solution.objective != 2:
            problem = f"does not work: {solution}"
    return one_line(problem) if problem else None
