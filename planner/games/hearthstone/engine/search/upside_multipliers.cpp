// Effects whose numbers are multiplied by a number of the state: the most that it can be in the turn.
#include <algorithm>

#include "search/upside.hpp"

namespace planner::search {

namespace {

bool grows_hands(const Effect& effect) {
    switch (effect.operation) {
        case Operation::draw:
        case Operation::add:
        case Operation::to_hand: return true;
        case Operation::mana: return !effect.created.empty();
        default: return false;
    }
}

}  // namespace

void UpsideTable::inspect_numbers(const Turn& turn) {
    bool hands = false, summons = false, crystals = false, armor = false, hero_health = false, hero_attack = false,
         weapons_improve = false, minion_attack = false;
    int32_t weapon_attack = 0, attack = max_attack_;
    for (const CardUpsides& upsides : cards_) {
        const Card& card = *upsides.card;
        if (card.type == Type::weapon) weapon_attack = std::max(weapon_attack, card.attack);
        minion_attack |= (card.keywords & MAGNETIC) != 0;
        for (const auto& effects : card.effects_by_trigger)
            for (const Effect& effect : effects) {
                const bool buffs = effect.operation == Operation::buff;
                const bool on_heroes = buffs && effect.target.kind != TargetKind::minion;
                hands |= grows_hands(effect);
                summons |= effect.operation == Operation::summon;
                crystals |= effect.operation == Operation::mana && effect.crystals;
                armor |= effect.operation == Operation::armor;
                hero_health |= on_heroes && effect.health > 0;
                hero_attack |= on_heroes && effect.attack > 0;
                weapons_improve |= effect.operation == Operation::hone && effect.attack > 0;
                minion_attack |= buffs && effect.attack > 0;
                if (effect.operation == Operation::set_attack) attack = std::max(attack, effect.amount);
            }
    }
    // Without a buff or an aura that adds attack, a minion has at most its present, its printed or a set attack, and
    // what an aura or a loss for this turn takes from it.
    for (const Player& player : turn.start.sides)
        for (const Minion& minion : player.board)
            attack = std::max(attack,
                              minion.attack - std::min(0, minion.aura_attack) - std::min(0, minion.attack_this_turn));
    for (const int side : {OURS, THEIRS}) {
        const Player& player = turn.start.sides[side];
        Numbers& most = most_numbers_[side];
        const int64_t health = heroes_can_heal_ ? player.hero.max_health : 0;
        const int64_t hand = hands ? turn.rules.hand_limit : 0, mana = crystals ? turn.rules.mana_limit : 0;
        most.hand = std::max<int64_t>(player.hand.size(), hand);
        most.minions = side == THEIRS && !summons ? player.board.size() : max_minions_;
        most.crystals = std::max<int64_t>(player.crystals, mana);
        if (!hero_health) most.health = std::max<int64_t>(player.hero.health, health);
        if (!armor) most.armor = player.hero.armor;
        if (!weapons_improve) most.weapon_attack = std::max(weapon_attack, player.weapon.attack);
        if (!weapons_improve && !hero_attack)
            most.hero_attack = *most.weapon_attack + std::max(0, player.hero.attack_this_turn);
        if (!minion_attack) most.attack = attack;
    }
}

std::optional<int64_t> UpsideTable::most(const Quantity& quantity, Owner owner) const {
    const Numbers& numbers = most_numbers_[quantity.enemy ? 1 - owner : owner];
    switch (quantity.kind) {
        case QuantityKind::health: return numbers.health;
        case QuantityKind::armor: return numbers.armor;
        case QuantityKind::hand: return numbers.hand;
        case QuantityKind::crystals: return numbers.crystals;
        case QuantityKind::weapon_attack: return numbers.weapon_attack;
        case QuantityKind::hero_attack: return numbers.hero_attack;
        case QuantityKind::attack: return numbers.attack;
        case QuantityKind::count: break;
    }
    const Target& counted = quantity.counted;
    int64_t count = 0;
    for (const Owner side : {OURS, THEIRS}) {
        if (!reaches(counted, owner, side)) continue;
        if (counted.kind != TargetKind::minion) count += 1;
        if (counted.kind != TargetKind::hero) count += most_numbers_[side].minions;
    }
    return count;
}

// The effect with its numbers multiplied by the most, or nothing if there is no useful maximum.
std::optional<Effect> UpsideTable::multiplied(const Effect& effect, Owner owner) const {
    const auto times = most(effect.multiplier, owner);
    Effect result = effect;
    result.multiplier.present = false;
    if (!times) return {};
    for (int32_t* number : {&result.amount, &result.attack, &result.health, &result.count}) {
        const int64_t product = *number * *times;
        if (product > MAX_NUMBER || product < -MAX_NUMBER) return {};
        *number = static_cast<int32_t>(product);
    }
    return result;
}

}  // namespace planner::search
