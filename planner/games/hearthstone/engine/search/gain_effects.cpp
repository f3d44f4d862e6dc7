// What one effect can bring at most: a case for every verb that cards have.
#include <algorithm>

#include "search/gain.hpp"

namespace planner::search {

// So many attacks, each so many points stronger.
void Gains::strike(int64_t power, int64_t attacks, Gain& gain) const {
    gain.worth += attacks * power * prices_.blow_point;
    if (!prices_.kills_pay || power == 0) return;
    gain.points += attacks * power;
    gain.blows += attacks;
}

// What a buff is worth to one of our characters.
Gain Gains::gift(int32_t attack, int32_t health, uint32_t keywords, bool this_turn) const {
    const UpsidePrices& p = prices_;
    Gain one;
    const int32_t more = std::max(0, attack);
    strike(more, p.most_attacks, one);
    one.worth += more * (this_turn ? 0 : p.own_attack) + std::max(0, health) * p.own_health +
                 __builtin_popcount(keywords & HELPFUL) * p.own_keyword;
    one.swings = attacks_per_turn(keywords) - 1;
    one.attacks = one.swings + (keywords & (CHARGE | RUSH) ? p.most_attacks : 0);
    if (keywords & p.marks) one.removals = p.most_attacks;
    return one;
}

void Gains::weapon(const Card& card, Gain& gain) const {
    const UpsidePrices& p = prices_;
    strike(std::max(0, card.attack), p.most_attacks, gain);
    gain.worth += p.most_attacks * p.struck_back +
                  UNIT * above_zero(weights_.weapon_durability) * std::max(0, card.health);
    const int64_t swings = attacks_per_turn(card.keywords) - 1;
    gain.swings += swings;
    gain.attacks += swings;
    if (card.keywords & p.marks) gain.removals += p.most_attacks;
}

// What an effect does to one, or to all, of those whom it names.
Gain Gains::aimed(const Effect& effect, Owner side, uint32_t source, bool spell) {
    const UpsidePrices& p = prices_;
    Gain own, enemy, my_hero, their_hero;  // what it brings where it hits one of these
    Gain gain;
    Wide bonus_enemy = 0, bonus_hero = 0;
    bool saves = false, weakens = false, strengthened = false;  // those whom it hits; it, by spell damage
    switch (effect.operation) {
        case Operation::damage: {
            const Wide dealt = side == OURS ? above_zero(p.dealt) : Wide{0};
            const Wide on_hero = side == OURS ? above_zero(p.face_point) : p.harm_to_hero;
            const int32_t amount = std::max(0, effect.amount);
            const bool minions = effect.target.kind != TargetKind::hero, heroes = effect.target.kind != TargetKind::minion;
            if (effect.split) {  // as many blows as points, each on anybody
                const Wide point = std::max(minions ? dealt : Wide{0}, heroes ? on_hero : Wide{0});
                gain.worth = amount * point;
                if (minions) gain.points = gain.blows = amount;
                if (spell) {
                    gain.per_bonus = point;
                    gain.bonus_blows = minions ? 1 : 0;
                }
                if (source & p.marks) gain.removals = amount;
                return gain;
            }
            enemy.worth = amount * dealt;
            // Whoever chooses between the two spends it all on the hero, where a kill does not pay as much.
            const bool choice = heroes && effect.target.select != Select::all && side == OURS;
            enemy.points = choice && !p.kills_pay ? 0 : amount;
            enemy.removals = source & p.marks ? 1 : 0;
            their_hero.worth = amount * on_hero;
            if (spell) bonus_enemy = dealt, bonus_hero = on_hero, strengthened = true;
            break;
        }
        case Operation::heal:
            if (effect.amount < 0) gain.endless = true;
            own.worth = effect.amount * p.own_health;
            enemy.worth = effect.amount * p.enemy_health;
            saves = true;  // heroes are healed up to what they can have anyway: `hero_may_heal`
            break;
        case Operation::buff: {
            own = my_hero = gift(effect.attack, effect.health, effect.keywords, effect.this_turn);
            my_hero.worth += UNIT * above_zero(weights_.own_health) * std::max(0, effect.health);
            enemy.worth = std::max(0, effect.attack) * p.enemy_attack + std::max(0, effect.health) * p.enemy_health +
                          __builtin_popcount(effect.keywords & HELPFUL) * p.enemy_keyword;
            enemy.points = std::max(0, -effect.health);
            if (!effect.this_turn) enemy.worth += std::max(0, -effect.attack) * p.enemy_attack_less;
            if (weights_.damage_to_come && effect.keywords & (FROZEN | CANNOT_ATTACK)) enemy.removals = 1;
            their_hero.worth = std::max(0, -effect.health) * p.harm_to_hero +
                               std::max(0, effect.health) * UNIT * above_zero(weights_.enemy_health);
            saves = effect.health > 0 || effect.keywords & (DIVINE_SHIELD | IMMUNE | REBORN);
            weakens = effect.attack < 0;
            if (effect.keywords & REBORN) {  // whoever it is may come again, and all of them where all have it
                const int64_t times = effect.target.select == Select::all ? 2 * MAX_MINIONS : 1;
                for (const Owner whose : {OURS, THEIRS}) gain.add(rebirth(whose), times);
            }
            break;
        }
        case Operation::destroy:
            enemy.removals = 1;
            their_hero.fells = 1;
            break;
        case Operation::silence:
            // It may thaw, and have its printed attack again.
            own.attacks = 2 * p.most_attacks;
            own.worth = most_attack_ * p.own_attack;
            enemy.removals = 1;
            enemy.worth = most_attack_ * p.enemy_attack;
            weakens = true;
            break;
        case Operation::freeze:
            enemy.removals = weights_.damage_to_come ? 1 : 0;
            break;
        default: gain.endless = true; return gain;
    }
    const Target& to = effect.target;
    const bool at_ours = to.side == Side::any || (to.side == Side::friendly) == (side == OURS);
    const bool at_theirs = to.side == Side::any || (to.side == Side::friendly) == (side == THEIRS);
    const bool self = to.select == Select::self;
    const bool minions = self || to.kind != TargetKind::hero, heroes = !self && to.kind != TargetKind::minion;
    const bool hits[4] = {minions && (self ? side == OURS : at_ours), minions && (self ? side == THEIRS : at_theirs),
                          heroes && at_ours, heroes && at_theirs};
    gain.protects = (hits[0] && saves) || (hits[1] && weakens);
    const bool all = to.select == Select::all;
    if (all && hits[0]) {
        gain.per_own += own.worth + own.points * p.harm_to_minion;
        gain.attacks += MAX_MINIONS * own.attacks;
        gain.swings += own.swings;
        gain.removals += MAX_MINIONS * own.removals;
    }
    if (all && hits[1]) {
        gain.per_enemy += enemy.worth;
        gain.removals_of_all += enemy.removals;
        gain.per_bonus_and_enemy += bonus_enemy;
        gain.points_on_all += enemy.points;
        gain.bonus_on_all += strengthened;
    }
    enemy.blows = enemy.points ? 1 : 0;
    enemy.per_bonus = bonus_enemy;
    enemy.bonus_blows = strengthened;
    their_hero.per_bonus = bonus_hero;
    const Gain* ones[4] = {&own, &enemy, &my_hero, &their_hero};
    Gain best;
    for (int kind = all ? 2 : 0; kind < 4; ++kind) {
        if (!hits[kind]) continue;
        if (all) gain.add(*ones[kind]);
        else best.either(*ones[kind]);
    }
    gain.add(best, to.select == Select::random ? to.count : 1);
    return gain;
}

// A card that comes into our hand, to be kept or played.
Gain Gains::in_hand(const Card& made) {
    Gain one = play(made, true);
    one.worth += UNIT * (above_zero(weights_.cards_in_hand) +
                         above_zero(Wide{weights_.card_value} * made.value * value_scale_) +
                         above_zero(-Wide{weights_.mana_unused}) * std::max(0, made.cost));
    one.endless |= (made.keywords & (ECHO | TRADEABLE)) != 0;
    return one;
}

Gain Gains::effect(const Effect& effect, Owner side, uint32_t source, bool spell) {
    Gain gain;
    if (effect.multiplier.present) {  // by how much is not known before it comes
        gain.endless = true;
        return gain;
    }
    switch (effect.operation) {
        case Operation::damage:
        case Operation::heal:
        case Operation::buff:
        case Operation::destroy:
        case Operation::silence:
        case Operation::freeze: return aimed(effect, side, source, spell);
        case Operation::armor:
            if (effect.amount < 0) gain.endless = true;
            gain.worth = effect.amount * UNIT * above_zero(side == OURS ? weights_.own_health : weights_.enemy_health);
            return gain;
        case Operation::summon: {
            const Owner owner = effect.for_enemy ? static_cast<Owner>(1 - side) : side;
            Gain best;
            for (const Card* made : effect.created) {
                Gain one = life(*made, owner, true);
                if (made->keywords & REBORN) one.add(Gain(one));
                best.either(one);
            }
            gain.add(best, effect.count);
            return gain;
        }
        case Operation::draw:
            ((side == OURS) != effect.for_enemy ? gain.draws : gain.enemy_draws) = std::max(0, effect.count);
            return gain;
        case Operation::add:
            if ((side == OURS) != effect.for_enemy) {
                Gain best;
                for (const Card* made : effect.created) best.either(in_hand(*made));
                gain.add(best, effect.count);
            }
            return gain;
        case Operation::set_attack:
        case Operation::set_health:
        case Operation::to_hand:
        case Operation::transform:
        case Operation::discard:
        case Operation::hone:
        case Operation::disarm: break;  // seldom: endless
        case Operation::equip:
            if (side == OURS)
                for (const Card* made : effect.created) weapon(*made, gain);
            return gain;
        case Operation::mana:
            if (side == THEIRS) return gain;
            gain.mana = std::max(0, effect.amount);
            gain.worth = UNIT * above_zero(Wide{weights_.mana_unused} * effect.amount);
            for (const Card* made : effect.created) gain.add(in_hand(*made));
            return gain;
        case Operation::hook: break;
    }
    gain.endless = true;
    return gain;
}

}  // namespace planner::search
