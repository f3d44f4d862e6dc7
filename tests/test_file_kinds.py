"""User files: recognised by content, read with all problems reported, and described by schemas that agree with readers."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from random import Random
from typing import Any

import jsonschema_rs
import pytest
import yaml

from planner.arena.tournament.experiment_file import AGENT_FIELDS, FIELDS, OPTIONS
from planner.cli import main
from planner.errors import PlannerError
from planner.file_kinds import file_kinds, find_kind, named_kind
from planner.formats.all_problems import read_all
from planner.formats.documents import load_yaml, shipped_folder
from planner.formats.json_schema import FileKind
from planner.game import AnyGame
from planner.games import game, game_names
from planner.games.hearthstone.cards.card_format import CARD_FIELDS
from planner.games.hearthstone.cards.catalogue import FOLDER
from planner.games.hearthstone.cards.effect_vocabulary import EFFECTS, MULTIPLIED
from planner.games.hearthstone.rules.ruleset import Ruleset
from planner.planning.profiles import Profile
from tests import schemas
from tests.schemas import disagreements

HEARTHSTONE, SPIRE = game("hearthstone"), game("spire")
SPIRE_DATA = Path(__file__).parents[1] / "planner" / "games" / "spire" / "data"


def validator(kind: FileKind) -> Any:
    return jsonschema_rs.validator_for(kind.schema())


def _loaded(path: Path) -> Any:
    """Load YAML with keys as strings: plain YAML reads a key `on` as true."""
    return json.loads(json.dumps(load_yaml(path)))


# -- our own files


OURS: list[tuple[str, AnyGame, Path]] = [
    *(("deck", HEARTHSTONE, path) for path in sorted(shipped_folder("decks").glob("*.yaml"))),
    *(("cards", HEARTHSTONE, path) for path in sorted(FOLDER.glob("*.yaml"))),
    *(
        ("experiment", SPIRE if path.stem.startswith("spire") else HEARTHSTONE, path)
        for path in sorted(shipped_folder("experiments").glob("*.yaml"))
        if not path.stem.startswith(("tune_", "dominion"))  # searches for weights; deck-building games are below
    ),
    *(
        ("profile", SPIRE if path.stem.startswith("spire") else HEARTHSTONE, path)
        for path in sorted(shipped_folder("weights").glob("*.yaml"))
        if not path.stem.startswith(("dominion", "deckbuilder"))
    ),
    *(("cards", SPIRE, SPIRE_DATA / f"{name}.yaml") for name in ("cards", "statuses", "enemies")),
]


@pytest.mark.parametrize(("name", "of", "path"), OURS, ids=[f"{of.name}-{name}-{path.stem}" for name, of, path in OURS])
def test_shipped_files_are_recognised_and_valid(name: str, of: AnyGame, path: Path) -> None:
    found = find_kind(path, HEARTHSTONE)
    assert (found.name, found.game) == (name, of.name)
    assert validator(found).is_valid(_loaded(path))


def test_states_as_text_are_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "states.txt"
    for text, code, expected in (
        ("3 mana | me 30hp | hand: Wolfrider | enemy 3hp\n", 0, "me 30hp | hand: Wolfrider (3) 3/1 charge | enemy 3hp"),
        ("3 mana | me 30hp | enemy 3hp\n\n3 mana | me 9hp | enemy 3hp\n", 0, "2 states"),
        ("3 mana | me 30hp | enemy 3hp\n3 mana | me 0hp | enemy 3hp\n", 1, "states.txt:2: me.hero.health: must be"),
    ):
        path.write_text(text)
        assert main(["check", str(path)]) == code
        out = capsys.readouterr().out
        assert "states.txt: state" in out
        assert expected in out


@pytest.mark.parametrize("path", sorted(shipped_folder("weights").glob("d[eo][cm]*.yaml")), ids=lambda path: path.stem)
def test_profiles_of_deck_building_games_are_recognised(path: Path) -> None:
    found = find_kind(path, HEARTHSTONE)
    assert (found.name, found.game) == ("profile", path.stem.partition("_")[0])


@pytest.mark.parametrize("of", game_names())
def test_every_kind_has_a_valid_schema(of: str) -> None:
    names = {kind.name for kind in file_kinds(game(of))}
    assert names >= {"experiment", "state"} | ({"cards", "profile"} if of in ("hearthstone", "spire") else set())
    for kind in file_kinds(game(of)):
        jsonschema_rs.meta.validate(kind.schema())
        assert json.loads(json.dumps(kind.schema())) == kind.schema()


# -- reader and schema judge alike


CARD: dict[str, Any] = {
    "name": "Guard", "type": "minion", "class": "mage", "tribes": ["mech"], "keywords": ["taunt"], "value": 1.5,
    "token": False, "cost": 1, "attack": 2, "health": 3, "overload": 0, "spell_damage": 1, "id": "X_1", "text": "words",
    "effects": [
        {"do": "damage", "amount": 2, "to": "chosen enemy minion", "on": "play", "combo": True, "split": False},
        {"do": "summon", "card": ["Guard"], "count": 1, "side": "friendly", "on": "death"},
        {"do": "buff", "to": "self", "attack": 1, "keywords": ["taunt"], "this_turn": True, "given": "weapon"},
        {"do": "destroy", "to": "all enemy minions attack>=5 attack<=7", "on": "turn_end"},
    ],
}  # fmt: skip
RULES: dict[str, Any] = {rule.name: getattr(Ruleset(), rule.name) for rule in fields(Ruleset)} | {
    "starting_hand": [3, 4]
}
DECK: dict[str, Any] = {
    "name": "Eight", "class": "mage", "cards": ["2 x Wolfrider", "2 x Chillwind Yeti"], "keep_keywords": ["taunt"],
    "sideboard": ["1 x Wolfrider for Chillwind Yeti"],
}  # fmt: skip
AHEAD = {"k": 2, "samples": 1, "reply": "aggro_face"}
EXPERIMENT: dict[str, Any] = {
    "name": "mine", "description": "words", "game": "hearthstone",
    "decks": {"pool": ["mage", "warrior"], "mirror": True}, "rules": {"hero_health": 20}, "games": 2, "seed": 3,
    "pairs": "gauntlet", "swap": "seats", "move_time": 5, "game_time": 9, "start_time": 3, "memory": 512,
    "open_decks": True, "audit": 10, "max_turns": 90, "resign": {"turns": 6, "score": 0.9},
    "sprt": {"elo0": 0, "elo1": 20, "alpha": 0.05, "beta": 0.05, "base": "one"}, "solver": "auto",
    "formulation": "exact", "time_limit": 1, "effort": 100,
    "agents": [{"name": "one", "profile": "aggro_face", "effort": 5, "time_limit": 2, "ahead": AHEAD}, "random"],
}  # fmt: skip
BATTLES: dict[str, Any] = {
    "game": "spire", "scenarios": ["starter", {"deck": ["Strike"], "enemies": ["Goblin"], "health": 9}],
    "agents": ["first", {"agent": "lookahead", "name": "ahead"}], "games": 2,
}  # fmt: skip
LIBRARY: dict[str, Any] = {
    "statuses": {"Sore": {"good": False, "stacking": "add", "each_turn": -1, "points": "1/2",
                          "on": [{"event": "attack_taken", "add": 1}, {"event": "turn_end", "remove": True}],
                          "ends": [{"do": "damage", "amount": "stacks", "to": "self"}]}},
    "cards": {"Zap": {"cost": 1, "type": "attack", "text": "Ouch.",
                      "does": [{"do": "attack", "amount": "6 (9)", "hits": 2, "to": "chosen enemy"},
                               {"and": [{"do": "apply", "status": "Sore", "amount": 2, "turns": 1}],
                                "to": "all enemies"},
                               {"do": "draw", "amount": 1}, {"do": "copy", "into": "draw", "to": "this card"}]}},
    "enemies": {"Rat": {"health": "10-12", "moves": {"Bite": [{"do": "attack", "amount": 5, "to": "player"}]},
                        "pattern": {"in_turn": ["Bite"]}}},
}  # fmt: skip
SCENARIO: dict[str, Any] = {
    "name": "mine", "deck": ["Strike", "Defend"], "enemies": ["Goblin"], "health": 40, "energy_per_turn": 3,
    "cards_per_turn": 5, "library": {}, "anonymous": False,
}  # fmt: skip
CHAIN: dict[str, Any] = {
    "deck": {"Strike": 5}, "battles": [["Goblin"], ["Leech", "Leech"]], "rewards": ["Bash"], "choices": 2, "heal": 3,
    "health": 40, "energy_per_turn": 3, "cards_per_turn": 5, "library": {}, "anonymous": False,
}  # fmt: skip


def profile(of: AnyGame) -> dict[str, Any]:
    profiles: type[Profile] = of.profiles  # type: ignore[assignment]  # both have a planner
    known = {"play": "Wolfrider", "keep_mana": 1, "trade_below": 1.5, "attack_on": "hero", "own_hero_death": None}
    rules = {
        under: [{name: known[name]} if kind.takes else name for name, kind in profiles.rules.kinds.items()
                if kind.under == under and name in known]
        for under in ("forbid", "require")
    }  # fmt: skip
    return {
        "game": profiles.game, "description": "a line", "weights": dict.fromkeys(profiles.term_signs, 2),
        **{under: listed for under, listed in rules.items() if listed},
    }  # fmt: skip


# What no schema says: what exists, what belongs together, and how often.
BEYOND = {
    "cards": "unknown card|different chosen targets|only minions|is a minion,|needs minion, hero|needs chosen|needs attack"
    "|can last this turn|must not be negative|an aura must|only a card that is played|unknown hook",
    "deck": "unknown card|cards; a deck has|a deck has 1 to|is a .* card|is created by",
    "rules": "is more than the",
    "profile": "is given twice|scale factor",
    "experiment": "unknown deck|unknown ruleset|is not an agent|is not a profile|is not a weight profile"
    "|is not a planner|not a solver"
    "|formulation|duplicate agent|at least two agents|elo0 below elo1|more than the|sprt: needs|most 60 letters"
    r"|no such file|is a folder|is not a scenario|is not a card|enemies\[\d+\]: must be one of|two seats|solver|has no planner"
    "|is not a game|cards, a deck has|needs cards and enemies",
    "spire cards": "is not a status|not a factor|already|needs a target|acts on|must be adjacent|only cards can be upgraded"
    "|for cards|is for enemies|takes no|chances must add|must be one of|all takes no|exactly one of|the only move"
    "|is not a function|duplicate move|not a number such as|is not a health|is not a callback",
    "scenario": r"is not a card|\[\d+\]: must be one of|cannot be upgraded|library",
}  # fmt: skip
CASES: list[tuple[str, AnyGame, Any, str, str]] = [
    ("cards", HEARTHSTONE, [CARD], "cards", r"(?!)"),
    ("rules", HEARTHSTONE, RULES, "rules", r"(?!)"),
    ("deck", HEARTHSTONE, DECK, "deck", r"(?!)"),
    ("profile", HEARTHSTONE, profile(HEARTHSTONE), "profile", r"(?!)"),
    ("profile", SPIRE, profile(SPIRE), "profile", r"(?!)"),
    ("experiment", HEARTHSTONE, EXPERIMENT, "experiment", r"^$|^game$"),
    ("experiment", SPIRE, BATTLES, "experiment", r"^$|^game$"),
    ("cards", SPIRE, LIBRARY, "spire cards", r"(?!)"),
    ("scenario", SPIRE, SCENARIO, "scenario", r"^library"),
    ("scenario", SPIRE, {**SCENARIO, "deck": {"Strike": 5}}, "scenario", r"^library"),
    ("chain", SPIRE, CHAIN, "scenario", r"^library"),
]


def through_a_file(kind: FileKind, path: Path) -> Callable[[Any], Any]:
    """Write a document to a file and read it."""

    def read(document: Any) -> Any:
        path.write_text(yaml.safe_dump(document, sort_keys=False), encoding="utf-8")
        return kind.read(path, "{deck_size: 4}") or True

    return read


JUDGED = pytest.mark.parametrize(
    ("name", "of", "document", "beyond", "free"), CASES, ids=[f"{case[1].name}-{case[0]}" for case in CASES]
)


def judged_differently(name: str, of: AnyGame, document: Any, beyond: str, free: str, folder: Path) -> list[str]:
    kind = named_kind(of, name)
    return disagreements(document, through_a_file(kind, folder / "x.yaml"), kind.schema(), BEYOND[beyond], free)


@JUDGED
def test_reader_and_schema_agree(
    name: str, of: AnyGame, document: Any, beyond: str, free: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schemas, "ODD_VALUES", (None, True, 0, -1, 10**6 + 1, 0.5, "", "x", ["x"], {"x": 1}))
    assert judged_differently(name, of, document, beyond, free, tmp_path) == []


@pytest.mark.long
@JUDGED
def test_reader_and_schema_agree_on_mutated_documents(
    name: str, of: AnyGame, document: Any, beyond: str, free: str, tmp_path: Path
) -> None:
    assert judged_differently(name, of, document, beyond, free, tmp_path) == []


def test_examples_have_every_field() -> None:
    assert (
        {"name", "type", "class", "cost", "attack", "health", "overload", "spell_damage", "effects"}
        <= set(CARD)
        <= set(CARD_FIELDS)
    )
    assert {field for effect in CARD["effects"] for field in effect} >= {"do", "amount", "to", "on", "card", "side"}
    # Positions are a file, and replace the decks.
    assert {*FIELDS, *OPTIONS, "decks", "rules"} - {"cards", "positions"} == set(EXPERIMENT)
    assert set(AGENT_FIELDS) - {"agent", "command", "solver", "formulation"} <= set(EXPERIMENT["agents"][0])
    for do, (needs, may) in EFFECTS.items():
        effects = named_kind(HEARTHSTONE, "cards").schema()["items"]["properties"]["effects"]["items"]["anyOf"]
        assert [set(one["properties"]) for one in effects if one["properties"]["do"]["const"] == do] == [
            {"do", "on", "combo", "given", *needs, *may} | ({"times"} if do in MULTIPLIED else set())
        ]


# -- all that is wrong


# For each file the place and the value of every problem, in the order of the report.
WRONG: list[tuple[str, list[tuple[str, str]]]] = [
    (
        "- {name: A, cost: three, health: 1}\n- {name: B, type: spel}\n- {name: C, health: 0}\n- 7\n",
        [("1: A: cost: ", "'three'"), ("2: B: type: ", "'spel'"), ("3: C: health: ", "0"), ("4: ", "7")],
    ),
    (
        "name: T\nclass: mage\ncards:\n- 2 x Wolfrider\n- 1 x Wolfryder\n- Chillwind Yeti\n- 9 x Magma Rager\n",
        [("5: ", "'Wolfryder'"), ("6: ", "'Chillwind Yeti'"), ("7: ", "9 x Magma Rager")],
    ),
    (
        "hero_health: 0\nboard_limt: 5\ncoin: 1\nmana_limit: 5\n",
        [("2: ", "'board_limt'"), ("1: hero_health: ", "0"), ("3: coin: ", "1")],
    ),
    (
        "description: 3\nweights: {lethal: many, foo: 1}\nforbid: [own_hero_deth, {keep_mana: 1}]\n",
        [("1: description: ", "3"), ("2: lethal: ", "'many'"), ("2: ", "'foo'"), ("3: forbid: ", "'own_hero_deth'"),
         ("3: forbid: ", "keep_mana")],
    ),
    (
        "agents: [greedy, greedy, agro_face]\ngames: many\ndecks: [mag, waror]\nseed: -1\nswp: x\n",
        [("5: ", "'swp'"), ("2: games: ", "'many'"), ("4: seed: ", "-1"), ("3: decks: ", "'mag'"),
         ("3: decks: ", "'waror'"), ("1: agents: ", "'greedy'"), ("1: ", "'agro_face'")],
    ),
    (
        "cards:\n  A: {cost: 1, type: atack, does: []}\n  B: {cost: 1, type: skill, does: [{do: drw, amount: 1}]}\n",
        [("2: A: type: ", "'atack'"), ("3: B: does: ", "'drw'")],
    ),
    (
        ("- name: A\n  cost: -3\n  attack: x\n  health: 0\n  keywords: [tauntt]\n  deathrattle: 3\n  effects:\n"
        "  - {do: armor, amount: 1}\n  - {do: damage, on: deth, target: hero}\n"),
        [("6: A: ", "use `on: death` inside an effect"), ("2: A: cost: ", "-3"), ("3: A: attack: ", "'x'"),
         ("5: A: keywords: ", "'tauntt'"), ("4: A: health: ", "0"), ("9: A: ", "needs 'amount'"), ("9: A: ", "needs 'to'"), ("9: A: effects: ", "'deth'"),
         ("9: A: ", "'target'")],
    ),
    (
        "name: 5\nclass: magee\nfoo: 1\nkeep_keywords: [tauntt]\ncards:\n- 3 x Wolfrider\n- Yeti\n",
        [("3: ", "'foo'"), ("1: name: ", "5"), ("2: class: ", "'magee'"), ("6: ", "3 x Wolfrider"), ("7: ", "'Yeti'"),
         ("4: keep_keywords: ", "'tauntt'")],
    ),
    (
        "name: Mine\nfoo: 1\ndescription: 5\nweights:\n  lethal: x\n  bar: 3\nforbid: [blah]\n",
        [("1: ", "'name'"), ("2: ", "'foo'"), ("3: description: ", "5"), ("5: lethal: ", "'x'"), ("6: ", "'bar'"),
         ("7: forbid: ", "'blah'")],
    ),
    (
        ("decks: [mage]\nagents: [greedy]\ngames: 6\nseed: 1\npairs: all\ntune:\n  start: nope\n  terms: [foo]\n"
        "  population: 1\n  bar: 3\n  step: x\n"),
        [("5: ", "pairs"), ("10: ", "'bar'"), ("9: population: ", "1"), ("11: step: ", "'x'"), ("7: start: ", "'nope'"),
         ("8: terms: ", "'foo'")],
    ),
    (
        ('{"mana": -2, "foo": 1,\n"me": {"hero": {"helth": 3},\n"board": [{"attack": 1, "health": 0},\n7,\n'
        '{"attack": 1, "health": 3, "keywords": ["tauntt"]}],\n"hand": [{"name": "Wolfrider", "text": "x"}]},\n'
        '"enemy": {"hero": {"health": 0}}}'),
        [("1: state: ", "'foo'"), ("1: mana: ", "-2"), ("2: me.hero: ", "'helth'"), ("2: me.hero.health: ", "missing"),
         ("3: me.board[0].health: ", "0"), ("4: me.board[1].name: ", "'7'"), ("5: me.board[2].keywords: ", "'tauntt'"),
         ("6: me.hand[0]: ", "it belongs into 'card'"), ("7: enemy.hero.health: ", "0")],
    ),
    (
        '{"mana": 3, "' + 94 * "a" + '": 1,\n"it\'s": 2, "me": {"hero": {"health": 30}},\n"enemy": {"hero": {"health": 30}}}',
        [("1: state: ", "'aaaa"), ("2: state: ", "it's")],
    ),
    (
        ("agents: [greedy, random]\npositions: nofile.txt\nrules: standard\ndecks: [mage, hunter]\ngames: 0\nmax_turns: 0\n"
        "resign: {turns: x}\n"),
        [("5: games: ", "0"), ("6: max_turns: ", "0"), ("7: resign: turns: ", "'x'"), ("4: decks: ", "remove it"),
         ("3: rules: ", "remove it"), ("2: positions: ", "no such file")],
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"), WRONG,
    ids=["cards", "deck", "rules", "profile", "experiment", "battles", "card", "deck, six", "profile, six", "tune",
         "state", "quoted names", "positions"],
)  # fmt: skip
def test_all_problems_of_a_file_are_reported(text: str, expected: list[tuple[str, str]], tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(PlannerError) as error:
        find_kind(path, HEARTHSTONE).read(path, "")
    problems = error.value.problems
    assert len(problems) == len(expected), problems
    for problem, (place, value) in zip(problems, expected, strict=True):
        assert problem.startswith(f"{path}:{place}")
        assert value in problem
        assert "\n" not in problem
    assert str(error.value) == problems[0]


@pytest.mark.parametrize("text", ["", "7", "foo: 1", "- - 1\n", "{", "a: [", "\0", "x: !!python/object:os.system {}"])
def test_unrecognised_files(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.yaml"
    path.write_text(text, encoding="utf-8")
    assert main(["check", str(path)]) == 1
    out, err = capsys.readouterr()
    assert str(path) in out
    assert text or out.endswith("x.yaml: is empty\n")
    assert err == ""


FRAGMENTS = (
    "null", "[]", "{}", "-1", "1e400", "5e-324", "10" * 300, "- ", "{", "]", ":", "\0", "\x1b[31m", "!!int x",
    "&a [*a]", "2024-01-01", ".nan", "on", "'", "x" * 3000, "game: spire", "game: os:system", "2 x Wolfrider",
)  # fmt: skip


@pytest.mark.parametrize("seed", range(3))
def test_mutated_files_are_read_or_give_short_errors(seed: int, tmp_path: Path) -> None:
    rng, path = Random(seed), tmp_path / "x.yaml"
    for _ in range(60):
        lines = rng.choice(OURS)[2].read_text(encoding="utf-8").splitlines()[: rng.randrange(4, 40)]
        for _ in range(rng.randrange(1, 4)):
            place = rng.randrange(len(lines))
            key, colon, _ = lines[place].partition(":")
            lines[place] = f"{key}{colon} {rng.choice(FRAGMENTS)}" if rng.random() < 0.7 else rng.choice(FRAGMENTS)
        path.write_text("\n".join(lines), encoding="utf-8")
        faults: tuple[str, ...] = ()
        try:
            find_kind(path, HEARTHSTONE).read(path, "")
        except PlannerError as error:
            faults = error.problems
        assert all(len(fault) < 300 + len(str(path)) for fault in faults)
        assert "\n" not in "".join(faults)


def test_aliases_are_not_expanded(tmp_path: Path) -> None:
    """Ten aliases of ten aliases of ... would fill the memory."""
    path = tmp_path / "aliases.yaml"
    path.write_text("a: &a [1]\nb: [*a, *a]\n", encoding="utf-8")
    document = read_all(lambda value: value, load_yaml(path), path, "state")
    assert document["a"] is document["b"][0] is document["b"][1]


def test_kind_can_be_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.yaml"
    path.write_text("{}", encoding="utf-8")
    assert main(["check", str(path)]) == 1
    assert main(["check", str(path), "--kind", "rules"]) == 0
    assert main(["check", str(path), "--kind", "rulez"]) == 1
    assert main(["check", str(tmp_path / "none.yaml")]) == 2
    out, err = capsys.readouterr()
    assert "the standard rules" in out
    assert "'rulez' is not a kind of file; did you mean 'rules'?" in out
    assert err.endswith("none.yaml: no such file\n")


def test_check_does_not_import_the_game_that_a_file_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "evil_game.py").write_text("open('ran', 'w')\nGAME = 1\n", encoding="utf-8")
    path = tmp_path / "x.yaml"
    path.write_text("game: evil_game:GAME\nagents: [random]\ngames: 2\nsetups: []\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert main(["check", "x.yaml"]) == 1
    assert not (tmp_path / "ran").exists()


def test_deck_is_checked_with_user_cards_and_rules(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cards, deck = tmp_path / "cards.yaml", tmp_path / "deck.yaml"
    cards.write_text("- {name: Own, health: 1}\n- {name: Chillwind Yeti, health: 3}\n", encoding="utf-8")
    deck.write_text("{name: T, class: mage, cards: [2 x Own]}", encoding="utf-8")
    assert main(["check", str(deck)]) == 1
    assert main(["check", str(deck), "--cards", str(cards), "--rules", "{deck_size: 2}"]) == 0
    assert main(["check", str(cards)]) == 0
    out = capsys.readouterr().out
    assert "T: 2 cards, 1 different, for a mage" in out
    assert "2 minions\n  replaces cards of the project: Chillwind Yeti" in out


def test_schema_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", "deck"]) == 0
    schema = json.loads(capsys.readouterr().out)
    assert jsonschema_rs.validator_for(schema).is_valid(DECK)
    assert not jsonschema_rs.validator_for(schema).is_valid(DECK | {"class": "wizard"})
    assert main(["schema", "deck", "--game", "spire"]) == 2
    assert "spire has cards, scenario, chain, profile, tune, experiment, state" in capsys.readouterr().err
