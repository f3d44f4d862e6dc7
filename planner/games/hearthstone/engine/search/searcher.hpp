// The state of one search. Internal to the search.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "rules/chance.hpp"
#include "search/bound.hpp"
#include "search/key.hpp"
#include "search/limit.hpp"
#include "search/memo.hpp"
#include "search/search.hpp"
#include "vanilla/tie_break.hpp"

namespace planner::search {

// Thrown when a limit is reached.
struct LimitReached {
    Stopped reason;
};

// Adds to a score what actions before it earned.
inline TurnScore plus(TurnScore rest, int64_t earned, int32_t actions) {
    if (rest.feasible) {
        rest.score = rest.score + Rational(earned);
        rest.actions += actions;
    }
    return rest;
}

// Bounds that hold for the same turns. To make one takes as long as many states, and often the first is enough.
class BoundFamily {
  public:
    BoundFamily(const Turn& turn, EnemyHero ending, std::initializer_list<HeroPrice> prices)
        : turn_(turn), ending_(ending), prices_(prices) {
        made_.reserve(prices.size());
        for (size_t index = 0; index < prices.size(); ++index) order_.push_back(index);
    }
    size_t size() const { return prices_.size(); }
    // The bounds in the order in which to try them.
    const Bound& operator[](size_t number) {
        const size_t index = order_[number];
        while (made_.size() <= index) {
            made_.emplace_back(turn_, ending_, prices_[made_.size()]);
            const auto bound = made_.back().upper_bound(turn_.start);
            if (bound && (!at_start_ || *bound < *at_start_)) at_start_ = bound;
        }
        return made_[index];
    }
    // The lowest of the bounds that were made, at the start of the turn.
    const std::optional<Rational>& at_start() const { return at_start_; }
    // Tries this one first from now on: what has pruned one state often prunes the next one.
    void move_to_front(size_t number) {
        std::rotate(order_.begin(), order_.begin() + number, order_.begin() + number + 1);
    }

  private:
    const Turn& turn_;
    EnemyHero ending_;
    std::vector<HeroPrice> prices_;
    std::vector<size_t> order_;
    std::vector<Bound> made_;
    std::optional<Rational> at_start_;
};

class Searcher {
  public:
    Searcher(const Turn& turn, const Query& query)
        : turn_(turn), query_(query), key_options_(key_options(turn)), started_(Limit::Clock::now()) {
        using enum HeroPrice;
        // A new minion takes the first reserved id that nothing has, so which ids are there matters.
        const bool has_reserved_ids = turn.start.reserved_ids && !turn.start.reserved_ids->empty();
        key_options_.every_id = has_reserved_ids || !turn.hard_rules.banned.empty();
        Weights others = turn.weights;
        others.lethal = others.board_clear = 0;
        if (std::ranges::all_of(TERMS, [&](auto term) { return others.*term == 0; }))
            highest_score_ =
                Rational(std::max<int64_t>(0, turn.weights.lethal) + std::max<int64_t>(0, turn.weights.board_clear));
        const bool by_ending = turn.weights.lethal > 0;
        bounds_.emplace_back(turn, by_ending ? EnemyHero::survives : EnemyHero::any,
                             std::initializer_list{none, capped});
        if (by_ending)
            bounds_.emplace_back(turn, EnemyHero::dies,
                                 std::initializer_list{prohibitive, none, share, like_minions, capped});
    }

    SearchResult run();

  private:
    // What one action earns. If chance decides its outcome, the turn ends with it and `rest` is its value.
    struct Step {
        int64_t earned = 0;
        TurnScore rest;
        bool exact = true;  // false: the outcomes were not listed, and `rest` is only an upper bound
    };
    // The best rest of the turn from a state: its score or, if it was pruned, an upper bound on it.
    struct Rest {
        TurnScore score;
        bool exact = true;
    };

    // For each family of bounds, one on the score of every whole turn that goes through a state; nothing if none is
    // known. It also holds for the states that follow.
    using TurnBounds = std::array<std::optional<Rational>, 2>;
    // The state before the one that is visited.
    struct Before {
        KnownKeys known;
        const TurnBounds& bounds;
    };

    // search.cpp
    void count_state();
    int64_t earned_by(const State& before, Action action, const Account& account) const;
    TurnScore evaluate(const State& state) const;
    template <class Run, class ValueOf>
    TurnScore over_outcomes(const State& from, RunBudget own, Run run, ValueOf value_of, bool& complete);
    TurnScore end_turn(const State& state);
    TurnScore expected_rest(const State& before, Action action, bool& complete);
    bool apply(const State& before, Action action, State& state, Step& step, const int64_t* earned = nullptr);
    void candidate_actions(const State& state, const Keys& keys, std::vector<Action>& actions) const;
    Rest solve(const State& state, int64_t earned, const Before* before = nullptr);
    void consider(int64_t earned, const TurnScore& rest);
    bool has_bound(const State& state);
    std::optional<Rational> lowest(BoundFamily& bounds, const State& state, const int64_t* earned) const;
    std::optional<Rational> upper_bound(const State& state, const int64_t* earned = nullptr);
    bool can_prune(const Rational& upper_bound, int64_t earned) const;
    bool prunes_states() const;
    bool prune(const State& state, int64_t earned, TurnBounds& bounds, Rest& rest);
    void compare_bound(const std::optional<Rational>& upper_bound, const TurnScore& truth);
    int64_t least_useful_score(int64_t earned) const;
    bool is_vanilla(const State& state) const;
    bool solve_vanilla(const State& state, Rest& rest, int64_t earned);
    bool solve_vanilla(const State& state, std::vector<Action>& actions, const std::vector<Id>* unit_order = nullptr);
    bool solve_vanilla_turn();
    void beam_search(size_t width);
    void warm_start(const std::vector<Action>& hint);
    void bound_after_limit();
    void keep_best_found();
    Limit time_left(double share = 1) const;

    // chance_bound.cpp
    std::optional<Rational> last_action_bound(const State& before, Action action, int64_t earned);
    std::optional<Rational> split_damage_bound(const State& state, const Account& account, Action action,
                                               const State& before, const Undecided& choice) const;

    // ranking.cpp
    vanilla::Continuation continuations(const State& state, const TurnScore& rest, const std::vector<Id>& unit_order);
    bool break_ties(const State& state, const TurnScore& rest, std::vector<Action>& actions);
    void reconstruct(State state, TurnScore rest, std::vector<Action>& actions);
    bool find_legal_order(const State& state, const std::vector<Action>& left, const TurnScore& rest,
                          std::vector<Action>& order, std::set<Key>& failed);
    void find_next_best(std::vector<RankedTurn>& turns);

    const Turn& turn_;
    const Query& query_;
    KeyOptions key_options_;
    Limit::Clock::time_point started_;
    Memo memo_;
    using ChanceKey = std::pair<Key, ActionKey>;  // of a state and an action
    std::map<ChanceKey, TurnScore> expected_rests_;
    SearchResult result_;
    RunBudget* budget_ = nullptr;  // of the action whose outcomes are being listed
    std::vector<Action> path_;     // to the state that is being visited
    RankedTurn best_;
    // The first family holds for all turns or, if lethal counts, if the enemy hero survives; the second if it dies.
    std::vector<BoundFamily> bounds_;
    size_t first_family_ = 0;                // by which a state is most likely to be kept
    std::optional<Rational> highest_score_;  // if nothing but a kill and an empty board counts
    bool beam_done_ = false;
};

}  // namespace planner::search
