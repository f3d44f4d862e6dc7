"""Count how often the model of Guo (2025) claims more than any legal turn earns: `python -m experiments.overclaims`."""

from __future__ import annotations

import sys
from random import Random

from planner import Plan, plan_turn
from planner.bench.benchmark_positions import GUO_PROFILES, Position, load_positions
from planner.games.hearthstone.cards import keywords as kw
from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.rules.ruleset import Ruleset
from planner.games.hearthstone.rules.state import GameState, HandCard, Hero, Minion, Player
from planner.games.hearthstone.turn.hearthstone_weights import Weights


def midgame_state(rng: Random) -> GameState:
    """Return a random board: two to five minions on each side, two to five cards, with charge, rush and taunt."""

    def card(name: str) -> Card:
        bits = rng.choice((0, 0, 0, kw.TAUNT, kw.TAUNT, kw.CHARGE, kw.RUSH))
        return Card(name, cost=rng.randint(1, 6), attack=rng.randint(1, 6), health=rng.randint(1, 7), keywords=bits)

    def minion(name: str) -> Minion:
        printed = card(name)
        health = rng.randint(1, printed.health)
        return Minion(name, printed, printed.attack, health, printed.health, printed.keywords)

    mine = tuple(minion(f"me.board.{n}") for n in range(rng.randint(2, 5)))
    theirs = tuple(minion(f"enemy.board.{n}") for n in range(rng.randint(2, 5)))
    hand = []
    for n in range(rng.randint(2, 5)):
        printed = card(f"me.hand.{n}")
        hand.append(HandCard(printed.name, printed, printed.cost))
    me = Player(Hero(30, 30), mine, tuple(hand), mana=rng.randint(3, 8), crystals=8)
    return GameState(me, Player(Hero(rng.randint(8, 30), 30), theirs), Ruleset.of("thesis"))


def compare(cases: list[Position]) -> tuple[int, int, int]:
    """Count how often the model claims more than the optimum, earns less than it, and claims more than it earns."""
    beyond = short = broken = 0
    for weights, state in cases:
        best: Plan = plan_turn(state, weights)
        thesis: Plan = plan_turn(state, weights, formulation="thesis")
        beyond += thesis.claimed > best.objective
        short += thesis.objective < best.objective
        broken += thesis.claimed > thesis.objective
    return beyond, short, broken


def main(count: int) -> None:
    """Print the three shares for random boards and for recorded ones."""
    rng = Random(2025)
    boards = [Position(Weights.of(rng.choice(GUO_PROFILES)), midgame_state(rng)) for _ in range(count)]
    for name, cases in (("random mid-game boards", boards), ("recorded states", load_positions("recorded"))):
        beyond, short, broken = (f"{100 * n / len(cases):.1f} %" for n in compare(cases))
        sys.stdout.write(
            f"{len(cases)} {name}: claims more than any legal turn earns {beyond}; "
            f"claims more than it earns itself {broken}; earns less than the optimum {short}\n"
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
