// An order in which the chosen plays and attacks of a vanilla turn are legal. The procedure is the same as in
// planner/games/hearthstone/turn/legal_order.py, over the compiled rules.
#pragma once

#include "search/limit.hpp"
#include "vanilla/endings.hpp"

namespace planner::vanilla {

// One attack of a chosen turn, and its attacker as the attacker's own earlier attacks have left it.
struct ChosenAttack {
    int unit;    // index in `ChosenTurn::units`
    int number;  // 0 for the unit's first attack
    int target;  // index in `ChosenTurn::lives`, or their number for the enemy hero
    int32_t attack;
    uint32_t keywords;
    bool dies;            // the attacker, for good
    int32_t heals_enemy;  // the enemy hero, by lifesteal of the target
};

struct ChosenUnit {
    Id id;
    bool is_played;  // from the hand in this turn
    int32_t attack;  // attack and keywords at the start of the turn
    uint32_t keywords;
    bool may_change;  // attack and keywords may change during the turn
};

// What is done in a vanilla turn, in no order between different units.
struct ChosenTurn {
    std::vector<Life> lives;
    std::vector<ChosenUnit> units;      // board, hand, hero
    std::vector<ChosenAttack> attacks;  // by unit, then by number
    std::vector<Id> plays;              // in hand order
    int32_t damage_taken = 0;           // by our hero
    bool hero_lives = true;             // ours, at the end
};

struct OrderedTurn {
    bool found = false;
    int64_t score = 0;  // earned from the state on, with the end
    bool hero_lives = true;
    std::vector<Action> actions;
};

// The turn that the packing has chosen.
ChosenTurn chosen_turn(const VanillaTurn& vanilla, const Fights& fights, const Choice& choice);

// The same actions as in this legal sequence.
ChosenTurn chosen_turn(const Turn& turn, const State& state, const std::vector<Action>& actions);

// Returns the first order that earns `claimed`; where there is none, the order that earns most, if any is legal. It
// depends only on what is chosen, not on the method that chose it. That order may hit another life of a reborn minion
// than the chosen one. Since the tie-break compares lives, there must then be an order with the same score that hits
// the chosen ones: otherwise nothing is found.
OrderedTurn find_legal_order(const Turn& turn, const State& state, const ChosenTurn& chosen, int64_t claimed,
                             Limit& limit);

// Applies an action of a vanilla turn, and returns what it earns, whatever comes after it.
int64_t apply_vanilla(const Turn& turn, State& state, Action action);

}  // namespace planner::vanilla
