"""What holds in every state of every deck-building game, over random play."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from planner.errors import PlannerError
from planner.game import AnyGame
from planner.games import game
from planner.games.deckbuilder import rules
from planner.games.deckbuilder.deckbuilder_table import describe_move
from planner.games.deckbuilder.observation import observe, sample_hidden
from planner.games.deckbuilder.table_state import HIDDEN, Action, Player, State
from tests.games.deckbuilder.scenarios import Scenario

GAMES = ("dominion", "ascension", "caveman")
HIDDEN_ZONES = ("hand", "deck", "unseen", "looked")


def setup(game_: AnyGame, seed: int, players: int) -> object:
    chosen = game_.setup_from_words([f"random:{seed}"] if game_.definition.kingdom.piles else [])
    return game_.with_seats(chosen, players if game_.definition.players[-1] > 2 else 2)


def random_states(name: str, seed: int, players: int, limit: int = 400) -> list[State]:
    """Return the states of a random match in which players start with random decks, so that many cards are met."""
    found, rng = game(name), Random(seed)
    first = found.start(setup(found, seed, players), rng)
    kinds = [index for index, card in enumerate(found.definition.cards) if card.playable and card.kept]
    dealt = []
    for player in first.players:
        cards = [kinds[int(rng.random() * len(kinds))] for _ in range(20)]
        dealt.append(player._replace(hand=tuple(sorted(cards[:8])), deck=tuple(sorted(cards[8:]))))
    states = [first._replace(players=tuple(dealt))]
    while not states[-1].ended and len(states) < limit:
        actions = found.legal_actions(states[-1])
        states.append(found.apply(states[-1], actions[int(rng.random() * len(actions))], rng))
    return states


def all_cards(state: State) -> Counter[int]:
    """Count the cards of all zones; a permanent pile has no number."""
    cards: Counter[int] = Counter((*state.trash, *state.centre))
    for player in state.players:
        for zone in (
            player.hand, player.deck, player.top, player.discard, player.unseen, player.played, player.in_play,
            player.looked, player.revealed, player.aside,
        ):  # fmt: skip
            cards.update(zone)
    piles = state.match.piles
    for slot, (top, left, below) in enumerate(zip(state.tops, state.left, state.below, strict=True)):
        if slot < len(piles) and piles[slot].permanent:
            continue
        cards.update(below)
        if top >= 0:
            cards[top] += left - len(below)
    return cards


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_no_card_is_created_or_lost(name: str, players: int) -> None:
    for seed in range(3):
        states = random_states(name, seed, players)
        expected = all_cards(states[0])
        assert all(number > 0 for number in expected.values())
        for state in states:
            assert all_cards(state) == expected


@pytest.mark.parametrize("name", GAMES)
def test_numbers_stay_in_range_and_turns_begin_with_a_full_hand(name: str) -> None:
    for seed in range(4):
        turn = 0
        for state in random_states(name, seed, 2):
            size = state.match.definition.hand_size.constant
            assert min(state.stats) >= 0
            assert min(state.left) >= 0
            assert all(player.health >= 0 for player in state.players)
            assert all(len(player.top) == len(player.top_seen) for player in state.players)
            if state.turn != turn and not state.frames and not state.ended:
                turn = state.turn
                active = state.players[state.active]
                owned = len(active.hand) + len(active.deck) + len(active.top) + len(active.discard)
                if state.turn > 2 * len(state.players) and not _attacked(state):
                    assert len(active.hand) == min(size, owned)
            if not state.frames:
                assert not any(player.looked or player.revealed or player.aside for player in state.players)


def _attacked(state: State) -> bool:
    """Return whether another player could have changed the hand: Militia, Bureaucrat and Council Room do."""
    return state.match.definition.title == "Dominion"


def scramble(player: Player, seat_bit: int, rng: Random, own: bool) -> Player:
    """Deal the cards of one player that another seat cannot see among the places where they are."""
    places: list[tuple[str, int]] = []
    zones = {zone: list(getattr(player, zone)) for zone in ("hand", "deck", "unseen", "looked", "top", "discard")}
    for zone in HIDDEN_ZONES if not own else (("deck", "unseen") if player.mixed else ()):
        places += [(zone, index) for index in range(len(zones[zone]))]
    if not own:
        places += [("top", i) for i, seen in enumerate(player.top_seen) if not seen & seat_bit]
        places += [("discard", index) for index in range(len(player.discard) - 1)]
    cards = [zones[zone][index] for zone, index in places]
    rng.shuffle(cards)
    for (zone, index), card in zip(places, cards, strict=True):
        zones[zone][index] = card
    in_order = {"top", "discard"}
    return player._replace(**{zone: tuple(held if zone in in_order else sorted(held)) for zone, held in zones.items()})


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("players", [2, 4])
def test_hidden_cards_do_not_leak(name: str, players: int) -> None:
    """Two states that differ only in what a seat cannot see give it equal observations."""
    rng, changed = Random(5), 0
    for seed in range(3):
        for state in random_states(name, seed, players, 250)[::3]:
            for seat in range(len(state.players)):
                others = tuple(
                    scramble(player, 1 << seat, rng, other == seat) for other, player in enumerate(state.players)
                )
                twin = state._replace(players=others)
                changed += twin != state
                assert observe(twin, seat) == observe(state, seat)
    assert changed > 100


@pytest.mark.parametrize("name", GAMES)
def test_a_seat_sees_what_it_should(name: str) -> None:
    for state in random_states(name, 7, 3, 300):
        for seat in range(len(state.players)):
            view = observe(state, seat)
            assert observe(view, seat) == view
            assert (view.tops, view.left, view.trash, view.stats) == (state.tops, state.left, state.trash, state.stats)
            for other, (seen, player) in enumerate(zip(view.players, state.players, strict=True)):
                assert len(seen.hand) == len(player.hand)
                assert len(seen.deck) + len(seen.top) == len(player.deck) + len(player.top)
                assert seen.discard[-1:] == player.discard[-1:]
                assert (seen.played, seen.in_play, seen.revealed) == (player.played, player.in_play, player.revealed)
                if other == seat:
                    assert seen.hand == player.hand
                else:
                    assert set(seen.hand) | set(seen.deck) | set(seen.discard[:-1]) | set(seen.looked) <= {HIDDEN}
            if state.prompt is not None and state.prompt.seat != seat:
                assert view.prompt is not None
                assert view.prompt.options == view.prompt.picked == ()
                assert view.prompt.message == ""
                assert not any(frame.chosen for frame in view.frames)
            if not any(player.mixed for player in state.players):
                assert rules.scores(view) == rules.scores(state)


@pytest.mark.parametrize("name", GAMES)
def test_every_kind_of_pile_and_card_is_met(name: str) -> None:
    """Random play reaches most cards, so that the invariants above concern them."""
    found = game(name)
    met: set[int] = set()
    for seed in range(6):
        for state in random_states(name, seed, 2):
            for player in state.players:
                met |= {*player.played, *player.in_play}
            met |= set(state.trash)
    playable = {index for index, card in enumerate(found.definition.cards) if card.playable}
    assert len(met & playable) >= 0.6 * len(playable)


@pytest.mark.parametrize("name", GAMES)
def test_every_state_can_be_written_and_read(name: str) -> None:
    """Also in the middle of effects: what they remember is part of the state."""
    found = game(name)
    for seed in range(3):
        for state in random_states(name, seed, 2, 200):
            assert found.state_from_json(json.loads(json.dumps(found.state_to_json(state)))) == state


def test_an_empty_centre_deck_is_not_filled_again() -> None:
    state = random_states("ascension", 1, 2, 1)[0]._replace(centre=())
    assert game("ascension").state_from_json(game("ascension").state_to_json(state)) == state


def test_state_during_repeated_and_doubled_effects_can_be_written_and_read() -> None:
    """Throne Room plays a Library, Sentry or Bandit twice: repeats, prompts of both players and orders of cards."""
    found, remembered = game("dominion"), 0
    for seed in range(12):
        card = ("Library", "Sentry", "Bandit")[seed % 3]
        state = Scenario(
            found, {"hand": f"Throne Room, {card}, Copper", "deck": "Moat*4, Village*4, Estate*2, Gold"},
            {"hand": "Copper*4", "deck": "Gold*2, Silver*3"},
        ).do("play 'Throne Room'", f"choose {card}").state  # fmt: skip
        rng = Random(seed)
        while state.turn == 1 and not state.ended:
            assert found.state_from_json(json.loads(json.dumps(found.state_to_json(state)))) == state
            remembered += any(frame.memo for frame in state.frames)
            actions = found.legal_actions(state)
            state = found.apply(state, actions[int(rng.random() * len(actions))], rng)
    assert remembered > 10


def test_cards_exchanged_unseen_stay_unknown_when_the_other_player_knows_the_own_deck_again() -> None:
    """After Prophet, one player sees all own cards again. The other must not learn from that what it gave."""
    deck = {"hand": "Prophet, Wood", "deck": "Wood*5, Spear"}
    state = Scenario("caveman", deck, {"hand": "Wood", "deck": "Bone, Wood, Sling"}).do("play Prophet").state
    own = state.players[0]
    state = state._replace(
        players=(own._replace(discard=(*own.discard, *own.deck, *own.unseen), deck=(), unseen=(), mixed=False),
                 state.players[1])
    )  # fmt: skip
    other = state.players[1]
    seen = observe(state, 1)
    assert not any(player.pool for player in seen.players)
    assert len(seen.pool) == len(own.hand) + len(state.players[0].discard) - 1 + len(other.deck) + len(other.unseen)
    whole = sample_hidden(seen, Random(1))
    assert HIDDEN not in (*whole.players[0].hand, *whole.players[1].deck, *whole.players[1].unseen)
    assert observe(whole, 1) == seen


def test_log_does_not_tell_an_attacked_player_what_the_other_draws() -> None:
    """With Throne Room, the answer to the first Witch is followed by the draw of the second."""
    table = Scenario(
        "dominion", {"hand": "Throne Room, Witch", "top": "Copper*2, Gold, Province"}, {"hand": "Moat, Copper"},
        kingdom="Size Distortion",
    ).do("play 'Throne Room'", "choose Witch")  # fmt: skip
    before = table.state
    after = table.do("yes").state
    assert len(after.players[0].hand) == 4
    answer = Action("yes")
    assert describe_move(before, answer, after, 1) == "player 2: show Moat to be unaffected by Witch: yes"
    assert "Gold" not in describe_move(before, answer, after, 0)


def paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the place of every value in JSON data."""
    yield path
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield from paths(value[key], (*path, key))


@pytest.mark.parametrize("name", GAMES)
def test_changed_states_are_refused_or_played_on(name: str) -> None:
    """A state with an open decision holds indices and options; whatever they are, the rules must not fail."""
    found, rng, played = game(name), Random(3), 0
    values = [0, -1, 2, 4095, 40960, "?", "Gold", "hand", None, [], {}, [["hand", "Mystic"]], '{"asked": "option"}']
    states = [state for state in random_states(name, 2, 2, 300) if state.prompt is not None]
    for _ in range(150):
        data = found.state_to_json(rng.choice(states))
        places = [path for path in paths(data) if len(path) > 1 and path[0] in ("frames", "prompt", "listeners")]
        *way, last = rng.choice(places)
        holder = data
        for key in way:
            holder = holder[key]
        holder[last] = rng.choice(values)  # type: ignore[index]
        try:
            state = found.state_from_json(data)
        except PlannerError:
            continue
        for _ in range(6):
            actions = found.legal_actions(state)
            if actions:
                state = found.apply(state, rng.choice(actions), rng)
                played += 1
    assert played > 30


def test_card_from_below_the_top_of_the_discard_pile_stays_secret() -> None:
    table = Scenario(
        "dominion", {"hand": "Harbinger", "deck": "Copper*5", "discard": "Gold, Village, Estate"}, {"hand": "Copper"},
        kingdom="Deck Top",
    ).do("play Harbinger")  # fmt: skip
    before = table.state
    table.do("choose Gold")
    assert observe(table.state, 1).players[0].top == (HIDDEN,)
    assert observe(table.state, 0).players[0].top != (HIDDEN,)
    table.state = before
    table.do("choose Estate")  # all players saw it
    assert observe(table.state, 1).players[0].top == (table.state.match.definition.ids["Estate"],)


def test_any_card_can_be_on_top_after_the_deck_is_discarded() -> None:
    tops = Counter[int]()
    for seed in range(60):
        table = Scenario(
            "dominion", {"hand": "Chancellor", "deck": "Copper*3, Province"}, {"hand": "Copper"}, kingdom="Big Money"
        )
        table.rng = Random(seed)
        table.do("play Chancellor", "yes")
        tops[table.state.players[0].discard[-1]] += 1
    ids = game("dominion").definition.ids
    assert tops.keys() == {ids["Copper"], ids["Province"]}
    assert tops[ids["Copper"]] > tops[ids["Province"]]
