"""A bot that plays balanced turns and switches to attacking the enemy hero once it has at most 15 health."""

from planner import GameState, plan_turn, play_match
from planner.games.hearthstone import GAME, Action, BaseAgent, EndTurn, MatchSetup


class Finisher(BaseAgent):
    """Plans again before every action, so each plan knows the result of the previous one."""

    name = "finisher"

    def act(self, state: GameState) -> Action:
        """Return the first legal action of the plan, or end the turn."""
        weak = state.enemy.hero.health + state.enemy.hero.armor <= 15
        plan = plan_turn(state, weights="aggro_face" if weak else "true_balanced", time_limit=1.0)
        return next((action for action in plan.actions if GAME.illegal_reason(state, action) is None), EndTurn())


def main() -> None:
    """Play one match against the greedy agent and print the result."""
    setup = MatchSetup.of("thesis_paladin", "thesis_warrior", rules="thesis")
    record = play_match((Finisher(), "greedy"), setup, seed=6)
    print(f"{' against '.join(record.agents)}: {record.outcome} in round {record.rounds}")  # noqa: T201


if __name__ == "__main__":
    main()
