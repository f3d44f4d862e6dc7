// What the parts of the bound share. Internal to it.
#pragma once

#include "search/bound.hpp"

namespace planner::search {

inline bool taunts(const Minion& minion) { return is_visible_taunt(minion.keywords); }

// Whether the minion can attack as soon as it has attack.
inline bool is_ready(const Minion& minion) {
    return minion.attacks_left > 0 && !(minion.keywords & (FROZEN | CANNOT_ATTACK)) &&
           (!minion.fresh || minion.keywords & (CHARGE | RUSH));
}

inline bool may_have_lifesteal(const Minion& minion) {
    return ((minion.keywords | minion.card->keywords) & LIFESTEAL) != 0;
}

// The enemy minions, as far as removing them scores.
struct Bound::Enemies {
    struct Enemy {
        int64_t health, attack;
        Wide death;    // what its death is worth, apart from its lost health
        Wide point;    // what a point of damage to it is worth, up to its health
        Wide shield;   // what breaking its divine shield is worth; 0 without one
        Wide removal;  // what removing it at once adds beyond its part of `included`
        Wide healing;  // what it is worth that the attack heals the enemy hero
        bool kills;    // it kills every minion that attacks it
        bool attackable;
    };
    StaticVector<Enemy, MAX_MINIONS> list;
    bool more_can_come = false, hero_attackable = true;
    bool impossible = false;  // a minion that is removed in this case cannot be removed
    Wide standing = 0;        // the score of all of them if they stay as they are
    Wide included = 0;        // the part of all kills that the prices of damage do not cover; every bound includes it
    Wide unpaid = 0;          // by how much higher prices can lower `included`
    Wide best_hit = 0;        // the most that one hit can be worth, apart from the damage it deals
    Wide best_shield = 0, best_point = 0, best_healing = 0;
    Wide best_removal = 0, all_removals = 0;
};

// What the mana can buy: cards, echo copies, minions that come back to the hand and the hero power.
struct Bound::Budget {
    struct Purchase {
        const Upside* upside;
        Wide fixed;  // what comes with playing it
        int64_t times, cost;
    };
    static constexpr int MAX_RETURNED = 32;
    static constexpr int MAX_PURCHASES = 2 * MAX_HAND_CARDS + 1 + MAX_RETURNED;
    StaticVector<Purchase, MAX_PURCHASES> purchases;
    int64_t mana = 0;
};

// What can still happen from a state, whatever the prices and the case.
struct Bound::Prospects {
    const State& state;
    Upside table;       // of what is on the board
    Upside everything;  // if all of it happens: amounts on which the value of other upsides depends
    Budget budget;
    MostDamage most_damage;
};

}  // namespace planner::search
