#include "search/score.hpp"

namespace planner::search {

static const Minion* find(const Player& player, Id id) {
    for (const Minion& minion : player.board)
        if (minion.id == id) return &minion;
    return nullptr;
}

bool attack_allowed(const HardRules& hard, int64_t attack, const uint32_t* keywords, const Minion* target) {
    if (keywords ? *keywords & hard.attack_with : hard.no_hero_attack) return false;
    if (target ? hard.no_attack_on_minions : hard.no_attack_on_hero) return false;
    if (target && target->attack)
        for (const Ratio& ratio : hard.trade_below)
            if (attack * ratio.bottom < ratio.top * target->attack) return false;
    return true;
}

static bool attack_action_allowed(const HardRules& hard, const State& state, Action action) {
    const Minion* attacker = action.source == MY_HERO ? nullptr : find(state.me(), action.source);
    const Minion* target = action.target == ENEMY_HERO ? nullptr : find(state.enemy(), action.target);
    return attack_allowed(hard, attacker ? attacker->attack : hero_attack(state.me()),
                        attacker ? &attacker->keywords : nullptr, target);
}

bool action_allowed(const Turn& turn, const State& state, Action action) {
    const HardRules& hard = turn.hard_rules;
    for (const Action& banned : hard.banned)
        if (banned == action) return false;
    if (action.kind == Action::attack) return attack_action_allowed(hard, state, action);
    if (action.kind == Action::play)
        for (const HandCard& hand_card : state.me().hand)
            if (hand_card.id == action.source)
                return std::find(hard.never_played.begin(), hard.never_played.end(), hand_card.card->name) ==
                       hard.never_played.end();
    return true;
}

bool end_allowed(const Turn& turn, const State& end) {
    const HardRules& hard = turn.hard_rules;
    const Player& me = end.me();
    return me.mana >= hard.keep_mana && me.board.size() >= hard.keep_minions && me.hand.size() >= hard.keep_cards &&
           (me.hero.health > 0 || !hard.hero_must_live);
}

}  // namespace planner::search
