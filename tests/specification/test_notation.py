"""Z as text: parsing, printing, layout and errors."""

from __future__ import annotations

import pytest

from planner.errors import PlannerError
from planner.specification.notation import (
    Apply,
    Binary,
    Declaration,
    Display,
    Let,
    Name,
    Node,
    Number,
    Select,
    Unary,
    conjunction,
    format_node,
    format_specification,
)
from planner.specification.specification_parser import parse_specification


def predicate(text: str) -> Node:
    return parse_specification(f"⊢? [test] {text}\n", "text").paragraph("test").predicates[0]


@pytest.mark.parametrize(
    ("text", "explicit"),
    [
        ("a ∧ b ∨ c", "(a ∧ b) ∨ c"),
        ("a ⇒ b ⇒ c", "a ⇒ (b ⇒ c)"),
        ("a ∨ b ⇒ c ∧ d", "(a ∨ b) ⇒ (c ∧ d)"),
        ("¬ a = b ∧ c", "(¬ (a = b)) ∧ c"),
        ("# a + 1 ≤ b", "((# a) + 1) ≤ b"),
        ("a - b - c = d", "((a - b) - c) = d"),
        ("a ∪ b ∩ c = d", "(a ∪ (b ∩ c)) = d"),
        ("dom p.board = s", "(dom (p.board)) = s"),
        ("n + 1 .. # d = s", "((n + 1) .. (# d)) = s"),
        ("x ↦ y ∈ f", "(x ↦ y) ∈ f"),
        ("a ≤ b < c", "(a ≤ b) ∧ (b < c)"),
        ("pre A ∧ B", "(pre A) ∧ B"),
    ],
)
def test_operators_bind_as_in_z(text: str, explicit: str) -> None:
    assert predicate(text) == predicate(explicit)
    assert predicate(format_node(predicate(text))) == predicate(text)


def test_expressions() -> None:
    assert predicate("f(a, 2).hand′ = x") == Binary(
        "=", Select(Apply(Name("f"), Display("(", (Name("a"), Number(2)))), "hand′"), Name("x")
    )
    assert predicate("s(x)' = ∅") == Binary("=", Unary("′", Apply(Name("s"), Name("x"))), Name("∅"))
    assert predicate("m?' = x") == Binary("=", Name("m?′"), Name("x"))


def test_lines_after_a_dot_are_predicates_of_their_own() -> None:
    text = """
┌─ Box ──
│ x, y : ℕ
├──
│ let a == x; b == y •
│   a = 1 ∨ b = 1
│   b =
│     2
│ x > 0
└──
"""
    box = parse_specification(text, "text").paragraph("Box")
    assert box.declarations == (Declaration(("x", "y"), Name("ℕ")),)
    let = box.predicates[0]
    assert isinstance(let, Let)
    assert [format_node(part) for part in conjunction(let.body)] == ["a = 1 ∨ b = 1", "b = 2"]
    assert [part.line for part in conjunction(let.body)] == [6, 7]
    assert format_node(box.predicates[1]) == "x > 0"


def test_sections_and_notes_belong_to_the_next_paragraphs() -> None:
    text = "§ 1 First\n\n-- a note\n[CARD]\n\nA == B\n"
    given, definition = parse_specification(text, "text").paragraphs
    assert (given.section, given.note, given.line) == ("1 First", "a note", 4)
    assert (definition.section, definition.note, definition.line) == ("1 First", "", 6)
    assert format_specification(parse_specification(text, "text")) == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("┌─ Box ──\n│ x : ℕ\n", "text: line 1: the box of Box is not closed by └──"),
        ("┌─ Box ──\n│ x : ℕ\n├──\n│ x = = 2\n└──", "text: line 4: unexpected '='"),
        ("┌─ Box ──\n│ x : ℕ\n├──\n│ (x = 2\n└──", "text: line 4: expected ')', got 'end of the line'"),
        ("┌─ Box ──\n│ x : ℕ\n├──\n│ x = @\n└──", "text: line 4: unexpected character '@'"),
        ("nonsense", "text: line 1: not a paragraph: 'nonsense'"),
        ("A == let x • y", "text: line 1: expected '==', got '•'"),
        ("A == B C", "text: line 1: unexpected 'C'"),
    ],
)
def test_a_mistake_is_reported_with_its_line(text: str, message: str) -> None:
    with pytest.raises(PlannerError) as caught:
        parse_specification(text, "text")
    assert str(caught.value) == message
