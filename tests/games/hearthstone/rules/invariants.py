"""Checks that hold for every state, and for every step from one state to the next."""

from __future__ import annotations

import pickle
from random import Random

from planner.games.hearthstone.rules.actions import Action, Attack, EndTurn, HeroPower, Play, Trade
from planner.games.hearthstone.rules.legal import can_merge, illegal_reason, is_over, legal_actions
from planner.games.hearthstone.rules.match_flow import outcome
from planner.games.hearthstone.rules.resolve import IllegalActionError, apply
from planner.games.hearthstone.rules.state import ENEMY_HERO, MY_HERO, GameState


def check_state(state: GameState) -> None:
    """Check that the state is possible."""
    rules = state.rules
    names = [thing.id for zone in zones(state).values() for thing in zone]
    assert len(names) == len(set(names)), "duplicate id"
    for player in (state.me, state.enemy):
        assert len(player.board) <= rules.board_limit
        assert len(player.hand) <= rules.hand_limit
        assert 0 <= player.mana <= rules.mana_limit
        assert 0 <= player.crystals <= rules.mana_limit
        assert 0 <= player.locked <= player.crystals
        assert player.hero.armor >= 0
        assert player.hero.attacks_left >= 0
        assert player.hero.health <= player.hero.max_health
        assert player.weapon is None or player.weapon.durability > 0
        for minion in player.board:
            assert 0 < minion.health <= minion.max_health, f"{minion.id} is dead or above its maximum health"
            assert minion.attack >= 0
            assert minion.attacks_left >= 0
    assert len({minion.entered for player in (state.me, state.enemy) for minion in player.board}) == len(
        state.me.board + state.enemy.board
    ), "two minions with the same order of entering"
    check_ending(state)
    copy = pickle.loads(pickle.dumps(state))
    assert state == copy
    assert hash(state) == hash(copy)


def check_ending(state: GameState) -> None:
    """Check that the outcome agrees with the health of the heroes."""
    end = outcome(state)
    assert is_over(state) == (end is not None)
    me_dead, enemy_dead = state.me.hero.health <= 0, state.enemy.hero.health <= 0
    if end is None:
        assert not me_dead
        assert not enemy_dead
        assert state.cause == ""
    elif end.winner is None:
        assert (me_dead and enemy_dead) or (not me_dead and not enemy_dead and end.reason == "turn limit")
    else:
        assert (me_dead, enemy_dead) == (end.winner != state.seat, end.winner == state.seat)


def zones(state: GameState) -> dict[tuple[int, str], tuple]:  # type: ignore[type-arg]
    """Return every zone by seat and name, which stay the same when the turn passes."""
    return {(seat, zone): getattr(state.player(seat), zone) for seat in (0, 1) for zone in ("deck", "hand", "board")}


def check_step(before: GameState, action: Action, after: GameState) -> None:
    """Check that no card is lost, doubled, changed or moved without a reason."""
    was = {thing.id: (where, thing) for where, zone in zones(before).items() for thing in zone}
    now = {thing.id: (where, thing) for where, zone in zones(after).items() for thing in zone}
    acted = action.card if isinstance(action, Play | Trade) else None
    for name, (where, thing) in was.items():
        if name in now:
            there, then = now[name]
            same = then.card is thing.card or then.card == thing.card
            assert same or can(before, "transform"), f"{name} became another card"
            assert there[0] == where[0], f"{name} changed sides"
            moved = (where[1], there[1])
            allowed = {("deck", "hand")}
            if name == acted:
                allowed = {("hand", "board")} if isinstance(action, Play) else {("hand", "deck")}
            returned = moved[1] == "hand" and moved[0] != "deck"
            fine = where == there or moved in allowed or (returned and can(before, "return"))
            assert fine, f"{name} went from {where} to {there}"
            continue
        seat, zone = where
        if zone == "deck":
            hand_size = len(after.player(seat).hand)
            if isinstance(action, EndTurn):  # echo copies filled the hand until the end of the turn
                hand_size += sum(card.echo for card in before.player(seat).hand)
            burned = hand_size >= after.rules.hand_limit
            assert burned or can(before, "discard"), f"{name} disappeared from the deck"  # drawn and discarded
        elif zone == "hand":
            expected = name == acted or (thing.echo and isinstance(action, EndTurn)) or can(before, "discard")
            assert expected, f"{name} disappeared from the hand"
    for name in now.keys() - was.keys():
        assert name.startswith("new."), f"{name} has no origin"
    if isinstance(action, Play):
        check_play(before, action, after)
    if isinstance(action, EndTurn):
        assert (after.seat, after.turn) == (1 - before.seat, before.turn + 1)
    else:
        assert (after.seat, after.turn) == (before.seat, before.turn)
    assert after.clock >= before.clock


def can(state: GameState, do: str) -> bool:
    """Return whether a card in the match has this effect, or can create a card that has it."""
    to_visit = [thing.card for zone in zones(state).values() for thing in zone]
    to_visit += [power for player in (state.me, state.enemy) if (power := player.power) is not None]
    visited = set()
    while to_visit:
        card = to_visit.pop()
        if id(card) not in visited:
            visited.add(id(card))
            if any(effect.do == do for effect in card.effects):
                return True
            to_visit += [made for effect in card.effects for made in effect.made]
    return False


def check_play(before: GameState, action: Play, after: GameState) -> None:
    """Check that a played card has left the hand and its cost was paid."""
    hand_card = next(card for card in before.me.hand if card.id == action.card)
    assert all(other.id != hand_card.id for other in after.me.hand) or can(before, "return")
    assert after.me.cards_played == before.me.cards_played + 1
    assert after.me.mana == before.me.mana - hand_card.cost or can(before, "mana")
    if action.target and can_merge(hand_card.card, before.me.cards_played > 0):
        assert len(after.me.board) == len(before.me.board)


def random_action(ids: list[str], rng: Random) -> Action:
    """Return an action with random ids of this match, legal or not."""
    choices = [MY_HERO, ENEMY_HERO, "unknown", *ids]
    name, target = rng.choice(choices), rng.choice(choices)
    powers: list[Action] = [HeroPower(target), HeroPower(), EndTurn()]
    return rng.choice([Play(name, target), Play(name), Attack(name, target), Trade(name), *powers])


def check_legal(state: GameState, rng: Random, refused: int = 30) -> list[Action]:
    """Check that `legal_actions` and `illegal_reason` agree, and that illegal actions are refused with the reason."""
    actions = legal_actions(state)
    assert len(actions) == len(set(actions)), "an action is listed twice"
    assert bool(actions) != is_over(state)
    for action in actions:
        assert illegal_reason(state, action) is None
    listed = set(actions)
    ids = [thing.id for zone in zones(state).values() for thing in zone]
    for action in (random_action(ids, rng) for _ in range(refused)):
        if action in listed:
            continue
        reason = illegal_reason(state, action)
        assert reason, f"{action} is not listed, but illegal_reason allows it"
        message = None
        try:
            apply(state, action, rng)
        except IllegalActionError as error:
            message = str(error)
        assert message == reason
    return actions


def step(state: GameState, action: Action, rng: Random) -> GameState:
    """Apply the action and run all checks; the state itself must not change."""
    copy = pickle.loads(pickle.dumps(state))  # a deep copy
    after = apply(state, action, rng)
    assert state == copy, f"{action} changed its argument"
    check_state(after)
    check_step(state, action, after)
    return after
