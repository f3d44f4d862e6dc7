"""Battles in words: what a card does, what an enemy intends, the table as a picture, an action as a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Final

from planner.games.spire.enemies import Move
from planner.games.spire.language import VERBS, Amount, Atom, Step, Target
from planner.games.spire.library import Card
from planner.games.spire.rules import PLAYER, card_of, is_over, outcome, question
from planner.games.spire.state import Action, Battle, Enemy, Held

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
    "hand": "in hand", "draw": "in the draw pile", "discard": "in the discard pile", "exhaust": "in the exhaust pile",
}  # fmt: skip


def description(card: Card) -> str:
    """What the card does: its own text, or one made from its actions."""
    return card.text if card.text is not None else " ".join(_step(step, card.level) for step in card.steps)


def _step(step: Step, level: int) -> str:
    pointed = [_atom(atom, step.target, level) for atom in step.atoms if VERBS[atom.verb].acts_on != "nobody"]
    said = [" and ".join(pointed) + _to(step)] if pointed else []
    said += [_atom(atom, None, level) for atom in step.atoms if VERBS[atom.verb].acts_on == "nobody"]
    whole = " and ".join(said)
    return f"{whole[0].upper()}{whole[1:]}."


def _atom(atom: Atom, target: Target | None, level: int) -> str:
    amount, own = _number(atom.amount, level), target is not None and target.how == "self"
    if atom.verb == "attack":
        hits = atom.hits.at(level)
        return f"deal {amount} damage" + (f" {hits} times" if hits != 1 else "")
    if atom.verb == "damage":
        return f"deal {amount} damage that is no attack"
    if atom.verb == "block":
        return f"gain {amount} block" if own else f"give {amount} block"
    if atom.verb == "heal":
        return f"heal {amount}"
    if atom.verb == "apply":
        lasting = f" for {atom.turns} turns" if atom.turns else ""
        return f"{'gain' if own else 'apply'} {amount} {atom.status}{lasting}"
    if atom.verb == "energy":
        return f"gain {amount} energy"
    if atom.verb == "draw":
        return f"draw {amount} {'card' if amount == '1' else 'cards'}"
    what = _cards(target) if target is not None else "a card"
    if atom.verb == "copy":
        return f"add a copy of {what} {'to your hand' if atom.into == 'hand' else f'to the {atom.into} pile'}"
    return f"{atom.verb} {what}"


def _number(amount: Amount, level: int) -> str:
    return "as much" if amount.stacks else str(amount.at(level))


def _cards(target: Target) -> str:
    if target.how == "this":
        return "this card"
    where = _PILES[target.whom]
    if target.how == "all":
        return f"all cards {where}"
    return f"a {target.how} card {where}" if target.number == 1 else f"{target.number} {target.how} cards {where}"


def _to(step: Step) -> str:
    target = step.target
    if target is None or target.acts_on == "cards" or target.how == "self":
        return ""
    return f" to {_FIGHTERS[target.how, target.whom]}"


def intent(move: Move) -> str:
    """What a move does, in a few words."""
    said = []
    for step in move.steps:
        for atom in step.atoms:
            number = atom.amount.base
            if atom.verb == "attack":
                said.append(f"{number} damage" + (f" x {atom.hits.base}" if atom.hits.base != 1 else ""))
            elif atom.verb == "apply":
                said.append(f"{number} {atom.status}")
            else:
                said.append(f"{number} {atom.verb}")
    return ", ".join(said)


def statuses(held: Sequence[Held]) -> str:
    """Statuses in a few words."""
    return ", ".join(f"{one.status.name} {one.amount}" + (f" ({one.turns} turns)" if one.turns else "") for one in held)


def cards(pile: Sequence[Card]) -> str:
    """A pile in a few words: equal cards once, with their number."""
    groups = [(title, len(list(group))) for title, group in groupby(card.title for card in pile)]
    return ", ".join(title if count == 1 else f"{count} {title}" for title, count in groups) or "nothing"


def show(state: Battle, width: int = 80) -> str:
    """The enemies with what they intend, the player, and the piles."""
    lines = [f"turn {state.turn}"]
    for place, enemy in enumerate(state.enemies):
        lines.append(f"  {place} {_fighter(enemy.kind.name, enemy)}")
        if enemy.health > 0:
            move = enemy.kind.moves[enemy.move]
            lines[-1] += f" | {move.name}: {intent(move)}"
    lines.append(f"  you {_fighter('', state).strip()} | {state.energy} energy")
    for place, card in enumerate(state.hand):
        lines.append(f"    {place} {card.title} ({card.cost}): {description(card)}")
    lines.append(f"  draw: {cards(state.draw)}")
    lines.append(f"  discard: {cards(state.discard)}")
    if state.exhaust:
        lines.append(f"  exhaust: {cards(state.exhaust)}")
    if state.pending is not None and not is_over(state):
        lines.append(question(state))
    return "\n".join(line if len(line) <= width else line[: width - 1] + "…" for line in lines)


def _fighter(name: str, one: Enemy | Battle) -> str:
    if one.health <= 0:
        return f"{name} dead"
    said = f"{name} {one.health}/{one.max_health}"
    if one.block:
        said += f", {one.block} block"
    return said + (f", {statuses(one.statuses)}" if one.statuses else "")


def describe_action(state: Battle, action: Action, after: Battle | None = None) -> str:
    """The action as a sentence, and what came of it where that is known."""
    told = _said(state, action)
    return told if after is None else told + _came_of_it(state, after)


def _said(state: Battle, action: Action) -> str:
    if (card := card_of(state, action)) is not None:
        return f"You {'play' if action.type == 'play' else 'choose'} {card.title}"
    if action.type == "fighter":
        return f"You choose {'yourself' if action.place == PLAYER else state.enemies[action.place].kind.name}"
    return "You end the turn"


def _came_of_it(before: Battle, after: Battle) -> str:
    said = []
    for one, later in zip(before.enemies, after.enemies, strict=True):
        if later.health < one.health:
            lost = "dies" if later.health == 0 else f"loses {one.health - later.health} health"
            said.append(f"{one.kind.name} {lost}")
    if after.health != before.health:
        change = after.health - before.health
        said.append(f"you {'gain' if change > 0 else 'lose'} {abs(change)} health")
    if after.block > before.block:
        said.append(f"you gain {after.block - before.block} block")
    if after.pending is not None and not is_over(after):
        said.append(question(after))
    found = outcome(after)
    if found is not None:
        said.append(f"the battle ends: {found.reason}")
    return f": {'; '.join(said)}" if said else ""
