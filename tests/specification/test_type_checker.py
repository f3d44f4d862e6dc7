"""The type checker: one small specification for each kind of error."""

from __future__ import annotations

import pytest

from planner.specification.specification_parser import parse_specification
from planner.specification.type_checker import check_types

BASE = """§ 1 Test
[CARD]
COLOUR ::= Red | Blue
│ limit : ℕ
│ other : COLOUR → COLOUR
┌─ Part ──
│ size : ℕ
└──
┌─ State ──
│ Part
│ hand : ℙ CARD
│ deck : seq CARD
│ parts : CARD ⇸ Part
│ colour : COLOUR
└──
"""


def errors(predicate: str, declarations: str = "ΔState") -> list[str]:
    text = f"{BASE}┌─ Operation ──\n│ {declarations}\n├──\n│ {predicate}\n└──\n"
    return [str(problem) for problem in check_types(parse_specification(text, "test"))]


@pytest.mark.parametrize(
    "predicate",
    [
        "hand′ = hand ∪ {head deck}",
        "deck′ = tail deck ∧ size′ = size - 1",
        "hand′ = ran((1 .. limit) ↿ deck) ∖ dom parts",
        "deck ↾ hand = ∅ ∧ # parts < limit",
        "∀ c : dom parts • parts(c).size > 0",
        "∀ x : COLOUR • other(x) ≠ x",
        "parts′ = {c ↦ ⦉ size == 1 ⦊} ∪ parts",
        "colour = Red ⇒ let p == parts • p = parts′",
        "hand = if limit > 2 then ∅ else ran deck",
        "ΞState ∧ pre Part",
        "⦉ size == 2 ⦊ ∈ Part",
    ],
)
def test_correct_predicates(predicate: str) -> None:
    assert errors(predicate, "ΔState; c : CARD") == []


@pytest.mark.parametrize(
    ("predicate", "message"),
    [
        ("hands = ∅", "unknown name hands"),
        ("hand′ = hand ∪ head deck", "hand ∪ head deck: ℙ CARD ∪ CARD does not fit"),
        ("hand = deck", "hand = deck: ℙ CARD = ℙ (ℤ × CARD) does not fit"),
        ("limit ∈ hand", "limit ∈ hand: ℤ ∈ ℙ CARD does not fit"),
        ("hand < limit", "hand < limit: ℙ CARD < ℤ does not fit"),
        ("# limit = 2", "limit is not a set"),
        ("head hand = head hand", "hand is not a function or sequence"),
        ("other(limit) = Red", "other takes COLOUR, but (limit) is ℤ"),
        ("⦉ size == 2 ⦊.weight = 1", "⦉ size == 2 ⦊ has no component weight"),
        ("(other(colour))′ = colour", "(other(colour))′: only a name can be primed, such as pl_state′(P1)"),
        ("{colour, limit} = ∅", "{colour, limit} mixes types"),
        ("Missing", "unknown schema Missing"),
        ("hand", "unknown schema hand"),
        ("limit + 1", "limit + 1 is not a predicate"),
        ("colour = if limit > 2 then Red else 3", "then gives COLOUR, else gives ℤ"),
    ],
)
def test_each_error_has_schema_line_and_reason(predicate: str, message: str) -> None:
    assert errors(predicate)[0] == f"1 Operation, line 19: {message}"


def test_included_schemas() -> None:
    assert errors("size > 0", "Nothing")[0] == "1 Operation, line 17: unknown schema Nothing"
    twice = errors("size > 0", "Part; size : ℙ CARD")
    assert twice[0] == "1 Operation, line 17: size is declared twice: as ℤ and as ℙ CARD"
    assert errors("State", "Part")[0] == "1 Operation, line 19: State needs hand, which is not declared here"


def test_a_composition_needs_an_operation_first() -> None:
    text = f"{BASE}┌─ Go ──\n│ ΔState\n└──\nFirst == Go ⨟ Go\nSecond == State ⨟ Go\n"
    problems = check_types(parse_specification(text, "test"))
    assert [(one.schema, one.message) for one in problems] == [
        ("Second", "State has no after-state (no primed variable), so ⨟ passes nothing on")
    ]
