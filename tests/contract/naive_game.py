"""An independent implementation of the contract's rules for vanilla turns: plain dicts, copies and brute force.

It imports nothing from `planner`. It follows the wording of the contract and is not fast:

    game = start(state)                     # the JSON form
    for action in actions(game): ...        # every legal action, in the JSON form
    game = step(game, action)               # a new game
    points(game, weights)                   # the weighted score of a turn that ends in this state
    Search(weights).best(game)              # (the best score of a turn, minus the fewest actions that reach it)
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
COSTS = ("enemy_threat", "damage_taken")  # these terms lower the score
BOARD_LIMIT = 7
FACE, ME = "enemy.hero", "me.hero"


# -- reading the JSON form


def _minion(entry: dict[str, Any], default_id: str) -> dict[str, Any]:
    keywords = frozenset(entry.get("keywords", ()))
    return {
        "id": entry.get("id", default_id),
        "attack": entry["attack"],
        "health": entry["health"],
        "keywords": keywords,
        "printed": keywords,
        "attacks_left": entry.get("attacks_left", _attacks_per_turn(keywords)),
        "fresh": entry.get("summoned_this_turn", False),
    }


def _attacks_per_turn(keywords: frozenset[str]) -> int:
    return 2 if "windfury" in keywords else 1


def _hero(entry: dict[str, Any]) -> dict[str, Any]:
    health = entry["health"]
    return {"health": health, "armor": entry.get("armor", 0), "max_health": entry.get("max_health", max(30, health))}


def start(state: dict[str, Any]) -> Game:
    """Return the game of a state in the JSON form."""
    me, enemy = state["me"], state["enemy"]
    mine = [_minion(entry, f"me.board.{n}") for n, entry in enumerate(me.get("board", ()))]
    theirs = [_minion(entry, f"enemy.board.{n}") for n, entry in enumerate(enemy.get("board", ()))]
    hand = []
    for n, entry in enumerate(me.get("hand", ())):
        card = _minion(entry, f"me.hand.{n}")
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
        "counted_health": {minion["id"]: minion["health"] for minion in mine + hand},  # for own_survival
        "counted": dict.fromkeys(("face_damage", "minion_damage", "damage_taken", "card_value"), 0),
    }


def copy(game: Game) -> Game:
    """Return an independent copy of the game."""
    new = dict(game)
    for zone in ("mine", "theirs", "hand"):
        new[zone] = [dict(minion) for minion in game[zone]]
    for part in ("hero", "foe", "counted"):
        new[part] = dict(game[part])
    new["weapon"] = list(game["weapon"]) if game["weapon"] else None
    return new


# -- legal actions


def over(game: Game) -> bool:
    """Return whether a hero is dead."""
    return game["hero"]["health"] <= 0 or game["foe"]["health"] <= 0


def targets(game: Game) -> list[str]:
    """Return the ids of the legal targets of a minion that was not summoned this turn."""
    visible = [minion for minion in game["theirs"] if not minion["keywords"] & {"stealth", "immune"}]
    taunts = [minion["id"] for minion in visible if "taunt" in minion["keywords"]]
    return taunts or [*[minion["id"] for minion in visible], FACE]


def actions(game: Game) -> list[Action]:
    """Return every legal action except ending the turn."""
    if over(game):
        return []
    legal: list[Action] = []
    if len(game["mine"]) < BOARD_LIMIT:
        for card in game["hand"]:
            if card["cost"] <= game["mana"]:
                legal.append({"type": "play", "card": card["id"], "target": None})
    legal_targets = targets(game)
    for minion in game["mine"]:
        if minion["attack"] <= 0 or minion["attacks_left"] <= 0 or "frozen" in minion["keywords"]:
            continue
        restricted = minion["fresh"] and "charge" not in minion["keywords"]
        if restricted and "rush" not in minion["keywords"]:
            continue
        for target in legal_targets:
            if not (restricted and target == FACE):
                legal.append({"type": "attack", "attacker": minion["id"], "target": target})
    if game["weapon"] and game["weapon"][0] > 0 and game["hero_attacks_left"] > 0:
        legal.extend({"type": "attack", "attacker": ME, "target": target} for target in legal_targets)
    return legal


# -- effects of an action


def _damage_hero(hero: dict[str, Any], amount: int) -> int:
    absorbed = min(hero["armor"], amount)
    hero["armor"] -= absorbed
    hero["health"] -= amount - absorbed
    return amount


def _damage_minion(minion: dict[str, Any], amount: int, poisonous: bool) -> int:
    """Deal damage and return the amount dealt."""
    if amount <= 0 or "immune" in minion["keywords"]:
        return 0
    if "divine_shield" in minion["keywords"]:
        minion["keywords"] -= {"divine_shield"}
        return 0
    minion["health"] -= amount
    if poisonous:
        minion["health"] = min(minion["health"], 0)
    return amount


def _heal(hero: dict[str, Any], amount: int) -> None:
    hero["health"] = max(hero["health"], min(hero["max_health"], hero["health"] + amount))


def _remove_dead(zone: list[dict[str, Any]]) -> None:
    """Remove dead minions; a reborn minion returns once, as printed, with 1 health."""
    for minion in list(zone):
        if minion["health"] > 0:
            continue
        if "reborn" in minion["keywords"]:
            keywords = minion["printed"] - {"reborn"}
            attacks_left = _attacks_per_turn(keywords)
            minion.update(health=1, keywords=keywords, printed=keywords, attacks_left=attacks_left, fresh=True)
        else:
            zone.remove(minion)


def _by_id(zone: list[dict[str, Any]], entity_id: str) -> dict[str, Any]:
    return next(entity for entity in zone if entity["id"] == entity_id)


def step(game: Game, action: Action) -> Game:
    """Return the game after a legal action."""
    new = copy(game)
    counted = new["counted"]
    if action["type"] == "play":
        card = _by_id(new["hand"], action["card"])
        new["hand"].remove(card)
        new["mana"] -= card.pop("cost")
        counted["card_value"] += card.pop("value")
        new["mine"].append({**card, "attacks_left": _attacks_per_turn(card["keywords"]), "fresh": True})
        return new
    mine, foe = new["hero"], new["foe"]
    if action["attacker"] == ME:
        attacker = None
        attack, keywords = new["weapon"][0], frozenset()
        new["hero_attacks_left"] -= 1
        new["weapon"][1] -= 1
        if new["weapon"][1] == 0:
            new["weapon"] = None
    else:
        attacker = _by_id(new["mine"], action["attacker"])
        attack = attacker["attack"]
        attacker["attacks_left"] -= 1
        attacker["keywords"] -= {"stealth"}
        keywords = attacker["keywords"]
    if action["target"] == FACE:
        counted["face_damage"] += attack
        dealt, received, enemy_lifesteal = _damage_hero(foe, attack), 0, False
    else:
        target = _by_id(new["theirs"], action["target"])
        counted["minion_damage"] += attack
        counted["damage_taken"] += target["attack"]
        dealt = _damage_minion(target, attack, "poisonous" in keywords)
        enemy_lifesteal = "lifesteal" in target["keywords"]
        if attacker is None:
            received = _damage_hero(mine, target["attack"])
        else:
            received = _damage_minion(attacker, target["attack"], "poisonous" in target["keywords"])
    if "lifesteal" in keywords:
        _heal(mine, dealt)
    if enemy_lifesteal:
        _heal(foe, received)
    _remove_dead(new["mine"])
    _remove_dead(new["theirs"])
    return new


# -- the score of a turn


def counts(game: Game) -> dict[str, Any]:
    """Return the unweighted amounts of the eight terms of a turn that ends in this state."""
    return {
        **game["counted"],
        "lethal": int(game["foe"]["health"] <= 0),
        "board_clear": int(not game["theirs"]),
        "enemy_threat": sum(minion["attack"] for minion in game["theirs"]),
        "own_survival": sum(game["counted_health"][minion["id"]] for minion in game["mine"]),
    }


def exact_number(value: Any) -> Any:
    """Return a weight as an exact number."""
    number = Fraction(str(value))
    return int(number) if number.denominator == 1 else number


def contributions(game: Game, weights: dict[str, Any]) -> dict[str, Any]:
    """Return the contribution of each term, with its weight and sign."""
    amounts = counts(game)
    return {term: exact_number(weights.get(term, 0)) * amounts[term] * (-1 if term in COSTS else 1) for term in TERMS}


def points(game: Game, weights: dict[str, Any]) -> Any:
    """Return the objective of a turn that ends in this state."""
    return sum(contributions(game, weights).values())


class IllegalError(Exception):
    """An action that the rules do not allow."""


def play_out(state: dict[str, Any], plan: list[Action]) -> Game:
    """Return the game after these actions; raise IllegalError at the first illegal action."""
    game = start(state)
    for number, action in enumerate(plan):
        if action not in actions(game):
            raise IllegalError(f"action {number}: {action} in {game}")
        game = step(game, action)
    return game


# -- brute force


def _key(game: Game) -> tuple[Any, ...]:
    def side(zone: list[dict[str, Any]]) -> frozenset[Any]:
        return frozenset([(m["id"], m["health"], m["keywords"], m["attacks_left"], m["fresh"]) for m in zone])

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
    """An exhaustive search of all legal sequences that visits each state once. It never takes `banned` actions."""

    def __init__(self, weights: dict[str, Any], banned: tuple[Action, ...] = ()) -> None:
        self.weights = {term: exact_number(weights.get(term, 0)) for term in TERMS}
        self.banned = banned
        self.memo: dict[tuple[Any, ...], tuple[Any, int]] = {}

    def best(self, game: Game) -> tuple[Any, int]:
        """Return the best score from this state, without the amounts so far, and minus the number of its actions."""
        key = _key(game)
        if key in self.memo:
            return self.memo[key]
        current = {**game, "counted": dict.fromkeys(game["counted"], 0)}
        best = (points(current, self.weights), 0)
        for action in actions(current):
            if action in self.banned:
                continue
            after = step(current, action)
            later, fewest = self.best(after)
            gain = sum(
                self.weights[term] * count * (-1 if term in COSTS else 1) for term, count in after["counted"].items()
            )
            best = max(best, (gain + later, fewest - 1))
        self.memo[key] = best
        return best


def maximum(state: dict[str, Any], weights: dict[str, Any], banned: tuple[Action, ...] = ()) -> Any:
    """Return the best score of a turn."""
    return Search(weights, banned).best(start(state))[0]


def min_enemy_health(state: dict[str, Any]) -> int:
    """Return the minimum health plus armor that a turn can leave the enemy hero; 0 or less is lethal."""
    memo: dict[tuple[Any, ...], int] = {}

    def minimum(game: Game) -> int:
        key = _key(game)
        if key not in memo:
            current = game["foe"]["health"] + game["foe"]["armor"]
            memo[key] = min([current, *[minimum(step(game, action)) for action in actions(game)]])
        return memo[key]

    return minimum(start(state))


def outcomes(state: dict[str, Any], weights: dict[str, Any]) -> dict[tuple[Any, ...], Any]:
    """Return the best score over all orders of each set of played cards and attacks."""
    values: dict[tuple[Any, ...], Any] = {}

    def walk(game: Game, played: frozenset[str], attacks: tuple[tuple[str, str], ...]) -> None:
        key = (played, tuple(sorted(attacks)))
        score = points(game, weights)
        values[key] = max(values.get(key, score), score)
        for action in actions(game):
            if action["type"] == "play":
                walk(step(game, action), played | {action["card"]}, attacks)
            else:
                walk(step(game, action), played, (*attacks, (action["attacker"], action["target"])))

    walk(start(state), frozenset(), ())
    return values
