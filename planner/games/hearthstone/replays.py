"""Read replays of played cards (the JSON of Collect-o-Bot), and prepare them for the evaluation of predictions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from planner.errors import PlannerError, quote
from planner.formats.documents import parse_json, read_text
from planner.formats.values import as_list, as_mapping, at, integer, name, one_of, read_field, read_list
from planner.games.hearthstone.created_cards import may_change_cards
from planner.meta.known_decks import Metagame
from planner.meta.prediction_study import PlayedSequence
from planner.meta.replay_study import ReplayedPlayer

COIN: Final = "The Coin"
_PLAYERS: Final = ("me", "opponent")
# The ids that the powers of the nine first classes had until 2020; the package knows the present ones.
_OLD_HERO_POWERS: Final = (
    "CS1H_001", "CS2_017", "CS2_034", "CS2_049", "CS2_056", "CS2_083B", "CS2_101", "CS2_102", "DS1H_292",
    "AT_132_DRUID", "AT_132_HUNTER", "AT_132_MAGE", "AT_132_PALADIN", "AT_132_PRIEST", "AT_132_ROGUE", "AT_132_SHAMAN",
    "AT_132_WARLOCK", "AT_132_WARRIOR",
)  # fmt: skip
_MAX_TURN: Final = 1000
_MAX_COST: Final = 1000


class ReplayedCard(NamedTuple):
    """A card that was played, or a hero power that was used."""

    player: int  # 0: the player who recorded the match, 1: the opponent
    turn: int
    id: str
    name: str
    cost: int | None  # None where the replay does not say


class Replay(NamedTuple):
    """The cards of one match."""

    name: str
    classes: tuple[str, str]
    cards: tuple[ReplayedCard, ...]


def read_replays(path: Path) -> tuple[list[Replay], list[str]]:
    """Read a file with `games`; each has `hero`, `opponent` and a `card_history`. Other fields are ignored.

    Returns the matches, and one message for each match that cannot be read.
    """
    try:
        games = read_field(as_mapping(parse_json(read_text(path), str(path))), "games", as_list)
    except PlannerError as error:
        message = str(error)
        raise PlannerError(message if message.startswith(str(path)) else f"{path}: {message}") from None
    replays, problems = [], []
    for index, game in enumerate(games):
        try:
            with at("games", index):
                replays.append(_read_game(f"games[{index}]", game))
        except PlannerError as error:
            problems.append(f"{path}: {error}")
    if problems and not replays:
        raise PlannerError(problems[0])
    return replays, problems


def _read_game(place: str, value: Any) -> Replay:
    game = as_mapping(value)
    hero, opponent = (read_field(game, key, name).lower() for key in ("hero", "opponent"))
    cards = read_list(game, "card_history", _read_card)
    return Replay(str(game.get("id", place)), (hero, opponent), tuple(cards))


def _read_card(value: Any) -> ReplayedCard:
    played = as_mapping(value)
    card = read_field(played, "card", as_mapping)
    player = _PLAYERS.index(read_field(played, "player", partial(one_of, choices=_PLAYERS)))
    turn = read_field(played, "turn", partial(integer, minimum=1, maximum=_MAX_TURN))
    with at("card"):
        has_cost = card.get("mana") is not None
        cost = read_field(card, "mana", partial(integer, minimum=0, maximum=_MAX_COST)) if has_cost else None
        return ReplayedCard(player, turn, read_field(card, "id", name), read_field(card, "name", name), cost)


def prepare_replays(
    replays: Sequence[Replay], known: Metagame, hero_powers: bool
) -> tuple[list[ReplayedPlayer], Metagame]:
    """Return the players whose class is known, and the metagame with the costs that the cards had in the replays.

    The Coin is removed. Hero powers are kept as cards of the sequence if `hero_powers` is true. Of every player, the
    result says whether it played a card whose text has a word of the filter of Schwensfeier 2019.
    """
    costs = dict(known.costs)
    outside, players = set(known.created.outside), []
    for number, replay in enumerate(replays):
        for seat, player_class in enumerate(replay.classes):
            turns: list[list[str]] = []
            is_filtered = False
            for card in replay.cards:
                if card.player != seat or card.name == COIN:
                    continue
                printed = _printed(card)
                if not printed.in_deck:
                    outside.add(card.name)
                elif card.name in costs and card.cost is not None:  # many costs have changed since
                    costs[card.name] = card.cost
                turns += [[] for _ in range(card.turn - len(turns))]
                if hero_powers or not printed.is_power:
                    turns[card.turn - 1].append(card.name)
                is_filtered = is_filtered or printed.text is None or may_change_cards(printed.text)
            if player_class in known.classes and turns:
                sequence = PlayedSequence(tuple(map(tuple, turns)), player_class, replay.name)
                players.append(ReplayedPlayer(number, sequence, is_filtered))
    if not players:
        raise PlannerError(f"no replay has a card of a known class ({', '.join(known.classes)})")
    created = known.created._replace(outside=frozenset(outside - set(known.cards)))
    return players, Metagame(known.decks, costs, created)


class _PrintedCard(NamedTuple):
    text: str | None  # None for an unknown card
    in_deck: bool
    is_power: bool


def _printed(card: ReplayedCard) -> _PrintedCard:
    """Return what is printed on the card.

    A card that the index does not know, such as one that is newer, counts as a card of no known deck, whose text may
    say anything.
    """
    from planner.games.hearthstone.cards.real_card_index import INSTALL, index, installed  # noqa: PLC0415  (an extra)

    if not installed():
        raise PlannerError(f"{quote(card.name)}: replays name real cards, which need an extra: {INSTALL}")
    if (printed := index().by_id(card.id)) is not None:
        return _PrintedCard(printed.text, printed.collectible, False)
    is_power = card.id.upper() in _OLD_HERO_POWERS or index().is_hero_power(card.id)
    return _PrintedCard("" if is_power else None, False, is_power)
