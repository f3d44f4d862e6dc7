"""The real game's cards as cards of ours: their numbers, and as much of their texts as our effects can say.

Each card is of one of three classes. `exact`: the whole text is in its effects. `body`: there is no text, or only
keywords. `partial`: something is not expressed; what that is stands in `Card.unread`.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache, lru_cache
from typing import Final, NamedTuple

from planner.errors import PlannerError, did_you_mean, quote
from planner.games.hearthstone.cards import card_text_grammar, catalogue
from planner.games.hearthstone.cards.card import CLASSES, Card
from planner.games.hearthstone.cards.card_text_phrases import BESIDE, THIS, Wanted
from planner.games.hearthstone.cards.effect_vocabulary import TRIBES
from planner.games.hearthstone.cards.keywords import bits
from planner.games.hearthstone.cards.real_card_index import Index, Printed, index, installed

EXACT: Final = "exact"
VANILLA: Final = "body"
PARTIAL: Final = "partial"
PLAYED: Final = ("minion", "spell", "weapon")  # the types of cards that the rules know
_OLD: Final = "vanilla"  # the set of cards as they once were: a name means them last
_DOES_MORE: Final = dict.fromkeys(("CS2_013", "BT_130", "AT_043"), "what comes where no crystal can")  # than it says
_OF_HANDS: Final = ("draw", "add", "discard", "return")
_WITH_ID: Final = re.compile(r".+ \(([A-Za-z0-9_]+)\)")
_REPRINT: Final = re.compile(r"^(?:CORE|VAN)_")


def find_real_card(name: str) -> Card | None:
    """The real card of this name, dbf number or id in the game; None where there is none, or no package to ask.

    A name alone means a card that can be put into a deck: what other cards make has names that many share.
    """
    if not installed():
        return None
    found = real_cards().lookup(name)
    if found is None or (not found.collectible and found.name.casefold() == name.strip().casefold()):
        return None
    return None if found.type == "hero" and not found.text else real_cards().card(found)


@cache
def real_cards() -> RealCards:
    """All of them; a refusal with the command that installs the package where it is missing."""
    return RealCards(index())


class _Looks(NamedTuple):
    """What two printings share that are the same card."""

    type: str
    numbers: tuple[int, ...]
    classes: tuple[str, ...]
    tribes: tuple[str, ...]
    keywords: tuple[str, ...]
    text: str


def _looks(one: Printed) -> _Looks:
    numbers = one.cost, one.attack, one.health, one.overload, one.spell_damage
    return _Looks(one.type, numbers, one.classes, one.tribes, one.keywords, card_text_grammar.plain(one.text))


class RealCards:
    """The printed cards by name and number, and what each of them is in our words: worked out when asked for."""

    def __init__(self, printed: Index) -> None:
        self._index = printed
        self._cards: dict[str, Card] = {}  # by the id of the first printing
        self._named: dict[str, Card] = {}
        self._open: list[str] = []  # cards that are being read: they may make themselves

    # -- which card is meant

    def lookup(self, name: str) -> Printed | None:
        """By name, by dbf number, or by its id in the game."""
        if same := self._same_name(name.strip().casefold()):
            return same[0]
        if name.isdecimal():
            return self.by_dbf(int(name)) if len(name) < 10 else None
        told_apart = _WITH_ID.fullmatch(name)
        return self._index.by_id(told_apart[1] if told_apart else name)

    def named(self, name: str) -> Printed:
        """The same, or a refusal."""
        found = self.lookup(name)
        if found is None:
            names = {one.name for one in self._index.collectible()}
            raise PlannerError(f"{quote(name)} is not a card of the real game{did_you_mean(name, names)}")
        return found

    def by_dbf(self, number: int) -> Printed | None:
        """The card with this number."""
        return self._index.by_dbf(number)

    @cache  # noqa: B019  (there is one of these, and it stays)
    def collectible(self) -> tuple[Printed, ...]:
        """What can be put into a deck, of the types that the rules know."""
        return tuple(one for one in self._index.collectible() if one.type in PLAYED)

    @lru_cache(maxsize=4096)  # noqa: B019
    def _same_name(self, folded: str) -> tuple[Printed, ...]:
        """All cards of a name: those that can be in a deck first, those as they once were last."""
        order = lambda one: (not one.collectible, one.type not in PLAYED, one.set == _OLD, one.dbf)  # noqa: E731
        return tuple(sorted(self._index.named(folded), key=order))

    # -- what it is in our words

    def card(self, one: Printed) -> Card:
        """The card as one of ours; printings that look alike are one card."""
        first = self._first_alike(one)
        if first.id not in self._cards:
            self._open.append(first.id)
            try:
                card = self._read(first)
            finally:
                self._open.pop()
            ours = first.name in (known := catalogue.standard()) and _substance(known[first.name]) == _substance(card)
            if ours:
                card = known[first.name]
            self._cards[first.id] = self._named[card.name] = card
            if not ours:
                for effect in card.effects:
                    object.__setattr__(effect, "made", tuple(self._named[name] for name in effect.card))
        return self._cards[first.id]

    def kind(self, one: Printed) -> str:
        """Its class: exact, body or partial."""
        card = self.card(one)
        if card.unread:
            return PARTIAL
        return EXACT if card.effects else VANILLA

    def _first_alike(self, one: Printed) -> Printed:
        looks = _looks(one)
        return next(other for other in self._same_name(one.name.casefold()) if _looks(other) == looks)

    def _unique_name(self, one: Printed) -> str:
        """Its name, with its id where the name alone means another card: of ours, or of the real ones."""
        plainly = self._same_name(one.name.casefold())[0].id == one.id and one.name not in catalogue.standard()
        return one.name if plainly else f"{one.name} ({one.id})"

    def _read(self, one: Printed) -> Card:
        reading = card_text_grammar.read(one.text, one.type, lambda wanted: self._made(wanted, one), one.tribes)
        unread = list(reading.unread)
        if one.type not in PLAYED:
            reading = card_text_grammar.Reading()
            unread = [f"a {one.type} card"]
        elif not unread:
            unread = _contradictions(one, reading)
        unread += _beyond_the_rules(one, reading)
        if (more := _DOES_MORE.get(_REPRINT.sub("", one.id))) is not None:
            unread.append(more)
        targets = {effect.to for effect in reading.effects if effect.chosen}
        if len(targets) > 1:  # a player chooses one
            reading.effects = []
            unread = unread or [card_text_grammar.plain(one.text)]
        return Card(
            name=self._unique_name(one),
            type=one.type if one.type in PLAYED else "spell",
            cost=one.cost,
            attack=one.attack,
            health=max(one.health, 1) if one.type in ("minion", "weapon") else 0,
            keywords=bits(_kept(one)),
            effects=tuple(reading.effects),
            card_class=_class(one),
            tribes=TRIBES if "all" in one.tribes else tuple(tribe for tribe in one.tribes if tribe in TRIBES),
            overload=max(one.overload, reading.overload),
            spell_damage=max(one.spell_damage, reading.spell_damage),
            id=one.id,
            dbf=one.dbf,
            text=re.sub(r"[$#](?=\d)", "", card_text_grammar.plain(one.text)),
            token=not one.collectible,
            unread="; ".join(unread),
        )

    def _made(self, wanted: Wanted, by: Printed) -> str | None:
        """The name of the card that is meant: one that is known in full, and the only one that fits so well."""
        if wanted.kind == THIS:
            return self._unique_name(self._first_alike(by))
        if wanted.kind == BESIDE:
            others = self._index.made_by(_REPRINT.sub("", by.id))
            same = [one for one in others if (one.name, one.type, one.collectible) == (by.name, by.type, False)]
            return self._known(same[0]) if len(same) == 1 else None
        names = _singulars(wanted.name.casefold()) if wanted.plural else [wanted.name.casefold()]
        fitting = [one for name in names for one in self._same_name(name) if _fits(wanted, one)]
        own = _REPRINT.sub("", by.id)
        belonging = [one for one in self._index.made_by(own) if not one.collectible and _fits(wanted, one)]
        related = self.by_dbf(by.related) if by.related else None
        if related is not None and not related.collectible and _fits(wanted, related):
            belonging.append(related)
        called_so = [one for one in belonging if one.name.casefold() in names]
        # Its own card of these numbers may be called otherwise: a text says Beast, or Wolf, for what it makes.
        described = [one for one in belonging if wanted.attack is not None and bits(_kept(one)) == wanted.keywords]
        for near in (called_so, described, [one for one in fitting if one.set == by.set], fitting):
            alike = {_looks(one) for one in near}
            if alike:
                return self._known(near[0]) if len(alike) == 1 else None
        return None

    def _known(self, one: Printed) -> str | None:
        first = self._first_alike(one)
        if first.id in self._open:
            return self._unique_name(first) if first.id == self._open[-1] else None
        card = self.card(first)
        does_nothing = card.type == "spell" and not card.effects  # then it does something that is not in its text
        return None if card.unread or does_nothing else card.name


def _substance(card: Card) -> tuple[object, ...]:
    """All of a card that matters to the rules."""
    numbers = card.cost, card.attack, card.health, card.overload, card.spell_damage
    return card.type, numbers, card.keywords, card.effects, card.card_class, sorted(card.tribes), card.unread


def _singulars(name: str) -> list[str]:
    """What a plural can be the plural of."""
    found = [name]
    first, of, rest = name.partition(" of ")  # Hands of Salvation
    for plural, singular in (("ies", "y"), ("ves", "f"), ("ves", "fe"), ("es", ""), ("s", ""), ("men", "man")):
        if first.endswith(plural):
            found.append(first.removesuffix(plural) + singular + of + rest)
    return found


def _fits(wanted: Wanted, one: Printed) -> bool:
    numbers = wanted.attack in (None, one.attack) and wanted.health in (None, one.health)
    return one.type == wanted.kind and numbers and not wanted.keywords & ~bits(_kept(one))


def _kept(one: Printed) -> tuple[str, ...]:
    """The keywords of its tags; a spell or a weapon that freezes has the tag for what it does, not for what it is."""
    words = one.keywords
    if "freeze" in words and not re.search(r"damaged by (this|your hero)", card_text_grammar.plain(one.text)):
        words = tuple(word for word in words if word != "freeze")
    if "mega_windfury" in words:
        words = tuple(word for word in words if word != "windfury")
    return words


def _class(one: Printed) -> str:
    known = [name for name in one.classes if name in CLASSES]
    return "/".join(known) or "neutral"


def _beyond_the_rules(one: Printed, reading: card_text_grammar.Reading) -> list[str]:
    """Where our rules would carry out what was read in another way than the real game."""
    found = []
    if "magnetic" in one.keywords and reading.effects:
        found.append("what a mech gains of its text")  # ours gains numbers and keywords
    played = [effect for effect in reading.effects if effect.on == "play" and not effect.combo]
    if one.type != "spell" and any(effect.chosen for effect in played):
        # Without a target nothing happens at all.
        alone = [effect for effect in played if not effect.chosen and "target" not in effect.given]
        alone = [effect for effect in alone if effect is not reading.beside]
        if any(effect.given for effect in alone):
            found.append("that nothing happens without a target")
        reading.effects = [replace(one, given="target") if one in alone else one for one in reading.effects]
    if reading.beside and any(effect.do in _OF_HANDS or "hand" in effect.given for effect in reading.effects[1:]):
        found.append("whether the card beside it comes first")
    if reading.beside and one.type == "spell" and all(effect.do == "summon" for effect in reading.effects[1:]):
        found.append("that it needs a place on the board")  # ours asks that of spells that only summon
    drawn = [place for place, effect in enumerate(reading.effects) if effect.do == "draw"]
    held = [place for place, effect in enumerate(reading.effects) if "holding" in effect.given]
    if drawn and held and drawn[0] < held[-1]:
        found.append("that what it draws may be what it asks for")  # a plan does not look at what is drawn
    return found


def _contradictions(one: Printed, reading: card_text_grammar.Reading) -> list[str]:
    """Where the tags and the text do not say the same, something is not in the text, and is not read."""
    found = []
    if bits(_kept(one)) != reading.keywords:
        found.append("its keywords")
    if one.overload not in (0, reading.overload):
        found.append("its overload")
    if bool(one.spell_damage) != bool(reading.spell_damage):  # the tag says only that there is some
        found.append("its spell damage")
    heads = {"battlecry": "play", "deathrattle": "death"}
    if any(word not in heads or heads[word] not in reading.heads for word in one.unseen if word != "aura"):
        found.append("what its tags say beside its text")
    if "aura" in one.unseen and not any(effect.on == "aura" for effect in reading.effects):
        found.append("its aura")
    return found
