// rules/asked.py: what conditions and quantities mean on a table.
#include <algorithm>

#include "rules/table.hpp"

namespace planner::rules {

namespace {

bool is_so(const Condition& given, const Player& owner, const Player& enemy, bool my_turn, const Card* played, Source source) {
    int found = 0;
    switch (given.kind) {
        case ConditionKind::none:
        case ConditionKind::target: return true;
        case ConditionKind::weapon: return owner.weapon.card != nullptr;
        case ConditionKind::turn: return my_turn;
        case ConditionKind::holding:
            for (const HandCard& hand_card : owner.hand) found += hand_card.card->tribes >> given.tribe & 1;
            return found > (played ? static_cast<int>(played->tribes >> given.tribe & 1) : 0);
        case ConditionKind::controlling:
            for (const Minion& minion : owner.board)
                if (minion.card->tribes >> given.tribe & 1 && minion.id != source.id) return true;
            return false;
        case ConditionKind::quantity: break;
    }
    const int32_t number = quantity_value(given.quantity, owner, enemy, source, played);
    return number >= given.min && number <= given.max;
}

int32_t count_of(const Target& target, const Player& owner, const Player& enemy, Source source) {
    int32_t found = 0;
    for (const Player* whose : {&owner, &enemy}) {
        if (target.side != Side::any && (target.side == Side::friendly) != (whose == &owner)) continue;
        if (target.kind != TargetKind::minion) found += fits(target, whose->hero);
        if (target.kind == TargetKind::hero) continue;
        for (const Minion& minion : whose->board) found += fits(target, minion) && !(target.excludes_source && minion.id == source.id);
    }
    return found;
}

}  // namespace

bool condition_holds(const Condition& given, const Player& owner, const Player& enemy, bool my_turn, const Card* played,
              Source source) {
    if (given.kind == ConditionKind::none || given.kind == ConditionKind::target) return true;
    return is_so(given, owner, enemy, my_turn, played, source) != given.negated;
}

int32_t quantity_value(const Quantity& quantity, const Player& owner, const Player& enemy, Source source, const Card* played) {
    const Player& whose = quantity.enemy ? enemy : owner;
    switch (quantity.kind) {
        case QuantityKind::count: return count_of(quantity.counted, owner, enemy, source);
        case QuantityKind::attack:
            if (source.id == NO_ID) return 0;
            for (const Minion& minion : owner.board)
                if (minion.id == source.id) return minion.attack;
            return source.attack;
        case QuantityKind::hand: return whose.hand.size() - (played && !quantity.enemy ? 1 : 0);
        case QuantityKind::crystals: return whose.crystals;
        case QuantityKind::health: return std::max(0, whose.hero.health);
        case QuantityKind::armor: return whose.hero.armor;
        case QuantityKind::weapon_attack: return std::max(0, whose.weapon.card ? whose.weapon.attack : 0);
        case QuantityKind::hero_attack:
            return std::max(0, whose.hero.attack_this_turn + (whose.weapon.card ? whose.weapon.attack : 0));
    }
    return 0;
}

}  // namespace planner::rules
