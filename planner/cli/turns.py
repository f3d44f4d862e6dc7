"""A plan on the screen: the table as it is, the actions and what they lead to, and what they are worth."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from planner.planning.plan import Plan

if TYPE_CHECKING:
    from planner.games.hearthstone.turn.explanation import RangeEnd, TurnExplanation, WeightRange
    from planner.games.hearthstone.turn.look_ahead import AheadPlan

_NOTHING: Final = "end the turn at once"


def show_plan(
    out: Console, plan: Plan[Any, Any], others: Sequence[Plan[Any, Any]], why: TurnExplanation | None = None
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
            words = Text("; ".join(other.game.describe_turn(other.state, other.actions, briefly=True)) or _NOTHING)
            grid.add_row(f"  {number_words(other.objective)}", f"({behind})", words)
        out.print(grid)


def show_ahead(out: Console, plan: AheadPlan) -> None:
    """Print the turns that were compared, what the table is expected to be worth after the reply, and the worst one."""
    if not plan.considered:
        out.print(Text("\nNo reply was looked at: this turn wins, or there was no time."))
        return
    chosen = plan.considered[0]
    samples = len(chosen.replies)
    by = f"{samples} sample{'s' * (samples > 1)}"
    out.print(Text(f"\nWhat can be made of the table after the opponent's reply, by {by} (an estimate, no proof):"))
    grid = Table.grid(padding=(0, 2))
    grid.add_column(justify="right")
    grid.add_column()
    for one in plan.considered:
        words = "; ".join(plan.game.describe_turn(plan.state, one.plan.actions, briefly=True)) or _NOTHING
        grid.add_row(f"  {one.value:.1f}", Text(words))
    out.print(grid)
    feared = chosen.feared
    out.print(Text(f"The reply to fear, after which it is {feared.value:.1f}:"))
    for words in feared.words() or [_NOTHING]:
        out.print(Text(f"  {words}"))


def show_ranges(out: Console, plan: Plan[Any, Any], ranges: Sequence[WeightRange]) -> None:
    """Print how far each weight can move, and which turn is best beyond: each of these once, below the table."""
    out.print(Text("\nThis turn stays the best while one weight, the others as they are, is"))
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False)
    table.add_column("  term")
    for title in ("weight", "from", "to", "below it", "above it"):
        table.add_column(title, justify="right")
    beyond: dict[tuple[Any, ...], RangeEnd] = {}
    for one in ranges:
        cells = [number_words(one.weight), end_words(one.low), end_words(one.high)]
        for end in (one.low, one.high):
            if end is not None and end.turn is not None:
                beyond.setdefault(end.turn, end)
                cells.append(f"turn {list(beyond).index(end.turn) + 1}")
            else:
                cells.append("")
        table.add_row(f"  {one.term}", *cells)
    out.print(table)
    grid = Table.grid(padding=(0, 2))
    for number, (turn, end) in enumerate(beyond.items(), start=1):
        words = "; ".join(plan.game.describe_turn(plan.state, turn, briefly=True)) or _NOTHING
        now = f"{number_words(-end.loss)} now" if end.loss else "as good now"
        grid.add_row(f"  turn {number}", f"({now})", Text(words))
    if beyond:
        out.print()
        out.print(grid)


def end_words(end: RangeEnd | None) -> str:
    """`any` where there is no end, `10/3` where the number is not short, `?` where it is not known."""
    if end is None:
        return "?"
    if math.isinf(end.at):
        return "any"
    short = number_words(float(end.at))
    return short if Fraction(short) == end.at else str(end.at)


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
    for number, words in enumerate(plan.game.describe_turn(plan.state, plan.actions), start=1):
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


def _verdict(plan: Plan[Any, Any], why: TurnExplanation | None) -> list[Text]:
    """Proved or not, lethal or not, by whom, and what was not looked at."""
    lines = []
    took = f"{plan.solver}, {1000 * plan.seconds:.1f} ms"
    if _best(plan):
        which = "turn that wins" if plan.lethal and getattr(plan.weights, "take_lethal", False) else "legal turn"
        lines.append(Text.assemble(("Proved", "bold green"), f": no {which} is worth more ({took})."))
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
        ends = {"win": "this turn wins", "draw": "both heroes die, and nobody wins"}
        what = ends.get(plan.outcome or "", "this turn kills, and chance decides about the rest")
        lines.append(Text.assemble(("Lethal", "bold green" if plan.outcome == "win" else "bold yellow"), f": {what}."))
    elif why is None:
        hint = "; --explain says whether another one has it" if hasattr(plan, "explain") else ""
        lines.append(Text(f"No lethal in this turn{hint}."))
    elif why.missed_by == 0:
        but = "these weights prefer this turn" if _best(plan) else "not in this turn"
        lines.append(Text.assemble(("Lethal", "bold yellow"), f" exists, but {but}."))
    elif why.missed_by is None:
        lines.append(Text("Lethal: not known: a turn without an end, too much chance, or a text that nobody knows."))
    else:
        lines.append(Text(f"No lethal: the hardest turn leaves the enemy hero {why.missed_by} (health and armor)."))
    if plan.reveals is not None:
        told = plan.game.describe_turn(plan.state, plan.actions, briefly=True)[plan.reveals]
        lines.append(Text(f"Plan again after action {plan.reveals + 1} ({told}): it reveals something."))
    if plan.ignored:
        names = ", ".join(plan.ignored)
        lines.append(Text(f"Planned as if there were no text: {names}.", style="yellow"))
    return lines
