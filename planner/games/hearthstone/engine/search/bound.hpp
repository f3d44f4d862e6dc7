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
    // Which enemies the attacks in the rest of the turn can reach: any, or one of two cases where visible taunt minions
    // are on the board. Either one of them remains to the end, or all of them are removed.
    enum class Reach : uint8_t { any, only_taunts, past_taunts };
    // How an attack counts; see `best_attack`.
    struct Attacker {
        int64_t power = 0;
        bool removes = false;              // its damage removes a minion
        bool only_minions = false;         // it cannot attack the hero
        bool retaliation_certain = false;  // the attack of its target cannot change before the attack
        bool survives = true;              // it survives every attack, or its survival does not count
        int32_t health = 0;
        Wide survival = 0;      // its score at the end if it survives
        Wide health_point = 0;  // of that, for each point of its health
    };
    // What something adds to the attacks of own minions: at most, for one of them and for all.
    struct Gain {
        Wide best = 0, all = 0;
        void add(Wide gain) {
            best = std::max(best, gain);
            all += gain;
        }
        Wide of(int64_t times) const { return std::min(times * best, all); }
    };
    // What the own characters and their attacks count for, and what it adds if minions survive that would die from
    // their attack, or if their attack does not hurt them.
    struct OwnAttacks {
        Wide total = 0;
        Gain saves, shields;
        int64_t strongest = 0;  // the highest attack
    };
    std::optional<Wide> sum(const State& state) const;
    void choose_prices(bool lethal_by_damage);
    Wide sum_by_reach(const State& state, const Upside& table, const Upside& everything, const Budget& budget,
                      Reach reach) const;
    Enemies price_enemies(const State& state, Reach reach) const;
    Wide best_attack(const Enemies& enemies, const Attacker& attacker) const;
    int64_t damage_to_kill(const Hero& hero) const;
    Wide as_they_are(const State& state, const Enemies& enemies, Wide lethal_share) const;
    OwnAttacks own_attacks(const State& state, const Enemies& enemies, bool protects) const;
    bool collect(const State& state, Upside& table, Budget& budget) const;
    template <class Value>
    static Wide best_purchases(const Budget& budget, const Value& value);

    const Turn& turn_;
    UpsideTable upsides_;
    UpsidePrices prices_;
    bool bounded_ = true;
};

}  // namespace planner::search
