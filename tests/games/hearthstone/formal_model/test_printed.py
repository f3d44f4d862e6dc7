"""The errors of the printed specification: each is found, and is no longer found once it is corrected by hand."""

from __future__ import annotations

import pytest

from planner.games.hearthstone.formal_model import (
    OPERATIONS,
    SMALL_BOUNDS,
    STATE,
    printed_text,
    readings,
    specification,
)
from planner.specification.notation import Specification, format_specification
from planner.specification.prover import PROVED, REFUTED, Prover
from planner.specification.specification_parser import parse_specification
from planner.specification.type_checker import check_types

pytest.importorskip("z3")


def messages(text: str) -> set[tuple[str, str]]:
    return {(one.schema, one.message) for one in check_types(parse_specification(text, "test"))}


# For each reading, errors that the checker reports in the printed text.
TYPE_ERRORS = {
    "board": [
        ("InitPlayerState", "unknown name board"),
        ("SummonSuccess", "p has no component board"),
        ("MinionAttackPlayerSuccess", "pl_state(curr_player) has no component board"),
    ],
    "turn_state": [
        ("InitTurnState", "unknown schema TurnPlayer"),
        ("InitTurnState", "unknown name curr_player"),
    ],
    "hand_size": [
        ("P1DrawDeck", "unknown name hand_start_size"),
        ("P2DrawDeck", "unknown name hand_start_size"),
    ],
    "drawn_card": [("TurnDraw", "p.hand ∪ head p.deck: ℙ CARD ∪ CARD does not fit")],
    "primed_components": [
        ("P1NormalStart", "p1 has no component hand′"),
        ("TurnDraw", "p has no component deck′"),
        ("MinionAttackPlayerSuccess", "opp has no component health′"),
    ],
    "primed_applications": [
        ("TurnDraw", "(pl_state(opponent(curr_player)))′: only a name can be primed, such as pl_state′(P1)"),
        ("MinionAttackPlayerSuccess", "(pl_state(curr_player))′: only a name can be primed, such as pl_state′(P1)"),
    ],
    "schemas_as_components": [
        ("P1NormalStart", "p1 has no component Deck"),
        ("UpdateBoard", "opp has no component Board"),
    ],
    "changing_minions": [
        ("update_minion", "unknown name m′"),
        ("MinionAttackMinionSuccess", "unknown name attacker?′"),
        ("TurnActions", "attacker? has two types: ⦉ attack, health ⦊ and ⦉ attack, health, attack′, health′ ⦊"),
    ],
    "composition": [
        ("FullMatchStart", "InitGameState has no after-state (no primed variable), so ⨟ passes nothing on")
    ],
}


@pytest.mark.parametrize("reading", readings(), ids=lambda reading: reading.name)
def test_each_type_error_is_found_until_it_is_corrected(reading: object) -> None:
    one = next(known for known in readings() if known is reading)
    before, after = messages(printed_text()), messages(printed_text([one]))
    for error in TYPE_ERRORS[one.name]:
        assert error in before
        assert error not in after


def test_each_reading_is_needed() -> None:
    assert messages(printed_text(readings())) == set()
    for one in readings():
        assert messages(printed_text(other for other in readings() if other is not one)), one.name


@pytest.mark.parametrize("version", ["printed", "readable", "corrected"])
def test_printing_is_the_inverse_of_parsing(version: str) -> None:
    known = specification(version)
    assert parse_specification(format_specification(known), version) == known


def test_the_corrected_specification_has_no_type_errors() -> None:
    assert check_types(specification("corrected")) == []


# -- what is wrong with the printed predicates, where they have a meaning

ALIVE = "┌─ Alive ──\n│ GameState\n├──\n│ pl_state(P1).health > 0\n│ pl_state(P2).health > 0\n└──\n"
CANNOT_SUMMON = """┌─ CannotSummon ──
│ ΞGameState
│ minion? : CARD
├──
│ minion? ∉ pl_state(curr_player).hand ∨ # pl_state(curr_player).board ≥ max_board_size
└──
"""
REST = "(hand_init_size + 1 .. # p1.deck) ↿ p1.deck"
REST_2 = "(hand_init_size + 2 .. # p2.deck) ↿ p2.deck"
DEAL = "FullMatchStart (InitGameState ∧ P1NormalStart ∧ P2NormalStart)"
# The error, the theorem that it refutes, and the corrections by hand that make the theorem true.
ERRORS = {
    "a summon may do nothing": (
        "a legal summon happens",
        {"SummonSuccess ∨ ΞGameState": f"SummonSuccess ∨ CannotSummon\n\n{CANNOT_SUMMON}"},
    ),
    "turns go on after the end": (
        "no turn passes after the end",
        {"PassTurn == ChangeTurnPlayer": f"{ALIVE}\nPassTurn == (Alive ∧ ChangeTurnPlayer)"},
    ),
    "minions are summoned after the end": (
        "no minion is summoned after the end",
        {"│ minion? : CARD\n├──": "│ minion? : CARD\n│ Alive\n├──", "§ 4.10": f"{ALIVE}\n§ 4.10"},
    ),
    "equal minions are one": (
        "a summon adds a minion to the board",
        {"│   minion? ∈ p.hand\n": "│   minion? ∈ p.hand\n│   to_minion(minion?) ∉ p.board\n"},
    ),
    "equal cards are one in the hand": (
        "a draw adds a card to the hand",
        {"│   p.deck ≠ ⟨⟩\n": "│   p.deck ≠ ⟨⟩\n│   head(p.deck) ∉ p.hand\n"},
    ),
    "equal cards are one in the deal": (
        "the deal loses no card",
        {"seq CARD\n└": "iseq CARD\n└"},
    ),
    "the rest of the deck is not a sequence": (
        f"{DEAL}: keeps the invariants",
        {"p1.deck ∖ (p1.deck ↾ p1'.hand)": REST, "p2.deck ∖ (p2.deck ↾ p2'.hand)": REST_2},
    ),
    "a starting hand of 0 cannot be drawn": (
        f"{DEAL}: applies functions where they are defined",
        {"ℕ₁": "ℕ"},
    ),
    "a match cannot start": (
        "every match can start",
        {
            "p1.deck ∖ (p1.deck ↾ p1'.hand)": REST,
            "p2.deck ∖ (p2.deck ↾ p2'.hand)": REST_2,
        },
    ),
}


def status(known: Specification, theorem: str) -> str:
    prover = Prover(known, STATE, OPERATIONS, SMALL_BOUNDS)
    if ": " not in theorem:
        return prover.conjecture(known.paragraph(theorem)).status
    subject, statement = theorem.split(": ")
    found = prover.operation_theorems(subject.split(" ")[0])
    return next(one.status for one in found if (one.subject, one.statement) == (subject, statement))


def corrected_by_hand(changes: dict[str, str]) -> Specification:
    text = printed_text(readings())
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    parsed = parse_specification(text, "corrected by hand")
    conjectures = specification("readable").of_kind("conjecture")
    return Specification(parsed.title, (*parsed.paragraphs, *conjectures))


@pytest.mark.parametrize("error", ERRORS)
def test_each_error_of_meaning_is_found_until_it_is_corrected(error: str) -> None:
    theorem, changes = ERRORS[error]
    assert status(specification("readable"), theorem) == REFUTED
    assert status(corrected_by_hand(changes), theorem) == PROVED


@pytest.mark.parametrize(
    "conjecture",
    [
        "a legal attack on a player happens",
        "a legal attack on a minion happens",
        "no player is attacked after the end",
        "no minion is attacked after the end",
        "nothing changes after the end",
    ],
)
def test_further_errors_of_the_same_kinds(conjecture: str) -> None:
    assert status(specification("readable"), conjecture) == REFUTED


def test_a_counterexample_is_small() -> None:
    known = specification("readable")
    prover = Prover(known, STATE, OPERATIONS, SMALL_BOUNDS)
    found = next(prover.operation_theorems("FullMatchStart"))
    assert found.status == PROVED  # it can happen, but only with equal cards
    lines = next(one for one in prover.operation_theorems("FullMatchStart") if one.status == REFUTED).counterexample
    assert lines[0] == "not kept: Deck, line 23: deck ∈ seq CARD"
    assert len(lines) < 20
