"""Short builders of states and cards for tests.

A minion or card without an id gets one by its position: `me.board.0`, `enemy.board.1`, `me.hand.0`. The functions at
the end carry out the action that a test is about; by default the first minion attacks the first enemy minion, and the
first card is played.
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

# The profiles of Guo 2025, which weigh only his eight terms: named solvers can plan them.
THESIS_PROFILES = (
    "aggro_face", "aggro_tempo", "author_favorite", "board_clear", "keep_alive", "true_balanced", "value_trade",
)  # fmt: skip


def effect(do: str, to: str | None = None, *, makes: Card | Sequence[Card] = (), **fields: Any) -> Effect:
    """Return an effect: `effect("damage", "all enemy minions", amount=2)`; it summons or equips the cards `makes`."""
    made = (makes,) if isinstance(makes, Card) else tuple(makes)
    keywords = bits(fields.pop("keywords", "").split())
    target = None if to is None else Target.parse(to)
    return Effect(do, to=target, card=tuple(card.name for card in made), made=made, keywords=keywords, **fields)


def is_random(effect: Effect) -> bool:
    """Return whether the outcome of the effect depends on the random generator."""
    random_target = effect.do == "discard" or (effect.to is not None and effect.to.select == "random")
    return effect.split or random_target or len(effect.card) > 1


def card(attack: int, health: int, words: str = "", *effects: Effect, cost: int = 1, **fields: Any) -> Card:
    """Return a minion card: `card(3, 2, "taunt rush", effect(...), cost=3)`."""
    name = fields.pop("name", None) or f"{attack}/{health} {words}".strip()
    return Card(name, cost=cost, attack=attack, health=health, keywords=bits(words.split()), effects=effects, **fields)


def spell(*effects: Effect, cost: int = 1, words: str = "", name: str = "Spell", **fields: Any) -> Card:
    """Return a spell with these effects."""
    return Card(name, type="spell", cost=cost, effects=effects, keywords=bits(words.split()), **fields)


def weapon_card(attack: int, durability: int, words: str = "", *effects: Effect, cost: int = 1) -> Card:
    """Return a weapon card."""
    name = f"weapon {attack}/{durability} {words}".strip()
    keywords = bits(words.split())
    return Card(name, type="weapon", cost=cost, attack=attack, health=durability, keywords=keywords, effects=effects)


def power_card(*effects: Effect, cost: int = 2) -> Card:
    """Return a hero power."""
    return Card("Power", type="hero_power", cost=cost, effects=effects)


# -- minions, weapons, players, states


def minion(attack: int, health: int, words: str = "", *effects: Effect, **fields: Any) -> Minion:
    """Return a minion that can attack. With `hurt=2` it has taken 2 damage; `of=card` sets its card."""
    hurt, printed = fields.pop("hurt", 0), fields.pop("of", None)
    if printed is None:
        on_card = {key: fields.pop(key) for key in ("name", "tribes", "spell_damage") if key in fields}
        printed = card(attack, health, words, *effects, **on_card)
    keywords = bits(words.split())
    fields.setdefault("attacks_left", attacks_per_turn(keywords))
    return Minion(fields.pop("id", ""), printed, attack, health - hurt, health, keywords, **fields)


def weapon(attack: int, durability: int, words: str = "") -> Weapon:
    """Return an equipped weapon."""
    return Weapon(weapon_card(attack, durability, words), attack, durability, bits(words.split()))


def _hand_cards(cards: Iterable[Card | HandCard] | int, prefix: str) -> tuple[HandCard, ...]:
    listed = [FILLER] * cards if isinstance(cards, int) else list(cards)
    return tuple(
        HandCard(f"{prefix}.{number}", held, held.cost, held.value) if isinstance(held, Card) else held
        for number, held in enumerate(listed)
    )


def _board(board: Iterable[Minion], prefix: str, first: int) -> tuple[Minion, ...]:
    return tuple(
        minion._replace(id=minion.id or f"{prefix}.{number}", entered=minion.entered or first + number)
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
    """Return a player; a number of cards stands for that many fillers."""
    hero = Hero(health, max(30, health), armor, bits(words.split()))
    return Player(
        hero,
        _board(board, f"{name}.board", first),
        _hand_cards(hand, f"{name}.hand"),
        _hand_cards(deck, f"{name}.deck"),
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
    """Return a state in the middle of my turn. `enemy` is the enemy's board, or a `player("enemy", ...)`."""
    me.setdefault("crystals", max(mana, 0))
    mine = player("me", board=board, hand=hand, mana=mana, **me)
    theirs = enemy if isinstance(enemy, Player) else player("enemy", board=enemy, health=enemy_health, first=101)
    return GameState(mine, theirs, rules, turn=turn, clock=1000)


# -- actions


def attack(before: GameState, attacker: str = MINE, target: str = YOURS, rng: Random | None = None) -> GameState:
    """Return the state after this attack."""
    return apply(before, Attack(attacker, target), rng)


def play(before: GameState, target: str | None = None, card: str = CARD, rng: Random | None = None) -> GameState:
    """Return the state after playing the card."""
    return apply(before, Play(card, target), rng)


def use_power(before: GameState, target: str | None = None, rng: Random | None = None) -> GameState:
    """Return the state after using the hero power."""
    return apply(before, HeroPower(target), rng)


def trade(before: GameState, card: str = CARD, rng: Random | None = None) -> GameState:
    """Return the state after trading the card."""
    return apply(before, Trade(card), rng)


def pass_turns(before: GameState, count: int = 1, rng: Random | None = None) -> GameState:
    """Return the state after this many passed turns; after an even number `me` is the same player."""
    for _ in range(count):
        before = pass_turn(before, rng)
    return before


def illegal_reason(before: GameState, action: Action) -> str:
    """Return why the action is illegal; fail if it is legal."""
    reason = rules_legal.illegal_reason(before, action)
    assert reason is not None, f"{action} is legal"
    return reason


def legal(before: GameState, action: Action) -> bool:
    """Return whether the action is legal."""
    return rules_legal.illegal_reason(before, action) is None


# -- queries


def find(after: GameState, minion_id: str) -> Minion | None:
    """Return the minion with this id, or None."""
    return next((m for side in (after.me, after.enemy) for m in side.board if m.id == minion_id), None)


def get(after: GameState, minion_id: str = MINE) -> Minion:
    """Return the minion with this id, which must exist."""
    minion = find(after, minion_id)
    assert minion is not None, f"{minion_id} is not on the board"
    return minion


def stats(after: GameState, minion_id: str = MINE) -> tuple[int, int]:
    """Return the attack and health of a minion."""
    minion = get(after, minion_id)
    return minion.attack, minion.health


def words(after: GameState, minion_id: str = MINE) -> list[str]:
    """Return the keywords of a minion."""
    return names(get(after, minion_id).keywords)


def board(side: Player) -> list[str]:
    """Return the names of the minions on a board."""
    return [minion.card.name for minion in side.board]


END = EndTurn()
