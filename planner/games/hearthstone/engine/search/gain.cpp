#include "search/gain.hpp"

#include <algorithm>

namespace planner::search {

namespace {

constexpr Wide Gain::*WORTHS[] = {&Gain::worth, &Gain::per_own, &Gain::per_enemy, &Gain::per_arrival, &Gain::per_bonus,
                                  &Gain::per_bonus_and_enemy};
constexpr int64_t Gain::*COUNTS[] = {
    &Gain::points, &Gain::blows, &Gain::points_on_all, &Gain::bonus_blows, &Gain::bonus_on_all, &Gain::removals,
    &Gain::removals_of_all, &Gain::fells, &Gain::attacks, &Gain::swings, &Gain::own_arrivals, &Gain::enemy_arrivals,
    &Gain::draws, &Gain::enemy_draws, &Gain::mana, &Gain::spell_damage,
};
// Whoever adds an amount must add it here: two flags and what they are padded with come on top.
static_assert(sizeof(Gain) == sizeof(WORTHS) / sizeof(WORTHS[0]) * sizeof(Wide) +
                                  sizeof(COUNTS) / sizeof(COUNTS[0]) * sizeof(int64_t) + alignof(Wide));

}  // namespace

void Gain::add(const Gain& other, int64_t times) {
    for (const auto member : WORTHS) this->*member += times * other.*member;
    for (const auto member : COUNTS) this->*member += times * other.*member;
    protects |= other.protects;
    endless |= other.endless;
}

void Gain::either(const Gain& other) {
    for (const auto member : WORTHS) this->*member = std::max(this->*member, other.*member);
    for (const auto member : COUNTS) this->*member = std::max(this->*member, other.*member);
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
    for (const HandCard& hand_card : turn.start.me().hand) gather(hand_card.card);
    gather(turn.start.me().power);
    for (int32_t place = 0; place < turn.start.me().deck_count; ++place)
        if (turn.start.me().deck[place].card->type == Type::hidden) gather(turn.start.me().deck[place].card);
    for (const auto& [card, gains] : gains_) look_at(*card);
    heals_ |= given_ & LIFESTEAL;
    marks_possible_ |= given_ & (POISONOUS | FREEZE);
}

void Gains::gather(const Card* card) {
    if (card == nullptr || !gains_.emplace(card, CardGains{}).second) return;
    for (const auto& effects : card->effects_by_trigger)
        for (const Effect& effect : effects)
            for (const Card* made : effect.created) gather(made);
}

void Gains::look_at(const Card& card) {
    if (card.type == Type::minion || card.type == Type::weapon) most_attack_ = std::max(most_attack_, card.attack);
    most_attacks_ = std::max(most_attacks_, attacks_per_turn(card.keywords));
    heals_ |= card.keywords & LIFESTEAL;
    marks_possible_ |= card.keywords & (POISONOUS | FREEZE);
    if (card.keywords & MAGNETIC) given_ |= card.keywords;
    for (int trigger = 0; trigger < TRIGGERS; ++trigger)
        for (const Effect& effect : card.effects_by_trigger[trigger]) {
            given_ |= effect.keywords;
            heals_ |= effect.operation == Operation::heal;
            // Also by effects of which nothing else is known.
            most_attacks_ = std::max(most_attacks_, attacks_per_turn(effect.keywords));
            silences_ |= effect.operation == Operation::silence;
            // A negative health buff lowers a hero's health, whatever its armor.
            bypasses_armor_ |= effect.operation == Operation::buff && effect.health < 0;
            whole_ &= effect.operation != Operation::discard && !(effect.has_target && effect.target.select == Select::random) && !effect.split && effect.created.size() < 2;
            // Where being struck back at earns something, nothing may change how hard that is.
            const bool changes_attack = effect.operation == Operation::buff || effect.operation == Operation::silence ||
                                        effect.operation == Operation::set_attack || effect.operation == Operation::transform;
            if (weights_.damage_taken > 0 && changes_attack) known_ = false;
        }
}

// -- what they bring

void Gains::price(const Turn& turn, UpsidePrices& prices, int64_t most_attacks) {
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
    constexpr int MOST_BLOWS = 4;  // of one enemy minion in its turn: of mega-windfury
    prices.enemy_attack = UNIT * (above_zero(threat) + above_zero(w.damage_to_come) * MOST_BLOWS);
    prices.enemy_health = UNIT * above_zero(w.enemy_remaining_health);
    prices.enemy_keyword = UNIT * above_zero(w.enemy_keywords);
    prices.enemy_attack_less =
        UNIT * (above_zero(-threat) + above_zero(-Wide{w.damage_to_come}) * MOST_BLOWS);
    prices.marks = w.damage_to_come ? POISONOUS | FREEZE : POISONOUS;
    prices.most_attacks = most_attacks;
    int32_t blow = 0;
    for (const Minion& minion : turn.start.enemy().board) blow = std::max(blow, minion.attack);
    prices.struck_back = UNIT * above_zero(w.damage_taken) * std::max(blow, most_attack_);
    prices_ = prices;

    for (auto& [card, gains] : gains_) {
        for (const Owner side : {OURS, THEIRS}) {
            gains.stands[side] = rest(*card, side);
            gains.stands[side].add(auras(*card, side, true));
            if (card->type == Type::minion) gains.returns[side] = life(*card, side, false);
        }
        if (card->type == Type::minion) gains.returns_as_token = life(*card, OURS, true);
        gains.played = play(*card, false);
        gains.played_as_token = play(*card, true);
    }
}

// What auras change: at once for all where the source comes, for those who come later where it stands already, and
// what they held down when it goes.
Gain Gains::auras(const Card& card, Owner side, bool stands) {
    const UpsidePrices& p = prices_;
    Gain gain;
    for (const Effect& effect : card.effects(Trigger::aura)) {
        if (!effect.has_target) continue;
        const Target& to = effect.target;
        // It comes and goes with what others have, or with what it asks for.
        const bool wavers = to.damaged >= 0 || to.keyword || effect.condition.kind != ConditionKind::none;
        if (wavers && effect.health) gain.endless = true;
        const bool self = to.select == Select::self;
        const bool ours = self ? side == OURS : to.side == Side::any || (to.side == Side::friendly) == (side == OURS);
        const bool theirs = self ? side == THEIRS : to.side == Side::any || (to.side == Side::friendly) == (side == THEIRS);
        if (!self && to.kind == TargetKind::hero) continue;
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
Gain Gains::rest(const Card& card, Owner side) {
    Gain gain;
    if (!living_[side].insert(&card).second) {
        gain.endless = true;
        return gain;
    }
    gain.endless |= card.has_reactions && side == OURS;  // how often is not known
    const uint32_t source = card.keywords | given_;
    for (const Effect& one : card.effects(Trigger::death)) gain.add(effect(one, side, source, false));
    if (side == OURS)
        for (const Effect& one : card.effects(Trigger::turn_end)) gain.add(effect(one, side, source, false));
    living_[side].erase(&card);
    return gain;
}

// A minion that comes onto a board, until it leaves.
Gain Gains::life(const Card& card, Owner side, bool token) {
    const UpsidePrices& p = prices_;
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
Gain Gains::rebirth(Owner side) {
    Gain best;
    if (rebirth_open_) {
        best.endless = true;
        return best;
    }
    rebirth_open_ = true;
    for (const auto& [card, gains] : gains_)
        if (card->type == Type::minion)
            for (const bool token : {false, true}) best.either(life(*card, side, token));
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
            Gain merged = gift(card.attack, card.health, card.keywords, false);
            merged.protects = true;
            if (card.keywords & REBORN) merged.add(rebirth(OURS));
            gain.either(merged);
        }
    } else if (card.type == Type::weapon) {
        weapon(card, gain);
    }
    Gain with_combo, without;
    for (const Effect& one : card.effects(Trigger::play)) {
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

}  // namespace planner::search
