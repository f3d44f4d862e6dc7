"""A card as printed. What happens to it in a match is in planner/games/hearthstone/rules."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final

from planner.games.hearthstone.cards.effect_vocabulary import Effect, Target, negate_condition
from planner.games.hearthstone.cards.keywords import MAGNETIC, TRADEABLE, names

TYPES: Final = ("minion", "spell", "weapon", "hero_power")
# The classes, with the numbers that the real game gives them, as in `HERO_01`.
CLASS_NUMBERS: Final = {
    "deathknight": "11", "demonhunter": "10", "druid": "06", "hunter": "05", "mage": "08", "paladin": "04",
    "priest": "09", "rogue": "03", "shaman": "02", "warlock": "07", "warrior": "01",
}  # fmt: skip
CLASSES: Final = tuple(CLASS_NUMBERS)


@dataclass(frozen=True, eq=True)
class Card:
    """What is printed on a card. The `health` of a weapon is its durability."""

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
    unread: str = ""  # the part of the text that is not in `effects`; plans list such cards and prove nothing
    dbf: int = field(default=0, compare=False)  # the number of the card in the real game

    def __hash__(self) -> int:
        # States are hashed often, and cards with the same name are rarely different.
        return hash(self.name)

    @property
    def keyword_names(self) -> tuple[str, ...]:
        """The names of the keywords, which `keywords` holds as bits."""
        return tuple(names(self.keywords))

    def on(self, trigger: str) -> tuple[Effect, ...]:
        """Return the effects with this trigger, in the order in which they are printed."""
        return self._by_trigger.get(trigger, ())

    @cached_property
    def _by_trigger(self) -> dict[str, tuple[Effect, ...]]:
        triggers = {effect.on for effect in self.effects}
        return {t: tuple(effect for effect in self.effects if effect.on == t) for t in triggers}

    @cached_property
    def aura(self) -> tuple[Effect, ...]:
        """The same as `on("aura")`, cached because the rules need it after every action."""
        return self.on("aura")

    def target(self, combo: bool) -> Target | None:
        """Return the target that the player chooses, if any; `combo`: another card was played before."""
        effect = self._choices[combo]
        return None if effect is None else effect.to

    def choice(self, combo: bool) -> Effect | None:
        """Return the effect for which the player chooses a target, if there is one."""
        return self._choices[combo]

    @cached_property
    def unread_cards(self) -> tuple[str, ...]:
        """The names of the cards with `unread` text: this card and those that its effects can create."""
        visited = {id(self): self}  # a card may create itself, and a state may define thousands of cards
        to_visit = [self]
        while to_visit:
            for effect in to_visit.pop().effects:
                created = {id(card): card for card in effect.made if id(card) not in visited}
                visited.update(created)
                to_visit.extend(created.values())
        return tuple(card.name for card in visited.values() if card.unread)

    @cached_property
    def needs_no_choice(self) -> bool:
        """Whether it is a minion that can be played whenever there is mana and room, without a choice."""
        if self.type != "minion" or self.keywords & (MAGNETIC | TRADEABLE):
            return False
        return not self.effects or self._choices == (None, None)

    @cached_property
    def random_minion_effects(self) -> tuple[tuple[Effect, Target], ...]:
        """The effects on random minions of a card without a chosen target, with their targets.

        A spell with such effects needs a minion for each of them.
        """
        if self._choices != (None, None):
            return ()
        targets = ((effect, effect.to) for effect in self.on("play") if effect.to is not None)
        return tuple(pair for pair in targets if pair[1].select == "random" and pair[1].what == "minion")

    @cached_property
    def buffs_weapon(self) -> bool:
        """Whether it improves a weapon when it is played."""
        return any(effect.do == "hone" for effect in self.on("play"))

    @cached_property
    def _choices(self) -> tuple[Effect | None, Effect | None]:
        def find(combo: bool) -> Effect | None:
            played = (e for e in self.on("play") if e.combo is None or e.combo is combo)
            chosen = [effect for effect in played if effect.chosen]
            conditions = {effect.given for effect in chosen}
            # Of two effects with opposite conditions one always happens, so the player always chooses. An effect
            # without a condition goes before one with a condition.
            if any(negate_condition(condition) in conditions for condition in conditions if condition):
                return replace(chosen[0], given="")
            return next((effect for effect in chosen if not effect.given), chosen[0] if chosen else None)

        return find(False), find(True)


HIDDEN: Final = Card("?", type="hidden", text="a card that this player cannot see")
