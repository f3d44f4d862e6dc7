"""A battle as an immutable value (`Battle`), and its mutable form (`MutableBattle`), on which effects are carried out.

No future event is stored in a state: a draw takes a random card of the draw pile at the moment of drawing, which is
equivalent to drawing from a shuffled pile. So nothing is hidden from a player. The hand is in the order in which its
cards were drawn. The other piles have no order; they are kept sorted, so that equal states are equal values.

Two orders are part of the rules. Changes of one value: additions come before factors, the result is rounded down once,
and functions come last. Callbacks of one moment run in the order of the status definitions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter, itemgetter
from typing import Any, Final, NamedTuple

from planner.errors import PlannerError, quote
from planner.games.spire.action_language import Operation, Step
from planner.games.spire.battle_definitions import Card, EnemyKind, EnemyMove, Status, ValueChange
from planner.games.spire.card_library import Library, library_from_json, shipped_library
from planner.games.spire.vocabulary import MAX_CARDS, MAX_NUMBER, pile_name

_SORT_KEY: Final = attrgetter("order")


# -- immutable states


class ActiveStatus(NamedTuple):
    """A status on a fighter."""

    status: Status
    amount: int
    turns: int = 0  # turns left; 0 means that it does not expire
    lasting: int = 0  # the part of the amount that stays when the turns are over


class Enemy(NamedTuple):
    """An enemy; a dead one has health 0 and keeps its position."""

    kind: EnemyKind
    health: int
    max_health: int
    block: int
    statuses: tuple[ActiveStatus, ...]
    move: int  # the next move, as an index into the moves of its kind
    run: int  # how many times in a row this move has been chosen

    @property
    def next_move(self) -> EnemyMove:
        """Return the next move."""
        return self.kind.moves[self.move]


class TurnLimits(NamedTuple):
    """What the player gets each turn."""

    energy: int = 3
    cards: int = 5


class PendingCard(NamedTuple):
    """A card in play that waits for a choice: of a fighter or of cards."""

    card: Card  # in its present form: it may have been upgraded since it was played
    played: Card  # in the form in which it was played, whose steps are carried out
    step: int
    picked: tuple[int, ...]  # indices of the cards that are already chosen
    goes_to: str  # the pile in which the card ends


class Battle(NamedTuple):
    """The complete state of a battle. Equal cards are the same object, so states compare fast."""

    library: Library
    limits: TurnLimits
    health: int
    max_health: int
    block: int
    statuses: tuple[ActiveStatus, ...]
    energy: int
    hand: tuple[Card, ...]
    draw: tuple[Card, ...]
    discard: tuple[Card, ...]
    exhaust: tuple[Card, ...]
    enemies: tuple[Enemy, ...]
    turn: int
    played: int  # cards played in the whole battle
    pending: PendingCard | None

    @property
    def game(self) -> str:
        """Return the name of the game that this is a state of: the path of an extension, or spire."""
        return self.library.extension or "spire"

    def with_sorted_hand(self) -> Battle:
        """Return the state with the hand in the order of the library, as in all other piles."""
        return self._replace(hand=tuple(sorted(self.hand, key=_SORT_KEY)))

    def __reduce__(self) -> tuple[Any, ...]:
        # Cards compare by identity, so another process must look up its own by name.
        from planner.games.spire.battle_codec import state_from_json, state_to_json  # noqa: PLC0415  (imports this module)

        return state_from_json, (state_to_json(self), shipped_library(self.library.extension))


class Action(NamedTuple):
    """Play a card of the hand, choose a fighter or a card, or end the turn."""

    type: str  # play, fighter, card, end
    position: int = 0  # of the card in its pile, or of the fighter


END: Final = Action("end")


class Setup(NamedTuple):
    """What a battle starts from. It names cards and enemies, so that other processes can look them up."""

    deck: tuple[str, ...]
    enemies: tuple[str, ...]
    health: int = 80
    limits: TurnLimits = TurnLimits()
    name: str = ""  # of the scenario, for tables
    custom: str = "{}"  # definitions that do not come with the game, as JSON
    anonymous: bool = False
    extension: str = ""  # the absolute path of the file that adds words to the game

    @property
    def library(self) -> Library:
        """Return the cards, statuses and enemies of this battle."""
        return library_from_json(self.custom, self.anonymous, self.extension)


# -- the mutable form


@dataclass(slots=True, eq=False)
class Fighter:
    """The player or an enemy."""

    kind: EnemyKind | None  # None for the player
    health: int
    max_health: int
    block: int
    statuses: tuple[ActiveStatus, ...]
    move: int = 0
    run: int = 0

    def take_damage(self, amount: int) -> None:
        """Lose block first, then health; a dead fighter loses its statuses."""
        if amount <= self.block:
            if amount < 0:
                raise PlannerError(f"take_damage: must be at least 0, got {quote(amount)}")
            self.block -= amount
            return
        self.health -= amount - self.block
        self.block = 0
        if self.health <= 0:
            self.health = 0
            self.statuses = ()

    def heal(self, amount: int) -> None:
        """Gain health, up to the maximum."""
        if amount < 0:
            raise PlannerError(f"heal: must be at least 0, got {quote(amount)}")
        self.health = min(self.max_health, self.health + amount)

    def apply_status(self, status: Status, amount: int, turns: int) -> None:
        """Gain a status, by its stacking rule: add to the present one, keep it, or add a separate one."""
        statuses = self.statuses
        if status.stacking != "apart":
            for index, active in enumerate(statuses):
                if active.status is status:
                    if status.stacking == "add":
                        stacked = _stacked(active, amount, turns)
                        self.statuses = (*statuses[:index], *stacked, *statuses[index + 1 :])
                    return
        if amount > 0:
            position = len([active for active in statuses if active.status.rank <= status.rank])
            self.statuses = (*statuses[:position], ActiveStatus(status, amount, turns), *statuses[position:])

    def to_enemy(self) -> Enemy:
        """Return the immutable form of an enemy."""
        assert self.kind is not None
        return Enemy(self.kind, self.health, self.max_health, self.block, self.statuses, self.move, self.run)


def _stacked(active: ActiveStatus, amount: int, turns: int) -> tuple[ActiveStatus, ...]:
    """Return a status with more stacks, which expire after `turns`; 0 means that they stay, whatever else expires."""
    status, before, before_turns, before_lasting = active
    total, longest = min(MAX_NUMBER, before + amount), max(before_turns, turns)
    if not longest:
        return (ActiveStatus(status, total),) if total > 0 else ()
    lasting = (before_lasting if before_turns else before) + (0 if turns else amount)
    return (ActiveStatus(status, total, longest, max(0, min(lasting, total))),) if total > 0 else ()


@dataclass(slots=True, eq=False)
class SelectedCard:
    """A card while actions are carried out on it: they may replace it and decide the pile in which it ends."""

    card: Card
    goes_to: str


class MutableBattle:
    """A battle while effects are carried out. `chance(n)` supplies randomness: any integer from 0 to n - 1."""

    __slots__ = (
        "card", "chance", "discard", "draw", "enemies", "energy", "exhaust", "goes_to", "hand", "keeps_hand", "library",
        "limits", "pending", "played", "player", "playing", "reacting", "turn",
    )  # fmt: skip

    def __init__(self, state: Battle, chance: Callable[[int], int]) -> None:
        (
            self.library, self.limits, health, max_health, block, statuses, self.energy,
            hand, draw, discard, exhaust, enemies, self.turn, self.played, pending,
        ) = state  # fmt: skip
        self.player = Fighter(None, health, max_health, block, statuses)
        self.enemies = [Fighter(*enemy) for enemy in enemies]
        self.hand, self.draw, self.discard, self.exhaust = list(hand), list(draw), list(discard), list(exhaust)
        self.chance = chance
        self.keeps_hand = False  # at the end of this turn
        self.reacting = False  # whether a callback of a status is running
        self.pending: PendingCard | None = None
        self.card: Card | None = None  # the card in play, in its present form
        self.playing: Card | None = None  # the card in play, in the form in which it was played
        self.goes_to = ""
        if pending is not None:
            self.card, self.playing, self.goes_to = pending.card, pending.played, pending.goes_to

    def state(self) -> Battle:
        """Return the present state."""
        player = self.player
        return Battle(
            self.library,
            self.limits,
            player.health,
            player.max_health,
            player.block,
            player.statuses,
            self.energy,
            tuple(self.hand),
            tuple(sorted(self.draw, key=_SORT_KEY)),
            tuple(sorted(self.discard, key=_SORT_KEY)),
            tuple(sorted(self.exhaust, key=_SORT_KEY)) if self.exhaust else (),
            tuple([enemy.to_enemy() for enemy in self.enemies]),
            self.turn,
            self.played,
            self.pending,
        )

    def is_over(self) -> bool:
        """Return whether the player or all enemies are dead."""
        if self.player.health <= 0:
            return True
        for enemy in self.enemies:  # noqa: SIM110  (a generator costs more than the whole loop)
            if enemy.health > 0:
                return False
        return True

    def living_enemies(self) -> list[Fighter]:
        """Return the enemies that have health left."""
        return [enemy for enemy in self.enemies if enemy.health > 0]

    # -- programs

    def run(self, program: Sequence[Step], source: Fighter, stacks: int = 0) -> None:
        """Carry out a program that needs no choice: a callback of a status, or an enemy's move."""
        for step in program:
            if self.is_over():
                return
            if step.check is None or step.check.holds(self, source):
                self.carry_out(step, source, self.targets(step, source), stacks)

    def targets(self, step: Step, source: Fighter) -> list[Fighter]:
        """Return the fighters that a step acts on, for a step without a choice."""
        options: list[Fighter] = step.target.group.function(self, source)
        if step.target.how == "random" and len(options) > 1:
            return [options[self.chance(len(options))]]
        return options

    def carry_out(self, step: Step, source: Fighter, targets: list[Fighter], stacks: int = 0) -> None:
        """Carry out the operations of a step on these fighters."""
        for verb, arguments, stacked in step.operations:
            fields = {**arguments, **dict.fromkeys(stacked, stacks)} if stacked else arguments
            if verb.each:
                for target in targets:
                    if target.health > 0:
                        verb.function(self, source, target, **fields)
            elif verb.acts_on == "nothing":
                verb.function(self, source, **fields)
            else:
                verb.function(self, source, targets, **fields)

    # -- fighters

    def attack(self, source: Fighter, targets: list[Fighter], amount: int, hits: int) -> None:
        """Carry out one attack: all hits on all targets. The damage is fixed before the first hit."""
        if not targets:
            return
        if source.statuses:
            self.broadcast("before_attack", source)
        for target in targets:
            damage = amount
            if source.statuses or target.statuses:
                changes = [*_changes("attack_dealt", source), *_changes("attack_taken", target)]
                damage = self.changed_value(amount, changes)
            for _ in range(hits):
                if target.health > 0:
                    target.take_damage(damage)
        if source.statuses:
            self.broadcast("after_attack", source)

    def gain_block(self, target: Fighter, amount: int) -> None:
        """Give block to a living fighter, changed by its statuses."""
        if target.health <= 0:
            return
        if target.statuses:
            amount = self.changed("block_gained", target, amount)
        target.block = min(MAX_NUMBER, target.block + amount)

    def gain_energy(self, amount: int) -> None:
        """Give energy to the player."""
        self.energy = min(MAX_NUMBER, self.energy + amount)

    def changed(self, event: str, owner: Fighter, amount: int) -> int:
        """Return the value of an event as the statuses of this fighter change it."""
        self._check_event(event, changes_value=True)
        changes = _changes(event, owner)
        return self.changed_value(amount, changes) if changes else amount

    def changed_value(self, amount: int, changes: list[tuple[Fighter, ActiveStatus, ValueChange]]) -> int:
        """Apply additions, then factors, then one rounding down, then functions; the result is at least 0."""
        numerator, denominator = 1, 1
        calls = []
        for owner, active, change in changes:
            if change.stacks:
                amount += active.amount
            elif change.times is not None:
                numerator *= change.times.numerator
                denominator *= change.times.denominator
            elif change.call is not None:
                calls.append((owner, active, change.call))
            else:
                amount += change.add
        amount = max(0, amount * numerator // denominator)
        for owner, active, call in calls:
            amount = max(0, call(self, owner, active, amount))
        return amount

    def broadcast(self, event: str, owner: Fighter) -> None:
        """Run the callbacks of a fighter's statuses. Callbacks trigger no further ones, so this always ends."""
        self._check_event(event, changes_value=False)
        if self.reacting:
            return
        self.reacting = True
        for active in owner.statuses:
            for callback in active.status.callbacks.get(event, ()):
                index = _present(active, owner.statuses)
                if index is None:  # an earlier callback removed it, or the fighter died
                    break
                active = owner.statuses[index]  # noqa: PLW2901  (an earlier callback may have changed its amount)
                if callback.remove:
                    owner.statuses = owner.statuses[:index] + owner.statuses[index + 1 :]
                elif callback.call is not None:
                    callback.call(self, owner, active, 0)
                else:
                    self.run(callback.program, owner, active.amount)
        self.reacting = False

    def _check_event(self, event: str, changes_value: bool) -> None:
        known = self.library.vocabulary.events.get(event)
        if known is None or known.changes_value != changes_value:
            events = self.library.vocabulary.events.values()
            names = [other.name for other in events if other.changes_value == changes_value]
            kind = "an event that changes a value" if changes_value else "a moment"
            raise PlannerError(f"{quote(event)} is not {kind}; must be one of {', '.join(names)}")

    def end_statuses(self, owner: Fighter) -> None:
        """End a fighter's turn: run callbacks, then change amounts and turns, then run the effects of expiry."""
        if not owner.statuses:
            return
        self.broadcast("turn_end", owner)
        expired = []
        kept = []
        for active in owner.statuses:
            status, amount, turns, lasting = active
            amount += status.each_turn
            if turns == 1:
                if active.amount > lasting:
                    expired.append(active._replace(amount=active.amount - lasting))
                amount, lasting = lasting + status.each_turn if lasting else 0, 0
            if amount > 0:
                amount = min(MAX_NUMBER, amount)
                kept.append(ActiveStatus(status, amount, max(0, turns - 1), min(lasting, amount)))
        owner.statuses = tuple(kept)
        for active in expired:
            self.run(active.status.on_end, owner, active.amount)

    # -- cards

    def draw_cards(self, count: int) -> None:
        """Draw cards; when the draw pile is empty, the discard pile replaces it."""
        hand, pile, chance = self.hand, self.draw, self.chance
        for _ in range(count):
            if not pile:
                if not self.discard:
                    return
                pile = self.draw = self.discard
                self.discard = []
            # The last card replaces the drawn one, which is faster than closing the gap: the pile has no order.
            index = chance(len(pile)) if len(pile) > 1 else 0
            drawn = pile.pop()
            if index < len(pile):
                drawn, pile[index] = pile[index], drawn
            hand.append(drawn)

    def pile(self, name: str) -> list[Card]:
        """Return the pile with this name."""
        pile: list[Card] = getattr(self, pile_name(name))
        return pile

    def pick(self, count: int) -> int:
        """Return a random integer from 0 to `count` - 1; for the functions of extensions."""
        if type(count) is not int or not 1 <= count <= MAX_NUMBER:
            raise PlannerError(f"pick: must be an integer from 1 to {MAX_NUMBER}, got {quote(count)}")
        return self.chance(count)

    def change_played_card(self, operations: Sequence[Operation]) -> None:
        """Carry out operations on the card in play."""
        assert self.card is not None
        selected = SelectedCard(self.card, self.goes_to)
        self._change(operations, [selected])
        self.card, self.goes_to = selected.card, selected.goes_to

    def change_cards(self, operations: Sequence[Operation], name: str, indices: Sequence[int]) -> None:
        """Carry out operations on the cards at these indices of a pile; those that stay keep their positions."""
        pile = self.pile(name)
        chosen = [(index, SelectedCard(pile[index], name)) for index in indices]
        for index in sorted(indices, reverse=True):
            del pile[index]
        self._change(operations, [selected for _, selected in chosen])
        left = 0
        for index, selected in sorted(chosen, key=itemgetter(0)):
            if selected.goes_to == name:
                self.pile(name).insert(index - left, selected.card)
            else:
                left += 1
        del self.pile(name)[MAX_CARDS:]  # copies that were made of the cards
        for _, selected in chosen:
            if selected.goes_to != name:
                self.pile(selected.goes_to).append(selected.card)

    def _change(self, operations: Sequence[Operation], cards: Sequence[SelectedCard]) -> None:
        for verb, arguments, _ in operations:
            if verb.acts_on == "nothing":
                verb.function(self, self.player, **arguments)
            else:
                for selected in cards:
                    verb.function(self, self.player, selected, **arguments)


def _present(active: ActiveStatus, statuses: tuple[ActiveStatus, ...]) -> int | None:
    """Return where this status is now, perhaps with another amount; of separate ones, where an equal one is."""
    apart = active.status.stacking == "apart"
    for index, other in enumerate(statuses):
        if other == active if apart else other.status is active.status:
            return index
    return None


def _changes(event: str, owner: Fighter) -> list[tuple[Fighter, ActiveStatus, ValueChange]]:
    return [
        (owner, active, change)
        for active in owner.statuses
        if event in active.status.changes
        for change in active.status.changes[event]
    ]
