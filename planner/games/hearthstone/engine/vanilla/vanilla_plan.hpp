// The vanilla solver: the best rest of a turn in which no card effect can matter any more.
#pragma once

#include <cstdint>
#include <vector>

#include "search/limit.hpp"
#include "search/score.hpp"

namespace planner::vanilla {

using namespace rules;
using namespace search;

// Returns whether every remaining action of this turn is a play of a minion without effects or an attack without
// effects. The answer comes from the state alone; unknown effects count as effects.
bool is_vanilla(const Turn& turn, const State& state);

// The best rest of the turn. `score` is what the actions and the end still earn. Among equal turns the tie-break of
// tie_break.hpp decides. Where not `proved`, the actions are the best that were found, and nothing scores more than
// `bound`. With `below_floor` set, no turn reaches the floor that was asked for, and the actions mean nothing.
struct VanillaPlan {
    int64_t score = 0, bound = 0;
    bool hero_lives = true, proved = false, below_floor = false;
    std::vector<Action> actions;  // in a legal order
};

// Prunes, which tests switch off one by one.
enum Prune : uint32_t {
    PRUNE_BY_BOUND = 1u << 0,   // options and choices that cannot be better than the best found
    PRUNE_BY_PRICES = 1u << 1,  // the bound by prices for attackers from a linear program
    PRUNE_DOMINATED = 1u << 2,  // hits that gain nothing; all but the best of the choices with the same attackers
    PRUNE_ALL = 7,
};

constexpr int64_t NO_FLOOR = INT64_MIN;

// Plans from any state of the turn for which `is_vanilla` holds.
// `unit_order` is the order of the units in the tie-break, where the turn began before `state`. Turns that score less
// than `floor` are of no use to the caller, so the order among them does not matter. Where the best choice of actions
// has no legal order, `one_by_one` tries the next ones. That takes longer than to search the states of most turns.
VanillaPlan plan_vanilla(const Turn& turn, const State& state, Limit& limit, uint32_t prunes = PRUNE_ALL,
                         const std::vector<Id>* unit_order = nullptr, int64_t floor = NO_FLOOR, bool one_by_one = true);

}  // namespace planner::vanilla
