// The upside of one effect, by operation.
#include <algorithm>

#include "search/upside.hpp"

namespace planner::search {

// Attacks, or additional attack in existing attacks.
void UpsideTable::add_attacks(int64_t power, int64_t attacks, Upside& upside, bool capped) const {
    const UpsidePrices& p = prices_;
    upside.value += attacks * power *
                    (capped ? std::max({Wide{0}, p.face_damage - p.capped_point, p.minion_damage}) : p.any_damage);
    upside.most_damage += attacks * power;
    upside.any_damage += attacks * power;
    upside.any_hits += attacks;
}

// A buff of one own character.
Upside UpsideTable::of_buff(int32_t attack, int32_t health, uint32_t keywords, bool this_turn) const {
    const UpsidePrices& p = prices_;
    Upside upside;
    const int32_t more = std::max(0, attack);
    if (more) add_attacks(more, p.max_attacks, upside);
    upside.value += more * (this_turn ? 0 : p.own_attack) + std::max(0, health) * p.own_health +
                    std::popcount(keywords & HELPFUL) * p.own_keyword;
    if (keywords & LIFESTEAL) upside.hero_healing = Upside::ANY_HEALING;
    upside.extra_attacks_each = attacks_per_turn(keywords) - 1;
    upside.attacks = upside.extra_attacks_each + (keywords & (CHARGE | RUSH) ? p.max_attacks : 0);
    if (keywords & p.removing_keywords) upside.removals = p.max_attacks;
    return upside;
}

// A new weapon, or an improvement of the weapon.
void UpsideTable::add_weapon(int32_t attack, int32_t durability, uint32_t keywords, Upside& upside) const {
    const UpsidePrices& p = prices_;
    add_attacks(std::max(0, attack), p.max_attacks, upside);
    upside.new_attacks += p.max_attacks;
    upside.value +=
        p.max_attacks * p.retaliation + UNIT * positive_part(weights_.weapon_durability) * std::max(0, durability);
    if ((keywords | granted_keywords_) & LIFESTEAL) upside.hero_healing += Upside::ANY_HEALING;
    const int64_t extra_attacks = attacks_per_turn(keywords) - 1;
    upside.extra_attacks_each += extra_attacks;
    upside.attacks += extra_attacks;
    if (keywords & p.removing_keywords) upside.removals += p.max_attacks;
}

// Damage one point at a time, each to any of the targets.
Upside UpsideTable::of_split_damage(const Effect& effect, Owner owner, uint32_t keywords, bool spell) {
    const UpsidePrices& p = prices_;
    const bool minions = effect.target.kind != TargetKind::hero, heroes = effect.target.kind != TargetKind::minion;
    const Wide on_minion = minions && owner == OURS ? positive_part(p.minion_damage) : Wide{0};
    const Wide face_damage = p.face_damage - (playing_ ? p.capped_point : 0);
    const Wide on_hero = !heroes ? Wide{0} : owner == OURS ? positive_part(face_damage) : p.hero_harm;
    const Wide point = std::max(on_minion, on_hero);
    const int32_t amount = std::max(0, effect.amount);
    Upside upside;
    if (keywords & LIFESTEAL) {
        upside.enemy_heals = owner == THEIRS;
        upside.hero_healing = Upside::ANY_HEALING;
    }
    if (playing_ && heroes) {
        upside.capped_damage = amount;
        upside.capped_boosts = spell;
    }
    upside.value = amount * point;
    if (minions) {
        const bool choice = heroes && owner == OURS;
        (choice ? upside.any_damage : upside.damage) = amount;
        (choice ? upside.any_hits : upside.hits) = amount;
        upside.most_damage = amount;
    }
    if (spell) {
        upside.per_spell_damage = point;
        upside.boosted_hits = minions ? 1 : 0;
    }
    if (keywords & p.removing_keywords) upside.removals = amount;
    return upside;
}

// An effect on one or on all of its targets.
Upside UpsideTable::of_targeted_effect(const Effect& effect, Owner owner, uint32_t keywords, bool spell) {
    if (effect.operation == Operation::damage && effect.split) return of_split_damage(effect, owner, keywords, spell);
    const UpsidePrices& p = prices_;
    const Target& target = effect.target;
    const bool all = target.select == Select::all, self = target.select == Select::self;
    const int64_t count = target.select == Select::random ? target.count : 1;
    const bool minions = self || target.kind != TargetKind::hero, heroes = !self && target.kind != TargetKind::minion;
    const bool hits_own = minions && reaches(target, owner, OURS),
               hits_enemy = minions && reaches(target, owner, THEIRS);
    Upside own_minion, enemy_minion, own_hero, enemy_hero;  // for one target of each kind
    Upside upside;
    Upside own_arrival, enemy_arrival;                     // what comes onto the board in the place of one target
    bool saves = false, weakens = false, boosted = false;  // saves or weakens its targets; boosted by spell damage
    switch (effect.operation) {
        case Operation::damage: {
            const Wide on_minion = owner == OURS ? positive_part(p.minion_damage) : Wide{0};
            const Wide face_damage = p.face_damage - (playing_ ? p.capped_point : 0);
            const Wide on_hero = owner == OURS ? positive_part(face_damage) : p.hero_harm;
            const int32_t amount = std::max(0, effect.amount);
            if (keywords & LIFESTEAL) {
                upside.enemy_heals = owner == THEIRS;
                upside.hero_healing = Upside::ANY_HEALING;
            }
            if (playing_) {
                enemy_hero.capped_damage = amount;
                enemy_hero.capped_boosts = spell;
            }
            enemy_minion.value = amount * on_minion;
            const bool choice = target.kind != TargetKind::minion && !all && owner == OURS;
            (choice ? enemy_minion.any_damage : enemy_minion.damage) = amount;
            enemy_minion.most_damage = amount;
            enemy_minion.removals = keywords & p.removing_keywords ? 1 : 0;
            enemy_hero.value = amount * on_hero;
            if (spell) {
                enemy_minion.per_spell_damage = on_minion;
                enemy_hero.per_spell_damage = on_hero;
                boosted = true;
            }
            break;
        }
        case Operation::heal:
            if (effect.amount < 0) upside.unbounded = true;
            own_minion.value = effect.amount * p.own_health;
            enemy_minion.value = effect.amount * p.enemy_health;
            enemy_hero.value = effect.amount * p.capped_point;
            own_hero.hero_healing = effect.amount;
            own_minion.healing = effect.amount;  // the bound assumes full health for heroes, see `heroes_can_heal`
            own_minion.mends = 1;
            break;
        case Operation::buff: {
            const int32_t attack = std::max(0, effect.attack), health = std::max(0, effect.health);
            const int32_t health_loss = std::max(0, -effect.health);
            own_minion = own_hero = of_buff(effect.attack, effect.health, effect.keywords, effect.this_turn);
            own_hero.value += UNIT * positive_part(weights_.own_health) * health;
            enemy_minion.value = attack * p.enemy_attack + health * p.enemy_health +
                                 std::popcount(effect.keywords & HELPFUL) * p.enemy_keyword;
            enemy_minion.damage = health_loss;
            enemy_minion.enemy_attack = attack;
            enemy_minion.enemy_lifesteals = effect.keywords & LIFESTEAL ? 1 : 0;
            if (!effect.this_turn) enemy_minion.value += std::max(0, -effect.attack) * p.enemy_attack_loss;
            if (weights_.damage_to_come && effect.keywords & (FROZEN | CANNOT_ATTACK)) enemy_minion.removals = 1;
            enemy_hero.value =
                health_loss * p.hero_harm + health * (UNIT * positive_part(weights_.enemy_health) + p.capped_point);
            own_minion.health = health;
            own_minion.mends = health > 0;
            own_minion.shields = effect.keywords & (DIVINE_SHIELD | IMMUNE) ? 1 : 0;
            saves = effect.keywords & (DIVINE_SHIELD | IMMUNE | REBORN);
            weakens = effect.attack < 0;
            if (effect.keywords & REBORN)
                for (const Owner side : {OURS, THEIRS}) upside.add(of_reborn(side), all ? 2 * MAX_MINIONS : count);
            break;
        }
        case Operation::destroy:
            enemy_minion.removals = 1;
            enemy_hero.hero_kills = 1;
            break;
        case Operation::silence:
            // It may thaw the minion and restore its printed attack. These attacks also make up for the health that one
            // has cost, which silence gives back if an effect sets the health in between.
            own_minion.attacks = 2 * p.max_attacks;
            own_minion.value = max_attack_ * p.own_attack;
            enemy_minion.removals = 1;
            enemy_minion.value = max_attack_ * p.enemy_attack;
            weakens = true;
            saves = true;  // it restores health that "set health" has taken
            break;
        case Operation::freeze: enemy_minion.removals = weights_.damage_to_come ? 1 : 0; break;
        case Operation::set_attack:
            // An own minion gains at most the new attack, an enemy minion loses at most what its removal is worth.
            own_minion = of_buff(effect.amount, 0, 0, false);
            enemy_minion.removals = 1;
            enemy_minion.value = effect.amount * p.enemy_attack;
            weakens = true;
            break;
        case Operation::set_health:
            // The same. For an own minion it is at most as good as this much more health.
            own_minion.value = effect.amount * p.own_health;
            own_minion.health = effect.amount;
            own_minion.mends = 1;
            enemy_minion.removals = 1;
            enemy_minion.value = effect.amount * p.enemy_health;
            break;
        case Operation::transform:
            for (const Card* created : effect.created) {
                if (hits_enemy) enemy_arrival.maximum(of_lives(*created, THEIRS, true));
                if (!hits_own) continue;
                Upside arrival = of_lives(*created, OURS, true);
                // It keeps the id of the old minion, so it is a token only if that one is.
                arrival.value += positive_part(body(*created, false) - body(*created, true));
                // If the old minion has just attacked, the new one reacts.
                if (created->has_reactions) arrival.add(of_reaction(*created, Trigger::after_attack));
                own_arrival.maximum(arrival);
            }
            enemy_minion.removals = 1;
            break;
        case Operation::to_hand:
            own_minion.returns = 1;
            own_minion.value = UNIT * positive_part(weights_.cards_in_hand);
            enemy_minion.removals = 1;
            break;
        default: upside.unbounded = true; return upside;
    }
    upside.protects |= hits_enemy && weakens;
    own_minion.saves = saves ? 1 : 0;
    if (all && hits_own) {
        upside.per_own += own_minion.value;
        upside.any_damage_per_own += own_minion.any_damage;
        upside.attacks += MAX_MINIONS * own_minion.attacks;
        upside.extra_attacks_each += own_minion.extra_attacks_each;
        upside.most_damage_per_own += own_minion.most_damage;
        upside.hero_healing += own_minion.hero_healing;
        upside.removals += MAX_MINIONS * own_minion.removals;
        upside.returns += max_minions_ * own_minion.returns;
        upside.saves += MAX_MINIONS * own_minion.saves;
        upside.shields += MAX_MINIONS * own_minion.shields;
        upside.mends += MAX_MINIONS * own_minion.mends;
        upside.healing += own_minion.healing;
        upside.health += own_minion.health;
        upside.add(own_arrival, max_minions_);
    }
    if (all && hits_enemy) {
        upside.per_enemy += enemy_minion.value;
        upside.enemy_attack += enemy_minion.enemy_attack;
        upside.enemy_lifesteals += enemy_minion.enemy_lifesteals;
        upside.removals_of_all += enemy_minion.removals;
        upside.per_spell_damage_and_enemy += enemy_minion.per_spell_damage;
        upside.damage_to_all += enemy_minion.damage;
        upside.most_damage += enemy_minion.most_damage;
        upside.boosted_hits_on_all += boosted;
        upside.add(enemy_arrival, max_minions_);
    }
    enemy_minion.hits = enemy_minion.damage ? 1 : 0;
    enemy_minion.any_hits = enemy_minion.any_damage ? 1 : 0;
    enemy_minion.boosted_hits = boosted;
    own_minion.add(own_arrival);
    enemy_minion.add(enemy_arrival);
    Upside best;  // of the single targets; an effect on all has at most the two heroes left
    const auto add_target = [&](const Upside& one) { all ? upside.add(one) : best.maximum(one); };
    if (!all && hits_own) add_target(own_minion);
    if (!all && hits_enemy) add_target(enemy_minion);
    if (heroes && reaches(target, owner, OURS)) add_target(own_hero);
    if (heroes && reaches(target, owner, THEIRS)) add_target(enemy_hero);
    upside.add(best, count);
    return upside;
}

// A card that comes into the own hand, to keep or to play.
Upside UpsideTable::of_card_in_hand(const Card& card) {
    Upside upside = of_playing(card, true);
    upside.value += UNIT * (positive_part(weights_.cards_in_hand) +
                            positive_part(Wide{weights_.card_value} * card.value * value_scale_) +
                            positive_part(-Wide{weights_.mana_unused}) * std::max(0, card.cost));
    upside.unbounded |= (card.keywords & (ECHO | TRADEABLE)) != 0;
    return upside;
}

Upside UpsideTable::of_effect(const Effect& effect, Owner owner, uint32_t keywords, bool spell) {
    Upside upside;
    Upside best;  // of the cards that the effect can create
    const bool for_us = (owner == OURS) != effect.for_enemy;
    if (computed_effects_ > MAX_EFFECTS || ++computed_effects_ > MAX_EFFECTS) {
        upside.unbounded = true;
        return upside;
    }
    if (effect.multiplier.present) {
        if (const auto most = multiplied(effect, owner)) return of_effect(*most, owner, keywords, spell);
        upside.unbounded = true;
        return upside;
    }
    switch (effect.operation) {
        case Operation::damage:
        case Operation::heal:
        case Operation::buff:
        case Operation::destroy:
        case Operation::silence:
        case Operation::freeze:
        case Operation::set_attack:
        case Operation::set_health:
        case Operation::transform:
        case Operation::to_hand: return of_targeted_effect(effect, owner, keywords, spell);
        case Operation::armor:
            if (effect.amount < 0) upside.unbounded = true;
            upside.value =
                effect.amount * UNIT * positive_part(owner == OURS ? weights_.own_health : weights_.enemy_health);
            if (owner == THEIRS) upside.value += effect.amount * prices_.capped_point;
            return upside;
        case Operation::summon:
            for (const Card* created : effect.created) best.maximum(of_lives(*created, for_us ? OURS : THEIRS, true));
            upside.add(best, std::min<int64_t>(effect.count, max_minions_));
            return upside;
        case Operation::draw: (for_us ? upside.draws : upside.enemy_draws) = std::max(0, effect.count); return upside;
        case Operation::add:
            if (!for_us) return upside;
            for (const Card* created : effect.created) best.maximum(of_card_in_hand(*created));
            upside.add(best, std::min<int64_t>(effect.count, max_hand_));
            return upside;
        case Operation::equip:
            if (owner == OURS)
                for (const Card* created : effect.created)
                    add_weapon(created->attack, created->health, created->keywords, upside);
            return upside;
        case Operation::mana:
            if (owner == THEIRS) return upside;
            upside.mana = std::max(0, effect.amount);
            upside.value = UNIT * positive_part(Wide{weights_.mana_unused} * effect.amount);
            for (const Card* created : effect.created) upside.add(of_card_in_hand(*created));
            return upside;
        case Operation::discard:
            // It earns what a card in hand costs. The bound counts no card of the enemy, and no card that is not
            // played.
            if (owner == OURS)
                upside.value = std::max(0, effect.count) * UNIT * positive_part(-Wide{weights_.cards_in_hand});
            return upside;
        case Operation::hone:
            if (owner == OURS) add_weapon(effect.attack, effect.health, effect.keywords, upside);
            return upside;
        case Operation::disarm: return upside;  // attacks with the weapon, and its durability, count as they are
        case Operation::hook: break;            // rare, so not covered
    }
    upside.unbounded = true;
    return upside;
}

}  // namespace planner::search
