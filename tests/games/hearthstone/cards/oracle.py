"""The expected state after a card was played, computed from `expected.py` without the rules."""

from __future__ import annotations

from copy import deepcopy

from planner.games.hearthstone.rules.state import GameState
from tests.games.hearthstone.cards.expected import BY_NAME, Fact, Printed
from tests.games.hearthstone.cards.helpers import TRIBES, Facts, facts

HEROES = ["me.hero", "enemy.hero"]


def group(world: Facts, who: str) -> list[str]:
    """Return the characters that the words name; `card` is the played minion."""
    mine, theirs = world["me"]["board"], world["enemy"]["board"]
    words = who.removeprefix("one ")
    if "other " in words:
        return [name for name in group(world, words.replace("other ", "")) if name != "card"]
    singular = words.removesuffix("s") if words not in ("enemies", "heroes", "friends") else words
    everybody = {
        "character": [*HEROES, *mine, *theirs],
        "minion": [*mine, *theirs],
        "my minion": mine,
        "friendly minion": mine,
        "enemy minion": theirs,
        "enemies": ["enemy.hero", *theirs],
        "friends": ["me.hero", *mine],
        "friend": ["me.hero", *mine],
        "heroes": HEROES,
        "my hero": ["me.hero"],
        "enemy hero": ["enemy.hero"],
        "murloc": [name for name in (*mine, *theirs) if TRIBES.get(name) == "murloc"],
        "damaged minion": [n for n in (*mine, *theirs) if world[n]["health"] < world[n]["max_health"]],
        "undamaged minion": [n for n in (*mine, *theirs) if world[n]["health"] == world[n]["max_health"]],
    }
    for tribe in ("mech", "beast", "murloc"):
        for owner in ("my", "friendly"):
            everybody[f"{owner} {tribe}"] = [name for name in mine if TRIBES.get(name) == tribe]
    return list(everybody[singular])


def targets(state: GameState, card: Printed) -> set[str | None]:
    """Return the targets that a player can choose for this card in the scene."""
    for fact in card.facts:
        if fact.who.startswith("one "):
            return set(group(facts(state), fact.who))
    return {None, "mech"} if "magnetic" in card.keywords else {None}


def summoned_minion(card: Printed) -> dict[str, object]:
    """Return the minion that the card summons."""
    return {
        "card": card.name,
        "attack": card.attack,
        "health": card.health,
        "max_health": card.health,
        "keywords": card.keywords,
        "attacks_left": attacks_per_turn(card.keywords),
        "fresh": True,
        "silenced": False,
        "attack_this_turn": 0,
        "keywords_this_turn": frozenset(),
        "aura_attack": 0,
        "aura_health": 0,
    }


def attacks_per_turn(keywords: frozenset[str]) -> int:
    """Return the attacks per turn."""
    return 4 if "mega_windfury" in keywords else 2 if "windfury" in keywords else 1


def weapon(card: Printed) -> tuple[str, int, int, frozenset[str]]:
    """Return the weapon that the card equips."""
    return (card.name, card.attack, card.health, card.keywords)


def after_playing(state: GameState, card: Printed, target: str | None, bonus: int = 0) -> Facts:
    """Return the world after the card was played, without random changes; `bonus` is spell damage on the board."""
    world = deepcopy(facts(state))
    me = world["me"]
    me["mana"] -= card.cost
    me["overload"] += card.overload
    me["cards_played"] += 1
    me["hand"].remove((card.name, card.cost, False))
    if "echo" in card.keywords:
        me["hand"].append((card.name, card.cost, True))
    if "magnetic" in card.keywords and target is not None:
        gained = card.keywords - {"magnetic"}
        _give(world, target, Fact("give", "", 0, card.attack, card.health, gained))
        return world
    if card.type == "minion":
        me["board"].append("card")
        world["card"] = summoned_minion(card)
    elif card.type == "weapon":
        me["weapon"] = weapon(card)
        if "windfury" in card.keywords:
            world["me.hero"]["attacks_left"] += 1
    for fact in card.facts:
        carry_out(world, fact, card, target, bonus if card.type == "spell" else 0)
    return world


def carry_out(world: Facts, fact: Fact, card: Printed, target: str | None, bonus: int = 0) -> None:
    """Change the world by one fact."""
    me = world["me"]
    match fact.verb:
        case "draw":
            for _ in range(fact.amount):
                me["deck"].pop(0)
                me["hand"].append(("Spare", 3, False))
        case "equip":
            me["weapon"] = weapon(BY_NAME[fact.card])
        case "mana":
            me["mana"] = min(10, me["mana"] + fact.amount)
        case "empty crystal":
            if me["crystals"] == 10:
                me["hand"].append(("Excess Mana", 0, False))
            me["crystals"] = min(10, me["crystals"] + fact.amount)
        case "summon":
            for number in range(fact.amount):
                world[f"{fact.card} {number + 1}"] = summoned_minion(BY_NAME[fact.card])
                world[fact.who]["board"].append(f"{fact.card} {number + 1}")
        case "missiles":
            pass  # random: the test checks them
        case _:
            chosen = fact.who.startswith("one ")
            for name in [target] if chosen else group(world, fact.who):
                assert name is not None
                _change(world, name, fact, card, bonus)


def _change(world: Facts, name: str, fact: Fact, card: Printed, bonus: int) -> None:
    who = world[name]
    match fact.verb:
        case "damage":
            who["health"] -= fact.amount + bonus
            if "lifesteal" in card.keywords:
                mine = world["me.hero"]
                mine["health"] = min(mine["max_health"], mine["health"] + fact.amount + bonus)
        case "heal":
            who["health"] = min(who["max_health"], who["health"] + fact.amount)
        case "armor":
            who["armor"] += fact.amount
        case "hero attack":
            who["attack_this_turn"] += fact.amount
        case "freeze":
            who["keywords"] |= {"frozen"}
        case "silence":  # the minions of the scene have no text
            who["silenced"] = True
        case "destroy":
            del world[name]
            for side in ("me", "enemy"):
                world[side]["board"] = [other for other in world[side]["board"] if other != name]
        case "give":
            _give(world, name, fact)
        case "aura":
            for key, more in (("attack", fact.attack), ("max_health", fact.health), ("health", fact.health)):
                who[key] += more
            who["aura_attack"] += fact.attack
            who["aura_health"] += fact.health


def _give(world: Facts, name: str, fact: Fact) -> None:
    who = world[name]
    who["attack"] += fact.attack
    who["health"] += fact.health
    who["max_health"] += fact.health
    who["attacks_left"] += attacks_per_turn(who["keywords"] | fact.keywords) - attacks_per_turn(who["keywords"])
    who["keywords"] |= fact.keywords
    if fact.this_turn:
        who["attack_this_turn"] += fact.attack
        who["keywords_this_turn"] |= fact.keywords
