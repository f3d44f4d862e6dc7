// The agents that the engine can play: the counterparts of planner/agents/planner_agent.py and of
// planner/games/hearthstone/hearthstone_agents.py. They make the same decisions.
#pragma once

#include <exception>
#include <memory>
#include <span>
#include <vector>

#include "match/view.hpp"
#include "search/score.hpp"

namespace planner::match {

// Thrown where only the Python driver can continue: a plan needs a solver, or a number is too large. The whole match is
// then played by Python.
struct Declined : std::exception {};

enum class AgentKind : uint8_t { random, greedy, planner };
enum class Formulation : uint8_t { exact, thesis, thesis_every_minion };

// How to make an agent. Everything below `mulligan_cost` is for planners.
struct AgentSpec {
    AgentKind kind = AgentKind::random;
    int32_t mulligan_cost = 0;  // the mulligan replaces cards that cost more; not used by the random agent
    Formulation formulation = Formulation::exact;
    search::Weights weights;
    bool take_lethal = false;
    search::Weights win_weights;  // with take_lethal: for a turn in which a win is certain
    std::vector<search::ProfileRule> rules;
    uint64_t effort = 0;  // states to search; 0: no limit
};

class Agent {
  public:
    virtual ~Agent() = default;

    // Whether the mulligan replaces this card.
    virtual bool replaces(const HandCard& hand_card) const = 0;
    // Returns a legal action, with the ids of the match.
    virtual Action decide(const State& match, const Rules& rules) = 0;
    // The actions that the last decision carries out together, see `apply_batch`. Empty: the decision is one action.
    virtual std::span<const Action> batch() const { return {}; }
    // Whether the last decision took a new plan; otherwise it was a step of an earlier plan.
    virtual bool planned() const { return true; }
};

// The value of a state for the player to move, as hearthstone_agents.py counts it.
int64_t state_value(const State& state);

std::unique_ptr<Agent> make_agent(const AgentSpec& spec, uint64_t seed);

bool is_legal(const State& state, const Rules& rules, Action action);

}  // namespace planner::match
