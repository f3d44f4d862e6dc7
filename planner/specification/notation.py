"""Z as data: the syntax tree of a specification, the operators of its expressions, and the tree as text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from planner.errors import PlannerError, quote

PRIME: Final = "′"
_LINE = field(default=0, compare=False)


@dataclass(frozen=True)
class Name:
    """A variable, constant, type or schema, such as `deck`, `deck′`, `minion?` or `Board`."""

    name: str
    line: int = _LINE


@dataclass(frozen=True)
class Number:
    """An integer."""

    value: int
    line: int = _LINE


@dataclass(frozen=True)
class Unary:
    """A prefix operator, or the postfix prime of an expression that is not a name."""

    op: str
    operand: Node
    line: int = _LINE


@dataclass(frozen=True)
class Binary:
    """An operator between two expressions or predicates."""

    op: str
    left: Node
    right: Node
    line: int = _LINE


@dataclass(frozen=True)
class Select:
    """A component of a binding: `p.hand`."""

    operand: Node
    component: str
    line: int = _LINE


@dataclass(frozen=True)
class Apply:
    """The application of a function: `opponent(curr_player)`."""

    function: Node
    argument: Node
    line: int = _LINE


@dataclass(frozen=True)
class Display:
    """A tuple `(a, b)`, a set `{a, b}` or a sequence `⟨a, b⟩`; `kind` is the opening bracket."""

    kind: str
    items: tuple[Node, ...]
    line: int = _LINE


@dataclass(frozen=True)
class BindingDisplay:
    """A binding: `⦉ attack == 1, health == 2 ⦊`."""

    components: tuple[tuple[str, Node], ...]
    line: int = _LINE


@dataclass(frozen=True)
class Declaration:
    """Variables of a type, `a, b : ℕ`, or an included schema (then there are no names)."""

    names: tuple[str, ...]
    type: Node
    line: int = _LINE


@dataclass(frozen=True)
class Quantified:
    """`∀` or `∃` over declarations."""

    quantifier: str
    declarations: tuple[Declaration, ...]
    body: Node
    line: int = _LINE


@dataclass(frozen=True)
class Let:
    """Local abbreviations."""

    definitions: tuple[tuple[str, Node], ...]
    body: Node
    line: int = _LINE


@dataclass(frozen=True)
class Conditional:
    """`if p then a else b`."""

    condition: Node
    then: Node
    otherwise: Node
    line: int = _LINE


Node: TypeAlias = (
    "Name | Number | Unary | Binary | Select | Apply | Display | BindingDisplay | Quantified | Let | Conditional"
)


@dataclass(frozen=True)
class Paragraph:
    """One paragraph of a specification. `kind` is given, free, axiom, schema, definition or conjecture.

    A given type and a free type list their names in `names`. A definition and a conjecture have one predicate.
    """

    kind: str
    name: str
    names: tuple[str, ...] = ()
    declarations: tuple[Declaration, ...] = ()
    predicates: tuple[Node, ...] = ()
    section: str = field(default="", compare=False)
    note: str = field(default="", compare=False)
    line: int = _LINE


@dataclass(frozen=True)
class Specification:
    """The paragraphs of a specification in their order."""

    title: str
    paragraphs: tuple[Paragraph, ...]

    def paragraph(self, name: str) -> Paragraph:
        """Return the schema, the type or the conjecture of this name."""
        for paragraph in self.paragraphs:
            if paragraph.name == name:
                return paragraph
        raise PlannerError(f"{self.title}: there is no paragraph {quote(name)}")

    def of_kind(self, *kinds: str) -> list[Paragraph]:
        """Return the paragraphs of these kinds."""
        return [paragraph for paragraph in self.paragraphs if paragraph.kind in kinds]


def conjunction(node: Node) -> list[Node]:
    """Return the parts of `a ∧ b ∧ c`."""
    if isinstance(node, Binary) and node.op == "∧":
        return [*conjunction(node.left), *conjunction(node.right)]
    return [node]


# -- operators

PREFIX: Final = ("#", "ℙ", "seq", "iseq", "dom", "ran", "head", "tail", "Δ", "Ξ", "pre", "¬")
# From the operators that bind most loosely to those that bind most tightly.
LEVELS: Final = (
    ("⨟",),
    ("⇔",),
    ("⇒",),
    ("∨",),
    ("∧",),
    ("=", "≠", "∈", "∉", "<", "≤", ">", "≥", "⊆"),
    ("→", "⇸"),
    ("×",),
    ("↦",),
    ("..",),
    ("+", "-", "∪", "∖", "⊕"),
    ("∩", "↾", "↿", "⩤"),
)
RELATION: Final = 5  # the level of `=` and its like
CLOSING: Final = {"(": ")", "{": "}", "⟨": "⟩", "⦉": "⦊"}
_LEVEL: Final = {op: level for level, ops in enumerate(LEVELS) for op in ops}
_TIGHTEST: Final = len(LEVELS)
_RIGHT: Final = ("⇒", "→", "⇸")  # a ⇒ b ⇒ c is a ⇒ (b ⇒ c)
_WIDTH: Final = 100


# -- the tree as text


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
