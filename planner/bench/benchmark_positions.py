"""The positions that benchmarks plan: recorded ones from files, random ones from a seed, and crowded boards."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

from planner.agents.planner_agent import PlannerAgent
from planner.arena.match.referee import derive_seed, play_match
from planner.errors import PlannerError
from planner.formats.documents import read_text, shipped_folder
from planner.games.hearthstone.cards.card import CLASSES, Card
from planner.games.hearthstone.cards.catalogue import standard
from planner.games.hearthstone.cards.decks import Deck, load_deck
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
from planner.games.hearthstone.rules.state import GameState, HandCard, Hero, Minion, Player, in_hand, new_minion
from planner.games.hearthstone.rules.state_text import state_from_text, state_to_text
from planner.games.hearthstone.turn.hearthstone_weights import TERMS, Weights
from planner.games.hearthstone.turn.turn_effects import is_vanilla

GUO_PROFILES: Final = (
    "keep_alive", "board_clear", "aggro_face", "value_trade", "aggro_tempo", "true_balanced", "author_favorite",
)  # fmt: skip
RECORDED_SETS: Final = ("recorded", "crowded", "texts")
RANDOM_SETS: Final = {"mixed": 500, "crowded": 200, "texts": 1000}  # names, and positions by default
_DAMAGED_SHARE: Final = 0.4  # of the minions on a crowded board
_GUO_KEYWORDS: Final = (TAUNT, CHARGE, RUSH, WINDFURY, DIVINE_SHIELD)  # the keywords of the model of Guo 2025
_KEYWORD_SHARE: Final = 0.12  # of the random minions, for each keyword
_RECORDING_EFFORT: Final = 2000  # to prove a turn with card effects may take minutes


class Position(NamedTuple):
    """A turn to plan: the state and the weights."""

    weights: Weights
    state: GameState

    def to_line(self) -> str:
        """Return the line of a position file: profile, tab, state as text."""
        return f"{self.weights.name}\t{state_to_text(self.state)}"


def evenly_spaced(positions: list[Position], limit: int | None) -> list[Position]:
    """Return at most `limit` positions, evenly spaced over the list."""
    if limit is None or limit >= len(positions):
        return positions
    return [positions[index * len(positions) // limit] for index in range(limit)]


# -- positions from files


def load_positions(source: str) -> list[Position]:
    """Load one of the recorded sets, or a file in which each line has a profile, a tab and a state as text."""
    is_set = source in RECORDED_SETS
    path = shipped_folder("experiments") / "states" / f"{source}.txt" if is_set else Path(source)
    positions = []
    for number, line in enumerate(read_text(path).splitlines(), start=1):
        if not line.strip():
            continue
        profile, tab, text = line.partition("\t")
        if not tab:
            raise PlannerError(f"{path}:{number}: must have the form 'profile, tab, state'")
        try:
            positions.append(Position(Weights.of(profile), state_from_text(text)))
        except PlannerError as error:
            raise PlannerError(f"{path}:{number}: {error}") from None
    if not positions:
        raise PlannerError(f"{path}: contains no state")
    return positions


# -- positions of recorded matches


class RecordingAgent(PlannerAgent):
    """A planner that records the start of each turn that it plans."""

    def __init__(self, profile: str, recorded: list[Position]) -> None:
        super().__init__(profile, effort=_RECORDING_EFFORT)
        self.recorded = recorded

    def decide(self, state: GameState) -> Action:
        """Return the planner's action."""
        if state.turn > 0 and self._turn != (state.turn, state.seat):
            self.recorded.append(Position(Weights.of(self.weights.name), state))
        action: Action = super().decide(state)
        return action


def record_match(profiles: tuple[str, str], setup: MatchSetup, seed: int) -> list[Position]:
    """Play a match between these profiles, and return all its turns."""
    recorded: list[Position] = []
    agents = RecordingAgent(profiles[0], recorded), RecordingAgent(profiles[1], recorded)
    outcome = play_match(agents, setup, seed).outcome
    if outcome.reason not in ("damage", "fatigue", "turn limit"):
        raise PlannerError(f"seed {seed}: {outcome}")  # the turn that failed would be missing
    return recorded


# -- random positions


def random_positions(name: str, seed: int, limit: int | None = None) -> list[Position]:
    """Generate a random set from a seed, with its default number of positions unless `limit` is given."""
    size = RANDOM_SETS[name] if limit is None else limit
    if name == "texts":
        return _random_effect_positions(seed, size)
    positions = []
    for number in range(size):
        rng = Random(derive_seed(seed, name, number))
        state = (
            random_vanilla_state(rng, rng.randint(0, 5), rng.randint(0, 5), rng.randint(0, 6), rng.randint(0, 10))
            if name == "mixed"
            else random_vanilla_state(rng, rng.randint(6, 7), rng.randint(6, 7), rng.randint(8, 10), 10)
        )
        positions.append(Position(random_weights(rng), state))
    return positions


def random_weights(rng: Random) -> Weights:
    """Return random integer weights for the eight terms of Guo 2025."""
    return Weights.of({term: rng.randint(0, 20) for term in TERMS})


def random_vanilla_state(rng: Random, mine: int, theirs: int, hand: int, mana: int) -> GameState:
    """Return a state with this many vanilla minions on both boards and in hand: random numbers and keywords."""
    rules = Ruleset.of("standard")
    my_board, enemy_board = (
        tuple(_random_minion(rng, f"{side}.board.{index}") for index in range(size))
        for side, size in (("me", mine), ("enemy", theirs))
    )
    cards = tuple(
        HandCard(name, card, card.cost, card.value)
        for name, card in ((f"me.hand.{index}", _random_card(rng, rng.randint(1, 5))) for index in range(hand))
    )
    heroes = [Hero(rng.randint(1, rules.hero_health), rules.hero_health) for _ in range(2)]
    me = Player(heroes[0], my_board, cards, mana=mana, crystals=mana)
    return GameState(me, Player(heroes[1], enemy_board, crystals=mana), rules)


def _random_card(rng: Random, value: int = 1) -> Card:
    keywords = sum(bit for bit in _GUO_KEYWORDS if rng.random() < _KEYWORD_SHARE)
    return Card("Minion", "minion", rng.randint(0, 8), rng.randint(0, 8), rng.randint(1, 8), keywords, value=value)


def _random_minion(rng: Random, name: str) -> Minion:
    """Return a minion that can attack; its card costs 0, like every minion that a state gives without a name."""
    card = _random_card(rng)
    free = Card(card.name, card.type, 0, card.attack, card.health, card.keywords)
    return Minion(name, free, card.attack, card.health, card.health, card.keywords, attacks_per_turn(card.keywords))


def _random_effect_positions(seed: int, size: int) -> list[Position]:
    """Return turns with card effects, from matches of random profiles with random class decks."""
    rules, names = Ruleset.of("standard"), Weights.names()
    decks = [load_deck(name) for name in CLASSES]
    positions: list[Position] = []
    for number in count():
        if len(positions) >= size:
            break
        match_seed = derive_seed(seed, "texts", number)
        rng = Random(match_seed)
        setup = MatchSetup((rng.choice(decks), rng.choice(decks)), rules)
        turns = record_match((rng.choice(names), rng.choice(names)), setup, match_seed)
        positions.extend(position for position in turns if not is_vanilla(position.state))
    return evenly_spaced(positions, size)


def random_state(rng: Random) -> dict[str, Any]:
    """Return a state in its JSON form with random cards of the catalogue; some are easy to plan, some are hard."""
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


# -- boards of a given size, from the decks of Guo 2025


def thesis_decks(rules: Ruleset) -> tuple[Deck, Deck]:
    """Return the decks of the tournament in Guo 2025, first seat first."""
    first, second = (
        load_deck(f"thesis_{name}", size=rules.deck_size, copies=rules.copies) for name in ("paladin", "warrior")
    )
    return first, second


def warm_up_positions() -> list[Position]:
    """Return positions that plan fast and load everything that is loaded once: all board sizes against one enemy."""
    rules = Ruleset.of("thesis")
    decks, rng, weights = thesis_decks(rules), Random(1), Weights.of("true_balanced")
    return [Position(weights, crowded_state(rng, decks, rules, mine, 1, 3, mana=5)) for mine in range(8)]


def crowded_state(
    rng: Random, decks: tuple[Deck, Deck], rules: Ruleset, mine: int, theirs: int, hand: int, mana: int
) -> GameState:
    """Return a state with this many minions from the decks on both boards, some damaged, and this many in hand."""
    rules = _raise_limits(rules, max(mine, theirs), hand, mana)
    my_cards = _draw(rng, decks[0], mine + hand)
    enemy_cards = _draw(rng, decks[1], theirs)
    my_board = tuple(_ready_minion(rng, f"me.board.{n}", card, n) for n, card in enumerate(my_cards[:mine]))
    enemy_board = tuple(_ready_minion(rng, f"enemy.board.{n}", card, mine + n) for n, card in enumerate(enemy_cards))
    cards = tuple(in_hand(f"me.hand.{n}", card) for n, card in enumerate(my_cards[mine:]))
    heroes = [Hero(rng.randint(8, rules.hero_health), rules.hero_health, hero_class=deck.hero_class) for deck in decks]
    me = Player(heroes[0], my_board, cards, mana=mana, crystals=mana)
    enemy = Player(heroes[1], enemy_board, crystals=mana)
    return GameState(me, enemy, rules, turn=19, clock=mine + theirs)


def _raise_limits(rules: Ruleset, board: int, hand: int, mana: int) -> Ruleset:
    """Return rules whose limits allow a state of this size."""
    limits = max(rules.board_limit, board), max(rules.hand_limit, hand), max(rules.mana_limit, mana)
    if limits == (rules.board_limit, rules.hand_limit, rules.mana_limit):
        return rules
    name = f"{rules.name} {'/'.join(map(str, limits))}"
    return replace(rules, name=name, board_limit=limits[0], hand_limit=limits[1], mana_limit=limits[2])


def _draw(rng: Random, deck: Deck, size: int) -> list[Card]:
    decks_needed = 1 + (size - 1) // len(deck.cards)
    return rng.sample(deck.cards * decks_needed, size)


def _ready_minion(rng: Random, name: str, card: Card, entered: int) -> Minion:
    """Return the minion as it is at the start of its owner's turn; some minions are damaged."""
    minion = new_minion(name, card, entered)._replace(fresh=False)
    if rng.random() < _DAMAGED_SHARE:
        minion = minion._replace(health=rng.randint(1, minion.health))
    return minion
