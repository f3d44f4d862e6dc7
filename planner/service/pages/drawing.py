"""A state of the game as a card table: heroes, boards and the hand, as buttons that say what they are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from nicegui import ui

from planner.games.hearthstone.cards.card import HIDDEN
from planner.games.hearthstone.cards.keywords import CANNOT_ATTACK, DIVINE_SHIELD, FROZEN, STEALTH, TAUNT
from planner.games.hearthstone.rules.state import ENEMY_HERO, MY_HERO, GameState, HandCard, Minion, Player, hero_attack
from planner.games.hearthstone.rules.words import keyword_words
from planner.service.pages.parts import box, counted, words
from planner.service.pages.sketch import Zone, landing

POWER: Final = "power"


class Spot(NamedTuple):
    """What was clicked: a card of a zone, a hero, or a hero power."""

    zone: str  # me.board, me.hand, enemy.board; me.hero, enemy.hero; power
    place: int
    id: str


def _nothing(*_: Any) -> None:
    """Where a table is only looked at."""


@dataclass
class Drawing:
    """How a table is drawn, and what happens when somebody touches it."""

    pick: Callable[[Spot], None] = _nothing
    add: Callable[[Zone], None] | None = None  # where cards can be added, they can be dragged too
    move: Callable[[Zone, int, Zone, int], None] = _nothing
    remove: Callable[[Zone, int], None] = _nothing
    put_down: Callable[[Zone, int], None] | None = None  # where a card was taken up: it goes where the next click is
    marks: Mapping[str, str] = field(default_factory=dict)  # classes by id: acting, target, legal, chosen
    titles: tuple[str, str] = ("You", "Enemy")
    banner: str = ""
    flat: bool = False  # nothing happens on a click
    _dragged: tuple[Zone, int] | None = None

    def draw(self, state: GameState) -> None:
        """The whole table; the enemy sits above."""
        with box("table"):
            self._hero(state.enemy, "enemy")
            self._zone("enemy.board", state)
            box("middle", "hr")
            if self.banner:
                words(self.banner, "banner", "div").props["aria-live"] = "polite"
            self._zone("me.board", state)
            self._hero(state.me, "me")
            self._zone("me.hand", state)

    def _zone(self, zone: Zone, state: GameState) -> None:
        side, pile = zone.split(".")
        player = state.me if side == "me" else state.enemy
        cards: tuple[Any, ...] = player.board if pile == "board" else player.hand
        row = box(f"zone {'hand' if pile == 'hand' else ''} {'open' if self.add or self.put_down else ''}")
        row.props["role"] = "group"
        row.props["aria-label"] = {"me.board": "Your board", "me.hand": "Your hand"}.get(zone, "Enemy board")
        self._accept(row, zone, len(cards))
        with row:
            for place, card in enumerate(cards):
                button = self._card(card, Spot(zone, place, card.id))
                if self.add:
                    self._movable(button, zone, place)
            add, put_down, name = self.add, self.put_down, row.props["aria-label"].lower()
            if put_down:
                self._place("↓", "here", f"Put it at the end of {name}", lambda: put_down(zone, len(cards)))
            elif add and len(cards) < (state.rules.board_limit if pile == "board" else state.rules.hand_limit):
                self._place("+", "add", f"Add a card to {name}", lambda: add(zone))

    @staticmethod
    def _place(sign: str, word: str, said: str, do: Callable[[], None]) -> None:
        """An empty place at the end of a zone."""
        put = box("card put", "button").on("click", do)
        put.props["type"] = "button"
        put.props["aria-label"] = said
        with put:
            words(sign)
            words(word, "name")

    def _card(self, card: Minion | HandCard, spot: Spot) -> ui.element:
        held = isinstance(card, HandCard)
        hidden = card.card is HIDDEN or card.card.type == "hidden"
        keywords = card.card.keywords if isinstance(card, HandCard) else card.keywords
        numbers = not held or card.card.type in ("minion", "weapon")
        attack, health = (card.card.attack, card.card.health) if isinstance(card, HandCard) else card[2:4]
        classes = ["card", self.marks.get(spot.id, "")]
        if held:
            classes += ["held"]
        else:
            classes += [name for name, bit in _LOOKS.items() if keywords & bit]
            if isinstance(card, Minion) and (not card.attacks_left or keywords & (FROZEN | CANNOT_ATTACK)):
                classes.append("idle")
        if hidden:
            classes.append("back")
        said = ", ".join(keyword_words(keywords))
        text = card.card.text if not (isinstance(card, Minion) and card.silenced) else "silenced"
        button = box(" ".join(classes), "button")
        button.props["type"] = "button"
        button.props["id"] = f"{spot.zone}.{spot.place}".replace(".", "-")
        button.props["data-id"] = spot.id
        button.props["title"] = ". ".join(part for part in (card.card.name, said, text) if part)
        button.props["aria-label"] = _said(card, attack, health, said, numbers)
        self._clickable(button, spot)
        with button:
            if isinstance(card, HandCard):
                words(card.cost, "cost")
            words("unknown" if hidden else card.card.name, "name")
            if not hidden:
                words(said or ("" if numbers and not text else text), "words")
                if numbers:
                    words(attack, "attack")
                    hurt = isinstance(card, Minion) and card.health < card.max_health
                    words(health, "health hurt" if hurt else "health")
        return button

    def _hero(self, player: Player, side: str) -> None:
        hero, mine = player.hero, side == "me"
        name = self.titles[0] if mine else self.titles[1]
        spot = Spot(f"{side}.hero", 0, MY_HERO if mine else ENEMY_HERO)
        with box("hero"):
            button = box(self.marks.get(spot.id, ""), "button")
            button.props["type"] = "button"
            button.props["id"] = f"{side}-hero"
            button.props["aria-label"] = f"{name}: {hero.health} health, {hero.armor} armor"
            self._clickable(button, spot)
            with button:
                words(hero.health, "life" if hero.health > 0 else "life dead")
                with box("what", "span"):
                    words(f"{name} · {hero.hero_class}" if hero.hero_class != "neutral" else name)
                    words(_hero_line(player), tag="small")
            if player.power is not None:
                self._power(player, mine)
            with box("row"), box("what", "span"):
                if mine:
                    words(f"{player.mana} of {max(player.crystals, player.mana)} mana", tag="small")
                    with box("mana", "span"):
                        for place in range(max(player.crystals, player.mana)):
                            box("" if place < player.mana else "spent", "i")
                else:
                    count = len(player.hand)
                    words(f"{counted(count, 'card')} in hand, {len(player.deck)} in deck", tag="small")

    def _power(self, player: Player, mine: bool) -> None:
        power = player.power
        assert power is not None
        button = box(self.marks.get(POWER, "") if mine else "", "button")
        button.props["type"] = "button"
        button.props["title"] = power.text or power.name
        if mine:
            button.props["id"] = "me-power"
        self._clickable(button, Spot(POWER if mine else "enemy.hero", 0, POWER if mine else ENEMY_HERO))
        with button, box("what", "span"):
            words(power.name)
            words("used" if player.power_used else f"{power.cost} mana", tag="small")

    # -- what can be done

    def _clickable(self, button: ui.element, spot: Spot) -> None:
        if self.flat:
            button.classes("still")
        else:
            button.on("click", lambda: self.pick(spot))

    def _movable(self, button: ui.element, zone: Zone, place: int) -> None:
        button.props["draggable"] = "true"

        def start() -> None:
            self._dragged = (zone, place)

        def key(event: Any) -> None:
            match event.args.get("key"):
                case "Delete":
                    self.remove(zone, place)
                case "ArrowLeft" if event.args.get("shiftKey") and place:
                    self.move(zone, place, zone, place - 1)
                case "ArrowRight" if event.args.get("shiftKey"):
                    self.move(zone, place, zone, place + 1)

        button.on("dragstart", start)
        wanted = "['Delete', 'ArrowLeft', 'ArrowRight'].includes(e.key) && (e.key === 'Delete' || e.shiftKey)"
        button.on("keydown", key, js_handler=f"(e) => {{ if ({wanted}) emit({{key: e.key, shiftKey: e.shiftKey}}) }}")
        self._accept(button, zone, place)

    def _accept(self, element: ui.element, zone: Zone, place: int) -> None:
        """Take what is dropped here."""
        if self.add is None:
            return

        def drop() -> None:
            if self._dragged is not None:
                (start, at), self._dragged = self._dragged, None
                self.move(start, at, zone, landing(start, at, zone, place))

        element.on("dragover", js_handler="(e) => e.preventDefault()")
        element.on("drop", drop, js_handler="(e) => { e.preventDefault(); e.stopPropagation(); emit() }")


_LOOKS: Final = {"taunt": TAUNT, "shield": DIVINE_SHIELD, "frozen": FROZEN, "stealth": STEALTH}


def _said(card: Minion | HandCard, attack: int, health: int, keywords: str, numbers: bool) -> str:
    parts = [card.card.name]
    if isinstance(card, HandCard):
        parts.append(f"costs {card.cost}")
    if numbers:
        parts.append(f"{attack} attack, {health} health")
    return ", ".join(part for part in (*parts, keywords) if part)


def _hero_line(player: Player) -> str:
    hero, weapon = player.hero, player.weapon
    parts = [f"{hero.armor} armor"] if hero.armor else []
    if weapon is not None:
        parts.append(f"{weapon.card.name} {weapon.attack}/{weapon.durability}")
    elif hero_attack(player):
        parts.append(f"{hero_attack(player)} attack")
    parts += keyword_words(hero.keywords)
    return ", ".join(parts) or ("dead" if hero.health <= 0 else "hero")
