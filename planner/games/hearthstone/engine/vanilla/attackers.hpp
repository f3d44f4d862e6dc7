// Who can fight whom in a turn of bodies, and what each path of blows makes of the one who strikes them.
//
// The enemy does not act in our turn, so a target strikes back with the same force every time, and what becomes of an
// attacker depends on its own blows alone. What the blows do to a target is the business of plain_options.
#pragma once

#include <cstdint>
#include <vector>

#include "search/score.hpp"

namespace planner::vanilla {

using namespace rules;
using namespace search;

// A worth with the tie-break below it: among equal worths the greater `tie` is the better.
struct Value {
    int64_t worth = 0;
    __int128 tie = 0;
    Value operator+(const Value& other) const { return {worth + other.worth, tie + other.tie}; }
    Value operator-(const Value& other) const { return {worth - other.worth, tie - other.tie}; }
    Value& operator+=(const Value& other) { return worth += other.worth, tie += other.tie, *this; }
    bool operator>(const Value& other) const { return worth != other.worth ? worth > other.worth : tie > other.tie; }
    bool operator<=(const Value& other) const { return !(*this > other); }
};

// One life of an enemy minion: the second is the one that reborn gives it.
struct Life {
    Minion minion;
    int place;  // on the enemy's board
    bool second;
    bool guards;  // keeps attackers from others while it lives
    bool reachable() const { return !(minion.keywords & (STEALTH | IMMUNE)); }
    bool shielded() const { return minion.keywords & DIVINE_SHIELD; }
};

// What a path of blows makes of the one who strikes them, against staying idle; blows on minions count as steps elsewhere.
struct Outcome {
    bool possible = false;
    bool dies = false;  // for good
    Value own;
    int32_t heals_enemy = 0;  // by lifesteal of those who strike back
    int32_t wounds = 0;       // what a hero loses
};

// Somebody who can strike a blow this turn.
struct Fighter {
    Id id;
    bool is_hero;
    int card;          // place among the cards that can be played; -1: on the board, or the hero
    int32_t attack;    // of every one of its blows
    uint32_t keywords;  // poisonous, freeze and lifesteal of every one of its blows
    int blows;         // the most that it can strike: 1 or 2
    int number;        // its place in the tie-break
    const Outcome* once;   // by target
    const Outcome* twice;  // by first and second target; nullptr where it has one blow
};

// A minion in hand that can be played.
struct Playable {
    Id id;
    int32_t cost;
    Value value;  // of playing it, if it then stands idle
    int fighter;  // -1: it cannot strike this turn
};

// All that the rest of a turn consists of. A target is a life by its place in `lives`, or the enemy hero after them.
struct Bodies {
    const Turn& turn;
    const State& state;
    std::vector<Life> lives;
    std::vector<Fighter> fighters;  // board, hand, hero: the caller's order
    std::vector<Playable> cards;    // in hand order
    int32_t mana = 0, room = 0;     // places that are free now
    __int128 by_action = 1, by_life = 1;  // what an action costs, and our hero's death, in the tie-break
    bool hero_reachable = false;    // the enemy's
    bool hero_may_die = false;      // ours, of its own blows
    bool own_coupled = false;       // what becomes of our hero's health is not a sum over blows
    bool enemy_heals = false;       // some target has lifesteal, and what it heals can matter
    bool scarce = false;            // there may be more cards to play than places: deaths make them
    std::vector<Outcome> outcomes;  // behind `once` and `twice`
    const std::vector<Id>* unit_order;  // the order of the units in the tie-break; nullptr: board, hand, hero

    Bodies(const Turn& turn, const State& state, const std::vector<Id>* unit_order = nullptr)
        : turn(turn), state(state), unit_order(unit_order) {}
    int hero_target() const { return static_cast<int>(lives.size()); }
    int targets() const { return hero_target() + 1; }
    const Outcome& once(const Fighter& fighter, int target) const { return fighter.once[target]; }
    const Outcome& twice(const Fighter& fighter, int first, int second) const {
        return fighter.twice[first * targets() + second];
    }
};

constexpr int MOST_FIGHTERS = 24, MOST_LIVES = 24, MOST_TIE_BITS = 118;

// Minion as it comes back by reborn, and as it comes from the hand.
Minion reborn(const Minion& minion);
Minion from_hand(const HandCard& hand_card);
bool able(const Minion& minion);

// One blow between an attacker and a life: what becomes of the attacker. False: it is dead for good.
bool strike(Minion& attacker, const Minion& target, int32_t& taken);

// The lives of the enemy minions in board order, a second life right after its first.
std::vector<Life> enemy_lives(const State& state);

// False where the turn is not of a kind that the packing is made for.
bool read_bodies(Bodies& bodies);

}  // namespace planner::vanilla
