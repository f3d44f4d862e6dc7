"""Turns that nobody has seen before: made anew from a seed, so that nothing can be tuned to them."""

from __future__ import annotations

from itertools import count
from random import Random
from typing import Final

from planner.agents.planner_agent import PlannerAgent
from planner.arena.match.referee import derive_seed, play_match
from planner.bench.states import Position, spread
from planner.errors import PlannerError
from planner.games.hearthstone.cards.card import CLASSES, Card
from planner.games.hearthstone.cards.decks import load_deck
from planner.games.hearthstone.cards.keywords import (
    CHARGE,
    DIVINE_SHIELD,
    RUSH,
    TAUNT,
    WINDFURY,
    attacks_per_turn,
)
from planner.games.hearthstone.match_setup import MatchSetup
from planner.games.hearthstone.rules.actions import Action
from planner.games.hearthstone.rules.ruleset import Ruleset
from planner.games.hearthstone.rules.state import GameState, HandCard, Hero, Minion, Player
from planner.games.hearthstone.turn.hearthstone_weights import TERMS, Weights, profile_names
from planner.games.hearthstone.turn.turn_effects import is_vanilla

# How many turns of each set, unless told otherwise.
FRESH: Final = {"mixed": 500, "crowded": 200, "texts": 1000}
_KEYWORDS: Final = (TAUNT, CHARGE, RUSH, WINDFURY, DIVINE_SHIELD)  # all that the thesis's program knows
_SHARE: Final = 0.12  # of the minions have it, for each keyword
_EFFORT: Final = 2000  # a turn with texts may take minutes to prove; it is written down all the same


def fresh_positions(which: str, seed: int, limit: int | None = None) -> list[Position]:
    """Turns of this kind from this seed: the set's usual number, or as many as the limit says."""
    wanted = FRESH[which] if limit is None else limit
    if which == "texts":
        return _with_texts(seed, wanted)
    found = []
    for number in range(wanted):
        rng = Random(derive_seed(seed, which, number))
        state = (
            random_bodies(rng, rng.randint(0, 5), rng.randint(0, 5), rng.randint(0, 6), rng.randint(0, 10))
            if which == "mixed"
            else random_bodies(rng, rng.randint(6, 7), rng.randint(6, 7), rng.randint(8, 10), 10)
        )
        found.append(Position(random_weights(rng), state))
    return found


# -- bodies


def random_weights(rng: Random) -> Weights:
    """Any whole number for each of the thesis's terms."""
    return Weights.of({term: rng.randint(0, 20) for term in TERMS})


def random_bodies(rng: Random, mine: int, theirs: int, hand: int, mana: int) -> GameState:
    """So many minions on either side and in hand, made up: any numbers, any keywords of the thesis."""
    rules = Ruleset.of("standard")
    board, facing = (
        tuple(_minion(rng, f"{side}.board.{place}") for place in range(size))
        for side, size in (("me", mine), ("enemy", theirs))
    )
    cards = tuple(
        HandCard(name, card, card.cost, card.value)
        for name, card in ((f"me.hand.{place}", _card(rng, rng.randint(1, 5))) for place in range(hand))
    )
    heroes = [Hero(rng.randint(1, rules.hero_health), rules.hero_health) for _ in range(2)]
    return GameState(
        Player(heroes[0], board, cards, mana=mana, crystals=mana), Player(heroes[1], facing, crystals=mana), rules
    )


def _card(rng: Random, value: int = 1) -> Card:
    kept = sum(bit for bit in _KEYWORDS if rng.random() < _SHARE)
    return Card("Minion", "minion", rng.randint(0, 8), rng.randint(0, 8), rng.randint(1, 8), kept, value=value)


def _minion(rng: Random, name: str) -> Minion:
    """It is rested, and its card costs nothing, as that of any minion that is given without a name."""
    card = _card(rng)
    body = Card(card.name, card.type, 0, card.attack, card.health, card.keywords)
    return Minion(name, body, card.attack, card.health, card.health, card.keywords, attacks_per_turn(card.keywords))


# -- texts


class Recorder(PlannerAgent):
    """A planner that writes down the turns that it is asked to plan, as they begin."""

    def __init__(self, profile: str, seen: list[Position]) -> None:
        super().__init__(profile, effort=_EFFORT)
        self.seen = seen

    def decide(self, state: GameState) -> Action:
        """The same as without writing it down."""
        if state.turn > 0 and self._turn != (state.turn, state.seat):
            self.seen.append(Position(Weights.of(self.weights.name), state))
        action: Action = super().decide(state)
        return action


def record_match(profiles: tuple[str, str], setup: MatchSetup, seed: int) -> list[Position]:
    """All turns of one match between these profiles."""
    seen: list[Position] = []
    end = play_match((Recorder(profiles[0], seen), Recorder(profiles[1], seen)), setup, seed).outcome
    if end.reason not in ("damage", "fatigue", "turn limit"):
        raise PlannerError(f"seed {seed}: {end}")  # the turn that went wrong would be missing
    return seen


def _with_texts(seed: int, wanted: int) -> list[Position]:
    """Turns in which a text matters, of whole matches between class decks: profiles and decks are drawn, too."""
    rules, names = Ruleset.of("standard"), profile_names()
    decks = [load_deck(name) for name in CLASSES]
    found: list[Position] = []
    for number in count():
        if len(found) >= wanted:
            return spread(found, wanted)
        match_seed = derive_seed(seed, "texts", number)
        rng = Random(match_seed)
        setup = MatchSetup((rng.choice(decks), rng.choice(decks)), rules)
        turns = record_match((rng.choice(names), rng.choice(names)), setup, match_seed)
        found.extend(position for position in turns if not is_vanilla(position.state))
    raise AssertionError("unreachable")
