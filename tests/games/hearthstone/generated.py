"""Random cards and states, with many interactions: effect x target x trigger x keyword, full boards with low health.

All of them can be written as JSON and read again.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any, Final

from planner.games.hearthstone.cards.card import HIDDEN, Card
from planner.games.hearthstone.cards.catalogue import standard
from planner.games.hearthstone.cards.effect_vocabulary import MULTIPLIED, REACTIONS, TRIBES, Effect
from planner.games.hearthstone.cards.keywords import (
    ECHO,
    MAGNETIC,
    NAMES,
    STATUSES,
    TRADEABLE,
    attacks_per_turn,
    bits,
)
from planner.games.hearthstone.rules.effect_resolution import refresh_auras
from planner.games.hearthstone.rules.mutable_state import MutableState
from planner.games.hearthstone.rules.ruleset import Ruleset
from planner.games.hearthstone.rules.state import GameState, HandCard, Hero, Minion, Player, Weapon
from tests.build import effect, is_random
from tests.games.hearthstone.themes import THEMES, Theme

ON_BOARD: Final = tuple(word for word in NAMES if word not in ("frozen", "immune", "echo", "magnetic", "tradeable"))
ON_CARDS: Final = (*ON_BOARD, "echo", "magnetic", "tradeable")
# Effects that change the board are more frequent than others.
DOINGS: Final = (
    *("damage", "damage", "damage", "heal", "armor", "buff", "buff", "summon", "summon", "destroy"),
    *("silence", "freeze", "draw", "equip", "mana", "add", "discard", "hone", "disarm"),
    *("set_attack", "set_health", "return", "transform"),
)
AIMED: Final = (
    *("damage", "heal", "buff", "destroy", "silence", "freeze"),
    *("set_attack", "set_health", "return", "transform"),
)
GIVEN: Final = (
    *("weapon", "holding mech", "holding beast", "controlling mech", "not weapon", "not controlling mech", "my turn"),
    *("hand>=2", "hand<=0", "enemy hand>=1", "health<=12", "not health<=12", "armor>=1", "crystals>=10"),
    *("all other friendly minions<=0", "all enemy taunt minions>=1", "all damaged characters>=2", "weapon_attack>=3"),
)
OF_TARGET: Final = ("target", "target alive", "not target alive", "target friendly", "target mech", "not target mech")
TIMES: Final = ("hand", "armor", "attack", "hero_attack", "weapon_attack", "enemy hand", "all damaged minions")
CLOCK: Final = 40
LATER: Final = ("death", "death", "turn_start", "turn_end", "turn_end", "aura", "aura", *REACTIONS)


def random_card(
    rng: Random, kind: str | None = None, *, texts: bool = True, chance: bool = True, made: bool = False
) -> Card:
    """Return a card of this type with random keywords and effects; with `chance`, also random effects.

    A card that another card creates (`made`) creates nothing itself.
    """
    kind = kind or rng.choice(("minion", "minion", "minion", "spell", "spell", "weapon"))
    fields: dict[str, Any] = {"cost": rng.choice((0, 1, 1, 2, 2, 3, 4))}
    words: list[str] = []
    if kind in ("minion", "weapon"):
        fields |= {"attack": rng.randint(0, 5), "health": rng.randint(1, 6)}
        words = rng.sample(ON_CARDS, rng.choice((0, 0, 1, 1, 2, 3)))
    elif rng.random() < 0.2:
        words = [rng.choice(("lifesteal", "echo", "tradeable") if kind == "spell" else ("lifesteal",))]
    if kind == "minion":
        fields["tribes"] = tuple(rng.sample((*TRIBES[:3], "mech", "mech"), rng.choice((0, 1, 1))))
        fields["spell_damage"] = rng.choice((0, 0, 0, 0, 1, 2)) if texts else 0
    if texts:
        fields["overload"] = rng.choice((0, 0, 0, 0, 1, 2)) if kind != "hero_power" else 0
        fields["effects"] = _effects(rng, kind, chance, made)
    name = f"{kind} {rng.randrange(10**6)}"
    # A minion may return to a hand, where the engine only accepts integer values.
    values = (1, 1, 1, 0, 2) if kind == "minion" else (1, 1, 1, 0, 2, 0.5)
    return Card(name, kind, keywords=bits(words), value=rng.choice(values), **fields)


def _effects(rng: Random, kind: str, chance: bool, made: bool) -> tuple[Effect, ...]:
    count = rng.choice((0, 1, 1, 2) if kind == "minion" else (0, 0, 1) if kind == "weapon" else (1, 1, 2))
    chosen = random_target(rng, ("chosen",))  # a player chooses only one target
    found = []
    for _ in range(count):
        trigger = rng.choice(("play", "play", "play", *LATER)) if kind == "minion" else "play"
        found.append(random_effect(rng, trigger, chosen, chance, made))
    return tuple(found)


def random_target(rng: Random, selectors: tuple[str, ...]) -> str:
    """Return a random target in words."""
    words = (
        rng.choice(selectors),
        rng.choice(("", "", "other")),
        rng.choice(("", "friendly", "enemy", "enemy")),
        rng.choice(("", "", "", "damaged", "undamaged")),
        rng.choice(("", "", "", "", "", "taunt", "divine_shield", "frozen")),
        rng.choice(("minion", "minion", "minion", "character", "character", "hero", "mech", "beast")),
    )
    if words[-1] in ("minion", "mech", "beast") and words[0] != "all" and rng.random() < 0.15:
        words = (*words, rng.choice(("attack<=2", "attack>=3", "non-demon")))
    if words[0] == "random" and rng.random() < 0.2:
        words = (*words, str(rng.choice((2, 3))))
    return " ".join(word for word in words if word)


def random_effect(rng: Random, on: str, chosen: str, chance: bool, made: bool) -> Effect:
    """Return a random effect with this trigger, with the chosen target if it needs one."""
    if on == "aura":
        target = rng.choice(("self", "damaged self", random_target(rng, ("all",)), "all other friendly minions"))
        attack, health = rng.choice(((1, 0), (0, 2), (1, 1), (-1, 0), (2, 1), (0, -1)))
        given = rng.choice(GIVEN) if rng.random() < 0.2 else ""
        return effect("buff", target, attack=attack, health=health, on=on, given=given)
    do = rng.choice([one for one in DOINGS if not (made and one in ("summon", "equip", "add", "transform"))])
    do = do if chance or do != "discard" else "draw"
    fields: dict[str, Any] = {"on": on}
    if rng.random() < 0.12:
        fields["given"] = rng.choice(GIVEN + OF_TARGET if on == "play" else GIVEN)
    if do in MULTIPLIED and rng.random() < 0.08:
        fields["times"] = rng.choice(TIMES)
    if on == "play" and rng.random() < 0.15:
        fields["combo"] = rng.random() < 0.5
    if do in AIMED:
        selectors = ("all", "all", "self") + ("random",) * chance
        to = chosen if on == "play" and rng.random() < 0.6 else random_target(rng, selectors)
        fields["to"] = rng.choice(("self", "self", "damaged self")) if to.startswith("self") else to
    if do in ("damage", "heal", "armor", "mana", "set_attack", "set_health"):
        fields["amount"] = rng.randint(1, 4)
    if do == "damage":
        fields["split"] = chance and rng.random() < 0.15
    elif do == "buff":
        health = rng.choice((0, 0, 1, 2))
        gift = " ".join(rng.sample((*ON_BOARD, "immune", "frozen"), rng.choice((0, 1, 1, 2))))
        fields |= {"attack": rng.choice((1, 2, -1)), "health": health, "keywords": gift}
        fields["this_turn"] = not health and rng.random() < 0.4
    elif do == "transform":
        fields["makes"] = random_card(rng, "minion", chance=chance, made=True)
    elif do == "summon":
        several = chance and rng.random() < 0.2
        fields["makes"] = [random_card(rng, "minion", chance=chance, made=True) for _ in range(1 + several)]
        fields |= {"count": rng.randint(1, 3), "side": rng.choice(("friendly", "friendly", "enemy"))}
    elif do == "equip":
        fields["makes"] = random_card(rng, "weapon", chance=chance, made=True)
    elif do in ("draw", "discard"):
        fields["count"] = rng.randint(1, 2)
        if do == "draw":
            fields["side"] = rng.choice(("friendly", "friendly", "enemy"))
    elif do == "add":
        several = chance and rng.random() < 0.2
        cards = [random_card(rng, chance=chance, made=True) for _ in range(1 + several)]
        fields["makes"] = [
            replace(card, value=round(card.value)) for card in cards
        ]  # the engine only accepts these values
        fields["count"] = rng.randint(1, 2)
        fields["side"] = rng.choice(("friendly", "friendly", "enemy"))
    elif do == "hone":
        fields |= {"attack": rng.randint(0, 2), "health": rng.randint(0, 2)}
        fields["keywords"] = rng.choice(("windfury", "lifesteal", "poisonous freeze"))
    elif do == "disarm":
        fields["side"] = rng.choice(("friendly", "enemy", "enemy"))
    elif do == "mana":
        fields["crystals"] = rng.random() < 0.5
        if fields["crystals"]:
            fields["empty"] = rng.random() < 0.5
            fields["makes"] = [standard()["Excess Mana"]] if rng.random() < 0.5 else []
        fields["amount"] = rng.choice((1, 1, 2, -1))
    return effect(do, fields.pop("to", None), **fields)


def random_state(
    rng: Random, *, texts: bool = True, chance: bool = True, most_minions: int = 7, most_cards: int = 6
) -> GameState:
    """Return a turn of `me`; without `texts`, only vanilla minions, weapons and keywords."""
    theme = THEMES[rng.choice(list(THEMES))]
    limit = rng.choice((7, 7, 7, 4, 3))
    top = min(most_minions, limit)
    least = max(0, top - 1) if theme.crowded else 0
    maker = _StateGenerator(rng, theme, texts, chance)
    me = maker.player("me", rng.randint(least, top), rng.randint(0, most_cards))
    enemy = maker.player("enemy", rng.randint(least, top), rng.randint(0, min(3, most_cards)))
    hand_limit = rng.choice((10, 10, max(1, len(me.hand), len(enemy.hand))))
    rules = Ruleset(
        name=f"board{limit}",
        board_limit=limit,
        hand_limit=hand_limit,
        turn_limit=rng.choice((180, 180, 180, 9)),
        summoning_sickness=rng.random() < 0.9,
        attack_required=rng.random() < 0.9,
    )
    state = GameState(me, enemy, rules, turn=rng.randint(1, 9), seat=rng.randint(0, 1), clock=CLOCK)
    table = MutableState(state, None)
    refresh_auras(table)
    while table.remove_dead():  # killed by an aura that reduces health
        refresh_auras(table)
    return table.to_state()


class _StateGenerator:
    """Creates the parts of one state."""

    def __init__(self, rng: Random, theme: Theme, texts: bool, chance: bool) -> None:
        self.rng, self.theme, self.texts, self.chance = rng, theme, texts, chance
        self.catalogue = [one for one in standard().values() if texts or not one.effects]

    def card(self, *kinds: str) -> Card:
        """Return a random card, or one of the catalogue."""
        rng, kind = self.rng, self.rng.choice(kinds)
        known = [one for one in self.catalogue if one.type == kind] if rng.random() < 0.3 else []
        if not self.chance:
            known = [one for one in known if not any(map(is_random, one.effects))]
        if known:
            return rng.choice(known)
        made = random_card(rng, kind, texts=self.texts, chance=self.chance)
        theme = self.theme
        if kind == "minion":
            words = [word for word in theme.words if rng.random() < 0.3]
            texts = (rng.choice(theme.texts),) if self.texts and theme.texts and rng.random() < 0.5 else made.effects
            made = replace(made, keywords=made.keywords | bits(words), effects=texts)
        if self.texts and kind == "spell" and theme.hand and rng.random() < 0.5:
            others = tuple(one for one in made.effects if not one.chosen)
            made = replace(made, effects=(rng.choice(theme.hand), *others))
        return made

    def player(self, side: str, minions: int, cards: int) -> Player:
        """Return a player in the middle of a match."""
        rng = self.rng
        weapon = self.weapon() if rng.random() < 0.3 else None
        board = tuple(self.minion(f"{side}.board.{n}", side == "me") for n in range(minions))
        hand = [self.held(f"{side}.hand.{n}") for n in range(cards)]
        deck = [self.held(f"{side}.deck.{n}") for n in range(rng.choice((0, 1, 2, 5)))]
        if rng.random() < 0.3:
            deck = [HandCard(held.id, HIDDEN, 0) for held in deck]
        crystals = rng.choice((10, 10, rng.randint(1, 10)))
        power = self.card("hero_power") if self.texts and rng.random() < 0.5 else None
        return Player(
            self.hero(weapon),
            board,
            tuple(hand),
            tuple(deck),
            mana=rng.randint(0, crystals),
            crystals=crystals,
            overload=rng.choice((0, 0, 0, 2)),
            locked=rng.choice((0, 0, 0, 1)),
            fatigue=rng.choice((0, 0, 3)),
            weapon=weapon,
            power=power,
            power_used=rng.random() < 0.2,
            cards_played=rng.choice((0, 0, 1)),
        )

    def held(self, name: str) -> HandCard:
        """Return a card of a hand or a deck."""
        card = self.card(*("minion", "minion", "spell", "weapon") if self.texts else ("minion",))
        if card.type == "minion" and self.theme.cards and self.rng.random() < 0.4:
            card = replace(card, keywords=card.keywords | bits([self.rng.choice(self.theme.cards)]))
        cost = max(0, card.cost + self.rng.choice((0, 0, 0, -1, 1)))
        return HandCard(name, card, cost, card.value, echo=self.rng.random() < 0.05)

    def minion(self, name: str, mine: bool) -> Minion:
        """Return a damaged, buffed or changed minion."""
        rng, card = self.rng, self.card("minion")
        more = (rng.choice((0, 1, 2)), rng.choice((0, 1, 3))) if rng.random() < 0.25 else (0, 0)
        top = card.health + more[1]
        hurt = rng.random() < (0.7 if self.theme.frail else 0.35)
        gained = bits(rng.sample(("frozen", "immune", "stealth", "windfury", "taunt"), 1)) if rng.random() < 0.15 else 0
        silenced = rng.random() < 0.08
        kept = (0 if silenced else card.keywords & ~(ECHO | MAGNETIC | TRADEABLE)) | gained
        passing = kept & gained if rng.random() < 0.5 else 0
        attack_now = rng.choice((1, 2)) if rng.random() < 0.1 else 0
        most = attacks_per_turn(kept)
        if rng.random() < 0.05:  # an id that the rules would create, and must not create again
            name = f"new.{CLOCK + 2 * int(name[-1]) + mine}"
        return Minion(
            name,
            card,
            card.attack + more[0] + attack_now,
            rng.randint(1, min(top, 2) if self.theme.frail else top) if hurt else top,
            top,
            kept,
            most if rng.random() < 0.8 else rng.randint(0, most),
            mine and rng.random() < 0.15,
            rng.randint(0, 20),
            silenced,
            attack_now,
            passing,
        )

    def hero(self, weapon: Weapon | None) -> Hero:
        """Return a hero, usually damaged."""
        rng = self.rng
        most = 6 if self.theme.frail else 20
        kept = rng.choice((STATUSES, *map(bits, (["frozen"], ["immune"], ["windfury"])))) if rng.random() < 0.1 else 0
        attacks = attacks_per_turn(kept | (weapon.keywords if weapon else 0))
        left = attacks if rng.random() < 0.8 else rng.randint(0, attacks)
        armor, attack = rng.choice((0, 0, 0, 2, 5)), rng.choice((0, 0, 0, 1, 2))
        return Hero(rng.randint(1, most), rng.choice((most, 30)), armor, kept, attack, left)

    def weapon(self) -> Weapon:
        """Return a weapon with random keywords."""
        card = self.card("weapon")
        return Weapon(card, card.attack, self.rng.randint(1, card.health), card.keywords)
