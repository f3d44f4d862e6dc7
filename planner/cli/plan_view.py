"""A plan on the screen: the table, the actions and their effects, the score, and what is proved."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from planner.cli.console import counted, data_table, format_number
from planner.games.hearthstone.turn.turn_plan import TurnPlan
from planner.planning.plan import Plan, Status

if TYPE_CHECKING:
    from planner.games.hearthstone.turn.explanation import RangeEnd, WeightRange

_END_TURN: Final = "end the turn"


def show_plan(
    out: Console,
    plan: Plan[Any, Any],
    others: Sequence[Plan[Any, Any]],
    explanation: Any = None,
) -> None:
    """Print the table, the turn, its score, the proof, and the next best turns."""
    out.print(Text(plan.game.show(plan.state, out.width)))
    out.print()
    title = f"{'Best turn' if _is_best(plan) else 'A turn'} for {plan.weights.name}"
    out.print(Text.assemble((title, "bold"), f" (score {format_number(plan.objective)}):"))
    _show_actions(out, plan, None if explanation is None else explanation.losses)
    out.print()
    out.print(_terms_table(plan))
    out.print()
    for line in _verdict(plan, explanation):
        out.print(line)
    for words in explanation.chance_lines() if hasattr(explanation, "chance_lines") else ():
        out.print(Text(words))
    if others:
        out.print(Text("\nNext best turns:" if _is_best(plan) else "\nBest turns:"))
        grid = Table.grid(padding=(0, 2))
        grid.add_column(justify="right")
        grid.add_column(justify="right", style="dim")
        grid.add_column()
        for other in others:
            gap = other.objective - plan.objective
            grid.add_row(
                f"  {format_number(other.objective)}",
                f"({gap:+.10g})" if gap else "(same)",
                _turn_text(other, other.actions),
            )
        out.print(grid)


def show_ahead(out: Console, plan: Any) -> None:
    """Print the turns that a look ahead compared, their expected values after the reply, and the worst reply."""
    if not plan.considered:
        out.print(Text("\nNo replies were compared: this turn wins, or the time ran out."))
        return
    chosen = plan.considered[0]
    samples = len(chosen.replies)
    by = counted(samples, "sample")
    out.print(Text(f"\nExpected value after the opponent's reply, from {by} (an estimate, not a proof):"))
    grid = Table.grid(padding=(0, 2))
    grid.add_column(justify="right")
    grid.add_column()
    for candidate in plan.considered:
        grid.add_row(f"  {candidate.value:.1f}", _turn_text(plan, candidate.plan.actions))
    out.print(grid)
    worst = chosen.feared
    out.print(Text(f"The worst sampled reply, with a value of {worst.value:.1f}:"))
    for line in worst.words() or [_END_TURN]:
        out.print(Text(f"  {line}"))


def show_ranges(out: Console, plan: Plan[Any, Any], ranges: Sequence[WeightRange] | None) -> None:
    """Print how far each weight can move, and below the table each turn that is best beyond a range."""
    if ranges is None:
        out.print(Text("\nNo ranges: this turn is not proved to be the best one."))
        return
    out.print(Text("\nThis turn stays best while one weight, with the others unchanged, is in its range:"))
    rows = []
    beyond: dict[tuple[Any, ...], RangeEnd] = {}
    for interval in ranges:
        cells = [format_number(interval.weight), format_end(interval.low), format_end(interval.high)]
        for end in (interval.low, interval.high):
            if end is not None and end.turn is not None:
                beyond.setdefault(end.turn, end)
                cells.append(f"turn {list(beyond).index(end.turn) + 1}")
            else:
                cells.append("")
        rows.append((f" {interval.term}", *cells))
    out.print(data_table((" term", "weight", "from", "to", "below it", "above it"), rows))
    grid = Table.grid(padding=(0, 2))
    for number, (turn, end) in enumerate(beyond.items(), start=1):
        now = f"{format_number(-end.loss)} now" if end.loss else "same score now"
        grid.add_row(f"  turn {number}", f"({now})", _turn_text(plan, turn))
    if beyond:
        out.print(grid)


def format_end(end: RangeEnd | None) -> str:
    """Format the end of a range: `any` where there is none, `10/3` where a decimal is not exact, `?` if unknown."""
    if end is None:
        return "?"
    if math.isinf(end.at):
        return "any"
    short = format_number(float(end.at))
    return short if Fraction(short) == end.at else str(end.at)


def _turn_text(plan: Plan[Any, Any], actions: Sequence[Any]) -> Text:
    return Text("; ".join(plan.game.describe_turn(plan.state, actions, briefly=True)) or _END_TURN)


def _is_best(plan: Plan[Any, Any]) -> bool:
    """Return whether the plan is proved best: the thesis formulation proves only what is best among its own turns."""
    return plan.status == Status.OPTIMAL and plan.formulation == "exact"


def _show_actions(out: Console, plan: Plan[Any, Any], losses: Sequence[float | None] | None) -> None:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(justify="right", style="bold")
    grid.add_column()
    grid.add_column(style="dim")
    for number, line in enumerate(plan.game.describe_turn(plan.state, plan.actions), start=1):
        grid.add_row(f"  {number}", Text(line), "" if losses is None else _loss_text(losses[number - 1]))
    if not plan.lethal:  # a won match has no further turn to end
        grid.add_row("  ", Text(_END_TURN), "")
    out.print(grid)


def _loss_text(loss: float | None) -> str:
    """Format the change of the score without an action; it is positive only where the plan is not proved."""
    if loss is None:
        return ""
    return "same score if excluded" if loss == 0 else f"{-loss:+.10g} if excluded"


def _terms_table(plan: Plan[Any, Any]) -> Table:
    """Return how the score comes about: the amount of each term times its weight; costs are subtracted."""
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False, show_footer=True)
    table.add_column("  term", footer="  total")
    table.add_column("amount", justify="right")
    table.add_column("weight", justify="right")
    table.add_column("score", justify="right", footer=format_number(plan.objective))
    weights = plan.weights.terms()
    for term, score in plan.terms.items():
        weight, sign = weights.get(term, 0), plan.weights.term_signs[term]
        if weight:
            amount = format_number(score / (sign * weight))
            label = f"  {term} (cost)" if sign < 0 else f"  {term}"
            table.add_row(label, amount, format_number(weight), format_number(score), style="" if score else "dim")
    return table


def _verdict(plan: Plan[Any, Any], explanation: Any) -> list[Text]:
    """Return what is proved, whether a turn kills, and what was left out."""
    lines = [_proof_line(plan)]
    if plan.lethal:
        outcomes = {"win": "this turn wins", "draw": "both heroes die, the match is a draw"}
        what = outcomes.get(plan.outcome or "", "this turn kills, the outcome depends on chance")
        lines.append(Text.assemble(("Lethal", "bold green" if plan.outcome == "win" else "bold yellow"), f": {what}."))
    elif not isinstance(plan, TurnPlan):
        pass  # the game has no lethal
    elif explanation is None:
        lines.append(Text("No lethal in this turn; --explain says whether another turn kills."))
    elif explanation.missed_by == 0:
        reason = "these weights prefer this turn" if _is_best(plan) else "not in this turn"
        lines.append(Text.assemble(("Lethal", "bold yellow"), f" exists, but {reason}."))
    elif explanation.missed_by is None:
        lines.append(Text("Lethal: unknown, because the search did not finish or the effect of a card is not known."))
    else:
        left = f"the enemy hero {explanation.missed_by} health and armor"
        lines.append(Text(f"No lethal: the most damaging turn leaves {left}."))
    if plan.reveals is not None:
        action = plan.game.describe_turn(plan.state, plan.actions, briefly=True)[plan.reveals]
        lines.append(Text(f"Plan again after action {plan.reveals + 1} ({action}): it reveals hidden information."))
    if plan.ignored:
        lines.append(Text(f"Planned without the effects of: {', '.join(plan.ignored)}.", style="yellow"))
    return lines


def _proof_line(plan: Plan[Any, Any]) -> Text:
    by = f"{plan.solver}, {1000 * plan.seconds:.1f} ms"
    if _is_best(plan):
        which = "winning turn" if plan.lethal and getattr(plan.weights, "take_lethal", False) else "legal turn"
        return Text.assemble(("Proved", "bold green"), f": no {which} scores more ({by}).")
    if plan.status == Status.OPTIMAL:
        what = f"the best turn of the {plan.formulation} formulation, and it scores what the formulation claims"
        return Text.assemble(("Proved", "bold green"), f": {what} ({by}).")
    if plan.ignored:
        reason = "planned without card effects"
    elif plan.claimed != plan.objective:
        claimed, actual = format_number(plan.claimed), format_number(plan.objective)
        reason = f"the {plan.formulation} formulation claims {claimed}; by the rules its turn scores {actual}"
    elif math.isfinite(plan.bound):
        reason = f"the search was stopped; no legal turn scores more than {format_number(plan.bound)}"
    else:
        reason = "the search was stopped; the best possible score is not known"
    return Text.assemble(("Not proved", "bold yellow"), f": {reason} ({by}).")
