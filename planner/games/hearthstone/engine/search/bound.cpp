#include "search/bound.hpp"

#include <algorithm>

#include "rules/table.hpp"

namespace planner::search {

// Whether minions have what the auras in play give them. A caller may say otherwise, and then the next action changes
// them.
static bool auras_are_current(const Turn& turn) {
    State state = turn.start;
    Account account;
    FixedChoices choices;
    Table(state, turn.rules, choices, account).refresh_auras();
    return state.me().board == turn.start.me().board && state.enemy().board == turn.start.enemy().board;
}

static bool taunts(const Minion& minion) { return is_visible_taunt(minion.keywords); }

// The enemy minions, as far as removing them scores.
struct Bound::Enemies {
    struct Enemy {
        int64_t health, attack;
        Wide death;    // what its death is worth, apart from its lost health
        Wide point;    // what a point of damage to it is worth, up to its health
        Wide shield;   // what breaking its divine shield is worth; 0 without one
        Wide removal;  // what removing it at once adds beyond its part of `included`
        bool kills;    // it kills every minion that attacks it
        bool attackable;
    };
    StaticVector<Enemy, MAX_MINIONS> list;
    bool more_can_come = false, hero_attackable = true;
    Wide standing = 0;  // the score of all of them if they stay as they are
    Wide included = 0;  // the part of all kills that the prices of damage do not cover; every bound includes it
    Wide best_hit = 0;  // the most that one hit can be worth, apart from the damage it deals
    Wide best_shield = 0;
    Wide best_removal = 0, all_removals = 0;
};

// What the mana can buy: cards, echo copies and the hero power.
struct Bound::Budget {
    struct Purchase {
        const Upside* upside;
        Wide fixed;  // what comes with playing it
        int64_t times, cost;
    };
    StaticVector<Purchase, 2 * MAX_HAND_CARDS + 1> purchases;
    int64_t mana = 0;
};

// The best purchases within the mana: a knapsack. Without a knapsack, everything for large amounts of mana.
template <class Value>
Wide Bound::best_purchases(const Budget& budget, const Value& value) {
    constexpr int64_t MAX_MANA = 40;
    const bool solve = budget.mana <= MAX_MANA;
    Wide everything = 0, best[MAX_MANA + 1] = {0};  // best[m]: with m mana
    int64_t total_cost = 0;
    for (const auto& [upside, fixed, times, cost] : budget.purchases) {
        const Wide added = fixed + value(*upside);
        if (added <= 0) continue;
        everything += times * added;
        total_cost += times * cost;
        for (int64_t left = solve ? times : 0; left > 0; --left)
            for (int64_t mana = budget.mana; mana >= cost; --mana)
                best[mana] = std::max(best[mana], best[mana - cost] + added);
    }
    return total_cost <= budget.mana || !solve ? everything : best[budget.mana];
}

Bound::Bound(const Turn& turn, EnemyHero ending, HeroPrice price)
    : turn_(turn), ending_(ending), hero_price_(price), upsides_(turn) {
    if (ending != EnemyHero::survives) lethal_ = UNIT * positive_part(turn.weights.lethal);
    // A new minion with a reserved id would count for the health of its namesake.
    bounded_ = upsides_.bounded() && (turn.start.reserved_ids == nullptr || turn.start.reserved_ids->empty());
    // A player above the mana limit loses mana by gaining some, and no upside covers that.
    const Player& me = turn.start.me();
    if (turn.weights.mana_unused < 0 && std::max(me.mana, me.crystals) > turn.rules.mana_limit) bounded_ = false;
    // Above the hand limit, a trade burns the drawn card instead of replacing one.
    if (me.hand.size() > turn.rules.hand_limit) bounded_ = false;
    if (!turn.rules.has_usual_attacks() || !auras_are_current(turn)) bounded_ = false;
    if (price == HeroPrice::capped && upsides_.enemy_lifesteal_possible()) bounded_ = false;
    if (bounded_) choose_prices();
}

// Every choice of prices gives a bound. Takes the lowest bound at the start of the turn, among prices that pay for one
// of the kills in full.
void Bound::choose_prices() {
    const State& start = turn_.start;
    const Player& me = start.me();
    int64_t max_attacks = std::max(1, me.hero.attacks_left);
    for (const Minion& minion : me.board) max_attacks = std::max<int64_t>(max_attacks, minion.attacks_left);
    prices_ = UpsidePrices{};
    upsides_.set_prices(turn_, prices_, 1);
    Upside table;
    Budget budget;
    bounded_ = collect(start, table, budget);
    if (!bounded_) return;
    for (const auto& purchase : budget.purchases) table.add(*purchase.upside, purchase.times);
    for (const HandCard& hand_card : me.hand) table.draws += (hand_card.card->keywords & TRADEABLE) != 0;
    // The upsides do not cover a known card that is drawn.
    for (const HandCard& hand_card : me.deck) bounded_ &= !table.draws || hand_card.card->type == Type::hidden;
    if (!bounded_) return;
    max_attacks = std::max<int64_t>(max_attacks, upsides_.max_printed_attacks()) + table.extra_attacks_each;

    const int64_t to_kill = std::max<int64_t>(1, damage_to_kill(start.enemy().hero));
    const Enemies enemies = price_enemies(start, Reach::any);
    int64_t total_health = 0;
    for (const auto& enemy : enemies.list) total_health += enemy.health;
    const Wide clear = UNIT * positive_part(turn_.weights.board_clear);
    StaticVector<Wide, MAX_MINIONS + 1> kill_points;
    kill_points.push_back(0);
    for (const auto& enemy : enemies.list) kill_points.push_back(enemy.death / enemy.health + clear / total_health + 1);
    const auto any_enemy = [&](auto condition) { return std::ranges::any_of(start.enemy().board, condition); };
    const bool shields = !upsides_.shields_can_be_bypassed() &&
                         any_enemy([](const Minion& minion) { return (minion.keywords & DIVINE_SHIELD) != 0; });
    const Weights& w = turn_.weights;
    const Wide hero_point = UNIT * (Wide{w.face_damage} + positive_part(-Wide{w.enemy_health}));
    const Wide minion_point = UNIT * (Wide{w.minion_damage} + positive_part(-Wide{w.enemy_remaining_health}));
    std::optional<Wide> lowest;
    UpsidePrices best;
    const auto try_prices = [&](Wide kill_point, Wide taunt_point, int shield_share) {
        prices_ = UpsidePrices{};
        prices_.kill_point = kill_point;
        prices_.taunt_point = taunt_point;
        prices_.shield_share = shield_share;
        switch (hero_price_) {
            case HeroPrice::none: break;
            case HeroPrice::share: prices_.lethal_point = (lethal_ + to_kill - 1) / to_kill; break;
            case HeroPrice::like_minions:
                prices_.lethal_point = positive_part(kill_point + minion_point - hero_point);
                break;
            case HeroPrice::prohibitive: prices_.lethal_point = 2 * lethal_; break;
            case HeroPrice::capped: prices_.capped_point = positive_part(hero_point - minion_point - kill_point); break;
        }
        upsides_.set_prices(turn_, prices_, max_attacks);
        const auto total = sum(start);
        if (total && (!lowest || *total < *lowest)) {
            lowest = total;
            best = prices_;
        }
    };
    for (const Wide kill_point : kill_points) try_prices(kill_point, 0, 0);
    if (!lowest) return;
    if (shields && best.kill_point)
        for (const int shield_share : {2, 3}) try_prices(best.kill_point, 0, shield_share);
    if (upsides_.taunts_hold() && any_enemy(taunts)) {
        const UpsidePrices without = best;
        const Wide like_hero = positive_part(without.face_damage - without.minion_damage);
        for (const Wide taunt_point : {like_hero, std::max(like_hero, without.kill_point)})
            if (taunt_point) try_prices(without.kill_point, taunt_point, without.shield_share);
    }
    prices_ = best;
    upsides_.set_prices(turn_, prices_, max_attacks);
}

Bound::Enemies Bound::price_enemies(const State& state, Reach reach) const {
    const Weights& w = turn_.weights;
    const auto& board = state.enemy().board;
    const Wide clear = UNIT * positive_part(w.board_clear), threat = Wide{w.enemy_threat} + w.enemy_attack;
    const Wide lost_health = UNIT * positive_part(-Wide{w.enemy_remaining_health});
    // A hit removes a divine shield at once, so a shield does not count against us.
    const uint32_t counted = w.enemy_keywords < 0 ? HELPFUL & ~DIVINE_SHIELD : HELPFUL;
    int64_t total_health = 0;
    for (const Minion& minion : board) total_health += std::max(1, minion.health);
    Enemies enemies;
    enemies.hero_attackable = reach != Reach::only_taunts;
    Wide overpaid = 0;
    for (const Minion& minion : board) {
        const Wide attack = lasting_attack(minion);
        const Wide keywords = std::popcount(minion.keywords & ~minion.keywords_this_turn & counted);
        Wide death = positive_part(-threat) * attack + positive_part(-Wide{w.enemy_keywords}) * keywords;
        if (!(minion.keywords & (FROZEN | CANNOT_ATTACK)))
            death += positive_part(-Wide{w.damage_to_come}) * attack * attacks_per_turn(minion.keywords);
        death *= UNIT;
        const int64_t health = std::max(1, minion.health);
        enemies.standing += prices_.enemy_attack * attack + prices_.enemy_health * minion.health +
                            prices_.enemy_keyword * keywords - death - lost_health * health;
        if (upsides_.silence_possible())
            enemies.standing +=
                prices_.enemy_health * std::max(0, minion.card->health + minion.aura_health - minion.max_health);
        // A price above the full value, with the minion's share of a cleared board, only loosens the bound.
        const Wide full = (death + clear * health / total_health) / health + 1;
        const bool taunt = taunts(minion), removed = taunt && reach == Reach::past_taunts;
        const Wide kill_point = std::min(prices_.kill_point, full);
        const Wide paid = (removed ? std::max(kill_point, prices_.taunt_point) : kill_point) * health;
        const Wide shield =
            minion.keywords & DIVINE_SHIELD ? paid * prices_.shield_share / UpsidePrices::SHARES : Wide{0};
        // A minion that is removed for certain pays its whole price, also beyond what its death is worth.
        enemies.included += removed ? death - paid : positive_part(death - paid);
        overpaid += removed ? Wide{0} : positive_part(paid - death);
        const bool hidden = minion.keywords & (STEALTH | IMMUNE) && !upsides_.silence_possible();
        enemies.list.push_back({
            .health = health,
            .attack = minion.attack,
            .death = death,
            .point = (paid - shield + health - 1) / health + lost_health,
            .shield = shield,
            .removal = (removed ? paid : std::min(death + clear, paid)) + lost_health * health,
            .kills = minion.keywords & POISONOUS && minion.attack > 0,
            .attackable = !hidden && (reach != Reach::only_taunts || taunt || upsides_.taunt_can_be_granted()),
        });
        const auto& enemy = enemies.list.back();
        enemies.best_hit = std::max({enemies.best_hit, enemy.point * health, shield});
        enemies.best_shield = std::max(enemies.best_shield, shield);
        enemies.best_removal = std::max(enemies.best_removal, enemy.removal);
        enemies.all_removals += enemy.removal;
    }
    enemies.included += board.empty() ? clear : positive_part(clear - overpaid);
    return enemies;
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
        Wide value = all_damage + std::max(std::min(power, enemy.health) * enemy.point, hit);
        if (p.minion_damage < 0 && power > 1) {  // the attack may be worth more if the attacker is weakened first
            const Wide point = p.minion_damage + enemy.point;
            value = std::max({value, point, std::min(power, enemy.health) * point, p.minion_damage + hit});
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
    return true;
}

// The least damage that can kill the hero: armor counts only if nothing bypasses it.
int64_t Bound::damage_to_kill(const Hero& hero) const {
    return int64_t{hero.health} + (upsides_.armor_can_be_bypassed() ? 0 : hero.armor);
}

// Heroes, mana, weapon and hand as they are. `lethal_share` is the part of the enemy hero's death in its health.
Wide Bound::as_they_are(const State& state, const Enemies& enemies, Wide lethal_share) const {
    const Weights& w = turn_.weights;
    const Player &me = state.me(), &enemy = state.enemy();
    const bool heal = upsides_.heroes_can_heal();
    int64_t enemy_life = w.enemy_health < 0 ? damage_to_kill(enemy.hero) : enemy.hero.health + enemy.hero.armor;
    if (w.enemy_health > 0 && heal) enemy_life += std::max(0, enemy.hero.max_health - enemy.hero.health);
    const int64_t own_health = heal ? std::max(me.hero.health, me.hero.max_health) : me.hero.health;
    Wide total = enemies.standing + enemies.included + lethal_ - lethal_share;
    total += UNIT * Wide{w.enemy_health} * enemy_life;
    total += UNIT * positive_part(w.own_health) * (own_health + me.hero.armor);
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
    result.strongest = std::max(upsides_.max_printed_attack(), hero_attack(me));
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
        result.strongest = std::max<int64_t>(result.strongest, minion.attack);
        if (upsides_.silence_possible())
            result.strongest = std::max<int64_t>(result.strongest, minion.card->attack + minion.aura_attack);
        // A minion that was weakened below its aura gets the printed attack and the whole aura if it is silenced.
        // One whose health was set lower gets the printed health.
        if (upsides_.silence_possible())
            total += std::max(0, minion.card->health + minion.aura_health - minion.max_health) * p.own_health +
                     std::max(0, minion.aura_attack - std::min(minion.attack, lasting_attack(minion))) *
                         (p.own_attack + p.max_attacks * p.attack_point);
        const bool ready = minion.attacks_left > 0 && !(minion.keywords & (FROZEN | CANNOT_ATTACK)) &&
                           (!minion.fresh || minion.keywords & (CHARGE | RUSH));
        if (!ready) {
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
        const bool loses_health = me.hero.attacks_left == 1 && !upsides_.heroes_can_heal() &&
                                  !(me.hero.keywords & IMMUNE) && !upsides_.immunity_can_be_granted();
        const Attacker hero{
            .power = std::max(0, hero_attack(me)),
            .removes = (keywords & p.removing_keywords) != 0,
            .retaliation_certain = !protects,
            .health = me.hero.health + me.hero.armor,
            .health_point = loses_health ? UNIT * positive_part(w.own_health) : Wide{0},
        };
        total += me.hero.attacks_left * best_attack(enemies, hero).unsaved;
    }
    return result;
}

std::optional<Wide> Bound::sum(const State& state) const {
    Upside table;
    Budget budget;
    if (!collect(state, table, budget)) return {};

    // The amounts on which the value of other upsides depends, if everything happens.
    Upside everything = table;
    for (const auto& purchase : budget.purchases) {
        const Upside& upside = *purchase.upside;
        everything.own_summons += purchase.times * upside.own_summons;
        everything.enemy_summons += purchase.times * upside.enemy_summons;
        everything.spell_damage += purchase.times * upside.spell_damage;
        everything.draws += purchase.times * upside.draws;
        everything.enemy_draws += purchase.times * upside.enemy_draws;
        everything.saves += purchase.times * upside.saves;
        everything.mends += purchase.times * upside.mends;
        everything.healing += purchase.times * upside.healing;
        everything.health += purchase.times * upside.health;
        everything.shields += purchase.times * upside.shields;
        everything.protects |= upside.protects;
        everything.unbounded |= upside.unbounded;
    }
    if (everything.unbounded) return {};
    if (!upsides_.taunts_hold() || std::ranges::none_of(state.enemy().board, taunts))
        return sum_by_reach(state, table, everything, budget, Reach::any);
    return std::max(sum_by_reach(state, table, everything, budget, Reach::only_taunts),
                    sum_by_reach(state, table, everything, budget, Reach::past_taunts));
}

Wide Bound::sum_by_reach(const State& state, const Upside& table, const Upside& everything, const Budget& budget,
                         Reach reach) const {
    const Weights& w = turn_.weights;
    const UpsidePrices& p = prices_;
    const Player &me = state.me(), &enemy = state.enemy();
    Enemies enemies = price_enemies(state, reach);
    enemies.more_can_come = everything.enemy_summons > 0;
    const int64_t own_minions = me.board.size() + everything.own_summons;
    const int64_t enemy_minions = enemy.board.size() + everything.enemy_summons;

    const int64_t to_kill = damage_to_kill(enemy.hero);
    const Wide lethal_share = p.lethal_point * to_kill;
    const Wide hero_kill = lethal_share + UNIT * positive_part(-Wide{w.enemy_health}) * to_kill;
    Wide total = as_they_are(state, enemies, lethal_share);
    if (everything.enemy_draws > std::ssize(enemy.deck)) total += hero_kill;
    // A trade draws a card and puts one back, so it does not shorten the deck.
    int64_t draws = std::min<int64_t>(everything.draws, std::ssize(me.deck));
    for (const HandCard& hand_card : me.hand)
        draws += (hand_card.card->keywords & TRADEABLE) && budget.mana > 0 && !me.deck.empty();
    total += UNIT * (positive_part(w.cards_drawn) + positive_part(w.cards_in_hand)) * draws;

    const OwnAttacks own = own_attacks(state, enemies, everything);
    total += own.total;
    // Before the last attack on the hero, it is alive.
    const int64_t most_damage = int64_t{enemy.hero.health} + enemy.hero.armor - 1;
    total += p.capped_point * (most_damage + (ending_ == EnemyHero::survives ? 0 : own.strongest));
    const Wide extra_attack =
        best_attack(enemies, {.power = own.strongest, .removes = upsides_.removal_by_damage_possible()}).unsaved;
    const auto saved = [&](const Upside& upside) {
        return own.mends.of(upside.mends) + own.saves.of(upside.saves) + own.shields.of(upside.shields);
    };
    const auto value = [&](const Upside& upside) {
        const int64_t boosted = upside.boosted_hits * everything.spell_damage;
        Wide harm = (upside.damage + boosted) * p.minion_harm + (upside.hits + boosted) * enemies.best_shield;
        harm = std::min(harm, (upside.hits + boosted) * enemies.best_hit);
        if (const int64_t to_all = upside.damage_to_all + upside.boosted_hits_on_all * everything.spell_damage)
            for (const auto& one : enemies.list) harm += std::min(to_all, one.health) * one.point + one.shield;
        return harm + upside.value + upside.per_own * own_minions + upside.per_enemy * enemy_minions +
               upside.per_summon * everything.own_summons +
               everything.spell_damage * (upside.per_spell_damage + upside.per_spell_damage_and_enemy * enemy_minions) +
               upside.removals * enemies.best_removal + upside.removals_of_all * enemies.all_removals +
               upside.hero_kills * hero_kill + upside.attacks * extra_attack;
    };
    const auto value_with_saves = [&](const Upside& upside) { return value(upside) + saved(upside); };
    Wide most = value_with_saves(table) + best_purchases(budget, value_with_saves);
    // Where they could count twice, all minions are saved in advance.
    const Wide all = everything.shields ? own.shields.all : everything.saves ? own.saves.all : own.mends.all;
    if (everything.mends * own.mends.best + everything.saves * own.saves.best + everything.shields * own.shields.best >
        all)
        most = std::min(most, all + value(table) + best_purchases(budget, value));
    return total + most;
}

std::optional<Rational> Bound::upper_bound(const State& state) const {
    if (is_over(state, turn_.rules)) return Rational(end_score(turn_, state));
    const auto total = bounded_ ? sum(state) : std::nullopt;
    if (!total) return {};
    // Without chance, true scores are integers, so the bound may be rounded down.
    const Wide remainder = *total % UNIT;
    const Wide down = *total / UNIT - (remainder < 0 ? 1 : 0);
    return Rational(upsides_.scores_are_integers() || remainder == 0 ? down : down + 1, 1);
}

}  // namespace planner::search
