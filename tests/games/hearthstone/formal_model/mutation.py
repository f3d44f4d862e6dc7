"""Random changes of the corrected specification, and what notices them.

`python -m tests.games.hearthstone.formal_model.mutation 100 2024` makes 100 changes with the seed 2024 and prints what
noticed each. A change is one of: a predicate is removed or negated, an operator, a number, a player or a component is
replaced. Only changes without type errors count.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random
from typing import Final

from planner.errors import PlannerError
from planner.games.hearthstone.formal_model import OPERATIONS, SMALL_BOUNDS, STATE, specification
from planner.games.hearthstone.formal_model.conformance import Judge
from planner.specification.notation import (
    PRIME,
    Apply,
    Binary,
    BindingDisplay,
    Conditional,
    Display,
    Let,
    Name,
    Node,
    Number,
    Paragraph,
    Quantified,
    Select,
    Specification,
    Unary,
    conjunction,
    format_node,
)
from planner.specification.prover import PROVED, Prover
from planner.specification.type_checker import check_types
from tests.games.hearthstone.formal_model.matches import problems
from tests.games.hearthstone.formal_model.test_conformance import INVALID, fight_problems, start_problems

OPERATORS: Final = {
    "<": "≤>", "≤": "<≥", ">": "≥<", "≥": ">≤", "=": "≠", "≠": "=", "∈": "∉", "∉": "∈", "+": "-", "-": "+",
    "∪": "∩∖", "∩": "∪∖", "∖": "∪∩", "∧": "∨", "∨": "∧", "⊕": "∪∖",
}  # fmt: skip
NAMES: Final = {"P1": ("P2",), "P2": ("P1",), "hand_init_size": ("max_board_size",), "∅": ()}
COMPONENTS: Final = {"attack": ("health",), "health": ("attack",), "hand": (), "deck": (), "board": ()}
MATCHES: Final = ((0, 6), (1, 6), (4, 6), (7, 4), (8, 3), (9, 2))  # seeds and sizes of decks


def changes(node: Node) -> Iterator[tuple[str, Node]]:
    """Yield every change of one place in a predicate, with a description."""
    if isinstance(node, Binary) and node.op in OPERATORS:
        for op in OPERATORS[node.op]:
            changed = replace(node, op=op)
            yield f"{format_node(node)}  becomes  {format_node(changed)}", changed
    if isinstance(node, Number):
        for value in (node.value + 1, max(0, node.value - 1)):
            if value != node.value:
                yield f"{node.value} becomes {value}", replace(node, value=value)
    if isinstance(node, Name):
        for name in NAMES.get(node.name, ()):
            yield f"{node.name} becomes {name}", replace(node, name=name)
        if node.name == "curr_player":
            yield "curr_player becomes its opponent", Apply(Name("opponent"), node, node.line)
    if isinstance(node, Select):
        for component in COMPONENTS.get(node.component, ()):
            yield f"{node.component} becomes {component}", replace(node, component=component)
        if isinstance(node.operand, Name) and node.operand.name.endswith(PRIME):
            before = replace(node, operand=replace(node.operand, name=node.operand.name.rstrip(PRIME)))
            yield f"{format_node(node)} becomes {format_node(before)}", before
    for path, inner in _parts(node):
        for text, changed in changes(inner):
            yield text, path(changed)
    if isinstance(node, Let | Quantified):
        kept = conjunction(node.body)
        for index, part in enumerate(kept):
            if len(kept) > 1:
                rest = [one for at, one in enumerate(kept) if at != index]
                yield f"removed: {format_node(part)}", replace(node, body=_all(rest))
            negated = [Unary("¬", one, one.line) if at == index else one for at, one in enumerate(kept)]
            yield f"negated: {format_node(part)}", replace(node, body=_all(negated))


def _all(parts: list[Node]) -> Node:
    result = parts[0]
    for part in parts[1:]:
        result = Binary("∧", result, part, part.line)
    return result


def _parts(node: Node) -> Iterator[tuple[Callable[[Node], Node], Node]]:
    """Yield the parts of a node, each with a function that puts another part in its place."""
    match node:
        case Unary() | Select():
            yield lambda new: replace(node, operand=new), node.operand
        case Binary():
            yield lambda new: replace(node, left=new), node.left
            yield lambda new: replace(node, right=new), node.right
        case Apply():
            yield lambda new: replace(node, argument=new), node.argument
            yield lambda new: replace(node, function=new), node.function
        case Display(items=items):
            for index, item in enumerate(items):
                yield lambda new, at=index: replace(node, items=(*items[:at], new, *items[at + 1 :])), item  # type: ignore[misc]
        case BindingDisplay(components=components):
            for index, (name, value) in enumerate(components):
                yield (
                    lambda new, at=index, key=name: replace(  # type: ignore[misc]
                        node, components=(*components[:at], (key, new), *components[at + 1 :])
                    ),
                    value,
                )
        case Let(definitions=definitions):
            yield lambda new: replace(node, body=new), node.body
            for index, (name, value) in enumerate(definitions):
                yield (
                    lambda new, at=index, key=name: replace(  # type: ignore[misc]
                        node, definitions=(*definitions[:at], (key, new), *definitions[at + 1 :])
                    ),
                    value,
                )
        case Quantified():
            yield lambda new: replace(node, body=new), node.body
        case Conditional():
            yield lambda new: replace(node, condition=new), node.condition
            yield lambda new: replace(node, then=new), node.then
            yield lambda new: replace(node, otherwise=new), node.otherwise


def mutants(corrected: Specification) -> list[tuple[str, Specification]]:
    """Return every change of a single predicate of a schema or an axiom that has no type error."""
    found: list[tuple[str, Specification]] = []
    for paragraph in corrected.of_kind("schema", "axiom"):
        for index, predicate in enumerate(paragraph.predicates):
            others = paragraph.predicates[:index], paragraph.predicates[index + 1 :]
            options: list[tuple[str, tuple[Node, ...]]] = [(text, (new,)) for text, new in changes(predicate)]
            if paragraph.kind == "schema":
                options += [(f"removed: {format_node(predicate)}", ())]
                options += [(f"negated: {format_node(predicate)}", (Unary("¬", predicate, predicate.line),))]
            for text, new in options:
                changed: Paragraph = replace(paragraph, predicates=(*others[0], *new, *others[1]))
                paragraphs = tuple(changed if one is paragraph else one for one in corrected.paragraphs)
                found.append((f"{paragraph.name}: {text}", replace(corrected, paragraphs=paragraphs)))
    return found


def noticed_by_matches(mutant: Specification) -> str | None:
    """Return what a comparison with the rules finds wrong, or None."""
    if wrong := start_problems(mutant):
        return f"starts: {wrong[0]}"
    for name, state in INVALID.items():
        if not list(Judge(state, mutant).state(state)):
            return f"accepts {name}"
    if wrong := fight_problems(mutant):
        return f"fights: {wrong[0]}"
    for seed, size in MATCHES:
        if wrong_match := next(problems(seed, size, 3, mutant), None):
            return f"match {seed}: {wrong_match}"
    return None


def noticed_by_proofs(mutant: Specification) -> str | None:
    """Return the first theorem that is not proved, or None."""
    for theorem in Prover(mutant, STATE, OPERATIONS, SMALL_BOUNDS).theorems():
        if theorem.status != PROVED:
            return str(theorem)
    return None


def noticed(mutant: Specification) -> str | None:
    """Return what notices a change, or None if it survives."""
    try:
        return noticed_by_matches(mutant) or noticed_by_proofs(mutant)
    except PlannerError as error:  # such as: a variable of the after-state is not determined
        return str(error)


def sample(count: int, seed: int) -> list[tuple[str, Specification]]:
    """Return random changes without type errors."""
    known = mutants(specification("corrected"))
    rng = Random(seed)
    rng.shuffle(known)
    return [one for one in known if not check_types(one[1])][:count]


def main(count: int, seed: int) -> int:
    """Print what notices each change, and the survivors."""
    survivors = []
    for text, mutant in sample(count, seed):
        reason = noticed(mutant)
        sys.stdout.write(f"{'survives' if reason is None else 'noticed '} {text}  [{reason}]\n")
        sys.stdout.flush()
        if reason is None:
            survivors.append(text)
    sys.stdout.write(f"{count - len(survivors)} of {count} noticed\n")
    return len(survivors)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
