// A Lagrangian bound: prices for attackers, for board slots and for damage to the enemy hero, at which every target
// chooses its best option for itself. The sum bounds every legal choice, whatever the prices. Good prices are the duals
// of a linear program. They are computed in floating point and rounded, and the bound is then computed in integers, so
// only the speed depends on floating point.
#pragma once

#include <span>
#include <vector>

#include "vanilla/endings.hpp"

namespace planner::vanilla {

// A kind of turn: for each enemy minion the options to choose from, and how the turn ends.
using Groups = std::vector<std::vector<const Option*>>;
struct Scenario {
    std::span<const std::vector<const Option*>> groups;
    int64_t bonus = 0;
    bool face = true, lethal = false;
};

// An attacker with one hit has a price. An attacker with two has a price at each target, for one hit and for both, and
// chooses its best path.
struct VanillaPrices {
    int64_t attacker[MAX_ATTACKERS];  // with two hits: the price of its card, where it comes from the hand
    // Of attackers with two hits, by life.
    int64_t at[MAX_ATTACKERS][MAX_LIVES], twice_at[MAX_ATTACKERS][MAX_LIVES];
    // Damage to the enemy hero: needed to kill him, allowed before the last hit, and the last hit itself. Damage has a
    // price in units of one point and of several: what is needed is rounded up to whole units and what is allowed is
    // rounded down, for each hit and for the hero alike, so the sums hold as well, and are often tighter.
    static constexpr int MAX_UNITS = 8;
    int units = 1;
    int64_t unit[MAX_UNITS], needed[MAX_UNITS], allowed[MAX_UNITS], last = 0;
    // Board slots: any; on a full board the first, which only a minion on the board can free; and those for minions
    // that are played to fight taunt minions, which only deaths in such fights free.
    int64_t slot = 0, first_slot = 0, taunt_slot = 0;
    static constexpr int PARTS = MAX_ATTACKERS / 8;
    int64_t sums[PARTS][256];  // of attackers' prices, by groups of eight bits

    // All prices are 0. Only the prices of so many attackers and lives are used, and set: the tables are large.
    void clear(int attackers, int lives);
    void sum_up(int attackers);
    int64_t of_needed(int64_t damage) const {
        int64_t sum = 0;
        for (int index = 0; index < units; ++index) sum += needed[index] * ((damage + unit[index] - 1) / unit[index]);
        return sum;
    }
    int64_t of_allowed(int64_t damage) const {
        int64_t sum = 0;
        for (int index = 0; index < units; ++index) sum += allowed[index] * (damage / unit[index]);
        return sum;
    }
    int64_t of_healing(int64_t amount) const { return allowed[0] * amount; }  // then there is but one unit
    int64_t of(uint32_t bits) const {
        static_assert(PARTS == 3);
        return sums[0][bits & 255] + sums[1][bits >> 8 & 255] + sums[2][bits >> 16];
    }
    int64_t doubles(const Option& option, uint32_t bits, int first_life) const {
        int64_t paid = 0;
        for (; bits; bits &= bits - 1) {
            const int number = __builtin_ctz(bits);
            const bool again = option.again >> number & 1, second = option.second >> number & 1,
                       second_twice = option.second_twice >> number & 1;
            if (again && second == second_twice) {
                paid += twice_at[number][first_life + second];
                continue;
            }
            paid += at[number][first_life + second];
            if (again) paid += at[number][first_life + second_twice];
        }
        return paid;
    }
    // What is left of an option's score after its prices.
    int64_t left(const Option& option, uint32_t double_attackers, int first_life) const {
        const uint32_t twice = option.uses & double_attackers;
        return option.value.score - of(option.uses & ~double_attackers) -
               (twice ? doubles(option, twice, first_life) : 0) + slot * option.deaths +
               (option.board_deaths ? first_slot : 0) + taunt_slot * option.taunt_room + of_healing(option.heals_enemy);
    }
    int64_t left(const Hand& hand) const {
        return hand.value.score + of(hand.attackers) - slot * hand.count - (hand.count ? first_slot : 0);
    }
};

// What a hit on the enemy hero counts for at the prices beside its score: as the last, or as one that leaves him alive.
// NO_HIT where it can be neither. It is one of the attacker's `hits` on the hero; if the attacker attacks again, the
// hero is alive.
constexpr int64_t NO_HIT = INT64_MIN / 4;
int64_t in_its_role(const VanillaTurn& vanilla, const Endings& endings, const VanillaPrices& prices,
                    const Scenario& scenario, int attacker, int hits = 1, bool goes_on = false);

// The scores of the paths of an attacker with two hits at the prices, by its hits so far.
struct PathTops {
    Value unused;              // no hit so far: the best of all paths
    std::vector<Value> begun;  // by the target of one hit: the best of the paths with that hit
    std::vector<Value> done;   // by both targets, in order

    void find(const VanillaTurn& vanilla, const Endings& endings, const VanillaPrices& prices, const Attacker& attacker,
              const Scenario& scenario);
};

// Finds prices that make the bound small, within a number of pivots.
void find_prices(const VanillaTurn& vanilla, const Fights& fights, const Endings& endings,
                 const std::vector<Hand>& hands, const Scenario& scenario, bool scarce, VanillaPrices& prices);

}  // namespace planner::vanilla
