"""What targets, conditions and quantities mean in a state: who matches, what holds, and how many there are."""

from __future__ import annotations

from typing import NamedTuple

from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.cards.effect_vocabulary import Condition, Effect, Quantity, Target
from planner.games.hearthstone.cards.keywords import BIT
from planner.games.hearthstone.rules.mutable_state import HERO, ME, MutablePlayer, MutableState
from planner.games.hearthstone.rules.state import ENEMY_HERO, MY_HERO, AnyPlayer, Hero, Minion, hero_attack

Spot = tuple[int, int]  # side, position


class Origin(NamedTuple):
    """Where an effect comes from, and what was decided before it happens."""

    side: int  # of the player whose effect it is
    source: Minion | None = None  # the minion whose effect it is
    chosen: str | None = None  # the id of the target that the player chose
    spell_damage: int = 0
    keywords: int = 0  # those of the source that matter for its damage, such as lifesteal

    def players(self, state: MutableState) -> tuple[MutablePlayer, MutablePlayer]:
        """Return the player whose effect it is, and the other one."""
        return state.sides[self.side], state.sides[1 - self.side]


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


def matching_spots(target: Target, owner: AnyPlayer, enemy: AnyPlayer, source: Minion | None = None) -> list[Spot]:
    """Return the characters that match a target other than `chosen` or `self`; here, side 0 is the owner's.

    `source` does not count among other minions. Characters that are about to die still count.
    """
    spots: list[Spot] = []
    for side, player in enumerate((owner, enemy)):
        if target.side == ("enemy", "friendly")[side]:
            continue
        if target.what != "minion" and matches_hero(target, player.hero):
            spots.append((side, HERO))
        if target.what != "hero":
            for position, minion in enumerate(player.board):
                if matches_minion(target, minion) and not (target.other and _is_same(minion, source)):
                    spots.append((side, position))
    return spots


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
    tribe = condition.word
    match condition.kind:
        case "target":
            return True
        case "weapon":
            holds = owner.weapon is not None
        case "turn":
            holds = my_turn
        case "holding":
            is_played = played is not None and tribe in played.tribes
            holds = sum(tribe in hand_card.card.tribes for hand_card in owner.hand) > is_played
        case "controlling":
            holds = any(tribe in minion.card.tribes and not _is_same(minion, source) for minion in owner.board)
        case _:
            assert condition.quantity is not None
            number = evaluate_quantity(condition.quantity, owner, enemy, source, played)
            minimum, maximum = condition.minimum, condition.maximum
            holds = (minimum is None or number >= minimum) and (maximum is None or number <= maximum)
    return holds != condition.negated


def evaluate_quantity(
    quantity: Quantity, owner: AnyPlayer, enemy: AnyPlayer, source: Minion | None = None, played: Card | None = None
) -> int:
    """Return the current value of a quantity for an effect of `owner`."""
    player = enemy if quantity.enemy else owner
    match quantity.what:
        case "count":
            assert quantity.of is not None
            return len(matching_spots(quantity.of, owner, enemy, source))
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
        case "hero_attack":
            return max(0, hero_attack(player))
    return max(0, player.weapon.attack) if player.weapon else 0


# -- the targets of an effect


def _find_character(state: MutableState, side: int, name: str | None) -> Spot | None:
    """Return where the character with this id is; `me.hero` is the hero of `side`."""
    if name in (MY_HERO, ENEMY_HERO):
        return (side if name == MY_HERO else 1 - side), HERO
    for number in (side, 1 - side):
        position = None if name is None else state.sides[number].position_of(name)
        if position is not None:
            return number, position
    return None


def matching_characters(state: MutableState, target: Target, origin: Origin) -> list[Spot]:
    """Return the characters that match the target, own side first."""
    side, source, chosen, *_ = origin
    if target.select == "chosen":
        spot = _find_character(state, side, chosen)
        return [] if spot is None else [spot]
    if target.select == "self":
        spot = None if source is None else _find_character(state, side, source.id)
        return [spot] if spot and matches_minion(target, state.sides[spot[0]].board[spot[1]]) else []
    spots = matching_spots(target, *origin.players(state), source)
    return spots if side == ME else [(1 - number, position) for number, position in spots]


def select_targets(state: MutableState, effect: Effect, origin: Origin) -> list[Spot]:
    """Return the characters that an effect acts on; random targets are drawn among the living."""
    assert effect.to is not None  # the catalogue checks it
    spots = matching_characters(state, effect.to, origin)
    if effect.to.select != "random":
        return spots
    living = [spot for spot in spots if state.is_alive(*spot)]
    selected: list[Spot] = []
    for remaining in range(effect.to.count, 0, -1):
        if living:
            selected.append(living.pop(state.choose_at_random(len(living), remaining)))
    return selected


def effect_condition_holds(state: MutableState, effect: Effect, origin: Origin) -> bool:
    """Return whether the condition of an effect holds now, also one on its chosen target."""
    condition, side = effect.condition, origin.side
    assert condition is not None
    if condition.kind != "target":
        return condition_holds(condition, *origin.players(state), my_turn=side == ME, source=origin.source)
    if origin.chosen is None:
        return False  # neither the condition nor its negation holds without a target
    spot = _find_character(state, side, origin.chosen)
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
