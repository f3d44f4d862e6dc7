"""Hypothesis strategies for states with any valid content."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from planner.errors import PlannerError
from planner.games.hearthstone.cards import catalogue
from planner.games.hearthstone.cards.card import CLASSES, HIDDEN, Card
from planner.games.hearthstone.cards.card_format import parse_card
from planner.games.hearthstone.cards.catalogue import link_effects
from planner.games.hearthstone.cards.effect_vocabulary import EFFECTS, MULTIPLIED, TRIBES, Effect, Target
from planner.games.hearthstone.cards.keywords import NAMES
from planner.games.hearthstone.rules.ruleset import Ruleset
from planner.games.hearthstone.rules.state import (
    ENEMY_HERO,
    MY_HERO,
    GameState,
    HandCard,
    Hero,
    Minion,
    Player,
    Weapon,
    last_entered,
)
from planner.games.hearthstone.rules.state_reader import unlisted_card

UNKNOWN_CARD = unlisted_card("Unknown", "minion", 0, 1, 1, 0, 1).unread  # of a card that no catalogue has
RECRUIT = catalogue.standard()["Silver Hand Recruit"]
IMP = Card("Imp, the 1/1 | #1", attack=1, health=1, tribes=("demon",))
STICK = Card("Stick", "weapon", cost=1, attack=1, health=2)
BROOD = parse_card(  # summons itself when it dies, and equips a stick when it is played
    {
        "name": "Brood",
        "attack": 1,
        "health": 2,
        "effects": [{"do": "summon", "card": ["Brood", IMP.name], "on": "death"}, {"do": "equip", "card": "Stick"}],
    },
    lambda key, why: PlannerError(why),
)
link_effects(BROOD, {"Brood": BROOD, IMP.name: IMP, "Stick": STICK}, "Brood")
MADE = {"summon": (RECRUIT, IMP, BROOD), "transform": (RECRUIT, IMP),
        "equip": (STICK, catalogue.standard()["Wicked Knife"]), "add": (IMP, STICK),
        "mana": (catalogue.standard()["The Coin"], catalogue.standard()["Excess Mana"])}  # fmt: skip
TYPES = ("minion", "spell", "weapon", "hero_power")
OF_TYPE = {kind: st.sampled_from([card for card in catalogue.standard().values() if card.type == kind])
           for kind in TYPES}  # fmt: skip
NAMES_OF_CARDS = st.sampled_from(list(catalogue.standard()))

small = st.integers(0, 12)
signed = st.integers(-5, 5)
words = st.one_of(
    st.sampled_from(["Yeti", "The Coin", "Sen'jin", "4/5", "a, b", "me | x", "#1", "k=v", '"q"', "true", "7", "a  b"]),
    st.text(min_size=1, max_size=8),
)
names = words.filter(lambda name: name not in ("?", "Brood", "Stick", IMP.name))
keywords = st.one_of(st.just(0), st.integers(0, 2 ** len(NAMES) - 1))
values = st.one_of(st.just(1), st.integers(-9, 9), st.floats(-100, 100).filter(lambda value: not 0 < abs(value) < 1e-9))


@st.composite
def targets(draw: st.DrawFn, chosen: bool = True) -> Target:
    """Draw a target that the effect language can express."""
    if draw(st.booleans()):
        return Target.parse(draw(st.sampled_from(["self", "enemy hero", "all minions", "random other friendly mech"])))
    what = draw(st.sampled_from(["minion", "hero", "character", *TRIBES]))
    select = draw(st.sampled_from(["all", "random"] + ["chosen"] * chosen))
    parts = [select, draw(st.sampled_from(["", "other"])), draw(st.sampled_from(["", "friendly", "enemy"]))]
    parts += [draw(st.sampled_from(["", "damaged", "undamaged"])), draw(st.sampled_from(["", "taunt"]))]
    return Target.parse(" ".join([*parts, what]))


CONDITIONS = ("weapon", "not controlling mech", "hand>=3", "enemy health<=12", "all enemy taunt minions>=1")
QUANTITIES = ("hand", "enemy armor", "attack", "all other friendly minions")


@st.composite
def effects(draw: st.DrawFn, chosen: bool, minion: bool) -> Effect:
    """Draw an effect that a card file can express; only minions have triggers other than `play`."""
    do = draw(st.sampled_from([do for do in EFFECTS if do != "hook"]))
    needs, may = EFFECTS[do]
    trigger = draw(st.sampled_from(["play", "death", "turn_start", "turn_end"] if minion else ["play"]))
    combo = draw(st.sampled_from([None, True, False])) if trigger == "play" else None
    fields: dict[str, Any] = {"on": trigger, "combo": combo}
    for key in (*needs, *may):
        if key == "to":
            fields[key] = draw(targets(chosen and trigger == "play"))
        elif key == "card":
            made = draw(st.lists(st.sampled_from(MADE[do]), min_size=1, max_size=1 + (do != "equip"), unique=True))
            fields |= {"card": tuple(card.name for card in made), "made": tuple(made)}
        elif key in ("amount", "count"):
            fields[key] = draw(small)
        elif key in ("attack", "health"):
            fields[key] = draw(signed)
        elif key == "keywords":
            fields[key] = draw(keywords)
        elif key == "side":
            fields[key] = draw(st.sampled_from(["friendly", "enemy"]))
        else:
            fields[key] = draw(st.booleans())
    if do == "hone":
        fields |= {"attack": abs(fields["attack"]) or 1, "health": abs(fields["health"])}
    if draw(st.integers(0, 4)) == 0:
        fields["given"] = draw(st.sampled_from(CONDITIONS))
    if do in MULTIPLIED and draw(st.integers(0, 4)) == 0:
        fields["times"] = draw(st.sampled_from(QUANTITIES))
    if do == "set_health":
        fields["amount"] += 1
    if do == "buff" and not (fields["attack"] or fields["health"] or fields["keywords"]):
        fields["attack"] = 1
    if do == "buff" and fields["health"]:
        fields["this_turn"] = False
        if trigger == "death" and fields["to"].select != "random":  # any trigger will do
            fields |= {"on": "aura", "keywords": 0, "given": "", "times": ""}
    if do == "mana":
        fields["empty"] &= fields["crystals"]
        if not fields["crystals"]:
            fields |= {"card": (), "made": ()}
    return Effect(do, **fields)


@st.composite
def cards(draw: st.DrawFn, kind: str | None = None) -> Card:
    """Draw a card of the catalogue, a changed one with the same name, or a new one with any effects."""
    kind = kind or draw(st.sampled_from(["minion", "minion", "spell", "weapon"]))
    where = draw(st.integers(0, 4))
    if where == 0:
        return draw(OF_TYPE[kind])
    if where == 1 and kind == "minion":
        return draw(st.sampled_from([BROOD, IMP, RECRUIT]))
    name = draw(NAMES_OF_CARDS if where == 2 else names)
    unlisted_card = kind in ("minion", "weapon")
    if where == 3:
        plain = Card(
            name,
            kind,
            draw(small),
            draw(small) * unlisted_card,
            draw(st.integers(1, 9)) * unlisted_card,
            draw(keywords),
        )
        return replace(plain, value=draw(values), unread=draw(st.sampled_from(["", "x"])))
    first = [draw(effects(True, kind == "minion"))] if draw(st.booleans()) else []
    more = draw(st.lists(effects(False, kind == "minion"), max_size=2))
    return Card(
        name,
        kind,
        cost=draw(small),
        attack=draw(small) * unlisted_card,
        health=draw(st.integers(1, 12)) * unlisted_card,
        keywords=draw(keywords),
        effects=(*first, *more),
        card_class=draw(st.sampled_from(["neutral", *CLASSES])),
        tribes=tuple(draw(st.lists(st.sampled_from(TRIBES), max_size=2))),
        overload=draw(small),
        spell_damage=draw(small),
        value=draw(values),
        id=draw(st.text(max_size=4)),
        text=draw(st.text(max_size=9)),
        token=draw(st.booleans()),
        unread=draw(st.sampled_from(["", "more, that is"])),
    )


class _Ids:
    """Draws unique ids: by position, or any text."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw
        self._used = {MY_HERO, ENEMY_HERO}

    def __call__(self, position: str) -> str:
        name = self._draw(st.one_of(st.just(position), words, st.sampled_from(["me.board.0", "p1.3", "a-b", "x->y"])))
        while name in self._used:
            name += "'"
        self._used.add(name)
        return name


@st.composite
def minions(draw: st.DrawFn, name: str) -> Minion:
    """Draw a minion as printed, or with any changes."""
    card = draw(cards("minion"))
    if draw(st.booleans()):
        return Minion(name, card, card.attack, card.health, card.health, card.keywords)
    health = draw(st.integers(1, 12))
    return Minion(
        name,
        card,
        draw(small),
        health,
        health + draw(small),
        draw(keywords),
        draw(st.integers(0, 4)),
        draw(st.booleans()),
        draw(small),
        draw(st.booleans()),
        draw(signed),
        draw(keywords),
        draw(signed),
        draw(signed),
    )


@st.composite
def held(draw: st.DrawFn, name: str) -> HandCard:
    """Draw a card as printed, with another cost and value, or hidden."""
    how = draw(st.integers(0, 4))
    if how == 0:
        return HandCard(name, HIDDEN, 0)
    if how == 2 and draw(st.booleans()):  # an unknown spell with a unique name
        spell = Card(draw(names) + " (unheard of)", "hidden", draw(small), value=draw(values), unread=UNKNOWN_CARD)
        return HandCard(name, spell, spell.cost, spell.value)
    card = draw(cards())
    if how == 1:
        return HandCard(name, card, draw(small), draw(values), draw(st.booleans()))
    return HandCard(name, card, card.cost, card.value)


@st.composite
def players(draw: st.DrawFn, side: str, ids: _Ids, finished: bool) -> Player:
    """Draw a player."""
    health = draw(st.integers(-9 if finished else 1, 40))
    weapon_card = draw(st.none() | cards("weapon"))
    weapon = weapon_card and Weapon(weapon_card, weapon_card.attack, weapon_card.health, weapon_card.keywords)
    if weapon and draw(st.booleans()):
        weapon = Weapon(weapon.card, draw(small), draw(st.integers(1, 9)), draw(keywords))
    hero = Hero(
        health,
        max(1, health) + draw(small) if draw(st.booleans()) else max(30, health),
        draw(small),
        draw(keywords),
        draw(signed),
        draw(small),
        draw(st.sampled_from(["neutral", *CLASSES])),
        draw(keywords),
    )

    def zone(key: str) -> tuple[HandCard, ...]:
        count = draw(st.integers(0, 4))
        if draw(st.integers(0, 3)) == 0 and (key == "deck" or side == "enemy"):
            return tuple(HandCard(ids(f"{side}.{key}.{n}"), HIDDEN, 0) for n in range(count))
        return tuple(draw(held(ids(f"{side}.{key}.{n}"))) for n in range(count))

    return Player(
        hero,
        tuple(draw(minions(ids(f"{side}.board.{n}"))) for n in range(draw(st.integers(0, 3)))),
        zone("hand"),
        zone("deck"),
        draw(st.integers(0, 10)),
        draw(small),
        draw(small),
        draw(small),
        draw(small),
        weapon,
        draw(st.none() | cards("hero_power")),
        draw(st.booleans()),
        draw(small),
    )


@st.composite
def states(draw: st.DrawFn) -> GameState:
    """Draw a valid state, reachable or not."""
    finished = draw(st.integers(0, 9)) == 0
    ids = _Ids(draw)
    me, enemy = (draw(players(side, ids, finished)) for side in ("me", "enemy"))
    rules = draw(
        st.sampled_from(
            [
                Ruleset.of("standard"),
                Ruleset.of("thesis"),
                Ruleset(board_limit=9, starting_hand=(2, 3), coin=False),
                Ruleset("standard", fatigue_growth=0),
            ]
        )
    )
    return GameState(
        me,
        enemy,
        rules,
        draw(st.integers(0, 300 if finished else rules.turn_limit)),
        draw(st.integers(0, 1)),
        last_entered(me, enemy) + draw(small),
        draw(st.sampled_from(["", "fatigue", "a hook"])),
    )
