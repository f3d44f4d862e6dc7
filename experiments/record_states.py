"""Create the states that the benchmark plans: `python experiments/record_states.py`.

states/recorded.txt: turns of matches between the seven profiles of Guo (2025), with his decks and rules. A sample of
all turns in the order of their rounds, so that every stage of a match has its share.
states/crowded.txt: boards with 6 or 7 minions on each side, some damaged, 8 to 10 cards in hand and 10 mana.
states/texts.txt: turns in which card effects matter, from matches between the eleven class decks under standard rules,
with the profiles in rotation. Sampled over the rounds like the recorded ones.

The same decks and the same planner give the same files. After a change of tie-breaking, texts.txt can contain other
turns; compare times only on the same file.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from itertools import cycle, product
from pathlib import Path
from random import Random

from planner.bench.benchmark_positions import (
    GUO_PROFILES,
    Position,
    crowded_state,
    evenly_spaced,
    record_match,
    thesis_decks,
)
from planner.games.hearthstone.cards.card import CLASSES
from planner.games.hearthstone.cards.decks import Deck, load_deck
from planner.games.hearthstone.match_setup import MatchSetup
from planner.games.hearthstone.rules.ruleset import Ruleset
from planner.games.hearthstone.turn.hearthstone_weights import Weights
from planner.games.hearthstone.turn.turn_effects import is_vanilla

FOLDER = Path(__file__).parent / "states"
RECORDED, CROWDED, TEXTS = 300, 98, 100  # 14 crowded states for each profile


def turns_of(matches: Iterable[tuple[tuple[str, str], tuple[Deck, Deck]]], rules: Ruleset) -> list[Position]:
    """Return all turns of the matches between these profiles with these decks, in the order of their rounds."""
    turns: list[Position] = []
    for seed, (profiles, decks) in enumerate(matches, start=1):
        turns.extend(record_match(profiles, MatchSetup(decks, rules), seed))
    turns.sort(key=lambda position: position.state.round)  # stable: within a round in the order of the matches
    return turns


def recorded() -> list[Position]:
    rules = Ruleset.of("thesis")
    decks = thesis_decks(rules)
    return evenly_spaced(turns_of(((pair, decks) for pair in product(GUO_PROFILES, repeat=2)), rules), RECORDED)


def with_effects() -> list[Position]:
    decks = [load_deck(name) for name in CLASSES]
    matches = zip(cycle(product(GUO_PROFILES, repeat=2)), product(decks, decks), strict=False)
    turns = turns_of(matches, Ruleset.of("standard"))
    return evenly_spaced([position for position in turns if not is_vanilla(position.state)], TEXTS)


def crowded() -> list[Position]:
    rules = Ruleset.of("thesis")
    first, second = thesis_decks(rules)
    rng = Random(20261116)
    positions = []
    for number in range(CROWDED):
        decks = (first, second) if number % 2 == 0 else (second, first)
        sizes = rng.randint(6, 7), rng.randint(6, 7), rng.randint(8, 10)
        state = crowded_state(rng, decks, rules, *sizes, mana=10)
        positions.append(Position(Weights.of(GUO_PROFILES[number % len(GUO_PROFILES)]), state))
    return positions


def main() -> None:
    for name, positions in (("recorded", recorded()), ("crowded", crowded()), ("texts", with_effects())):
        path = FOLDER / f"{name}.txt"
        path.write_text("".join(f"{position.to_line()}\n" for position in positions), encoding="utf-8")
        sys.stdout.write(f"{path}: {len(positions)} states\n")


if __name__ == "__main__":
    main()
