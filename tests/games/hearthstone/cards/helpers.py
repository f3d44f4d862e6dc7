"""A scene to play any card in, and a state as plain facts that can be compared and changed.

The scene: on my side an undamaged mech and a damaged beast, murloc and plain minion, on the enemy's side an undamaged
mech and a damaged beast and murloc. All are 3/40, so that none dies by accident. Both heroes are damaged. The card under
test is `card`.
"""

from __future__ import annotations

from typing import Any

from planner.games.hearthstone.cards import catalogue
from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.cards.effect_vocabulary import Effect, Target
from planner.games.hearthstone.cards.keywords import names
from planner.games.hearthstone.rules.actions import Action, Attack, EndTurn, Play
from planner.games.hearthstone.rules.legal import legal_actions
from planner.games.hearthstone.rules.resolve import apply
from planner.games.hearthstone.rules.ruleset import Ruleset
from planner.games.hearthstone.rules.state import GameState, HandCard, Hero, Minion, Player, in_hand

Facts = dict[str, dict[str, Any]]
RULES = Ruleset.of("standard")
CARDS = catalogue.standard()
TRIBES = {
    "mech": "mech",
    "beast": "beast",
    "murloc": "murloc",
    "e.whole": "mech",
    "e.beast": "beast",
    "e.murloc": "murloc",
}
SPARE = Card("Spare", cost=3, attack=1, health=1)
PING = Card("Ping", type="spell", effects=(Effect("damage", amount=1, to=Target.parse("chosen character")),))
RAIN = Card("Rain", type="spell", effects=(Effect("damage", amount=1, to=Target.parse("all minions")),))
DOOM = Card("Doom", type="spell", effects=(Effect("destroy", to=Target.parse("all minions")),))


def scene_minion(name: str, lost: int = 0, attack: int = 3, health: int = 40) -> Minion:
    """Return a minion of the scene that was summoned before."""
    tribe = TRIBES.get(name)
    card = Card(f"scene {name}", cost=5, attack=attack, health=health, tribes=(tribe,) if tribe else ())
    return Minion(name, card, attack, health - lost, health, 0, entered=-1)


def cards(prefix: str, count: int) -> tuple[HandCard, ...]:
    """Return cards without effects."""
    return tuple(in_hand(f"{prefix}.{number}", SPARE) for number in range(count))


def scene(card: Card | None = None, *more: Card, power: Card | None = None, spell_damage: int = 0) -> GameState:
    """Return my turn with 10 mana and `card`, `more` (as card.1, card.2, ...) and a spare card in hand."""
    held = [in_hand("card", card)] if card else []
    held += [in_hand(f"card.{number}", other) for number, other in enumerate(more, start=1)]
    board = (
        scene_minion("mech"),
        scene_minion("beast", lost=3),
        scene_minion("murloc", lost=1),
        scene_minion("plain", lost=20),
    )
    if spell_damage:
        wise = Card("scene wise", attack=3, health=40, spell_damage=spell_damage)
        board = (*board[:3], Minion("plain", wise, 3, 20, 40, 0, entered=-1))
    me = Player(
        Hero(20, 30), board, (*held, in_hand("spare", SPARE)), cards("my", 12), mana=10, crystals=10, power=power
    )
    enemy = Player(
        Hero(22, 30, hero_class="mage"),
        (scene_minion("e.whole"), scene_minion("e.beast", lost=10), scene_minion("e.murloc", lost=2)),
        cards("their.hand", 1),
        cards("their", 12),
        mana=0,
        crystals=10,
    )
    return GameState(me, enemy, RULES, turn=11)


def minion_facts(minion: Minion) -> dict[str, Any]:
    """Return all facts of a minion, except the order of entering."""
    facts = minion._asdict()
    del facts["entered"], facts["id"]
    facts["card"] = minion.card.name
    for key in ("keywords", "keywords_this_turn"):
        facts[key] = frozenset(names(facts[key]))
    return facts


def facts(state: GameState) -> Facts:
    """Return the state as plain values: characters by id, everything else under `me` and `enemy`.

    Minions that an effect created are named after their card (`Whelp 1`, `Whelp 2`), since the rules choose their ids.
    """
    world: Facts = {"match": {"turn": state.turn, "seat": state.seat, "cause": state.cause}}
    for name, player in (("me", state.me), ("enemy", state.enemy)):
        rest = player._asdict()
        hero = rest.pop("hero")._asdict()
        hero["keywords"] = frozenset(names(hero["keywords"]))
        world[f"{name}.hero"] = hero
        rest["board"] = []
        for minion in player.board:
            called = minion.id
            if called.startswith("new."):
                number = sum(other.startswith(minion.card.name) for other in world) + 1
                called = f"{minion.card.name} {number}"
            world[called] = minion_facts(minion)
            rest["board"].append(called)
        rest["hand"] = [(card.card.name, card.cost, card.echo) for card in player.hand]
        rest["deck"] = [card.id for card in player.deck]
        weapon = player.weapon
        words = frozenset(names(weapon.keywords)) if weapon else frozenset()
        rest["weapon"] = weapon and (weapon.card.name, weapon.attack, weapon.durability, words)
        world[name] = rest
    return world


def find(state: GameState, name: str) -> Minion | None:
    """Return the minion with this id, on either side."""
    return next((minion for minion in (*state.me.board, *state.enemy.board) if minion.id == name), None)


def called(state: GameState, card: str) -> list[Minion]:
    """Return the minions with this card, my side first."""
    return [minion for minion in (*state.me.board, *state.enemy.board) if minion.card.name == card]


def run(state: GameState, *actions: Action, rng: Any = None) -> GameState:
    """Return the state after these actions, each of which must be legal."""
    for action in actions:
        state = apply(state, action, rng)
    return state


def play(name: str, *more: Card, target: str | None = None, rng: Any = None) -> GameState:
    """Return the scene after this card of the catalogue was played."""
    return run(scene(CARDS[name], *more), Play("card", target), rng=rng)


def round_later(state: GameState, rng: Any = None) -> GameState:
    """Return my next turn; the enemy passes."""
    return run(state, EndTurn(), EndTurn(), rng=rng)


def choices(state: GameState, card: str = "card") -> set[str | None]:
    """Return the legal targets of this card; empty if it cannot be played."""
    return {action.target for action in legal_actions(state) if isinstance(action, Play) and action.card == card}


def attack_targets(state: GameState, attacker: str) -> set[str]:
    """Return the ids that this character may attack."""
    return {
        action.target for action in legal_actions(state) if isinstance(action, Attack) and action.attacker == attacker
    }
