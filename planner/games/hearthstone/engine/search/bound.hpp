// An upper bound on what the rest of a turn can score.
//
// docs/explanation/formulation.md, "The bound", shows that no rest scores more.
// tests/games/hearthstone/engine/test_bound.py compares the two at every state of a turn.
#pragma once

#include <optional>

#include "search/upside.hpp"

namespace planner::search {

class Bound {
  public:
    // With `lethal_by_damage`, every point of damage to the enemy hero pays for its part of the hero's death, so the
    // bound is low where the hero cannot be killed any more. Otherwise the death is included from the start, so the
    // bound is low where more than enough damage is possible.
    Bound(const Turn& turn, bool lethal_by_damage);

    // Returns a number that no rest of the turn from this state exceeds, or nothing if no bound is known.
    std::optional<Rational> upper_bound(const State& state) const;

  private:
    struct Enemies;
    struct Budget;
    // How an attack counts; see `best_attack`.
    struct Attacker {
        int64_t power = 0;
        bool removes = false;              // its damage removes a minion
        bool only_minions = false;         // it cannot attack the hero
        bool retaliation_certain = false;  // the attack of its target cannot change before the attack
        bool survives = true;              // it survives every attack, or its survival does not count
        int32_t health = 0;
        Wide survival = 0;  // its score at the end if it survives
    };
    std::optional<Wide> sum(const State& state) const;
    void choose_prices(bool lethal_by_damage);
    Enemies price_enemies(const State& state) const;
    Wide best_attack(const Enemies& enemies, const Attacker& attacker) const;
    int64_t damage_to_kill(const Hero& hero) const;
    Wide as_they_are(const State& state, const Enemies& enemies, Wide lethal_share) const;
    Wide own_attacks(const State& state, const Enemies& enemies, bool protects, int64_t& strongest) const;
    bool collect(const State& state, Upside& table, Budget& budget) const;
    template <class Value>
    static Wide best_purchases(const Budget& budget, const Value& value);

    const Turn& turn_;
    UpsideTable upsides_;
    UpsidePrices prices_;
    bool bounded_ = true;
};

}  // namespace planner::search
