"""The prover, on a specification that is small enough to check by hand."""

from __future__ import annotations

import pytest

pytest.importorskip("z3")

from planner.specification.prover import PROVED, REFUTED, Prover, Theorem
from planner.specification.specification_parser import parse_specification

STACK = """§ 1 A stack of different cards with a limit
[CARD]
│ limit : ℕ
┌─ Stack ──
│ items : iseq CARD
│ marked : ℙ CARD
├──
│ # items ≤ limit
│ marked ⊆ ran items
└──
"""
POP = """┌─ Pop ──
│ ΔStack
├──
│ items ≠ ⟨⟩
│ items′ = tail items
│ marked′ = marked ∩ ran items′
└──
"""
SMALL = {"items": 3, "marked": 3, "limit": 3}


def theorems(text: str, operation: str) -> dict[str, Theorem]:
    prover = Prover(parse_specification(STACK + text, "test"), "Stack", (operation,), SMALL)
    return {one.statement: one for one in prover.theorems()}


def status(text: str, operation: str) -> dict[str, str]:
    return {statement: one.status for statement, one in theorems(text, operation).items()}


KEEPS, HAPPENS, DEFINED, DETERMINED = (
    "keeps the invariants",
    "can happen",
    "applies functions where they are defined",
    "determines the state after it",
)


def test_a_correct_operation() -> None:
    assert status(POP, "Pop") == dict.fromkeys((HAPPENS, KEEPS, DEFINED, DETERMINED), PROVED)


def test_an_invariant_that_is_not_kept_has_a_counterexample() -> None:
    wrong = theorems(POP.replace("marked ∩ ran items′", "marked"), "Pop")
    assert wrong[KEEPS].status == REFUTED
    assert wrong[KEEPS].counterexample == (
        "not kept: Stack, line 9: marked ⊆ ran items",
        "limit = 1",
        "items = ⟨card1⟩",
        "marked = {card1}",
        "items′ = ⟨⟩",
    )


def test_a_missing_guard_is_an_undefined_application() -> None:
    wrong = theorems(POP.replace("│ items ≠ ⟨⟩\n", "│ head items ∉ marked\n"), "Pop")
    assert wrong[DEFINED].status == REFUTED
    assert wrong[DEFINED].counterexample[0] == "no value: head items, line 14"


def test_a_missing_equation_leaves_the_state_open() -> None:
    wrong = theorems(POP.replace("│ marked′ = marked ∩ ran items′\n", ""), "Pop")
    assert wrong[DETERMINED].counterexample == ("open: marked′",)


def test_an_impossible_operation() -> None:
    assert status(POP.replace("items ≠ ⟨⟩", "# items > limit"), "Pop")[HAPPENS] == REFUTED


def test_a_composition_passes_the_state_on() -> None:
    text = f"{POP}Twice == Pop ⨟ Pop\n⊢? [two are gone] Twice ⇒ # items′ = # items - 2\n"
    assert set(status(text, "Twice").values()) == {PROVED}
    assert status(text.replace("- 2", "- 1"), "Twice")["two are gone"] == REFUTED


@pytest.mark.parametrize(
    ("conjecture", "expected"),
    [
        ("Stack ⇒ # marked ≤ # items", PROVED),
        ("Stack ⇒ # marked < # items", REFUTED),
        ("Stack ∧ items ≠ ⟨⟩ ⇒ pre Pop", PROVED),
        ("Stack ⇒ pre Pop", REFUTED),
        ("Stack ∧ ¬ pre Pop ⇒ items = ⟨⟩", PROVED),
        ("Pop ⇒ head items ∉ ran items′", PROVED),
        ("Pop ⇒ ΞStack", REFUTED),
        ("Pop ⇒ ∀ c : marked′ • c ∈ marked", PROVED),
        ("Pop ⇒ ∃ c : marked • c ∉ marked′", REFUTED),
    ],
)
def test_conjectures(conjecture: str, expected: str) -> None:
    assert status(f"{POP}⊢? [test] {conjecture}\n", "Pop")["test"] == expected
