"""Makes the states that the benchmark plans: `python experiments/record_states.py`. The same decks give the same files.

states/recorded.txt: turns from matches of the thesis's seven profiles, each against each, with its decks and rules.
They are every fourth of all turns in the order of their rounds, so every stage of a match has its true share.
states/crowded.txt: boards of 6 or 7 against 6 or 7 minions, some damaged, with 8 to 10 cards in hand and 10 mana.
states/texts.txt: turns in which a text matters, from matches of the eleven class decks, each against each, under the
standard rules; the profiles take their turns. They are spread over the rounds like the recorded ones.

Where texts matter, equal plans may be chosen differently after a change of the search: then texts.txt made anew has
other turns of the same kind, and times are comparable only with those on the same file.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from itertools import cycle, product
from pathlib import Path
from random import Random

from planner.bench.fresh import record_match
from planner.bench.states import Position, crowded_state, spread, thesis_decks
from planner.games.hearthstone.cards.card import CLASSES
from planner.games.hearthstone.cards.decks import Deck, load_deck
from planner.games.hearthstone.rules.ruleset import Ruleset
from planner.games.hearthstone.setup import MatchSetup
from planner.games.hearthstone.turn.texts import only_bodies
from planner.games.hearthstone.turn.weights import Weights

FOLDER = Path(__file__).parent / "states"
PROFILES = (
    "keep_alive", "board_clear", "aggro_face", "value_trade", "aggro_tempo", "true_balanced", "author_favorite",
)  # fmt: skip
RECORDED, CROWDED, TEXTS = 300, 98, 100  # of the crowded ones 14 for each profile


def turns_of(matches: Iterable[tuple[tuple[str, str], tuple[Deck, Deck]]], rules: Ruleset) -> list[Position]:
    """All turns of the matches between these profiles with these decks, in the order of their rounds."""
    seen: list[Position] = []
    for seed, (profiles, decks) in enumerate(matches, start=1):
        seen.extend(record_match(profiles, MatchSetup(decks, rules), seed))
    seen.sort(key=lambda position: position.state.round)  # stable: within a round in the order of the matches
    return seen


def recorded() -> list[Position]:
    rules = Ruleset.of("thesis")
    decks = thesis_decks(rules)
    return spread(turns_of(((pair, decks) for pair in product(PROFILES, PROFILES)), rules), RECORDED)


def with_texts() -> list[Position]:
    decks = [load_deck(name) for name in CLASSES]
    matches = zip(cycle(product(PROFILES, PROFILES)), product(decks, decks), strict=False)
    turns = turns_of(matches, Ruleset.of("standard"))
    return spread([position for position in turns if not only_bodies(position.state)], TEXTS)


def crowded() -> list[Position]:
    rules = Ruleset.of("thesis")
    first, second = thesis_decks(rules)
    rng = Random(20261116)
    found = []
    for number in range(CROWDED):
        decks = (first, second) if number % 2 == 0 else (second, first)
        sizes = rng.randint(6, 7), rng.randint(6, 7), rng.randint(8, 10)
        state = crowded_state(rng, decks, rules, *sizes, mana=10)
        found.append(Position(Weights.of(PROFILES[number % len(PROFILES)]), state))
    return found


def main() -> None:
    for name, positions in (("recorded", recorded()), ("crowded", crowded()), ("texts", with_texts())):
        path = FOLDER / f"{name}.txt"
        path.write_text("".join(f"{position.to_line()}\n" for position in positions), encoding="utf-8")
        sys.stdout.write(f"{path}: {len(positions)} states\n")


if __name__ == "__main__":
    main()
