"""Mistakes in a designer's functions and definitions: one line with the file, the word, the value and what is right."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from planner.cli import main
from planner.errors import PlannerError
from planner.games import load_game
from planner.games.deckbuilder.function_file import FunctionFile
from planner.games.spire import battle_rules
from planner.games.spire.battle_state import Action, ActiveStatus
from planner.user_code import FunctionError, guarded, run_file
from tests.games.spire.battles import amounts, battle, end, play

START = "from planner.games.spire.extensions import Extension\nwords = Extension()\n"
USES = """
words.define(cards={"Test": {"cost": 0, "type": "skill", "does": [%s]}},
             scenarios={"tests": {"deck": {"Test": 9, "Strike": 3}, "enemies": ["Goblin", "Leech"]}})
"""
# By kind of word: how it is registered with this body, and an action that uses it.
WORDS = {
    "verb": ('@words.verb("hit", text="hit {target}")\ndef hit(battle, source, target):\n    %s\n',
             '{"do": "hit", "to": "chosen enemy"}'),
    "card": ('@words.verb("hit", text="hit {card}")\ndef hit(battle, source, card):\n    %s\n',
             '{"do": "hit", "to": "chosen card in hand"}'),
    "this": ('@words.verb("hit", text="hit {card}")\ndef hit(battle, source, card):\n    %s\n',
             '{"do": "hit", "to": "this card"}'),
    "target": ('@words.target("hit")\ndef hit(battle, source):\n    %s\n', '{"do": "heal", "amount": 1, "to": "hit"}'),
    "group": ('@words.group("hit", "hits")\ndef hit(battle, source):\n    %s\n',
              '{"do": "heal", "amount": 1, "to": "chosen hit"}'),
    "cards": ('@words.group("hit", "hits", pile="hand")\ndef hit(battle, source, card):\n    %s\n',
              '{"do": "discard", "to": "chosen hit"}'),
    "condition": ('@words.condition("hit", "it is hit")\ndef hit(battle, source):\n    %s\n',
                  '{"do": "draw", "amount": 1, "if": "hit"}'),
    "value": (('@words.function("hit")\ndef hit(battle, owner, active, value):\n    %s\n'
               'words.define(statuses={"odd": {"good": True, "stacking": "add", "on": '
               '[{"event": "block_gained", "call": "hit"}]}})\n'),
              '{"do": "apply", "status": "odd", "amount": 1, "to": "self"}, {"do": "block", "amount": 1, "to": "self"}'),
    "text": ('words.verb("hit", text=lambda words, own: %s)(lambda battle, source: None)\n', '{"do": "hit"}'),
}  # fmt: skip


def extension(kind: str, body: str) -> str:
    word, action = WORDS[kind]
    return START + word % body + USES % action


def checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], text: str) -> str:
    """Return the last line of `planner check`, without the two columns before it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "words.py").write_text(text, encoding="utf-8")
    code = main(["check", "./words.py"])
    output = capsys.readouterr()
    last = output.out.strip().splitlines()[-1].strip()
    assert (code, output.err) == (0 if last == "correct" else 1, "")
    return last.replace(f"{tmp_path}/", "")


@pytest.mark.parametrize(
    ("kind", "body", "message"),
    [
        ("verb", "target.health = None", "words.py:3: hit: health of .*: must be an integer, between 0 and 9999, got null"),
        ("verb", "target.health -= 0.5", "health of .*: must be an integer, between 0 and 9999, got"),
        ("verb", "target.health += 500", r"health of .*: must be at most max_health \d+, got"),
        ("verb", "target.statuses = [('weak', 1)]", r"statuses of .*: \('weak', 1\) is not a status; use apply_status"),
        ("verb", "battle.energy = 'x'", "hit: battle.energy: must be an integer, between 0 and 9999, got 'x'"),
        ("verb", "battle.hand.append('Strike')", "battle.hand: 'Strike' is not a card; use battle.library.card"),
        ("verb", "battle.hand = None", "battle.hand: must be a list of at most 1,000 cards, got null"),
        ("verb", "battle.hand += battle.hand * 3 + battle.draw * 99", "battle.hand: must be a list of at most 1,000"),
        ("verb", "battle.player = None", "must stay the same fighters"),
        ("verb", "battle.enemies.reverse()", "must stay the same fighters"),
        ("verb", "battle.turn -= 1", "hit: battle.turn must not be changed, got 0"),
        ("verb", "battle.hand[0].cost = 0", "words.py:5: hit: FrozenInstanceError: cannot assign to field 'cost'"),
        ("verb", "battle.pick(0)", "words.py:5: hit: pick: must be an integer from 1 to 9999, got 0"),
        ("verb", "battle.pick(10**9)", "pick: must be an integer from 1 to 9999, got 1000000000"),
        ("verb", "battle.pile('library')", "'library' is not a pile; must be one of hand, draw, discard, exhaust"),
        ("verb", "battle.broadcast('drained', source)", "'drained' is not a moment; must be one of before_card"),
        ("verb", "battle.changed('turn_end', source, 1)", "'turn_end' is not an event that changes a value"),
        ("verb", "target.take_damage(-3)", "take_damage: must be at least 0, got -3"),
        ("verb", "raise BaseException('no')", "words.py:5: hit: BaseException: no"),
        ("verb", "target.take_damage(battle.pick(9999) % 3)", "too many outcomes"),
        ("verb", "import random; target.take_damage(random.randint(1, 5))", "with the same random numbers; use battle.pick"),
        ("verb", "global n; n = globals().get('n', 0) + 1; target.take_damage(n % 3)", "use battle.pick for chance"),
        ("card", "card.goes_to = 'nowhere'", "words.py:3: hit: card.goes_to: 'nowhere' is not a pile; must be one of"),
        ("this", "card.card = 'Strike'", "hit: card.card: 'Strike' is not a card; use battle.library.card"),
        ("target", "pass", "words.py:3: hit: must return a list of fighters, got null"),
        ("target", "return battle.enemies[0]", "must return a list of fighters, got Goblin|Leech|Acid Slime"),
        ("target", "return ['Goblin']", "must return fighters of this battle, got 'Goblin' among them"),
        ("target", "return battle.enemies * 2", "must return each fighter once, got .* twice"),
        ("group", "battle.energy += 1; return battle.enemies", "hit: must not change the battle; only a verb or"),
        ("group", "battle.pick(2); return battle.enemies", "hit: the options of a choice must not be random"),
        ("cards", "card.cost > 1", "words.py:3: hit: must return True or False, got null"),
        ("cards", "battle.hand.clear(); return True", "hit: must not change the battle"),
        ("condition", "return 3", "hit: must return True or False, got 3"),
        ("value", "pass", "words.py:3: hit: must return the value, an integer up to 9999, got null"),
        ("value", "return (value + 2) ** 3000", "an integer up to 9999, got an integer of .* bits"),
        ("text", "None", "words.py:3: hit: text: must return a phrase of one line, got null"),
        ("text", "words['amount']", "words.py:3: hit: KeyError: 'amount'"),
        ("target", "return battle.enemies", "^correct$"),  # the dead ones do not count
        ("verb", "target.apply_status(battle.library.statuses['weak'], -5, 0)", "^correct$"),
        ("verb", "battle.draw_cards(-2)", "^correct$"),
        ("this", "card.goes_to = 'draw'", "^correct$"),
    ],
)  # fmt: skip
def test_wrong_value_names_file_word_and_what_is_right(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    kind: str,
    body: str,
    message: str,
) -> None:
    line = checked(tmp_path, monkeypatch, capsys, extension(kind, body))
    assert re.search(message, line), line


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("words.verb('hit', text='hit')(lambda battle, source, status=0: None)",
         "words.py:3: hit: status: the default must be the name of a status, got 0"),
        ("words.verb('hit', text='hit')(lambda battle, source, into=0: None)",
         "hit: into: the default must be one of hand, draw, discard, exhaust, got 0"),
        ("words.verb('hit', text='hit')(lambda battle, source, amount=-3: None)", "must be an integer from 0 to 9999, got -3"),
        ("words.verb('hit', text='hit')(lambda battle, source, *rest: None)", r"\*rest: every parameter must have a name"),
        ("words.verb('hit', text='hit')(print)", "hit: must be a function written with def or lambda"),
        ("@words.verb('hit', text='hit')\nasync def hit(battle, source): battle.energy += 1",
         "words.py:3: hit: must be a plain function, without async and yield"),
        ("@words.verb('hit', text='hit')\nasync def hit(battle, source): yield", "hit: must be a plain function, without"),
        ("@words.verb('hit', text='hit')\ndef hit(battle, source): yield", "hit: must be a plain function, without async"),
        ("words.function('hit')(lambda battle, owner, active, value: (yield))", "hit: must be a plain function, without"),
        ("words.verb('hit', text='')(lambda battle, source: None)", "hit: text: '' is not a phrase of one line"),
        ("words.verb('hit', text=5)(lambda battle, source: None)", "hit: text: 5 is not a phrase of one line"),
        ("words.verb('hit', text='{amount:d}')(lambda battle, source, amount: None)", "Unknown format code 'd'"),
        ("words.verb('hit', text='hit', short='{target}')(lambda battle, source, target: None)",
         r"\{target\} is not a field of hit"),
        ("words.condition('hit', 7)(lambda battle, source: True)", "hit: text: 7 is not a phrase of one line"),
        ("words.condition('hit', 'hit')(lambda battle, source, card: True)", "at most one field, a number or status, got card"),
        ("words.target('hit')(lambda battle: [])", "hit: the parameters must be battle, source, got battle"),
        ("words.function('hit')(lambda battle: 0)", "hit: the parameters must be battle, owner, active, value, got battle"),
        ("words.define(cards={1: {}})", "words.py:3: define: cards: 1 is not a name; it must be text"),
        ("words.define(cards={'A': {'cost': 1, 'does': {2}}})", r"define: cards: A: does: \{2\} is not an integer, a text"),
        ("words.define(cards={'A': None})", "words.py: A: null is not a mapping"),
        ("words.define(cards={'A': {}}); words.define(cards={'A': {}})", "define: cards: A: duplicate name"),
        ("words.define(scenarios={'s': None})", "words.py: scenario s: must be an object, got null"),
        ("words.define(scenarios={'s': {'deck': 5, 'enemies': ['Goblin']}})",
         r"scenario s.deck: must be a list of cards, or a mapping such as \{Strike: 5\}, got 5"),
        ("words.define(scenarios={'s': {'deck': {'Strike': '5'}, 'enemies': ['Goblin']}})",
         "scenario s.deck.Strike: must be an integer, between 1 and 1000, got '5'"),
        ("words.define(scenarios={'s': {'enemies': ['Goblin']}})", "words.py: scenario s.deck: is missing"),
        ("words.define(scenarios={'s': {'deck': ['Strike'], 'enemies': [3]}})", r"scenario s.enemies\[0\]: must be a non-empty string, got 3"),
        ("words.define(scenarios={'starter': {}})", "words.py: scenario starter: duplicate name"),
        ("words.define(scenarios={'s_anonymous': {}})", "a name must not end in _anonymous or .yaml"),
    ],
)  # fmt: skip
def test_wrong_registration_or_definition_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], text: str, message: str
) -> None:
    line = checked(tmp_path, monkeypatch, capsys, START + text)
    assert re.search(message, line), line


@pytest.mark.parametrize(
    "body",
    [
        "while True:\n        try:\n            n = 1\n        except:\n            pass",
        "while True:\n        try:\n            while True: pass\n        except:\n            continue",
        "while True:\n        try:\n            while True: pass\n        finally:\n            continue",
        "try:\n        while True: pass\n    except BaseException:\n        return 3",
        "try:\n        while True: pass\n    except:\n        while True: pass",
        "import itertools; return all(True for _ in itertools.count())",
        "import helper_that_loops; helper_that_loops.loop()",
    ],
)
def test_no_function_escapes_the_line_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "helper_that_loops.py").write_text("def loop():\n    while True:\n        n = 1\n", encoding="utf-8")
    path = tmp_path / "words.py"
    path.write_text(f"def loop():\n    {body}\n", encoding="utf-8")
    module = run_file(path)
    with pytest.raises(FunctionError, match="loop does not return within 200,000 lines"), guarded(str(path), "loop"):
        module.loop()


@pytest.mark.parametrize("start", ["", "from __future__ import annotations\n"])
def test_file_may_define_dataclasses(tmp_path: Path, start: str) -> None:
    path = tmp_path / "words.py"
    text = "from dataclasses import dataclass, fields\n@dataclass\nclass Pair:\n    left: int\n    right: int = 2\n"
    path.write_text(f"{start}{text}kind = fields(Pair)[0].type\n", encoding="utf-8")
    first, second = run_file(path), run_file(path)
    assert first.Pair(1) == first.Pair(1, 2) != second.Pair(1, 2)  # each file is a module of its own
    assert first.kind == ("int" if start else int)


def test_limit_starts_again_for_the_next_call(tmp_path: Path) -> None:
    path = tmp_path / "words.py"
    path.write_text("def half():\n    for n in range(60_000): pass\n    return 1\n", encoding="utf-8")
    module = run_file(path)
    for _ in range(3):
        with guarded(str(path), "half"):
            assert module.half() == 1


def test_loop_counts_its_lines_once(tmp_path: Path) -> None:
    path = tmp_path / "words.py"
    path.write_text("def add(n):\n    s = 0\n    for i in range(n):\n        s += i\n    return s\n", encoding="utf-8")
    module = run_file(path)
    with guarded(str(path), "add"):
        assert module.add(99_990) == sum(range(99_990))
    with pytest.raises(FunctionError, match="add does not return"), guarded(str(path), "add"):
        module.add(100_001)


def test_import_is_not_part_of_the_first_call(tmp_path: Path) -> None:
    path = tmp_path / "own.py"
    loop = "for i in range(60_000):\n    {}pass\n"
    path.write_text(f"{loop.format('')}def own():\n    {loop.format('    ')}", encoding="utf-8")
    functions = FunctionFile(path)
    for _ in range(2):
        functions.call("own")


@pytest.mark.parametrize("end", ["while True: pass", "try:\n    while True: pass\nexcept BaseException: pass"])
def test_import_has_a_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], end: str
) -> None:
    line = checked(tmp_path, monkeypatch, capsys, START + end)
    assert line.endswith("words.py: import does not return within 200,000 lines")
    assert line.count("words.py") == 1


def test_outer_function_cannot_catch_the_limit_of_an_inner_one(tmp_path: Path) -> None:
    path = tmp_path / "words.py"
    path.write_text(
        "def inner():\n    while True: pass\n"
        "def outer(call):\n    try:\n        call()\n    except Exception:\n        return 1\n",
        encoding="utf-8",
    )
    module = run_file(path)

    def call() -> None:
        with guarded(str(path), "inner"):
            module.inner()

    with pytest.raises(FunctionError, match="outer does not return"), guarded(str(path), "outer"):
        module.outer(call)


# -- rules that extensions rely on


def loaded(tmp_path: Path, text: str) -> Any:
    (tmp_path / "words.py").write_text(text, encoding="utf-8")
    return load_game(str(tmp_path / "words.py"))


def test_condition_is_asked_once_for_an_action_with_a_choice(tmp_path: Path) -> None:
    text = extension("condition", "return battle.pick(2) == 1").replace(
        '{"do": "draw", "amount": 1, "if": "hit"}', '{"do": "damage", "amount": 5, "to": "chosen enemy", "if": "hit"}'
    )
    game = loaded(tmp_path, text)
    enemies = [{"name": "Goblin", "health": 20}, {"name": "Leech", "health": 20}]
    state = game.state_from_json({"hand": ["Test"], "enemies": enemies})
    outcomes = battle_rules.action_outcomes(state, Action("play", 0))
    (asked,) = [after for _, after in outcomes if after.pending is not None]
    assert [probability for probability, _ in outcomes] == [0.5, 0.5]
    results = battle_rules.action_outcomes(asked, Action("fighter", 1))
    assert [[enemy.health for enemy in after.enemies] for _, after in results] == [[20, 15]]


def status_library(**entries: Any) -> dict[str, Any]:
    return {"statuses": {name: {"good": True, "stacking": "add", **entry} for name, entry in entries.items()}}


def test_status_that_changed_in_the_same_moment_can_be_removed() -> None:
    grow = {"event": "after_card", "does": [{"do": "apply", "status": "fuse", "amount": 2, "to": "self"}]}
    count = {"event": "after_card", "does": [{"do": "block", "amount": "stacks", "to": "self"}]}
    library = status_library(fuse={"on": [grow, count, {"event": "after_card", "remove": True}]})
    state = battle("Defend", library=library, statuses=[{"status": "fuse", "amount": 1}])
    after = play(state, "Defend")
    assert (after.statuses, after.block) == ((), 5 + 3)  # the later callback sees the present amount


def test_one_of_two_separate_statuses_is_removed() -> None:
    library = status_library(mark={"stacking": "apart", "on": [{"event": "after_card", "remove": True}]})
    state = battle("Defend", library=library, statuses=[{"status": "mark", "amount": 1}] * 2)
    assert play(state, "Defend").statuses == ()  # each removes itself


def test_temporary_stacks_leave_the_lasting_ones() -> None:
    surge = {"cost": 0, "type": "skill", "does": [
        {"do": "apply", "status": "strength", "amount": 5, "turns": 2, "to": "self"}]}  # fmt: skip
    flex = {"cost": 0, "type": "skill", "does": [{"do": "apply", "status": "strength", "amount": 1, "to": "self"}]}
    state = battle(
        "Surge",
        "Flex",
        library={"cards": {"Surge": surge, "Flex": flex}},
        statuses=[{"status": "strength", "amount": 2}],
    )
    surged = play(state, "Surge")
    (active,) = surged.statuses
    assert active == ActiveStatus(active.status, 7, 2, 2)
    both = play(surged, "Flex")
    assert (amounts(both.statuses), both.statuses[0].lasting) == ({"strength": 8}, 3)
    assert amounts(end(both).statuses) == {"strength": 8}
    ended = end(end(both))
    assert ended.statuses == (ActiveStatus(active.status, 3),)
    only = play(state._replace(statuses=()), "Surge")
    assert [amounts(end(only).statuses), amounts(end(end(only)).statuses)] == [{"strength": 5}, {}]


def test_expired_part_of_a_status_ends_with_its_own_amount() -> None:
    library = status_library(fuse={"ends": [{"do": "block", "amount": "stacks", "to": "self"}]})
    state = battle(library=library, statuses=[{"status": "fuse", "amount": 7, "turns": 1, "lasting": 4}])
    seen = battle_rules.turn_end_outcomes(state)
    assert [(after.health, amounts(after.statuses)) for _, after in seen] == [(80 - 11 + 3, {"fuse": 4})]
    with pytest.raises(PlannerError, match=r"statuses\[0\].lasting: must be at most 0, got 1"):
        battle(statuses=[{"status": "weak", "amount": 3, "lasting": 1}])


def test_copies_of_copies_do_not_fill_the_memory() -> None:
    does = [
        {"do": "copy", "to": "all cards in hand", "into": "hand"},
        {"do": "copy", "to": "this card", "into": "hand"},
    ]
    state = battle("Double", "Double", library={"cards": {"Double": {"cost": 0, "type": "skill", "does": does}}})
    for _ in range(20):
        state = play(state, "Double")
    assert len(state.hand) == 1000


def test_scenario_has_its_own_library_and_names(tmp_path: Path) -> None:
    zap = {"cost": 1, "type": "attack", "does": [{"do": "attack", "amount": 9, "to": "chosen enemy"}]}
    entry = {"deck": {"Zap": 2, "Strike+": 1}, "enemies": ["Goblin"], "library": {"cards": {"Zap": zap}}}
    game = loaded(
        tmp_path, START + f"words.define(scenarios={{'s': {entry}, 'hidden': {{**{entry}, 'anonymous': True}}}})"
    )
    setup, hidden, renamed = (game.setup_from_words([name]) for name in ("s", "hidden", "s_anonymous"))
    assert setup.deck == ("Zap", "Zap", "Strike+")
    assert hidden.deck == renamed.deck
    assert "Zap" not in hidden.deck
    assert hidden.anonymous


def test_moves_may_have_the_names_of_fields(tmp_path: Path) -> None:
    moves = {
        "if": [{"do": "attack", "amount": 3, "to": "player"}],
        "text": [{"do": "block", "amount": 3, "to": "self"}],
        "status": [{"do": "apply", "status": "weak", "amount": 1, "to": "player"}],
    }
    odd = {"health": 5, "moves": moves, "pattern": {"first": "if", "then": {"if": 50, "text": 30, "status": 20}}}
    text = f"words.define(enemies={{'Odd': {odd}}}, scenarios={{'s': {{'deck': {{'Strike': 5}}, 'enemies': ['Odd']}}}})"
    game = loaded(tmp_path, START + text)
    library = game.setup_from_words(["s_anonymous"]).library
    assert [move.name for move in library.enemies["Odd"].moves] == ["if", "text", "status"]


def test_deck_may_be_a_mapping_in_every_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.yaml").write_text("deck: {Strike: 5, Defend+: 2}\nenemies: [Goblin]\n", encoding="utf-8")
    (tmp_path / "road.yaml").write_text("deck: {Strike: 5}\nbattles: [[Goblin], [Leech]]\nrewards: [Bash]\n", "utf-8")
    (tmp_path / "bad.yaml").write_text("deck: {Strike: 5}\nbattles: [[Goblin], [Leach]]\n", encoding="utf-8")
    assert main(["check", str(tmp_path / "mine.yaml"), "--game", "spire"]) == 0
    assert "7 cards and 80 health against Goblin" in capsys.readouterr().out
    assert main(["check", str(tmp_path / "road.yaml"), "--game", "spire"]) == 0
    assert "chain (spire)\n  2 battles with 5 cards and 1 rewards" in capsys.readouterr().out
    assert main(["check", str(tmp_path / "bad.yaml")]) == 1
    assert re.search(r"chain.battles\[1\]\[0\]: must be one of .* got 'Leach'; did you", capsys.readouterr().out)


def test_other_commands_take_an_extension(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "words.py").write_text(extension("verb", "target.take_damage(2)"), encoding="utf-8")
    assert main(["generate", "--game", "./words.py", "--count", "3", "--out", "new.yaml"]) == 0
    card = "cards: {Hits: {cost: 1, type: skill, does: [{do: hit, to: all enemies}]}}\n"
    (tmp_path / "more.yaml").write_text(card, encoding="utf-8")
    more = ["--game", "./words.py", "--scenario", "tests", "--agents", "first", "--games", "2"]
    assert main(["playtest", "more.yaml", *more]) == 0
    assert "Hit all enemies." in capsys.readouterr().out
    chain = "deck: {Test: 4, Strike: 4}\nbattles: [[Goblin], [Leech]]\nrewards: [Test]\n"
    (tmp_path / "road.yaml").write_text(chain, encoding="utf-8")
    assert main(["run", "road.yaml", "--game", "./words.py", "--agents", "first", "--runs", "2"]) == 0
    assert main(["run", "road.yaml", "--agents", "first", "--runs", "2"]) == 2
    assert "'Test' is not a card" in capsys.readouterr().err
    assert main(["run", "act", "--game", "hearthstone"]) == 2
    assert "must be spire or an extension" in capsys.readouterr().err
