"""States and cards for tests, in one readable line each.

Whoever has no id gets one by place, as the contract says: `me.board.0`, `enemy.board.1`, `me.hand.0`. The
verbs at the end carry out the action that a test is about; without arguments the first minion attacks the first
enemy minion, and the first card is played.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random
from typing import Any

from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.cards.effect_vocabulary import Effect, Target
from planner.games.hearthstone.cards.keywords import attacks_per_turn, bits, names
from planner.games.hearthstone.rules import legal as rules_legal
from planner.games.hearthstone.rules.actions import Action, Attack, EndTurn, HeroPower, Play, Trade
from planner.games.hearthstone.rules.match_flow import pass_turn
from planner.games.hearthstone.rules.resolve import apply
from planner.games.hearthstone.rules.ruleset import Ruleset
from planner.games.hearthstone.rules.state import ENEMY_HERO, MY_HERO, GameState, HandCard, Hero, Minion, Player, Weapon

ME, FACE = MY_HERO, ENEMY_HERO
MINE, YOURS, CARD = "me.board.0", "enemy.board.0", "me.hand.0"
STANDARD = Ruleset.of("standard")
FILLER = Card("Filler", cost=10, attack=1, health=1)


# -- cards

# The styles of the thesis, which weigh its eight terms only: what a named solver can plan.
THESIS_PROFILES = (
    "aggro_face", "aggro_tempo", "author_favorite", "board_clear", "keep_alive", "true_balanced", "value_trade",
)  # fmt: skip


def effect(do: str, to: str | None = None, *, makes: Card | Sequence[Card] = (), **fields: Any) -> Effect:
    """`effect("damage", "all enemy minions", amount=2)`; `makes` are the cards that it summons or equips."""
    made = (makes,) if isinstance(makes, Card) else tuple(makes)
    keywords = bits(fields.pop("keywords", "").split())
    target = None if to is None else Target.parse(to)
    return Effect(do, to=target, card=tuple(card.name for card in made), made=made, keywords=keywords, **fields)


def card(attack: int, health: int, words: str = "", *effects: Effect, cost: int = 1, **fields: Any) -> Card:
    """A minion's card: `card(3, 2, "taunt rush", effect(...), cost=3)`."""
    name = fields.pop("name", None) or f"{attack}/{health} {words}".strip()
    return Card(name, cost=cost, attack=attack, health=health, keywords=bits(words.split()), effects=effects, **fields)


def spell(*effects: Effect, cost: int = 1, words: str = "", name: str = "Spell", **fields: Any) -> Card:
    """A spell with these effects."""
    return Card(name, type="spell", cost=cost, effects=effects, keywords=bits(words.split()), **fields)


def weapon_card(attack: int, durability: int, words: str = "", *effects: Effect, cost: int = 1) -> Card:
    """A weapon's card."""
    name = f"weapon {attack}/{durability} {words}".strip()
    keywords = bits(words.split())
    return Card(name, type="weapon", cost=cost, attack=attack, health=durability, keywords=keywords, effects=effects)


def power_card(*effects: Effect, cost: int = 2) -> Card:
    """A hero power."""
    return Card("Power", type="hero_power", cost=cost, effects=effects)


# -- things on the table


def minion(attack: int, health: int, words: str = "", *effects: Effect, **fields: Any) -> Minion:
    """A minion that has been there since last turn. `hurt=2` took two damage before; `of=card` names its card."""
    hurt, printed = fields.pop("hurt", 0), fields.pop("of", None)
    if printed is None:
        on_card = {key: fields.pop(key) for key in ("name", "tribes", "spell_damage") if key in fields}
        printed = card(attack, health, words, *effects, **on_card)
    keywords = bits(words.split())
    fields.setdefault("attacks_left", attacks_per_turn(keywords))
    return Minion(fields.pop("id", ""), printed, attack, health - hurt, health, keywords, **fields)


def weapon(attack: int, durability: int, words: str = "") -> Weapon:
    """A weapon in a hero's hands."""
    return Weapon(weapon_card(attack, durability, words), attack, durability, bits(words.split()))


def _held(cards: Iterable[Card | HandCard] | int, place: str) -> tuple[HandCard, ...]:
    listed = [FILLER] * cards if isinstance(cards, int) else list(cards)
    return tuple(
        HandCard(f"{place}.{number}", held, held.cost, held.value) if isinstance(held, Card) else held
        for number, held in enumerate(listed)
    )


def _standing(board: Iterable[Minion], place: str, first: int) -> tuple[Minion, ...]:
    return tuple(
        minion._replace(id=minion.id or f"{place}.{number}", entered=minion.entered or first + number)
        for number, minion in enumerate(board)
    )


def player(
    name: str = "me",
    *,
    board: Iterable[Minion] = (),
    hand: Iterable[Card | HandCard] | int = (),
    deck: Iterable[Card | HandCard] | int = 3,
    health: int = 30,
    armor: int = 0,
    words: str = "",
    first: int = 1,
    **fields: Any,
) -> Player:
    """A player; a deck given as a number is that many fillers."""
    hero = Hero(health, max(30, health), armor, bits(words.split()))
    return Player(
        hero,
        _standing(board, f"{name}.board", first),
        _held(hand, f"{name}.hand"),
        _held(deck, f"{name}.deck"),
        **fields,
    )


def state(
    mana: int = 10,
    board: Iterable[Minion] = (),
    enemy: Iterable[Minion] | Player = (),
    hand: Iterable[Card | HandCard] | int = (),
    *,
    enemy_health: int = 30,
    rules: Ruleset = STANDARD,
    turn: int = 1,
    **me: Any,
) -> GameState:
    """A state in the middle of a turn of mine. `enemy` is the enemy's board, or a whole `player("enemy", ...)`."""
    me.setdefault("crystals", max(mana, 0))
    mine = player("me", board=board, hand=hand, mana=mana, **me)
    theirs = enemy if isinstance(enemy, Player) else player("enemy", board=enemy, health=enemy_health, first=101)
    return GameState(mine, theirs, rules, turn=turn, clock=1000)


# -- verbs


def attack(before: GameState, attacker: str = MINE, target: str = YOURS, rng: Random | None = None) -> GameState:
    """The state after this attack."""
    return apply(before, Attack(attacker, target), rng)


def play(before: GameState, target: str | None = None, card: str = CARD, rng: Random | None = None) -> GameState:
    """The state after playing the card."""
    return apply(before, Play(card, target), rng)


def use_power(before: GameState, target: str | None = None, rng: Random | None = None) -> GameState:
    """The state after using the hero power."""
    return apply(before, HeroPower(target), rng)


def trade(before: GameState, card: str = CARD, rng: Random | None = None) -> GameState:
    """The state after trading the card."""
    return apply(before, Trade(card), rng)


def pass_turns(before: GameState, count: int = 1, rng: Random | None = None) -> GameState:
    """The state after so many passed turns; after an even number it is `me` again who looks at it."""
    for _ in range(count):
        before = pass_turn(before, rng)
    return before


def illegal_reason(before: GameState, action: Action) -> str:
    """Why the action is illegal; a legal one fails the test."""
    reason = rules_legal.illegal_reason(before, action)
    assert reason is not None, f"{action} is legal"
    return reason


def legal(before: GameState, action: Action) -> bool:
    """Is the action legal?"""
    return rules_legal.illegal_reason(before, action) is None


# -- looking


def find(after: GameState, minion_id: str) -> Minion | None:
    """The minion with this id on either board."""
    return next((m for side in (after.me, after.enemy) for m in side.board if m.id == minion_id), None)


def get(after: GameState, minion_id: str = MINE) -> Minion:
    """The minion with this id, which must be there."""
    found = find(after, minion_id)
    assert found is not None, f"{minion_id} is on no board"
    return found


def stats(after: GameState, minion_id: str = MINE) -> tuple[int, int]:
    """Attack and health of a minion."""
    found = get(after, minion_id)
    return found.attack, found.health


def words(after: GameState, minion_id: str = MINE) -> list[str]:
    """The keywords of a minion."""
    return names(get(after, minion_id).keywords)


def board(side: Player) -> list[str]:
    """What stands on a board, by the names of the cards."""
    return [minion.card.name for minion in side.board]


END = EndTurn()
