"""The search through a turn: true maximum, ties, chance, hard rules, limits, and turns without an end."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction

import pytest

from planner.planning.plan import Stopped
from planner.planning.search import Branch, Ending, Found, Search

# Where each action leads from each place: score, next place and, where chance decides, its probability.
Map = Mapping[str, Mapping[str, Sequence[tuple[int, str | None, Fraction | int]]]]


class Walk:
    """A turn on a map of places; ending scores what `ends` says, and is illegal where it says nothing."""

    def __init__(self, places: Map, ends: Mapping[str, int]) -> None:
        self.places, self.ends, self.asked = places, ends, 0

    def actions(self, state: str) -> Iterable[str]:
        return self.places.get(state, {})

    def taking(self, state: str, action: str) -> list[Branch[str]] | None:
        found = self.places[state][action]
        return [Branch(score, after, probability) for score, after, probability in found] or None

    def ending(self, state: str) -> Ending | None:
        self.asked += 1
        return Ending(self.ends[state]) if state in self.ends else None

    def key(self, state: str) -> Hashable:
        return state


def best(turn: Walk, time_limit: float | None = None, effort: int | None = None) -> Found[str]:
    found = Search(turn, time_limit, effort).best("start")
    assert found is not None
    return found


def test_equal_states_are_looked_at_once() -> None:
    layers: dict[str, dict[str, list[tuple[int, str | None, Fraction | int]]]] = {"start": {"go": [(0, "0", 1)]}}
    for layer in range(20):  # two ways from each to the next: a million paths, two dozen places
        layers[str(layer)] = {"left": [(1, str(layer + 1), 1)], "right": [(2, str(layer + 1), 1)]}
    turn = Walk(layers, {"20": 0})
    found = best(turn)
    assert (found.score, found.actions, found.stopped) == (40, ("go", *["right"] * 20), Stopped.FINISHED)
    assert turn.asked == found.states == 22


def test_among_equals_the_fewest_actions_then_the_first() -> None:
    places: Map = {
        "start": {"long": [(1, "a", 1)], "first": [(3, "end", 1)], "second": [(3, "end", 1)], "idle": [(0, "b", 1)]},
        "a": {"on": [(2, "end", 1)]},
        "b": {"on": [(3, "end", 1)]},
    }
    assert best(Walk(places, {"end": 0})).actions == ("first",)
    assert best(Walk(places, {"start": 3, "end": 0})).actions == ()


def test_chance_counts_by_its_average_with_the_best_after_it() -> None:
    half = Fraction(1, 2)
    places: Map = {
        "start": {"safe": [(4, "end", 1)], "dice": [(0, "good", half), (0, "bad", half)]},
        "good": {"use": [(9, "end", 1)]},
        "bad": {"use": [(-5, "end", 1)]},
    }
    found = best(Walk(places, {"good": 0, "bad": 0, "end": 0}))
    assert (found.score, found.actions, found.reveals) == (Fraction(9, 2), ("dice",), 0)
    # Where one of the branches may not end at all, the dice may not be thrown.
    assert best(Walk({**places, "bad": {}}, {"good": 0, "end": 0})).actions == ("safe",)


def test_a_branch_without_a_state_is_the_end_of_the_turn() -> None:
    found = best(Walk({"start": {"last": [(2, None, 1)]}}, {"start": 0}))
    assert (found.score, found.actions, found.reveals) == (2, ("last",), None)


def test_hard_rules_take_actions_and_ends_out_of_the_choice() -> None:
    places: Map = {"start": {"forbidden": [], "dear": [(-7, "end", 1)]}}
    assert best(Walk(places, {"end": 0})).score == -7
    assert Search(Walk(places, {})).best("start") is None


def test_a_limit_gives_the_best_found_so_far_and_says_so() -> None:
    places: Map = {
        "start": {"a": [(1, "a", 1)], "b": [(5, "b", 1)]},
        "a": {"on": [(1, "end", 1)]},
        "b": {"on": [(9, "end", 1)]},
    }
    ends = {"start": 0, "a": 0, "b": 0, "end": 0}
    found = best(Walk(places, ends), effort=3)
    assert found.stopped == Stopped.EFFORT_LIMIT
    assert found.score < 14
    assert best(Walk(places, ends), time_limit=1e-9).stopped == Stopped.TIME_LIMIT
    assert best(Walk(places, ends), effort=5).score == 14
    # A question must be answered even when there is no time left to weigh the answers.
    question: Map = {"start": {"ask": [(3, "?", 1)]}, "?": {"yes": [(1, "end", 1)], "no": [(2, "end", 1)]}}
    assert best(Walk(question, {"end": 0}), effort=1).actions == ("ask", "yes")


@pytest.mark.parametrize("gain", [0, 1])
def test_a_turn_in_circles_is_not_proved(gain: int) -> None:
    places: Map = {"start": {"round": [(gain, "back", 1)]}, "back": {"again": [(0, "start", 1)]}}
    found = best(Walk(places, {"start": 0, "back": 0}))
    assert (found.stopped, found.score) == (Stopped.ACTION_LIMIT, gain)


class Endless(Walk):
    """Every action leads to a place never seen before."""

    def actions(self, state: str) -> Iterable[str]:
        return ["more"]

    def taking(self, state: str, action: str) -> list[Branch[str]]:
        return [Branch(1, state + "+")]

    def ending(self, state: str) -> Ending:
        return Ending(0)


def test_a_limit_holds_after_a_turn_in_circles() -> None:
    places: dict[str, dict[str, list[tuple[int, str | None, Fraction | int]]]] = {
        str(n): {"back": [(0, "start", 1)], "on": [(1, str(n + 1), 1)]} for n in range(90)
    }
    places["start"] = {"go": [(0, "0", 1)]}
    found = best(Walk(places, dict.fromkeys(places, 0)), effort=10)
    assert (found.stopped, found.score, found.states) == (Stopped.ACTION_LIMIT, 9, 11)


class Preferring(Walk):
    """Of ends with the same score, `safe` is preferred."""

    def ending(self, state: str) -> Ending | None:
        found = super().ending(state)
        return None if found is None else Ending(found.score, int(state == "safe"))


def test_among_equal_worths_the_preferred_end_comes_before_fewer_actions() -> None:
    places: Map = {"start": {"go": [(0, "a", 1)]}, "a": {"on": [(0, "safe", 1)]}}
    assert best(Preferring(places, {"start": 1, "a": 1, "safe": 1})).actions == ("go", "on")
    assert best(Preferring(places, {"start": 2, "a": 1, "safe": 1})).actions == ()


def test_a_turn_without_an_end_is_cut_off_and_not_proved() -> None:
    found = best(Endless({}, {}))
    assert found.stopped == Stopped.ACTION_LIMIT
    assert found.score == len(found.actions) == 100


def test_ranked_tells_apart_what_is_done_not_the_order() -> None:
    places: Map = {
        "start": {"a": [(1, "a", 1)], "b": [(2, "b", 1)]},
        "a": {"b": [(2, "ab", 1)]},
        "b": {"a": [(1, "ab", 1)]},
    }
    turn = Walk(places, {"start": 0, "a": 0, "b": 0, "ab": 0})
    found = [(one.score, frozenset(one.actions)) for one in Search(turn).ranked("start")]
    assert found == [(3, {"a", "b"}), (2, {"b"}), (1, {"a"}), (0, frozenset())]
