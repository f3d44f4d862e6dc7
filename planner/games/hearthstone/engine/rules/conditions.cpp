// rules/asked.py: what conditions and quantities mean on a table.
#include <algorithm>

#include "rules/table.hpp"

namespace planner::rules {

namespace {

bool is_so(const Condition& given, const Player& owner, const Player& enemy, bool my_turn, const Card* played, Source source) {
    int found = 0;
    switch (given.asked) {
        case Asked::nothing:
        case Asked::target: return true;
        case Asked::weapon: return owner.weapon.card != nullptr;
        case Asked::turn: return my_turn;
        case Asked::holding:
            for (const Held& held : owner.hand) found += held.card->tribes >> given.tribe & 1;
            return found > (played ? static_cast<int>(played->tribes >> given.tribe & 1) : 0);
        case Asked::controlling:
            for (const Minion& minion : owner.board)
                if (minion.card->tribes >> given.tribe & 1 && minion.id != source.id) return true;
            return false;
        case Asked::quantity: break;
    }
    const int32_t number = how_many(given.quantity, owner, enemy, source, played);
    return number >= given.least && number <= given.most;
}

int32_t count_of(const Target& target, const Player& owner, const Player& enemy, Source source) {
    int32_t found = 0;
    for (const Player* whose : {&owner, &enemy}) {
        if (target.side != Whose::any && (target.side == Whose::friendly) != (whose == &owner)) continue;
        if (target.what != What::minion) found += fits(target, whose->hero);
        if (target.what == What::hero) continue;
        for (const Minion& minion : whose->board) found += fits(target, minion) && !(target.other && minion.id == source.id);
    }
    return found;
}

}  // namespace

bool is_given(const Condition& given, const Player& owner, const Player& enemy, bool my_turn, const Card* played,
              Source source) {
    if (given.asked == Asked::nothing || given.asked == Asked::target) return true;
    return is_so(given, owner, enemy, my_turn, played, source) != given.negated;
}

int32_t how_many(const Quantity& quantity, const Player& owner, const Player& enemy, Source source, const Card* played) {
    const Player& whose = quantity.enemy ? enemy : owner;
    switch (quantity.what) {
        case Number::count: return count_of(quantity.of, owner, enemy, source);
        case Number::attack:
            if (source.id == NOBODY) return 0;
            for (const Minion& minion : owner.board)
                if (minion.id == source.id) return minion.attack;
            return source.attack;
        case Number::hand: return whose.hand.count - (played && !quantity.enemy ? 1 : 0);
        case Number::crystals: return whose.crystals;
        case Number::health: return std::max(0, whose.hero.health);
        case Number::armor: return whose.hero.armor;
        case Number::weapon_attack: return std::max(0, whose.weapon.card ? whose.weapon.attack : 0);
        case Number::hero_attack:
            return std::max(0, whose.hero.attack_this_turn + (whose.weapon.card ? whose.weapon.attack : 0));
    }
    return 0;
}

}  // namespace planner::rules
