// The exact best rest of a turn in which only bodies are left to play and to fight.
#pragma once

#include <cstdint>
#include <vector>

#include "search/limit.hpp"
#include "search/score.hpp"

namespace planner::vanilla {

using namespace rules;
using namespace search;

// Can no action of the rest of this turn do more than a plain play of a body or a plain blow? Derived from the state;
// what is not known to be plain is not.
bool only_bodies(const Turn& turn, const State& state);

// The best rest of the turn. `worth` is what is still to be earned: by the actions and at the end. Among equals our hero
// lives, then there are fewer actions, then come the digits of turn/exact_model.py. Where not `proved`, the actions are
// the best that were found (none, where `worth` is that of ending the turn at once) and nothing is worth more than `bound`.
struct BodiesPlan {
    int64_t worth = 0, bound = 0;
    bool hero_lives = true, proved = false;
    std::vector<Action> actions;  // in a legal order
};

// Prunes that a test switches off one by one.
enum Prune : uint32_t {
    PRUNE_BY_BOUND = 1u << 0,      // options and choices that cannot be better than the best known
    PRUNE_BY_PRICES = 1u << 1,     // the bound by prices for attackers from a linear program
    PRUNE_DOMINATED = 1u << 2,     // wounds that gain nothing; of choices that use the same, the best
    PRUNE_ALL = 7,
};

// From any state of the turn for which `only_bodies` holds.
// `unit_order` is the order of the units in the tie-break, where the turn began before `state`.
BodiesPlan plan_bodies(const Turn& turn, const State& state, Limit& limit, uint32_t prunes = PRUNE_ALL,
                       const std::vector<Id>* unit_order = nullptr);

}  // namespace planner::vanilla
