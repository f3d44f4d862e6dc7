// An order in which the chosen plays and blows are legal: planner/games/hearthstone/turn/legal_order.py, over the compiled rules.
#pragma once

#include "search/limit.hpp"
#include "vanilla/plain_endings.hpp"

namespace planner::vanilla {

using namespace rules;
using namespace search;

struct Ordered {
    bool found = false;
    int64_t worth = 0;  // earned from the state on, with the end
    bool lives = true;
    std::vector<Action> actions;
};

// Who strikes whom, in the caller's order of fighters: filled in for those with one blow too.
void complete_paths(const Bodies& bodies, const Fights& fights, Choice& choice);

// The first order that earns `claimed`; where there is none, the one that earns the most, if any is legal. It depends
// on what is to be done alone, not on who chose it.
Ordered order_of(const Bodies& bodies, const Choice& choice, int64_t claimed, Limit& limit);

// Is this play or attack legal in a turn of bodies?
bool legal_for_bodies(const State& state, const Rules& rules, Action action);

}  // namespace planner::vanilla
