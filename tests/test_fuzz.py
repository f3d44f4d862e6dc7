"""Randomly damaged files and states: an error of one short line or an answer, never a traceback, and in time.

Each case takes valid input and changes a value, a line or some characters. The long version has 10,000 cases.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any

import pytest

from planner import play_match
from planner.arena.match.replay import load_logs, verify_log
from planner.arena.tournament.experiment_file import load_experiment
from planner.bench.benchmark_positions import load_positions
from planner.errors import PlannerError
from planner.games.hearthstone import GAME, MatchSetup, Ruleset, load_deck, standard
from planner.games.hearthstone.rules.state_json import state_to_dict
from planner.games.hearthstone.rules.state_text import state_to_text
from planner.games.hearthstone.turn.hearthstone_weights import Weights
from planner.planning.plan import PlanOptions
from tests.games.hearthstone.generated import random_state

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "planner" / "games" / "hearthstone"
MAX_MESSAGE = 300  # characters
SECONDS = 10
VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 7, 10**6, 10**6 + 1, 10**18, 10**400, -(10**400), 0.5, 1e-9, 5e-324, 1e308,
    float("nan"), float("inf"), "", "?", "\x1b[31mred", "a\x00b", "\u202eright to left", "\ud800", "x" * 5000,
    "9" * 5000, "new.1", "new.999999999", "me.hero", "Wisp", "Fireball", "Missing", "neutral", "CS2_182", "90", [], [[]],
    {}, {"": {}}, ["taunt"] * 3, {"name": "Wisp"}, {"attack": 1, "health": 1}, [{"attack": 1, "health": 1}] * 9,
    list(range(70)),
)  # fmt: skip
SNIPPETS = (
    "\x1b[2J", "\x00", "\u202e", "\u0085", "9" * 400, "1e400", "-1", "5e-324", "null", "true", "[", "]", "{", "}", ": ",
    "- ", "\n", "\n  ", "'", '"', "&a [*a, *a]", "*a", "!!python/object/apply:os.system [ls]", "#", "|", ",", "->",
    "x" * 3000, "board_limit: 1000000", "cards:", "1 x ", "\ud7ff", "\t", "..", "/dev/zero", "0x7f", "\\u001b",
)  # fmt: skip

Read = Callable[[Path], object]


def damaged_text(rng: Random, text: str) -> str:
    """Remove, insert or replace a few characters."""
    for _ in range(rng.choice((1, 1, 2, 4))):
        start = rng.randrange(len(text) + 1)
        end = min(len(text), start + rng.choice((0, 0, 1, 3, 20)))
        middle = rng.choice((*SNIPPETS, text[start:end] * 2, text[rng.randrange(len(text) + 1) :][:30], ""))
        text = text[:start] + middle + text[end:]
    if rng.random() < 0.1:
        lines = text.splitlines()
        rng.shuffle(lines)
        text = "\n".join(lines)
    return text


def parts(value: Any) -> list[Any]:
    inner = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    return [value] * isinstance(value, dict | list) + [one for part in inner for one in parts(part)]


def damaged_data(rng: Random, data: Any) -> Any:
    """Replace, remove or move some values."""
    data = json.loads(json.dumps(data))
    names = sorted({key for part in parts(data) if isinstance(part, dict) for key in part})
    for _ in range(rng.choice((1, 1, 2, 3))):
        inside = rng.choice(parts(data))
        if isinstance(inside, dict):
            key = rng.choice(list(inside) or [""]) if rng.random() < 0.7 else rng.choice(names)
            if rng.random() < 0.2:
                inside.pop(key, None)
            else:
                inside[key] = deepcopy(rng.choice(VALUES))  # later changes must not change the original
        elif inside and rng.random() < 0.5:
            inside[rng.randrange(len(inside))] = deepcopy(rng.choice(VALUES))
        else:
            inside.append(deepcopy(rng.choice(VALUES)))
    return data


def accepts(case: str, read: Callable[[], object]) -> bool:
    """Return whether the input was accepted; an error must be one short line, and neither may take long."""
    started = time.process_time()
    try:
        read()
        accepted = True
    except PlannerError as refusal:
        accepted = False
        for line in refusal.problems:
            assert line, case
            assert len(line) <= MAX_MESSAGE, f"{case}: {len(line)} characters: {line}"
            assert "\n" not in line, f"{case}: {line!r}"
    except Exception as error:
        raise AssertionError(f"{case}: {type(error).__name__}: {error}"[:2000]) from error
    assert time.process_time() - started < SECONDS, case
    return accepted


def plan_state(state: Any) -> None:
    """Plan the state, and write plan and state in all forms."""
    if state.finished:
        return
    plan = next(GAME.plans(state, "true_balanced", PlanOptions(effort=300, time_limit=2)))
    json.dumps(plan.to_dict())
    GAME.show(state)
    GAME.describe_turn(state, plan.actions)
    GAME.state_to_text(state)


def states_in_json(rng: Random, count: int) -> int:
    given = [state_to_dict(random_state(rng, most_minions=3, most_cards=3)) for _ in range(60)]
    given += [state_to_dict(state) for _, state in load_positions("recorded")[::20]]
    given.append(json.loads((ROOT / "experiments/states/lethal.json").read_text(encoding="utf-8")))
    read = 0
    for _ in range(count):
        data = damaged_data(rng, rng.choice(given))
        read += accepts(repr(data)[:1500], lambda data=data: plan_state(GAME.state_from_json(data)))  # type: ignore[misc]
    return read


def states_in_text(rng: Random, count: int) -> int:
    given = [state_to_text(random_state(rng, most_minions=3, most_cards=3)) for _ in range(60)]
    given += [state_to_text(state) for _, state in load_positions("recorded")[::20]]
    read = 0
    for _ in range(count):
        text = damaged_text(rng, rng.choice(given))
        read += accepts(repr(text)[:1500], lambda text=text: plan_state(GAME.state_from_text(text)))  # type: ignore[misc]
    return read


def files(rng: Random, count: int, folder: Path, given: list[Path], read: Read) -> int:
    texts = [path.read_text(encoding="utf-8") for path in given]
    good = 0
    for number in range(count):
        text = damaged_text(rng, rng.choice(texts))
        path = folder / f"{number % 50}{given[0].suffix}"
        path.write_bytes(text.encode("utf-8", "replace"))
        good += accepts(f"{path.suffix} {text!r}"[:1500], lambda path=path: read(path))  # type: ignore[misc]
    return good


def logs_of(folder: Path) -> list[Path]:
    found = []
    for seed in (1, 2):
        path = folder / f"match{seed}.json"
        setup = MatchSetup.of("thesis_paladin", "thesis_warrior", rules="thesis")
        record = play_match(("greedy", "random"), setup, seed=seed, digests=True)
        path.write_text(json.dumps(record.to_dict()), encoding="utf-8")
        found.append(path)
    return found


def read_log(path: Path) -> None:
    problem = verify_log(load_logs(path)[0]).problem
    assert problem is None or len(problem) <= MAX_MESSAGE


KINDS: dict[str, Callable[[Random, int, Path], int]] = {
    "states in JSON": lambda rng, count, _: states_in_json(rng, count),
    "states in text": lambda rng, count, _: states_in_text(rng, count),
    "weights": lambda rng, count, at: files(rng, count, at, sorted(ROOT.glob("weights/*.yaml")), Weights.of),
    "decks": lambda rng, count, at: files(rng, count, at, sorted(ROOT.glob("decks/*.yaml")), load_deck),
    "experiments": lambda rng, count, at: files(
        rng, count, at, sorted(ROOT.glob("experiments/*.yaml")), load_experiment
    ),
    "rulesets": lambda rng, count, at: files(rng, count, at, sorted(DATA.glob("rules/data/*.yaml")), Ruleset.of),
    "cards": lambda rng, count, at: files(
        rng, count, at, sorted(DATA.glob("cards/data/*.yaml")), lambda path: standard().extended(path)
    ),
    "logs": lambda rng, count, at: files(rng, count, at, logs_of(at), read_log),
}
EACH = {"states in JSON": 150, "states in text": 100, "weights": 120, "decks": 40, "experiments": 40, "rulesets": 120,
        "cards": 40, "logs": 8}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_damaged_input_is_an_error_of_one_line(kind: str, tmp_path: Path) -> None:
    read = KINDS[kind](Random(f"default {kind}"), EACH[kind], tmp_path)
    assert read < EACH[kind]


@pytest.mark.long
@pytest.mark.parametrize("part", range(10))
@pytest.mark.parametrize("kind", KINDS)
def test_ten_thousand_cases(kind: str, part: int, tmp_path: Path) -> None:
    KINDS[kind](Random(f"{kind} {part}"), 125, tmp_path)
