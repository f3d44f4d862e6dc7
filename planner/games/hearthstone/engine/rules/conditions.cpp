// The values of conditions and quantities in a state.
#include <algorithm>

#include "rules/table.hpp"

namespace planner::rules {

namespace {

bool has_tribe(const Card& card, int8_t tribe) { return card.tribes >> tribe & 1; }

bool holds_unnegated(const Condition& condition, const Player& owner, const Player& enemy, bool my_turn,
                     const Card* played, Source source) {
    switch (condition.kind) {
        case ConditionKind::none:
        case ConditionKind::target: return true;
        case ConditionKind::weapon: return owner.weapon.card != nullptr;
        case ConditionKind::turn: return my_turn;
        case ConditionKind::holding: {
            const auto in_hand = std::ranges::count_if(
                owner.hand, [&](const HandCard& hand_card) { return has_tribe(*hand_card.card, condition.tribe); });
            return in_hand > (played && has_tribe(*played, condition.tribe) ? 1 : 0);
        }
        case ConditionKind::controlling:
            return std::ranges::any_of(owner.board, [&](const Minion& minion) {
                return has_tribe(*minion.card, condition.tribe) && minion.id != source.id;
            });
        case ConditionKind::quantity: break;
    }
    const int32_t number = quantity_value(condition.quantity, owner, enemy, source, played);
    return number >= condition.min && number <= condition.max;
}

int32_t count_matches(const Target& target, const Player& owner, const Player& enemy, Source source) {
    int32_t count = 0;
    for (const Player* player : {&owner, &enemy}) {
        if (target.side != Side::any && (target.side == Side::friendly) != (player == &owner)) continue;
        if (target.kind != TargetKind::minion) count += matches(target, player->hero);
        if (target.kind == TargetKind::hero) continue;
        for (const Minion& minion : player->board)
            count += matches(target, minion) && !(target.excludes_source && minion.id == source.id);
    }
    return count;
}

}  // namespace

bool condition_holds(const Condition& condition, const Player& owner, const Player& enemy, bool my_turn,
                     const Card* played, Source source) {
    if (condition.kind == ConditionKind::none || condition.kind == ConditionKind::target) return true;
    return holds_unnegated(condition, owner, enemy, my_turn, played, source) != condition.negated;
}

int32_t quantity_value(const Quantity& quantity, const Player& owner, const Player& enemy, Source source,
                       const Card* played) {
    const Player& player = quantity.enemy ? enemy : owner;
    switch (quantity.kind) {
        case QuantityKind::count: return count_matches(quantity.counted, owner, enemy, source);
        case QuantityKind::attack:
            if (source.id == NO_ID) return 0;
            for (const Minion& minion : owner.board)
                if (minion.id == source.id) return minion.attack;
            return source.attack;
        case QuantityKind::hand: return player.hand.size() - (played && !quantity.enemy ? 1 : 0);
        case QuantityKind::crystals: return player.crystals;
        case QuantityKind::health: return std::max(0, player.hero.health);
        case QuantityKind::armor: return player.hero.armor;
        case QuantityKind::weapon_attack: return std::max(0, player.weapon.card ? player.weapon.attack : 0);
        case QuantityKind::hero_attack: return std::max(0, hero_attack(player));
    }
    return 0;
}

}  // namespace planner::rules
