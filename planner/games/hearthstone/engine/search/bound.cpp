#include <algorithm>

#include "search/bound_parts.hpp"

namespace planner::search {

// The best purchases within the mana: a knapsack. Without a knapsack, everything for large amounts of mana.
template <class Value>
Wide Bound::best_purchases(const Budget& budget, const Value& value) {
    struct Item {
        Wide added;
        int64_t times, cost;
    };
    StaticVector<Item, Budget::MAX_PURCHASES> items;  // that add something
    Wide everything = 0;
    int64_t total_cost = 0;
    for (const auto& purchase : budget.purchases) {
        const Wide added = value(purchase);
        if (added <= 0) continue;
        items.push_back({added, purchase.times, purchase.cost});
        everything += purchase.times * added;
        total_cost += purchase.times * purchase.cost;
    }
    constexpr int64_t MAX_MANA = 40;
    if (total_cost <= budget.mana || budget.mana > MAX_MANA) return everything;
    Wide best[MAX_MANA + 1] = {0};  // best[m]: with m mana
    for (const auto& [added, times, cost] : items)
        for (int64_t left = times; left > 0; --left)
            for (int64_t mana = budget.mana; mana >= cost; --mana)
                best[mana] = std::max(best[mana], best[mana - cost] + added);
    return best[budget.mana];
}

// The attack of the strongest own character, with what a silence can restore.
int64_t Bound::strongest_attack(const State& state) const {
    int64_t strongest = std::max(upsides_.max_printed_attack(), hero_attack(state.me()));
    for (const Minion& minion : state.me().board) {
        strongest = std::max<int64_t>(strongest, minion.attack);
        if (upsides_.silence_possible())
            strongest = std::max<int64_t>(strongest, minion.card->attack + minion.aura_attack);
    }
    return strongest;
}

// The most damage that one enemy minion can take, if it can die from damage only.
Bound::MostDamage Bound::most_damage(const Prospects& prospects) const {
    const auto& [state, table, everything, budget, unknown] = prospects;
    if (upsides_.aura_attack_can_return() || upsides_.shields_can_be_bypassed()) return {};
    if (everything.removals || everything.removals_of_all) return {};
    if (everything.attacks && upsides_.removal_by_damage_possible()) return {};
    const Player& me = state.me();
    MostDamage most{0, 0};
    for (const Minion& minion : me.board) {
        if (!is_ready(minion)) continue;
        if (minion.keywords & prices_.removing_keywords) return {};
        most.by_attacks += int64_t{minion.attacks_left} * minion.attack;
    }
    if (me.hero.attacks_left > 0 && !(me.hero.keywords & FROZEN)) {
        if ((me.hero.keywords | (me.weapon.card ? me.weapon.keywords : 0)) & prices_.removing_keywords) return {};
        most.by_attacks += int64_t{me.hero.attacks_left} * std::max(0, hero_attack(me));
    }
    const int64_t own_minions = me.board.size() + everything.own_summons, strongest = strongest_attack(state);
    const auto damage = [&](const Upside& upside) {
        return Wide{upside.most_damage} + upside.most_damage_per_own * own_minions + upside.attacks * strongest +
               (upside.boosted_hits + upside.boosted_hits_on_all) * everything.spell_damage;
    };
    const auto of_purchase = [&](const Budget::Purchase& purchase) { return damage(*purchase.upside); };
    most.by_effects = static_cast<int64_t>(damage(table) + best_purchases(budget, of_purchase));
    return most;
}

// The most that one attack can add, with the score of its attacker at the end if it survives: as it is, and with more
// health, with certain survival, or with an attack that does not hurt it.
Bound::AttackValues Bound::best_attack(const Enemies& enemies, const Attacker& attacker) const {
    const UpsidePrices& p = prices_;
    const int64_t power = attacker.power;
    Wide without_target = 0;
    if (!attacker.only_minions && enemies.hero_attackable)
        without_target = std::max(without_target, power * (p.face_damage - p.capped_point));
    if (enemies.more_can_come) without_target = std::max(without_target, power * p.minion_damage);
    const Wide unhurt = std::max(attacker.survival, attacker.second_life);
    without_target += unhurt;
    AttackValues best{without_target, without_target, without_target, without_target};
    const Wide all_damage = power * p.minion_damage;
    const Wide retaliation = UNIT * positive_part(-Wide{turn_.weights.damage_taken});
    for (const auto& enemy : enemies.list) {
        if (!enemy.attackable) continue;
        Wide hit = enemy.shield;  // what the hit is worth if its damage does not count point by point
        if (attacker.removes) hit = std::max(hit, enemy.removal);
        Wide value = all_damage + enemy.healing + std::max(std::min(power, enemy.health) * enemy.point, hit);
        if (p.minion_damage < 0 && power > 1) {  // the attack may be worth more if the attacker is weakened first
            const Wide point = p.minion_damage + enemy.point;
            value = std::max({value, enemy.healing + std::max({point, std::min(power, enemy.health) * point,
                                                               p.minion_damage + hit})});
        }
        if (!attacker.retaliation_certain) {
            best.unsaved = std::max(best.unsaved, value + unhurt);
            continue;
        }
        value -= retaliation * enemy.attack;
        const Wide alive =
            std::max(attacker.survival - attacker.health_point * std::min<int64_t>(enemy.attack, attacker.health),
                     attacker.second_life);
        const auto dies = [&](int64_t extra_health) {
            return !attacker.survives && (enemy.attack >= attacker.health + extra_health || enemy.kills);
        };
        best.unsaved = std::max(best.unsaved, value + (dies(0) ? attacker.second_life : alive));
        best.mended = std::max(best.mended, value + (dies(attacker.extra_health) ? attacker.second_life : alive));
        best.saved = std::max(best.saved, value + alive);
        best.shielded = std::max(best.shielded, value + unhurt);
    }
    for (Wide* value : {&best.unsaved, &best.mended, &best.saved, &best.shielded}) *value += p.retaliation;
    return best;
}

// Collects the upsides of everything on the board and the purchases. Returns false if one has no bound.
bool Bound::collect(const State& state, Upside& table, Budget& budget) const {
    const Weights& w = turn_.weights;
    const Player& me = state.me();
    for (int side = 0; side < 2; ++side)
        for (const Minion& minion : state.sides[side].board) {
            if (!minion.card->has_effects && !minion.card->spell_damage && !(minion.keywords & REBORN)) continue;
            CardUpsides* upsides = upsides_.find(minion.card);
            if (upsides == nullptr) return false;
            if (!minion.silenced) table.add(upsides_.on_board(*upsides, side));
            if (minion.keywords & REBORN) {
                const bool token = side == 0 && turn_.survival_health(minion.id) == NO_HEALTH;
                table.add(upsides_.reborn(*upsides, side, token));
            }
            if (side == 0 && !minion.silenced) table.spell_damage += std::max(0, minion.card->spell_damage);
        }
    budget.mana = me.mana + table.mana;
    StaticVector<CardUpsides*, MAX_HAND_CARDS> hand;
    for (const HandCard& hand_card : me.hand) {
        CardUpsides* upsides = upsides_.find(hand_card.card);
        if (upsides == nullptr) return false;
        hand.push_back(upsides);
        if (hand_card.card->type == Type::hidden) continue;
        const int64_t mana = upsides_.played(*upsides, false).mana;
        if (mana && hand_card.card->keywords & ECHO) return false;
        budget.mana += mana;
    }
    CardUpsides* power = me.power && !me.power_used ? upsides_.find(me.power) : nullptr;
    if (power) budget.mana += upsides_.played(*power, false).mana;

    for (int index = 0; index < me.hand.size(); ++index) {
        const HandCard& hand_card = me.hand[index];
        const Card& card = *hand_card.card;
        if (card.type == Type::hidden || hand_card.cost > budget.mana) continue;
        const int32_t health = card.type == Type::minion ? turn_.survival_health(hand_card.id) : NO_HEALTH;
        const Wide survival = health == NO_HEALTH ? Wide{0} : positive_part(w.own_survival) * health;
        const Wide value = Wide{w.card_value} * hand_card.value;
        const Wide leaves_hand = hand_card.echo ? 0 : w.cards_in_hand;
        const Wide fixed = value + survival - Wide{w.mana_unused} * hand_card.cost - leaves_hand;
        const Upside& upside = upsides_.played(*hand[index], health == NO_HEALTH);
        budget.purchases.push_back({&upside, UNIT * fixed, 1, hand_card.cost});
        if (card.keywords & ECHO) {
            const int64_t cost = std::max(1, hand_card.cost), copies = (budget.mana - hand_card.cost) / cost;
            const Wide fixed_per_copy = UNIT * (value - Wide{w.mana_unused} * cost);
            const Upside& copy = upsides_.played(*hand[index], true);
            if (copies > 0) budget.purchases.push_back({&copy, fixed_per_copy, copies, cost});
        }
    }
    if (power && me.power->cost <= budget.mana) {
        const Wide fixed = UNIT * -Wide{w.mana_unused} * me.power->cost;
        budget.purchases.push_back({&upsides_.played(*power, false), fixed, 1, me.power->cost});
    }
    return add_returned_minions(table, budget);
}

// Heroes, mana, weapon and hand as they are. `lethal_share` is the part of the enemy hero's death in its health.
Wide Bound::as_they_are(const State& state, const Enemies& enemies, const Upside& everything, Wide lethal_share) const {
    const Weights& w = turn_.weights;
    const Player &me = state.me(), &enemy = state.enemy();
    const bool heal = upsides_.heroes_can_heal();
    int64_t enemy_life = w.enemy_health < 0 ? damage_to_kill(enemy.hero) : enemy.hero.health + enemy.hero.armor;
    if (w.enemy_health > 0 && heal) enemy_life += std::max(0, enemy.hero.max_health - enemy.hero.health);
    const auto heals = [](const Minion& minion) { return minion.keywords & LIFESTEAL && is_ready(minion); };
    const bool lifesteal = everything.attacks || std::ranges::any_of(me.board, heals) ||
                           (me.hero.keywords | (me.weapon.card ? me.weapon.keywords : 0)) & LIFESTEAL;
    int64_t own_healing = heal && lifesteal ? Upside::ANY_HEALING : everything.hero_healing;
    own_healing = std::min<int64_t>(own_healing, std::max(0, me.hero.max_health - me.hero.health));
    Wide total = enemies.standing + enemies.included + lethal_ - lethal_share;
    total += UNIT * Wide{w.enemy_health} * enemy_life;
    total += UNIT * positive_part(w.own_health) * (me.hero.health + own_healing + me.hero.armor);
    total += UNIT * Wide{w.mana_unused} * me.mana;
    total += UNIT * positive_part(w.weapon_durability) * (me.weapon.card ? me.weapon.durability : 0);
    for (const HandCard& hand_card : me.hand) {
        if (!hand_card.echo) total += UNIT * Wide{w.cards_in_hand};
        if (hand_card.card->keywords & TRADEABLE) total += UNIT * positive_part(-Wide{w.mana_unused});
    }
    return total;
}

Bound::OwnAttacks Bound::own_attacks(const State& state, const Enemies& enemies, const Upside& everything) const {
    const bool protects = everything.protects;
    const Weights& w = turn_.weights;
    const UpsidePrices& p = prices_;
    const Player& me = state.me();
    OwnAttacks result;
    result.strongest = strongest_attack(state);
    Wide& total = result.total;
    for (const Minion& minion : me.board) {
        const int32_t health = turn_.survival_health(minion.id);
        const int64_t token_weight = health == NO_HEALTH ? w.token_worth : 0;
        const Wide health_point = UNIT * positive_part(w.own_remaining_health + token_weight);
        const Wide survival = UNIT * (positive_part(w.own_attack + token_weight) * lasting_attack(minion) +
                                      positive_part(w.own_keywords) * keyword_count(minion) +
                                      (health == NO_HEALTH ? Wide{0} : positive_part(w.own_survival) * health)) +
                              health_point * minion.health;
        Wide second_life = 0;
        if (minion.keywords & REBORN) {
            second_life = upsides_.second_body(*minion.card, health == NO_HEALTH);
            if (health != NO_HEALTH) second_life += UNIT * positive_part(w.own_survival) * health;
        }
        // A minion that was weakened below its aura gets the whole aura beside the attack that an effect gives it.
        if (upsides_.aura_attack_can_return())
            total += std::max(0, minion.aura_attack - std::min(minion.attack, lasting_attack(minion))) *
                     (p.own_attack + p.max_attacks * p.attack_point);
        total += upsides_.restorable_health(minion) * p.own_health;
        if (!is_ready(minion)) {
            total += std::max(survival, second_life);
            continue;
        }
        Attacker attacker{
            .power = minion.attack,
            .removes = (minion.keywords & p.removing_keywords) != 0,
            .only_minions = minion.fresh && !(minion.keywords & CHARGE),
            .retaliation_certain = !protects,
        };
        // Each further attack counts as one that does not hurt the attacker.
        if (minion.attacks_left > 1) total += (minion.attacks_left - 1) * best_attack(enemies, attacker).unsaved;
        attacker.survival = survival;
        attacker.second_life = second_life;
        attacker.health = minion.health;
        attacker.survives = minion.keywords & (DIVINE_SHIELD | IMMUNE);
        if (!attacker.survives) attacker.health_point = health_point;
        attacker.extra_health =
            std::min<int64_t>(everything.healing, minion.max_health - minion.health) + everything.health;
        const AttackValues values = best_attack(enemies, attacker);
        total += values.unsaved;
        if (protects) continue;
        if (everything.mends) result.mends.add(values.mended - values.unsaved);
        result.saves.add(values.saved - values.unsaved);
        result.shields.add(values.shielded - values.unsaved);
    }
    if (me.hero.attacks_left > 0 && !(me.hero.keywords & (FROZEN | CANNOT_ATTACK))) {
        const uint32_t keywords = me.hero.keywords | (me.weapon.card ? me.weapon.keywords : 0);
        const Attacker hero{
            .power = std::max(0, hero_attack(me)),
            .removes = (keywords & p.removing_keywords) != 0,
            .retaliation_certain = !protects,
        };
        total += me.hero.attacks_left * best_attack(enemies, hero).unsaved;
    }
    return result;
}

// Whether the price `capped` may be used: what can heal the enemy hero during the attacks is known.
bool Bound::capped_holds(const Prospects& prospects) const {
    const Upside& everything = prospects.everything;
    if (everything.enemy_heals) return false;
    const bool lifesteal =
        everything.enemy_lifesteals || std::ranges::any_of(prospects.state.enemy().board, may_have_lifesteal);
    return !lifesteal || !(everything.protects || everything.enemy_summons || upsides_.silence_possible());
}

std::optional<Wide> Bound::sum(const State& state, Wide needed) const {
    Prospects prospects{state, {}, {}, {}, {}};
    const Budget& budget = prospects.budget;
    if (!collect(state, prospects.table, prospects.budget)) return {};
    if (upsides_.reactions_possible()) add_reactions(state, budget, prospects.table);

    Upside& everything = prospects.everything = prospects.table;
    for (const auto& purchase : budget.purchases) everything.add(*purchase.upside, purchase.times);
    if (everything.unbounded || (prices_.capped_point && !capped_holds(prospects))) return {};
    // Where the bound at the start is infinite, a character may get more attacks than the prices expect.
    int64_t most_attacks = state.me().hero.attacks_left;
    for (const Minion& minion : state.me().board) most_attacks = std::max<int64_t>(most_attacks, minion.attacks_left);
    if (most_attacks + everything.extra_attacks_each > prices_.max_attacks) return {};
    prospects.most_damage = most_damage(prospects);
    if (!upsides_.taunts_hold() || std::ranges::none_of(state.enemy().board, taunts))
        return lowest_sum(prospects, Reach::any, needed);
    return std::max(lowest_sum(prospects, Reach::only_taunts, needed),
                    lowest_sum(prospects, Reach::past_taunts, needed));
}

// The lowest sum found, or one below `needed`; nothing if no turn is of this case. Raises the price of one enemy minion
// after the other where that lowers the sum.
std::optional<Wide> Bound::lowest_sum(const Prospects& prospects, Reach reach, Wide needed) const {
    uint32_t raised = 0;
    Wide unpaid = 0;
    auto lowest = sum_at_prices(prospects, reach, raised, &unpaid);
    // Where no prices can prune the state, the first ones are as good as any.
    const bool pruning = needed != UNIT * Wide{AS_LOW_AS_POSSIBLE};
    if (!unpaid || (pruning && lowest && *lowest - unpaid >= needed)) return lowest;
    for (int index = 0; lowest && *lowest >= needed && index < prospects.state.enemy().board.size(); ++index) {
        const auto total = sum_at_prices(prospects, reach, raised | 1u << index);
        if (total >= lowest) continue;
        lowest = total;
        raised |= 1u << index;
    }
    return lowest;
}

std::optional<Wide> Bound::sum_at_prices(const Prospects& prospects, Reach reach, uint32_t raised, Wide* unpaid) const {
    const auto& [state, table, everything, budget, most_damage] = prospects;
    const Weights& w = turn_.weights;
    const UpsidePrices& p = prices_;
    const Player &me = state.me(), &enemy = state.enemy();
    Enemies enemies = price_enemies(prospects, reach, raised);
    if (enemies.impossible) return {};
    if (unpaid) *unpaid = enemies.unpaid;
    enemies.more_can_come = everything.enemy_summons > 0;
    const int64_t own_minions = me.board.size() + everything.own_summons;
    const int64_t enemy_minions = enemy.board.size() + everything.enemy_summons;

    const int64_t to_kill = damage_to_kill(enemy.hero);
    const Wide lethal_share = p.lethal_point * to_kill;
    const Wide hero_kill = lethal_share + UNIT * positive_part(-Wide{w.enemy_health}) * to_kill;
    Wide total = as_they_are(state, enemies, everything, lethal_share);
    if (everything.enemy_draws > std::ssize(enemy.deck)) total += hero_kill;
    // A trade draws a card and puts one back, so it does not shorten the deck.
    int64_t draws = std::min<int64_t>(everything.draws, std::ssize(me.deck));
    for (const HandCard& hand_card : me.hand)
        draws += (hand_card.card->keywords & TRADEABLE) && budget.mana > 0 && !me.deck.empty();
    total += UNIT * (positive_part(w.cards_drawn) + positive_part(w.cards_in_hand)) * draws;

    const OwnAttacks own = own_attacks(state, enemies, everything);
    total += own.total;
    const int64_t most_face_damage = int64_t{enemy.hero.health} + enemy.hero.armor - 1;
    // Before the last attack on the hero, or the last card that damages it, it is alive.
    const auto of_card = [&](const Upside& upside) {
        return upside.capped_damage + upside.capped_boosts * everything.spell_damage;
    };
    int64_t most_of_a_card = of_card(table);  // cards that it puts into the hand
    for (const auto& purchase : budget.purchases) most_of_a_card = std::max(most_of_a_card, of_card(*purchase.upside));
    total += p.capped_point *
             (most_face_damage + (ending_ == EnemyHero::survives ? 0 : std::max(own.strongest, most_of_a_card)));
    const Wide extra_attack =
        best_attack(enemies, {.power = own.strongest, .removes = upsides_.removal_by_damage_possible()}).unsaved;
    const auto saved = [&](const Upside& upside) {
        return own.mends.of(upside.mends) + own.saves.of(upside.saves) + own.shields.of(upside.shields);
    };
    // What a point of damage to an enemy minion adds, if it could also be to the enemy hero.
    const Wide more_than_hero = positive_part(p.minion_damage + enemies.best_point -
                                              std::max({Wide{0}, p.face_damage - p.capped_point, p.minion_damage}));
    const auto value = [&](const Upside& upside) {
        const int64_t boosted = upside.boosted_hits * everything.spell_damage;
        Wide harm = (upside.damage + boosted) * enemies.best_point + (upside.hits + boosted) * enemies.best_shield +
                    upside.any_damage * more_than_hero + upside.any_hits * enemies.best_shield;
        harm = std::min(harm, (upside.hits + upside.any_hits + boosted) * enemies.best_hit);
        harm += own_minions * upside.any_damage_per_own * more_than_hero;
        if (const int64_t to_all = upside.damage_to_all + upside.boosted_hits_on_all * everything.spell_damage)
            for (const auto& one : enemies.list) harm += std::min(to_all, one.health) * one.point + one.shield;
        return harm + upside.value + upside.per_own * own_minions + upside.per_enemy * enemy_minions +
               upside.per_summon * everything.own_summons +
               everything.spell_damage * (upside.per_spell_damage + upside.per_spell_damage_and_enemy * enemy_minions) +
               upside.removals * enemies.best_removal + upside.removals_of_all * enemies.all_removals +
               upside.hero_kills * hero_kill + upside.attacks * extra_attack +
               upside.new_attacks * enemies.best_healing;
    };
    const auto of_purchase = [&](const Budget::Purchase& purchase) { return purchase.fixed + value(*purchase.upside); };
    const auto with_saves = [&](const Budget::Purchase& purchase) {
        return of_purchase(purchase) + saved(*purchase.upside);
    };
    Wide most = value(table) + saved(table) + best_purchases(budget, with_saves);
    // Where they could count twice, all minions are saved in advance.
    const Wide all = everything.shields ? own.shields.all : everything.saves ? own.saves.all : own.mends.all;
    if (everything.mends * own.mends.best + everything.saves * own.saves.best + everything.shields * own.shields.best >
        all)
        most = std::min(most, all + value(table) + best_purchases(budget, of_purchase));
    return total + most;
}

std::optional<Rational> Bound::upper_bound(const State& state, std::optional<int64_t> needed) const {
    if (is_over(state, turn_.rules)) return Rational(end_score(turn_, state));
    const auto total = bounded_ ? sum(state, needed ? UNIT * Wide{*needed} : ANY_WILL_DO) : std::nullopt;
    if (!total) return {};
    // Without chance, true scores are integers, so the bound may be rounded down.
    const Wide remainder = *total % UNIT;
    const Wide down = *total / UNIT - (remainder < 0 ? 1 : 0);
    return Rational(upsides_.scores_are_integers() || remainder == 0 ? down : down + 1, 1);
}

}  // namespace planner::search
