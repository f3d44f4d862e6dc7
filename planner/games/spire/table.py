"""The table on which a battle is carried out: a state taken apart, changed, and put together again.

The order of things, which is part of the rules: of changes to one value, additions come before factors and factors
before functions, and the result is rounded down once; callbacks of one moment run in the order of the status file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Final

from planner.games.spire.enemies import EnemyKind
from planner.games.spire.library import Card, Status
from planner.games.spire.program import Op, Run, Value
from planner.games.spire.state import Battle, Enemy, Held, Pending

_ORDER: Final = attrgetter("order")  # piles are sorted: their order has no meaning, and equal states look equal


class Fighter:
    """The player, or an enemy."""

    __slots__ = ("block", "health", "kind", "max_health", "move", "run", "statuses")

    def __init__(
        self,
        kind: EnemyKind | None,
        health: int,
        max_health: int,
        block: int,
        statuses: tuple[Held, ...],
        move: int = 0,
        run: int = 0,
    ) -> None:
        self.kind = kind  # None: the player
        self.health, self.max_health, self.block, self.statuses = health, max_health, block, statuses
        self.move, self.run = move, run


class Table:
    """A battle while something happens. `pick(n)` is chance: any whole number below n."""

    __slots__ = (
        "card", "discard", "draw", "enemies", "energy", "exhaust", "goes_to", "hand", "library", "limits",
        "pending", "pick", "played", "player", "playing", "reacting", "turn",
    )  # fmt: skip

    def __init__(self, state: Battle, pick: Callable[[int], int]) -> None:
        (
            self.library, self.limits, health, max_health, block, statuses, self.energy,
            hand, draw, discard, exhaust, enemies, self.turn, self.played, pending,
        ) = state  # fmt: skip
        self.player = Fighter(None, health, max_health, block, statuses)
        self.enemies = [Fighter(*enemy) for enemy in enemies]
        self.hand, self.draw, self.discard, self.exhaust = list(hand), list(draw), list(discard), list(exhaust)
        self.pick = pick
        self.reacting = False  # is a status's callback at work?
        self.pending: Pending | None = None
        self.card: Card | None = None  # the card in play, as it is now
        self.playing: Card | None = None  # the same as it was played
        self.goes_to = ""
        if pending is not None:
            self.card, self.playing, self.goes_to = pending.card, pending.played, pending.goes_to

    def state(self) -> Battle:
        """The state that this is now."""
        player = self.player
        return Battle(
            self.library,
            self.limits,
            player.health,
            player.max_health,
            player.block,
            player.statuses,
            self.energy,
            tuple(sorted(self.hand, key=_ORDER)),
            tuple(sorted(self.draw, key=_ORDER)),
            tuple(sorted(self.discard, key=_ORDER)),
            tuple(sorted(self.exhaust, key=_ORDER)) if self.exhaust else (),
            tuple([_enemy(one) for one in self.enemies]),
            self.turn,
            self.played,
            self.pending,
        )

    def over(self) -> bool:
        """Is somebody's side dead?"""
        if self.player.health <= 0:
            return True
        for enemy in self.enemies:  # noqa: SIM110  (a generator costs more than the whole loop)
            if enemy.health > 0:
                return False
        return True

    # -- programs

    def run(self, program: Sequence[Run], source: Fighter, stacks: int = 0) -> None:
        """Carry out what asks nothing: a status's callback, or an enemy's move."""
        for step in program:
            if self.over():
                return
            self.carry_out(step, source, self.fighters(step, source), stacks)

    def fighters(self, step: Run, source: Fighter) -> list[Fighter]:
        """Whom a step is pointed at, where nobody has to be asked."""
        how = step.how
        if how == "self":
            return [source]
        if how == "player":
            return [self.player]
        if how == "nobody":
            return []
        options = self.options(step, source)
        if how == "random" and len(options) > 1:
            return [options[self.pick(len(options))]]
        return options

    def options(self, step: Run, source: Fighter) -> list[Fighter]:
        """The living fighters among whom a step chooses: enemies are those of whoever acts."""
        enemies = [enemy for enemy in self.enemies if enemy.health > 0]
        if step.whom == "everyone":
            return [self.player, *enemies]
        return enemies if source.kind is None else [self.player]

    def carry_out(self, step: Run, source: Fighter, targets: list[Fighter], stacks: int = 0) -> None:
        """Do all that a step says to these fighters."""
        for op in step.ops:
            verb = op.verb
            amount = stacks if op.stacks else op.amount
            if verb == "attack":
                self.attack(source, targets, amount, op.hits)
            elif verb == "block":
                for target in targets:
                    self.gain_block(target, amount)
            elif verb == "apply":
                for target in targets:
                    if target.health > 0 and op.status is not None:
                        apply_status(target, op.status, amount, op.turns)
            elif verb == "damage":
                for target in targets:
                    hurt(target, amount)
            elif verb == "heal":
                for target in targets:
                    if target.health > 0:
                        target.health = min(target.max_health, target.health + amount)
            elif verb == "energy":
                self.energy += amount
            elif verb == "draw":
                self.draw_cards(amount)

    # -- what happens to fighters

    def attack(self, source: Fighter, targets: list[Fighter], amount: int, hits: int) -> None:
        """One attack: every hit on every target. The value is settled before the first hit."""
        if source.statuses:
            self.moment("before_attack", source)
        for target in targets:
            dealt = amount
            if source.statuses or target.statuses:
                dealt = self.changed(amount, source, target)
            for _ in range(hits):
                if target.health > 0:
                    hurt(target, dealt)
        if source.statuses:
            self.moment("after_attack", source)

    def changed(self, amount: int, source: Fighter, target: Fighter) -> int:
        """An attack's damage after what the statuses of both sides make of it."""
        changes = [(source, held, change) for held in source.statuses for change in held.status.dealt]
        changes += [(target, held, change) for held in target.statuses for change in held.status.taken]
        return self.value(amount, changes)

    def gain_block(self, target: Fighter, amount: int) -> None:
        """More block, after what the statuses of whoever gains it make of it."""
        if target.health <= 0:
            return
        if target.statuses:
            changes = [(target, held, change) for held in target.statuses for change in held.status.blocked]
            amount = self.value(amount, changes) if changes else amount
        target.block += amount

    def value(self, amount: int, changes: list[tuple[Fighter, Held, Value]]) -> int:
        """Additions, then factors, then one rounding down, then functions; never below 0."""
        above, below = 1, 1
        calls = []
        for owner, held, change in changes:
            if change.stacks:
                amount += held.amount
            elif change.times is not None:
                above *= change.times.numerator
                below *= change.times.denominator
            elif change.call is not None:
                calls.append((owner, held, change.call))
            else:
                amount += change.add
        amount = max(0, amount * above // below)
        for owner, held, call in calls:
            amount = max(0, call(self, owner, held, amount))
        return amount

    def moment(self, event: str, owner: Fighter) -> None:
        """Let the statuses of this fighter act. What they do sets off no further callbacks, so it has an end."""
        if self.reacting:
            return
        self.reacting = True
        for held in owner.statuses:
            listeners = held.status.listeners
            if event in listeners:
                for listener in listeners[event]:
                    if listener.remove:
                        owner.statuses = tuple([one for one in owner.statuses if one is not held])
                    elif listener.call is not None:
                        listener.call(self, owner, held, 0)
                    else:
                        self.run(listener.program, owner, held.amount)
        self.reacting = False

    def end_statuses(self, owner: Fighter) -> None:
        """The end of a fighter's turn: callbacks first, then what changes by itself, then what ends."""
        if not owner.statuses:
            return
        self.moment("turn_end", owner)
        ended = []
        kept = []
        for held in owner.statuses:
            status, amount, turns = held
            amount += status.each_turn
            if turns == 1:
                ended.append(held)
            elif amount > 0:
                kept.append(Held(status, amount, turns - 1 if turns else 0))
        owner.statuses = tuple(kept)
        for held in ended:
            self.run(held.status.ends, owner, held.amount)

    # -- cards

    def draw_cards(self, count: int) -> None:
        """Draw; when the draw pile is empty, the discard pile becomes it."""
        hand, pile, pick = self.hand, self.draw, self.pick
        for _ in range(count):
            if not pile:
                if not self.discard:
                    return
                pile = self.draw = self.discard
                self.discard = []
            # The last card takes the place of the drawn one: quicker than closing the gap, and the pile has no order.
            place = pick(len(pile)) if len(pile) > 1 else 0
            last = pile.pop()
            if place < len(pile):
                last, pile[place] = pile[place], last
            hand.append(last)

    def pile(self, name: str) -> list[Card]:
        """The pile of this name."""
        found: list[Card] = getattr(self, name)
        return found

    def this_card(self, ops: Sequence[Op]) -> None:
        """Do something to the card in play."""
        assert self.card is not None
        for op in ops:
            if op.verb == "copy":
                self.pile(op.into).append(self.card)
            elif op.verb == "upgrade":
                self.card = self.library.upgraded(self.card) or self.card
            else:
                self.goes_to = op.verb

    def to_cards(self, ops: Sequence[Op], name: str, places: Sequence[int]) -> None:
        """Do something to the cards at these places of a pile."""
        pile = self.pile(name)
        chosen = {place: pile[place] for place in places}
        homes = dict.fromkeys(places, name)
        for op in ops:
            for place, card in chosen.items():
                if op.verb == "copy":
                    self.pile(op.into).append(card)
                elif op.verb == "upgrade":
                    chosen[place] = self.library.upgraded(card) or card
                else:
                    homes[place] = op.verb
        for place, card in chosen.items():
            pile[place] = card
        for place in sorted(chosen, reverse=True):
            if homes[place] != name:
                del pile[place]
        for place, card in chosen.items():
            if homes[place] != name:
                self.pile(homes[place]).append(card)


def _enemy(one: Fighter) -> Enemy:
    assert one.kind is not None
    return Enemy(one.kind, one.health, one.max_health, one.block, one.statuses, one.move, one.run)


def hurt(target: Fighter, amount: int) -> None:
    """Damage: block takes it first. Who dies loses all else."""
    if amount <= target.block:
        target.block -= amount
        return
    target.health -= amount - target.block
    target.block = 0
    if target.health <= 0:
        target.health = 0
        target.statuses = ()


def apply_status(target: Fighter, status: Status, amount: int, turns: int) -> None:
    """Give a status: it adds up, counts once, or stands beside others of its kind."""
    statuses = target.statuses
    if status.stacking != "apart":
        for place, held in enumerate(statuses):
            if held.status is status:
                if status.stacking == "add":
                    more = Held(status, held.amount + amount, max(held.turns, turns))
                    target.statuses = (*statuses[:place], more, *statuses[place + 1 :])
                return
    if amount > 0:
        after = len([held for held in statuses if held.status.rank <= status.rank])
        target.statuses = (*statuses[:after], Held(status, amount, turns), *statuses[after:])
