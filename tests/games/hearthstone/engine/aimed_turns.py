"""Random turns aimed at the proofs: few effects and few terms, so that no slack hides a fault, and crowded boards.

A bound is a sum in which most terms are generous. A missing one shows only where little else counts: on a small board,
with one or two effects, under a profile of one or two terms.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any, Final

from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.cards.effect_vocabulary import MULTIPLIED, REACTIONS, Effect
from planner.games.hearthstone.cards.keywords import attacks_per_turn, bits
from planner.games.hearthstone.rules.effect_resolution import refresh_auras
from planner.games.hearthstone.rules.match_flow import observe
from planner.games.hearthstone.rules.mutable_state import MutableState
from planner.games.hearthstone.rules.ruleset import Ruleset
from planner.games.hearthstone.rules.state import GameState, Minion
from planner.games.hearthstone.turn.hearthstone_weights import EXTRA_TERMS, TERMS, Weights
from tests.build import card, effect, minion, player, power_card, spell, state, weapon, weapon_card
from tests.games.hearthstone.engine.turns import Turn

KEYWORDS: Final = (
    *("taunt", "divine_shield", "stealth", "reborn", "poisonous", "windfury", "charge", "rush", "lifesteal"),
    *("freeze", "frozen", "immune", "elusive", "cannot_attack", "mega_windfury"),
)
# The effects that have a bound. Those that change minions are more frequent.
DOINGS: Final = (
    *("damage", "damage", "damage", "buff", "buff", "buff", "buff", "heal", "silence", "silence", "destroy"),
    *("freeze", "armor", "draw", "summon", "equip", "mana", "add", "discard", "hone", "disarm"),
    *("set_attack", "set_attack", "set_health", "set_health", "transform", "transform", "return", "return"),
)
AIMED: Final = (
    "damage",
    "buff",
    "heal",
    "silence",
    "destroy",
    "freeze",
    "set_attack",
    "set_health",
    "transform",
    "return",
)

AURAS: Final = (
    *("self", "damaged self", "all other friendly minions", "all friendly minions", "all enemy minions"),
    *("all minions", "all other mechs", "all damaged friendly minions", "all enemy taunt minions"),
)
TIMES: Final = (
    *("hand", "hand", "enemy hand", "armor", "health", "crystals", "attack", "attack", "hero_attack", "weapon_attack"),
    *("all minions", "all enemy minions", "all other friendly minions", "all damaged characters", "all enemy mechs"),
)
GIFTS: Final = (*KEYWORDS[:9], "reborn", "immune", "frozen", "cannot_attack", "freeze", "", "", "")


def _words(rng: Random, probability: float) -> str:
    return " ".join(rng.sample(KEYWORDS, rng.choice((1, 1, 1, 2)))) if rng.random() < probability else ""


def _target(rng: Random, selectors: Sequence[str]) -> str:
    select = rng.choice(selectors)
    if select == "self":
        return rng.choice(("self", "self", "damaged self"))
    kind = rng.choice(("minion", "minion", "minion", "minion", "character", "hero", "mech"))
    words = (
        select,
        rng.choice(("", "", "", "other")) if select != "chosen" else "",
        rng.choice(("", "friendly", "friendly", "enemy", "enemy")),
        rng.choice(("", "", "", "", "", "damaged", "undamaged", "taunt", "divine_shield", "reborn")),
        "minion" if select == "chosen" and kind == "hero" else kind,
        str(rng.choice((2, 2, 3))) if select == "random" and rng.random() < 0.5 else "",
    )
    return " ".join(word for word in words if word)


def _effect(rng: Random, on: str, chosen: str = "", created: bool = False, doings: Sequence[str] = DOINGS) -> Effect:
    if on == "aura":
        attack, health = rng.choice(
            ((1, 0), (2, 0), (0, 1), (0, 2), (1, 1), (-1, 0), (-2, 0), (0, -1), (3, -1), (-2, 1))
        )
        return effect("buff", rng.choice(AURAS), attack=attack, health=health, on=on)
    do = rng.choice(doings)
    if created and do in ("summon", "equip", "add", "transform"):
        do = "armor"
    fields: dict[str, Any] = {"on": on}
    if do in MULTIPLIED and rng.random() < 0.15:
        fields["times"] = rng.choice(TIMES)
    target = None
    if do in AIMED:
        target = _target(
            rng, ("all", "all", "self", "random") if on != "play" else ("chosen", "chosen", "all", "random")
        )
        if target.startswith("chosen"):
            target = chosen  # a player chooses only one target
    if do in ("damage", "heal", "armor", "mana", "set_attack", "set_health"):
        fields["amount"] = rng.choice((1, 1, 2, 3, 5))
    if do == "set_attack":
        fields["amount"] = rng.choice((0, 1, 3, 5))
    elif do == "damage":
        fields["split"] = str(target).startswith("all") and rng.random() < 0.15
    elif do == "buff":
        health = rng.choice((0, 0, 0, 1, 2, -1, -2))
        fields |= {"attack": rng.choice((1, 2, 3, -1, -2, -4)), "health": health, "keywords": rng.choice(GIFTS)}
        fields["this_turn"] = not health and rng.random() < 0.3
    elif do == "draw":
        fields |= {"count": rng.choice((1, 2)), "side": rng.choice(("friendly", "friendly", "friendly", "enemy"))}
    elif do == "discard":
        fields["count"] = rng.choice((1, 2, 3))
    elif do == "hone":
        words = rng.choice(("", "", "windfury", "lifesteal", "poisonous", "freeze"))
        fields |= {"attack": rng.choice((0, 1, 3)), "health": rng.choice((0, 1, 2)), "keywords": words}
    elif do == "disarm":
        fields["side"] = rng.choice(("friendly", "friendly", "enemy"))
    elif do == "equip":
        fields["makes"] = weapon_card(rng.randint(0, 3), rng.randint(1, 3), rng.choice(("", "windfury", "lifesteal")))
    elif do == "transform":
        fields["makes"] = _token(rng)
    elif do in ("summon", "add"):
        fields |= {"makes": _token(rng), "count": rng.choice((1, 1, 2))}
        if do == "summon":
            fields["side"] = rng.choice(("friendly", "friendly", "enemy"))
    elif do == "mana":
        fields["crystals"] = rng.random() < 0.3
    return effect(do, target, **fields)


def _token(rng: Random) -> Card:
    effects = (
        [_effect(rng, rng.choice(("death", "turn_end", "aura", *REACTIONS)), created=True)]
        if rng.random() < 0.35
        else []
    )
    tribes = rng.choice(((), ("mech",)))
    return card(
        rng.randint(0, 4), rng.randint(1, 4), _words(rng, 0.4), *effects, cost=rng.choice((0, 1)), tribes=tribes
    )


def _minion(rng: Random, name: str, triggers: Sequence[str]) -> Minion:
    """Return a minion, sometimes with numbers and keywords that are not printed."""
    effects = [_effect(rng, rng.choice(triggers))] if rng.random() < 0.2 else []
    attack, health, words = rng.randint(0, 5), rng.randint(1, 6), _words(rng, 0.4)
    printed = card(attack, health, words, *effects, name=name, tribes=rng.choice(((), ("mech",))))
    if rng.random() < 0.1:
        printed = card(attack, health, words, *effects, name=name, spell_damage=rng.choice((1, 2)))
    if rng.random() < 0.3:
        attack, words = rng.randint(0, 7), _words(rng, 0.5)
    most = rng.choice((health, health, rng.randint(1, 7)))
    keywords = bits(words.split())
    left = rng.choice((attacks_per_turn(keywords),) * 3 + (0, 1))
    return minion(
        attack, most, words, of=printed, hurt=rng.choice((0, rng.randrange(most))), attacks_left=left,
        fresh=rng.random() < 0.1, silenced=rng.random() < 0.05, attack_this_turn=rng.choice((0,) * 15 + (1, 2, -1)),
    )  # fmt: skip


def turn_of_few_effects(rng: Random) -> Turn:
    """Return a small turn with one or two effects under a profile of one or two terms."""
    mine = [
        _minion(rng, f"mine {number}", ("death", "aura", "turn_end", *REACTIONS))
        for number in range(rng.choice((0, 1, 1, 2)))
    ]
    theirs = [_minion(rng, f"theirs {number}", ("death", "aura")) for number in range(rng.choice((0, 1, 1, 2)))]
    hand: list[Card] = []
    for number in range(rng.choice((0, 1, 1, 2))):
        chosen, cost = _target(rng, ("chosen",)), rng.choice((0, 1))
        if rng.random() < 0.65:
            effects = [_effect(rng, "play", chosen) for _ in range(rng.choice((1, 1, 2)))]
            words = rng.choice(("", "", "", "", "lifesteal", "echo", "tradeable"))
            hand.append(spell(*effects, cost=cost, name=f"Spell {number}", words=words))
        else:
            on = rng.choice(("play", "play", "death", "death", "aura", "aura", "turn_end", *REACTIONS))
            effects = [_effect(rng, on, chosen)] if rng.random() < 0.5 else []
            words = rng.choice((_words(rng, 0.5), _words(rng, 0.5), "magnetic", "magnetic " + _words(rng, 1), "echo"))
            tribes = rng.choice(((), ("mech",)))
            numbers = rng.randint(0, 4), rng.randint(1, 4)
            hand.append(card(*numbers, words, *effects, cost=cost, tribes=tribes, name=f"Minion {number}"))
    me: dict[str, Any] = {"health": rng.choice((1, 3, 9, 30)), "armor": rng.choice((0, 0, 2)), "deck": rng.randrange(4)}
    if rng.random() < 0.2:
        words = rng.choice(("", "windfury", "lifesteal", "poisonous"))
        me["weapon"] = weapon(rng.randint(0, 3), rng.randint(1, 2), words)
    if rng.random() < 0.12:
        me["power"] = power_card(_effect(rng, "play", _target(rng, ("chosen",))), cost=rng.choice((0, 1)))
    health, armor, deck = rng.choice((1, 3, 6, 30)), rng.choice((0, 0, 2)), rng.choice((0, 1))
    enemy = player("enemy", board=theirs, health=health, armor=armor, deck=deck, first=101)
    rules = Ruleset(name="few effects", hand_limit=rng.choice((10, 10, 2)), mana_limit=rng.choice((10, 10, 1)))
    before = _with_heroes(rng, state(rng.randrange(3), mine, enemy, hand, rules=rules, **me))
    table = MutableState(before, None)
    refresh_auras(table)
    while table.remove_dead():  # killed by an aura that reduces health
        refresh_auras(table)
    terms = rng.sample((*TERMS, *EXTRA_TERMS), rng.choice((1, 1, 2)))
    weights = dict.fromkeys(TERMS, 0) | {term: rng.choice((1, 1, 3, -1, -2)) for term in terms}
    if rng.random() < 0.12:
        weights["lethal"] = rng.choice((5, 50))
    return observe(table.to_state(), 0), Weights.of(weights)


def _with_heroes(rng: Random, before: GameState) -> GameState:
    """Change what heroes have beside their health."""
    mine, theirs = before.me.hero, before.enemy.hero
    if rng.random() < 0.25:
        mine = mine._replace(attack_this_turn=rng.choice((1, 3)), attacks_left=rng.choice((0, 1, 1, 2)))
    if rng.random() < 0.1:
        mine = mine._replace(keywords=bits([rng.choice(("immune", "lifesteal", "windfury", "poisonous", "frozen"))]))
    if rng.random() < 0.3:
        theirs = theirs._replace(max_health=theirs.health + rng.choice((0, 1, 3)))
    return before._replace(me=before.me._replace(hero=mine), enemy=before.enemy._replace(hero=theirs))


def turn_of_reactions(rng: Random) -> Turn:
    """Return a small turn with reactions and with few different effects, which often change the same minion."""
    doings = rng.sample(sorted(set(DOINGS)), 3)
    if rng.random() < 0.5:
        doings += rng.sample(("set_attack", "set_health", "transform", "return", "hone", "silence", "buff"), 2)

    def effects(triggers: Sequence[str], chosen: str) -> list[Effect]:
        return [_effect(rng, rng.choice(triggers), chosen, doings=doings) for _ in range(rng.choice((0, 1, 1, 2)))]

    def one(name: str, triggers: Sequence[str]) -> Minion:
        words, health = _words(rng, 0.4), rng.randint(1, 6)
        printed = card(
            rng.randint(0, 5), health, words, *effects(triggers, ""), name=name, cost=rng.choice((0, 1, 2)),
            tribes=rng.choice(((), ("mech",))),
        )  # fmt: skip
        most = rng.choice((health, health, rng.randint(1, 7)))
        attack = rng.choice((printed.attack, printed.attack, rng.randint(0, 6)))
        return minion(attack, most, words, of=printed, hurt=rng.choice((0, 0, rng.randrange(most))))

    mine = [one(f"mine {number}", (*REACTIONS, "death", "aura")) for number in range(rng.choice((1, 1, 2)))]
    theirs = [one(f"theirs {number}", ("death", "death", "aura")) for number in range(rng.choice((0, 1, 1, 2)))]
    hand: list[Card] = []
    for number in range(rng.choice((1, 2, 2, 3))):
        chosen, cost = _target(rng, ("chosen",)), rng.choice((0, 1, 1, 2))
        if rng.random() < 0.6:
            words = rng.choice(("", "", "", "echo"))
            play = _effect(rng, "play", chosen, doings=doings)
            hand.append(spell(play, cost=cost, name=f"Spell {number}", words=words))
        else:
            words = rng.choice(("", "charge", "rush", "charge", _words(rng, 1)))
            later = effects(("play", *REACTIONS), chosen)
            hand.append(card(rng.randint(0, 4), rng.randint(1, 4), words, *later, cost=cost, name=f"Minion {number}"))
    me: dict[str, Any] = {"health": rng.choice((3, 9, 30)), "deck": rng.randrange(3)}
    if rng.random() < 0.35:
        me["weapon"] = weapon(rng.randint(0, 3), rng.randint(1, 2), rng.choice(("", "", "windfury")))
    if rng.random() < 0.3:
        me["power"] = power_card(
            _effect(rng, "play", _target(rng, ("chosen",)), doings=doings), cost=rng.choice((0, 1))
        )
    enemy = player("enemy", board=theirs, health=rng.choice((2, 6, 30)), deck=rng.choice((0, 1)), first=101)
    rules = Ruleset(name="reactions", board_limit=rng.choice((7, 7, 3)), hand_limit=rng.choice((10, 10, 3)))
    before = _with_heroes(rng, state(rng.randrange(5), mine, enemy, hand, rules=rules, **me))
    table = MutableState(before, None)
    refresh_auras(table)
    while table.remove_dead():  # killed by an aura that reduces health
        refresh_auras(table)
    terms = rng.sample((*TERMS, *EXTRA_TERMS), rng.choice((1, 1, 2)))
    weights = dict.fromkeys(TERMS, 0) | {term: rng.choice((1, 1, 3, -1, -2)) for term in terms}
    if rng.random() < 0.12:
        weights["lethal"] = rng.choice((5, 50))
    return observe(table.to_state(), 0), Weights.of(weights)


def crowded_vanilla_turn(rng: Random) -> Turn:
    """Return a turn of vanilla minions with hardly any room, heroes who are nearly dead, and equal minions."""

    def one(name: str) -> Minion:
        words = " ".join(rng.sample(KEYWORDS[:9], rng.choice((0, 0, 1, 1, 2))))
        health = rng.randint(1, 6)
        return minion(rng.randint(0, 5), health, words, name=name, hurt=rng.choice((0, rng.randrange(health))))

    mine = [one(f"mine {number}") for number in range(rng.randint(0, 4))]
    theirs = [one(f"theirs {number}") for number in range(rng.randint(0, 4))]
    mine += mine[:1] * rng.choice((0, 0, 1, 2))
    theirs += theirs[:1] * rng.choice((0, 0, 1, 2))
    chargers = ("charge", "charge", "rush", "charge freeze", "charge reborn", "charge lifesteal", "charge windfury", "")
    hand = [
        card(
            rng.randint(0, 4), rng.randint(1, 3), rng.choice(chargers), cost=rng.choice((0, 0, 1, 2)), name=f"{number}"
        )
        for number in range(rng.randint(0, 4))
    ]
    hand += hand[:1] * rng.choice((0, 0, 1))
    limit = max(1, len(theirs), len(mine) + rng.choice((0, 0, 1, 2)))
    health = rng.choice((1, 2, 3, 5, 8, 12))
    enemy = player("enemy", board=theirs, health=health, armor=rng.choice((0, 0, 1)), first=101)
    before = state(
        rng.randint(0, 5), mine, enemy, hand, rules=Ruleset(name="crowded", board_limit=limit),
        health=rng.choice((1, 2, 5, 30)), armor=rng.choice((0, 0, 1)),
        weapon=weapon(rng.randint(1, 4), rng.choice((1, 2)), rng.choice(("", "lifesteal"))) if rng.random() < 0.4 else None,
    )  # fmt: skip
    terms = {
        term: rng.choice((0, 1, 2, 5, 9, -2)) for term in (*TERMS, *rng.sample(EXTRA_TERMS, rng.choice((0, 1, 3))))
    }
    if rng.random() < 0.4:
        terms["lethal"] = rng.choice((5, 50, 1000))
    return observe(_with_heroes(rng, before), 0), Weights.of(terms)
