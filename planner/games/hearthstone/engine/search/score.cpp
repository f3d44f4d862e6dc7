#include "search/score.hpp"

#include "rules/chance.hpp"

namespace planner::search {

void HardRules::add(const ProfileRule& rule) {
    switch (rule.kind) {
        case ProfileRule::attack_with:
            no_attack_with |= rule.keyword;
            no_hero_attack |= !rule.keyword;
            break;
        case ProfileRule::attack_on_hero: no_attack_on_hero = true; break;
        case ProfileRule::attack_on_minions: no_attack_on_minions = true; break;
        case ProfileRule::trade_below: min_trade_ratios.push_back(rule.ratio); break;
        case ProfileRule::own_hero_death: hero_must_live = true; break;
        case ProfileRule::play: never_played.push_back(rule.card_name); break;
        case ProfileRule::keep_mana: keep_mana = std::max(keep_mana, rule.amount); break;
        case ProfileRule::keep_minions: keep_minions = std::max(keep_minions, rule.amount); break;
        case ProfileRule::keep_cards: keep_cards = std::max(keep_cards, rule.amount); break;
    }
}

bool attack_allowed(const HardRules& rules, int64_t attack, const uint32_t* keywords, const Minion* target) {
    if (keywords ? *keywords & rules.no_attack_with : rules.no_hero_attack) return false;
    if (target ? rules.no_attack_on_minions : rules.no_attack_on_hero) return false;
    if (!target || !target->attack) return true;
    return std::ranges::none_of(rules.min_trade_ratios, [&](const Ratio& ratio) {
        return attack * ratio.denominator < ratio.numerator * target->attack;
    });
}

bool action_allowed(const Turn& turn, const State& state, Action action) {
    const HardRules& rules = turn.hard_rules;
    const Player& me = state.me();
    if (std::ranges::find(rules.banned, action) != rules.banned.end()) return false;
    if (action.kind == Action::attack) {
        const Minion* attacker = action.source == MY_HERO ? nullptr : find_minion(me, action.source);
        const Minion* target = action.target == ENEMY_HERO ? nullptr : find_minion(state.enemy(), action.target);
        return attacker ? attack_allowed(rules, attacker->attack, &attacker->keywords, target)
                        : attack_allowed(rules, hero_attack(me), nullptr, target);
    }
    if (action.kind != Action::play) return true;
    const HandCard* hand_card = find_card(me, action.source);
    return hand_card == nullptr ||
           std::ranges::find(rules.never_played, hand_card->card->name) == rules.never_played.end();
}

bool end_allowed(const Turn& turn, const State& state) {
    const HardRules& rules = turn.hard_rules;
    const Player& me = state.me();
    return me.mana >= rules.keep_mana && me.board.size() >= rules.keep_minions && kept_cards(me) >= rules.keep_cards &&
           (me.hero.health > 0 || !rules.hero_must_live);
}

int32_t kept_cards(const Player& me) {
    return static_cast<int32_t>(std::ranges::count_if(me.hand, [](const HandCard& card) { return !card.echo; }));
}

void limit_requirements(Turn& turn) {
    HardRules& rules = turn.hard_rules;
    if (!rules.keep_mana && !rules.keep_minions && !rules.keep_cards) return;
    const auto end = [&](State& now, Account& account, Chance& chance) {
        apply_end_of_turn_effects(now, turn.rules, chance, account);
    };
    const auto limit = [&](const State& state, const Account&) {
        const Player& me = state.me();
        rules.keep_mana = std::min(rules.keep_mana, me.mana);
        rules.keep_minions = std::min(rules.keep_minions, me.board.size());
        rules.keep_cards = std::min(rules.keep_cards, kept_cards(me));
        return true;
    };
    const HardRules before = rules;
    try {
        RunBudget budget = MAX_RUNS;
        outcomes(turn.start, end, limit, budget);
    } catch (const TooLarge&) {
        rules = before;
        without_chance(turn.start, end, limit);
    }
}

}  // namespace planner::search
