// Finds the best turn by visiting every state that the turn can lead to, each once.
//
// docs/explanation/formulation.md, "Why a plan is optimal", has the argument.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "rules/rational.hpp"
#include "search/score.hpp"

namespace planner::search {

// The search does not look beyond this number of actions. It proves nothing for a turn that can be longer.
constexpr int MAX_ACTIONS = 100;

// Why a search stopped; in the order of _STOPPED in turn/native.py.
enum class Stopped : uint8_t { finished, time_limit, effort_limit, action_limit };

// A state takes about 0.5 KB: without a limit of its own, no search takes more than about 2.5 GB.
constexpr uint64_t MAX_STATES = 5'000'000;

struct Limits {
    double seconds = 0;   // 0: no limit
    uint64_t states = 0;  // 0: MAX_STATES
};

// Techniques that make the search faster. Tests compare searches with and without each.
enum Technique : uint32_t {
    MERGE_STATES = 1u << 0,   // visit equal states once
    MERGE_ACTIONS = 1u << 1,  // try one of several equivalent actions
    SOLVE_VANILLA = 1u << 2,  // solve vanilla turns with the vanilla solver
    PRUNE_STATES = 1u << 3,   // skip states whose bound is below the best score
    ALL_TECHNIQUES = MERGE_STATES | MERGE_ACTIONS | SOLVE_VANILLA | PRUNE_STATES,
};

// How good a turn, or the rest of one, is. The score decides, then the survival of the own hero, then the number of
// actions: fewer are better.
struct TurnScore {
    Rational score;
    bool hero_lives = false;
    int32_t actions = 0;
    bool feasible = false;  // false: no way to end the turn satisfies the hard rules

    bool better_than(const TurnScore& other) const {
        if (!feasible || !other.feasible) return feasible && !other.feasible;
        if (score != other.score) return other.score < score;
        if (hero_lives != other.hero_lives) return hero_lives;
        return actions < other.actions;
    }
    bool operator==(const TurnScore&) const = default;
};

struct RankedTurn {
    TurnScore score;
    std::vector<Action> actions;
};

struct SearchResult {
    std::vector<RankedTurn> turns;  // best first, at most as many as the query wants
    Stopped stopped = Stopped::finished;
    bool pruned = false;            // some states were skipped because their bound is below the best score
    bool all_outcomes = true;       // every outcome of chance was listed
    uint64_t states = 0;            // visited
    std::optional<Rational> bound;  // if the search stopped early: no turn has a higher score
    uint64_t compared = 0;          // states whose bound was compared with the true score
    Rational excess;                // the largest amount by which a true score exceeds its bound; 0 if none does
};

// How an action with several outcomes counts: by the average or by the worst outcome.
enum class ChanceMode : uint8_t { Expected, Pessimistic };

struct Query {
    int turns = 1;
    ChanceMode chance_mode = ChanceMode::Expected;
    Limits limits;
    uint32_t techniques = ALL_TECHNIQUES;
    std::vector<Action> hint;    // a good turn to start from
    bool break_ties = true;      // false: any turn with the best score will do
    bool compare_bound = false;  // for tests: compare bound and true score at every state
};

SearchResult best_turns(const Turn& turn, const Query& query);

}  // namespace planner::search
