// The attackers of a vanilla turn, and what each path of hits makes of its attacker.
//
// The enemy does not act in our turn, so a target hits back with the same force every time, and the fate of an attacker
// depends on its own hits alone. The effect on the targets is computed in attack_options.
#pragma once

#include <cstdint>
#include <vector>

#include "search/score.hpp"

namespace planner::vanilla {

using namespace rules;
using namespace search;

// A score and its tie-break: among equal scores the greater `tie` is better.
struct Value {
    int64_t score = 0;
    __int128 tie = 0;
    Value operator+(const Value& other) const { return {score + other.score, tie + other.tie}; }
    Value operator-(const Value& other) const { return {score - other.score, tie - other.tie}; }
    Value& operator+=(const Value& other) { return score += other.score, tie += other.tie, *this; }
    bool operator>(const Value& other) const { return score != other.score ? score > other.score : tie > other.tie; }
    bool operator<=(const Value& other) const { return !(*this > other); }
};

// One life of an enemy minion. Reborn gives a minion a second one.
struct Life {
    Minion minion;
    int position;  // on the enemy board
    bool second;
    bool taunts;  // protects the other targets while it is alive
    bool reachable() const { return !(minion.keywords & (STEALTH | IMMUNE)); }
    bool shielded() const { return minion.keywords & DIVINE_SHIELD; }
};

// What a path of hits makes of its attacker, compared with not attacking. The score of the hits is counted elsewhere.
struct Outcome {
    bool possible = false;
    bool dies = false;  // for good
    Value own;
    int32_t heals_enemy = 0;   // by lifesteal of targets that hit back
    int32_t damage_taken = 0;  // by our hero
};

// A character that can attack this turn.
struct Attacker {
    Id id;
    bool is_hero;
    int card;              // index among the playable cards; -1: on the board, or the hero
    int32_t attack;        // of each of its hits
    uint32_t keywords;     // poisonous, freeze and lifesteal of each of its hits
    int hits;              // its maximum number of hits: 1 or 2
    int number;            // its index
    const Outcome* once;   // by target
    const Outcome* twice;  // by first and second target; nullptr where it has one hit
};

// A minion in hand that can be played.
struct Playable {
    Id id;
    int32_t cost;
    Value value;   // of playing it, if it does not attack
    int attacker;  // -1: it cannot attack this turn
};

// The rest of a vanilla turn. A target is the index of a life in `lives`, or their number for the enemy hero.
constexpr int64_t MAX_REACH = 2'000;          // damage of all own hits together
constexpr int32_t MAX_ENEMY_HEALING = 1'000;  // by one hit: sums fit into 16 bits

struct VanillaTurn {
    const Turn& turn;
    const State& state;
    std::vector<Life> lives;
    std::vector<Attacker> attackers;      // board, hand, hero
    std::vector<Playable> cards;          // in hand order
    int32_t mana = 0, free_slots = 0;     // slots that are free now
    __int128 by_action = 1, by_life = 1;  // the weight of an action, and of our hero's death, in the tie-break
    bool hero_reachable = false;          // the enemy hero
    bool hero_may_die = false;            // our hero, when it attacks
    bool own_coupled = false;             // our hero's health is not a sum over hits
    bool enemy_heals = false;             // a target has lifesteal, and its healing can matter
    bool scarce = false;                  // there may be more cards to play than free slots: deaths free slots
    std::vector<Outcome> outcomes;        // the storage of `once` and `twice`
    const std::vector<Id>* unit_order;    // the order of the units in the tie-break; nullptr: board, hand, hero

    VanillaTurn(const Turn& turn, const State& state, const std::vector<Id>* unit_order = nullptr)
        : turn(turn), state(state), unit_order(unit_order) {}
    int hero_target() const { return static_cast<int>(lives.size()); }
    int targets() const { return hero_target() + 1; }
    const Outcome& twice(const Attacker& attacker, int first, int second) const {
        return attacker.twice[first * targets() + second];
    }
};

constexpr int MAX_ATTACKERS = 24, MAX_LIVES = 24, MAX_TIE_BITS = 118;

// The minion after reborn, and as it comes from the hand.
Minion reborn(const Minion& minion);
Minion from_hand(const HandCard& hand_card);

// One hit of an attacker on a life: changes the attacker. Returns false where it dies for good.
bool resolve_hit(Minion& attacker, const Minion& target, int32_t& taken);

// The lives of the enemy minions in board order, a second life right after its first.
std::vector<Life> enemy_lives(const State& state);

// Returns false where the packing does not support the turn.
bool read_vanilla_turn(VanillaTurn& vanilla);

}  // namespace planner::vanilla
