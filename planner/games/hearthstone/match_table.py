"""A match as a table that any client can show: sides, zones, cards, and what a player clicks for an action."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from planner.errors import PlannerError
from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.cards.decks import deck_names
from planner.games.hearthstone.cards.keywords import DIVINE_SHIELD, FROZEN, STEALTH, TAUNT
from planner.games.hearthstone.match_setup import MatchSetup
from planner.games.hearthstone.rules import legal
from planner.games.hearthstone.rules.actions import Action, Attack, Batch, EndTurn, HeroPower, Mulligan, Play, Trade
from planner.games.hearthstone.rules.narration import describe_action, describe_for, format_keywords, hero_names
from planner.games.hearthstone.rules.ruleset import Ruleset, ruleset_names
from planner.games.hearthstone.rules.state import (
    ENEMY_HERO,
    MY_HERO,
    GameState,
    HandCard,
    Minion,
    Player,
    hero_attack,
)
from planner.table_view import Binding, CardChoice, CardView, Counter, Prompt, SetupOption, Side, Zone

_MARKS: Final = {"taunt": TAUNT, "divine shield": DIVINE_SHIELD, "frozen": FROZEN, "stealth": STEALTH}


def setup_options() -> Sequence[SetupOption]:
    """Return the decks of both seats and the rules."""
    decks, rules = tuple(deck_names()), tuple(ruleset_names())
    return (
        SetupOption("decks", "Deck", decks, ("mage", "warrior"), per_seat=True, free="a deck code"),
        SetupOption("rules", "Rules", rules, "standard"),
    )


def setup_from_options(options: Mapping[str, Any], seats: int) -> MatchSetup:  # noqa: ARG001  (always two)
    """Return the setup of these decks: names, or deck codes, never files."""
    known = deck_names()
    for seat, deck in enumerate(options["decks"]):
        if deck not in known and not deck.lstrip().startswith(("AAE", "###")):
            raise PlannerError(f"options.decks[{seat}]: must be the name of a deck, or a deck code")
    first, second = options["decks"]
    return MatchSetup.of(first, second, options["rules"])


# -- what a seat sees


def table_sides(state: GameState, seat: int | None) -> Sequence[Side]:
    """Return the opponent's side above the own one; a spectator looks from the first seat."""
    own = 0 if seat is None else seat
    names = hero_names(state)
    return (_side(state, 1 - own, names, own), _side(state, own, names, own))


def _side(state: GameState, seat: int, names: Sequence[str], own: int) -> Side:
    player, is_own = state.player(seat), seat == own
    to_move = state.turn >= 1 and state.seat == seat and not state.finished
    place = f"seat.{seat}"
    board = Zone(
        f"{place}.board",
        "Board",
        cards=tuple(_minion(minion, to_move, state.rules) for minion in player.board),
        limit=state.rules.board_limit,
    )
    hand = Zone(
        f"{place}.hand",
        "Hand",
        "hand",
        tuple(
            _hand_card(card, f"{place}.hand.{index}", player, to_move and is_own)
            for index, card in enumerate(player.hand)
        ),
        limit=state.rules.hand_limit,
    )
    equipment = Zone(f"{place}.equipment", "Hero power and weapon", "beside", _equipment(player, place, to_move))
    deck = Zone(f"{place}.deck", "Deck", "pile", count=len(player.deck))
    zones = (board, equipment, hand, deck) if is_own else (hand, deck, equipment, board)
    return Side(place, names[seat], seat, _hero_counters(player), _hero_marks(player, to_move), zones)


def _hero_counters(player: Player) -> tuple[Counter, ...]:
    hero = player.hero
    counters = [Counter("health", hero.health, hero.max_health)]
    optional = {
        "armor": hero.armor,
        "attack": hero_attack(player),
        "spell damage": sum(minion.card.spell_damage for minion in player.board if not minion.silenced),
        "overload": player.overload,
        "fatigue": player.fatigue,
    }
    counters.append(Counter("mana", player.mana, max(player.crystals, player.mana)))
    return (*counters, *(Counter(name, value) for name, value in optional.items() if value))


def _hero_marks(player: Player, to_move: bool) -> tuple[str, ...]:
    hero = player.hero
    marks = ["dead"] if hero.health <= 0 else []
    if to_move and legal.hero_attacker_problem(player) is None:
        marks.append("ready")
    return (*marks, *format_keywords(hero.keywords))


def _equipment(player: Player, place: str, to_move: bool) -> tuple[CardView, ...]:
    cards = []
    if player.power is not None:
        power = player.power
        ready = to_move and not player.power_used and power.cost <= player.mana
        marks = ("used",) if player.power_used else ("ready",) if ready else ()
        cards.append(CardView(f"{place}.power", power.name, "hero power", power.cost, text=power.text, marks=marks))
    if player.weapon is not None:
        weapon = player.weapon
        counters = (Counter("attack", weapon.attack), Counter("durability", weapon.durability))
        keywords = tuple(format_keywords(weapon.keywords))
        cards.append(
            CardView(f"{place}.weapon", weapon.card.name, "weapon", None, counters, keywords, weapon.card.text)
        )
    return tuple(cards)


def _minion(minion: Minion, to_move: bool, rules: Ruleset) -> CardView:
    card = minion.card
    counters = [
        Counter("attack", minion.attack, printed=_other(card.attack, minion.attack)),
        Counter("health", minion.health, minion.max_health, printed=_other(card.health, minion.max_health)),
    ]
    if card.spell_damage and not minion.silenced:
        counters.append(Counter("spell damage", card.spell_damage))
    marks = [name for name, bit in _MARKS.items() if minion.keywords & bit]
    if minion.silenced:
        marks.append("silenced")
    if minion.health < minion.max_health:
        marks.append("damaged")
    if to_move:
        marks.append("ready" if legal.attacker_problem(minion, rules) is None else "used")
    text = "" if minion.silenced else card.text
    keywords = tuple(format_keywords(minion.keywords))
    return CardView(minion.id, card.name, "minion", None, tuple(counters), keywords, text, tuple(marks))


def _other(printed: int, value: int) -> int | None:
    return None if printed == value else printed


def _hand_card(hand_card: HandCard, place: str, player: Player, to_move: bool) -> CardView:
    card = hand_card.card
    if card.type == "hidden":
        return CardView(place, face_down=True)
    marks = ("ready",) if to_move and hand_card.cost <= player.mana else ()
    return card_face(card, hand_card.id, hand_card.cost, marks)


def card_face(card: Card, card_id: str, cost: int, marks: tuple[str, ...] = ()) -> CardView:
    """Return the face of a card that is not in play."""
    counters: list[Counter] = []
    if card.type in ("minion", "weapon"):
        second = "health" if card.type == "minion" else "durability"
        counters = [Counter("attack", card.attack), Counter(second, card.health)]
    if card.spell_damage:
        counters.append(Counter("spell damage", card.spell_damage))
    if card.overload:
        counters.append(Counter("overload", card.overload))
    keywords = (*format_keywords(card.keywords), *card.tribes)
    kind = card.type.replace("_", " ")
    return CardView(card_id, card.name, kind, cost, tuple(counters), keywords, card.text, marks)


# -- what a player clicks


def bind_action(state: GameState, action: Action, seat: int) -> Binding:
    """Return source and target of an action of the seat to move."""

    def element(character: str | None) -> str | None:
        heroes = {MY_HERO: f"seat.{seat}", ENEMY_HERO: f"seat.{1 - seat}"}
        return None if character is None else heroes.get(character, character)

    label = describe_action(state, action, None, _HEROES[seat])
    label = label[0].upper() + label[1:]
    match action:
        case Attack(attacker, target):
            return Binding(label, element(attacker), element(target))
        case Play(card, chosen):
            return Binding(label, card, element(chosen))
        case HeroPower(chosen):
            return Binding(label, f"seat.{seat}.power", element(chosen))
        case Trade(card):
            return Binding(label, card, f"seat.{seat}.deck")
        case EndTurn():
            return Binding("End turn")
        case Mulligan() | Batch():
            return Binding(label)


_HEROES: Final = (("your hero", "the enemy hero"), ("the enemy hero", "your hero"))


def prompt(state: GameState) -> Prompt | None:
    """Ask for the cards to replace in the mulligan."""
    if state.turn >= 1 or not legal.awaits_mulligan(state):
        return None
    cards = tuple(card.id for card in state.me.hand)
    return Prompt("Which cards do you replace?", CardChoice(cards, 0, len(cards)))


def choose(state: GameState, cards: Sequence[str]) -> Action:  # noqa: ARG001  (the rules check the cards)
    """Return the mulligan that replaces these cards."""
    return Mulligan(tuple(cards))


describe_move = describe_for
