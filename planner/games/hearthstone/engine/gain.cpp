#include "gain.hpp"

#include <algorithm>

namespace hearthstone {

void Gain::add(const Gain& other, int64_t times) {
    worth += times * other.worth;
    per_own += times * other.per_own;
    per_enemy += times * other.per_enemy;
    per_arrival += times * other.per_arrival;
    per_bonus += times * other.per_bonus;
    per_bonus_and_enemy += times * other.per_bonus_and_enemy;
    points += times * other.points;
    blows += times * other.blows;
    points_on_all += times * other.points_on_all;
    bonus_blows += times * other.bonus_blows;
    bonus_on_all += times * other.bonus_on_all;
    removals += times * other.removals;
    removals_of_all += times * other.removals_of_all;
    fells += times * other.fells;
    attacks += times * other.attacks;
    swings += times * other.swings;
    own_arrivals += times * other.own_arrivals;
    enemy_arrivals += times * other.enemy_arrivals;
    draws += times * other.draws;
    enemy_draws += times * other.enemy_draws;
    mana += times * other.mana;
    spell_damage += times * other.spell_damage;
    protects |= other.protects;
    endless |= other.endless;
}

void Gain::either(const Gain& other) {
    worth = std::max(worth, other.worth);
    per_own = std::max(per_own, other.per_own);
    per_enemy = std::max(per_enemy, other.per_enemy);
    per_arrival = std::max(per_arrival, other.per_arrival);
    per_bonus = std::max(per_bonus, other.per_bonus);
    per_bonus_and_enemy = std::max(per_bonus_and_enemy, other.per_bonus_and_enemy);
    points = std::max(points, other.points);
    blows = std::max(blows, other.blows);
    points_on_all = std::max(points_on_all, other.points_on_all);
    bonus_blows = std::max(bonus_blows, other.bonus_blows);
    bonus_on_all = std::max(bonus_on_all, other.bonus_on_all);
    removals = std::max(removals, other.removals);
    removals_of_all = std::max(removals_of_all, other.removals_of_all);
    fells = std::max(fells, other.fells);
    attacks = std::max(attacks, other.attacks);
    swings = std::max(swings, other.swings);
    own_arrivals = std::max(own_arrivals, other.own_arrivals);
    enemy_arrivals = std::max(enemy_arrivals, other.enemy_arrivals);
    draws = std::max(draws, other.draws);
    enemy_draws = std::max(enemy_draws, other.enemy_draws);
    mana = std::max(mana, other.mana);
    spell_damage = std::max(spell_damage, other.spell_damage);
    protects |= other.protects;
    endless |= other.endless;
}

// -- which cards there are

Gains::Gains(const Turn& turn) : weights_(turn.weights), value_scale_(turn.rules.value_scale) {
    for (const Player& player : turn.start.sides) {
        for (const Minion& minion : player.board) {
            gather(minion.card);
            given_ |= minion.keywords & ~minion.card->keywords;
        }
        gather(player.weapon.card);
        given_ |= player.hero.keywords | player.weapon.keywords;
    }
    for (const Held& held : turn.start.me().hand) gather(held.card);
    gather(turn.start.me().power);
    for (int32_t place = 0; place < turn.start.me().deck_count; ++place)
        if (turn.start.me().deck[place].card->type == Type::hidden) gather(turn.start.me().deck[place].card);
    for (const auto& [card, gains] : gains_) look_at(*card);
    heals_ |= given_ & LIFESTEAL;
    marks_possible_ |= given_ & (POISONOUS | FREEZE);
    // Of a profile that likes what the enemy will do nothing is claimed.
    if (weights_.damage_to_come > 0) known_ = false;
}

void Gains::gather(const Card* card) {
    if (card == nullptr || !gains_.emplace(card, CardGains{}).second) return;
    for (const auto& effects : card->on)
        for (const Effect& effect : effects)
            for (const Card* made : effect.made) gather(made);
}

void Gains::look_at(const Card& card) {
    if (card.type == Type::minion || card.type == Type::weapon) most_attack_ = std::max(most_attack_, card.attack);
    most_attacks_ = std::max(most_attacks_, attacks_per_turn(card.keywords));
    heals_ |= card.keywords & LIFESTEAL;
    marks_possible_ |= card.keywords & (POISONOUS | FREEZE);
    if (card.keywords & MAGNETIC) given_ |= card.keywords;
    for (int trigger = 0; trigger < TRIGGERS; ++trigger)
        for (const Effect& effect : card.on[trigger]) {
            given_ |= effect.keywords;
            heals_ |= effect.what == Do::heal;
            whole_ &= !(effect.has_target && effect.to.select == Select::random) && !effect.split && effect.made.size() < 2;
            // Where being struck back at earns something, nothing may change how hard that is.
            const bool changes_attack = effect.what == Do::buff || effect.what == Do::silence;
            if (weights_.damage_taken > 0 && changes_attack) known_ = false;
        }
}

// -- what they bring

void Gains::price(const Turn& turn, Prices& prices, int64_t most_attacks) {
    const Weights& w = weights_;
    const Wide overkill = above_zero(w.overkill);
    prices.harm_to_hero = prices.lethal_point + UNIT * above_zero(-Wide{w.enemy_health});
    prices.face_point = UNIT * (w.face_damage + overkill) + prices.harm_to_hero;
    prices.harm_to_minion = prices.kill_point + UNIT * above_zero(-Wide{w.enemy_remaining_health});
    prices.dealt = UNIT * (w.minion_damage + overkill);
    prices.blow_point = std::max({Wide{0}, prices.face_point, prices.dealt});
    prices.kills_pay = prices.dealt + prices.harm_to_minion > prices.face_point;
    prices.attack_point = std::max({Wide{0}, prices.face_point, prices.dealt + prices.harm_to_minion});
    const int64_t token = std::max<int64_t>(0, w.token_worth);
    prices.own_attack = UNIT * above_zero(w.own_attack + token);
    prices.own_health = UNIT * above_zero(w.own_remaining_health + token);
    prices.own_keyword = UNIT * above_zero(w.own_keywords);
    const int64_t threat = w.enemy_threat + w.enemy_attack;
    prices.enemy_attack = UNIT * above_zero(threat);
    prices.enemy_health = UNIT * above_zero(w.enemy_remaining_health);
    prices.enemy_keyword = UNIT * above_zero(w.enemy_keywords);
    prices.enemy_attack_less =
        UNIT * (above_zero(-threat) + above_zero(-Wide{w.damage_to_come}) * attacks_per_turn(MEGA_WINDFURY));
    prices.marks = w.damage_to_come ? POISONOUS | FREEZE : POISONOUS;
    prices.most_attacks = most_attacks;
    int32_t blow = 0;
    for (const Minion& minion : turn.start.enemy().board) blow = std::max(blow, minion.attack);
    prices.struck_back = UNIT * above_zero(w.damage_taken) * std::max(blow, most_attack_);
    prices_ = prices;

    for (auto& [card, gains] : gains_) {
        for (const Side side : {OURS, THEIRS}) {
            gains.stands[side] = rest(*card, side);
            gains.stands[side].add(auras(*card, side, true));
            if (card->type == Type::minion) gains.returns[side] = life(*card, side, false);
        }
        if (card->type == Type::minion) gains.returns_as_token = life(*card, OURS, true);
        gains.played = play(*card, false);
        gains.played_as_token = play(*card, true);
    }
}

// So many attacks, each so many points stronger.
template <class Some>
void Gains::strike(int64_t power, int64_t attacks, Some& gain) const {
    gain.worth += attacks * power * prices_.blow_point;
    if (!prices_.kills_pay || power == 0) return;
    gain.points += attacks * power;
    gain.blows += attacks;
}

// What a buff is worth to one of our characters.
Gains::One Gains::gift(int32_t attack, int32_t health, uint32_t keywords, bool this_turn) const {
    const Prices& p = prices_;
    One one;
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
    const Prices& p = prices_;
    strike(std::max(0, card.attack), p.most_attacks, gain);
    gain.worth += p.most_attacks * p.struck_back +
                  UNIT * above_zero(weights_.weapon_durability) * std::max(0, card.health);
    const int64_t swings = attacks_per_turn(card.keywords) - 1;
    gain.swings += swings;
    gain.attacks += swings;
    if (card.keywords & p.marks) gain.removals += p.most_attacks;
}

// What an effect does to one, or to all, of those whom it names.
Gain Gains::aimed(const Effect& effect, Side side, uint32_t source, bool spell) {
    const Prices& p = prices_;
    One own, enemy, my_hero, their_hero;
    Gain gain;
    Wide bonus_enemy = 0, bonus_hero = 0;
    bool saves = false, weakens = false, strengthened = false;  // those whom it hits; it, by spell damage
    switch (effect.what) {
        case Do::damage: {
            const Wide dealt = side == OURS ? above_zero(p.dealt) : Wide{0};
            const Wide on_hero = side == OURS ? above_zero(p.face_point) : p.harm_to_hero;
            const int32_t amount = std::max(0, effect.amount);
            const bool minions = effect.to.what != What::hero, heroes = effect.to.what != What::minion;
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
            const bool choice = heroes && effect.to.select != Select::all && side == OURS;
            enemy.points = choice && !p.kills_pay ? 0 : amount;
            enemy.removals = source & p.marks ? 1 : 0;
            their_hero.worth = amount * on_hero;
            if (spell) bonus_enemy = dealt, bonus_hero = on_hero, strengthened = true;
            break;
        }
        case Do::heal:
            if (effect.amount < 0) gain.endless = true;
            own.worth = effect.amount * p.own_health;
            enemy.worth = effect.amount * p.enemy_health;
            saves = true;  // heroes are healed up to what they can have anyway: `hero_may_heal`
            break;
        case Do::buff: {
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
                const int64_t times = effect.to.select == Select::all ? 2 * MOST_MINIONS : 1;
                for (const Side whose : {OURS, THEIRS}) gain.add(rebirth(whose), times);
            }
            break;
        }
        case Do::destroy:
            enemy.removals = 1;
            their_hero.fells = 1;
            break;
        case Do::silence:
            // It may thaw, and have its printed attack again.
            own.attacks = 2 * p.most_attacks;
            own.worth = most_attack_ * p.own_attack;
            enemy.removals = 1;
            enemy.worth = most_attack_ * p.enemy_attack;
            weakens = true;
            break;
        case Do::freeze:
            enemy.removals = weights_.damage_to_come ? 1 : 0;
            break;
        default: gain.endless = true; return gain;
    }
    const Target& to = effect.to;
    const bool at_ours = to.side == Whose::any || (to.side == Whose::friendly) == (side == OURS);
    const bool at_theirs = to.side == Whose::any || (to.side == Whose::friendly) == (side == THEIRS);
    const bool self = to.select == Select::self;
    const bool minions = self || to.what != What::hero, heroes = !self && to.what != What::minion;
    const bool hits[4] = {minions && (self ? side == OURS : at_ours), minions && (self ? side == THEIRS : at_theirs),
                          heroes && at_ours, heroes && at_theirs};
    gain.protects = (hits[0] && saves) || (hits[1] && weakens);
    const One ones[4] = {own, enemy, my_hero, their_hero};
    const bool all = to.select == Select::all;
    if (all && hits[0]) {
        gain.per_own += own.worth + own.points * p.harm_to_minion;
        gain.attacks += MOST_MINIONS * own.attacks;
        gain.swings += own.swings;
        gain.removals += MOST_MINIONS * own.removals;
    }
    if (all && hits[1]) {
        gain.per_enemy += enemy.worth;
        gain.removals_of_all += enemy.removals;
        gain.per_bonus_and_enemy += bonus_enemy;
        gain.points_on_all += enemy.points;
        gain.bonus_on_all += strengthened;
    }
    Gain best;
    for (int kind = all ? 2 : 0; kind < 4; ++kind) {
        if (!hits[kind]) continue;
        Gain one;
        one.worth = ones[kind].worth;
        one.points = ones[kind].points;
        one.blows = kind == 1 && one.points ? 1 : ones[kind].blows;
        one.bonus_blows = kind == 1 && strengthened;
        one.removals = ones[kind].removals;
        one.attacks = ones[kind].attacks;
        one.swings = ones[kind].swings;
        one.fells = ones[kind].fells;
        one.per_bonus = kind == 1 ? bonus_enemy : kind == 3 ? bonus_hero : Wide{0};
        if (all) gain.add(one);
        else best.either(one);
    }
    gain.add(best);
    return gain;
}

Gain Gains::effect(const Effect& effect, Side side, uint32_t source, bool spell) {
    Gain gain;
    switch (effect.what) {
        case Do::damage:
        case Do::heal:
        case Do::buff:
        case Do::destroy:
        case Do::silence:
        case Do::freeze: return aimed(effect, side, source, spell);
        case Do::armor:
            if (effect.amount < 0) gain.endless = true;
            gain.worth = effect.amount * UNIT * above_zero(side == OURS ? weights_.own_health : weights_.enemy_health);
            return gain;
        case Do::summon: {
            const Side owner = effect.for_enemy ? static_cast<Side>(1 - side) : side;
            Gain best;
            for (const Card* made : effect.made) {
                Gain one = life(*made, owner, true);
                if (made->keywords & REBORN) one.add(Gain(one));
                best.either(one);
            }
            gain.add(best, effect.count);
            return gain;
        }
        case Do::draw: (side == OURS ? gain.draws : gain.enemy_draws) = std::max(0, effect.count); return gain;
        case Do::equip:
            if (side == OURS)
                for (const Card* made : effect.made) weapon(*made, gain);
            return gain;
        case Do::mana:
            if (side == THEIRS) return gain;
            gain.mana = std::max(0, effect.amount);
            gain.worth = UNIT * above_zero(Wide{weights_.mana_unused} * effect.amount);
            for (const Card* made : effect.made) {
                // It comes into the hand, to be kept or played.
                Gain one = play(*made, true);
                one.worth += UNIT * (above_zero(weights_.cards_in_hand) +
                                     above_zero(Wide{weights_.card_value} * made->value * value_scale_) +
                                     above_zero(-Wide{weights_.mana_unused}) * std::max(0, made->cost));
                one.endless |= (made->keywords & (ECHO | TRADEABLE)) != 0;
                gain.add(one);
            }
            return gain;
        case Do::hook: break;
    }
    gain.endless = true;
    return gain;
}

// What auras change: at once for all where the source comes, for those who come later where it stands already, and
// what they held down when it goes.
Gain Gains::auras(const Card& card, Side side, bool stands) {
    const Prices& p = prices_;
    Gain gain;
    for (const Effect& effect : card.effects(On::aura)) {
        if (!effect.has_target) continue;
        const Target& to = effect.to;
        const bool wavers = to.damaged >= 0;  // comes and goes with the health of others
        if (wavers && effect.health) gain.endless = true;
        const bool self = to.select == Select::self;
        const bool ours = self ? side == OURS : to.side == Whose::any || (to.side == Whose::friendly) == (side == OURS);
        const bool theirs = self ? side == THEIRS : to.side == Whose::any || (to.side == Whose::friendly) == (side == THEIRS);
        if (!self && to.what == What::hero) continue;
        const Wide per_attack = p.most_attacks * p.attack_point + p.own_attack;
        const Wide comes = std::max(0, effect.attack) * per_attack + std::max(0, effect.health) * p.own_health;
        const Wide goes = std::max(0, -effect.attack) * per_attack + std::max(0, -effect.health) * p.own_health;
        if (ours) {
            gain.per_own += goes;
            (stands && !wavers ? gain.per_arrival : gain.per_own) += comes;
        }
        if (theirs)
            gain.per_enemy += std::abs(effect.attack) * (p.enemy_attack + p.enemy_attack_less) +
                              std::abs(effect.health) * (p.enemy_health + p.harm_to_minion);
        gain.protects = true;
    }
    return gain;
}

// What a minion on the board can still set off: its death, and the end of the turn.
Gain Gains::rest(const Card& card, Side side) {
    Gain gain;
    if (!living_[side].insert(&card).second) {
        gain.endless = true;
        return gain;
    }
    const uint32_t source = card.keywords | given_;
    for (const Effect& one : card.effects(On::death)) gain.add(effect(one, side, source, false));
    if (side == OURS)
        for (const Effect& one : card.effects(On::turn_end)) gain.add(effect(one, side, source, false));
    living_[side].erase(&card);
    return gain;
}

// A minion that comes onto a board, until it leaves.
Gain Gains::life(const Card& card, Side side, bool token) {
    const Prices& p = prices_;
    const Weights& w = weights_;
    Gain gain = rest(card, side);
    gain.add(auras(card, side, false));
    const int keywords = __builtin_popcount(card.keywords & HELPFUL);
    if (side == THEIRS) {
        gain.enemy_arrivals += 1;
        gain.worth += card.attack * p.enemy_attack + card.health * p.enemy_health + keywords * p.enemy_keyword;
        return gain;
    }
    const int64_t as_token = token ? w.token_worth : 0;
    gain.own_arrivals += 1;
    gain.spell_damage += std::max(0, card.spell_damage);
    gain.worth += UNIT * (card.attack * above_zero(w.own_attack + as_token) +
                          card.health * above_zero(w.own_remaining_health + as_token)) +
                  keywords * p.own_keyword;
    if (card.keywords & (CHARGE | RUSH)) {
        const int64_t attacks = attacks_per_turn(card.keywords), power = std::max(0, card.attack);
        if (card.keywords & CHARGE) {
            strike(power, attacks, gain);
        } else {
            gain.worth += attacks * power * above_zero(p.dealt);
            gain.points += attacks * power;
            gain.blows += attacks;
        }
        gain.worth += attacks * p.struck_back;
        if (card.keywords & p.marks) gain.removals += attacks_per_turn(card.keywords);
    }
    return gain;
}

// Somebody on this side who has been given another life.
Gain Gains::rebirth(Side side) {
    Gain best;
    if (rebirth_open_) {
        best.endless = true;
        return best;
    }
    rebirth_open_ = true;
    for (const auto& [card, gains] : gains_)
        if (card->type == Type::minion) best.either(life(*card, side, true));
    rebirth_open_ = false;
    return best;
}

Gain Gains::play(const Card& card, bool token) {
    Gain gain;
    if (!played_.insert(&card).second) {
        gain.endless = true;
        return gain;
    }
    uint32_t source = card.keywords & LIFESTEAL;
    if (card.type == Type::minion) {
        gain = life(card, OURS, token);
        if (card.keywords & REBORN) gain.add(Gain(gain));
        source = card.keywords | given_;
        if (card.keywords & MAGNETIC) {
            const One one = gift(card.attack, card.health, card.keywords, false);
            Gain merged;
            merged.worth = one.worth;
            merged.points = one.points;
            merged.blows = one.blows;
            merged.removals = one.removals;
            merged.attacks = one.attacks;
            merged.swings = one.swings;
            merged.protects = true;
            if (card.keywords & REBORN) merged.add(rebirth(OURS));
            gain.either(merged);
        }
    } else if (card.type == Type::weapon) {
        weapon(card, gain);
    }
    Gain with_combo, without;
    for (const Effect& one : card.effects(On::play)) {
        const Gain brought = effect(one, OURS, source, card.type == Type::spell);
        const bool always = card.type == Type::hero_power;  // it asks for no combo
        if (always || one.combo != 0) with_combo.add(brought);
        if (always || one.combo != 1) without.add(brought);
    }
    with_combo.either(without);
    gain.add(with_combo);
    played_.erase(&card);
    return gain;
}

}  // namespace hearthstone
