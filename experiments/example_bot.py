"""A bot of one's own: balanced while the enemy hero is healthy, and all on the face after that."""

from planner import GameState, plan_turn
from planner.agents.base import BaseAgent
from planner.arena.match import play_match
from planner.games.hearthstone.cards.decks import load_deck
from planner.games.hearthstone.rules.actions import Action, EndTurn
from planner.games.hearthstone.rules.legal import verify
from planner.games.hearthstone.rules.ruleset import Ruleset


class Finisher(BaseAgent):
    """Asks for a plan before every action, so whatever a card has done, the next plan knows."""

    name = "finisher"

    def decide(self, state: GameState) -> Action:
        """The first action of the plan that the rules allow."""
        weak = state.enemy.hero.health + state.enemy.hero.armor <= 15
        plan = plan_turn(state, weights="aggro_face" if weak else "true_balanced", time_limit=1.0)
        return next((action for action in plan.actions if verify(state, action) is None), EndTurn())


def main() -> None:
    """Play one match against the greedy agent, and say how it ended."""
    decks = load_deck("thesis_paladin"), load_deck("thesis_warrior")
    record = play_match((Finisher(), "greedy"), decks, Ruleset.of("thesis"), seed=6)
    print(f"{' against '.join(record.agents)}: {record.outcome} in round {record.rounds}")  # noqa: T201


if __name__ == "__main__":
    main()
