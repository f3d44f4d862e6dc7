"""Specifications as text: the inverse of the parser."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from planner.specification.notation import (
    CLOSING,
    LEVELS,
    PRIME,
    RELATION,
    Apply,
    Binary,
    BindingDisplay,
    Conditional,
    Declaration,
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
)

_LEVEL: Final = {op: level for level, ops in enumerate(LEVELS) for op in ops}
_TIGHTEST: Final = len(LEVELS)
_RIGHT: Final = ("⇒", "→", "⇸")  # a ⇒ b ⇒ c is a ⇒ (b ⇒ c)
_WIDTH: Final = 100


def format_specification(specification: Specification, names: tuple[str, ...] = ()) -> str:
    """Return the specification in Z, with its sections and notes; with `names`, only these paragraphs."""
    lines: list[str] = []
    section = ""
    for paragraph in specification.paragraphs:
        if names and paragraph.name not in names:
            continue
        if paragraph.section != section:
            section = paragraph.section
            lines += [f"§ {section}", ""]
        lines += [f"-- {paragraph.note}"] if paragraph.note else []
        lines += [*_paragraph(paragraph), ""]
    return "\n".join(lines)


def _paragraph(paragraph: Paragraph) -> Iterator[str]:
    name = paragraph.name
    if paragraph.kind == "given":
        yield f"[{', '.join(paragraph.names)}]"
    elif paragraph.kind == "free":
        yield f"{name} ::= {' | '.join(paragraph.names)}"
    elif paragraph.kind == "conjecture":
        yield f"⊢? [{name}] {format_node(paragraph.predicates[0])}"
    elif paragraph.kind == "definition":
        yield from _definition(name, paragraph.predicates[0])
    else:
        boxed = paragraph.kind == "schema"
        if boxed:
            yield f"┌─ {name} ──"
        yield from (f"│ {format_declaration(declaration)}" for declaration in paragraph.declarations)
        if paragraph.predicates:
            yield "├──"
        for predicate in paragraph.predicates:
            yield from (f"│ {line}" for line in _block(predicate))
        if boxed:
            yield "└──"


def _definition(name: str, node: Node) -> Iterator[str]:
    line = f"{name} == {format_node(node)}"
    parts: list[Node] = []
    while isinstance(node, Binary) and node.op == "∨":
        parts.insert(0, node.right)
        node = node.left
    if len(parts) < 2 or len(line) < 50:
        yield line
        return
    yield f"{name} =="
    texts = [_inner(part, _LEVEL["∨"] + 1) for part in (node, *parts)]
    yield from (f"  {text} ∨" for text in texts[:-1])
    yield f"  {texts[-1]}"


def _block(node: Node) -> Iterator[str]:
    """Yield the lines of a predicate: what follows `•` gets lines of its own."""
    if isinstance(node, Let | Quantified):
        yield _head(node)
        for part in conjunction(node.body):
            yield from (f"  {line}" for line in _block(part))
    elif isinstance(node, Binary) and isinstance(node.right, Conditional) and len(format_node(node)) > _WIDTH - 20:
        yield f"{_inner(node.left, _LEVEL[node.op] + 1)} {node.op}"
        yield f"  if {format_node(node.right.condition)}"
        yield f"  then {format_node(node.right.then)}"
        yield f"  else {format_node(node.right.otherwise)}"
    else:
        yield format_node(node)


def _head(node: Let | Quantified) -> str:
    if isinstance(node, Let):
        return f"let {'; '.join(f'{name} == {format_node(value)}' for name, value in node.definitions)} •"
    return f"{node.quantifier} {'; '.join(map(format_declaration, node.declarations))} •"


def format_declaration(declaration: Declaration) -> str:
    """Return a declaration or an included schema."""
    shown = format_node(declaration.type)
    return f"{', '.join(declaration.names)} : {shown}" if declaration.names else shown


def format_node(node: Node) -> str:
    """Return an expression or predicate on one line."""
    return _inner(node, 0)


def _inner(node: Node, level: int) -> str:
    """Return a part, in parentheses where it binds less tightly than its place needs."""
    text, own = _with_level(node)
    return f"({text})" if own < level else text


def _with_level(node: Node) -> tuple[str, int]:
    match node:
        case Name(name):
            return name, _TIGHTEST + 1
        case Number(value):
            return str(value), _TIGHTEST + 1
        case Binary(op, left, right):
            own = _LEVEL[op]
            sides = (own + 1, own) if op in _RIGHT else (own, own + 1)
            if own == RELATION:
                sides = (own + 1, own + 1)
            return f"{_inner(left, sides[0])} {op} {_inner(right, sides[1])}", own
        case Unary(op, operand) if op == PRIME:
            return f"{_inner(operand, _TIGHTEST + 1)}{PRIME}", _TIGHTEST + 1
        case Unary(op, operand):
            if op == "¬":
                return f"¬ {_inner(operand, RELATION)}", RELATION
            space = "" if op in "ΔΞ" else " "
            return f"{op}{space}{_inner(operand, _TIGHTEST)}", _TIGHTEST
        case Select(operand, component):
            return f"{_inner(operand, _TIGHTEST + 1)}.{component}", _TIGHTEST + 1
        case Apply(function, argument):
            tuples = isinstance(argument, Display) and argument.kind == "("
            inner = format_node(argument) if tuples else f"({format_node(argument)})"
            return f"{_inner(function, _TIGHTEST + 1)}{inner}", _TIGHTEST + 1
        case Display(kind, items):
            return f"{kind}{', '.join(map(format_node, items))}{CLOSING[kind]}", _TIGHTEST + 1
        case BindingDisplay(components):
            inner = ", ".join(f"{name} == {format_node(value)}" for name, value in components)
            return f"⦉ {inner} ⦊", _TIGHTEST + 1
        case Conditional(condition, then, otherwise):
            parts = (format_node(part) for part in (condition, then, otherwise))
            return "if {} then {} else {}".format(*parts), 0
        case Let() | Quantified():
            return f"{_head(node)} {format_node(node.body)}", 0
    raise AssertionError(node)
