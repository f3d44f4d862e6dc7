// What can be done to one enemy minion: every set of attackers that may fall on it, with the exact outcome.
#pragma once

#include <vector>

#include "vanilla/attackers.hpp"

namespace planner::vanilla {

using namespace rules;
using namespace search;

// Attackers as bits against an enemy minion and its second life, if it has one. `value` counts all but what becomes of
// attackers with two blows, since that depends on both.
struct Option {
    Value value;
    uint32_t uses = 0, again = 0;       // who strikes it at all, and who twice
    uint32_t second = 0, second_twice = 0;  // those of them who strike its second life, and who both times
    int16_t deaths = 0, board_deaths = 0;  // of attackers with one blow: of all, and of those who are not from the hand
    int16_t heals = 0, heals_enemy = 0;  // our hero, by lifesteal; the enemy's, by attackers with one blow
    bool dead = false;                  // for good
    bool past_guards = false;           // no guard is left of it
    bool on_guards = false;             // only lives that guard are struck
};

struct Fights {
    std::vector<std::vector<Option>> targets;  // for each enemy minion its options, to leave it alone first
    uint32_t double_blows = 0;                 // the attackers with two blows
};

constexpr size_t MOST_OPTIONS = 200'000;

// False where there are too many.
bool list_options(const Bodies& bodies, bool prune, Fights& fights);

}  // namespace planner::vanilla
