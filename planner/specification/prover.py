"""Proofs about a specification with Z3, and small counterexamples.

Sets and sequences have bounded sizes; within the bounds a proof covers every state, every input and every value of the
constants. The prover shows that each operation can happen, keeps the invariants, determines the state after it and
applies functions only where they are defined; and it proves the conjectures of the specification.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Final

from planner.errors import PlannerError
from planner.specification import values as z
from planner.specification.interpreter import Interpreter, RunResult
from planner.specification.notation import PRIME, Binary, Name, Node, Paragraph, Specification, Unary
from planner.specification.values import Condition, Environment, Value

try:
    import z3
except ImportError:  # an extra
    z3 = None

PROVED, REFUTED, UNDECIDED = "proved", "refuted", "undecided"
KEEPS: Final = "keeps the invariants"
DEFAULT_BOUND: Final = 4
_SMALL_NUMBER: Final = 3


@dataclass(frozen=True)
class Theorem:
    """A statement, whether it was proved, and a counterexample as lines of text if it was refuted."""

    subject: str
    statement: str
    status: str
    counterexample: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.status}: {self.subject}: {self.statement}"


class Prover:
    """Proves theorems about the operations of a specification.

    `bounds` has the largest size of each set and sequence, by the name of the component. `state` is the schema of the
    states, and `operations` the names of the operations that the theorems are about.
    """

    def __init__(
        self,
        specification: Specification,
        state: str,
        operations: tuple[str, ...],
        bounds: Mapping[str, int],
        time_limit: float = 600.0,
    ) -> None:
        if z3 is None:
            raise PlannerError("proofs need the package z3-solver; install it with: pip install 'turn-planner[spec]'")
        self.specification, self.state, self.operations = specification, state, operations
        self.bounds, self.time_limit = bounds, time_limit
        self._interpreter = Interpreter(specification, {})

    def theorems(self) -> Iterator[Theorem]:
        """Prove or refute everything. Where all operations keep the invariants, the conjectures use that as a lemma."""
        kept = True
        for operation in self.operations:
            for theorem in self.operation_theorems(operation):
                kept &= theorem.statement != KEEPS or theorem.status == PROVED
                yield theorem
        for conjecture in self.specification.of_kind("conjecture"):
            yield self.conjecture(conjecture, kept)

    def operation_theorems(self, operation: str) -> Iterator[Theorem]:
        """Yield what holds for each case of an operation."""
        for label, node in self._interpreter.alternatives(Name(operation)):
            yield from self._case_theorems(operation if label == operation else f"{operation} ({label})", node)

    def _case_theorems(self, subject: str, node: Node) -> Iterator[Theorem]:
        can_happen, unkept, undefined = z3.unsat, None, None
        kept_decided = defined_decided = True
        open_places: list[str] = []
        for case in self._cases([node], node):
            outcome = case.outcome
            solver = case.solver(*outcome.of_role("before", ""))
            invariants = [(conjunct, goal) for conjunct, goal in outcome.conditions if conjunct.role == "after"]
            found = case.satisfy(solver, [goal for _, goal in invariants])
            can_happen = found if can_happen != z3.sat and found != z3.unsat else can_happen
            if found != z3.sat and case.satisfy(solver, []) == z3.unsat:
                continue
            open_places += [place for place in outcome.undetermined if place not in open_places]
            for conjunct, goal in invariants:
                if unkept is None:
                    unkept, decided = case.refute(solver, goal, f"not kept: {conjunct}")
                    kept_decided &= decided
            for check in outcome.checks:
                if undefined is None:
                    goal = z.implies(check.path, check.defined)
                    undefined, decided = case.refute(solver, goal, f"no value: {check.text}, line {check.line}")
                    defined_decided &= decided
        happens = PROVED if can_happen == z3.sat else REFUTED if can_happen == z3.unsat else UNDECIDED
        yield Theorem(subject, "can happen", happens)
        yield Theorem(subject, KEEPS, _status(unkept, kept_decided), unkept or ())
        statement = "applies functions where they are defined"
        yield Theorem(subject, statement, _status(undefined, defined_decided), undefined or ())
        places = tuple(f"open: {place}" for place in open_places)
        yield Theorem(subject, "determines the state after it", REFUTED if places else PROVED, places)

    def conjecture(self, paragraph: Paragraph, assume_kept: bool = False) -> Theorem:
        """Prove or refute `P ⇒ Q`, or `Q`, for all states.

        With `assume_kept` it is known that operations keep the invariants, which makes proofs much shorter.
        """
        node = signature = paragraph.predicates[0]
        premises: list[Node | None] = [None]
        if isinstance(node, Binary) and node.op == "⇒":
            premises = [case for _, case in self._interpreter.alternatives(node.left)]
            signature, node = Binary("∧", node.left, node.right), node.right
        decided = True
        for case in self._cases(premises, signature, assume_kept):
            solver = case.solver(*(condition for _, condition in case.outcome.conditions))
            goal = case.interpreter.holds(node, case.environment)
            solver.add(*_formulas(case.interpreter.assumptions))
            counterexample, sure = case.refute(solver, goal, "")
            if counterexample is not None:
                return Theorem("conjecture", paragraph.name, REFUTED, counterexample)
            decided &= sure
        return Theorem("conjecture", paragraph.name, PROVED if decided else UNDECIDED)

    def _cases(self, nodes: Sequence[Node | None], signature: Node, assume_kept: bool = False) -> Iterator[_Case]:
        """Yield the cases for all values of the variables of free types: with them known, proofs are much shorter."""
        interpreter = self._interpreter
        kinds = {**interpreter.signature(Name(self.state)), **interpreter.signature(signature)}
        free = {
            name: interpreter.free[kind.name]
            for name, kind in kinds.items()
            if isinstance(kind, Name) and kind.name in interpreter.free and not name.endswith(PRIME)
        }
        for node in nodes:
            for values in product(*free.values()):
                yield _Case(self, node, signature, dict(zip(free, values, strict=True)), assume_kept)


def _formulas(conditions: Any) -> list[Any]:
    """Return conditions as formulas."""
    return [z3.BoolVal(one) if isinstance(one, bool) else one for one in conditions]


def _status(counterexample: tuple[str, ...] | None, decided: bool) -> str:
    return REFUTED if counterexample is not None else PROVED if decided else UNDECIDED


class _Case:
    """One case of an operation or conjecture with its own variables, for one choice of the values of free types."""

    def __init__(
        self, prover: Prover, node: Node | None, signature: Node, picks: Mapping[str, str], assume_kept: bool
    ) -> None:
        self.prover = prover
        self.facts: list[Any] = []
        self.sizes: list[Any] = []
        self.sorts = {name: z3.DeclareSort(name) for one in prover.specification.of_kind("given") for name in one.names}
        self.interpreter = Interpreter(prover.specification, {})
        self._declare_constants()
        self.environment: Environment = {}
        before = self.interpreter.signature(Name(prover.state))
        kinds = {**before, **self.interpreter.signature(signature)}
        for name, kind in kinds.items():
            if not name.endswith(PRIME):
                self.environment[name] = picks[name] if name in picks else self.new_value(kind, name, name)
        state = {name: self.environment[name] for name in before}
        self.facts += [condition for _, condition in self.interpreter.run(Name(prover.state), state).conditions]
        self.interpreter.assumed.add(Interpreter.schema_key(prover.state, state))
        for name, kind in kinds.items():
            if name.endswith("?"):
                self.facts.append(self.interpreter.is_member(self.environment[name], kind))
            elif name.endswith(PRIME):
                self.environment[name] = self.interpreter.unassigned(kind, name)
        self.interpreter.assume_kept = assume_kept
        self.outcome = RunResult([], [], [])
        if node is not None:
            self.outcome = self.interpreter.run(node, self.environment, self._fill)

    # -- variables

    def _declare_constants(self) -> None:
        for axiom in self.prover.specification.of_kind("axiom"):
            for declaration in axiom.declarations:
                name, kind = declaration.names[0], declaration.type
                if name in self.interpreter.functions or name in self.interpreter.constants:
                    continue
                if isinstance(kind, Binary) and kind.op == "→":
                    self.interpreter.constants[name] = self._function(name, kind)
                else:
                    value = self.new_value(kind, name, name)
                    self.interpreter.constants[name] = value
                    self.facts.append(self.interpreter.is_member(value, kind))
                    if isinstance(kind, Name) and kind.name == "ℕ":
                        self.facts.append(value <= self.prover.bounds.get(name, DEFAULT_BOUND))

    def _function(self, name: str, kind: Binary) -> Any:
        """Return an uninterpreted function from a given type, one of Z3's for each component of its result."""
        assert isinstance(kind.left, Name)
        domain = self.sorts[kind.left.name]
        components = {
            one: z3.Function(f"{name}.{one}", domain, z3.IntSort()) for one in self.interpreter.signature(kind.right)
        }

        def apply(argument: Value) -> Value:
            value = z.BindingValue({one: function(argument) for one, function in components.items()})
            self.interpreter.assumptions.append(self.interpreter.is_member(value, kind.right))
            return value

        return apply

    def _fill(self, place: z.Unassigned) -> Value:
        return self.new_value(place.kind, place.label, place.label.split(".")[-1].rstrip(PRIME))

    def new_value(self, kind: Node, label: str, name: str) -> Value:
        """Return a variable of a type. `name` chooses its bound."""
        bound = self.prover.bounds.get(name, DEFAULT_BOUND)
        match kind:
            case Name("ℤ" | "ℕ" | "ℕ₁"):
                return z3.Int(label)
            case Name(given) if given in self.sorts:
                return z3.Const(label, self.sorts[given])
            case Name(schema) if schema in self.interpreter.schemas:
                parts = self.interpreter.signature(kind)
                return z.BindingValue({one: self.new_value(part, f"{label}.{one}", one) for one, part in parts.items()})
            case Unary("ℙ", element):
                return self._slots(
                    [self.new_value(element, f"{label}[{at}]", "") for at in range(bound)], label, lambda one: one
                )
            case Unary("seq" | "iseq", element):
                length = z3.Int(f"#{label}")
                self.facts += [length >= 0, length <= bound]
                self.sizes.append(length)
                return z.SequenceValue(
                    0, length, tuple(self.new_value(element, f"{label}[{at}]", "") for at in range(bound))
                )
            case Binary("⇸", left, right):
                pairs = [
                    (self.new_value(left, f"{label}[{at}].key", ""), self.new_value(right, f"{label}[{at}]", ""))
                    for at in range(bound)
                ]
                return self._slots(pairs, label, lambda pair: pair[0])
            case Binary("→", Name(free), right) if free in self.interpreter.free:
                keys = self.interpreter.free[free]
                return z.concrete_set((key, self.new_value(right, f"{label}({key})", "")) for key in keys)
        raise PlannerError(f"{label}: the prover has no variables of this type")

    def _slots(self, elements: list[Value], label: str, key: Any) -> z.SetValue:
        """Return a set of the first n of these elements, all different; n is unknown, up to all of them."""
        count = z3.Int(f"#{label}")
        self.facts += [count >= 0, count <= len(elements)]
        self.sizes.append(count)
        for index, one in enumerate(elements):
            for other in elements[:index]:
                self.facts.append(z.implies(index < count, z.negate(z.same(key(one), key(other)))))
        return z.SetValue(tuple((index < count, one) for index, one in enumerate(elements)), distinct=True)

    # -- proofs

    def solver(self, *conditions: Condition) -> Any:
        """Return a solver that assumes the facts of this case and these conditions."""
        solver = z3.Solver()
        solver.set("timeout", int(self.prover.time_limit * 1000))
        solver.add(*_formulas((*self.facts, *self.interpreter.assumptions, *conditions)))
        return solver

    def satisfy(self, solver: Any, conditions: list[Condition]) -> Any:
        """Return Z3's answer whether there is a state in which all conditions hold; a small one is found sooner."""
        formulas = _formulas(conditions)
        small = solver.check(*formulas, *(size <= _SMALL_NUMBER for size in self.sizes))
        return small if small == z3.sat else solver.check(*formulas)

    def refute(self, solver: Any, goal: Condition, title: str) -> tuple[tuple[str, ...] | None, bool]:
        """Return a counterexample to a goal or None, and whether the solver decided."""
        if goal is True:
            return None, True
        wrong = z.negate(goal)
        found = solver.check(*_formulas([wrong]))
        if found != z3.sat:
            return None, found == z3.unsat
        few = [one <= 1 for one in self.sizes]
        small = [one for number in self._numbers() for one in (number <= _SMALL_NUMBER, number >= 0)]
        positive = [number >= 1 for number in self._numbers()]
        for extra in ([*few, *small, *positive], [*few, *small], small, []):
            if solver.check(*_formulas([wrong]), *extra) == z3.sat:
                break
        text = _Display(solver.model()).lines(self.interpreter, self.environment)
        return ((title, *text) if title else text), True

    def _numbers(self) -> list[Any]:
        return [one for one in z.leaves(tuple(self.environment.values())) if z3.is_int(one)]


class _Display:
    """Shows a model of Z3 as values of Z, with short names for the elements of given types."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self.names: dict[str, str] = {}

    def lines(self, interpreter: Interpreter, environment: Environment) -> tuple[str, ...]:
        """Return the constants, the state, the inputs, and what differs in the state after."""
        found = [f"{name} = {self.show(value)}" for name, value in interpreter.constants.items() if _is_number(value)]
        shown: dict[str, str] = {}
        for name in sorted(environment, key=lambda name: (name.endswith(PRIME), name.endswith("?"))):
            for path, value in self._parts(name, environment[name]):
                shown[path] = self.show(value)
                before = shown.get(path.replace(PRIME, "", 1)) if PRIME in path else None
                if shown[path] != before:
                    found.append(f"{path} = {shown[path]}")
        return tuple(found)

    def _parts(self, label: str, value: Value) -> Iterator[tuple[str, Value]]:
        value = z.resolve(value)
        if isinstance(value, z.SetValue) and value.slots and all(self._is_keyed(slot) for slot in value.slots):
            for _, (key, inner) in value.slots:
                for name, part in z.resolve(inner).components.items():
                    yield f"{label}({key}).{name}", part
        elif not isinstance(value, z.Unassigned):
            yield label, value

    @staticmethod
    def _is_keyed(slot: tuple[Condition, Value]) -> bool:
        return (
            isinstance(slot[1], tuple)
            and isinstance(slot[1][0], str)
            and isinstance(z.resolve(slot[1][1]), z.BindingValue)
        )

    def _holds(self, condition: Condition) -> bool:
        return condition if isinstance(condition, bool) else z3.is_true(self.model.eval(condition, True))

    def show(self, value: Value) -> str:
        """Return a value as text."""
        value = z.resolve(value)
        if isinstance(value, z.BindingValue):
            return f"⦉ {', '.join(f'{name} == {self.show(part)}' for name, part in value.components.items())} ⦊"
        if isinstance(value, tuple):
            return f"{self.show(value[0])} ↦ {self.show(value[1])}"
        if isinstance(value, z.SequenceValue):
            return (
                f"⟨{', '.join(self.show(item) for at, item in enumerate(value.items) if self._holds(value.has(at)))}⟩"
            )
        if isinstance(value, z.SetValue):
            shown = sorted({self.show(element) for present, element in value.slots if self._holds(present)})
            return f"{{{', '.join(shown)}}}" if shown else "∅"
        if isinstance(value, int | str | z.Unassigned):
            return str(getattr(value, "label", value))
        result = self.model.eval(value, True)
        if z3.is_int_value(result):
            return str(result.as_long())
        return self.names.setdefault(str(result), f"{str(value.sort()).lower()}{len(self.names) + 1}")


def _is_number(value: Value) -> bool:
    return not callable(value) and not isinstance(value, z.SetValue)
