// The best turn by looking at every state that the turn can lead to, each once.
//
// Why what it finds is optimal: docs/formulation.md, "Why a plan is optimal".
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "rules/rational.hpp"
#include "search/score.hpp"

namespace planner::search {

using namespace rules;

constexpr int MOST_ACTIONS = 100;  // of one turn: what lies beyond was not looked at, and nothing is proved then

enum class Stopped : uint8_t { finished, time_limit, effort_limit, action_limit };

// What may end a search early.
struct Limits {
    double seconds = 0;   // 0: none
    uint64_t states = 0;  // 0: none
};

// What can be switched off, to compare with and without.
enum Shortcut : uint32_t {
    MERGE = 1u << 0,   // equal states are one
    ALIKE = 1u << 1,   // of equal actions one is tried
    BODIES = 1u << 2,  // where only bodies are left, the solver for those answers
    BOUND = 1u << 3,   // what cannot be better by an admissible bound is left out
    EVERY_SHORTCUT = MERGE | ALIKE | BODIES | BOUND,
};

// How good the rest of a turn is: its worth; then whether our hero lives; then the fewest actions.
struct Score {
    Rational worth;
    bool lives = false;
    int32_t actions = 0;
    bool possible = false;  // false: no way to end the turn that keeps every hard rule
    bool better_than(const Score& other) const {
        if (!possible || !other.possible) return possible && !other.possible;
        if (worth != other.worth) return other.worth < worth;
        if (lives != other.lives) return lives;
        return actions < other.actions;
    }
    bool operator==(const Score& other) const {
        return possible == other.possible && worth == other.worth && lives == other.lives && actions == other.actions;
    }
};

struct FoundTurn {
    Score score;
    std::vector<Action> actions;
};

struct SearchResult {
    std::vector<FoundTurn> turns;  // the best, then the next best, as many as were asked for and exist
    Stopped stopped = Stopped::finished;
    bool left_out = false;  // some states were left out because a bound says that they cannot be better
    bool all_chances = true;  // every chance that was met was listed to its end
    uint64_t states = 0;
    Rational bound;          // where it did not finish: no turn is worth more
    bool bounded = false;    // is it known?
    uint64_t compared = 0;   // states whose bound was compared with the truth
    Rational excess;         // the most by which the truth was above a bound; 0: never
};

enum class Chances : uint8_t { expected, worst };  // what an action counts for about which chance decides

struct Question {
    int turns = 1;
    Chances chances = Chances::expected;
    Limits limits;
    uint32_t shortcuts = EVERY_SHORTCUT;
    std::vector<Action> hint;
    bool compare_bound = false;  // for tests: compare the bound with the truth at every state
};

SearchResult best_turns(const Turn& turn, const Question& question);

}  // namespace planner::search
