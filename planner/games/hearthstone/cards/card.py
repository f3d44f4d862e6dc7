"""A card: what is printed on it. What happens to it in play is the referee's."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final

from planner.games.hearthstone.cards.conditions import opposite
from planner.games.hearthstone.cards.effects import Effect
from planner.games.hearthstone.cards.keywords import MAGNETIC, TRADEABLE, names
from planner.games.hearthstone.cards.targets import Target

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
    unread: str = ""  # what of its text is not in its effects: plans name such a card, and prove nothing
    dbf: int = field(default=0, compare=False)  # the game's number of it: another name, like `id`

    def __hash__(self) -> int:
        # States are hashed often, and a name is nearly always enough to tell cards apart.
        return hash(self.name)

    @property
    def keyword_names(self) -> tuple[str, ...]:
        """Its keywords as words; `keywords` has them as bits."""
        return tuple(names(self.keywords))

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
        effect = self._choices[combo]
        return None if effect is None else effect.to

    def choice(self, combo: bool) -> Effect | None:
        """The effect for which the player chooses a target, if there is one."""
        return self._choices[combo]

    @cached_property
    def unread_cards(self) -> tuple[str, ...]:
        """The names of the cards whose texts are not known in full: this one, and what its effects can make."""
        met = {id(self): self}  # a card may make itself, and a stranger's state can have thousands of them
        to_look_at = [self]
        while to_look_at:
            for effect in to_look_at.pop().effects:
                new = {id(made): made for made in effect.made if id(made) not in met}
                met.update(new)
                to_look_at.extend(new.values())
        return tuple(card.name for card in met.values() if card.unread)

    @cached_property
    def plain(self) -> bool:
        """Is it a minion with nothing to choose: to be played, if there are mana and room, and no more?"""
        choices = self.keywords & (MAGNETIC | TRADEABLE) or self._choices != (None, None)
        return self.type == "minion" and not choices

    @cached_property
    def hones(self) -> bool:
        """Does it make a weapon better when it is played?"""
        return any(effect.do == "hone" for effect in self.on("play"))

    @cached_property
    def _choices(self) -> tuple[Effect | None, Effect | None]:
        def find(combo: bool) -> Effect | None:
            played = (e for e in self.on("play") if e.combo is None or e.combo is combo)
            chosen = [effect for effect in played if effect.chosen]
            # One that asks for nothing goes before one that does, and of two that ask for the opposite one always
            # comes: then there is always a target to choose.
            asked = {effect.given for effect in chosen}
            if any(opposite(given) in asked for given in asked if given):
                return replace(chosen[0], given="")
            return next((effect for effect in chosen if not effect.given), chosen[0] if chosen else None)

        return find(False), find(True)


HIDDEN: Final = Card("?", type="hidden", text="a card that this player cannot see")
