"""The cards of the real game as `Card`s: their numbers, and as much of their texts as effects can express.

Each card belongs to one of three classes. `exact`: its effects express the whole text. `vanilla`: it has no text, or
only keywords. `partial`: `Card.unread` says which part of the text is not expressed.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache, lru_cache
from typing import Final

from planner.errors import PlannerError, did_you_mean, quote
from planner.games.hearthstone.cards import card_text_grammar, catalogue
from planner.games.hearthstone.cards.card import CLASSES, Card
from planner.games.hearthstone.cards.card_text_phrases import EXTRA_CARD, THIS, CardDescription
from planner.games.hearthstone.cards.effect_vocabulary import TRIBES
from planner.games.hearthstone.cards.keywords import bits
from planner.games.hearthstone.cards.real_card_index import Index, Printed, index, installed

EXACT: Final = "exact"
VANILLA: Final = "vanilla"
PARTIAL: Final = "partial"
PLAYABLE_TYPES: Final = ("minion", "spell", "weapon")
_OLD_SET: Final = "vanilla"  # earlier versions of cards: a name means them last
# Cards that do more than their text says.
_HIDDEN_EFFECTS: Final = dict.fromkeys(("CS2_013", "BT_130", "AT_043"), "the card added at the mana limit")
_HAND_EFFECTS: Final = ("draw", "add", "discard", "return")
_WITH_ID: Final = re.compile(r".+ \(([A-Za-z0-9_]+)\)")
_REPRINT: Final = re.compile(r"^(?:CORE|VAN)_")


def find_real_card(name: str) -> Card | None:
    """Return the real card with this name, dbf number or id, or None; also None if the extra `cards` is not installed.

    A name means a card that can be put into a deck, since many created cards share their names.
    """
    if not installed():
        return None
    printed = real_cards().lookup(name)
    if printed is None or (not printed.collectible and printed.name.casefold() == name.strip().casefold()):
        return None
    return None if printed.type == "hero" and not printed.text else real_cards().card(printed)


@cache
def real_cards() -> RealCards:
    """Return all real cards; the error for a missing package names the command that installs it."""
    return RealCards(index())


def _identity(printed: Printed) -> tuple[object, ...]:
    """Return what two printings of the same card have in common."""
    numbers = printed.cost, printed.attack, printed.health, printed.overload, printed.spell_damage
    text = card_text_grammar.strip_markup(printed.text)
    return printed.type, numbers, printed.classes, printed.tribes, printed.keywords, text


class RealCards:
    """The printed cards by name and number. Each becomes a `Card` when it is first needed."""

    def __init__(self, printed: Index) -> None:
        self._index = printed
        self._cards: dict[str, Card] = {}  # by the id of the first printing
        self._named: dict[str, Card] = {}
        self._open: list[str] = []  # the cards that are being read, since a card may create itself

    # -- lookup

    def lookup(self, name: str) -> Printed | None:
        """Return a card by name, dbf number or id, or None."""
        if same := self._same_name(name.strip().casefold()):
            return same[0]
        if name.isdecimal():
            return self.by_dbf(int(name)) if len(name) < 10 else None
        with_id = _WITH_ID.fullmatch(name)
        return self._index.by_id(with_id[1] if with_id else name)

    def named(self, name: str) -> Printed:
        """Return a card by name, dbf number or id, or raise a PlannerError."""
        printed = self.lookup(name)
        if printed is None:
            names = {printed.name for printed in self._index.collectible()}
            raise PlannerError(f"unknown real card {quote(name)}{did_you_mean(name, names)}")
        return printed

    def by_dbf(self, number: int) -> Printed | None:
        """Return the card with this dbf number, or None."""
        return self._index.by_dbf(number)

    @cache  # noqa: B019  (there is only one instance)
    def collectible(self) -> tuple[Printed, ...]:
        """Return the cards of playable types that can be put into a deck."""
        return tuple(printed for printed in self._index.collectible() if printed.type in PLAYABLE_TYPES)

    @lru_cache(maxsize=4096)  # noqa: B019
    def _same_name(self, folded: str) -> tuple[Printed, ...]:
        """Return all cards with this name: collectible cards first, earlier versions last."""

        def order(printed: Printed) -> tuple[bool, bool, bool, int]:
            is_playable = printed.type in PLAYABLE_TYPES
            return not printed.collectible, not is_playable, printed.set == _OLD_SET, printed.dbf

        return tuple(sorted(self._index.named(folded), key=order))

    # -- conversion

    def card(self, printed: Printed) -> Card:
        """Return the `Card` of a printing; printings of the same card share it."""
        first = self._first_printing(printed)
        if first.id not in self._cards:
            self._open.append(first.id)
            try:
                card = self._read(first)
            finally:
                self._open.pop()
            known = catalogue.standard().find(first.name)
            if known is not None and _substance(known) != _substance(card):
                known = None
            card = known or card
            self._cards[first.id] = self._named[card.name] = card
            if known is None:
                for effect in card.effects:
                    object.__setattr__(effect, "made", tuple(self._named[name] for name in effect.card))
        return self._cards[first.id]

    def kind(self, printed: Printed) -> str:
        """Return the class of the card: exact, vanilla or partial."""
        card = self.card(printed)
        if card.unread:
            return PARTIAL
        return EXACT if card.effects else VANILLA

    def _first_printing(self, printed: Printed) -> Printed:
        identity = _identity(printed)
        return next(other for other in self._same_name(printed.name.casefold()) if _identity(other) == identity)

    def _unique_name(self, printed: Printed) -> str:
        """Return the name, with the id if the name alone means another card."""
        is_unique = (
            self._same_name(printed.name.casefold())[0].id == printed.id and printed.name not in catalogue.standard()
        )
        return printed.name if is_unique else f"{printed.name} ({printed.id})"

    def _read(self, printed: Printed) -> Card:
        def find(description: CardDescription) -> str | None:
            return self._find_described(description, printed)

        reading = card_text_grammar.parse_card_text(printed.text, printed.type, find, printed.tribes)
        unread = list(reading.unread)
        if printed.type not in PLAYABLE_TYPES:
            reading = card_text_grammar.Reading()
            unread = [f"a {printed.type} card"]
        elif not unread:
            unread = _contradictions(printed, reading)
        unread += _beyond_the_rules(printed, reading)
        if (hidden := _HIDDEN_EFFECTS.get(_REPRINT.sub("", printed.id))) is not None:
            unread.append(hidden)
        targets = {effect.to for effect in reading.effects if effect.chosen}
        if len(targets) > 1:  # a player chooses only one target
            reading.effects = []
            unread = unread or [card_text_grammar.strip_markup(printed.text)]
        return Card(
            name=self._unique_name(printed),
            type=printed.type if printed.type in PLAYABLE_TYPES else "spell",
            cost=printed.cost,
            attack=printed.attack,
            health=max(printed.health, 1) if printed.type in ("minion", "weapon") else 0,
            keywords=bits(_keywords(printed)),
            effects=tuple(reading.effects),
            card_class=_class(printed),
            tribes=TRIBES if "all" in printed.tribes else tuple(tribe for tribe in printed.tribes if tribe in TRIBES),
            overload=max(printed.overload, reading.overload),
            spell_damage=max(printed.spell_damage, reading.spell_damage),
            id=printed.id,
            dbf=printed.dbf,
            text=re.sub(r"[$#](?=\d)", "", card_text_grammar.strip_markup(printed.text)),
            token=not printed.collectible,
            unread="; ".join(unread),
        )

    def _find_described(self, description: CardDescription, by: Printed) -> str | None:
        """Return the name of the card that fits a description best, if it is unique and completely expressed."""
        if description.kind == THIS:
            return self._unique_name(self._first_printing(by))
        created = self._index.made_by(_REPRINT.sub("", by.id))
        if description.kind == EXTRA_CARD:
            same = [one for one in created if (one.name, one.type, one.collectible) == (by.name, by.type, False)]
            return self._known(same[0]) if len(same) == 1 else None
        names = _singulars(description.name.casefold()) if description.plural else [description.name.casefold()]
        fitting = [printed for name in names for printed in self._same_name(name) if _matches(description, printed)]
        related = self.by_dbf(by.related) if by.related else None
        created += [] if related is None else [related]
        belonging = [one for one in created if not one.collectible and _matches(description, one)]
        by_name = [printed for printed in belonging if printed.name.casefold() in names]
        # The created card may have another name than the text, which may only say Beast or Wolf.
        described = [
            printed
            for printed in belonging
            if description.attack is not None and bits(_keywords(printed)) == description.keywords
        ]
        for candidates in (by_name, described, [printed for printed in fitting if printed.set == by.set], fitting):
            identities = {_identity(printed) for printed in candidates}
            if identities:
                return self._known(candidates[0]) if len(identities) == 1 else None
        return None

    def _known(self, printed: Printed) -> str | None:
        first = self._first_printing(printed)
        if first.id in self._open:
            return self._unique_name(first) if first.id == self._open[-1] else None
        card = self.card(first)
        does_nothing = card.type == "spell" and not card.effects  # then its effect is not in its text
        return None if card.unread or does_nothing else card.name


def _substance(card: Card) -> tuple[object, ...]:
    """Return everything about a card that matters to the rules."""
    numbers = card.cost, card.attack, card.health, card.overload, card.spell_damage
    return card.type, numbers, card.keywords, card.effects, card.card_class, sorted(card.tribes), card.unread


def _singulars(name: str) -> list[str]:
    """Return the possible singular forms of a name."""
    singulars = [name]
    first, of, last = name.partition(" of ")  # Hands of Salvation
    for plural, singular in (("ies", "y"), ("ves", "f"), ("ves", "fe"), ("es", ""), ("s", ""), ("men", "man")):
        if first.endswith(plural):
            singulars.append(first.removesuffix(plural) + singular + of + last)
    return singulars


def _matches(description: CardDescription, printed: Printed) -> bool:
    numbers = description.attack in (None, printed.attack) and description.health in (None, printed.health)
    return printed.type == description.kind and numbers and not description.keywords & ~bits(_keywords(printed))


def _keywords(printed: Printed) -> tuple[str, ...]:
    """Return the keywords of the tags; a freezing spell or weapon has the tag for its effect, not as a keyword."""
    words = printed.keywords
    if "freeze" in words and not re.search(
        r"damaged by (this|your hero)", card_text_grammar.strip_markup(printed.text)
    ):
        words = tuple(word for word in words if word != "freeze")
    if "mega_windfury" in words:
        words = tuple(word for word in words if word != "windfury")
    return words


def _class(printed: Printed) -> str:
    known = [name for name in printed.classes if name in CLASSES]
    return "/".join(known) or "neutral"


def _beyond_the_rules(printed: Printed, reading: card_text_grammar.Reading) -> list[str]:
    """Return where our rules would carry out the effects differently from the real game."""
    problems = []
    if "magnetic" in printed.keywords and reading.effects:
        problems.append("the text that a mech gains")  # ours only gains numbers and keywords
    played = [effect for effect in reading.effects if effect.on == "play" and not effect.combo]
    if printed.type != "spell" and any(effect.chosen for effect in played):
        # Without a target nothing happens at all.
        others = [effect for effect in played if not effect.chosen and "target" not in effect.given]
        others = [effect for effect in others if effect is not reading.extra_card]
        if any(effect.given for effect in others):
            problems.append("that nothing happens without a target")
        reading.effects = [
            replace(effect, given="target") if effect in others else effect for effect in reading.effects
        ]
    later = reading.effects[1:]
    if reading.extra_card and any(effect.do in _HAND_EFFECTS or "hand" in effect.given for effect in later):
        problems.append("whether the extra card is added first")
    if reading.extra_card and printed.type == "spell" and all(effect.do == "summon" for effect in later):
        problems.append("that it needs room on the board")  # our rules require room only for spells that only summon
    draws = [index for index, effect in enumerate(reading.effects) if effect.do == "draw"]
    holding = [index for index, effect in enumerate(reading.effects) if "holding" in effect.given]
    if draws and holding and draws[0] < holding[-1]:
        problems.append("that a drawn card may satisfy the condition")  # plans do not look at drawn cards
    return problems


def _contradictions(printed: Printed, reading: card_text_grammar.Reading) -> list[str]:
    """Return where tags and text differ: then the text does not say everything."""
    problems = []
    if bits(_keywords(printed)) != reading.keywords:
        problems.append("its keywords")
    if printed.overload not in (0, reading.overload):
        problems.append("its overload")
    if bool(printed.spell_damage) != bool(reading.spell_damage):  # the tag does not say how much
        problems.append("its spell damage")
    heads = {"battlecry": "play", "deathrattle": "death"}
    if any(word not in heads or heads[word] not in reading.heads for word in printed.unmentioned if word != "aura"):
        problems.append("what its tags say in addition to its text")
    if "aura" in printed.unmentioned and not any(effect.on == "aura" for effect in reading.effects):
        problems.append("its aura")
    return problems
