// The objective of a turn under a profile: scores and hard rules, in integers. The counterpart of scoring.py and
// hearthstone_weights.py in planner/games/hearthstone/turn.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <vector>

#include "generated/fields.hpp"
#include "rules/rational.hpp"
#include "rules/rules.hpp"

namespace planner::search {

using namespace rules;

// The weight of every term, scaled to an integer and with the sign of the term: a score is the sum of weight x amount.
struct Weights {
#define DECLARE_TERM(term) int64_t term = 0;
    WEIGHT_TERMS(DECLARE_TERM)
#undef DECLARE_TERM
};

// In the order in which Python passes the weights.
inline constexpr int64_t Weights::* TERMS[] = {
#define POINT_TO_TERM(term) &Weights::term,
    WEIGHT_TERMS(POINT_TO_TERM)
#undef POINT_TO_TERM
};

// The sum of all terms must fit into 60 bits, which leaves room for differences and for values that stand for "never".
constexpr int64_t MAX_TERM = (int64_t{1} << 60) / 32;
static_assert(std::size(TERMS) <= 32);

// What a played card counts for by its value. Throws `TooLarge` if the sum over all cards might not fit.
inline int64_t value_score(const Weights& w, int64_t card_value) {
    const Wide score = Wide{w.card_value} * card_value;
    if (score > MAX_TERM / MAX_SUMMANDS || -score > MAX_TERM / MAX_SUMMANDS) throw TooLarge();
    return static_cast<int64_t>(score);
}

struct Ratio {
    int64_t numerator, denominator;
};

// One hard rule of a profile, as in turn/hearthstone_weights.py.
struct ProfileRule {
    enum Kind : uint8_t {
        attack_with,  // minions with `keyword`, or the hero without one
        attack_on_hero,
        attack_on_minions,
        trade_below,
        own_hero_death,
        play,
        keep_mana,
        keep_minions,
        keep_cards
    };
    Kind kind;
    uint32_t keyword = 0;
    Ratio ratio{0, 1};
    int32_t card_name = 0, amount = 0;
};

// The hard rules of a profile; see `limit_requirements`.
struct HardRules {
    uint32_t no_attack_with = 0;  // minions with one of these keywords do not attack
    bool no_hero_attack = false, no_attack_on_hero = false, no_attack_on_minions = false, hero_must_live = false;
    std::vector<Ratio> min_trade_ratios;  // of the attacker's attack to the target's
    std::vector<int32_t> never_played;    // names of cards
    int32_t keep_mana = 0, keep_minions = 0, keep_cards = 0;
    std::vector<Action> banned;

    void add(const ProfileRule& rule);
    bool restrict_end() const { return hero_must_live || keep_mana || keep_minions || keep_cards; }
    bool restrict_actions() const {
        return no_attack_with || no_hero_attack || no_attack_on_hero || no_attack_on_minions ||
               !min_trade_ratios.empty() || !never_played.empty() || !banned.empty();
    }
};

// A turn to plan: where it starts, and what counts.
constexpr int32_t NO_HEALTH = -1;
struct Turn {
    State start;
    Rules rules;
    Weights weights;
    HardRules hard_rules;
    // By id: what own_survival counts for the minions that are on the board or in hand at the start.
    std::vector<int32_t> initial_health;

    // Sets `initial_health` for the ids below `count`.
    void remember_health(size_t count) {
        initial_health.assign(count, NO_HEALTH);
        for (const Minion& minion : start.me().board) initial_health[minion.id] = minion.health;
        for (const HandCard& hand_card : start.me().hand)
            if (hand_card.card->type == Type::minion) initial_health[hand_card.id] = hand_card.card->health;
    }
    // NO_HEALTH for a token, which was neither on the board nor in hand at the start.
    int32_t survival_health(Id id) const {
        return id < FIRST_CREATED_ID && id < initial_health.size() ? initial_health[id] : NO_HEALTH;
    }
};

// The keywords that the keyword terms count.
constexpr uint32_t HELPFUL = TAUNT | CHARGE | RUSH | WINDFURY | MEGA_WINDFURY | DIVINE_SHIELD | POISONOUS | LIFESTEAL |
                             STEALTH | REBORN | FREEZE | IMMUNE | ELUSIVE;

inline int32_t lasting_attack(const Minion& minion) {
    return minion.attack_this_turn ? std::max(0, minion.attack - minion.attack_this_turn) : minion.attack;
}
inline uint32_t lasting_keywords(const Minion& minion) { return minion.keywords & ~minion.keywords_this_turn; }
inline int keyword_count(const Minion& minion) { return std::popcount(lasting_keywords(minion) & HELPFUL); }

// The score of one minion that is on the board at the end of the turn.
inline int64_t own_minion_score(const Turn& turn, const Minion& minion) {
    const Weights& w = turn.weights;
    const int32_t health = turn.survival_health(minion.id), attack = lasting_attack(minion);
    int64_t score = w.own_attack * attack + w.own_remaining_health * minion.health;
    if (w.own_keywords) score += w.own_keywords * keyword_count(minion);
    return score + (health == NO_HEALTH ? w.token_worth * (attack + minion.health) : w.own_survival * health);
}
inline int64_t enemy_minion_score(const Turn& turn, const Minion& minion) {
    const Weights& w = turn.weights;
    const int32_t attack = lasting_attack(minion);
    int64_t score = (w.enemy_threat + w.enemy_attack) * attack + w.enemy_remaining_health * minion.health;
    if (w.enemy_keywords) score += w.enemy_keywords * keyword_count(minion);
    if (const uint32_t keywords = lasting_keywords(minion); w.damage_to_come && !(keywords & (FROZEN | CANNOT_ATTACK)))
        score += w.damage_to_come * attack * attacks_per_turn(keywords);
    return score;
}

// The score of the state at the end of the turn.
inline int64_t end_score(const Turn& turn, const State& state) {
    const Weights& w = turn.weights;
    const Player &me = state.me(), &enemy = state.enemy();
    int64_t score = 0;
    if (enemy.hero.health <= 0) score += w.lethal;
    else if (w.enemy_health) score += w.enemy_health * (enemy.hero.health + enemy.hero.armor);
    if (enemy.board.empty()) score += w.board_clear;
    for (const Minion& minion : enemy.board) score += enemy_minion_score(turn, minion);
    for (const Minion& minion : me.board) score += own_minion_score(turn, minion);
    if (w.own_health && me.hero.health > 0) score += w.own_health * (me.hero.health + me.hero.armor);
    score += w.mana_unused * me.mana + w.weapon_durability * (me.weapon.card ? me.weapon.durability : 0);
    if (w.cards_in_hand)
        for (const HandCard& hand_card : me.hand) score += hand_card.echo ? 0 : w.cards_in_hand;
    return score;
}

// The score that an action earns, whatever follows. `target_attack` is the attack of the attacked minion, `card_value`
// the value of the played card.
inline int64_t action_score(const Weights& w, const Account& account, int64_t target_attack, int64_t card_value) {
    return w.face_damage * account.dealt_to_hero + w.minion_damage * account.dealt_to_minions +
           w.damage_taken * target_attack + value_score(w, card_value) + w.cards_drawn * account.drawn +
           w.overkill * account.overkill;
}

// Whether the hard rules allow the action.
bool action_allowed(const Turn& turn, const State& state, Action action);
// Whether they allow an attack: without keywords, the own hero attacks; without a target, the enemy hero is attacked.
bool attack_allowed(const HardRules& rules, int64_t attack, const uint32_t* keywords, const Minion* target);
// Whether they allow the turn to end in this state.
bool end_allowed(const Turn& turn, const State& state);
// The cards in hand that stay there at the end of the turn.
int32_t kept_cards(const Player& me);
// Lowers what the hard rules require to what is left if the turn ends at once, whatever chance does.
void limit_requirements(Turn& turn);

}  // namespace planner::search
