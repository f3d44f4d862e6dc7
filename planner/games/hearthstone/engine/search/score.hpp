// What a turn is worth under a profile: planner/games/hearthstone/turn/objective.py and hardrules.py in whole numbers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

#include "rules/rules.hpp"

namespace planner::search {

using namespace rules;

// Each term's weight times the turn's scale, with the sign of the term: a worth is a plain sum of weight x amount.
struct Weights {
    int64_t lethal = 0, board_clear = 0, face_damage = 0, enemy_threat = 0;
    int64_t own_survival = 0, minion_damage = 0, damage_taken = 0, card_value = 0;
    int64_t own_health = 0, damage_to_come = 0, cards_drawn = 0, mana_unused = 0;
    int64_t weapon_durability = 0, token_worth = 0;
    int64_t own_attack = 0, own_remaining_health = 0, enemy_attack = 0, enemy_remaining_health = 0;
    int64_t own_keywords = 0, enemy_keywords = 0, cards_in_hand = 0, enemy_health = 0, overkill = 0;
};

// The terms in the order of SIGNS in turn/weights.py; a test compares the names.
inline constexpr int64_t Weights::*TERMS[] = {
    &Weights::lethal, &Weights::board_clear, &Weights::face_damage, &Weights::enemy_threat,
    &Weights::own_survival, &Weights::minion_damage, &Weights::damage_taken, &Weights::card_value,
    &Weights::own_health, &Weights::damage_to_come, &Weights::cards_drawn, &Weights::mana_unused,
    &Weights::weapon_durability, &Weights::token_worth, &Weights::own_attack, &Weights::own_remaining_health,
    &Weights::enemy_attack, &Weights::enemy_remaining_health, &Weights::own_keywords, &Weights::enemy_keywords,
    &Weights::cards_in_hand, &Weights::enemy_health, &Weights::overkill,
};
static_assert(std::size(TERMS) * sizeof(int64_t) == sizeof(Weights), "a term is missing");

struct Ratio {
    int64_t top, bottom;
};

// Hard rules of a profile. What must be kept is already no more than ending the turn at once would leave.
struct HardRules {
    uint32_t attack_with = 0;  // keywords of minions that may not attack
    bool no_hero_attack = false, no_attack_on_hero = false, no_attack_on_minions = false, hero_must_live = false;
    std::vector<Ratio> trade_below;     // attack / strike back must not be below any of these
    std::vector<int32_t> never_played;  // names of cards
    int32_t keep_mana = 0, keep_minions = 0, keep_cards = 0;
    std::vector<Action> banned;  // single actions that the caller rules out
    bool any_about_actions() const {
        return attack_with || no_hero_attack || no_attack_on_hero || no_attack_on_minions || !trade_below.empty() ||
               !never_played.empty() || !banned.empty();
    }
};

// A turn to be planned: where it begins, and what counts. `health[id]` is what own_survival counts for a given id, and
// NO_HEALTH for whoever was neither on the board nor in hand at the start (a token).
constexpr int32_t NO_HEALTH = -1;
struct Turn {
    State start;
    Rules rules;
    Weights weights;
    HardRules hard_rules;
    std::vector<int32_t> health;  // by id, for given ids
    int32_t survival_health(Id id) const { return id < FIRST_CREATED_ID && id < health.size() ? health[id] : NO_HEALTH; }
};

constexpr uint32_t HELPFUL = TAUNT | CHARGE | RUSH | WINDFURY | MEGA_WINDFURY | DIVINE_SHIELD | POISONOUS | LIFESTEAL |
                             STEALTH | REBORN | FREEZE | IMMUNE | ELUSIVE;

inline int32_t lasting_attack(const Minion& minion) {
    return minion.attack_this_turn ? std::max(0, minion.attack - minion.attack_this_turn) : minion.attack;
}
inline int keyword_count(const Minion& minion) {
    return __builtin_popcount(minion.keywords & ~minion.keywords_this_turn & HELPFUL);
}

// What one of our minions, or one of the enemy's, is worth where it stands at the end. Sums over the boards.
inline int64_t own_minion_score(const Turn& turn, const Minion& minion) {
    const Weights& w = turn.weights;
    const int32_t counted = turn.survival_health(minion.id), attack = lasting_attack(minion);
    int64_t worth = w.own_attack * attack + w.own_remaining_health * minion.health;
    if (w.own_keywords) worth += w.own_keywords * keyword_count(minion);
    return worth + (counted == NO_HEALTH ? w.token_worth * (attack + minion.health) : w.own_survival * counted);
}
inline int64_t enemy_minion_score(const Turn& turn, const Minion& minion) {
    const Weights& w = turn.weights;
    const int32_t attack = lasting_attack(minion);
    int64_t worth = (w.enemy_threat + w.enemy_attack) * attack + w.enemy_remaining_health * minion.health;
    if (w.enemy_keywords) worth += w.enemy_keywords * keyword_count(minion);
    if (w.damage_to_come && !(minion.keywords & (FROZEN | CANNOT_ATTACK)))
        worth += w.damage_to_come * attack * attacks_per_turn(minion.keywords);
    return worth;
}

// What a state counts for in which nothing happens any more.
inline int64_t end_score(const Turn& turn, const State& state) {
    const Weights& w = turn.weights;
    const Player &me = state.me(), &enemy = state.enemy();
    int64_t worth = 0;
    if (enemy.hero.health <= 0) worth += w.lethal;
    else if (w.enemy_health) worth += w.enemy_health * (enemy.hero.health + enemy.hero.armor);
    if (enemy.board.size() == 0) worth += w.board_clear;
    for (const Minion& minion : enemy.board) worth += enemy_minion_score(turn, minion);
    for (const Minion& minion : me.board) worth += own_minion_score(turn, minion);
    if (w.own_health && me.hero.health > 0) worth += w.own_health * (me.hero.health + me.hero.armor);
    worth += w.mana_unused * me.mana + w.weapon_durability * (me.weapon.card ? me.weapon.durability : 0);
    if (w.cards_in_hand)
        for (const HandCard& hand_card : me.hand) worth += hand_card.echo ? 0 : w.cards_in_hand;
    return worth;
}

// What an action has earned when it is taken, whatever comes after it; `back` is what an attacked minion strikes back
// with, `value` that of the card played.
inline int64_t action_score(const Weights& w, const Account& account, int64_t back, int64_t value) {
    return w.face_damage * account.dealt_to_hero + w.minion_damage * account.dealt_to_minions + w.damage_taken * back +
           w.card_value * value + w.cards_drawn * account.drawn + w.overkill * account.overkill;
}

bool action_allowed(const Turn& turn, const State& state, Action action);  // by the rules about actions
// By those about attacks; no keywords: our hero attacks, no target: the enemy's is attacked.
bool attack_allowed(const HardRules& hard, int64_t attack, const uint32_t* keywords, const Minion* target);
bool end_allowed(const Turn& turn, const State& end);               // by the rules about the end

}  // namespace planner::search
