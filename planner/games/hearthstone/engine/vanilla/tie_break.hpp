// The tie-break among the best turns from a vanilla state, for turns that were searched state by state.
//
// Among turns of equal score in which our hero lives or dies alike and which have equally many actions, the one with
// the lexicographically smallest digits is chosen. The digits are, for each card in hand order, 0 if it is played and 1
// if not; then, for each unit (board, hand, hero) and each of its attacks, the index of the target: enemy minions in
// board order, the enemy hero, no attack. The vanilla solver and planner/games/hearthstone/turn/exact_model.py use the
// same.
#pragma once

#include <functional>
#include <vector>

#include "search/limit.hpp"
#include "search/search.hpp"

namespace planner::vanilla {

using namespace rules;
using namespace search;

// How a best turn can continue from a state.
struct Continuation {
    struct Next {
        Action action;
        State state;
        TurnScore score;  // of the rest after the action
    };
    bool is_solved = false;  // `rest` is the best rest by the digits
    std::vector<Action> rest;
    std::vector<Next> next;  // otherwise every action that starts a best rest; none: end the turn
};

// Returns the continuations from a state with the score of its best rest; units and targets are compared in the given
// order.
using Continue = std::function<Continuation(const State&, const TurnScore&, const std::vector<Id>& unit_order)>;

// Returns the chosen turn from a vanilla state whose best rest has this score, in its canonical order. Empty `found`
// where the limit was reached.
struct TieBreak {
    bool found = false;
    std::vector<Action> actions;
};
TieBreak break_ties(const Turn& turn, const State& state, const TurnScore& score, const Continue& continue_from,
                    Limit& limit);

}  // namespace planner::vanilla
