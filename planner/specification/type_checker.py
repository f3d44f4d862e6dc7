"""The type checker: every name is declared, every component exists, and both sides of each operator fit.

The types are those of Z: integers, given types, sets, tuples and bindings. A function and a sequence are sets of pairs.
The checker goes on after an error, with a type that fits everything.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from planner.specification.notation import (
    PRIME,
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
    format_node,
)


@dataclass(frozen=True)
class TypeProblem:
    """One error: where it is, and what is wrong."""

    section: str
    schema: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.section.split()[0]} {self.schema}, line {self.line}: {self.message}"


@dataclass(frozen=True)
class Basic:
    """ℤ or a given type."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class SetOf:
    """The type of sets of elements of a type."""

    element: Type

    def __str__(self) -> str:
        return f"ℙ {self.element}" if isinstance(self.element, Basic) else f"ℙ ({self.element})"


@dataclass(frozen=True)
class TupleOf:
    """The type of tuples."""

    items: tuple[Type, ...]

    def __str__(self) -> str:
        return " × ".join(f"({item})" if isinstance(item, TupleOf) else str(item) for item in self.items)


@dataclass(frozen=True)
class BindingOf:
    """The type of bindings: the components of a schema and their types."""

    components: tuple[tuple[str, Type], ...]

    def __str__(self) -> str:
        return f"⦉ {', '.join(name for name, _ in self.components)} ⦊"


@dataclass(frozen=True)
class Unknown:
    """The type of an expression with an error, which fits everything; also that of the elements of ∅."""

    def __str__(self) -> str:
        return "unknown"


Type = Basic | SetOf | TupleOf | BindingOf | Unknown
INTEGER: Final = Basic("ℤ")
UNKNOWN: Final = Unknown()
Scope = dict[str, Type]


def pairs(first: Type, second: Type) -> SetOf:
    """Return the type of functions and sequences."""
    return SetOf(TupleOf((first, second)))


def join(one: Type, other: Type) -> Type | None:
    """Return the type that both types are, or None if they differ."""
    if isinstance(one, Unknown):
        return other
    if isinstance(other, Unknown):
        return one
    if isinstance(one, SetOf) and isinstance(other, SetOf):
        element = join(one.element, other.element)
        return None if element is None else SetOf(element)
    if isinstance(one, TupleOf) and isinstance(other, TupleOf) and len(one.items) == len(other.items):
        items = [join(*both) for both in zip(one.items, other.items, strict=True)]
        return None if None in items else TupleOf(tuple(item for item in items if item is not None))
    if isinstance(one, BindingOf) and isinstance(other, BindingOf):
        mine, theirs = dict(one.components), dict(other.components)
        same = mine.keys() == theirs.keys() and all(join(mine[name], theirs[name]) is not None for name in mine)
        return one if same else None
    return one if one == other else None


@dataclass
class _Checker:
    specification: Specification
    problems: list[TypeProblem] = field(default_factory=list)
    globals: Scope = field(default_factory=dict)  # constants, given types and free types
    schemas: dict[str, Scope] = field(default_factory=dict)
    here: Paragraph = field(default_factory=lambda: Paragraph("schema", ""))

    def report(self, line: int, message: str) -> Unknown:
        problem = TypeProblem(self.here.section, self.here.name, line, message)
        if problem not in self.problems:
            self.problems.append(problem)
        return UNKNOWN

    # -- paragraphs

    def check(self) -> None:
        for paragraph in self.specification.paragraphs:
            self.here = paragraph
            if paragraph.kind == "given":
                self.globals |= {name: SetOf(Basic(name)) for name in paragraph.names}
            elif paragraph.kind == "free":
                self.globals[paragraph.name] = SetOf(Basic(paragraph.name))
                self.globals |= {branch: Basic(paragraph.name) for branch in paragraph.names}
            elif paragraph.kind == "axiom":
                self.globals |= self.declare(paragraph.declarations, {})
                for predicate in paragraph.predicates:
                    self.predicate(predicate, {})
            elif paragraph.kind == "schema":
                scope = self.declare(paragraph.declarations, {})
                self.schemas[paragraph.name] = scope
                for predicate in paragraph.predicates:
                    self.predicate(predicate, scope)
            elif paragraph.kind == "definition":
                self.schemas[paragraph.name] = self.signature(paragraph.predicates[0])
            else:
                self.predicate(paragraph.predicates[0], self.signature(paragraph.predicates[0], True))

    def declare(self, declarations: tuple[Declaration, ...], outer: Scope) -> Scope:
        """Return the variables of declarations and of the schemas that they include."""
        scope: Scope = {}
        for declaration in declarations:
            if declaration.names:
                kind = self.expression(declaration.type, {**outer, **scope})
                added = dict.fromkeys(declaration.names, self.element(kind, declaration.type))
            else:
                added = self.signature(declaration.type)
            for name, kind in added.items():
                merged = join(scope.get(name, kind), kind)
                if merged is None:
                    self.report(declaration.line, f"{name} is declared twice: as {scope[name]} and as {kind}")
                scope[name] = merged or UNKNOWN
        return scope

    def signature(self, node: Node, is_conjecture: bool = False) -> Scope:
        """Return the variables of a schema expression."""
        if isinstance(node, Name) and node.name.rstrip(PRIME) in self.schemas:
            primes = node.name[len(node.name.rstrip(PRIME)) :]
            return {name + primes: kind for name, kind in self.schemas[node.name.rstrip(PRIME)].items()}
        if isinstance(node, Name):
            self.report(node.line, f"unknown schema {node.name}")
            return {}
        if isinstance(node, Unary) and node.op in ("Δ", "Ξ"):
            inner = self.signature(node.operand)
            return inner | {name + PRIME: kind for name, kind in inner.items()}
        if isinstance(node, Unary) and node.op == "¬":
            return self.signature(node.operand, is_conjecture)
        if isinstance(node, Unary) and node.op == "pre":
            return {name: kind for name, kind in self.signature(node.operand).items() if not name.endswith(PRIME)}
        if isinstance(node, Binary) and node.op in ("∧", "∨", "⇒", "⇔", "⨟"):
            left, right = self.signature(node.left, is_conjecture), self.signature(node.right, is_conjecture)
            if node.op == "⨟" and not any(name + PRIME in left for name in right):
                shown = format_node(node.left)
                self.report(node.line, f"{shown} has no after-state (no primed variable), so ⨟ passes nothing on")
            for name in left.keys() & right.keys():
                if join(left[name], right[name]) is None:
                    self.report(node.line, f"{name} has two types: {left[name]} and {right[name]}")
            return left | right
        if not is_conjecture:
            self.report(node.line, f"{format_node(node)} is not a schema")
        return {}

    # -- predicates

    def predicate(self, node: Node, scope: Scope) -> None:
        match node:
            case Binary(op, left, right) if op in ("∧", "∨", "⇒", "⇔"):
                self.predicate(left, scope)
                self.predicate(right, scope)
            case Unary("¬", operand):
                self.predicate(operand, scope)
            case Quantified(_, declarations, body):
                self.predicate(body, scope | self.declare(declarations, scope))
            case Let(definitions, body):
                self.predicate(body, self.define(definitions, scope))
            case Name() | Unary(op="Δ" | "Ξ" | "pre"):
                for name, kind in self.signature(node).items():
                    if name not in scope:
                        self.report(node.line, f"{format_node(node)} needs {name}, which is not declared here")
                    elif join(scope[name], kind) is None:
                        self.report(node.line, f"{name} is {scope[name]} here, and {kind} in {format_node(node)}")
            case Binary(op, left, right):
                self.relation(node, op, self.expression(left, scope), self.expression(right, scope))
            case _:
                self.report(node.line, f"{format_node(node)} is not a predicate")

    def define(self, definitions: tuple[tuple[str, Node], ...], scope: Scope) -> Scope:
        for name, value in definitions:
            scope = scope | {name: self.expression(value, scope)}
        return scope

    def relation(self, node: Binary, op: str, left: Type, right: Type) -> None:
        if op in ("∈", "∉"):
            expected: Type | None = join(SetOf(left), right)
        elif op in ("<", "≤", ">", "≥"):
            expected = join(join(left, INTEGER) or SetOf(UNKNOWN), right)
        elif op == "⊆":
            expected = join(join(left, SetOf(UNKNOWN)) or INTEGER, right)
        elif op in ("=", "≠"):
            expected = join(left, right)
        else:
            self.report(node.line, f"{format_node(node)} is not a predicate")
            return
        if expected is None:
            self.report(node.line, f"{format_node(node)}: {left} {op} {right} does not fit")

    # -- expressions

    def element(self, kind: Type, node: Node) -> Type:
        """Return the type of the elements of a set."""
        if isinstance(kind, SetOf):
            return kind.element
        return kind if isinstance(kind, Unknown) else self.report(node.line, f"{format_node(node)} is not a set")

    def pair(self, kind: Type, node: Node) -> tuple[Type, Type]:
        """Return the types of the arguments and of the values of a function or a sequence."""
        element = self.element(kind, node)
        if isinstance(element, TupleOf) and len(element.items) == 2:
            return element.items[0], element.items[1]
        if not isinstance(element, Unknown):
            self.report(node.line, f"{format_node(node)} is not a function or sequence")
        return UNKNOWN, UNKNOWN

    def expression(self, node: Node, scope: Scope) -> Type:
        match node:
            case Number():
                return INTEGER
            case Name(name):
                return self.name(node, name, scope)
            case Select(operand, component):
                kind = self.expression(operand, scope)
                if isinstance(kind, Unknown):
                    return kind
                found = dict(kind.components).get(component) if isinstance(kind, BindingOf) else None
                return found or self.report(node.line, f"{format_node(operand)} has no component {component}")
            case Apply(function, argument):
                expected, result = self.pair(self.expression(function, scope), function)
                actual = self.expression(argument, scope)
                if join(expected, actual) is None:
                    shown = format_node(argument).strip("()")
                    self.report(node.line, f"{format_node(function)} takes {expected}, but ({shown}) is {actual}")
                return result
            case Display("(", items):
                return TupleOf(tuple(self.expression(item, scope) for item in items))
            case Display(kind, items):
                element: Type = UNKNOWN
                for item in items:
                    merged = join(element, self.expression(item, scope))
                    element = merged or self.report(node.line, f"{format_node(node)} mixes types")
                return SetOf(element) if kind == "{" else pairs(INTEGER, element)
            case BindingDisplay(components):
                return BindingOf(tuple((name, self.expression(value, scope)) for name, value in components))
            case Conditional(condition, then, otherwise):
                self.predicate(condition, scope)
                both = self.expression(then, scope), self.expression(otherwise, scope)
                return join(*both) or self.report(node.line, f"then gives {both[0]}, else gives {both[1]}")
            case Let(definitions, body):
                return self.expression(body, self.define(definitions, scope))
            case Unary(op, operand):
                return self.unary(node, op, operand, scope)
            case Binary(op, left, right):
                return self.binary(node, op, self.expression(left, scope), self.expression(right, scope))
        return self.report(node.line, f"{format_node(node)} is not an expression")

    def name(self, node: Name, name: str, scope: Scope) -> Type:
        if name in ("ℤ", "ℕ", "ℕ₁"):
            return SetOf(INTEGER)
        if name == "∅":
            return SetOf(UNKNOWN)
        if name in scope or name in self.globals:
            return scope[name] if name in scope else self.globals[name]
        if name in self.schemas:
            return SetOf(BindingOf(tuple(self.schemas[name].items())))
        return self.report(node.line, f"unknown name {name}")

    def unary(self, node: Unary, op: str, operand: Node, scope: Scope) -> Type:
        if op in ("Δ", "Ξ"):
            return SetOf(BindingOf(tuple(self.signature(node).items())))
        kind = self.expression(operand, scope)
        if op == PRIME:
            shown = format_node(operand)
            return self.report(node.line, f"({shown}){PRIME}: only a name can be primed, such as pl_state{PRIME}(P1)")
        if op == "#":
            self.element(kind, operand)
            return INTEGER
        if op == "ℙ":
            return SetOf(SetOf(self.element(kind, operand)))
        if op in ("seq", "iseq"):
            return SetOf(pairs(INTEGER, self.element(kind, operand)))
        if op in ("dom", "ran", "head", "tail"):
            first, second = self.pair(kind, operand)
            return {"dom": SetOf(first), "ran": SetOf(second), "head": second, "tail": kind}[op]
        return self.report(node.line, f"{format_node(node)} is not an expression")

    def binary(self, node: Binary, op: str, left: Type, right: Type) -> Type:
        fits: Type | None
        if op in ("+", "-"):
            fits = INTEGER if join(left, INTEGER) and join(right, INTEGER) else None
        elif op == "..":
            fits = SetOf(INTEGER) if join(left, INTEGER) and join(right, INTEGER) else None
        elif op == "↦":
            fits = TupleOf((left, right))
        elif op in ("∪", "∩", "∖", "⊕"):
            fits = join(join(left, SetOf(UNKNOWN)) or INTEGER, right)
        elif op == "×":
            first = left.element if isinstance(left, SetOf) else UNKNOWN
            items = first.items if isinstance(first, TupleOf) and _is_product(node.left) else (first,)
            fits = SetOf(TupleOf((*items, self.element(right, node.right))))
        elif op in ("→", "⇸"):
            fits = SetOf(pairs(self.element(left, node.left), self.element(right, node.right)))
        elif op in ("↾", "↿", "⩤"):
            sequence, index = (left, right) if op == "↾" else (right, left)
            first, second = self.pair(sequence, node.left if op == "↾" else node.right)
            fits = join(index, SetOf(second if op == "↾" else first)) and sequence
        else:
            return self.report(node.line, f"{format_node(node)} is not an expression")
        return fits or self.report(node.line, f"{format_node(node)}: {left} {op} {right} does not fit")


def _is_product(node: Node) -> bool:
    return isinstance(node, Binary) and node.op == "×"


def check_types(specification: Specification) -> list[TypeProblem]:
    """Return the type errors of a specification, in the order of its lines."""
    checker = _Checker(specification)
    checker.check()
    return sorted(checker.problems, key=lambda problem: problem.line)
