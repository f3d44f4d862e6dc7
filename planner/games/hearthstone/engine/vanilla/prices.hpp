// Prices for attackers, for places on the board and for harm to the enemy hero, at which every target may choose for
// itself. What all then take, each the best for itself, bounds every legal choice (Lagrange's relaxation), whatever the
// prices. Good ones are the duals of a linear program; they come from floating point and are rounded, and the bound is
// computed anew in integers, so nothing but speed rests on the floats.
#pragma once

#include <vector>

#include "vanilla/endings.hpp"

namespace planner::vanilla {

using namespace rules;
using namespace search;

// A kind of turn: for each enemy minion the options of which one is chosen, and how the turn ends.
struct Way {
    std::vector<std::vector<const Option*>> groups;
    int64_t bonus = 0;
    bool face = true, lethal = false;
};

// An attacker with one blow has a price. One with two has a price at each target, and chooses its path for itself.
struct VanillaPrices {
    int64_t attacker[MOST_FIGHTERS] = {};  // with two blows: what its card costs, where it comes from the hand
    int64_t at[MOST_FIGHTERS][MOST_LIVES] = {};  // of those with two blows, by life
    // Harm to the enemy hero: that he dies, that he survives all blows but the last, and to be that one.
    int64_t needed = 0, action_allowed = 0, last = 0;
    // Places on the board: any, and on a full one the first, which nobody leaves who had to come in before.
    int64_t place = 0, first_place = 0;
    int64_t sums[4][256];  // of attackers' prices, by eight bits

    void sum_up();
    int64_t of(uint32_t bits) const {
        return sums[0][bits & 255] + sums[1][bits >> 8 & 255] + sums[2][bits >> 16 & 255] + sums[3][bits >> 24];
    }
    int64_t doubles(const Option& option, uint32_t bits, int first_life) const {
        int64_t paid = 0;
        for (; bits; bits &= bits - 1) {
            const int number = __builtin_ctz(bits);
            const bool second = option.second >> number & 1;
            paid += at[number][first_life + second];
            if (option.again >> number & 1)
                paid += at[number][first_life + (option.second_twice >> number & 1 ? 1 : 0)];
        }
        return paid;
    }
    // What is left of an option's worth when all is paid, and paid for.
    int64_t left(const Option& option, uint32_t double_blows, int first_life) const {
        const uint32_t twice = option.uses & double_blows;
        return option.value.worth - of(option.uses & ~double_blows) - (twice ? doubles(option, twice, first_life) : 0) +
               place * option.deaths + first_place * option.board_deaths + action_allowed * option.heals_enemy;
    }
    int64_t left(const Hand& hand) const {
        return hand.value.worth + of(hand.fighters) - place * hand.count - (hand.count ? first_place : 0);
    }
};

// What a blow on the enemy hero counts for at the prices beside its worth: as the last, or as one that leaves him alive.
// NO_BLOW where it can be neither. One who goes on has not killed him.
constexpr int64_t NO_BLOW = INT64_MIN / 4;
int64_t in_its_role(const Bodies& bodies, const Endings& endings, const VanillaPrices& prices, const Way& way, int fighter,
                    bool goes_on = false);

// What the paths of an attacker with two blows are worth at the prices, by what it has struck so far.
struct PathTops {
    Value idle;                // nobody so far: the best of all paths
    std::vector<Value> begun;  // by the one struck: the best of the paths with that blow
    std::vector<Value> done;   // by both, in order

    PathTops() = default;
    PathTops(const Bodies& bodies, const Endings& endings, const VanillaPrices& prices, const Fighter& fighter, const Way& way);
};

// Prices that make the bound small: the best found with some pivots.
void find_prices(const Bodies& bodies, const Fights& fights, const Endings& endings, const std::vector<Hand>& hands,
                 const Way& way, bool scarce, VanillaPrices& prices);

}  // namespace planner::vanilla
