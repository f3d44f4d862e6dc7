"""A match from the shuffle to the outcome: hands, mulligan, turns, fatigue, and how it ends."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Final

from planner.errors import PlannerError
from planner.game import Outcome
from planner.games.hearthstone.cards import catalogue
from planner.games.hearthstone.cards.decks import Deck
from planner.games.hearthstone.cards.keywords import CHARGE, FROZEN, RUSH, attacks_per_turn
from planner.games.hearthstone.rules.effects import set_off
from planner.games.hearthstone.rules.ruleset import Ruleset
from planner.games.hearthstone.rules.state import GameState, Hero, Minion, Player, face_down, in_hand, new
from planner.games.hearthstone.rules.table import ME, Chance, Table

COIN: Final = "The Coin"


def outcome(state: GameState) -> Outcome | None:
    """How the match ended, or None while it runs."""
    mine, theirs = state.me.hero.health <= 0, state.enemy.hero.health <= 0
    reason = state.cause or "damage"
    if mine or theirs:
        points = (0.5, 0.5) if mine and theirs else (1.0, 0.0) if mine == (state.seat == 1) else (0.0, 1.0)
        return Outcome(points, reason, rounds_played(state))
    if state.turn > state.rules.turn_limit:
        return Outcome((0.5, 0.5), "turn limit", rounds_played(state))
    return None


def rounds_played(state: GameState) -> int:
    """Rounds that were begun; the turn after the last one that the rules allow was not."""
    return (min(state.turn, state.rules.turn_limit) + 1) // 2


def start_match(decks: tuple[Deck, Deck], rules: Ruleset, rng: Random) -> GameState:
    """Shuffle and deal. The mulligan comes next where the rules have one, then `start_turn`."""
    if found := rules.contradiction():
        raise PlannerError(f"ruleset {rules.name}: {found[-1]}")
    players = [_enter(deck, seat, rules, rng) for seat, deck in enumerate(decks)]
    state = GameState(players[0], players[1], rules, turn=0)
    return state if rules.mulligan else _begin(state)


def _enter(deck: Deck, seat: int, rules: Ruleset, rng: Random) -> Player:
    if not deck.cards:
        raise PlannerError(f"deck {deck.name}: is empty; a player starts with cards")
    cards = [in_hand(f"p{seat + 1}.{number + 1}", card) for number, card in enumerate(deck.cards)]
    rng.shuffle(cards)
    size = rules.starting_hand[seat]  # of a smaller deck, all of it
    hero = Hero(rules.hero_health, rules.hero_health, hero_class=deck.hero_class)
    power = deck.power if rules.hero_powers else None
    return Player(hero, hand=tuple(cards[:size]), deck=tuple(cards[size:]), crystals=rules.mana_start, power=power)


def mulligan(state: GameState, replaced: Sequence[str], rng: Chance | None) -> GameState:
    """Put these cards of my starting hand back and draw others; then the other player is asked, or the match begins."""
    player = state.me
    away = [card for card in player.hand if card.id in replaced]
    count = min(len(away), len(player.deck))  # a deck that is too small replaces what it can
    away = away[:count]
    drawn = iter(player.deck[:count])
    hand = tuple(next(drawn) if card in away else card for card in player.hand)
    deck = [*player.deck[count:], *away]
    if away:
        assert isinstance(rng, Random)
        rng.shuffle(deck)
    changed = player._replace(hand=hand, deck=tuple(deck))
    state = state._replace(me=state.enemy, enemy=changed, seat=1 - state.seat)
    return state if state.seat else _begin(state)


def _begin(state: GameState) -> GameState:
    """Give the second player the coin, and let the first begin."""
    if state.rules.coin:
        second = state.enemy
        if len(second.hand) < state.rules.hand_limit:
            coin = in_hand("p2.coin", catalogue.standard()[COIN])
            state = state._replace(enemy=second._replace(hand=(*second.hand, coin)))
    return start_turn(state._replace(turn=1))


def start_turn(state: GameState, rng: Random | None = None) -> GameState:
    """Begin the turn of `me`: a crystal, rested minions, effects at the start of a turn, then the draw."""
    table = Table(state, rng)
    _start(table)
    return table.state()


def end_turn(state: GameState, rng: Random | None = None) -> GameState:
    """End the turn of `me`: effects at the end of a turn, what lasts this turn ends, and the seats change."""
    table = Table(state, rng)
    _end(table)
    return table.state()


def pass_turn(state: GameState, rng: Random | None = None) -> GameState:
    """End the turn and begin the other player's, unless the match is over by then."""
    table = Table(state, rng)
    _end(table)
    if not table.is_over():
        _start(table)
    return table.state()


def last_effects(state: GameState, rng: Chance | None = None) -> Table:
    """The table after the effects at the end of the turn of `me`, and before anything else of that end."""
    table = Table(state, rng)
    if not table.is_over():
        set_off(table, "turn_end")
    return table


def _start(table: Table) -> None:
    me, rules = table.sides[ME], table.rules
    me.crystals = max(me.crystals, min(rules.mana_limit, me.crystals + rules.mana_growth))
    me.locked, me.overload = min(me.overload, me.crystals), 0
    me.mana = me.crystals - me.locked
    me.power_used = False
    me.cards_played = 0
    attacks = me.swings()
    if me.hero.attacks_left != attacks:
        me.hero = me.hero._replace(attacks_left=attacks)
    for place, minion in enumerate(me.board):
        attacks = attacks_per_turn(minion.keywords)
        if minion.fresh or minion.attacks_left != attacks:
            me.board[place] = minion.with_attacks(attacks, False, minion.keywords)
    table.refresh_auras()  # some ask whose turn it is
    set_off(table, "turn_start")
    if not table.is_over():
        for _ in range(rules.draws_per_turn):
            table.draw(ME)


def _end(table: Table) -> None:
    set_off(table, "turn_end")
    me, enemy = table.sides
    me.hand = tuple([card for card in me.hand if not card.echo])
    for place, minion in enumerate(me.board):
        if minion.keywords & FROZEN:
            me.board[place] = _thaw(minion)
    hero = me.hero
    if hero.attack_this_turn or hero.keywords & FROZEN:
        thawed = hero.keywords & ~FROZEN if hero.attacks_left > 0 else hero.keywords
        me.hero = hero._replace(attack_this_turn=0, keywords=thawed)
    for side in table.sides:
        for place, minion in enumerate(side.board):
            if minion.attack_this_turn or minion.keywords_this_turn:
                side.board[place] = _fade(minion)
        if passing := side.hero.keywords_this_turn:
            side.hero = side.hero._replace(keywords=side.hero.keywords & ~passing, keywords_this_turn=0)
    me.locked = 0
    table.sides = (enemy, me)
    table.seat = 1 - table.seat
    table.turn += 1


def _fade(minion: Minion) -> Minion:
    """Without what lasted only this turn."""
    kept = minion.keywords & ~minion.keywords_this_turn
    return minion._replace(
        attack=max(0, minion.attack - minion.attack_this_turn),
        keywords=kept,
        attack_this_turn=0,
        keywords_this_turn=0,
    )


def _thaw(minion: Minion) -> Minion:
    """A frozen minion thaws at the end of the turn in which being frozen cost it an attack."""
    could_attack = minion.attacks_left > 0 and (not minion.fresh or minion.keywords & (CHARGE | RUSH))
    return minion._replace(keywords=minion.keywords & ~FROZEN) if could_attack else minion


def observe(state: GameState, seat: int) -> GameState:
    """The state as the player in this seat may see it: no enemy hand, no order of a deck."""
    me, enemy = state.me, state.enemy
    my_deck, enemy_deck = face_down("me.deck", len(me.deck)), face_down("enemy.deck", len(enemy.deck))
    if seat == state.seat:
        me = me.with_cards(me.hand, my_deck)
        enemy = enemy.with_cards(face_down("enemy.hand", len(enemy.hand)), enemy_deck)
    else:
        me = me.with_cards(face_down("me.hand", len(me.hand)), my_deck)
        enemy = enemy.with_cards(enemy.hand, enemy_deck)
    return new(GameState, (me, enemy, *state[2:]))
