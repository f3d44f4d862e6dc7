"""Choose the 22 cards that Guo (2025) does not name: `python -m experiments.thesis_decks blind|fit SPLIT`.

blind         decks by a rule that does not look at table 7.1
fit SPLIT     search for the decks with which the played table is nearest to table 7.1. The search sees only the cells
              that the split does not hold out: `checkerboard` holds out every cell with an odd sum of row and column,
              `row1` to `row7` hold out a row. The result is judged on the cells that were held out.

The eight named cards stay. All cards are real minions of the class or neutral ones, each at most twice in a deck,
reduced to charge, rush and taunt. Fits start from the blind decks, not from the decks that were chosen with the whole
table in view, and from random ones. Results are in results/thesis_decks.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random

import pandas as pd
import yaml

from experiments.thesis_cells import (
    CELLS,
    DECKS,
    EVERY_MINION,
    PRINTED,
    Decks,
    Distance,
    Table,
    distance,
    play_table,
    printed_table,
    say,
)
from experiments.thesis_search import Cards, Problem, run
from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.cards.catalogue import standard
from planner.games.hearthstone.cards.decks import Deck
from planner.games.hearthstone.cards.keywords import CHARGE, RUSH, TAUNT
from planner.games.hearthstone.turn.thesis_program import ThesisReading

OUT = Path("results/thesis_decks")
NAMED = {
    "paladin": ("Righteous Protector", "Argent Squire", "Chillblade Champion", "Leeroy Jenkins", "Tirion Fordring"),
    "warrior": ("Warbot", "Town Crier", "Armorsmith"),
}
CURVE = (1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 5, 5, 6, 7, 8)  # the costs of a blind deck
KEPT = CHARGE | RUSH | TAUNT
SEED = 2025
JUDGED = 1000  # games for each cell of the final table
# The search in stages: how many of the best decks go on, and how many steps each makes.
STAGES = ((5, 4), (2, 16))
ROW_STAGES = ((2, 3), (1, 6))  # shorter: there are seven rows
READINGS = {"every_minion": EVERY_MINION, "printed": PRINTED}


def pool(hero_class: str) -> list[Card]:
    """Return the minions that a deck of this class may have, reduced to the keywords that Guo (2025) keeps."""
    cards = [card for card in standard().values() if card.type == "minion" and not card.token]
    cards = [card for card in cards if card.card_class in (hero_class, "neutral") and 1 <= card.cost <= 10]
    cards = [card for card in cards if "(" not in card.name]  # an older version of another card
    return [_reduced(card) for card in sorted(cards, key=lambda card: card.name)]


def _reduced(card: Card) -> Card:
    return replace(card, keywords=card.keywords & KEPT, effects=(), overload=0, spell_damage=0, text="")


def deck_of(hero_class: str, cards: Sequence[Card], title: str) -> Deck:
    """Return the deck with these thirty cards."""
    return Deck(f"Thesis {title} {hero_class}", hero_class, tuple(cards))


def blind_cards(hero_class: str) -> list[Card]:
    """Return thirty cards by a rule: the named ones, then a fixed curve, each card twice.

    Each named card takes the slot of its cost, or the nearest one. Every other slot gets the first card of that cost in
    alphabetical order, cards of the class before neutral ones.
    """
    known = {card.name: card for card in pool(hero_class)}
    slots, cards = list(CURVE), [known[name] for name in NAMED[hero_class]]
    for card in cards:
        slots.remove(min(slots, key=lambda cost, card=card: abs(cost - card.cost)))
    ordered = sorted(known.values(), key=lambda card: (card.card_class == "neutral", card.name))
    for cost in slots:
        cards.append(next(card for card in ordered if card.cost == cost and card not in cards))
    return [card for card in cards for _ in range(2)]


def random_cards(hero_class: str, rng: Random) -> list[Card]:
    """Return thirty cards: those of the blind deck, with the unnamed ones replaced by random ones of the same cost."""
    cards, named = blind_cards(hero_class), 2 * len(NAMED[hero_class])
    for slot in range(named, len(cards), 2):
        same = [card for card in pool(hero_class) if card.cost == cards[slot].cost and card not in cards]
        cards[slot : slot + 2] = [rng.choice(same)] * 2
    return cards


def held_out(split: str) -> list[int]:
    """Return the cells that this split does not show to the search."""
    if split == "checkerboard":
        return [index for index, (first, second) in enumerate(CELLS) if (first + second) % 2]
    row = int(split.removeprefix("row")) - 1
    return [index for index, (first, _) in enumerate(CELLS) if first == row]


def fit(split: str, reading: ThesisReading, seed: int = SEED) -> Cards:
    """Search for decks on the cells that are not held out, from the blind decks and from random ones."""
    rng, printed = Random(f"{seed}/{split}"), printed_table()
    hidden = set(held_out(split))
    cells = [index for index in range(len(CELLS)) if index not in hidden]
    stages = STAGES if split == "checkerboard" else ROW_STAGES
    problem = Problem(
        cells,
        reading,
        {hero_class: pool(hero_class) for hero_class in NAMED},
        {hero_class: 2 * len(names) for hero_class, names in NAMED.items()},
        partial(decks_of, title="fitted"),
        Table(printed.wins[cells], printed.rounds[cells]),
    )
    starts = [{hero_class: blind_cards(hero_class) for hero_class in NAMED}]
    while len(starts) < stages[0][0]:
        starts.append({hero_class: random_cards(hero_class, rng) for hero_class in NAMED})
    return run(problem, starts, stages, rng, split)


def decks_of(cards: Cards, title: str) -> Decks:
    """Return the decks of both classes."""
    first, second = (deck_of(hero_class, deck, title) for hero_class, deck in cards.items())
    return first, second


def write_decks(cards: Cards, title: str, how: str) -> None:
    """Write the decks as YAML files."""
    for hero_class, deck in cards.items():
        lines = [f"# {line}" for line in (f"The {hero_class} deck of Guo (2025), section 7.1. {how}",)]
        lines += [f"name: Thesis {title} {hero_class}", f"class: {hero_class}", "keep_keywords: [charge, rush, taunt]"]
        lines.append("cards:")
        counted = Counter((card.cost, card.name) for card in deck)
        for (_, name), copies in sorted(counted.items()):
            note = " # named by Guo" if name in NAMED[hero_class] else ""
            lines.append(f"  - {yaml.safe_dump(f'{copies} x {name}', width=200).splitlines()[0]}{note}")
        (DECKS / f"{title}_{hero_class}.yaml").write_text("\n".join(lines) + "\n", encoding="utf-8")


def judge(cards: Cards, reading: ThesisReading, cells: Sequence[int]) -> Distance:
    """Play the final table with seeds that the search did not use, and compare these cells."""
    table = play_table(decks_of(cards, ""), JUDGED, SEED + 100, reading, cells=cells)
    return distance(table, cells)


def main(words: Sequence[str]) -> None:
    """Choose decks, write what was found and how near it comes."""
    if words[:1] == ["blind"]:
        cards = {hero_class: blind_cards(hero_class) for hero_class in NAMED}
        write_decks(
            cards, "blind", "Chosen by a rule that does not look at table 7.1: see experiments/thesis_decks.py."
        )
        for name, reading in READINGS.items():
            say(f"{name}: {judge(cards, reading, range(len(CELLS)))}")
        return
    split, name = words[1], words[2] if len(words) > 2 else "every_minion"
    reading = READINGS[name]
    cards = fit(split, reading)
    OUT.mkdir(parents=True, exist_ok=True)
    hidden = held_out(split)
    shown = [index for index in range(len(CELLS)) if index not in hidden]
    parts = {"fitted": shown, "held out": hidden, "all": range(len(CELLS))}
    rows = []
    for part, cells in parts.items():
        result = judge(cards, reading, cells)
        say(f"{split}, {name}: {part}: {result}")
        rows.append({"split": split, "reading": name, "cells": part, **result._asdict()})
    pd.DataFrame(rows).round(4).to_csv(OUT / f"{split}_{name}.csv", index=False)
    listing = {hero_class: sorted(card.name for card in deck) for hero_class, deck in cards.items()}
    (OUT / f"{split}_{name}.yaml").write_text(yaml.safe_dump(listing, sort_keys=False), encoding="utf-8")
    if (split, name) == ("checkerboard", "every_minion"):
        how = "The cards that he does not name are fitted to half of table 7.1: see experiments/thesis_decks.py."
        write_decks(cards, "fitted", how)


if __name__ == "__main__":
    main(sys.argv[1:])
