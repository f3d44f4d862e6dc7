// Plans of whole turns for agents in a match: the counterpart of turn/turn_plan.py without its proofs and reports.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "match/agents.hpp"

namespace planner::match {

// Thrown if no turn satisfies the hard rules.
struct NoTurn {};

struct TurnPlan {
    std::vector<Action> actions;  // with the ids of the view
    std::optional<int> reveals;   // the index of the first action that reveals something: a draw, or chance
    bool ignores_effects = false;
    bool batch = false;  // the actions are carried out together
};

search::Turn make_turn(const View& view, const State& start, const search::Weights& weights);

// The best turn, as `plans` finds it with the formulation `exact`. `hint` is a good turn to start from.
TurnPlan plan_exact(const AgentSpec& spec, std::span<const search::ProfileRule> rules, const View& view,
                    const std::vector<Action>& hint);

// The optimum of Guo's model, carried out by the rules (match/thesis_plan.cpp).
TurnPlan plan_thesis(const AgentSpec& spec, const View& view);

// Carries out an action about which chance does not decide and returns what it counted. Throws `Undecided` if chance
// decides, and `Declined` if the action is not legal.
Account apply_certain(State& state, const Rules& rules, Action action);
// The index of the first action that reveals something. Only the last action may depend on chance.
std::optional<int> first_reveal(State state, const Rules& rules, std::span<const Action> actions);

}  // namespace planner::match
