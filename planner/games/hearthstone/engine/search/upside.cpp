#include "search/upside.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <utility>

namespace planner::search {

namespace {

constexpr Wide Upside::* VALUES[] = {
    &Upside::value,      &Upside::per_own,          &Upside::per_enemy,
    &Upside::per_summon, &Upside::per_spell_damage, &Upside::per_spell_damage_and_enemy,
};
constexpr int64_t Upside::* COUNTS[] = {
    &Upside::damage,
    &Upside::hits,
    &Upside::any_damage,
    &Upside::any_hits,
    &Upside::hero_healing,
    &Upside::capped_damage,
    &Upside::capped_boosts,
    &Upside::new_attacks,
    &Upside::enemy_lifesteals,
    &Upside::enemy_attack,
    &Upside::any_damage_per_own,
    &Upside::damage_to_all,
    &Upside::boosted_hits,
    &Upside::boosted_hits_on_all,
    &Upside::removals,
    &Upside::removals_of_all,
    &Upside::hero_kills,
    &Upside::attacks,
    &Upside::extra_attacks_each,
    &Upside::most_damage,
    &Upside::most_damage_per_own,
    &Upside::own_summons,
    &Upside::enemy_summons,
    &Upside::returns,
    &Upside::spells,
    &Upside::draws,
    &Upside::enemy_draws,
    &Upside::mana,
    &Upside::spell_damage,
    &Upside::saves,
    &Upside::mends,
    &Upside::healing,
    &Upside::health,
    &Upside::shields,
};
// Every amount must be in one of the lists; the three flags and their padding come on top.
constexpr size_t LISTED = std::size(VALUES) * sizeof(Wide) + std::size(COUNTS) * sizeof(int64_t) + 3 * sizeof(bool);
static_assert(sizeof(Upside) == (LISTED + alignof(Wide) - 1) / alignof(Wide) * alignof(Wide));

}  // namespace

void Upside::add(const Upside& other, int64_t times) {
    for (const auto member : VALUES) this->*member += times * other.*member;
    for (const auto member : COUNTS) this->*member += times * other.*member;
    enemy_heals |= other.enemy_heals;
    protects |= other.protects;
    unbounded |= other.unbounded;
}

void Upside::maximum(const Upside& other) {
    for (const auto member : VALUES) this->*member = std::max(this->*member, other.*member);
    for (const auto member : COUNTS) this->*member = std::max(this->*member, other.*member);
    enemy_heals |= other.enemy_heals;
    protects |= other.protects;
    unbounded |= other.unbounded;
}

// -- the cards of a turn

UpsideTable::UpsideTable(const Turn& turn) : weights_(turn.weights), value_scale_(turn.rules.value_scale) {
    max_minions_ = turn.rules.board_limit;
    for (const Player& player : turn.start.sides) {
        max_minions_ = std::max<int64_t>(max_minions_, player.board.size());
        for (const Minion& minion : player.board) {
            gather(minion.card, &player == &turn.start.me());
            granted_keywords_ |= minion.keywords & ~minion.card->keywords;
        }
        gather(player.weapon.card, false);
        granted_keywords_ |= player.hero.keywords | player.weapon.keywords;
    }
    const Player& me = turn.start.me();
    for (const HandCard& hand_card : me.hand) gather(hand_card.card, true);
    gather(me.power, false);
    for (const HandCard& hand_card : me.deck)
        if (hand_card.card->type == Type::hidden) gather(hand_card.card, true);
    slots_.assign(std::bit_ceil(2 * cards_.size() + 1), -1);
    for (size_t number = 0; number < cards_.size(); ++number) {
        size_t index = slot(cards_[number].card);
        while (slots_[index] >= 0) index = (index + 1) & (slots_.size() - 1);
        slots_[index] = static_cast<int>(number);
        inspect(*cards_[number].card);
        if (cards_[number].can_be_ours) inspect_reactions(*cards_[number].card);
    }
    constexpr size_t PARTS = 8 + TRIGGERS - FIRST_REACTION;  // of each card
    computed_.reserve(PARTS * cards_.size());
    heroes_can_heal_ |= granted_keywords_ & LIFESTEAL;
    removal_by_damage_possible_ |= granted_keywords_ & (POISONOUS | FREEZE);
    max_hand_ = std::max<int64_t>(me.hand.size(), turn.rules.hand_limit);
    if (multipliers_possible_) inspect_numbers(turn);
}

void UpsideTable::gather(const Card* card, bool can_be_ours) {
    if (card == nullptr) return;
    const auto known = std::ranges::find(cards_, card, &CardUpsides::card);
    if (known != cards_.end()) {
        known->can_be_ours |= can_be_ours;
        return;
    }
    cards_.push_back({card, can_be_ours});
    for (const auto& effects : card->effects_by_trigger)
        for (const Effect& effect : effects)
            for (const Card* created : effect.created) gather(created, true);
}

void UpsideTable::inspect(const Card& card) {
    if (card.type == Type::minion || card.type == Type::weapon) max_attack_ = std::max(max_attack_, card.attack);
    max_attacks_ = std::max(max_attacks_, attacks_per_turn(card.keywords));
    heroes_can_heal_ |= card.keywords & LIFESTEAL;
    removal_by_damage_possible_ |= card.keywords & (POISONOUS | FREEZE);
    if (card.keywords & MAGNETIC) granted_keywords_ |= card.keywords;
    for (const auto& effects : card.effects_by_trigger)
        for (const Effect& effect : effects) {
            const Operation operation = effect.operation;
            granted_keywords_ |= effect.keywords;
            multipliers_possible_ |= effect.multiplier.present;
            heroes_can_heal_ |= operation == Operation::heal;
            max_attacks_ = std::max(max_attacks_, attacks_per_turn(effect.keywords));  // also of unbounded effects
            silence_possible_ |= operation == Operation::silence;
            attack_can_be_set_ |= operation == Operation::set_attack;
            health_can_be_set_ |= operation == Operation::set_health;
            // A negative health buff lowers the health of a hero whatever its armor.
            armor_can_be_bypassed_ |= operation == Operation::buff && effect.health < 0;
            // The same holds for a minion, whatever its divine shield; an aura can also take health when it ends.
            const bool is_aura = &effects == &card.effects(Trigger::aura);
            shields_can_be_bypassed_ |= effect.health < 0 || (is_aura && effect.health);
            const bool random_target = effect.has_target && effect.target.select == Select::random;
            if (operation == Operation::discard || random_target || effect.split || effect.created.size() > 1)
                scores_are_integers_ = false;
            // If the profile rewards being hit back, effects that change a minion's attack are not covered.
            const bool changes_attack = operation == Operation::buff || operation == Operation::silence ||
                                        operation == Operation::set_attack || operation == Operation::transform;
            if (weights_.damage_taken > 0 && changes_attack) bounded_ = false;
        }
}

// -- what the cards can add

void UpsideTable::set_prices(const Turn& turn, UpsidePrices& prices, int64_t max_attacks) {
    const Weights& w = weights_;
    const Wide overkill = positive_part(w.overkill);
    prices.hero_harm = prices.lethal_point + UNIT * positive_part(-Wide{w.enemy_health});
    prices.face_damage = UNIT * (w.face_damage + overkill) + prices.hero_harm;
    prices.minion_harm =
        std::max(prices.most_kill_point, prices.taunt_point) + UNIT * positive_part(-Wide{w.enemy_remaining_health});
    prices.minion_damage = UNIT * (w.minion_damage + overkill);
    prices.any_damage = std::max({Wide{0}, prices.face_damage, prices.minion_damage});
    prices.attack_point = std::max({Wide{0}, prices.face_damage, prices.minion_damage + prices.minion_harm});
    const int64_t token = std::max<int64_t>(0, w.token_worth);
    prices.own_attack = UNIT * positive_part(w.own_attack + token);
    prices.own_health = UNIT * positive_part(w.own_remaining_health + token);
    prices.own_keyword = UNIT * positive_part(w.own_keywords);
    const int64_t threat = w.enemy_threat + w.enemy_attack;
    const int enemy_attacks = std::max(max_attacks_, attacks_per_turn(granted_keywords_));  // of one minion
    prices.enemy_attack = UNIT * positive_part(threat + positive_part(w.damage_to_come) * enemy_attacks);
    prices.enemy_health = UNIT * positive_part(w.enemy_remaining_health);
    prices.enemy_keyword = UNIT * positive_part(w.enemy_keywords);
    prices.enemy_attack_loss = UNIT * (positive_part(-threat) + positive_part(-Wide{w.damage_to_come}) * enemy_attacks);
    prices.removing_keywords = w.damage_to_come ? POISONOUS | FREEZE : POISONOUS;
    prices.max_attacks = max_attacks;
    int32_t enemy_attack = max_attack_;
    for (const Minion& minion : turn.start.enemy().board) enemy_attack = std::max(enemy_attack, minion.attack);
    prices.retaliation = UNIT * positive_part(w.damage_taken) * enemy_attack;
    prices_ = prices;

    for (CardUpsides& upsides : cards_) upsides = {upsides.card, upsides.can_be_ours};
    returned_.clear();
    returned_known_ = false;
    computed_.clear();
    if (computed_effects_ <= MAX_EFFECTS) computed_effects_ = 0;
}

const Upside* UpsideTable::keep(Upside upside) { return &computed_.emplace_back(std::move(upside)); }

const Upside& UpsideTable::played(CardUpsides& upsides, bool token) {
    const Upside*& kept = upsides.played[token];
    if (!kept) kept = keep(of_playing(*upsides.card, token));
    return *kept;
}

const Upside& UpsideTable::on_board(CardUpsides& upsides, int side) {
    const Upside*& kept = upsides.on_board[side];
    if (kept) return *kept;
    Upside upside = of_remaining_effects(*upsides.card, Owner(side));
    upside.add(of_auras(*upsides.card, Owner(side), true));
    kept = keep(upside);
    return *kept;
}

const Upside& UpsideTable::reborn(CardUpsides& upsides, int side, bool token) {
    const Upside*& kept = upsides.reborn[side][token];
    if (kept) return *kept;
    const Upside first = of_minion(*upsides.card, Owner(side), token);
    kept = keep(side == OURS ? of_second_life(first, *upsides.card, token) : first);
    return *kept;
}

// Whether an effect of a card of `owner` can reach minions or heroes on `side`.
bool UpsideTable::reaches(const Target& target, Owner owner, Owner side) {
    if (target.select == Select::self) return owner == side;
    return target.side == Side::any || (target.side == Side::friendly) == (owner == side);
}

// A new aura changes all minions. An aura that is on the board changes minions that come later, and its end gives back
// what it took from others.
Upside UpsideTable::of_auras(const Card& card, Owner owner, bool on_board) {
    const UpsidePrices& p = prices_;
    Upside upside;
    for (const Effect& effect : card.effects(Trigger::aura)) {
        if (!effect.has_target) continue;
        const Target& target = effect.target;
        // Whether the aura applies can change during the turn.
        const bool varies = target.damaged >= 0 || target.keyword || effect.condition.kind != ConditionKind::none;
        if (varies && effect.health) upside.unbounded = true;
        if (target.select != Select::self && target.kind == TargetKind::hero) continue;
        const Wide per_attack = p.max_attacks * p.attack_point + p.own_attack;
        const Wide gained = std::max(0, effect.attack) * per_attack + std::max(0, effect.health) * p.own_health;
        const Wide given_back = std::max(0, -effect.attack) * per_attack + std::max(0, -effect.health) * p.own_health;
        if (reaches(target, owner, OURS)) {
            upside.per_own += given_back;
            upside.most_damage_per_own += std::abs(effect.attack) * p.max_attacks;
            (on_board && !varies ? upside.per_summon : upside.per_own) += gained;
        }
        if (reaches(target, owner, THEIRS))
            upside.per_enemy += std::abs(effect.attack) * (p.enemy_attack + p.enemy_attack_loss) +
                                std::abs(effect.health) * (p.enemy_health + p.minion_harm);
        upside.protects = true;
    }
    return upside;
}

// The effects of a minion on the board that can still happen: on its death and at the end of the turn.
Upside UpsideTable::of_remaining_effects(const Card& card, Owner owner) {
    Upside upside;
    if (!open_minions_[owner].insert(&card).second) {
        upside.unbounded = true;
        return upside;
    }
    const uint32_t keywords = card.keywords | granted_keywords_;
    const bool playing = std::exchange(playing_, false);
    for (const Effect& effect : card.effects(Trigger::death)) upside.add(of_effect(effect, owner, keywords, false));
    if (owner == OURS)
        for (const Effect& effect : card.effects(Trigger::turn_end)) {
            Upside after_attacks = of_effect(effect, owner, keywords, false);
            after_attacks.saves = after_attacks.shields = after_attacks.mends = 0;
            after_attacks.healing = after_attacks.health = after_attacks.returns = 0;
            after_attacks.protects = false;
            upside.add(after_attacks);
        }
    playing_ = playing;
    open_minions_[owner].erase(&card);
    return upside;
}

// What an own minion counts for at the end, as printed.
Wide UpsideTable::body(const Card& card, bool token) const {
    const Weights& w = weights_;
    const int64_t token_weight = token ? w.token_worth : 0;
    return UNIT * (card.attack * positive_part(w.own_attack + token_weight) +
                   card.health * positive_part(w.own_remaining_health + token_weight)) +
           std::popcount(card.keywords & HELPFUL) * prices_.own_keyword;
}

// The same if it is reborn, with 1 health.
Wide UpsideTable::second_body(const Card& card, bool token) const {
    const Wide health_point = UNIT * positive_part(weights_.own_remaining_health + (token ? weights_.token_worth : 0));
    return body(card, token) - (card.health - 1) * health_point;
}

// Silence gives back what the maximum health lacks of the printed one. If health can be set before, the minion can lack
// all of it, whatever damage it has taken.
int64_t UpsideTable::restorable_health(const Minion& minion) const {
    const int32_t printed = silence_possible_ ? minion.card->health : 0;
    if (health_can_be_set_) return std::max(0, printed + minion.aura_health - minion.health);
    return silence_possible_ ? std::max(0, printed + minion.aura_health - minion.max_health) : 0;
}

// A minion is on the board in its first or in its second life, so it counts once. Everything else may happen again.
Upside UpsideTable::of_second_life(const Upside& first, const Card& card, bool token) const {
    Upside second = first;
    second.value -= body(card, token);
    return second;
}

// A minion that enters a board.
Upside UpsideTable::of_minion(const Card& card, Owner owner, bool token) {
    const UpsidePrices& p = prices_;
    Upside upside = of_remaining_effects(card, owner);
    upside.add(of_auras(card, owner, false));
    if (owner == THEIRS) {
        upside.enemy_summons += 1;
        upside.enemy_heals |= (card.keywords & LIFESTEAL) != 0;
        upside.value += card.attack * p.enemy_attack + card.health * p.enemy_health +
                        std::popcount(card.keywords & HELPFUL) * p.enemy_keyword;
        return upside;
    }
    if (card.has_reactions) upside.add(of_later_reactions(card));
    upside.own_summons += 1;
    upside.spell_damage += std::max(0, card.spell_damage);
    upside.value += body(card, token);
    if (!(card.keywords & (CHARGE | RUSH))) return upside;
    const int64_t attacks = attacks_per_turn(card.keywords), power = std::max(0, card.attack);
    if (card.keywords & CHARGE) {
        add_attacks(power, attacks, upside, true);
    } else {
        upside.value += attacks * power * positive_part(p.minion_damage);
        upside.damage += attacks * power;
        upside.hits += attacks;
        upside.most_damage += attacks * power;
    }
    upside.new_attacks += attacks;
    if ((card.keywords | granted_keywords_) & LIFESTEAL) upside.hero_healing += Upside::ANY_HEALING;
    upside.value += attacks * p.retaliation;
    if (card.keywords & p.removing_keywords) upside.removals += attacks;
    return upside;
}

// A minion that enters a board, with its second life if it has one.
Upside UpsideTable::of_lives(const Card& card, Owner owner, bool token) {
    Upside lives = of_minion(card, owner, token);
    if (card.keywords & REBORN) lives.add(owner == OURS ? of_second_life(lives, card, token) : Upside(lives));
    return lives;
}

// Any minion on this side that is given reborn.
Upside UpsideTable::of_reborn(Owner owner) {
    Upside best;
    if (open_reborn_) {
        best.unbounded = true;
        return best;
    }
    open_reborn_ = true;
    for (const CardUpsides& upsides : cards_)
        if (upsides.card->type == Type::minion)
            for (const bool token : {false, true}) best.maximum(of_minion(*upsides.card, owner, token));
    open_reborn_ = false;
    return best;
}

Upside UpsideTable::of_playing(const Card& card, bool token) {
    Upside upside;
    if (!open_plays_.insert(&card).second) {
        upside.unbounded = true;
        return upside;
    }
    uint32_t keywords = card.keywords & LIFESTEAL;
    if (card.type == Type::minion) {
        upside = of_lives(card, OURS, token);
        keywords = card.keywords | granted_keywords_;
        if (card.keywords & MAGNETIC) {
            Upside merged = of_buff(card.attack, card.health, card.keywords, false);
            merged.saves = 1;
            merged.shields = card.keywords & (DIVINE_SHIELD | IMMUNE) ? 1 : 0;
            if (card.keywords & REBORN) merged.add(of_reborn(OURS));
            upside.maximum(merged);
        }
    } else if (card.type == Type::weapon) {
        add_weapon(card.attack, card.health, card.keywords, upside);
    }
    upside.spells += card.type == Type::spell;
    upside.add(of_play_effects(card, keywords));
    open_plays_.erase(&card);
    return upside;
}

// The effects of a card that is played, or of a hero power.
Upside UpsideTable::of_play_effects(const Card& card, uint32_t keywords) {
    Upside with_combo, without_combo;
    for (const Effect& effect : card.effects(Trigger::play)) {
        playing_ = true;
        const Upside added = of_effect(effect, OURS, keywords, card.type == Type::spell);
        playing_ = false;
        const bool always = card.type == Type::hero_power;  // hero powers ignore combo
        if (always || effect.combo != 0) with_combo.add(added);
        if (always || effect.combo != 1) without_combo.add(added);
    }
    with_combo.maximum(without_combo);
    return with_combo;
}

}  // namespace planner::search
