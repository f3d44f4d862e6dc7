"""A state drawn as a card table: heroes, boards and the hand as buttons with accessible labels."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from nicegui import ui

from planner.games.hearthstone.cards.card import HIDDEN
from planner.games.hearthstone.cards.keywords import CANNOT_ATTACK, DIVINE_SHIELD, FROZEN, STEALTH, TAUNT
from planner.games.hearthstone.rules.narration import format_keywords
from planner.games.hearthstone.rules.state import ENEMY_HERO, MY_HERO, GameState, HandCard, Minion, Player, hero_attack
from planner.service.pages.elements import box, plural, text
from planner.service.pages.table_editor import Zone, drop_index

HERO_POWER: Final = "power"


class Spot(NamedTuple):
    """What was clicked: a card of a zone, a hero, or a hero power."""

    zone: str  # me.board, me.hand, enemy.board; me.hero, enemy.hero; power
    position: int
    id: str


def _do_nothing(*_: Any) -> None:
    """Handle an event of a table that is read-only."""


@dataclass
class TableView:
    """How to draw a table, and the handlers of its events."""

    pick: Callable[[Spot], None] = _do_nothing
    add: Callable[[Zone], None] | None = None  # where set, cards can be added and dragged
    move: Callable[[Zone, int, Zone, int], None] = _do_nothing
    remove: Callable[[Zone, int], None] = _do_nothing
    drop: Callable[[Zone, int], None] | None = None  # where set, the next click drops the card that was picked up
    marks: Mapping[str, str] = field(default_factory=dict)  # CSS classes by id: acting, target, legal, chosen
    titles: tuple[str, str] = ("You", "Enemy")
    caption: str = ""
    read_only: bool = False
    _dragged: tuple[Zone, int] | None = None

    def draw(self, state: GameState) -> None:
        """Draw the table, with the enemy at the top."""
        with box("table"):
            self._draw_hero(state.enemy, "enemy")
            self._draw_zone("enemy.board", state)
            box("middle", "hr")
            if self.caption:
                text(self.caption, "banner", "div").props["aria-live"] = "polite"
            self._draw_zone("me.board", state)
            self._draw_hero(state.me, "me")
            self._draw_zone("me.hand", state)

    def _draw_zone(self, zone: Zone, state: GameState) -> None:
        side, pile = zone.split(".")
        player = state.me if side == "me" else state.enemy
        cards: tuple[Any, ...] = player.board if pile == "board" else player.hand
        row = box(f"zone {'hand' if pile == 'hand' else ''} {'open' if self.add or self.drop else ''}")
        row.props["role"] = "group"
        row.props["aria-label"] = {"me.board": "Your board", "me.hand": "Your hand"}.get(zone, "Enemy board")
        self._accept_drops(row, zone, len(cards))
        with row:
            for index, card in enumerate(cards):
                element = self._draw_card(card, Spot(zone, index, card.id))
                if self.add:
                    self._make_draggable(element, zone, index)
            add, drop, name = self.add, self.drop, row.props["aria-label"].lower()
            if drop:
                self._draw_slot("↓", "here", f"Drop at the end of {name}", lambda: drop(zone, len(cards)))
            elif add and len(cards) < (state.rules.board_limit if pile == "board" else state.rules.hand_limit):
                self._draw_slot("+", "add", f"Add a card to {name}", lambda: add(zone))

    @staticmethod
    def _draw_slot(symbol: str, word: str, label: str, on_click: Callable[[], None]) -> None:
        """Draw an empty slot at the end of a zone."""
        slot = box("card slot", "button").on("click", on_click)
        slot.props["type"] = "button"
        slot.props["aria-label"] = label
        with slot:
            text(symbol)
            text(word, "name")

    def _draw_card(self, card: Minion | HandCard, spot: Spot) -> ui.element:
        in_hand = isinstance(card, HandCard)
        hidden = card.card is HIDDEN or card.card.type == "hidden"
        keywords = card.card.keywords if isinstance(card, HandCard) else card.keywords
        has_stats = not in_hand or card.card.type in ("minion", "weapon")
        attack, health = (card.card.attack, card.card.health) if isinstance(card, HandCard) else card[2:4]
        classes = ["card", self.marks.get(spot.id, "")]
        if in_hand:
            classes += ["in-hand"]
        else:
            classes += [name for name, bit in _KEYWORD_CLASSES.items() if keywords & bit]
            if isinstance(card, Minion) and (not card.attacks_left or keywords & (FROZEN | CANNOT_ATTACK)):
                classes.append("idle")
        if hidden:
            classes.append("back")
        keyword_text = ", ".join(format_keywords(keywords))
        card_text = card.card.text if not (isinstance(card, Minion) and card.silenced) else "silenced"
        element = box(" ".join(classes), "button")
        element.props["type"] = "button"
        element.props["id"] = f"{spot.zone}.{spot.position}".replace(".", "-")
        element.props["data-id"] = spot.id
        element.props["title"] = ". ".join(part for part in (card.card.name, keyword_text, card_text) if part)
        element.props["aria-label"] = _card_label(card, attack, health, keyword_text, has_stats)
        self._make_clickable(element, spot)
        with element:
            if isinstance(card, HandCard):
                text(card.cost, "cost")
            text("unknown" if hidden else card.card.name, "name")
            if not hidden:
                text(keyword_text or ("" if has_stats and not card_text else card_text), "words")
                if has_stats:
                    text(attack, "attack")
                    damaged = isinstance(card, Minion) and card.health < card.max_health
                    text(health, "health hurt" if damaged else "health")
        return element

    def _draw_hero(self, player: Player, side: str) -> None:
        hero, mine = player.hero, side == "me"
        name = self.titles[0] if mine else self.titles[1]
        spot = Spot(f"{side}.hero", 0, MY_HERO if mine else ENEMY_HERO)
        with box("hero"):
            element = box(self.marks.get(spot.id, ""), "button")
            element.props["type"] = "button"
            element.props["id"] = f"{side}-hero"
            element.props["aria-label"] = f"{name}: {hero.health} health, {hero.armor} armor"
            self._make_clickable(element, spot)
            with element:
                text(hero.health, "life" if hero.health > 0 else "life dead")
                with box("what", "span"):
                    text(f"{name} · {hero.hero_class}" if hero.hero_class != "neutral" else name)
                    text(_hero_details(player), tag="small")
            if player.power is not None:
                self._draw_hero_power(player, mine)
            with box("row"), box("what", "span"):
                if mine:
                    crystals = max(player.crystals, player.mana)
                    text(f"{player.mana} of {crystals} mana", tag="small")
                    with box("mana", "span"):
                        for index in range(crystals):
                            box("" if index < player.mana else "spent", "i")
                else:
                    hand = plural(len(player.hand), "card")
                    text(f"{hand} in hand, {len(player.deck)} in deck", tag="small")

    def _draw_hero_power(self, player: Player, mine: bool) -> None:
        power = player.power
        assert power is not None
        element = box(self.marks.get(HERO_POWER, "") if mine else "", "button")
        element.props["type"] = "button"
        element.props["title"] = power.text or power.name
        if mine:
            element.props["id"] = "me-power"
        self._make_clickable(element, Spot(HERO_POWER if mine else "enemy.hero", 0, HERO_POWER if mine else ENEMY_HERO))
        with element, box("what", "span"):
            text(power.name)
            text("used" if player.power_used else f"{power.cost} mana", tag="small")

    # -- events

    def _make_clickable(self, element: ui.element, spot: Spot) -> None:
        if self.read_only:
            element.classes("read-only")
        else:
            element.on("click", lambda: self.pick(spot))

    def _make_draggable(self, element: ui.element, zone: Zone, index: int) -> None:
        element.props["draggable"] = "true"

        def start() -> None:
            self._dragged = (zone, index)

        def key(event: Any) -> None:
            match event.args.get("key"):
                case "Delete":
                    self.remove(zone, index)
                case "ArrowLeft" if event.args.get("shiftKey") and index:
                    self.move(zone, index, zone, index - 1)
                case "ArrowRight" if event.args.get("shiftKey"):
                    self.move(zone, index, zone, index + 1)

        element.on("dragstart", start)
        wanted = "['Delete', 'ArrowLeft', 'ArrowRight'].includes(e.key) && (e.key === 'Delete' || e.shiftKey)"
        element.on("keydown", key, js_handler=f"(e) => {{ if ({wanted}) emit({{key: e.key, shiftKey: e.shiftKey}}) }}")
        self._accept_drops(element, zone, index)

    def _accept_drops(self, element: ui.element, zone: Zone, index: int) -> None:
        """Let a dragged card be dropped here."""
        if self.add is None:
            return

        def drop() -> None:
            if self._dragged is not None:
                (start, source), self._dragged = self._dragged, None
                self.move(start, source, zone, drop_index(start, source, zone, index))

        element.on("dragover", js_handler="(e) => e.preventDefault()")
        element.on("drop", drop, js_handler="(e) => { e.preventDefault(); e.stopPropagation(); emit() }")


_KEYWORD_CLASSES: Final = {"taunt": TAUNT, "shield": DIVINE_SHIELD, "frozen": FROZEN, "stealth": STEALTH}


def _card_label(card: Minion | HandCard, attack: int, health: int, keywords: str, has_stats: bool) -> str:
    parts = [card.card.name]
    if isinstance(card, HandCard):
        parts.append(f"costs {card.cost}")
    if has_stats:
        parts.append(f"{attack} attack, {health} health")
    return ", ".join(part for part in (*parts, keywords) if part)


def _hero_details(player: Player) -> str:
    hero, weapon = player.hero, player.weapon
    parts = [f"{hero.armor} armor"] if hero.armor else []
    if weapon is not None:
        parts.append(f"{weapon.card.name} {weapon.attack}/{weapon.durability}")
    elif hero_attack(player):
        parts.append(f"{hero_attack(player)} attack")
    parts += format_keywords(hero.keywords)
    return ", ".join(parts) or ("dead" if hero.health <= 0 else "hero")
