"""The values of expressions and the conditions of predicates, over concrete states and over Z3's formulas alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any, TypeGuard

from planner.errors import PlannerError
from planner.specification import values as z
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
    format_node,
)
from planner.specification.values import Condition, Environment, Value


@dataclass(frozen=True)
class DomainCheck:
    """An application of a function or of `head`: it must have a value wherever the predicates before it hold."""

    path: Condition
    defined: Condition
    line: int
    text: str


class PredicateEvaluator:
    """Evaluates the expressions and predicates of one specification.

    `constants` has the values of axiomatic constants without a definition; a function maps an argument to its value.
    """

    def __init__(self, specification: Specification, constants: Mapping[str, Value | Callable[[Value], Value]]) -> None:
        self.schemas = {one.name: one for one in specification.of_kind("schema", "definition")}
        self.free = {one.name: one.names for one in specification.of_kind("free")}
        self.constants = dict(constants)
        self.branches = {branch for names in self.free.values() for branch in names}
        self.functions: dict[str, tuple[list[tuple[str, Node]], Node]] = {}
        self.properties: dict[str, list[Quantified]] = {}
        self.assumptions: list[Condition] = []  # what the axioms say about the functions that were applied
        self.checks: list[DomainCheck] = []
        self.path: list[Condition] = []
        self._signatures: dict[str, dict[str, Node]] = {}
        for axiom in specification.of_kind("axiom"):
            for predicate in axiom.predicates:
                self._read_axiom(axiom, predicate)

    def case_conditions(self, case: Node, environment: Environment) -> list[Condition]:
        """Return the conditions of the predicates of a schema expression without disjunctions."""
        raise NotImplementedError

    def precondition(self, node: Node, environment: Environment) -> Condition:
        """Return whether there is an after-state. Raise a PlannerError if the equations do not determine it."""
        raise NotImplementedError

    def _read_axiom(self, axiom: Paragraph, predicate: Node) -> None:
        """Take `∀ x : T • f(x) = e` as the definition of f, and any other `∀` as a property of it."""
        if isinstance(predicate, Quantified):
            parameters = [(name, one.type) for one in predicate.declarations for name in one.names]
            body = predicate.body
            is_definition = isinstance(body, Binary) and body.op == "=" and isinstance(body.left, Apply)
            if is_definition and isinstance(body, Binary):
                self.functions[axiom.name] = (parameters, body.right)
            else:
                self.properties.setdefault(axiom.name, []).append(predicate)
        elif isinstance(predicate, Binary) and predicate.op == "=" and isinstance(predicate.left, Name):
            self.constants[predicate.left.name] = self.evaluate(predicate.right, {})

    # -- schemas

    def signature(self, node: Node) -> dict[str, Node]:
        """Return the variables of a schema expression and their declared types."""
        if isinstance(node, Name):
            if node.name not in self._signatures:
                self._signatures[node.name] = self._schema_signature(node.name)
            return self._signatures[node.name]
        if isinstance(node, Unary) and node.op in ("Δ", "Ξ"):
            inner = self.signature(node.operand)
            return inner | {name + PRIME: kind for name, kind in inner.items()}
        if isinstance(node, Unary) and node.op == "pre":
            return {name: kind for name, kind in self.signature(node.operand).items() if not name.endswith(PRIME)}
        if isinstance(node, Unary):
            return self.signature(node.operand)
        if isinstance(node, Binary) and node.op in ("∧", "∨", "⇒", "⇔", "⨟"):
            return self.signature(node.left) | self.signature(node.right)
        return {}

    def _schema_signature(self, name: str) -> dict[str, Node]:
        base = name.rstrip(PRIME)
        if base not in self.schemas:
            return {}
        paragraph, primes = self.schemas[base], name[len(base) :]
        found: dict[str, Node] = {}
        for declaration in paragraph.declarations:
            inner = dict.fromkeys(declaration.names, declaration.type)
            found |= inner if declaration.names else self.signature(declaration.type)
        if paragraph.kind == "definition":
            found = self.signature(paragraph.predicates[0])
        return {variable + primes: kind for variable, kind in found.items()}

    def alternatives(self, node: Node) -> list[tuple[str, Node]]:
        """Return the cases of a schema expression: one for each choice at its disjunctions, with the boxes it names."""
        if isinstance(node, Name) and node.name in self.schemas:
            paragraph = self.schemas[node.name]
            return self.alternatives(paragraph.predicates[0]) if paragraph.kind == "definition" else [(node.name, node)]
        if isinstance(node, Binary) and node.op == "∨":
            return [*self.alternatives(node.left), *self.alternatives(node.right)]
        if isinstance(node, Binary) and node.op in ("∧", "⨟"):
            both = product(self.alternatives(node.left), self.alternatives(node.right))
            return [
                (f"{one} {node.op} {other}", Binary(node.op, left, right, node.line))
                for (one, left), (other, right) in both
            ]
        return [(format_node(node), node)]

    def maps_to_schema(self, kind: Node) -> TypeGuard[Binary]:
        """Return whether a type is that of total functions from a free type to a schema."""
        return (
            isinstance(kind, Binary)
            and kind.op == "→"
            and isinstance(kind.left, Name)
            and kind.left.name in self.free
            and isinstance(kind.right, Name)
            and kind.right.name in self.schemas
        )

    @staticmethod
    def schema_key(name: str, environment: Environment) -> tuple[object, ...]:
        """Return what identifies a schema with these values of its variables."""
        return (name, *(id(value) for value in environment.values()))

    def unassigned(self, kind: Node, label: str) -> Value:
        """Return an unknown value of a type: its components are unknown one by one, so that equations can set them."""
        if isinstance(kind, Name) and kind.name in self.schemas:
            return z.BindingValue(
                {name: self.unassigned(one, f"{label}.{name}") for name, one in self.signature(kind).items()}
            )
        if self.maps_to_schema(kind) and isinstance(kind.left, Name):
            keys = self.free[kind.left.name]
            return z.concrete_set((key, self.unassigned(kind.right, f"{label}({key})")) for key in keys)
        return z.Unassigned(label, kind)

    # -- predicates

    def holds(self, node: Node, environment: Environment) -> Condition:
        """Return the condition under which a predicate holds."""
        match node:
            case Binary("∧", left, right):
                condition = self.holds(left, environment)
                return z.all_of((condition, self._guarded(condition, right, environment)))
            case Binary("⇒", left, right):
                condition = self.holds(left, environment)
                return z.any_of((z.negate(condition), self._guarded(condition, right, environment)))
            case Binary("∨", left, right):
                condition = self.holds(left, environment)
                return z.any_of((condition, self._guarded(z.negate(condition), right, environment)))
            case Binary("⇔", left, right):
                return z.same(self.holds(left, environment), self.holds(right, environment))
            case Unary("¬", operand):
                return z.negate(self.holds(operand, environment))
            case Unary("pre", operand):
                return self.precondition(operand, environment)
            case Let():
                return self.holds(node.body, self._define(node, environment))
            case Quantified(quantifier):
                cases = [
                    (at, self._guarded(at, node.body, inner)) for at, inner in self._assignments(node, environment)
                ]
                if quantifier == "∀":
                    return z.all_of([z.implies(at, result) for at, result in cases])
                return z.any_of([z.all_of(case) for case in cases])
            case Name() | Unary("Ξ" | "Δ"):
                return z.any_of(
                    [z.all_of(self.case_conditions(case, environment)) for _, case in self.alternatives(node)]
                )
            case Binary(op, left, right):
                return self._relation(op, left, right, environment)
        raise PlannerError(f"line {node.line}: {format_node(node)} is not a predicate")

    def _guarded(self, condition: Condition, node: Node, environment: Environment) -> Condition:
        """Evaluate a predicate that matters only under a condition."""
        if condition is False:
            return False
        self.path.append(condition)
        try:
            return self.holds(node, environment)
        finally:
            self.path.pop()

    def _relation(self, op: str, left: Node, right: Node, environment: Environment) -> Condition:
        if op in ("∈", "∉"):
            element = self.evaluate(left, environment)
            found = self.is_member(element, right, environment)
            return found if op == "∈" else z.negate(found)
        one, other = z.known(self.evaluate(left, environment)), z.known(self.evaluate(right, environment))
        if op in ("=", "≠"):
            return z.same(one, other) if op == "=" else z.negate(z.same(one, other))
        return z.is_subset(one, other) if op == "⊆" else z.compare(op, one, other)

    def _define(self, node: Let, environment: Environment) -> Environment:
        for name, value in node.definitions:
            environment = environment | {name: self.evaluate(value, environment)}
        return environment

    def _assignments(self, node: Quantified, environment: Environment) -> list[tuple[Condition, Environment]]:
        """Return the values of the bound variables, each with the condition under which it is in its type."""
        found: list[tuple[Condition, Environment]] = [(True, environment)]
        for declaration in node.declarations:
            for name in declaration.names:
                found = [
                    (z.all_of((at, present)), inner | {name: element})
                    for at, inner in found
                    for present, element in self._domain(name, declaration.type, node.body, inner)
                ]
        return found

    def _domain(self, name: str, kind: Node, body: Node, environment: Environment) -> list[tuple[Condition, Value]]:
        if isinstance(kind, Name) and kind.name in self.free:
            return [(True, element) for element in self.free[kind.name]]
        if isinstance(kind, Name) and kind.name in self.schemas:
            # ∀ m : Minion • m ∈ board ⇒ P is about the elements of board.
            if isinstance(body, Binary) and isinstance(body.left, Binary) and body.left.op == "∈":
                member = body.left
                if member.left == Name(name):
                    return list(z.as_set(self.evaluate(member.right, environment)).slots)
            raise PlannerError(f"line {kind.line}: {kind.name} is infinite; use {name} ∈ S ⇒ ...")
        return list(z.as_set(self.evaluate(kind, environment)).slots)

    def is_member(self, value: Value, kind: Node, environment: Environment | None = None) -> Condition:
        """Return whether a value is in a type or set."""
        match kind:
            case Name("ℤ"):
                return True
            case Name("ℕ" | "ℕ₁"):
                return z.compare("≥", z.known(value), 0 if kind.name == "ℕ" else 1)
            case Name(name) if name in self.schemas:
                return z.all_of(self.case_conditions(kind, dict(z.known(value).components)))
            case Name(name) if name in self.free or name not in {*(environment or {}), *self.constants, "∅"}:
                return True  # a given or free type has every value that is used as one
            case Unary("ℙ", element):
                return self._members(((at, one) for at, one in z.as_set(value).slots), element)
            case Unary("seq" | "iseq" as op, element):
                slots = z.as_set(value).slots
                items = [(at, pair[1]) for at, pair in slots]
                differ = (
                    z.negate(z.all_of((here, there, z.same(one, other))))
                    for index, (here, one) in enumerate(items)
                    for there, other in items[:index]
                )
                ordered = z.is_sequence(value)
                return z.all_of((ordered, self._members(items, element), *(differ if op == "iseq" else ())))
            case Binary("→" | "⇸", left, right):
                slots = z.as_set(value).slots
                parts = [
                    self._members([(at, pair[index]) for at, pair in slots], one)
                    for index, one in enumerate((left, right))
                ]
                return z.all_of((z.is_function(value), *parts))
        return z.contains(self.evaluate(kind, environment or {}), value)

    def _members(self, slots: Any, element: Node) -> Condition:
        if isinstance(element, Name) and element.name not in ("ℕ", "ℕ₁") and element.name not in self.schemas:
            return True
        return z.all_of([z.implies(at, self.is_member(one, element)) for at, one in slots])

    # -- expressions

    def evaluate(self, node: Node, environment: Environment) -> Value:
        """Return the value of an expression."""
        match node:
            case Number(value):
                return value
            case Name(name):
                return self._name(node, name, environment)
            case Select(operand, component):
                return z.resolve(z.known(self.evaluate(operand, environment)).components[component])
            case Apply(function, argument):
                return self._apply(node, function, z.known(self.evaluate(argument, environment)), environment)
            case Display(kind, items):
                found = tuple(z.known(self.evaluate(item, environment)) for item in items)
                if kind == "⟨":
                    return z.concrete_sequence(found)
                return found if kind == "(" else z.SetValue(tuple((True, item) for item in found), len(found) < 2)
            case BindingDisplay(components):
                return z.BindingValue({name: z.known(self.evaluate(value, environment)) for name, value in components})
            case Conditional(condition, then, otherwise):
                chosen = self.holds(condition, environment)
                return z.choose(chosen, self.evaluate(then, environment), self.evaluate(otherwise, environment))
            case Let():
                return self.evaluate(node.body, self._define(node, environment))
            case Unary(op, operand):
                return self._unary(node, op, z.known(self.evaluate(operand, environment)))
            case Binary(op, left, right):
                return _binary(
                    op, z.known(self.evaluate(left, environment)), z.known(self.evaluate(right, environment))
                )
        raise PlannerError(f"line {node.line}: {format_node(node)} is not an expression")

    def _name(self, node: Name, name: str, environment: Environment) -> Value:
        if name in environment:
            return z.resolve(environment[name])
        if name in self.constants:
            return self.constants[name]
        if name in self.branches:
            return name
        if name == "∅":
            return z.EMPTY
        raise PlannerError(f"line {node.line}: unknown name {name}")

    def _apply(self, node: Apply, function: Node, argument: Value, environment: Environment) -> Value:
        if isinstance(function, Name) and function.name in self.functions and function.name not in environment:
            parameters, body = self.functions[function.name]
            arguments = argument if len(parameters) > 1 else (argument,)
            for (_, kind), value in zip(parameters, arguments, strict=True):
                if kind in (Name("ℕ"), Name("ℕ₁")):  # the values of other types are always in them
                    self._check(node, self.is_member(value, kind))
            return self.evaluate(body, {name: value for (name, _), value in zip(parameters, arguments, strict=True)})
        target = self.evaluate(function, environment)
        if callable(target):
            # The axioms say what is known of the value. While they are evaluated, they do not apply themselves.
            name = function.name if isinstance(function, Name) else ""
            properties = self.properties.pop(name, [])
            for one in properties:
                self.assumptions.append(self.holds(one.body, {one.declarations[0].names[0]: argument}))
            self.properties[name] = properties
            return target(argument)
        value, defined = z.apply_function(target, argument)
        self._check(node, defined)
        return value

    def _check(self, node: Node, defined: Condition) -> None:
        if defined is not True:
            self.checks.append(DomainCheck(z.all_of(self.path), defined, node.line, format_node(node)))

    def _unary(self, node: Unary, op: str, value: Value) -> Value:
        if op == "#":
            return z.size(value)
        if op in ("head", "tail"):
            self._check(node, z.compare("<", 0, value.length))
            return z.first_item(value) if op == "head" else z.SequenceValue(value.start + 1, value.end, value.items)
        if op in ("dom", "ran"):
            slots = z.as_set(value).slots
            return z.SetValue(tuple((at, pair[op == "ran"]) for at, pair in slots))
        raise PlannerError(f"line {node.line}: {op} is not an operator on values")


def _binary(op: str, one: Value, other: Value) -> Value:
    if op in ("+", "-"):
        return one + other if op == "+" else one - other
    if op == "↦":
        return (one, other)
    if op == "..":
        return z.RangeValue(one, other)
    if op == "∪":
        return z.union(one, other)
    if op == "∩":
        return z.filtered(one, lambda element: z.contains(other, element))
    if op == "∖":
        return z.filtered(one, lambda element: z.negate(z.contains(other, element)))
    if op == "⩤":
        return z.filtered(other, lambda pair: z.negate(z.contains(one, pair[0])))
    if op == "⊕":
        keys = z.SetValue(tuple((at, pair[0]) for at, pair in z.as_set(other).slots))
        return z.union(_binary("⩤", keys, one), other)
    if op == "↿":
        return z.extract(one, other)
    if op == "↾":
        return z.filter_sequence(one, other)
    raise PlannerError(f"{op} is not an operator on values")
