"""Battles in words: what a card does, what an enemy intends, a state as a picture, an action as a sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Final

from planner.games.spire.action_language import Operation, Step
from planner.games.spire.battle_definitions import Card, EnemyMove
from planner.games.spire.battle_rules import PLAYER, card_of, is_over, outcome, prompt_text
from planner.games.spire.battle_state import Action, ActiveStatus, Battle, Enemy
from planner.games.spire.vocabulary import Text, field_kind

# -- cards and moves


def describe_card(card: Card) -> str:
    """Return what a card does: its own text, or a text made from its actions."""
    if card.text is not None:
        return card.text
    sentences = [_describe_step(step) for step in card.program]
    return " ".join([*sentences, *(["Stays in hand at the end of the turn."] if card.retain else [])])


def _describe_step(step: Step) -> str:
    target = step.target
    is_own = target.group.name == "self"
    aimed, others = [], []
    open_end = False  # whether the last phrase still needs its target
    for operation in step.operations:
        verb, words = operation.verb, _words(operation)
        words["target"] = words["card"] = target.describe()
        phrase = _phrase(verb.text, words, is_own)
        if verb.acts_on == "nothing":
            others.append(phrase)
        else:
            aimed.append(phrase)
            names_target = isinstance(verb.text, str) and "{target}" in verb.text
            open_end = verb.acts_on == "fighters" and not names_target
    if open_end and not is_own:
        aimed[-1] += f" to {target.text}"
    sentence = " and ".join((*aimed, *others))
    if step.check is not None:
        condition, arguments = step.check
        words = dict(zip([condition.field], arguments, strict=False))
        sentence = f"if {condition.text.format(**words)}, {sentence}"
    return f"{sentence[0].upper()}{sentence[1:]}."


def _phrase(text: Text, words: Mapping[str, str], own: bool) -> str:
    """Return the text of an action with its words."""
    return text.format(**words) if isinstance(text, str) else text(words, own)


def _words(operation: Operation) -> dict[str, str]:
    words = {}
    for name, value in operation.arguments.items():
        if name in operation.stacks:
            words[name] = "as much"
        elif field_kind(name) == "pile":
            words[name] = "your hand" if value == "hand" else f"the {value} pile"
        else:
            words[name] = str(value)
    return words


def describe_intent(move: EnemyMove) -> str:
    """Return what an enemy's move does, in a few words."""
    operations = [operation for step in move.program for operation in step.operations]
    return ", ".join(_phrase(operation.verb.short, _words(operation), False) for operation in operations)


# -- states


def show(state: Battle, width: int = 80) -> str:
    """Return a picture of the state: the enemies with their intents, the player, and the piles."""
    lines = [f"turn {state.turn}"]
    for index, enemy in enumerate(state.enemies):
        lines.append(f"  {index} {_show_fighter(enemy.kind.name, enemy)}")
        if enemy.health > 0:
            move = enemy.next_move
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
    return ", ".join(f"{active.status.name} {active.amount}{describe_turns(active)}" for active in statuses)


def describe_turns(active: ActiveStatus) -> str:
    """Return for how many turns a status stays and what is left of it then, or nothing if it does not expire."""
    if not active.turns:
        return ""
    return f" ({active.turns} turns{f', then {active.lasting}' if active.lasting else ''})"


def _show_pile(pile: Sequence[Card]) -> str:
    groups = [(title, len(list(group))) for title, group in groupby(card.title for card in pile)]
    return ", ".join(title if count == 1 else f"{count} {title}" for title, count in groups) or "empty"


# -- actions


_YOU: Final = "you {}"
_PLAYER: Final = "the player {}s"


def describe_action(state: Battle, action: Action, after: Battle | None = None) -> str:
    """Return an action as a sentence, with its effects if the state after it is given."""
    sentence = _describe(state, action, after, _YOU)
    return sentence[0].upper() + sentence[1:]


def narrate_action(state: Battle, action: Action, after: Battle) -> str:
    """Return what the player does, for readers who see the player's name before it: `plays Bash: Jaw Worm dies`."""
    return _describe(state, action, after, _PLAYER).removeprefix("the player ")


def _describe(state: Battle, action: Action, after: Battle | None, player: str) -> str:
    """Describe an action; `player` is the player with a place for the verb."""
    if (card := card_of(state, action)) is not None:
        sentence = f"{player.format('play' if action.type == 'play' else 'choose')} {card.title}"
    elif action.type == "fighter":
        own = "yourself" if player == _YOU else "themselves"
        fighter = own if action.position == PLAYER else state.enemies[action.position].kind.name
        sentence = f"{player.format('choose')} {fighter}"
    else:
        sentence = f"{player.format('end')} the turn"
    effects = [] if after is None else _describe_effects(state, after, player)
    return f"{sentence}: {'; '.join(effects)}" if effects else sentence


def _describe_effects(before: Battle, after: Battle, player: str) -> list[str]:
    effects = []
    for enemy, later in zip(before.enemies, after.enemies, strict=True):
        if later.health < enemy.health:
            loss = "dies" if later.health == 0 else f"loses {enemy.health - later.health} health"
            effects.append(f"{enemy.kind.name} {loss}")
    if after.health != before.health:
        change = after.health - before.health
        effects.append(f"{player.format('gain' if change > 0 else 'lose')} {abs(change)} health")
    if after.block > before.block:
        effects.append(f"{player.format('gain')} {after.block - before.block} block")
    if after.pending is not None and not is_over(after):
        effects.append(prompt_text(after))
    result = outcome(after)
    if result is not None:
        effects.append(f"the battle ends: {result.reason}")
    return effects
