"""Z as data: the syntax tree of a specification, and the operators of its expressions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
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


def children(node: Node) -> Iterator[Node]:
    """Yield the parts of an expression or predicate."""
    if isinstance(node, Quantified):
        yield from (declaration.type for declaration in node.declarations)
        yield node.body
        return
    for part in fields(node):
        value = getattr(node, part.name)
        for item in value if isinstance(value, tuple) else (value,):
            inner = item[1] if isinstance(item, tuple) else item
            if not isinstance(inner, str | int):
                yield inner


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
