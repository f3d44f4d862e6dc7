"""The verbs, targets, conditions and events that come with the game, registered as a designer's file registers others.

None of them depends on the order of the hand, so the planner may merge turns that lead to the same cards.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from planner.games.spire.vocabulary import MAX_CARDS, PILES, Group, Target, Vocabulary

if TYPE_CHECKING:
    from planner.games.spire.battle_definitions import Card, Status
    from planner.games.spire.battle_state import Fighter, MutableBattle, SelectedCard

BUILT_IN: Final = Vocabulary()
_PILE_TEXTS: Final = {
    "hand": "in hand",
    "draw": "in the draw pile",
    "discard": "in the discard pile",
    "exhaust": "in the exhaust pile",
}

# -- events

for _name in ("attack_dealt", "attack_taken", "block_gained", "draw_count", "energy_count"):
    BUILT_IN.event(_name, changes_value=True)
for _name in ("before_card", "after_card", "before_attack", "after_attack", "turn_start", "turn_end"):
    BUILT_IN.event(_name)


# -- verbs on fighters


def _attack_text(words: Mapping[str, str], _own: bool) -> str:
    return f"deal {words['amount']} damage" + (f" {words['hits']} times" if words["hits"] != "1" else "")


def _attack_intent(words: Mapping[str, str], _own: bool) -> str:
    return f"{words['amount']} damage" + (f" x {words['hits']}" if words["hits"] != "1" else "")


@BUILT_IN.verb("attack", _attack_text, _attack_intent)
def _attack(battle: MutableBattle, source: Fighter, targets: list[Fighter], amount: int, hits: int = 1) -> None:
    battle.attack(source, targets, amount, hits)


@BUILT_IN.verb("damage", "deal {amount} non-attack damage")
def _damage(battle: MutableBattle, source: Fighter, target: Fighter, amount: int) -> None:  # noqa: ARG001
    target.take_damage(amount)


@BUILT_IN.verb("block", lambda words, own: f"{'gain' if own else 'give'} {words['amount']} block")
def _block(battle: MutableBattle, source: Fighter, target: Fighter, amount: int) -> None:  # noqa: ARG001
    battle.gain_block(target, amount)


@BUILT_IN.verb("heal", "heal {amount}")
def _heal(battle: MutableBattle, source: Fighter, target: Fighter, amount: int) -> None:  # noqa: ARG001
    target.heal(amount)


def _apply_text(words: Mapping[str, str], own: bool) -> str:
    duration = f" for {words['turns']} turns" if words["turns"] != "0" else ""
    return f"{'gain' if own else 'apply'} {words['amount']} {words['status']}{duration}"


@BUILT_IN.verb("apply", _apply_text, "{amount} {status}")
def _apply(
    battle: MutableBattle, source: Fighter, target: Fighter, status: Status, amount: int, turns: int = 0  # noqa: ARG001
) -> None:  # fmt: skip
    target.apply_status(status, amount, turns)


# -- verbs without a target


@BUILT_IN.verb("energy", "gain {amount} energy")
def _energy(battle: MutableBattle, source: Fighter, amount: int) -> None:  # noqa: ARG001
    battle.gain_energy(amount)


@BUILT_IN.verb("draw", lambda words, _own: f"draw {words['amount']} card{'' if words['amount'] == '1' else 's'}")
def _draw(battle: MutableBattle, source: Fighter, amount: int) -> None:  # noqa: ARG001
    battle.draw_cards(amount)


# -- verbs on cards


@BUILT_IN.verb("discard", "discard {card}")
def _discard(battle: MutableBattle, source: Fighter, card: SelectedCard) -> None:  # noqa: ARG001
    card.goes_to = "discard"


@BUILT_IN.verb("exhaust", "exhaust {card}")
def _exhaust(battle: MutableBattle, source: Fighter, card: SelectedCard) -> None:  # noqa: ARG001
    card.goes_to = "exhaust"


@BUILT_IN.verb("upgrade", "upgrade {card}")
def _upgrade(battle: MutableBattle, source: Fighter, card: SelectedCard) -> None:  # noqa: ARG001
    card.card = battle.library.upgraded(card.card) or card.card


@BUILT_IN.verb("copy", "add a copy of {card} to {into}")
def _copy(battle: MutableBattle, source: Fighter, card: SelectedCard, into: str) -> None:  # noqa: ARG001
    pile = battle.pile(into)
    if len(pile) < MAX_CARDS:  # copies of copies would fill the memory
        pile.append(card.card)


# -- targets


@BUILT_IN.target("self", "yourself")
def _self(battle: MutableBattle, source: Fighter) -> list[Fighter]:  # noqa: ARG001
    return [source]


@BUILT_IN.target("player", "you", owners=("status", "move"))
def _player(battle: MutableBattle, source: Fighter) -> list[Fighter]:  # noqa: ARG001
    return [battle.player]


@BUILT_IN.group("enemy", "enemies")
def _enemies(battle: MutableBattle, source: Fighter) -> list[Fighter]:
    return battle.living_enemies() if source.kind is None else [battle.player]


@BUILT_IN.group("of everyone", "everyone", every="everyone", texts=("fighter", "fighters"))
def _everyone(battle: MutableBattle, source: Fighter) -> list[Fighter]:  # noqa: ARG001
    return [battle.player, *battle.living_enemies()]


def _any_card(battle: MutableBattle, source: Fighter, card: Card) -> bool:  # noqa: ARG001
    return True


for _pile in PILES:
    _texts = f"card {_PILE_TEXTS[_pile]}", f"cards {_PILE_TEXTS[_pile]}"
    BUILT_IN.group(f"card in {_pile}", f"cards in {_pile}", _pile, texts=_texts)(_any_card)
BUILT_IN.targets["this card"] = Target("this", Group("this card", "", _any_card, ("card",), True), text="this card")


# -- conditions


@BUILT_IN.condition("health below", "you have less than {amount} health")
def _health_below(battle: MutableBattle, source: Fighter, amount: int) -> bool:  # noqa: ARG001
    return source.health < amount


@BUILT_IN.condition("block at least", "you have at least {amount} block")
def _block_at_least(battle: MutableBattle, source: Fighter, amount: int) -> bool:  # noqa: ARG001
    return source.block >= amount


@BUILT_IN.condition("has", "you have {status}")
def _has(battle: MutableBattle, source: Fighter, status: Status) -> bool:  # noqa: ARG001
    return any(active.status is status for active in source.statuses)


@BUILT_IN.condition("enemy has", "an enemy has {status}")
def _enemy_has(battle: MutableBattle, source: Fighter, status: Status) -> bool:
    return any(active.status is status for enemy in _enemies(battle, source) for active in enemy.statuses)


@BUILT_IN.condition("hand is empty", "your hand is empty")
def _hand_is_empty(battle: MutableBattle, source: Fighter) -> bool:  # noqa: ARG001
    return not battle.hand
