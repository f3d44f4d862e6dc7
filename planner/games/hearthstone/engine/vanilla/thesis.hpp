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

// How the printed rows are read. The defaults are the program of Guo 2025, section 6.3.
struct ThesisReading {
    bool every_minion = false;            // rows (1) and (5) also hold for minions played this turn
    bool survival_on_board_only = false;  // W5 counts the minions on the board, as 4.3 prints the objective
    bool ceiling = false;                 // rows (2) and (3) with the printed ceiling: any damage kills
    // The tie-break among equal optima.
    bool most_actions = false;    // most actions instead of fewest
    bool last_of_equals = false;  // then the latest cards and targets instead of the earliest
};

// Returns false where the model does not decompose: a negative weight, windfury, or too many minions that can attack.
bool best_thesis_choice(const Turn& turn, const ThesisReading& reading, ThesisChoice& choice);

}  // namespace planner::vanilla
