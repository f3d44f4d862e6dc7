"""Carry out the steps of effects. A step that needs a decision puts a `Decision` on the table and waits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, Final

from planner.games.deckbuilder.definition import HEALTH
from planner.games.deckbuilder.effects import (
    ANY_CARD,
    NO_BLOCK,
    ZONES,
    AddHealth,
    AddPoints,
    AddStat,
    Call,
    Choose,
    ChooseOne,
    Damage,
    Draw,
    Each,
    Gain,
    If,
    May,
    MoveAll,
    MoveThis,
    Repeat,
    Run,
    Seize,
    TakeTop,
    When,
)
from planner.games.deckbuilder.functions import call_function
from planner.games.deckbuilder.table import DECK, DISCARD, HAND, IN_PLAY, PLAYED, SUPPLY, TRASH, Table, contains
from planner.games.deckbuilder.table_state import EMPTY, HIDDEN, ZONE_BASE, Decision, Frame, Listener

CALL, ATTACK = -1, -2  # instead of a block: a call of a function; a block that reactions can stop
CARDS, ASK, OPTION = "cards", "yes", "option"  # kinds of prompts
_SEEN_BY_ALL: Final = ("revealed", "discard", "trash", "aside", "played", "in_play")
_MAX_STEPS: Final = 10_000  # of one action; no effect that ends needs more


class EndlessEffectError(Exception):
    """An effect does not end."""


def run(table: Table) -> None:
    """Carry out what is on the stack until it is empty, a decision is needed, or the match is over."""
    blocks, frames = table.definition.blocks, table.frames
    for _ in range(_MAX_STEPS):
        if not frames or table.prompt is not None or table.ended:
            return
        frame = frames.pop()
        if frame.block >= 0:
            block = blocks[frame.block]
            position = frame.position
            if position + 1 < len(block):
                frames.append(frame._replace(position=position + 1))
            if position < len(block):
                step = block[position]
                _STEPS[type(step)](table, frame, step)
        elif frame.block == CALL:
            _call(table, frame)
        else:
            _ask_for_reaction(table, frame)
    raise EndlessEffectError(f"an effect does not end within {_MAX_STEPS} steps")


def finish_prompt(table: Table, prompt: Decision, answer: bool = False) -> None:
    """Go on after a decision: the chosen cards are in `prompt.picked`, a yes or no in `answer`."""
    table.prompt = None
    frame = table.frames.pop()
    if frame.block == CALL:
        table.frames.append(frame._replace(chosen=prompt.picked if prompt.kind != ASK else (int(answer),)))
    elif frame.block == ATTACK:
        if not answer:
            table.frames.append(frame._replace(block=frame.position, position=0))
    else:
        step: Any = table.definition.blocks[frame.block][frame.position]
        if isinstance(step, Choose):
            _chosen(table, frame, step, prompt.picked)
        elif isinstance(step, Gain):
            _gained(table, frame, step, prompt.picked[0] % ZONE_BASE if prompt.picked else None)
        elif isinstance(step, May):
            _branch(table, frame, step.then if answer else step.otherwise)
        else:
            assert isinstance(step, ChooseOne)
            _branch(table, frame, list(step.blocks.values())[prompt.picked[0]])


def _wait(table: Table, frame: Frame, prompt: Decision) -> None:
    """Put the decision on the table; the frame of the step waits on top of the stack."""
    table.frames.append(frame)
    table.prompt = prompt


def _branch(table: Table, frame: Frame, block: int, chosen: tuple[int, ...] | None = None) -> None:
    table.push(block, frame.player, frame.source, frame.chosen if chosen is None else chosen, frame.owner)


def _keep(table: Table, frame: Frame, chosen: tuple[int, ...]) -> None:
    """Let the following steps of the same block know which cards were chosen."""
    if table.frames:
        rest = table.frames[-1]
        if rest.block == frame.block and rest.position == frame.position + 1 and rest.player == frame.player:
            table.frames[-1] = rest._replace(chosen=chosen)


# -- numbers


def _add_stat(table: Table, frame: Frame, step: AddStat) -> None:
    if frame.player == table.active:
        value = table.stats[step.stat] + table.amount(step.amount, frame.player, frame.chosen)
        table.stats[step.stat] = max(0, value)


def _draw(table: Table, frame: Frame, step: Draw) -> None:
    table.draw(frame.player, table.amount(step.amount, frame.player, frame.chosen))


def _add_points(table: Table, frame: Frame, step: AddPoints) -> None:
    amount = table.amount(step.amount, frame.player, frame.chosen)
    table.players[frame.player].points += amount
    table.reserve = max(0, table.reserve - amount)


def _add_health(table: Table, frame: Frame, step: AddHealth) -> None:
    change_health(table, frame.player, table.amount(step.amount, frame.player, frame.chosen))


def _damage(table: Table, frame: Frame, step: Damage) -> None:
    amount = table.amount(step.amount, frame.player, frame.chosen)
    for seat in range(len(table.players)):
        if seat != frame.player:
            change_health(table, seat, -amount)


def change_health(table: Table, seat: int, change: int) -> None:
    """Change a player's health; a match for health ends when a player has none left."""
    player = table.players[seat]
    player.health = max(0, player.health + change)
    if player.health == 0 and table.definition.victory == HEALTH:
        table.ended = "no health left"


# -- choices


def _choose(table: Table, frame: Frame, step: Choose) -> None:
    options = choose_options(table, frame, step)
    if options and options[0] < 0:
        table.meet_hidden_cards()
    low = min(len(options), max(0, table.amount(step.low, frame.player, frame.chosen)))
    high = len(options)
    if step.high is not None:
        high = min(high, max(low, table.amount(step.high, frame.player, frame.chosen)))
    if high == 0 or not options:
        _chosen(table, frame, step, ())
        return
    same = options[0] == options[-1]
    if (low == len(options) and not step.ordered) or (low == high and same):
        _chosen(table, frame, step, options[:low])
        return
    seat = frame.owner if step.by == "owner" else frame.player
    _wait(table, frame, Decision(seat, CARDS, low, high, options, message=step.message or _message(step)))


def choose_options(table: Table, frame: Frame, step: Choose) -> tuple[int, ...]:
    """Return the cards that can be chosen, as zone * ZONE_BASE + card."""
    options: list[int] = []
    among = Counter(card % ZONE_BASE for card in frame.chosen) if step.among else None
    for zone in step.zones:
        if zone == DECK and table.players[frame.player].mixed:
            continue
        for card in table.zone(zone, frame.player):
            if among is not None:
                if not among[card]:
                    continue
                among[card] -= 1
            if card < 0 or table.matches(step.filter, card, frame.player, frame.chosen):
                options.append(zone * ZONE_BASE + card if card >= 0 else -1)
    return tuple(sorted(options))


def _chosen(table: Table, frame: Frame, step: Choose, picked: tuple[int, ...]) -> None:
    """Move the chosen cards, then go on."""
    cards = tuple(code % ZONE_BASE for code in picked if code >= 0)
    _keep(table, frame, cards)
    _branch(table, frame, step.then if picked else step.otherwise, cards)
    if step.do == "nothing":
        return
    for code in picked:
        if code >= 0:
            move_chosen(table, frame, code, step)
        elif step.do == "discard" and step.zones == (HAND,) and step.filter == ANY_CARD:
            table.move(HAND, frame.player, HIDDEN, step.do)  # in an observation, any card of the hand


def move_chosen(table: Table, frame: Frame, code: int, step: Choose) -> None:
    """Do what a choice says with one chosen card."""
    zone, card = divmod(code, ZONE_BASE)
    player = frame.player
    if step.do == "play":
        table.take(zone, player, card)
        table.play(player, card, step.times)
    elif step.do == "take":
        table.take(zone, player, card)
        table.put("discard", frame.owner, card, table.everyone)
        table.fire("gained", frame.owner, card)
    else:
        table.move(zone, player, card, step.do, step.shown)
        if step.do == "discard":
            table.fire("discarded", player, card)


def _message(step: Choose) -> str:
    verb = {"nothing": "choose", "top": "put onto the deck", "take": "take", "hand": "take into the hand"}
    zones = " or ".join(_ZONE_NAMES[zone] for zone in step.zones)
    return f"{verb.get(step.do, step.do)} from {zones}"


_ZONE_NAMES: Final = (
    "the hand", "the deck", "the discard pile", "the played cards", "the cards in play", "the cards looked at",
    "the revealed cards", "the cards set aside", "the supply", "the trash",
)  # fmt: skip


def _may(table: Table, frame: Frame, step: May) -> None:
    _wait(table, frame, Decision(frame.player, ASK, 0, 0, message=step.message))


def _choose_one(table: Table, frame: Frame, step: ChooseOne) -> None:
    options = tuple(range(len(step.blocks)))
    _wait(table, frame, Decision(frame.player, OPTION, 1, 1, options, labels=tuple(step.blocks), message="choose one"))


# -- cards


def _take_top(table: Table, frame: Frame, step: TakeTop) -> None:
    cards: list[int] = []
    for _ in range(table.amount(step.amount, frame.player, frame.chosen)):
        card = table.draw_one(frame.player)
        if card is None:
            break
        cards.append(table.reveal(frame.player, card) if step.to in _SEEN_BY_ALL else card)
    chosen = tuple(sorted(cards))
    _keep(table, frame, chosen)
    _branch(table, frame, step.then if cards else step.otherwise, chosen)
    for card in reversed(cards) if step.to == "top" else cards:
        table.put(step.to, frame.player, card, table.everyone if step.to == "revealed" else 1 << frame.player)
        if step.to == "discard":
            table.fire("discarded", frame.player, card)


def _gain_slots(table: Table, frame: Frame, step: Gain) -> Iterator[tuple[int, int]]:
    """Yield the piles and places of the row from which this step can gain the top card, with this card."""
    slots, piles = table.match.slots, len(table.match.piles)
    for slot, card in enumerate(table.tops):
        if card == EMPTY or step.source == ("piles" if slot >= piles else "row"):
            continue
        if not slots[slot].for_sale and card not in step.filter.cards:
            continue
        if table.matches(step.filter, card, frame.player, frame.chosen):
            yield slot, card


def gain_options(table: Table, frame: Frame, step: Gain) -> tuple[int, ...]:
    """Return the cards of the supply that this step can gain."""
    return tuple(SUPPLY * ZONE_BASE + card for card in sorted({card for _, card in _gain_slots(table, frame, step)}))


def _gain(table: Table, frame: Frame, step: Gain) -> None:
    options = gain_options(table, frame, step)
    if not options:
        _gained(table, frame, step, None)
    elif len(options) == 1 and not step.optional:
        _gained(table, frame, step, options[0] % ZONE_BASE)
    else:
        low = 0 if step.optional else 1
        _wait(table, frame, Decision(frame.player, CARDS, low, 1, options, message=step.message or "gain a card"))


def _gained(table: Table, frame: Frame, step: Gain, card: int | None) -> None:
    if card is None:
        _keep(table, frame, ())
        _branch(table, frame, step.otherwise, ())
        return
    slot = next(slot for slot, top in _gain_slots(table, frame, step) if top == card)
    _keep(table, frame, (card,))
    _branch(table, frame, step.then, (card,))
    table.gain(frame.player, slot, step.to)


def _move_all(table: Table, frame: Frame, step: MoveAll) -> None:
    player = table.players[frame.player]
    if step.zone == DISCARD and step.to == "deck" and step.filter == type(step.filter)():
        table.shuffle_in(frame.player)
        return
    if step.zone == DECK and step.to == "discard" and step.filter == type(step.filter)():
        cards = (*player.deck, *player.top)
        player.deck = player.top = player.top_seen = ()
        if cards:  # in an order that no player knows: any of them can be the visible one
            index = table.pick(cards)
            player.discard += (*cards[:index], *cards[index + 1 :], cards[index])
        return
    for card in table.zone(step.zone, frame.player):
        if card >= 0 and table.matches(step.filter, card, frame.player, frame.chosen):
            table.move(step.zone, frame.player, card, step.to)


def _move_this(table: Table, frame: Frame, step: MoveThis) -> None:
    player = table.players[frame.player]
    for zone, cards in ((PLAYED, player.played), (IN_PLAY, player.in_play)):
        if contains(cards, frame.source):
            table.move(zone, frame.player, frame.source, step.to)
            return


def _seize(table: Table, frame: Frame, step: Seize) -> None:
    for seat, player in enumerate(table.players):
        if contains(player.in_play, step.card):
            table.take(IN_PLAY, seat, step.card)
            break
    else:
        slot = table.slot_of(step.card)
        if slot is None:
            return
        table.take_from_supply(slot)
    table.put("in_play", frame.player, step.card, table.everyone)


# -- control


def _if(table: Table, frame: Frame, step: If) -> None:
    _branch(table, frame, step.then if table.holds(step.condition, frame.player, frame.chosen) else step.otherwise)


def _each(table: Table, frame: Frame, step: Each) -> None:
    seats = len(table.players)
    order = [(frame.player + offset) % seats for offset in range(0 if step.everyone else 1, seats)]
    for seat in reversed(order):
        stoppable = step.attack and seat != frame.player
        block, position = (ATTACK, step.block) if stoppable else (step.block, 0)
        table.frames.append(Frame(block, position, seat, frame.owner, frame.source, frame.chosen))
    if step.attack:
        for seat in reversed(order):
            if seat != frame.player:
                table.fire("attacked", seat, frame.source)


def _ask_for_reaction(table: Table, frame: Frame) -> None:
    """Let the attacked player show a card that stops the attack; the block follows if there is none."""
    cards = table.definition.cards
    shown = table.stopping_card(frame.player)
    if shown is None:
        table.frames.append(frame._replace(block=frame.position, position=0))
    else:
        attack = cards[frame.source].name if frame.source >= 0 else "the attack"
        message = f"show {cards[shown].name} to be unaffected by {attack}"
        _wait(table, frame, Decision(frame.player, ASK, 0, 0, message=message))


def _repeat(table: Table, frame: Frame, step: Repeat) -> None:
    player = table.players[frame.player]
    supply = str(player.deck_size() + len(player.discard) + len(player.unseen))
    if (step.until and table.holds(step.until, frame.player, frame.chosen)) or frame.memo == supply:
        return
    table.frames.append(frame._replace(memo=supply))  # again after the block
    if len(table.definition.blocks[frame.block]) > frame.position + 1:
        del table.frames[-2]  # the rest of the block follows this step, which comes again
    _branch(table, frame, step.block)


def _when(table: Table, frame: Frame, step: When) -> None:
    listener = Listener(step.trigger.event, frame.block, frame.position, frame.player, frame.source)
    table.listeners += (listener,)


def _run(table: Table, frame: Frame, step: Run) -> None:
    _branch(table, frame, step.block)


def _call_step(table: Table, frame: Frame, step: Call) -> None:
    table.frames.append(Frame(CALL, step.function, frame.player, frame.owner, frame.source, frame.chosen, ""))


def _call(table: Table, frame: Frame) -> None:
    question = call_function(table, frame)
    if question is not None:
        then, prompt = question
        _wait(table, then, prompt)


_STEPS: Final[dict[type, Callable[[Table, Frame, Any], None]]] = {
    AddStat: _add_stat,
    Draw: _draw,
    AddPoints: _add_points,
    AddHealth: _add_health,
    Damage: _damage,
    Choose: _choose,
    TakeTop: _take_top,
    Gain: _gain,
    MoveAll: _move_all,
    MoveThis: _move_this,
    If: _if,
    May: _may,
    ChooseOne: _choose_one,
    Each: _each,
    Repeat: _repeat,
    When: _when,
    Run: _run,
    Call: _call_step,
    Seize: _seize,
}
assert NO_BLOCK == CALL  # both mean that a frame has no block
assert len(ZONES) == TRASH + 1
