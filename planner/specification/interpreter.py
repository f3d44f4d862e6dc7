"""The meaning of a specification: it evaluates predicates over concrete states and over Z3's formulas alike.

An operation relates a state to the state after it. Where the after-state is unknown, its variables start unassigned,
and the equations of the operation, such as `p′.deck = tail p.deck`, give them their values one by one. This is the
one-point rule of Z: `∃ x • x = e ∧ P` is `P` with `e` for `x`. The predicates that remain are the precondition.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
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
    conjunction,
)
from planner.specification.printing import format_node
from planner.specification.values import Condition, Value

Environment = dict[str, Value]


@dataclass(frozen=True)
class Conjunct:
    """One predicate of a schema in an environment. `role` is before or after for the invariants that Δ and Ξ imply.

    `member` is the type of a declaration: then the predicate says that the declared variable is in it.
    """

    role: str
    schema: str
    node: Node
    environment: Environment = field(compare=False)
    member: Node | None = None

    def __str__(self) -> str:
        shown = (
            format_node(self.node) if self.member is None else f"{format_node(self.node)} ∈ {format_node(self.member)}"
        )
        return f"{self.schema}, line {self.node.line}: {shown}"


@dataclass(frozen=True)
class DomainCheck:
    """An application of a function or of `head`: it must have a value wherever the predicates before it hold."""

    path: Condition
    defined: Condition
    line: int
    text: str


@dataclass
class RunResult:
    """The result of an operation: the conditions that its predicates are, and what they left open."""

    conditions: list[tuple[Conjunct, Condition]]
    checks: list[DomainCheck]
    undetermined: list[str]

    def of_role(self, *roles: str) -> list[Condition]:
        """Return the conditions of the predicates with these roles."""
        return [condition for conjunct, condition in self.conditions if conjunct.role in roles]


class Interpreter:
    """Evaluates the predicates of one specification.

    `constants` has the values of axiomatic constants without a definition; a function maps an argument to its value.
    """

    def __init__(self, specification: Specification, constants: Mapping[str, Value | Callable[[Value], Value]]) -> None:
        self.specification = specification
        self.constants = dict(constants)
        self.schemas = {one.name: one for one in specification.of_kind("schema", "definition")}
        self.free = {one.name: one.names for one in specification.of_kind("free")}
        self.branches = {branch for names in self.free.values() for branch in names}
        self.functions: dict[str, tuple[list[tuple[str, Node]], Node]] = {}
        self.properties: dict[str, list[Quantified]] = {}
        self.assumptions: list[Condition] = []  # what the axioms say about the functions that were applied
        self.checks: list[DomainCheck] = []
        self.path: list[Condition] = []
        self.assumed: set[tuple[object, ...]] = set()
        self.assume_kept = False  # whether it is proved that operations keep the invariants, so that they need no check
        self._expanded: dict[tuple[object, ...], Environment] = {}  # the schemas whose predicates a run has
        self._signatures: dict[str, dict[str, Node]] = {}
        for axiom in specification.of_kind("axiom"):
            for predicate in axiom.predicates:
                self._read_axiom(axiom, predicate)

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

    def conjuncts(self, node: Node, environment: Environment, role: str = "", schema: str = "") -> Iterator[Conjunct]:
        """Yield the predicates of a schema expression, those of included schemas first."""
        if isinstance(node, Binary) and node.op == "∧":
            yield from self.conjuncts(node.left, environment, role, schema)
            yield from self.conjuncts(node.right, environment, role, schema)
        elif isinstance(node, Binary) and node.op == "⨟":
            yield from self._composition(node, environment, schema)
        elif isinstance(node, Unary) and node.op in ("Δ", "Ξ") and isinstance(node.operand, Name):
            primed = Name(node.operand.name + PRIME, node.line)
            yield from self.conjuncts(node.operand, environment, role or "before", schema)
            yield from self.conjuncts(primed, environment, role or "after", schema)
            if node.op == "Ξ":
                for name in self.signature(node.operand):
                    equation = Binary("=", Name(name + PRIME, node.line), Name(name, node.line), node.line)
                    yield Conjunct(role, schema, equation, environment)
        elif isinstance(node, Name) and node.name.rstrip(PRIME) in self.schemas:
            yield from self._schema(node, environment, role)
        else:
            yield Conjunct(role, schema, node, environment)

    def _schema(self, node: Name, environment: Environment, role: str) -> Iterator[Conjunct]:
        base = node.name.rstrip(PRIME)
        paragraph, primes = self.schemas[base], node.name[len(base) :]
        inner = {name: environment[name + primes] for name in self.signature(Name(base))}
        key = self.schema_key(base, inner)
        if key in self.assumed or (role, *key) in self._expanded:
            return
        self._expanded[role, *key] = inner  # which keeps the values, so that no other value gets their identity
        for declaration in paragraph.declarations:
            if not declaration.names:
                yield from self.conjuncts(declaration.type, inner, role, base)
            for name in declaration.names:
                kind = declaration.type
                if self._maps_to_schema(kind):  # the invariants of each value, one by one
                    for _, (_, value) in z.as_set(inner[name]).slots:
                        yield from self.conjuncts(kind.right, dict(z.known(value).components), role, base)
                elif not name.endswith("?"):
                    yield Conjunct(role, base, Name(name, declaration.line), inner, kind)
        for predicate in paragraph.predicates:
            yield from self.conjuncts(predicate, inner, role, base)

    def _maps_to_schema(self, kind: Node) -> TypeGuard[Binary]:
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

    def _composition(self, node: Binary, environment: Environment, schema: str) -> Iterator[Conjunct]:
        """Yield both operations, with the after-state of the first as the before-state of the second."""
        first, second = self.signature(node.left), self.signature(node.right)
        between = {name: self.unassigned(kind, name) for name, kind in second.items() if name + PRIME in first}
        after_first = environment | {name + PRIME: value for name, value in between.items()}
        yield from self.conjuncts(node.left, after_first, "", schema)
        for conjunct in self.conjuncts(node.right, environment | between, "", schema):
            # The invariants of the state in between follow from the first operation; nothing else ensures them.
            yield Conjunct(
                "after" if conjunct.role == "before" else conjunct.role,
                conjunct.schema,
                conjunct.node,
                conjunct.environment,
                conjunct.member,
            )

    # -- operations

    def run(
        self,
        node: Node,
        environment: Environment,
        fill: Callable[[z.Unassigned], Value] | None = None,
        until_false: bool = False,
    ) -> RunResult:
        """Find the conditions of an operation, and by its equations the unassigned variables of the environment.

        `fill` gives values to variables that no equation determines; without it they stay unassigned. With
        `until_false` the first predicate that is certainly false is the last one.
        """
        outer = self.checks, self.path, self._expanded
        self.checks, self.path, self._expanded = [], [*self.path], {}
        try:
            done, undetermined = self._solve(list(self.conjuncts(node, environment)), fill, until_false)
            for place in _places(tuple(environment.values())):
                undetermined.append(place.label)
                if fill is not None:
                    place.values.append(fill(place))
            return RunResult(done, self.checks, undetermined)
        finally:
            self.checks, self.path, self._expanded = outer

    def _solve(
        self, pending: list[Conjunct], fill: Callable[[z.Unassigned], Value] | None, until_false: bool
    ) -> tuple[list[tuple[Conjunct, Condition]], list[str]]:
        """Establish predicates in the order in which their variables become known."""
        done: list[tuple[Conjunct, Condition]] = []
        undetermined: list[str] = []
        while pending:
            left: list[Conjunct] = []
            for conjunct in pending:
                if conjunct.role == "after" and self.assume_kept:
                    continue
                expanded = len(self._expanded)
                try:
                    parts = self._split(conjunct)
                    if parts is not None:
                        left += parts
                        continue
                    condition = self._establish(conjunct)
                except z.UnassignedError:
                    while len(self._expanded) > expanded:
                        self._expanded.popitem()
                    left.append(conjunct)
                    continue
                except z.UndefinedError:
                    condition = False
                done.append((conjunct, condition))
                if condition is False and until_false:
                    return done, undetermined
                if condition is not True and conjunct.role != "after":
                    self.path.append(condition)
            if left == pending:
                places = [place for conjunct in pending for place in _places(tuple(conjunct.environment.values()))]
                if fill is None or not places:
                    return done, [*undetermined, *map(str, pending)]
                undetermined.append(places[0].label)
                places[0].values.append(fill(places[0]))
            pending = left
        return done, undetermined

    def _split(self, conjunct: Conjunct) -> list[Conjunct] | None:
        """Return the parts of a predicate that is a conjunction in disguise, or None."""
        node, environment = conjunct.node, conjunct.environment
        if conjunct.member is not None:
            return None

        def part(node: Node, environment: Environment) -> list[Conjunct]:
            return list(self.conjuncts(node, environment, conjunct.role, conjunct.schema))

        if isinstance(node, Let):
            inner = self._define(node, environment)
            return [one for predicate in conjunction(node.body) for one in part(predicate, inner)]
        if isinstance(node, Quantified) and node.quantifier == "∀" and self._is_finite(node):
            return [one for inner in self._assignments(node, environment) for one in part(node.body, inner[1])]
        parts = part(node, environment)
        return None if len(parts) == 1 and parts[0].node == node else parts

    def _is_finite(self, node: Quantified) -> bool:
        return all(isinstance(one.type, Name) and one.type.name in self.free for one in node.declarations)

    def _establish(self, conjunct: Conjunct) -> Condition:
        node, environment = conjunct.node, conjunct.environment
        if conjunct.member is not None:
            return self.is_member(self.evaluate(node, environment), conjunct.member)
        if isinstance(node, Binary) and node.op == "=":
            return self._unify(self.evaluate(node.left, environment), self.evaluate(node.right, environment))
        return self.holds(node, environment)

    def _unify(self, one: Value, other: Value) -> Condition:
        """Return whether two values are equal; an unassigned one becomes equal to the other."""
        one, other = z.resolve(one), z.resolve(other)
        for target, source in ((one, other), (other, one)):
            if isinstance(target, z.Unassigned):
                if next(_places(source), None) is not None:
                    raise z.UnassignedError(target.label)
                target.values.append(source)
                return True
        if isinstance(one, z.BindingValue):
            return z.all_of([self._unify(value, other.components[name]) for name, value in one.components.items()])
        if (
            isinstance(one, z.SetValue)
            and isinstance(other, z.SetValue)
            and next(_places((one, other)), None) is not None
        ):
            theirs = {pair[0]: pair[1] for _, pair in other.slots}
            return z.all_of([self._unify(pair[1], theirs[pair[0]]) for _, pair in one.slots])
        return z.same(one, other)

    def precondition(self, node: Node, environment: Environment) -> Condition:
        """Return whether there is an after-state. Raise a PlannerError if the equations do not determine it."""
        found = []
        for label, case in self.alternatives(node):
            inner = dict(environment)
            for name, kind in self.signature(case).items():
                if name.endswith(PRIME):
                    inner[name] = self.unassigned(kind, name)
            outcome = self.run(case, inner, until_false=True)
            if any(condition is False for _, condition in outcome.conditions):
                continue
            if outcome.undetermined:
                raise PlannerError(f"pre {label}: {outcome.undetermined[0]} is not determined")
            found.append(z.all_of(outcome.of_role("", "after")))
        return z.any_of(found)

    def unassigned(self, kind: Node, label: str) -> Value:
        """Return an unknown value of a type: its components are unknown one by one, so that equations can set them."""
        if isinstance(kind, Name) and kind.name in self.schemas:
            return z.BindingValue(
                {name: self.unassigned(one, f"{label}.{name}") for name, one in self.signature(kind).items()}
            )
        if self._maps_to_schema(kind) and isinstance(kind.left, Name):
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
                    [z.all_of(self._all_conditions(case, environment)) for _, case in self.alternatives(node)]
                )
            case Binary(op, left, right):
                return self._relation(op, left, right, environment)
        raise PlannerError(f"line {node.line}: {format_node(node)} is not a predicate")

    def _all_conditions(self, case: Node, environment: Environment) -> list[Condition]:
        outcome = self.run(case, environment, until_false=True)
        found = [condition for _, condition in outcome.conditions]
        if outcome.undetermined and not any(condition is False for condition in found):
            raise z.UnassignedError(outcome.undetermined[0])
        return found

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
                return z.all_of(self._all_conditions(kind, dict(z.known(value).components)))
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


def _places(value: Value) -> Iterator[z.Unassigned]:
    """Yield the unassigned places in a value."""
    value = z.resolve(value)
    if isinstance(value, z.Unassigned):
        yield value
    elif isinstance(value, z.BindingValue):
        for part in value.components.values():
            yield from _places(part)
    elif isinstance(value, tuple):
        for part in value:
            yield from _places(part)
    elif isinstance(value, z.SetValue):
        for _, element in value.slots:
            if isinstance(element, tuple):
                yield from _places(element)
