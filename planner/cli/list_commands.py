"""`planner weights` and `solvers`: what there is to plan with."""

from __future__ import annotations

from itertools import groupby
from typing import Annotated, Final

import typer
from rich import box
from rich.table import Table
from rich.text import Text

from planner import solvers as backends
from planner.cli.console import (
    AsCsv,
    AsJson,
    GameName,
    console,
    data_table,
    examples,
    format_number,
    named_game,
    print_rows,
)
from planner.game import require
from planner.games import DEFAULT
from planner.planning.capabilities import PlansTurns
from planner.planning.plan import AUTO
from planner.planning.profiles import HardRule, Profile
from planner.protocol.listings import profile_entry
from planner.protocol.listings import solvers as list_solvers

commands = typer.Typer()

_STATE_STYLES: Final = {"missing": "yellow", "broken": "red", "ready": "green"}  # of solvers
_PROFILES_PER_TABLE: Final = 7
_WIDE: Final = 60  # characters: narrower terminals have no column for W1 to W8
_PROFILE_WIDTH, _LABEL_PADDING = 8, 10  # characters of a column of weights, and what is printed beside a term


@commands.command(
    epilog=examples("planner weights", "planner weights aggro_face my_style.yaml", "planner weights --game spire")
)
def weights(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[PROFILE]...", help="Names or YAML files; by default all of ours.")
    ] = None,
    game_name: GameName = DEFAULT,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Show weight profiles side by side, with their rules and options.

    A plan maximises the sum of all terms: the amount of a term times its
    weight. Terms marked as costs are subtracted: enemy_threat with weight 3
    means that every point of attack that the enemy keeps costs 3 points. The
    numbers are those of the files. W1 to W8 are the names of Guo 2025.
    """
    kind: type[Profile] = require(named_game(game_name), PlansTurns, "planning").profiles
    profiles = [kind.of(name) for name in names or kind.names()]
    if as_json:
        print_rows([profile_entry(profile) for profile in profiles], as_csv=False)
        return
    if as_csv:
        print_rows(
            [{"name": each.name, **dict.fromkeys(kind.term_signs, 0), **each.terms()} for each in profiles], True
        )
        return
    letters = {term: letter for letter, term in kind.spellings.items()}
    out = console()
    # Profiles that use only the required terms share a table, and so do the others.
    profiles.sort(key=lambda profile: profile.has_further_terms)
    groups = [list(group) for _, group in groupby(profiles, key=lambda profile: profile.has_further_terms)]
    has_letters = out.width >= _WIDE
    for shown in (part for group in groups for part in _parts(group, out.width)):
        table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False, pad_edge=False)
        if has_letters:
            table.add_column("", no_wrap=True)
        table.add_column("term", no_wrap=True)
        for profile in shown:
            table.add_column(Text(profile.name.replace("_", "_\n")), justify="right", no_wrap=True)  # short lines
        for term, sign in kind.term_signs.items():
            values = [profile.terms().get(term, 0) for profile in shown]
            if term in kind.required or any(values):
                label = Text.assemble(term, (" cost", "yellow") if sign < 0 else "")
                letter = [Text(letters.get(term, ""), style="dim")] if has_letters else []
                table.add_row(*letter, label, *map(format_number, values))
        out.print(table)
        out.print()
    details = Table.grid(padding=(0, 2, 0, 0))
    for profile in profiles:
        details.add_row(Text(profile.name, style="bold"), Text(profile.description or "no description"))
        for under, rules in (("never", profile.forbid), ("always", profile.require)):
            for rule in rules:
                details.add_row("", Text.assemble((f"{under} ", "yellow"), _rule_text(rule)))
        for option, value in profile.changed_options().items():
            details.add_row("", Text.assemble((f"{option}: ", "yellow"), str(value).lower()))
        for term in profile.negative_costs():
            details.add_row("", Text(f"warning: {term} is a cost; its negative weight rewards it", style="red"))
    out.print(details)


def _parts(profiles: list[Profile], width: int) -> list[list[Profile]]:
    """Split profiles into parts that fit side by side."""
    labels = max(len(term) for profile in profiles for term in profile.terms()) + _LABEL_PADDING
    size = min(_PROFILES_PER_TABLE, max(1, (width - labels) // _PROFILE_WIDTH))
    return [profiles[start : start + size] for start in range(0, len(profiles), size)]


def _rule_text(rule: HardRule) -> str:
    return f"{rule.kind}: {rule.word or rule.number}" if rule.word or rule.number else rule.kind


@commands.command(epilog=examples("planner solvers"))
def solvers(as_json: AsJson = False, as_csv: AsCsv = False) -> None:
    """Show which solvers are installed, and whether they work.

    Each installed solver has to solve a tiny program now: then it is ready.
    For a missing one, the command that installs it is shown. "start" says
    whether a solver can start from a known plan, "runs" whether it runs
    inside this process or as a program of its own. All of them prove the
    same optimum and return the same plan.
    """
    rows = list_solvers({})["solvers"]
    if as_json or as_csv:
        print_rows(rows, as_csv)
        return
    ours = []
    notes = Table.grid(padding=(0, 1), pad_edge=True)
    for info, row in zip(backends.SOLVERS, rows, strict=True):
        name, state = Text(info.name, style="bold"), row["state"]
        for note in dict.fromkeys((row["note"], info.note)):
            if note:
                notes.add_row(name, Text(note, style="red" if state == "broken" and note != info.note else ""))
        package = f"{info.package} {row['version'] or ''}".strip()
        start, runs = "yes" if info.warm_start else "no", "inside" if info.in_process else "outside"
        ours.append((name, info.title, package, Text(state, style=_STATE_STYLES[state]), start, runs))
    default = f"the default: the engine where a turn allows it, otherwise {backends.DEFAULT}"
    notes.add_row(Text(AUTO, style="bold"), Text(default))
    out = console()
    out.print(data_table(("name", "solver", "package", "state", "start", "runs"), ours))
    out.print(notes)
