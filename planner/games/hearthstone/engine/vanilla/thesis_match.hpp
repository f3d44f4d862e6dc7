// Whole matches in which both players solve Guo's model and carry it out as section 6.5 prints.
#pragma once

#include "vanilla/thesis.hpp"

namespace planner::vanilla {

// Returns the actions of a choice that section 6.5 carries out: cards in the order of the hand while there is mana and
// room, then every attack of a minion that may still attack, by attacker and target, also on a dead target.
// With `skip_dead`, attacks on and by minions that the earlier ones have killed are left out.
std::vector<Action> printed_actions(const State& state, const Rules& rules, const ThesisChoice& choice,
                                    bool skip_dead = false);

struct ThesisMatch {
    int winner = -1;     // the seat; -1: a draw
    int32_t rounds = 0;  // as section 6.5 counts turns: a win of the second player counts one more
    int32_t turns = 0, several_optima = 0;
};

struct ThesisMatchOptions {
    ThesisReading reading;
    bool skip_dead = false;
    bool count_optima = false;  // fill `several_optima`, which takes twice as long
};

// Plays on from the start of a turn. `weights` are by seat. Returns false where a turn of the model does not decompose.
bool play_thesis_match(const State& start, const Rules& rules, const Weights (&weights)[2],
                       const ThesisMatchOptions& options, ThesisMatch& match);

}  // namespace planner::vanilla
