"""Battles in words: what a card does, what an enemy intends, a state as a picture, an action as a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Final

from planner.games.spire.action_language import VERBS, Atom, Step, Target
from planner.games.spire.battle_rules import PLAYER, card_of, is_over, outcome, prompt_text
from planner.games.spire.battle_state import Action, ActiveStatus, Battle, Enemy
from planner.games.spire.card_library import Card, EnemyMove

_FIGHTERS: Final = {
    ("self", ""): "yourself",
    ("player", ""): "you",
    ("chosen", "enemies"): "a chosen enemy",
    ("random", "enemies"): "a random enemy",
    ("all", "enemies"): "all enemies",
    ("chosen", "everyone"): "a chosen fighter",
    ("random", "everyone"): "a random fighter",
    ("all", "everyone"): "everyone",
}
_PILES: Final = {
    "hand": "in hand",
    "draw": "in the draw pile",
    "discard": "in the discard pile",
    "exhaust": "in the exhaust pile",
}


# -- cards and moves


def describe_card(card: Card) -> str:
    """Return what a card does: its own text, or a text made from its actions."""
    return card.text if card.text is not None else " ".join(_describe_step(step, card.level) for step in card.steps)


def _describe_step(step: Step, level: int) -> str:
    targeted = [
        _describe_atom(atom, step.target, level) for atom in step.atoms if VERBS[atom.verb].acts_on != "nothing"
    ]
    parts = [" and ".join(targeted) + _aim(step)] if targeted else []
    parts += [_describe_atom(atom, None, level) for atom in step.atoms if VERBS[atom.verb].acts_on == "nothing"]
    sentence = " and ".join(parts)
    return f"{sentence[0].upper()}{sentence[1:]}."


def _describe_atom(atom: Atom, target: Target | None, level: int) -> str:
    amount = "as much" if atom.amount.stacks else str(atom.amount.at(level))
    is_own = target is not None and target.how == "self"
    if atom.verb == "attack":
        hits = atom.hits.at(level)
        return f"deal {amount} damage" + (f" {hits} times" if hits != 1 else "")
    if atom.verb == "damage":
        return f"deal {amount} non-attack damage"
    if atom.verb == "block":
        return f"gain {amount} block" if is_own else f"give {amount} block"
    if atom.verb == "heal":
        return f"heal {amount}"
    if atom.verb == "apply":
        duration = f" for {atom.turns} turns" if atom.turns else ""
        return f"{'gain' if is_own else 'apply'} {amount} {atom.status}{duration}"
    if atom.verb == "energy":
        return f"gain {amount} energy"
    if atom.verb == "draw":
        return f"draw {amount} {'card' if amount == '1' else 'cards'}"
    cards = _describe_cards(target) if target is not None else "a card"
    if atom.verb == "copy":
        return f"add a copy of {cards} {'to your hand' if atom.into == 'hand' else f'to the {atom.into} pile'}"
    return f"{atom.verb} {cards}"


def _describe_cards(target: Target) -> str:
    if target.how == "this":
        return "this card"
    pile = _PILES[target.group]
    if target.how == "all":
        return f"all cards {pile}"
    return f"a {target.how} card {pile}" if target.number == 1 else f"{target.number} {target.how} cards {pile}"


def _aim(step: Step) -> str:
    target = step.target
    if target is None or target.acts_on == "cards" or target.how == "self":
        return ""
    return f" to {_FIGHTERS[target.how, target.group]}"


def describe_intent(move: EnemyMove) -> str:
    """Return what an enemy's move does, in a few words."""
    parts = []
    for atom in (atom for step in move.steps for atom in step.atoms):
        amount = atom.amount.base
        if atom.verb == "attack":
            parts.append(f"{amount} damage" + (f" x {atom.hits.base}" if atom.hits.base != 1 else ""))
        else:
            parts.append(f"{amount} {atom.status if atom.verb == 'apply' else atom.verb}")
    return ", ".join(parts)


# -- states


def show(state: Battle, width: int = 80) -> str:
    """Return a picture of the state: the enemies with their intents, the player, and the piles."""
    lines = [f"turn {state.turn}"]
    for index, enemy in enumerate(state.enemies):
        lines.append(f"  {index} {_show_fighter(enemy.kind.name, enemy)}")
        if enemy.health > 0:
            move = enemy.kind.moves[enemy.move]
            lines[-1] += f" | {move.name}: {describe_intent(move)}"
    lines.append(f"  you {_show_fighter('', state).strip()} | {state.energy} energy")
    for index, card in enumerate(state.hand):
        lines.append(f"    {index} {card.title} ({card.cost}): {describe_card(card)}")
    lines.append(f"  draw: {_show_pile(state.draw)}")
    lines.append(f"  discard: {_show_pile(state.discard)}")
    if state.exhaust:
        lines.append(f"  exhaust: {_show_pile(state.exhaust)}")
    if state.pending is not None and not is_over(state):
        lines.append(prompt_text(state))
    return "\n".join(line if len(line) <= width else line[: width - 1] + "…" for line in lines)


def _show_fighter(name: str, fighter: Enemy | Battle) -> str:
    if fighter.health <= 0:
        return f"{name} dead"
    text = f"{name} {fighter.health}/{fighter.max_health}"
    if fighter.block:
        text += f", {fighter.block} block"
    return text + (f", {_show_statuses(fighter.statuses)}" if fighter.statuses else "")


def _show_statuses(statuses: Sequence[ActiveStatus]) -> str:
    return ", ".join(
        f"{active.status.name} {active.amount}" + (f" ({active.turns} turns)" if active.turns else "")
        for active in statuses
    )


def _show_pile(pile: Sequence[Card]) -> str:
    groups = [(title, len(list(group))) for title, group in groupby(card.title for card in pile)]
    return ", ".join(title if count == 1 else f"{count} {title}" for title, count in groups) or "empty"


# -- actions


def describe_action(state: Battle, action: Action, after: Battle | None = None) -> str:
    """Return an action as a sentence, with its effects if the state after it is given."""
    if (card := card_of(state, action)) is not None:
        sentence = f"You {'play' if action.type == 'play' else 'choose'} {card.title}"
    elif action.type == "fighter":
        sentence = f"You choose {'yourself' if action.position == PLAYER else state.enemies[action.position].kind.name}"
    else:
        sentence = "You end the turn"
    effects = [] if after is None else _describe_effects(state, after)
    return f"{sentence}: {'; '.join(effects)}" if effects else sentence


def _describe_effects(before: Battle, after: Battle) -> list[str]:
    effects = []
    for enemy, later in zip(before.enemies, after.enemies, strict=True):
        if later.health < enemy.health:
            loss = "dies" if later.health == 0 else f"loses {enemy.health - later.health} health"
            effects.append(f"{enemy.kind.name} {loss}")
    if after.health != before.health:
        change = after.health - before.health
        effects.append(f"you {'gain' if change > 0 else 'lose'} {abs(change)} health")
    if after.block > before.block:
        effects.append(f"you gain {after.block - before.block} block")
    if after.pending is not None and not is_over(after):
        effects.append(prompt_text(after))
    result = outcome(after)
    if result is not None:
        effects.append(f"the battle ends: {result.reason}")
    return effects
