"""Writes the files of known decks that tests read."""

from __future__ import annotations

import json

from planner.meta.known_decks import Metagame


def metagame_to_json(metagame: Metagame) -> str:
    """Return the content of a file that `read_metagame` reads."""
    decks = [
        {
            "name": deck.name,
            "class": deck.player_class,
            "archetype": deck.archetype,
            "games": deck.games,
            **({} if deck.win_rate is None else {"win_rate": deck.win_rate}),
            "cards": dict(deck.cards),
        }
        for deck in metagame.decks
    ]
    return json.dumps({"decks": decks}, indent=1, ensure_ascii=False) + "\n"
