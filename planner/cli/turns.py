"""A plan on the screen: the table as it is, the actions and what they lead to, and what they are worth."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from planner.games.hearthstone.turn.explain import Explanation
from planner.planning.plan import Plan

_NOTHING: Final = "end the turn at once"


def show_plan(
    out: Console, plan: Plan[Any, Any], others: Sequence[Plan[Any, Any]], why: Explanation | None = None
) -> None:
    """Print the table, the turn, its worth, and what is known beyond."""
    out.print(Text(plan.game.show(plan.state, out.width)))
    out.print()
    title = f"{'The best' if _best(plan) else 'A'} turn for {plan.weights.name}"
    out.print(Text.assemble((title, "bold"), f", worth {number_words(plan.objective)}:"))
    _show_actions(out, plan, None if why is None else why.losses)
    out.print()
    out.print(_terms(plan))
    out.print()
    for line in _verdict(plan, why):
        out.print(line)
    if others:
        out.print(Text("\nThe next best turns:" if _best(plan) else "\nThe best turns:"))
        grid = Table.grid(padding=(0, 2))
        grid.add_column(justify="right")
        grid.add_column(justify="right", style="dim")
        grid.add_column()
        for other in others:
            gap = other.objective - plan.objective
            behind = f"{gap:+.10g}" if gap else "as good"
            words = Text("; ".join(other.game.tell_turn(other.state, other.actions, briefly=True)) or _NOTHING)
            grid.add_row(f"  {number_words(other.objective)}", f"({behind})", words)
        out.print(grid)


def _best(plan: Plan[Any, Any]) -> bool:
    """The thesis's model proves only what is best among the turns that it knows."""
    return plan.status == "optimal" and plan.formulation == "exact"


def number_words(value: float) -> str:
    """`214`, `-1.5`: as short as it is exact."""
    return f"{value + 0.0:.10g}"  # never -0


def _show_actions(out: Console, plan: Plan[Any, Any], losses: Sequence[float] | None) -> None:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(justify="right", style="bold")
    grid.add_column()
    grid.add_column(style="dim")
    for number, words in enumerate(plan.game.tell_turn(plan.state, plan.actions), start=1):
        worth = "" if losses is None else _loss_words(losses[number - 1])
        grid.add_row(f"  {number}", Text(words), worth)
    if not plan.actions:
        grid.add_row("  ", Text(_NOTHING), "")
    elif not plan.lethal:  # a match that is won needs no end of the turn
        grid.add_row("  ", Text("end the turn"), "")
    out.print(grid)


def _loss_words(loss: float) -> str:
    if loss == 0:
        return "as good without"
    return f"{number_words(abs(loss))} {'less' if loss > 0 else 'more'} without"  # more: the plan was not proved


def _terms(plan: Plan[Any, Any]) -> Table:
    """How the worth comes about: what is counted, times its weight."""
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False, show_footer=True)
    table.add_column("  term", footer="  together")
    table.add_column("counted", justify="right")
    table.add_column("weight", justify="right")
    table.add_column("worth", justify="right", footer=number_words(plan.objective))
    weights = plan.weights.terms()
    for term, worth in plan.terms.items():
        weight = plan.weights.signs[term] * weights.get(term, 0)
        if weight:
            cells = (f"  {term}", number_words(worth / weight), number_words(weight), number_words(worth))
            table.add_row(*cells, style="" if worth else "dim")
    return table


def _verdict(plan: Plan[Any, Any], why: Explanation | None) -> list[Text]:
    """Proved or not, lethal or not, by whom, and what was not looked at."""
    lines = []
    took = f"{plan.solver}, {1000 * plan.seconds:.1f} ms"
    if _best(plan):
        lines.append(Text.assemble(("Proved", "bold green"), f": no legal turn is worth more ({took})."))
    elif plan.status == "optimal":
        best = f"the best turn that the {plan.formulation} formulation knows, and it earns what was claimed"
        lines.append(Text.assemble(("Proved", "bold green"), f": {best} ({took})."))
    elif plan.ignored:
        lines.append(Text.assemble(("Not proved", "bold yellow"), f": planned as if cards had no texts ({took})."))
    elif plan.claimed != plan.objective:
        claim = f"the {plan.formulation} formulation claims {number_words(plan.claimed)}"
        short = f": {claim}; by the rules its turn earns {number_words(plan.objective)} ({took})."
        lines.append(Text.assemble(("Not proved", "bold yellow"), short))
    else:
        known = math.isfinite(plan.bound)
        bound = f"no legal turn is worth more than {number_words(plan.bound)}" if known else "how far off is not known"
        bound = f"the search was ended; {bound}"
        lines.append(Text.assemble(("Not proved", "bold yellow"), f": {bound} ({took})."))
    if plan.lethal:
        lines.append(Text.assemble(("Lethal", "bold green"), ": this turn wins."))
    elif why is None:
        hint = "; --explain says whether another one has it" if hasattr(plan, "explain") else ""
        lines.append(Text(f"No lethal in this turn{hint}."))
    elif why.missed_by == 0:
        but = "these weights prefer this turn" if _best(plan) else "not in this turn"
        lines.append(Text.assemble(("Lethal", "bold yellow"), f" exists, but {but}."))
    elif why.missed_by is None:
        lines.append(Text("Lethal: not known; the turn may have no end, or chance can make too much of it."))
    else:
        lines.append(Text(f"No lethal: the hardest turn leaves the enemy hero {why.missed_by} (health and armor)."))
    if plan.reveals is not None:
        told = plan.game.tell_turn(plan.state, plan.actions, briefly=True)[plan.reveals]
        lines.append(Text(f"Plan again after action {plan.reveals + 1} ({told}): it reveals something."))
    if plan.ignored:
        names = ", ".join(plan.ignored)
        lines.append(Text(f"Planned as if there were no text: {names}.", style="yellow"))
    return lines
