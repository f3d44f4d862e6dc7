"""A chain of battles: health carries over, and after each victory the player may add one of a few cards to the deck.

A chain is a YAML file or comes with the game (data/chains.yaml). An agent decides in the battles; a `Chooser` decides
about the rewards.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from operator import attrgetter
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple, TypeAlias

from planner.errors import PlannerError, did_you_mean, quote
from planner.formats.documents import load_yaml
from planner.formats.json_schema import FileKind, list_schema
from planner.game import Agent
from planner.games.spire import battle_rules
from planner.games.spire.battle_agents import LookAheadAgent
from planner.games.spire.battle_codec import (
    SHARED_FIELDS,
    JsonField,
    JsonObject,
    JsonRecord,
    limited_list,
    number_field,
)
from planner.games.spire.battle_state import Action, Battle, Setup
from planner.games.spire.scenario_files import DECK, find_card, read_deck, setup_from_json
from planner.games.spire.vocabulary import MAX_CARDS
from planner.user_code import located_error

_CHAINS: Final = Path(__file__).with_name("data") / "chains.yaml"
_MAX_BATTLES: Final = 100
_TRIALS: Final = 12  # battles by which a reward is judged
_TEXTS: Final = list_schema({"type": "string"}, 1)
CHAIN: Final = JsonRecord(
    {
        "deck": JsonField(DECK, attrgetter("deck")),
        "battles": JsonField(limited_list(_TEXTS, _MAX_BATTLES, 1), attrgetter("battles")),
        "rewards": JsonField(limited_list({"type": "string"}, MAX_CARDS), attrgetter("rewards")),
        "choices": number_field("choices", 1),
        "heal": number_field("heal"),
        "health": number_field("health", 1),
        **SHARED_FIELDS,
    },
    required=("deck", "battles"),
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


def read_chain(name: str, extension: str = "") -> Chain:
    """Return the chain with this name, or read it from a YAML file. `extension` is the file that adds words."""
    if name.endswith((".yaml", ".yml")):
        try:
            return chain_from_json(load_yaml(Path(name)), extension)
        except PlannerError as error:
            raise PlannerError(f"{name}: {error}") from None
    if name not in _shipped():
        hint = did_you_mean(name, _shipped()) or f"; must be one of {', '.join(_shipped())}, or a YAML file"
        raise PlannerError(f"chain: {quote(name)} is not a chain{hint}")
    return chain_from_json(_shipped()[name], extension)


def chain_from_json(data: Any, extension: str = "") -> Chain:
    """Read a chain; its fields are those of a scenario, with the enemies of every battle."""
    fields = JsonObject(data, "chain", CHAIN)
    library = fields.library(extension)
    deck = read_deck(fields, library)
    common = {key: fields.data[key] for key in (*SHARED_FIELDS, "health") if key in fields.data}
    battles = []
    for index, enemies in enumerate(fields.items("battles")):
        try:
            battles.append(setup_from_json({"deck": deck, "enemies": enemies, **common}, extension=extension))
        except PlannerError as error:
            raise PlannerError(f"{fields.at('battles')}[{index}]: {error}") from None
    titles = enumerate(fields.items("rewards", []))
    rewards = [find_card(title, library, f"{fields.at('rewards')}[{index}]").title for index, title in titles]
    return Chain(tuple(battles), tuple(rewards), fields.number("choices", 3), fields.number("heal", 0))


def chain_kind(game: str, extension: str) -> FileKind:
    """Return the kind of file that holds a chain."""

    def read(path: Path, _ruleset: str) -> list[str]:
        chain = read_chain(str(path), extension)
        battles = "1 battle" if len(chain.battles) == 1 else f"{len(chain.battles)} battles"
        return [f"{battles} with {len(chain.battles[0].deck)} cards and {len(chain.rewards)} rewards"]

    return FileKind("chain", game, CHAIN.schema, read)


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
