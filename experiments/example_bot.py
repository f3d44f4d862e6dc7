"""A bot of one's own: balanced while the enemy hero is healthy, and all on the face after that."""

from planner import GameState, plan_turn, play_match
from planner.games.hearthstone import GAME, Action, BaseAgent, EndTurn, MatchSetup


class Finisher(BaseAgent):
    """Asks for a plan before every action, so whatever a card has done, the next plan knows."""

    name = "finisher"

    def act(self, state: GameState) -> Action:
        """The first action of the plan that the rules allow."""
        weak = state.enemy.hero.health + state.enemy.hero.armor <= 15
        plan = plan_turn(state, weights="aggro_face" if weak else "true_balanced", time_limit=1.0)
        return next((action for action in plan.actions if GAME.illegal_reason(state, action) is None), EndTurn())


def main() -> None:
    """Play one match against the greedy agent, and say how it ended."""
    setup = MatchSetup.of("thesis_paladin", "thesis_warrior", rules="thesis")
    record = play_match((Finisher(), "greedy"), setup, seed=6)
    print(f"{' against '.join(record.agents)}: {record.outcome} in round {record.rounds}")  # noqa: T201


if __name__ == "__main__":
    main()
