"""The course of a match: the deal, the mulligan, the start and the end of a turn, and the outcome."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Final

from planner.errors import PlannerError
from planner.game import Outcome
from planner.games.hearthstone.cards import catalogue
from planner.games.hearthstone.cards.card import HIDDEN
from planner.games.hearthstone.cards.decks import Deck
from planner.games.hearthstone.cards.keywords import CHARGE, FROZEN, RUSH, attacks_per_turn
from planner.games.hearthstone.rules.effect_resolution import refresh_auras, trigger_effects
from planner.games.hearthstone.rules.mutable_state import ME, MutableState
from planner.games.hearthstone.rules.random_choices import Chance
from planner.games.hearthstone.rules.ruleset import Ruleset
from planner.games.hearthstone.rules.state import GameState, Hero, Minion, Player, hidden_cards, in_hand, new

COIN: Final = "The Coin"


def outcome(state: GameState) -> Outcome | None:
    """Return how the match ended, or None while it goes on."""
    mine, theirs = state.me.hero.health <= 0, state.enemy.hero.health <= 0
    reason = state.cause or "damage"
    if mine or theirs:
        points = (0.5, 0.5) if mine and theirs else (1.0, 0.0) if mine == (state.seat == 1) else (0.0, 1.0)
        return Outcome(points, reason, rounds_played(state))
    if state.turn > state.rules.turn_limit:
        return Outcome((0.5, 0.5), "turn limit", rounds_played(state))
    return None


def rounds_played(state: GameState) -> int:
    """Return the number of rounds that began. The turn after the turn limit does not count.

    With `execution: printed`, a win of the second player counts one more, because `end_turn_procedures` of Guo (2025)
    also runs after the last turn. A match that fatigue ends stops before it.
    """
    rounds = (min(state.turn, state.rules.turn_limit) + 1) // 2
    counts_one_more = state.rules.execution == "printed" and state.seat == 1 and state.enemy.hero.health <= 0
    return rounds + counts_one_more


def start_match(decks: tuple[Deck, Deck], rules: Ruleset, rng: Random) -> GameState:
    """Shuffle and deal. With a mulligan the state waits for it; without one the first turn has started."""
    if contradiction := rules.contradiction():
        raise PlannerError(f"ruleset {rules.name}: {contradiction[-1]}")
    players = [_deal(deck, seat, rules, rng) for seat, deck in enumerate(decks)]
    state = GameState(players[0], players[1], rules, turn=0)
    return state if rules.mulligan else _begin(state)


def undealt_player(deck: Deck, seat: int, rules: Ruleset) -> Player:
    """Return a player before the deal: all cards are in the deck, in the order of the list."""
    cards = tuple(in_hand(f"p{seat + 1}.{number}", card) for number, card in enumerate(deck.cards, 1))
    hero = Hero(rules.hero_health, rules.hero_health, hero_class=deck.hero_class)
    return Player(hero, deck=cards, crystals=rules.mana_start, power=deck.power if rules.hero_powers else None)


def _deal(deck: Deck, seat: int, rules: Ruleset, rng: Random) -> Player:
    if not deck.cards:
        raise PlannerError(f"deck {deck.name}: is empty")
    player = undealt_player(deck, seat, rules)
    cards = list(player.deck)
    rng.shuffle(cards)
    size = rules.starting_hand[seat]  # a smaller deck is dealt completely
    return player.with_cards(tuple(cards[:size]), tuple(cards[size:]))


def shuffle_decks(state: GameState, rng: Random) -> GameState:
    """Shuffle both decks, the first player's first, so that a match can start from this state."""
    players: dict[int, Player] = {}
    for seat in (0, 1):
        player = state.player(seat)
        if any(card.card == HIDDEN for card in (*player.hand, *player.deck)):
            raise PlannerError("contains unknown cards ('?'); a match needs every card of both hands and decks")
        deck = list(player.deck)
        rng.shuffle(deck)
        players[seat] = player._replace(deck=tuple(deck))
    return state._replace(me=players[state.seat], enemy=players[1 - state.seat])


def mulligan(state: GameState, replaced: Sequence[str], rng: Chance | None) -> GameState:
    """Replace these cards of the starting hand of `me`. Then it is the other player's mulligan, or the match begins."""
    player = state.me
    away = [card for card in player.hand if card.id in replaced]
    count = min(len(away), len(player.deck))  # a small deck replaces as many cards as it has
    away = away[:count]
    drawn = iter(player.deck[:count])
    hand = tuple(next(drawn) if card in away else card for card in player.hand)
    deck = [*player.deck[count:], *away]
    if away:
        if not isinstance(rng, Random):
            raise ValueError("a mulligan shuffles the deck: apply(state, action, rng) needs a generator")
        rng.shuffle(deck)
    changed = player._replace(hand=hand, deck=tuple(deck))
    state = state._replace(me=state.enemy, enemy=changed, seat=1 - state.seat)
    return state if state.seat else _begin(state)


def _begin(state: GameState) -> GameState:
    """Give the second player the coin, and start the first turn."""
    if state.rules.coin:
        second = state.enemy
        if len(second.hand) < state.rules.hand_limit:
            coin = in_hand("p2.coin", catalogue.standard()[COIN])
            state = state._replace(enemy=second._replace(hand=(*second.hand, coin)))
    return start_turn(state._replace(turn=1))


def start_turn(state: GameState, rng: Random | None = None) -> GameState:
    """Start the turn of `me`: gain a crystal, ready the minions, trigger effects, then draw."""
    result = MutableState(state, rng)
    _start(result)
    return result.to_state()


def end_turn(state: GameState, rng: Random | None = None) -> GameState:
    """End the turn of `me`: trigger effects, remove what lasts only this turn, and swap the seats."""
    result = MutableState(state, rng)
    _end(result)
    return result.to_state()


def pass_turn(state: GameState, rng: Random | None = None) -> GameState:
    """End the turn and start the other player's, unless the match is over by then."""
    result = MutableState(state, rng)
    _end(result)
    if not result.is_over():
        _start(result)
    return result.to_state()


def end_of_turn_effects(state: GameState, rng: Chance | None = None) -> MutableState:
    """Carry out the effects at the end of the turn of `me`, and nothing else of that end."""
    result = MutableState(state, rng)
    if not result.is_over():
        trigger_effects(result, "turn_end")
    return result


def _start(state: MutableState) -> None:
    me, rules = state.sides[ME], state.rules
    me.crystals = max(me.crystals, min(rules.mana_limit, me.crystals + rules.mana_growth))
    me.locked, me.overload = min(me.overload, me.crystals), 0
    me.mana = me.crystals - me.locked
    me.power_used = False
    me.cards_played = 0
    attacks = me.hero_attacks_per_turn()
    if me.hero.attacks_left != attacks:
        me.hero = me.hero._replace(attacks_left=attacks)
    for position, minion in enumerate(me.board):
        attacks = attacks_per_turn(minion.keywords)
        if minion.fresh or minion.attacks_left != attacks:
            me.board[position] = minion.with_attacks(attacks, False, minion.keywords)
    refresh_auras(state)  # some depend on whose turn it is
    trigger_effects(state, "turn_start")
    if not state.is_over() and (state.turn > 1 or rules.first_turn_draw):
        for _ in range(rules.draws_per_turn):
            state.draw(ME)


def _end(state: MutableState) -> None:
    trigger_effects(state, "turn_end")
    me, enemy = state.sides
    me.hand = tuple([card for card in me.hand if not card.echo])
    for position, minion in enumerate(me.board):
        if minion.keywords & FROZEN:
            me.board[position] = _thaw(minion, state.rules.summoning_sickness)
    hero = me.hero
    if hero.attack_this_turn or hero.keywords & FROZEN:
        keywords = hero.keywords & ~FROZEN if hero.attacks_left > 0 else hero.keywords
        me.hero = hero._replace(attack_this_turn=0, keywords=keywords)
    for side in state.sides:
        for position, minion in enumerate(side.board):
            if minion.attack_this_turn or minion.keywords_this_turn:
                side.board[position] = _without_temporary(minion)
        if temporary := side.hero.keywords_this_turn:
            side.hero = side.hero._replace(keywords=side.hero.keywords & ~temporary, keywords_this_turn=0)
    me.locked = 0
    state.set_sides(enemy, me)
    state.seat = 1 - state.seat
    state.turn += 1


def _without_temporary(minion: Minion) -> Minion:
    """Remove what lasted only this turn. Attack under a reducing aura is never negative."""
    own_attack = minion.attack - minion.aura_attack - minion.attack_this_turn
    aura = max(minion.aura_attack, -own_attack)
    return minion._replace(
        attack=own_attack + aura,
        aura_attack=aura,
        keywords=minion.keywords & ~minion.keywords_this_turn,
        attack_this_turn=0,
        keywords_this_turn=0,
    )


def _thaw(minion: Minion, summoning_sickness: bool) -> Minion:
    """Thaw a minion at the end of a turn in which it could have attacked if it were not frozen."""
    is_sick = summoning_sickness and minion.fresh and not minion.keywords & (CHARGE | RUSH)
    could_attack = minion.attacks_left > 0 and not is_sick
    return minion._replace(keywords=minion.keywords & ~FROZEN) if could_attack else minion


def observe(state: GameState, seat: int) -> GameState:
    """Return the state as the player in this seat sees it: without the enemy hand and the order of the decks."""
    me, enemy = state.me, state.enemy
    my_deck, enemy_deck = hidden_cards("me.deck", len(me.deck)), hidden_cards("enemy.deck", len(enemy.deck))
    if seat == state.seat:
        enemy_hand = hidden_cards("enemy.hand", len(enemy.hand))
        if me.deck is my_deck and enemy.deck is enemy_deck and enemy.hand is enemy_hand:
            return state  # it was read from an observation
        me = me.with_cards(me.hand, my_deck)
        enemy = enemy.with_cards(enemy_hand, enemy_deck)
    else:
        me = me.with_cards(hidden_cards("me.hand", len(me.hand)), my_deck)
        enemy = enemy.with_cards(enemy.hand, enemy_deck)
    return new(GameState, (me, enemy, *state[2:]))
