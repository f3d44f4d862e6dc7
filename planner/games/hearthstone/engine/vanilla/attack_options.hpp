// The options against one enemy minion: every set of attackers that may attack it, with the exact outcome.
#pragma once

#include <vector>

#include "vanilla/attackers.hpp"

namespace planner::vanilla {

// A set of attackers, as bits, against an enemy minion and its second life, if it has one. `value` leaves out the fate
// of attackers with two hits, since that depends on both.
struct Option {
    Value value;
    uint32_t uses = 0, again = 0;           // attackers that hit it, and those that hit it twice
    uint32_t second = 0, second_twice = 0;  // those that hit its second life, and those that hit it twice
    int16_t deaths = 0, board_deaths = 0;   // of attackers with one hit: of all, and of those on the board
    int16_t heals = 0, heals_enemy = 0;     // healing of our hero; of the enemy hero, by attackers with one hit
    int16_t taunt_room = 0;                 // in a fight with a taunt minion: deaths less attackers from the hand
    bool dead = false;                      // for good
    bool past_taunts = false;               // it protects nothing any more
    bool on_taunts = false;                 // only lives with taunt are hit
};

struct Fights {
    std::vector<std::vector<Option>> targets;  // the options of each enemy minion; the first leaves it alone
    uint32_t double_attackers = 0;             // the attackers with two hits
};

constexpr size_t MAX_OPTIONS = 200'000;

// Returns false where there are too many.
bool list_options(const VanillaTurn& vanilla, bool prune, Fights& fights);

}  // namespace planner::vanilla
