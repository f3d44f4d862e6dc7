"""The schemas of a specification: their variables, the cases of an expression of schemas, and values of their types."""

from __future__ import annotations

from itertools import product
from typing import TypeGuard

from planner.specification import values as z
from planner.specification.notation import PRIME, Binary, Name, Node, Specification, Unary
from planner.specification.printing import format_node
from planner.specification.values import Value

Environment = dict[str, Value]


class Schemas:
    """The schemas and free types of one specification."""

    def __init__(self, specification: Specification) -> None:
        self.specification = specification
        self.schemas = {one.name: one for one in specification.of_kind("schema", "definition")}
        self.free = {one.name: one.names for one in specification.of_kind("free")}
        self._signatures: dict[str, dict[str, Node]] = {}

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
