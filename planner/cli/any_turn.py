"""The plan of a turn of any game on the screen: what to do, what it earns, and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from rich.console import Console
from rich.text import Text

from planner.planning.plan import Plan


def show_any_plan(screen: Console, plan: Plan[Any, Any], others: Sequence[Plan[Any, Any]] = ()) -> None:
    """The table, the actions in words, the terms, and the next best turns in a line each."""
    screen.print(Text(plan.game.show(plan.state)), soft_wrap=True)
    screen.print()
    proof = f"proved ({plan.proof})" if plan.proof else f"not proved ({plan.stopped})"
    screen.print(Text.assemble((f"{plan.objective:g}", "bold"), f" under {plan.weights.name}, {proof}"))
    for number, line in enumerate(_told(plan), start=1):
        screen.print(Text(f"  {number}. {line}"), soft_wrap=True)
    if plan.reveals is not None:
        screen.print(Text("  then plan again: chance has decided", style="dim"))
    earned = ", ".join(f"{term} {worth:+g}" for term, worth in plan.terms.items() if worth)
    screen.print(Text(f"  {earned or 'nothing counts'}", style="dim"), soft_wrap=True)
    for place, other in enumerate(others, start=2):
        screen.print(Text(f"{place}. {other.objective:g}: {'; '.join(_told(other))}"), soft_wrap=True)


def _told(plan: Plan[Any, Any]) -> list[str]:
    """The actions in words, each from the state in which it is taken; only about the last one chance can decide."""
    state, said = plan.state, []
    for action in plan.actions:
        said.append(plan.game.tell(state, action))
        state = plan.game.apply(state, action, Random(0))
    return said or ["End the turn"]
