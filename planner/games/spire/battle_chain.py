"""A chain of battles: health carries over, and after each victory the player may add one of a few cards to the deck.

A chain is a YAML file or comes with the game (data/chains.yaml). An agent decides in the battles; a `Chooser` decides
about the rewards.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple, TypeAlias

from planner.errors import PlannerError, did_you_mean, quote
from planner.formats.documents import load_yaml
from planner.formats.json_records import JsonField, JsonRecord, list_of
from planner.formats.json_schema import FileKind
from planner.formats.values import at, read_items, text
from planner.game import Agent
from planner.games.spire import battle_rules
from planner.games.spire.action_language import natural_number, positive_number
from planner.games.spire.battle_agents import LookAheadAgent
from planner.games.spire.battle_codec import (
    DECK,
    DEFAULT_HEALTH,
    SHARED_FIELDS,
    find_card,
    find_deck,
    find_enemies,
    make_setup,
    read_library,
)
from planner.games.spire.battle_rules import MAX_ENEMIES
from planner.games.spire.battle_state import Action, Battle, Setup
from planner.games.spire.card_library import Library
from planner.games.spire.vocabulary import MAX_CARDS
from planner.user_code import located_error

_CHAINS: Final = Path(__file__).with_name("data") / "chains.yaml"
_MAX_BATTLES: Final = 100
_TRIALS: Final = 12  # battles by which a reward is judged
CHAIN: Final = JsonRecord(
    deck=JsonField(DECK),
    battles=JsonField(list_of(list_of(text, 1, MAX_ENEMIES), 1, _MAX_BATTLES)),
    rewards=JsonField(list_of(text, 0, MAX_CARDS), ()),
    choices=JsonField(positive_number, 3),
    heal=JsonField(natural_number, 0),
    health=JsonField(positive_number, DEFAULT_HEALTH),
    **SHARED_FIELDS,
)


class Chain(NamedTuple):
    """Battles in their order, and what the player gets between them."""

    battles: tuple[Setup, ...]  # all with the first deck and full health
    rewards: tuple[str, ...]  # the cards from which rewards are drawn
    choices: int  # how many cards are offered after a battle
    heal: int  # health gained after a battle


class ChainResult(NamedTuple):
    """How far a player came."""

    won: int  # battles
    health: tuple[int, ...]  # after each battle; 0 after a lost one
    deck: tuple[str, ...]
    taken: tuple[str | None, ...]  # the reward after each battle that was not the last


# Called with the start of the next battle, the deck, the offered cards and a generator; returns one of them or None.
Start: TypeAlias = Callable[..., Any]  # of the next battle, with a deck and a generator
Chooser: TypeAlias = Callable[[Start, Sequence[str], Sequence[str], Random], str | None]


# -- reading


@cache
def _shipped() -> Mapping[str, Any]:
    chains: Mapping[str, Any] = load_yaml(_CHAINS)["chains"]
    return chains


def read_chain(name: str, base: Library | None = None) -> Chain:
    """Return the chain with this name, or read it from a YAML file; it may use the definitions of `base`."""
    if name.endswith((".yaml", ".yml")):
        try:
            return chain_from_json(load_yaml(Path(name)), base)
        except PlannerError as error:
            raise PlannerError(f"{name}: {error}") from None
    if name not in _shipped():
        hint = did_you_mean(name, _shipped()) or f"; must be a YAML file or one of: {', '.join(_shipped())}"
        raise PlannerError(f"chain: {quote(name)} is not a chain{hint}")
    return chain_from_json(_shipped()[name], base)


def chain_from_json(data: Any, base: Library | None = None) -> Chain:
    """Read a chain; its fields are those of a scenario, with the enemies of every battle."""
    with at("chain"):
        values = CHAIN.read(data)
    library = read_library(values, base)
    with at("chain"):
        deck = find_deck(values["deck"], library)
        with at("battles"):
            battles = read_items(partial(find_enemies, library=library), values["battles"])
        with at("rewards"):
            rewards = read_items(partial(find_card, library=library), values["rewards"])
    setups = tuple(make_setup(values, deck, enemies, library) for enemies in battles)
    return Chain(setups, tuple(rewards), values["choices"], values["heal"])


def chain_kind(game: str, library: Callable[[], Library]) -> FileKind:
    """Return the kind of file that holds a chain."""

    def read(path: Path, _ruleset: str) -> list[str]:
        chain = read_chain(str(path), library())
        battles = "1 battle" if len(chain.battles) == 1 else f"{len(chain.battles)} battles"
        return [f"{battles} with {len(chain.battles[0].deck)} cards and {len(chain.rewards)} rewards"]

    return FileKind("chain", game, lambda: CHAIN.schema, read)


# -- playing


def play_chain(chain: Chain, make_agent: Callable[[int], Agent], choose: Chooser, seed: int) -> ChainResult:
    """Play the battles until one is lost; the seed decides everything."""
    rng = Random(f"{seed} rewards")
    deck = chain.battles[0].deck
    health = chain.battles[0].health
    healths: list[int] = []
    taken: list[str | None] = []
    for number, battle in enumerate(chain.battles):
        agent, chance = make_agent(seed * _MAX_BATTLES + number), Random(f"{seed} battle {number}")
        state = _start(battle, deck, health, chance)
        while battle_rules.outcome(state) is None:
            state = battle_rules.apply(state, _decision(agent, state), chance)
        outcome = battle_rules.outcome(state)
        assert outcome is not None
        if outcome.winner is None:
            return ChainResult(number, (*healths, 0), deck, tuple(taken))
        health = min(battle.health, state.health + chain.heal)
        healths.append(health)
        if number + 1 < len(chain.battles) and chain.rewards:
            offered = rng.sample(chain.rewards, min(chain.choices, len(chain.rewards)))
            card = choose(partial(_start, chain.battles[number + 1], health=health), deck, offered, rng)
            taken.append(card)
            deck = (*deck, card) if card is not None else deck
    return ChainResult(len(chain.battles), tuple(healths), deck, tuple(taken))


def _decision(agent: Agent, state: Battle) -> Action:
    """Return what an agent decides; it may be a user's."""
    try:
        action: Action = agent.decide(state)
    except PlannerError:
        raise
    except Exception as error:
        raise PlannerError(f"agent {agent.name}: {located_error(error)}") from error
    if (reason := battle_rules.illegal_reason(state, action)) is not None:
        raise PlannerError(f"agent {agent.name}: illegal action: {reason}")
    return action


def _start(battle: Setup, deck: Sequence[str], health: int, chance: Random) -> Any:
    """Start a battle with the health that is left; healing goes up to the health at the start of the chain."""
    state = battle_rules.start(battle._replace(deck=tuple(deck), health=health), chance)
    return state._replace(max_health=battle.health)


# -- rewards


def _take_measured(start: Start, deck: Sequence[str], offered: Sequence[str], rng: Random) -> str | None:
    """Take the card with which a look-ahead agent has most health left in trials of the next battle."""
    seeds = [int(rng.random() * 2**32) for _ in range(_TRIALS)]

    def total_health(card: str | None) -> int:
        cards = deck if card is None else (*deck, card)
        total = 0
        for seed in seeds:
            chance, agent = Random(seed), LookAheadAgent(Random(seed))
            state = start(cards, chance=chance)
            while battle_rules.outcome(state) is None:
                state = battle_rules.apply(state, agent.decide(state), chance)
            total += state.health
        return total

    return max((None, *offered), key=total_health)


CHOOSERS: Final[Mapping[str, Chooser]] = {
    "none": lambda _start, _deck, _offered, _rng: None,
    "first": lambda _start, _deck, offered, _rng: offered[0],
    "random": lambda _start, _deck, offered, rng: rng.choice((None, *offered)),
    "measured": _take_measured,
}
