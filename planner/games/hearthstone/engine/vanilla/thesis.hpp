// The optimum of Guo's model (turn/thesis_program.py) without a solver, for turns in which the model decomposes.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "search/score.hpp"

namespace planner::vanilla {

using namespace rules;
using namespace search;

// A solution: friendly minions by number (board, then minions in hand), enemies by board position.
struct ThesisChoice {
    int64_t objective = 0;  // as claimed by the model
    std::vector<int> plays, face;
    std::vector<std::pair<int, int>> hits;
};

// Returns false where the model does not decompose: a negative weight, a board too small for all payable cards,
// windfury, or too many cards that can attack at once.
bool best_thesis_choice(const Turn& turn, ThesisChoice& choice);

}  // namespace planner::vanilla
