// The optimum of the thesis's model (turn/thesis.py) without a solver, for the turns in which its rows come apart.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "search/score.hpp"

namespace planner::vanilla {

using namespace rules;
using namespace search;

// What the model chooses: friendly minions by number (board, then minions in hand), enemies by place.
struct ThesisChoice {
    int64_t objective = 0;  // claimed
    std::vector<int> plays, face;
    std::vector<std::pair<int, int>> hits;
};

// False where the turn is not of that kind: a negative weight, a board too small for all that can be paid, windfury, too
// many cards that can attack at once.
bool best_thesis_choice(const Turn& turn, ThesisChoice& choice);

}  // namespace planner::vanilla
