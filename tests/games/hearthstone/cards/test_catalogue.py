"""The cards of the catalogue have the right numbers, and invalid files are refused in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from planner.errors import PlannerError
from planner.games.hearthstone.cards import catalogue
from planner.games.hearthstone.cards.card import CLASSES, Card
from planner.games.hearthstone.cards.effect_vocabulary import EFFECTS, HOOKS, REACTIONS, TRIGGERS, card_hook
from planner.games.hearthstone.cards.keywords import NAMES, names
from tests.games.hearthstone.cards.expected import ALL, SIMPLE, Printed
from tests.games.hearthstone.cards.helpers import CARDS

FILES = sorted(catalogue.FOLDER.glob("*.yaml"))


def numbers(card: Card) -> Printed:
    """Return what is printed on the card, without its effects."""
    return Printed(
        card.name,
        card.type,
        card.cost,
        card.attack,
        card.health,
        frozenset(names(card.keywords)),
        (),
        card.card_class,
        card.overload,
        card.spell_damage,
    )


def test_all_357_simple_cards_exist_with_their_ids() -> None:
    assert len(SIMPLE) == 357
    assert len({card.name for card in SIMPLE}) == 357
    assert {card.id: card.name for card in SIMPLE}.items() <= {card.id: card.name for card in CARDS.values()}.items()


def test_every_card_has_its_numbers_keywords_and_class() -> None:
    wrong = {}
    for expected in ALL:
        found = numbers(CARDS[expected.name])
        wanted = Printed(**{**vars(expected), "facts": ()})
        if found != wanted:
            wrong[expected.name] = (found, wanted)
    assert wrong == {}


@pytest.mark.parametrize(
    ("name", "tribes"),
    [
        ("Harvest Golem", ["mech"]),
        ("Bloodfen Raptor", ["beast"]),
        ("Murloc Raider", ["murloc"]),
        ("Faerie Dragon", ["dragon"]),
        ("Fire Elemental", ["elemental"]),
        ("Voidwalker", ["demon"]),
        ("Salty Dog", ["pirate"]),
        ("Totem Golem", ["totem"]),
        ("Hench-Clan Sneak", ["quilboar"]),
        ("Frail Ghoul", ["undead"]),
        ("Chillwind Yeti", []),
    ],
)
def test_tribes(name: str, tribes: list[str]) -> None:
    assert list(CARDS[name].tribes) == tribes


def test_magnetic_minions_are_mechs() -> None:
    magnetic = [card for card in CARDS.values() if "magnetic" in names(card.keywords)]
    assert len(magnetic) == 8
    assert all("mech" in card.tribes for card in magnetic)


def test_ids_are_unique() -> None:
    ids = [card.id for card in CARDS.values() if card.id]
    assert len(ids) == len(set(ids))


def test_a_card_with_effects_has_a_text() -> None:
    assert [card.name for card in CARDS.values() if card.effects and not card.text] == []


def test_texts_do_not_use_the_publishers_words() -> None:
    phrases = ("Battlecry", "Deathrattle", "Restore", "Deal ", "Give ", "Summon ", "Destroy ", "Can't be targeted")
    assert [card.name for card in CARDS.values() if any(phrase in card.text for phrase in phrases)] == []


def test_every_class_has_a_hero_power_and_every_token_a_creator() -> None:
    assert set(CARDS.hero_powers) == set(CLASSES)
    made = {name for card in CARDS.values() for effect in card.effects for name in effect.card}
    # Two tokens that only the rules, or a card that we do not have, create.
    assert {card.name for card in CARDS.values() if card.token} - made == {"The Coin", "V-07-TR-0N"}
    assert all(CARDS[name].token for name in made)


def test_the_cards_use_the_whole_vocabulary() -> None:
    effects = [effect for card in CARDS.values() for effect in card.effects]
    # Effects that only real cards use.
    for_real_cards = {"add", "discard", "hone", "disarm", "set_attack", "set_health", "return", "transform"}
    assert {effect.do for effect in effects} == set(EFFECTS) - {"hook"} - for_real_cards
    assert {effect.on for effect in effects} == set(TRIGGERS) - set(REACTIONS)  # only real cards use reactions
    used = {word for card in CARDS.values() for word in names(card.keywords)}
    given = {word for effect in effects for word in names(effect.keywords)}
    assert set(NAMES) - used - given == {"frozen"}  # a status, not printed on any card


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_card_file_is_readable(path: Path) -> None:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        assert len(line) <= 140, f"{path.name}:{number}"
        assert line == line.rstrip(), f"{path.name}:{number}"


def test_an_unknown_card_is_reported_with_a_suggestion() -> None:
    with pytest.raises(PlannerError) as refusal:
        CARDS["Chilwind Yeti"]
    assert str(refusal.value) == "unknown card 'Chilwind Yeti'; did you mean 'Chillwind Yeti'?"
    assert "Chilwind Yeti" not in CARDS
    assert CARDS.get("Chillwind Yeti") is CARDS["Chillwind Yeti"]


def test_users_can_add_and_replace_cards(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(
        "- {name: Wisp, cost: 1, attack: 2, health: 2}\n"
        "- {name: Wisp Mother, cost: 5, attack: 3, health: 3, effects: [{do: summon, card: [Wisp, Imp]}]}\n"
        "- {name: Hydra, cost: 5, attack: 3, health: 3, effects: [{do: summon, card: Hydra, on: death}]}\n",
        encoding="utf-8",
    )
    cards = CARDS.extended(file)
    assert len(cards) == len(CARDS) + 2
    assert (cards["Wisp"].cost, CARDS["Wisp"].cost) == (1, 0)
    assert cards["Wisp Mother"].effects[0].made == (cards["Wisp"], CARDS["Imp"])
    assert cards["Hydra"].effects[0].made == (cards["Hydra"],)


def test_a_hook_must_be_registered(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("- {name: Odd, health: 1, effects: [{do: hook, name: something odd}]}\n", encoding="utf-8")
    with pytest.raises(PlannerError, match="unknown hook 'something odd'"):
        CARDS.extended(file)

    @card_hook("something odd")
    def odd(*_: object) -> None: ...

    try:
        assert CARDS.extended(file)["Odd"].effects[0].name == "something odd"
    finally:
        del HOOKS["something odd"]


MINION = "- name: Odd\n  attack: 1\n  health: 1\n"
BAD = {
    "not a list": ("name: Odd\n", "mine.yaml:1: a card file is a list of cards"),
    "empty file": ("# nothing\n", "mine.yaml:1: a card file is a list of cards"),
    "not a card": (MINION + "- Wisp\n", "mine.yaml:4: must be a card with at least a name, got 'Wisp'"),
    "no name": (MINION + "- {cost: 1}\n", "mine.yaml:4: must be a card with at least a name, got {'cost': 1}"),
    "name is a number": ("- {name: 7, health: 1}\n", "mine.yaml:1: 7: name: must be a non-empty string, got 7"),
    "unknown field": (
        MINION + "  helth: 2\n",
        "mine.yaml:4: Odd: unknown field 'helth'; did you mean 'health'?",
    ),
    "field twice": (MINION + "  health: 2\n", "mine.yaml:4: duplicate key 'health'"),
    "cost is text": (
        MINION + "  cost: two\n",
        "mine.yaml:4: Odd: cost: must be an integer, between 0 and 1000000, got 'two'",
    ),
    "cost is true": (
        MINION + "  cost: true\n",
        "mine.yaml:4: Odd: cost: must be an integer, between 0 and 1000000, got true",
    ),
    "negative cost": (
        MINION + "  cost: -1\n",
        "mine.yaml:4: Odd: cost: must be between 0 and 1000000, got -1",
    ),
    "no health": ("- name: Odd\n  attack: 1\n", "mine.yaml:1: Odd: health: a minion starts with at least 1, got 0"),
    "unknown type": (
        MINION + "  type: monster\n",
        "mine.yaml:4: Odd: type: must be one of minion, spell, weapon, hero_power; got 'monster'",
    ),
    "unknown class": (
        MINION + "  class: magus\n",
        "mine.yaml:4: Odd: class: unknown class 'magus'; did you mean 'mage'?",
    ),
    "value is text": (
        MINION + "  value: much\n",
        "mine.yaml:4: Odd: value: must be a number, between -1000000 and 1000000, got 'much'",
    ),
    "token is text": (MINION + "  token: perhaps\n", "mine.yaml:4: Odd: token: must be true or false, got 'perhaps'"),
    "unknown keyword": (
        MINION + "  keywords: [tount]\n  effects: []\n",
        "mine.yaml:4: Odd: keywords: unknown keyword 'tount'; did you mean 'taunt'?",
    ),
    "keywords no list": (MINION + "  keywords: taunt\n", "mine.yaml:4: Odd: keywords: must be a list, got 'taunt'"),
    "unknown tribe": (
        MINION + "  tribes: [mechs]\n  effects: []\n",
        "mine.yaml:4: Odd: tribes: unknown tribe 'mechs'; did you mean 'mech'?",
    ),
    "effects no list": (
        MINION + "  effects: {do: draw}\n",
        "mine.yaml:4: Odd: effects: must be a list, got {'do': 'draw'}",
    ),
    "effect without do": (
        MINION + "  effects: [{damage: 2}]\n",
        "mine.yaml:4: Odd: effect {'damage': 2} has no 'do'",
    ),
    "unknown effect": (
        MINION + "  effects: [{do: dammage, amount: 2, to: enemy hero}]\n",
        "mine.yaml:4: Odd: effects: unknown effect 'dammage'; did you mean 'damage'?",
    ),
    "effect lacks a field": (
        MINION + "  effects: [{do: damage, to: enemy hero}]\n",
        "mine.yaml:4: Odd: effect damage needs 'amount'",
    ),
    "effect has a field too many": (
        MINION + "  effects: [{do: damage, amount: 1, to: enemy hero, crystals: true}]\n",
        "mine.yaml:4: Odd: effect damage has no field 'crystals'",
    ),
    "amount is text": (
        MINION + "  effects: [{do: damage, amount: two, to: enemy hero}]\n",
        "mine.yaml:4: Odd: effects: amount: must be an integer, between -1000000 and 1000000, got 'two'",
    ),
    "negative damage": (
        MINION + "  effects: [{do: damage, amount: -2, to: enemy hero}]\n",
        "mine.yaml:4: Odd: effect damage: the amount must not be negative",
    ),
    "split is text": (
        MINION + "  effects: [{do: damage, amount: 2, to: all minions, split: maybe}]\n",
        "mine.yaml:4: Odd: effects: split: must be true or false, got 'maybe'",
    ),
    "more points to split than anybody throws": (
        MINION + "  effects: [{do: damage, amount: 1001, to: all minions, split: true}]\n",
        "mine.yaml:4: Odd: effect damage: at most 1000 points can be split, got 1001",
    ),
    "spell damage without end": (
        MINION + "  spell_damage: 1001\n",
        "mine.yaml:4: Odd: spell_damage: must be between 0 and 1000, got 1001",
    ),
    "effects without end": (
        MINION + f"  effects: [{', '.join(51 * ['{do: draw, count: 1}'])}]\n",
        "mine.yaml:4: Odd: effects: 51 effects; the limit is 50",
    ),
    "unknown word in a target": (
        MINION + "  effects: [{do: damage, amount: 2, to: chosen dwarf}]\n",
        "mine.yaml:4: Odd: target 'chosen dwarf': unknown word 'dwarf'; a target is written as 'chosen character' or ",
    ),
    "typing mistake in a target": (
        MINION + "  effects: [{do: damage, amount: 2, to: chosen chracter}]\n",
        "mine.yaml:4: Odd: target 'chosen chracter': unknown word 'chracter'; did you mean 'character'?",
    ),
    "target without a noun": (
        MINION + "  effects: [{do: damage, amount: 2, to: chosen enemy}]\n",
        "mine.yaml:4: Odd: target 'chosen enemy': needs minion, hero, character or a tribe",
    ),
    "target without a selector": (
        MINION + "  effects: [{do: damage, amount: 2, to: enemy minion}]\n",
        "mine.yaml:4: Odd: target 'enemy minion': needs chosen, all or random",
    ),
    "unknown trigger": (
        MINION + "  effects: [{do: draw, count: 1, on: deth}]\n",
        "mine.yaml:4: Odd: effects: on: unknown trigger 'deth'; did you mean 'death'?",
    ),
    "unknown side": (
        MINION + "  effects: [{do: summon, card: Wisp, side: mine}]\n",
        "mine.yaml:4: Odd: effects: side: unknown side 'mine'",
    ),
    "empty buff": (
        MINION + "  effects: [{do: buff, to: self}]\n",
        "mine.yaml:4: Odd: effect buff needs attack, health or keywords",
    ),
    "aura on a random minion": (
        MINION + "  effects: [{do: buff, attack: 1, to: random friendly minion, on: aura}]\n",
        "mine.yaml:4: Odd: an aura reaches all minions of a kind, not 'random friendly minion'",
    ),
    "two weapons": (
        MINION + "  effects: [{do: equip, card: [Fiery War Axe, Arcanite Reaper]}]\n",
        "mine.yaml:4: Odd: effect equip: must be one card, got 2",
    ),
    "aura of damage": (
        MINION + "  effects: [{do: damage, amount: 1, to: all minions, on: aura}]\n",
        "mine.yaml:4: Odd: an aura must be a buff of attack or health",
    ),
    "choice at death": (
        MINION + "  effects: [{do: damage, amount: 1, to: chosen minion, on: death}]\n",
        "mine.yaml:4: Odd: only a card that is played has a chosen target",
    ),
    "combo at death": (
        MINION + "  effects: [{do: draw, count: 1, on: death, combo: true}]\n",
        "mine.yaml:4: Odd: only a card that is played has a combo",
    ),
    "health for a turn": (
        MINION + "  effects: [{do: buff, health: 1, this_turn: true, to: self}]\n",
        "mine.yaml:4: Odd: effect buff: only attack and keywords can last this turn, not health",
    ),
    "empty mana": (
        MINION + "  effects: [{do: mana, amount: 1, empty: true}]\n",
        "mine.yaml:4: Odd: effect mana: only crystals can be empty",
    ),
    "spell that dies": (
        "- name: Odd\n  type: spell\n  effects: [{do: draw, count: 1, on: death}]\n",
        "mine.yaml:3: Odd: effect draw on death: only minions have this trigger",
    ),
    "two different choices": (
        MINION + "  effects: [{do: heal, amount: 1, to: chosen minion}, {do: heal, amount: 1, to: chosen character}]\n",
        "mine.yaml:4: Odd: 2 different chosen targets; the limit is 1",
    ),
    "missing token": (
        MINION + "  effects: [{do: summon, card: Wips}]\n",
        "mine.yaml:1: Odd: unknown card 'Wips'; did you mean 'Wisp'?",
    ),
    "summoned spell": (
        MINION + "  effects: [{do: summon, card: Fireball}]\n",
        "mine.yaml:1: Odd: Fireball is a spell, but summon needs a minion",
    ),
    "same name twice": (MINION + "\n" + MINION, "mine.yaml:5: duplicate card 'Odd', also at {folder}/mine.yaml:1"),
    "broken YAML": ("- {name: Odd, health: 1\n", "mine.yaml:2: did not find expected ',' or '}'"),
    "code": ("- !!python/object/apply:os.getcwd []\n", "mine.yaml:1: could not determine a constructor for the tag"),
}


@pytest.mark.parametrize("case", BAD, ids=str)
def test_a_bad_file_is_refused_in_one_line_with_file_line_and_reason(case: str, tmp_path: Path) -> None:
    text, message = BAD[case]
    file = tmp_path / "mine.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(PlannerError) as refusal:
        CARDS.extended(file)
    said = str(refusal.value)
    assert "\n" not in said
    assert said.startswith(f"{tmp_path}/" + message.replace("{folder}", str(tmp_path)))


def test_the_same_name_in_two_files_is_refused(tmp_path: Path) -> None:
    one, two = tmp_path / "one.yaml", tmp_path / "two.yaml"
    one.write_text(MINION, encoding="utf-8")
    two.write_text("# another\n" + MINION, encoding="utf-8")
    with pytest.raises(PlannerError) as refusal:
        CARDS.extended(one, two)
    assert str(refusal.value) == f"{two}:2: duplicate card 'Odd', also at {one}:1"


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PlannerError, match="no such file"):
        CARDS.extended(tmp_path / "none.yaml")
