"""What targets, conditions and quantities mean in a state: who matches, what holds, and how many there are."""

from __future__ import annotations

from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.cards.effect_vocabulary import Condition, Effect, Quantity, Target
from planner.games.hearthstone.cards.keywords import BIT
from planner.games.hearthstone.rules.mutable_state import HERO, ME, MutableState
from planner.games.hearthstone.rules.state import ENEMY_HERO, MY_HERO, AnyPlayer, Hero, Minion

Spot = tuple[int, int]  # side, position


# -- characters


def matches_minion(target: Target, minion: Minion) -> bool:
    """Return whether the minion has the tribe, the keyword, the attack and the health that the target requires."""
    if target.tribe is not None and target.tribe not in minion.card.tribes:
        return False
    if target.without is not None and target.without in minion.card.tribes:
        return False
    if target.keyword is not None and not minion.keywords & BIT[target.keyword]:
        return False
    if (target.min_attack is not None and minion.attack < target.min_attack) or (
        target.max_attack is not None and minion.attack > target.max_attack
    ):
        return False
    return target.damaged is None or target.damaged == (minion.health < minion.max_health)


def matches_hero(target: Target, hero: Hero) -> bool:
    """Return whether the hero has the keyword and the health that the target requires."""
    if target.keyword is not None and not hero.keywords & BIT[target.keyword]:
        return False
    return target.damaged is None or target.damaged == (hero.health < hero.max_health)


def _is_same(minion: Minion, source: Minion | None) -> bool:
    return source is not None and minion.id == source.id


# -- conditions and quantities


def condition_holds(
    condition: Condition,
    owner: AnyPlayer,
    enemy: AnyPlayer,
    *,
    my_turn: bool = True,
    played: Card | None = None,
    source: Minion | None = None,
) -> bool:
    """Return whether the condition of an effect of `owner` holds.

    `played` is a card that is still in the hand but does not count there; `source` does not count among other minions.
    A condition on the chosen target always holds here: before the choice there may be a target for which it does.
    """
    if condition.kind == "target":
        return True
    return _holds(condition, owner, enemy, my_turn, played, source) != condition.negated


def _holds(
    condition: Condition,
    owner: AnyPlayer,
    enemy: AnyPlayer,
    my_turn: bool,
    played: Card | None,
    source: Minion | None,
) -> bool:
    tribe = condition.word
    match condition.kind:
        case "weapon":
            return owner.weapon is not None
        case "turn":
            return my_turn
        case "holding":
            is_played = played is not None and tribe in played.tribes
            return sum(tribe in hand_card.card.tribes for hand_card in owner.hand) > is_played
        case "controlling":
            return any(tribe in minion.card.tribes and not _is_same(minion, source) for minion in owner.board)
    assert condition.quantity is not None  # the subject is a quantity
    number = evaluate_quantity(condition.quantity, owner, enemy, source, played)
    return number >= condition.minimum if condition.minimum is not None else number <= (condition.maximum or 0)


def evaluate_quantity(
    quantity: Quantity, owner: AnyPlayer, enemy: AnyPlayer, source: Minion | None = None, played: Card | None = None
) -> int:
    """Return the current value of a quantity for an effect of `owner`."""
    player = enemy if quantity.enemy else owner
    match quantity.what:
        case "count":
            assert quantity.of is not None
            return _count(quantity.of, owner, enemy, source)
        case "attack":
            current = source and next((minion for minion in owner.board if _is_same(minion, source)), source)
            return current.attack if current else 0
        case "hand":
            return len(player.hand) - (played is not None and not quantity.enemy)
        case "crystals":
            return player.crystals
        case "health":
            return max(0, player.hero.health)
        case "armor":
            return player.hero.armor
    weapon_attack = 0 if player.weapon is None else player.weapon.attack
    return max(0, weapon_attack + (player.hero.attack_this_turn if quantity.what == "hero_attack" else 0))


def _count(target: Target, owner: AnyPlayer, enemy: AnyPlayer, source: Minion | None) -> int:
    count = 0
    for player, side in ((owner, "friendly"), (enemy, "enemy")):
        if target.side in ("any", side):
            count += target.what != "minion" and matches_hero(target, player.hero)
            if target.what != "hero":
                count += sum(
                    matches_minion(target, minion) and not (target.other and _is_same(minion, source))
                    for minion in player.board
                )
    return count


# -- the targets of an effect


def find_character(state: MutableState, side: int, name: str) -> Spot | None:
    """Return where the character with this id is; `me.hero` is the hero of `side`."""
    if name == MY_HERO:
        return side, HERO
    if name == ENEMY_HERO:
        return 1 - side, HERO
    for number in (side, 1 - side):
        position = state.sides[number].position_of(name)
        if position is not None:
            return number, position
    return None


def matching_characters(
    state: MutableState, side: int, target: Target, source: Minion | None, chosen: str | None
) -> list[Spot]:
    """Return the characters that match the target, own side first. Characters that are about to die still count."""
    if target.select == "chosen":
        spot = find_character(state, side, chosen) if chosen is not None else None
        return [] if spot is None else [spot]
    if target.select == "self":
        spot = find_character(state, side, source.id) if source is not None else None
        return [spot] if spot and matches_minion(target, state.sides[spot[0]].board[spot[1]]) else []
    spots: list[Spot] = []
    for number in (side, 1 - side):
        if target.side != "any" and (target.side == "friendly") != (number == side):
            continue
        if target.what != "minion" and matches_hero(target, state.sides[number].hero):
            spots.append((number, HERO))
        if target.what != "hero":
            spots.extend(
                (number, position)
                for position, minion in enumerate(state.sides[number].board)
                if matches_minion(target, minion) and not (target.other and _is_same(minion, source))
            )
    return spots


def select_targets(
    state: MutableState, side: int, effect: Effect, source: Minion | None, chosen: str | None
) -> list[Spot]:
    """Return the characters that an effect acts on; random targets are drawn among the living."""
    assert effect.to is not None  # the catalogue checks it
    spots = matching_characters(state, side, effect.to, source, chosen)
    if effect.to.select != "random":
        return spots
    living = [spot for spot in spots if state.is_alive(*spot)]
    selected: list[Spot] = []
    for remaining in range(effect.to.count, 0, -1):
        if living:
            selected.append(living.pop(state.choose_at_random(len(living), remaining)))
    return selected


def effect_condition_holds(
    state: MutableState, side: int, effect: Effect, source: Minion | None, chosen: str | None
) -> bool:
    """Return whether the condition of an effect holds now, also one on its chosen target."""
    condition = effect.condition
    assert condition is not None
    if condition.kind != "target":
        sides = state.sides
        return condition_holds(condition, sides[side], sides[1 - side], my_turn=side == ME, source=source)
    if chosen is None:
        return False  # neither the condition nor its negation holds without a target
    spot = find_character(state, side, chosen)
    return _holds_for_target(state, side, condition.word, spot) != condition.negated


def _holds_for_target(state: MutableState, side: int, word: str, spot: Spot | None) -> bool:
    """Check the chosen target, which may have left the board."""
    if not word:
        return True
    if spot is None:
        return False
    if word == "alive":
        return state.is_alive(*spot)
    if word == "friendly":
        return spot[0] == side
    return spot[1] != HERO and word in state.sides[spot[0]].board[spot[1]].card.tribes
