// Prices for attackers, for places on the board and for harm to the enemy hero, at which every target may choose for
// itself. What all then take, each the best for itself, bounds every legal choice (Lagrange's relaxation), whatever the
// prices. Good ones are the duals of a linear program; they come from floating point and are rounded, and the bound is
// computed anew in integers, so nothing but speed rests on the floats.
#pragma once

#include <vector>

#include "plain_endings.hpp"

namespace hearthstone {

// A kind of turn: for each enemy minion the options of which one is chosen, and how the turn ends.
struct Way {
    std::vector<std::vector<const Option*>> groups;
    int64_t bonus = 0;
    bool face = true, lethal = false;
};

struct Prices {
    int64_t attacker[MOST_FIGHTERS] = {};
    int64_t place = 0, harm = 0;
    int64_t sums[4][256];  // of attackers' prices, by eight bits

    void sum_up();
    int64_t of(uint32_t bits) const {
        return sums[0][bits & 255] + sums[1][bits >> 8 & 255] + sums[2][bits >> 16 & 255] + sums[3][bits >> 24];
    }
    int64_t of(const Option& option) const { return of(option.uses) + (option.again ? of(option.again) : 0); }
};

// Prices that make the bound small: the best found with some pivots.
void find_prices(const Bodies& bodies, const Fights& fights, const Endings& endings, const std::vector<Hand>& hands,
                 const Way& way, bool scarce, Prices& prices);

}  // namespace hearthstone
