"""The turns that a benchmark plans: read from files of one line each, or made as crowded as one likes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

from planner.errors import PlannerError
from planner.formats.documents import read_text, shipped_folder
from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.cards.catalogue import standard
from planner.games.hearthstone.cards.decks import Deck, load_deck
from planner.games.hearthstone.rules.ruleset import Ruleset
from planner.games.hearthstone.rules.state import GameState, Hero, Minion, Player, in_hand, new_minion
from planner.games.hearthstone.rules.state_text import state_from_text, state_to_text
from planner.games.hearthstone.turn.hearthstone_weights import Weights

SETS: Final = ("recorded", "crowded", "texts")
_DAMAGED: Final = 0.4  # of the minions on a crowded board


class Position(NamedTuple):
    """One turn to plan: the state, and the profile of the player who planned it."""

    weights: Weights
    state: GameState

    def to_line(self) -> str:
        return f"{self.weights.name}\t{state_to_text(self.state)}"


def thesis_decks(rules: Ruleset) -> tuple[Deck, Deck]:
    """The decks of the thesis's tournament, first seat first."""
    first, second = (
        load_deck(f"thesis_{name}", size=rules.deck_size, copies=rules.copies) for name in ("paladin", "warrior")
    )
    return first, second


def load_positions(which: str) -> list[Position]:
    """The positions of one of the sets that come with the project, or of a file: profile, tab, state as text."""
    path = shipped_folder("experiments") / "states" / f"{which}.txt" if which in SETS else Path(which)
    found = []
    for number, line in enumerate(read_text(path).splitlines(), start=1):
        if not line.strip():
            continue
        profile, tab, text = line.partition("\t")
        if not tab:
            raise PlannerError(f"{path}:{number}: not of the form 'profile, tab, state'")
        try:
            found.append(Position(Weights.of(profile), state_from_text(text)))
        except PlannerError as error:
            raise PlannerError(f"{path}:{number}: {error}") from None
    if not found:
        raise PlannerError(f"{path}: there is no state in it")
    return found


def spread(positions: list[Position], limit: int | None) -> list[Position]:
    """At most so many of them, from all over the list."""
    if limit is None or limit >= len(positions):
        return positions
    return [positions[place * len(positions) // limit] for place in range(limit)]


def small_positions() -> list[Position]:
    """Own boards of every size against one enemy: quickly planned, and all that is needed once is needed here."""
    rules = Ruleset.of("thesis")
    decks, rng, weights = thesis_decks(rules), Random(1), Weights.of("true_balanced")
    return [Position(weights, crowded_state(rng, decks, rules, mine, 1, 3, mana=5)) for mine in range(8)]


def crowded_state(
    rng: Random, decks: tuple[Deck, Deck], rules: Ruleset, mine: int, theirs: int, hand: int, mana: int
) -> GameState:
    """So many minions on either side, some of them damaged, and so many minions in hand, all from these decks."""
    rules = _with_room(rules, max(mine, theirs), hand, mana)
    own = _draw(rng, decks[0], mine + hand)
    other = _draw(rng, decks[1], theirs)
    board = tuple(_rested(rng, f"me.board.{n}", card, n) for n, card in enumerate(own[:mine]))
    facing = tuple(_rested(rng, f"enemy.board.{n}", card, mine + n) for n, card in enumerate(other))
    cards = tuple(in_hand(f"me.hand.{n}", card) for n, card in enumerate(own[mine:]))
    heroes = [Hero(rng.randint(8, rules.hero_health), rules.hero_health, hero_class=deck.hero_class) for deck in decks]
    me = Player(heroes[0], board, cards, mana=mana, crystals=mana)
    enemy = Player(heroes[1], facing, crystals=mana)
    return GameState(me, enemy, rules, turn=19, clock=mine + theirs)


def _with_room(rules: Ruleset, board: int, hand: int, mana: int) -> Ruleset:
    places, cards, crystals = (
        max(rules.board_limit, board), max(rules.hand_limit, hand), max(rules.mana_limit, mana)
    )  # fmt: skip
    if (places, cards, crystals) == (rules.board_limit, rules.hand_limit, rules.mana_limit):
        return rules
    name = f"{rules.name} {places}/{cards}/{crystals}"
    return replace(rules, name=name, board_limit=places, hand_limit=cards, mana_limit=crystals)


def _draw(rng: Random, deck: Deck, count: int) -> list[Card]:
    decks_needed = 1 + (count - 1) // len(deck.cards)
    return rng.sample(deck.cards * decks_needed, count)


def _rested(rng: Random, name: str, card: Card, entered: int) -> Minion:
    """The minion at the start of its owner's turn."""
    minion = new_minion(name, card, entered)._replace(fresh=False)
    if rng.random() < _DAMAGED:
        minion = minion._replace(health=rng.randint(1, minion.max_health))
    return minion


def random_state(rng: Random) -> dict[str, Any]:
    """Any cards of the catalogue on both boards and in hand, in the JSON form: some turns are easy, some are hard."""
    cards = [card for card in standard().values() if not card.token and card.type != "hero_power"]
    minions = [card.name for card in cards if card.type == "minion"]
    heroes = [{"health": rng.randint(5, 30)} for _ in range(2)]
    boards = [rng.sample(minions, rng.randint(0, 6)) for _ in range(2)]
    hand = rng.sample([card.name for card in cards], rng.randint(1, 8))
    return {
        "mana": rng.randint(3, 10),
        "me": {"hero": heroes[0], "board": boards[0], "hand": hand, "deck": 10},
        "enemy": {"hero": heroes[1], "board": boards[1], "hand": 3, "deck": 10},
    }
