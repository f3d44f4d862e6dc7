"""Read the effects of a definition into blocks of steps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Set
from pathlib import Path
from typing import Any, TypeVar

from planner.errors import PlannerError, did_you_mean, quote
from planner.formats.documents import YamlList, YamlMapping
from planner.formats.values import ErrorCollector, Fields
from planner.games.deckbuilder.definition_fields import AMOUNT, Names
from planner.games.deckbuilder.effects import NUMBER_WORDS, STEP_WORDS, AddStat, Run, Step

_Node = TypeVar("_Node")


class EffectReader(Names):
    """Reads effects into blocks."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.blocks: list[tuple[Step, ...]] = []

    def reserve(self, effects: Iterable[str]) -> None:
        """Make room for the named effects, so that they can name each other."""
        self.effects = {name: index for index, name in enumerate(effects)}
        self.blocks = [() for _ in self.effects]

    def define(self, named: Fields) -> Mapping[str, int]:
        """Read the named effects."""
        errors = ErrorCollector()
        for name, value in named.entry.items():
            with errors:
                self.blocks[self.effects[name]] = self.steps(value, named.entry.lines[name])
        for name, block in self.effects.items():
            if leads_to_itself(block, self._next_blocks):
                errors.add(named.error(f"{name}: the effect runs itself without a condition", name))
        errors.raise_if_any()
        return self.effects

    def _next_blocks(self, block: int) -> Set[int]:
        """Return the named effects that a block always leads to."""
        return {step.block for step in self.blocks[block] if isinstance(step, Run)}

    def block(self, value: Any, line: int) -> int:
        """Read an effect, a step or a list of steps, and return the index of its block."""
        steps = self.steps(value, line)
        self.blocks.append(steps)
        return len(self.blocks) - 1

    def steps(self, value: Any, line: int) -> tuple[Step, ...]:
        """Read a step or a list of steps."""
        entries = value if isinstance(value, YamlList) else YamlList([value])
        lines = value.lines if isinstance(value, YamlList) else [line]
        steps: list[Step] = []
        collector = ErrorCollector()
        for entry, entry_line in zip(entries, lines, strict=True):
            with collector:
                if not isinstance(entry, YamlMapping) or not entry:
                    raise PlannerError(
                        f"{self.path}:{entry_line}: a step of an effect is a mapping such as {{cards: 2}}, "
                        f"got {quote(entry)}"
                    )
                steps += self._step(Fields(self.path, entry))
        collector.raise_if_any()
        return tuple(steps)

    def _step(self, step: Fields) -> list[Step]:
        name = next((key for key in step.entry if key in STEP_WORDS), None)
        if name is None:
            return [self._number_word(step, key) for key in step.entry]
        word = STEP_WORDS[name]
        for key in step.entry:
            if key not in (name, *word.modifiers):
                hint = "a step has one word" if key in self._words() else f"unknown field {quote(key)}"
                raise step.error(f"{hint}; with {name!r} can come {', '.join(word.modifiers) or 'nothing else'}", key)
        more = {
            attribute: kind.read(self, step, key) for key, (attribute, kind) in word.modifiers.items() if key in step
        }
        return [word.make(word.kind.read(self, step, name), **more)]

    def _number_word(self, step: Fields, key: str) -> Step:
        if key in self.stats:
            return AddStat(AMOUNT.read(self, step, key), self.stats.index(key))
        if key not in NUMBER_WORDS:
            raise step.error(f"unknown word {quote(key)} in an effect{did_you_mean(key, self._words())}", key)
        return NUMBER_WORDS[key].make(NUMBER_WORDS[key].kind.read(self, step, key))

    def _words(self) -> list[str]:
        return [*self.stats, *NUMBER_WORDS, *STEP_WORDS]


def leads_to_itself(start: _Node, next_nodes: Callable[[_Node], Set[_Node]]) -> bool:
    """Return whether a node of a graph can be reached from itself."""
    seen: set[_Node] = set()
    left = [start]
    while left:
        following = next_nodes(left.pop()) - seen
        left += following
        seen |= following
    return start in seen
