"""A card: what is printed on it. What happens to it in play is the referee's."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

from planner.games.hearthstone.cards.effects import Effect, Target
from planner.games.hearthstone.cards.keywords import MAGNETIC, TRADEABLE

TYPES: Final = ("minion", "spell", "weapon", "hero_power")
CLASSES: Final = (
    "deathknight",
    "demonhunter",
    "druid",
    "hunter",
    "mage",
    "paladin",
    "priest",
    "rogue",
    "shaman",
    "warlock",
    "warrior",
)


@dataclass(frozen=True, eq=True)
class Card:
    """Printed on a card. `health` is a weapon's durability."""

    name: str
    type: str = "minion"
    cost: int = 0
    attack: int = 0
    health: int = 0
    keywords: int = 0
    effects: tuple[Effect, ...] = ()
    card_class: str = "neutral"
    tribes: tuple[str, ...] = ()
    overload: int = 0
    spell_damage: int = 0
    value: int | float = 1
    id: str = ""
    text: str = ""
    token: bool = False  # cannot be put into a deck

    def __hash__(self) -> int:
        # States are hashed often, and a name is nearly always enough to tell cards apart.
        return hash(self.name)

    def on(self, trigger: str) -> tuple[Effect, ...]:
        """Its effects with this trigger, in the order in which they are printed."""
        return self._by_trigger.get(trigger, ())

    @cached_property
    def _by_trigger(self) -> dict[str, tuple[Effect, ...]]:
        triggers = {effect.on for effect in self.effects}
        return {t: tuple(effect for effect in self.effects if effect.on == t) for t in triggers}

    @cached_property
    def aura(self) -> tuple[Effect, ...]:
        """What it adds to others while it stands: `on("aura")`, asked after every action."""
        return self.on("aura")

    def target(self, combo: bool) -> Target | None:
        """Whom the player chooses when playing it, if anybody; `combo`: another card was played before it."""
        return self._targets[combo]

    @cached_property
    def plain(self) -> bool:
        """Is it a minion with nothing to choose: to be played, if there are mana and room, and no more?"""
        choices = self.keywords & (MAGNETIC | TRADEABLE) or self._targets != (None, None)
        return self.type == "minion" and not choices

    @cached_property
    def _targets(self) -> tuple[Target | None, Target | None]:
        def find(combo: bool) -> Target | None:
            played = (e for e in self.on("play") if e.combo is None or e.combo is combo)
            return next((effect.to for effect in played if effect.chosen), None)

        return find(False), find(True)


HIDDEN: Final = Card("?", type="hidden", text="a card that this player cannot see")
