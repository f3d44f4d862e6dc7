// How much the rest of a turn can earn at most: an admissible bound for the search.
//
// Why it is never below the truth: docs/formulation.md, "The bound". tests/games/hearthstone/engine/test_bound.py
// compares the two at every state of a turn.
#pragma once

#include "search/gain.hpp"

namespace planner::search {

using namespace rules;

class Bound {
  public:
    explicit Bound(const Turn& turn);

    // A number that no rest of the turn from this state exceeds; false where none is known.
    bool most(const State& state, Rational& bound) const;

  private:
    struct Enemies;
    struct Purse;
    bool sum(const State& state, Wide& total) const;
    void choose_prices();
    Enemies look_at_enemies(const State& state) const;
    Wide attack(const Enemies& enemies, int64_t power, bool marks, bool only_minions, bool certain, bool safe,
                int32_t health, Wide stays) const;
    template <class Worth>
    static Wide best_purchase(const Purse& purse, const Worth& worth);
    bool open_hand(const State& state, Gain& table, Purse& purse) const;

    const Turn& turn_;
    Gains gains_;
    UpsidePrices prices_;
    bool known_ = true;
};

}  // namespace planner::search
