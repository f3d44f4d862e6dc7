"""The dialogs of the table: add a card, edit a card, edit a hero."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from nicegui import ui

from planner.games.hearthstone.cards.card import CLASSES, Card
from planner.games.hearthstone.cards.catalogue import standard
from planner.games.hearthstone.cards.keywords import NAMES
from planner.games.hearthstone.rules.narration import format_keywords
from planner.games.hearthstone.rules.state import Minion
from planner.service.pages.elements import box, button, text
from planner.service.pages.table_editor import TableEditor, Zone, search_cards

_BOARD_KEYWORDS: Final = tuple(name for name in NAMES if name not in ("echo", "magnetic", "tradeable"))
_HAND_KEYWORDS: Final = tuple(name for name in NAMES if name not in ("frozen", "immune"))
_ZONE_NAMES: Final = {"me.board": "your board", "me.hand": "your hand", "enemy.board": "the enemy board"}
_NONE: Final = "none"


class CardDialogs:
    """Dialogs that edit the table: `apply` makes a change and returns whether it was valid, `pick_up` starts a move."""

    def __init__(self, editor: TableEditor, apply: Callable[..., bool], pick_up: Callable[[Zone, int], None]) -> None:
        self._editor, self._apply, self._pick_up = editor, apply, pick_up

    # -- adding a card

    def add(self, zone: Zone) -> None:
        """Open the dialog that adds a card: from the catalogue, or a custom one."""
        types = ("minion",) if zone.endswith("board") else ("minion", "spell", "weapon")
        with ui.dialog() as dialog, ui.card(), box("form"):
            text(f"Add to {_ZONE_NAMES[zone]}", tag="h2")
            query = ui.input("Search cards").props("outlined autofocus clearable")
            results = box("results")

            def take(card: Card) -> None:
                if self._apply(lambda: self._editor.add(zone, card.name)):
                    dialog.close()

            def search() -> None:
                results.clear()
                with results:
                    cards = search_cards(query.value or "", types)
                    for card in cards:
                        self._draw_result(card, take)
                    if not cards:
                        text("No card matches. Create a custom card below.", "soft")

            def take_first() -> None:
                cards = search_cards(query.value or "", types, 1)
                if cards:
                    take(cards[0])

            query.on_value_change(search)
            query.on("keydown.enter", take_first)
            search()
            self._draw_custom_card(zone, dialog)
            button("Close", dialog.close)
        dialog.open()

    def _draw_result(self, card: Card, take: Callable[[Card], None]) -> None:
        element = box(tag="button").on("click", lambda: take(card))
        element.props["type"] = "button"
        with element:
            text(card.cost, "num")
            text(card.name)
            text(f"{card.attack}/{card.health}" if card.type in ("minion", "weapon") else card.type, "num soft")
            details = ". ".join(part for part in (", ".join(format_keywords(card.keywords)), card.text) if part)
            if details:
                text(details, tag="small")

    def _draw_custom_card(self, zone: Zone, dialog: ui.dialog) -> None:
        with ui.expansion("Custom card").props("dense"), box("stack"):
            with box("fields"):
                name = ui.input("Name", value="Minion").props("outlined dense")
                cost = _number_field("Cost", 1) if zone == "me.hand" else None
                attack, health = _number_field("Attack", 2), _number_field("Health", 2)
            keywords = _keyword_buttons(_BOARD_KEYWORDS if zone.endswith("board") else _HAND_KEYWORDS, [])

            def create() -> None:
                title, mana = name.value or "Minion", _value(cost) if cost is not None else 0
                stats = (_value(attack), _value(health))
                if self._apply(lambda: self._editor.add_custom(zone, title, mana, *stats, list(keywords))):
                    dialog.close()

            button("Add card", create, "main")

    # -- editing a card

    def edit(self, zone: Zone, index: int) -> None:
        """Open the dialog that changes, removes, copies or moves a card."""
        side, pile = zone.split(".")
        player = self._editor.state.me if side == "me" else self._editor.state.enemy
        card: Any = player.board[index] if pile == "board" else player.hand[index]
        data = self._editor.to_json()[side][pile][index]
        if not isinstance(data, dict):
            data = {"name": data}
        with ui.dialog() as dialog, ui.card(), box("form"):
            text(card.card.name, tag="h2")
            if card.card.text:
                text(card.card.text, "soft", "p")
            fields: dict[str, ui.number] = {}
            keywords: list[str] | None = None
            with box("fields"):
                if pile == "hand":
                    fields["cost"] = _number_field("Cost", card.cost)
                    fields["value"] = _number_field("Value", card.value)
                if "attack" in data:
                    health_label = "Durability" if card.card.type == "weapon" else "Health"
                    fields["attack"] = _number_field("Attack", data["attack"])
                    fields["health"] = _number_field(health_label, data["health"])
                if isinstance(card, Minion):
                    fields["max_health"] = _number_field("Max health", card.max_health)
                    fields["attacks_left"] = _number_field("Attacks left", card.attacks_left)
            if "keywords" in data:
                keywords = _keyword_buttons(_BOARD_KEYWORDS if pile == "board" else _HAND_KEYWORDS, data["keywords"])
            summoned = None
            if isinstance(card, Minion):
                summoned = ui.checkbox("Summoned this turn", value=card.fresh)

            def save() -> None:
                values = {key: _value(field) for key, field in fields.items()}
                changes = {key: value for key, value in values.items() if value != _old_value(card, data, key)}
                if "health" in changes and "max_health" not in changes and isinstance(card, Minion):
                    changes["max_health"] = max(card.max_health, changes["health"] or 0)
                if keywords is not None and sorted(keywords) != sorted(data["keywords"]):
                    changes["keywords"] = list(keywords)
                if summoned is not None and summoned.value != card.fresh:
                    changes["summoned_this_turn"] = summoned.value
                if self._apply(lambda: self._editor.update(zone, index, **changes)):
                    dialog.close()

            def and_close(change: Callable[[], None]) -> Callable[[], None]:
                def run() -> None:
                    if self._apply(change):
                        dialog.close()

                return run

            def pick_up() -> None:
                dialog.close()
                self._pick_up(zone, index)

            with box("row"):
                button("Save", save, "main")
                button("Remove", and_close(lambda: self._editor.remove(zone, index)))
                button("Copy", and_close(lambda: self._editor.copy(zone, index)))
                button("Move", pick_up)
                button("Close", dialog.close)
        dialog.open()

    # -- editing a hero

    def edit_hero(self, side: str) -> None:
        """Open the dialog that changes a player: health, armor, mana, weapon, hero power."""
        state = self._editor.state
        player = state.me if side == "me" else state.enemy
        hero, mine = player.hero, side == "me"
        weapons = [card.name for card in standard().values() if card.type == "weapon"]
        powers = [card.name for card in standard().values() if card.type == "hero_power"]
        with ui.dialog() as dialog, ui.card(), box("form"):
            text("Your hero" if mine else "The enemy hero", tag="h2")
            with box("fields"):
                health, armor = _number_field("Health", hero.health), _number_field("Armor", hero.armor)
                attack = _number_field("Attack this turn", hero.attack_this_turn)
                attacks_left = _number_field("Attacks left", hero.attacks_left)
                mana = _number_field("Mana", player.mana) if mine else None
                crystals = _number_field("Crystals", player.crystals) if mine else None
                hand = None if mine else _number_field("Cards in hand", len(player.hand))
                deck = _number_field("Cards in deck", len(player.deck))
            hero_class = ui.select(["neutral", *CLASSES], label="Class", value=hero.hero_class).props("outlined dense")
            power = _choice_field("Hero power", powers, player.power.name if player.power else None)
            used = ui.checkbox("Hero power used this turn", value=player.power_used)
            weapon = _choice_field("Weapon", weapons, player.weapon.card.name if player.weapon else None)
            with box("fields"):
                weapon_attack = _number_field("Weapon attack", player.weapon.attack if player.weapon else None)
                durability = _number_field("Weapon durability", player.weapon.durability if player.weapon else None)
            old_keywords = self._editor.to_json()[side]["hero"].get("keywords", [])
            keywords = _keyword_buttons(("frozen", "immune", "windfury", "stealth"), old_keywords)

            def edit(data: dict[str, Any]) -> None:
                entry = data[side]
                entry["hero"] |= {"health": _value(health), "armor": _value(armor), "class": hero_class.value}
                entry["hero"] |= {"attack_this_turn": _value(attack), "attacks_left": _value(attacks_left)}
                entry["hero"]["keywords"] = list(keywords)
                entry["hero"]["max_health"] = max(hero.max_health, _value(health) or 0)
                if mana is not None and crystals is not None:
                    data["mana"] = _value(mana)
                    entry["crystals"] = max(_value(crystals) or 0, _value(mana) or 0)
                if hand is not None and _value(hand) != len(player.hand):
                    entry["hand"] = _value(hand)
                if _value(deck) != len(player.deck):
                    entry["deck"] = _value(deck)
                entry["hero_power_used"] = used.value
                _set_choice(entry, "hero_power", power.value, player.power.name if player.power else None)
                old = player.weapon
                if weapon.value in (None, _NONE):
                    entry.pop("weapon", None)
                else:
                    is_new = old is None or old.card.name != weapon.value
                    stats = {} if is_new else {"attack": _value(weapon_attack), "durability": _value(durability)}
                    entry["weapon"] = {"name": weapon.value, **stats}

            def save() -> None:
                if self._apply(lambda: self._editor.change(edit)):
                    dialog.close()

            with box("row"):
                button("Save", save, "main")
                button("Close", dialog.close)
        dialog.open()


def _set_choice(entry: dict[str, Any], key: str, value: str | None, old: str | None) -> None:
    if value == old:
        return
    if value in (None, _NONE):
        entry.pop(key, None)
    else:
        entry[key] = value


def _old_value(card: Any, data: dict[str, Any], key: str) -> Any:
    return data[key] if key in data else getattr(card, key, None)


def _choice_field(label: str, names: list[str], value: str | None) -> ui.select:
    choices = [_NONE, *sorted({*names, *([value] if value else [])})]
    return ui.select(choices, label=label, value=value or _NONE, with_input=True).props("outlined dense options-dense")


def _number_field(label: str, value: float | None) -> ui.number:
    return ui.number(label, value=value, format="%g").props("outlined dense")


def _value(field: ui.number) -> Any:
    """Return the content of a field, unchecked: the reader of states checks it."""
    value = field.value
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _keyword_buttons(names: tuple[str, ...], selected: list[str]) -> list[str]:
    """Add buttons that switch keywords on and off; return the list of selected ones, which they keep up to date."""
    keywords = list(selected)
    with box("chips") as row:
        row.props["role"] = "group"
        row.props["aria-label"] = "Keywords"
        for name in dict.fromkeys((*names, *selected)):
            _keyword_button(name, keywords)
    return keywords


def _keyword_button(name: str, keywords: list[str]) -> None:
    def toggle() -> None:
        if name in keywords:
            keywords.remove(name)
        else:
            keywords.append(name)
        element.props["aria-pressed"] = "true" if name in keywords else "false"
        element.update()

    element = button(name.replace("_", " "), toggle, "small")
    element.props["aria-pressed"] = "true" if name in keywords else "false"
