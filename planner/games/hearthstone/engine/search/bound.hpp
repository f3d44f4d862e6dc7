// An upper bound on what the rest of a turn can score.
//
// docs/explanation/formulation.md, "The bound", shows that no rest scores more.
// tests/games/hearthstone/engine/test_bound.py compares the two at every state of a turn.
#pragma once

#include <optional>

#include "search/upside.hpp"

namespace planner::search {

// The turns that a bound is about: all, or those that leave the enemy hero alive, or those that kill it.
enum class EnemyHero : uint8_t { any, survives, dies };

// What damage to the enemy hero pays beyond what it earns: every choice gives a bound. A turn that kills the hero needs
// enough damage, so each point may pay for a part of the death: its share, as much as makes it equal to damage to
// minions, or more than the whole death, which is lowest where any damage is missing. And the attacks on the hero end
// with its death, so they cannot deal much more damage than it has health: `capped` pays for all of that in advance.
enum class HeroPrice : uint8_t { none, share, like_minions, prohibitive, capped };

class Bound {
  public:
    static constexpr int64_t AS_LOW_AS_POSSIBLE = INT64_MIN;

    Bound(const Turn& turn, EnemyHero ending, HeroPrice price);

    // Returns a number that no rest of the turn from this state exceeds, or nothing if no bound is known.
    // It tries prices of kills until the bound is below `needed`; with nothing, it tries only those of the turn.
    std::optional<Rational> upper_bound(const State& state, std::optional<int64_t> needed = AS_LOW_AS_POSSIBLE) const;

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
        int64_t extra_health = 0;  // that effects may give it before the attack
        Wide survival = 0;         // its score at the end if it survives
        Wide second_life = 0;      // its score at the end if it dies and is reborn
        Wide health_point = 0;     // of that, for each point of its health
    };
    // What an attack can add, by what happens to its attacker.
    struct AttackValues {
        Wide unsaved, mended, saved, shielded;
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
    // their attack, by more health or for certain, or if their attack does not hurt them.
    struct OwnAttacks {
        Wide total = 0;
        Gain mends, saves, shields;
        int64_t strongest = 0;  // the highest attack
    };
    struct Prospects;
    static constexpr Wide ANY_WILL_DO = Wide{1} << 120;  // more than any bound
    std::optional<Wide> sum(const State& state, Wide needed) const;
    void choose_prices();
    // The most damage that one enemy minion can take; by default no limit.
    struct MostDamage {
        int64_t by_attacks = MAX_AMOUNT, by_effects = MAX_AMOUNT;
    };
    MostDamage most_damage(const Prospects& prospects) const;
    int64_t strongest_attack(const State& state) const;
    bool capped_holds(const Prospects& prospects) const;
    std::optional<Wide> lowest_sum(const Prospects& prospects, Reach reach, Wide needed) const;
    std::optional<Wide> sum_at_prices(const Prospects& prospects, Reach reach, uint32_t raised,
                                      Wide* unpaid = nullptr) const;
    Enemies price_enemies(const Prospects& prospects, Reach reach, uint32_t raised) const;
    AttackValues best_attack(const Enemies& enemies, const Attacker& attacker) const;
    int64_t damage_to_kill(const Hero& hero) const;
    Wide as_they_are(const State& state, const Enemies& enemies, const Upside& everything, Wide lethal_share) const;
    OwnAttacks own_attacks(const State& state, const Enemies& enemies, const Upside& everything) const;
    bool collect(const State& state, Upside& table, Budget& budget) const;
    // upside_reactions.cpp
    static ActionCounts count_actions(const State& state, const Upside& table, const Budget& budget);
    void count_actions_of_turn(int64_t max_attacks);
    void add_reactions(const State& state, const Budget& budget, Upside& table) const;
    // upside_returns.cpp
    bool add_returned_minions(const Upside& table, Budget& budget) const;
    template <class Value>
    static Wide best_purchases(const Budget& budget, const Value& value);

    const Turn& turn_;
    EnemyHero ending_;
    HeroPrice hero_price_;
    Wide lethal_ = 0;              // what the death of the enemy hero adds in these turns
    mutable UpsideTable upsides_;  // it computes upsides when they are needed
    UpsidePrices prices_;
    bool bounded_ = true;
};

}  // namespace planner::search
