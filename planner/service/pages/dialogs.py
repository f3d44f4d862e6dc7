"""The dialogs of the table: add a card, change one, change a hero."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from nicegui import ui

from planner.games.hearthstone.cards.card import CLASSES, Card
from planner.games.hearthstone.cards.catalogue import standard
from planner.games.hearthstone.cards.keywords import NAMES
from planner.games.hearthstone.rules.state import Minion
from planner.games.hearthstone.rules.words import keyword_words
from planner.service.pages.parts import box, press, words
from planner.service.pages.sketch import Sketch, Zone, matching

_ON_BOARDS: Final = tuple(name for name in NAMES if name not in ("echo", "magnetic", "tradeable"))
_ON_CARDS: Final = tuple(name for name in NAMES if name not in ("frozen", "immune"))
_TITLES: Final = {"me.board": "your board", "me.hand": "your hand", "enemy.board": "the enemy board"}
_NOBODY: Final = "none"


class Dialogs:
    """They change a sketch; `do` carries a change out and says whether it was allowed, `lift` takes a card up."""

    def __init__(self, sketch: Sketch, do: Callable[..., bool], lift: Callable[[Zone, int], None]) -> None:
        self._sketch, self._do, self._lift = sketch, do, lift

    # -- a new card

    def add(self, zone: Zone) -> None:
        """By part of a name, or made up."""
        kinds = ("minion",) if zone.endswith("board") else ("minion", "spell", "weapon")
        with ui.dialog() as dialog, ui.card(), box("form"):
            words(f"Add to {_TITLES[zone]}", tag="h2")
            part = ui.input("Part of a name").props("outlined autofocus clearable")
            found = box("found")

            def take(card: Card) -> None:
                if self._do(lambda: self._sketch.add(zone, card.name)):
                    dialog.close()

            def search() -> None:
                found.clear()
                with found:
                    cards = matching(part.value or "", kinds)
                    for card in cards:
                        self._offer(card, take)
                    if not cards:
                        words("No card has this in its name. Make one up below.", "soft")

            def first() -> None:
                cards = matching(part.value or "", kinds, 1)
                if cards:
                    take(cards[0])

            part.on_value_change(search)
            part.on("keydown.enter", first)
            search()
            self._made_up(zone, dialog)
            press("Close", dialog.close)
        dialog.open()

    def _offer(self, card: Card, take: Callable[[Card], None]) -> None:
        button = box(tag="button").on("click", lambda: take(card))
        button.props["type"] = "button"
        with button:
            words(card.cost, "num")
            words(card.name)
            words(f"{card.attack}/{card.health}" if card.type in ("minion", "weapon") else card.type, "num soft")
            text = ". ".join(part for part in (", ".join(keyword_words(card.keywords)), card.text) if part)
            if text:
                words(text, tag="small")

    def _made_up(self, zone: Zone, dialog: ui.dialog) -> None:
        with ui.expansion("Make one up").props("dense"), box("stack"):
            with box("fields"):
                name = ui.input("Name", value="Minion").props("outlined dense")
                cost = _number("Cost", 1) if zone == "me.hand" else None
                attack, health = _number("Attack", 2), _number("Health", 2)
            chosen = _keywords(_ON_BOARDS if zone.endswith("board") else _ON_CARDS, [])

            def make() -> None:
                called, price = name.value or "Minion", _whole(cost) if cost is not None else 0
                numbers = (_whole(attack), _whole(health))
                if self._do(lambda: self._sketch.make_up(zone, called, price, *numbers, list(chosen))):
                    dialog.close()

            press("Add it", make, "main")

    # -- a card that is there

    def edit(self, zone: Zone, place: int) -> None:
        """Its numbers and keywords; or it is removed, copied, or taken up to be put elsewhere."""
        side, pile = zone.split(".")
        player = self._sketch.state.me if side == "me" else self._sketch.state.enemy
        card: Any = player.board[place] if pile == "board" else player.hand[place]
        data = self._sketch.data()[side][pile][place]
        if not isinstance(data, dict):
            data = {"name": data}
        with ui.dialog() as dialog, ui.card(), box("form"):
            words(card.card.name, tag="h2")
            if card.card.text:
                words(card.card.text, "soft", "p")
            fields: dict[str, ui.number] = {}
            chosen: list[str] | None = None
            with box("fields"):
                if pile == "hand":
                    fields["cost"], fields["value"] = _number("Cost", card.cost), _number("Value", card.value)
                if "attack" in data:
                    fields["attack"] = _number("Attack", data["attack"])
                    fields["health"] = _number("Durability" if card.card.type == "weapon" else "Health", data["health"])
                if isinstance(card, Minion):
                    fields["max_health"] = _number("Most health", card.max_health)
                    fields["attacks_left"] = _number("Attacks left", card.attacks_left)
            if "keywords" in data:
                chosen = _keywords(_ON_BOARDS if pile == "board" else _ON_CARDS, data["keywords"])
            came = None
            if isinstance(card, Minion):
                came = ui.checkbox("Came onto the board this turn", value=card.fresh)

            def keep() -> None:
                given = {key: _whole(field) for key, field in fields.items()}
                changed = {key: value for key, value in given.items() if value != _was(card, data, key)}
                if "health" in changed and "max_health" not in changed and isinstance(card, Minion):
                    changed["max_health"] = max(card.max_health, changed["health"] or 0)
                if chosen is not None and sorted(chosen) != sorted(data["keywords"]):
                    changed["keywords"] = list(chosen)
                if came is not None and came.value != card.fresh:
                    changed["summoned_this_turn"] = came.value
                if self._do(lambda: self._sketch.update(zone, place, **changed)):
                    dialog.close()

            def and_close(change: Callable[[], None]) -> Callable[[], None]:
                def done() -> None:
                    if self._do(change):
                        dialog.close()

                return done

            def lift() -> None:
                dialog.close()
                self._lift(zone, place)

            with box("row"):
                press("Keep", keep, "main")
                press("Remove", and_close(lambda: self._sketch.remove(zone, place)))
                press("Copy", and_close(lambda: self._sketch.copy(zone, place)))
                press("Move", lift)
                press("Close", dialog.close)
        dialog.open()

    # -- a hero

    def hero(self, side: str) -> None:
        """Health, armor, mana, weapon, hero power and what else belongs to a player."""
        state = self._sketch.state
        player = state.me if side == "me" else state.enemy
        hero, mine = player.hero, side == "me"
        weapons = [card.name for card in standard().values() if card.type == "weapon"]
        powers = [card.name for card in standard().values() if card.type == "hero_power"]
        with ui.dialog() as dialog, ui.card(), box("form"):
            words("Your hero" if mine else "The enemy hero", tag="h2")
            with box("fields"):
                health, armor = _number("Health", hero.health), _number("Armor", hero.armor)
                extra = _number("Attack this turn", hero.attack_this_turn)
                left = _number("Attacks left", hero.attacks_left)
                mana = _number("Mana", player.mana) if mine else None
                crystals = _number("Crystals", player.crystals) if mine else None
                hand = None if mine else _number("Cards in hand", len(player.hand))
                deck = _number("Cards in deck", len(player.deck))
            hero_class = ui.select(["neutral", *CLASSES], label="Class", value=hero.hero_class).props("outlined dense")
            power = _choice("Hero power", powers, player.power.name if player.power else None)
            used = ui.checkbox("Hero power used this turn", value=player.power_used)
            weapon = _choice("Weapon", weapons, player.weapon.card.name if player.weapon else None)
            with box("fields"):
                sharp = _number("Weapon attack", player.weapon.attack if player.weapon else None)
                lasts = _number("Weapon durability", player.weapon.durability if player.weapon else None)
            kept = self._sketch.data()[side]["hero"].get("keywords", [])
            chosen = _keywords(("frozen", "immune", "windfury", "stealth"), kept)

            def edit(data: dict[str, Any]) -> None:
                given = data[side]
                given["hero"] |= {"health": _whole(health), "armor": _whole(armor), "class": hero_class.value}
                given["hero"] |= {"attack_this_turn": _whole(extra), "attacks_left": _whole(left)}
                given["hero"]["keywords"] = list(chosen)
                given["hero"]["max_health"] = max(hero.max_health, _whole(health) or 0)
                if mana is not None and crystals is not None:
                    data["mana"] = _whole(mana)
                    given["crystals"] = max(_whole(crystals) or 0, _whole(mana) or 0)
                if hand is not None and _whole(hand) != len(player.hand):
                    given["hand"] = _whole(hand)
                if _whole(deck) != len(player.deck):
                    given["deck"] = _whole(deck)
                given["hero_power_used"] = used.value
                _set(given, "hero_power", power.value, player.power.name if player.power else None)
                old = player.weapon
                if weapon.value in (None, _NOBODY):
                    given.pop("weapon", None)
                else:
                    fresh = old is None or old.card.name != weapon.value
                    numbers = {} if fresh else {"attack": _whole(sharp), "durability": _whole(lasts)}
                    given["weapon"] = {"name": weapon.value, **numbers}

            def keep() -> None:
                if self._do(lambda: self._sketch.change(edit)):
                    dialog.close()

            with box("row"):
                press("Keep", keep, "main")
                press("Close", dialog.close)
        dialog.open()


def _set(given: dict[str, Any], key: str, value: str | None, was: str | None) -> None:
    if value == was:
        return
    if value in (None, _NOBODY):
        given.pop(key, None)
    else:
        given[key] = value


def _was(card: Any, data: dict[str, Any], key: str) -> Any:
    return data[key] if key in data else getattr(card, key, None)


def _choice(label: str, names: list[str], value: str | None) -> ui.select:
    listed = [_NOBODY, *sorted({*names, *([value] if value else [])})]
    return ui.select(listed, label=label, value=value or _NOBODY, with_input=True).props("outlined dense options-dense")


def _number(label: str, value: float | None) -> ui.number:
    return ui.number(label, value=value, format="%g").props("outlined dense")


def _whole(field: ui.number) -> Any:
    """What stands in a field; the reader of states says whether it will do."""
    value = field.value
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _keywords(names: tuple[str, ...], chosen: list[str]) -> list[str]:
    """Buttons to switch keywords on and off; the list that comes back is kept up to date."""
    kept = list(chosen)
    with box("chips") as row:
        row.props["role"] = "group"
        row.props["aria-label"] = "Keywords"
        for name in dict.fromkeys((*names, *chosen)):
            _switch(name, kept)
    return kept


def _switch(name: str, kept: list[str]) -> None:
    def turn() -> None:
        if name in kept:
            kept.remove(name)
        else:
            kept.append(name)
        button.props["aria-pressed"] = "true" if name in kept else "false"
        button.update()

    button = press(name.replace("_", " "), turn, "small")
    button.props["aria-pressed"] = "true" if name in kept else "false"
