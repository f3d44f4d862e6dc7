"""The meaning of a specification: it evaluates predicates over concrete states and over Z3's formulas alike.

An operation relates a state to the state after it. Where the after-state is unknown, its variables start unassigned,
and the equations of the operation, such as `p′.deck = tail p.deck`, give them their values one by one. This is the
one-point rule of Z: `∃ x • x = e ∧ P` is `P` with `e` for `x`. The predicates that remain are the precondition.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from planner.errors import PlannerError
from planner.specification import values as z
from planner.specification.evaluation import DomainCheck, PredicateEvaluator
from planner.specification.notation import (
    PRIME,
    Binary,
    Let,
    Name,
    Node,
    Quantified,
    Specification,
    Unary,
    conjunction,
    format_node,
)
from planner.specification.values import Condition, Environment, Value


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


@dataclass
class RunResult:
    """The result of an operation: the conditions that its predicates are, and what they left open."""

    conditions: list[tuple[Conjunct, Condition]]
    checks: list[DomainCheck]
    undetermined: list[str]

    def of_role(self, *roles: str) -> list[Condition]:
        """Return the conditions of the predicates with these roles."""
        return [condition for conjunct, condition in self.conditions if conjunct.role in roles]


class Interpreter(PredicateEvaluator):
    """Carries out the operations of one specification."""

    def __init__(self, specification: Specification, constants: Mapping[str, Value | Callable[[Value], Value]]) -> None:
        self.assumed: set[tuple[object, ...]] = set()
        self.assume_kept = False  # whether it is proved that operations keep the invariants, so that they need no check
        self._expanded: dict[tuple[object, ...], Environment] = {}  # the schemas whose predicates a run has
        super().__init__(specification, constants)  # evaluates constants

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
                if self.maps_to_schema(kind):  # the invariants of each value, one by one
                    for _, (_, value) in z.as_set(inner[name]).slots:
                        yield from self.conjuncts(kind.right, dict(z.known(value).components), role, base)
                elif not name.endswith("?"):
                    yield Conjunct(role, base, Name(name, declaration.line), inner, kind)
        for predicate in paragraph.predicates:
            yield from self.conjuncts(predicate, inner, role, base)

    def _composition(self, node: Binary, environment: Environment, schema: str) -> Iterator[Conjunct]:
        """Yield both operations, with the after-state of the first as the before-state of the second."""
        first, second = self.signature(node.left), self.signature(node.right)
        between = {name: self.unassigned(kind, name) for name, kind in second.items() if name + PRIME in first}
        after_first = environment | {name + PRIME: value for name, value in between.items()}
        yield from self.conjuncts(node.left, after_first, "", schema)
        for conjunct in self.conjuncts(node.right, environment | between, "", schema):
            # The invariants of the state in between follow from the first operation; nothing else ensures them.
            yield replace(conjunct, role="after") if conjunct.role == "before" else conjunct

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

    def case_conditions(self, case: Node, environment: Environment) -> list[Condition]:
        """Return the conditions of the predicates of a schema expression without disjunctions."""
        outcome = self.run(case, environment, until_false=True)
        found = [condition for _, condition in outcome.conditions]
        if outcome.undetermined and not any(condition is False for condition in found):
            raise z.UnassignedError(outcome.undetermined[0])
        return found

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


def _places(value: Value) -> Iterator[z.Unassigned]:
    """Yield the unassigned places in a value."""
    return (leaf for leaf in z.leaves(value) if isinstance(leaf, z.Unassigned))
