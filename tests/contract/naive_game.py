"""The contract's rules for turns made of minions, written a second time: plain dicts, copies and brute force.

Nothing here comes from `planner`. It is meant to be read next to the contract, not to be fast:

    game = start(state)                     # the JSON form
    for action in actions(game): ...        # every legal action, in the JSON form
    game = step(game, action)               # a new game
    points(game, weights)                   # the eight terms, weighted, of a turn that ends here
    Search(weights).best(game)              # (the most that a turn can earn, minus the fewest actions that earn it)
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

Game = dict[str, Any]
Action = dict[str, Any]

TERMS = (
    "lethal",
    "board_clear",
    "face_damage",
    "enemy_threat",
    "own_survival",
    "minion_damage",
    "damage_taken",
    "card_value",
)
COSTS = ("enemy_threat", "damage_taken")  # counted with a minus
PLACES = 7
FACE, ME = "enemy.hero", "me.hero"


# -- reading the JSON form


def _body(entry: dict[str, Any], place: str) -> dict[str, Any]:
    words = frozenset(entry.get("keywords", ()))
    return {
        "id": entry.get("id", place),
        "attack": entry["attack"],
        "health": entry["health"],
        "words": words,
        "printed": words,
        "left": entry.get("attacks_left", _swings(words)),
        "fresh": entry.get("summoned_this_turn", False),
    }


def _swings(words: frozenset[str]) -> int:
    return 2 if "windfury" in words else 1


def _hero(entry: dict[str, Any]) -> dict[str, Any]:
    health = entry["health"]
    return {"health": health, "armor": entry.get("armor", 0), "most": entry.get("max_health", max(30, health))}


def start(state: dict[str, Any]) -> Game:
    """The game of a state in the JSON form."""
    me, enemy = state["me"], state["enemy"]
    mine = [_body(entry, f"me.board.{n}") for n, entry in enumerate(me.get("board", ()))]
    theirs = [_body(entry, f"enemy.board.{n}") for n, entry in enumerate(enemy.get("board", ()))]
    hand = []
    for n, entry in enumerate(me.get("hand", ())):
        card = _body(entry, f"me.hand.{n}")
        hand.append({**card, "cost": entry["cost"], "value": Fraction(str(entry.get("value", 1)))})
    weapon = me.get("weapon")
    return {
        "mana": state["mana"],
        "hero": _hero(me["hero"]),
        "foe": _hero(enemy["hero"]),
        "weapon": [weapon["attack"], weapon["durability"]] if weapon else None,
        "hero_attacks_left": 1,
        "mine": mine,
        "hand": hand,
        "theirs": theirs,
        "counted_health": {one["id"]: one["health"] for one in mine + hand},  # what own_survival counts for each
        "counted": dict.fromkeys(("face_damage", "minion_damage", "damage_taken", "card_value"), 0),
    }


def copy(game: Game) -> Game:
    """A game that can be changed without changing this one."""
    new = dict(game)
    for zone in ("mine", "theirs", "hand"):
        new[zone] = [dict(one) for one in game[zone]]
    for part in ("hero", "foe", "counted"):
        new[part] = dict(game[part])
    new["weapon"] = list(game["weapon"]) if game["weapon"] else None
    return new


# -- what is legal


def over(game: Game) -> bool:
    """True if a hero is dead."""
    return game["hero"]["health"] <= 0 or game["foe"]["health"] <= 0


def targets(game: Game) -> list[str]:
    """What may be attacked now, apart from what the attacker's own youth forbids."""
    seen = [one for one in game["theirs"] if not one["words"] & {"stealth", "immune"}]
    taunts = [one["id"] for one in seen if "taunt" in one["words"]]
    return taunts or [*[one["id"] for one in seen], FACE]


def actions(game: Game) -> list[Action]:
    """Every legal action but ending the turn."""
    if over(game):
        return []
    found: list[Action] = []
    if len(game["mine"]) < PLACES:
        for card in game["hand"]:
            if card["cost"] <= game["mana"]:
                found.append({"type": "play", "card": card["id"], "target": None})
    open_to = targets(game)
    for one in game["mine"]:
        if one["attack"] <= 0 or one["left"] <= 0 or "frozen" in one["words"]:
            continue
        young = one["fresh"] and "charge" not in one["words"]
        if young and "rush" not in one["words"]:
            continue
        for target in open_to:
            if not (young and target == FACE):
                found.append({"type": "attack", "attacker": one["id"], "target": target})
    if game["weapon"] and game["weapon"][0] > 0 and game["hero_attacks_left"] > 0:
        found.extend({"type": "attack", "attacker": ME, "target": target} for target in open_to)
    return found


# -- what an action does


def _hurt_hero(hero: dict[str, Any], amount: int) -> int:
    soaked = min(hero["armor"], amount)
    hero["armor"] -= soaked
    hero["health"] -= amount - soaked
    return amount


def _hurt_minion(one: dict[str, Any], amount: int, poison: bool) -> int:
    """Deal damage; how much of it was dealt."""
    if amount <= 0 or "immune" in one["words"]:
        return 0
    if "divine_shield" in one["words"]:
        one["words"] -= {"divine_shield"}
        return 0
    one["health"] -= amount
    if poison:
        one["health"] = min(one["health"], 0)
    return amount


def _heal(hero: dict[str, Any], amount: int) -> None:
    hero["health"] = max(hero["health"], min(hero["most"], hero["health"] + amount))


def _bury(zone: list[dict[str, Any]]) -> None:
    """The dead leave; with reborn they come back once, as printed, with 1 health."""
    for one in list(zone):
        if one["health"] > 0:
            continue
        if "reborn" in one["words"]:
            words = one["printed"] - {"reborn"}
            one.update(health=1, words=words, printed=words, left=_swings(words), fresh=True)
        else:
            zone.remove(one)


def _by_id(zone: list[dict[str, Any]], name: str) -> dict[str, Any]:
    return next(one for one in zone if one["id"] == name)


def step(game: Game, action: Action) -> Game:
    """The game after a legal action."""
    new = copy(game)
    counted = new["counted"]
    if action["type"] == "play":
        card = _by_id(new["hand"], action["card"])
        new["hand"].remove(card)
        new["mana"] -= card.pop("cost")
        counted["card_value"] += card.pop("value")
        new["mine"].append({**card, "left": _swings(card["words"]), "fresh": True})
        return new
    mine, foe = new["hero"], new["foe"]
    if action["attacker"] == ME:
        attacker = None
        power, words = new["weapon"][0], frozenset()
        new["hero_attacks_left"] -= 1
        new["weapon"][1] -= 1
        if new["weapon"][1] == 0:
            new["weapon"] = None
    else:
        attacker = _by_id(new["mine"], action["attacker"])
        power = attacker["attack"]
        attacker["left"] -= 1
        attacker["words"] -= {"stealth"}
        words = attacker["words"]
    if action["target"] == FACE:
        counted["face_damage"] += power
        dealt, suffered, drain = _hurt_hero(foe, power), 0, False
    else:
        target = _by_id(new["theirs"], action["target"])
        counted["minion_damage"] += power
        counted["damage_taken"] += target["attack"]
        dealt = _hurt_minion(target, power, "poisonous" in words)
        venom, drain = "poisonous" in target["words"], "lifesteal" in target["words"]
        if attacker is None:
            suffered = _hurt_hero(mine, target["attack"])
        else:
            suffered = _hurt_minion(attacker, target["attack"], venom)
    if "lifesteal" in words:
        _heal(mine, dealt)
    if drain:
        _heal(foe, suffered)
    _bury(new["mine"])
    _bury(new["theirs"])
    return new


# -- the score of a turn


def counts(game: Game) -> dict[str, Any]:
    """The eight terms of a turn that ends here, without weights."""
    return {
        **game["counted"],
        "lethal": int(game["foe"]["health"] <= 0),
        "board_clear": int(not game["theirs"]),
        "enemy_threat": sum(one["attack"] for one in game["theirs"]),
        "own_survival": sum(game["counted_health"][one["id"]] for one in game["mine"]),
    }


def exact_number(value: Any) -> Any:
    """A weight as written, exactly."""
    number = Fraction(str(value))
    return int(number) if number.denominator == 1 else number


def contributions(game: Game, weights: dict[str, Any]) -> dict[str, Any]:
    """Each term with its weight and sign."""
    found = counts(game)
    return {term: exact_number(weights.get(term, 0)) * found[term] * (-1 if term in COSTS else 1) for term in TERMS}


def points(game: Game, weights: dict[str, Any]) -> Any:
    """The objective of a turn that ends here."""
    return sum(contributions(game, weights).values())


class IllegalError(Exception):
    """An action that the rules do not allow."""


def play_out(state: dict[str, Any], plan: list[Action]) -> Game:
    """The game after these actions; refused at the first that is not legal."""
    game = start(state)
    for number, action in enumerate(plan):
        if action not in actions(game):
            raise IllegalError(f"action {number}: {action} in {game}")
        game = step(game, action)
    return game


# -- brute force


def _key(game: Game) -> tuple[Any, ...]:
    def side(zone: list[dict[str, Any]]) -> frozenset[Any]:
        return frozenset([(o["id"], o["health"], o["words"], o["left"], o["fresh"]) for o in zone])

    hero, foe, weapon = game["hero"], game["foe"], game["weapon"]
    return (
        game["mana"],
        hero["health"],
        hero["armor"],
        foe["health"],
        foe["armor"],
        weapon[1] if weapon else 0,
        game["hero_attacks_left"],
        side(game["mine"]),
        side(game["theirs"]),
        frozenset([card["id"] for card in game["hand"]]),
    )


class Search:
    """Every sequence of legal actions, once each situation. `banned` actions are never taken."""

    def __init__(self, weights: dict[str, Any], banned: tuple[Action, ...] = ()) -> None:
        self.weights = {term: exact_number(weights.get(term, 0)) for term in TERMS}
        self.banned = banned
        self.memo: dict[tuple[Any, ...], tuple[Any, int]] = {}

    def best(self, game: Game) -> tuple[Any, int]:
        """The most that can be earned from here on, what was earned so far left out, and minus the actions it takes."""
        key = _key(game)
        if key in self.memo:
            return self.memo[key]
        here = {**game, "counted": dict.fromkeys(game["counted"], 0)}
        found = (points(here, self.weights), 0)
        for action in actions(here):
            if action in self.banned:
                continue
            after = step(here, action)
            later, fewest = self.best(after)
            gained = sum(
                self.weights[term] * count * (-1 if term in COSTS else 1) for term, count in after["counted"].items()
            )
            found = max(found, (gained + later, fewest - 1))
        self.memo[key] = found
        return found


def maximum(state: dict[str, Any], weights: dict[str, Any], banned: tuple[Action, ...] = ()) -> Any:
    """The most that a turn can earn."""
    return Search(weights, banned).best(start(state))[0]


def least_health(state: dict[str, Any]) -> int:
    """The least health, armor included, that a turn can leave the enemy hero; 0 or less: lethal."""
    seen: dict[tuple[Any, ...], int] = {}

    def least(game: Game) -> int:
        key = _key(game)
        if key not in seen:
            here = game["foe"]["health"] + game["foe"]["armor"]
            seen[key] = min([here, *[least(step(game, action)) for action in actions(game)]])
        return seen[key]

    return least(start(state))


def outcomes(state: dict[str, Any], weights: dict[str, Any]) -> dict[tuple[Any, ...], Any]:
    """What each set of actions earns at best, in whatever order: the cards played, and whom each attacker attacked."""
    values: dict[tuple[Any, ...], Any] = {}

    def walk(game: Game, played: frozenset[str], attacks: tuple[tuple[str, str], ...]) -> None:
        who = (played, tuple(sorted(attacks)))
        score = points(game, weights)
        values[who] = max(values.get(who, score), score)
        for action in actions(game):
            if action["type"] == "play":
                walk(step(game, action), played | {action["card"]}, attacks)
            else:
                walk(step(game, action), played, (*attacks, (action["attacker"], action["target"])))

    walk(start(state), frozenset(), ())
    return values
