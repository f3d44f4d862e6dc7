#include "search/bound.hpp"

#include <algorithm>

namespace planner::search {

namespace {

int64_t attack_of(const Hero& hero, const Weapon& weapon) { return hero.attack_this_turn + (weapon.card ? weapon.attack : 0); }

// A card, or the hero power, that can be paid for, so many times: what it brings each time, and what comes with playing
// it whatever it brings.
struct Offer {
    const Gain* gain;
    Wide besides;
    int64_t times, cost;
};

}  // namespace

// The enemy's minions, as far as getting rid of them is worth something.
struct Bound::Enemies {
    struct One {
        int64_t health, attack;
        Wide point;    // what a point of harm to it is worth, up to its health
        Wide removal;  // what removing it at a stroke brings beyond what is given away in `free`
        bool kills;    // whomever it strikes
    } list[MAX_MINIONS];
    Wide worth_of[MAX_MINIONS];  // each one's death, but for its wounds
    int count = 0;
    bool more = false;  // others may come
    Wide standing = 0;  // what they count for as they stand
    Wide free = 0;      // what kills are worth beyond the price of the points of damage that they take
    Wide blow = 0;      // the most that one blow, however strong, can be worth but for what it deals
    Wide removal = 0, removal_of_all = 0;
};

// What may be bought: each offer at its price, all within the mana that there may be.
struct Bound::Purse {
    Offer offers[2 * MAX_HAND_CARDS + 1];
    int count = 0;
    int64_t mana = 0;
    void add(const Gain* gain, Wide besides, int64_t times, int64_t cost) { offers[count++] = {gain, besides, times, cost}; }
};

// The best that the mana can buy: a knapsack.
template <class Worth>
Wide Bound::best_purchase(const Purse& purse, const Worth& worth) {
    constexpr int64_t MOST_MANA = 40;
    Wide all = 0, best[MOST_MANA + 1] = {0};  // by the mana that may be spent
    int64_t cost = 0;
    for (int place = 0; place < purse.count; ++place) {
        const Offer& offer = purse.offers[place];
        const Wide brought = offer.besides + worth(*offer.gain);
        if (brought <= 0) continue;
        all += offer.times * brought;
        cost += offer.times * offer.cost;
        for (int64_t times = purse.mana > MOST_MANA ? 0 : offer.times; times > 0; --times)
            for (int64_t mana = purse.mana; mana >= offer.cost; --mana)
                best[mana] = std::max(best[mana], best[mana - offer.cost] + brought);
    }
    return cost <= purse.mana || purse.mana > MOST_MANA ? all : best[purse.mana];
}

Bound::Bound(const Turn& turn) : turn_(turn), gains_(turn) {
    // A made minion that takes the name of one that was there at the start would count for that one's health.
    known_ = gains_.known() && (turn.start.reserved_ids == nullptr || turn.start.reserved_ids->empty());
    // Whoever has more than the rules allow loses it by gaining some: no card's gain says so.
    const Player& me = turn.start.me();
    if (turn.weights.mana_unused < 0 && std::max(me.mana, me.crystals) > turn.rules.mana_limit) known_ = false;
    if (known_) choose_prices();
}

// Any prices give a bound; these give the least where the turn begins, among those at which some kill is paid in full.
void Bound::choose_prices() {
    const State& start = turn_.start;
    const Player& me = start.me();
    int64_t attacks = std::max(1, me.hero.attacks_left);
    for (const Minion& minion : me.board) attacks = std::max<int64_t>(attacks, minion.attacks_left);
    prices_ = UpsidePrices{};
    gains_.price(turn_, prices_, 1);
    Gain table;
    Purse purse;
    if (!open_hand(start, table, purse)) {
        known_ = false;
        return;
    }
    for (int place = 0; place < purse.count; ++place) table.add(*purse.offers[place].gain, purse.offers[place].times);
    for (const HandCard& hand_card : me.hand) table.draws += (hand_card.card->keywords & TRADEABLE) != 0;
    // What comes with a card that is drawn and known is not among what was looked at.
    for (int32_t place = 0; place < me.deck_count; ++place) known_ &= !table.draws || me.deck[place].card->type == Type::hidden;
    if (!known_) return;
    // Nobody has more attacks than one of these and all that can be given.
    attacks = std::max<int64_t>(attacks, gains_.most_printed_attacks()) + table.swings;

    const Wide lethal = UNIT * above_zero(turn_.weights.lethal);
    const Hero& target = start.enemy().hero;
    const int64_t life = std::max<int64_t>(1, int64_t{target.health} + (gains_.armor_may_be_bypassed() ? 0 : target.armor));
    const Wide for_lethal[] = {0, (lethal + life - 1) / life};
    Wide for_kills[MAX_MINIONS + 1] = {0};
    int count = 1;
    const Enemies enemies = look_at_enemies(start);  // at a price of 0 everything is free
    int64_t health = 0;
    for (int place = 0; place < enemies.count; ++place) health += enemies.list[place].health;
    const Wide clear = UNIT * above_zero(turn_.weights.board_clear);
    for (int place = 0; place < enemies.count; ++place)
        for_kills[count++] = enemies.worth_of[place] / enemies.list[place].health + clear / health + 1;
    Wide least = 0;
    UpsidePrices best;
    bool found = false;
    for (const Wide lethal_point : for_lethal)
        for (int place = 0; place < count; ++place) {
            prices_ = UpsidePrices{};
            prices_.kill_point = for_kills[place];
            prices_.lethal_point = lethal_point;
            gains_.price(turn_, prices_, attacks);
            Wide total;
            if (!sum(start, total)) continue;
            if (!found || total < least) {
                found = true;
                least = total;
                best = prices_;
            }
        }
    if (!found) best = prices_;
    prices_ = best;
    gains_.price(turn_, prices_, attacks);
}

Bound::Enemies Bound::look_at_enemies(const State& state) const {
    const Weights& w = turn_.weights;
    const auto& board = state.enemy().board;
    Enemies found;
    found.count = board.size();
    const Wide clear = UNIT * above_zero(w.board_clear);
    int64_t all_health = 0;
    for (const Minion& minion : board) all_health += std::max(1, minion.health);
    Wide slack = 0;
    for (int place = 0; place < board.size(); ++place) {
        const Minion& minion = board[place];
        const Wide attack = lasting_attack(minion), threat = Wide{w.enemy_threat} + w.enemy_attack;
        // A hit takes a shield at once, whatever it costs: it is not held against us.
        const uint32_t counted = w.enemy_keywords < 0 ? HELPFUL & ~DIVINE_SHIELD : HELPFUL;
        const Wide keywords = __builtin_popcount(minion.keywords & ~minion.keywords_this_turn & counted);
        Wide bad = above_zero(-threat) * attack + above_zero(-Wide{w.enemy_keywords}) * keywords;
        if (!(minion.keywords & (FROZEN | CANNOT_ATTACK)))
            bad += above_zero(-Wide{w.damage_to_come}) * attack * attacks_per_turn(minion.keywords);
        bad *= UNIT;
        const int64_t health = std::max(1, minion.health);
        const Wide wounds = UNIT * above_zero(-Wide{w.enemy_remaining_health}) * health;
        found.standing += prices_.enemy_attack * attack + prices_.enemy_health * minion.health +
                          prices_.enemy_keyword * keywords - bad - wounds;
        // Paying more than it is worth, with its share of a board without enemies, only loosens the bound.
        const Wide in_full = (bad + clear * health / all_health) / health + 1, point = std::min(prices_.kill_point, in_full);
        const Wide points = point * health;
        found.free += above_zero(bad - points);
        slack += above_zero(points - bad);
        found.worth_of[place] = bad;
        auto& one = found.list[place];
        one.health = health;
        one.attack = minion.attack;
        one.point = point + UNIT * above_zero(-Wide{w.enemy_remaining_health});
        found.blow = std::max(found.blow, one.point * health);
        one.kills = minion.keywords & POISONOUS && minion.attack > 0;
        one.removal = std::min(bad + clear, points) + wounds;
        found.removal = std::max(found.removal, one.removal);
        found.removal_of_all += one.removal;
    }
    found.free += board.size() ? above_zero(clear - slack) : clear;
    return found;
}

// The best that one attack can do, with what its attacker counts for at the end if it lives.
Wide Bound::attack(const Enemies& enemies, int64_t power, bool marks, bool only_minions, bool certain, bool safe,
                   int32_t health, Wide stays) const {
    const UpsidePrices& p = prices_;
    Wide best = 0;
    if (!only_minions) best = std::max(best, power * p.face_point);
    if (enemies.more) best = std::max(best, power * p.dealt);
    best += stays;
    for (int place = 0; place < enemies.count; ++place) {
        const auto& one = enemies.list[place];
        const Wide point_of_harm = p.dealt + one.point;
        Wide worth = power * p.dealt + std::min(power, one.health) * one.point;
        if (marks) worth = std::max(worth, power * p.dealt + one.removal);
        if (p.dealt < 0 && power > 1) {  // a blow that was weakened may be the better one
            worth = std::max({worth, point_of_harm, std::min(power, one.health) * point_of_harm});
            if (marks) worth = std::max(worth, p.dealt + one.removal);
        }
        if (certain) worth += above_zero(-Wide{turn_.weights.damage_taken}) * -UNIT * one.attack;
        if (!certain || safe || !(one.attack >= health || one.kills)) worth += stays;
        best = std::max(best, worth);
    }
    return best + p.struck_back;
}

// Everything that stands on the table and everything that can be paid for.
bool Bound::open_hand(const State& state, Gain& table, Purse& purse) const {
    const Weights& w = turn_.weights;
    const Player& me = state.me();
    for (int side = 0; side < 2; ++side)
        for (const Minion& minion : state.sides[side].board) {
            const CardGains* gains = gains_.of(minion.card);
            if (gains == nullptr) return false;
            if (!minion.silenced) table.add(gains->stands[side]);
            if (minion.keywords & REBORN) {
                const bool token = side == 0 && turn_.survival_health(minion.id) == NO_HEALTH;
                table.add(token ? gains->returns_as_token : gains->returns[side]);
            }
            if (side == 0 && !minion.silenced) table.spell_damage += std::max(0, minion.card->spell_damage);
        }
    purse.mana = me.mana + table.mana;
    for (const HandCard& hand_card : me.hand) {
        const CardGains* gains = gains_.of(hand_card.card);
        if (gains == nullptr) return false;
        if (hand_card.card->type == Type::hidden) continue;
        if (gains->played.mana && hand_card.card->keywords & ECHO) return false;
        purse.mana += gains->played.mana;
    }
    const CardGains* power = me.power && !me.power_used ? gains_.of(me.power) : nullptr;
    if (power) purse.mana += power->played.mana;

    for (const HandCard& hand_card : me.hand) {
        const Card& card = *hand_card.card;
        if (card.type == Type::hidden || hand_card.cost > purse.mana) continue;
        const CardGains& gains = *gains_.of(&card);
        const int32_t counted = card.type == Type::minion ? turn_.survival_health(hand_card.id) : NO_HEALTH;
        const Wide mine = card.type == Type::minion && counted != NO_HEALTH ? above_zero(w.own_survival) * counted : Wide{0};
        const Wide each = Wide{w.card_value} * hand_card.value;
        const Wide once = each + mine - Wide{w.mana_unused} * hand_card.cost - (hand_card.echo ? 0 : w.cards_in_hand);
        purse.add(counted == NO_HEALTH ? &gains.played_as_token : &gains.played, UNIT * once, 1, hand_card.cost);
        if (card.keywords & ECHO) {
            const int64_t cost = std::max(1, hand_card.cost), copies = (purse.mana - hand_card.cost) / cost;
            if (copies > 0)
                purse.add(&gains.played_as_token, UNIT * (each - Wide{w.mana_unused} * cost), copies, cost);
        }
    }
    if (power && me.power->cost <= purse.mana)
        purse.add(&power->played, UNIT * -Wide{w.mana_unused} * me.power->cost, 1, me.power->cost);
    return true;
}

bool Bound::sum(const State& state, Wide& total) const {
    const Weights& w = turn_.weights;
    const UpsidePrices& p = prices_;
    const Player &me = state.me(), &enemy = state.enemy();
    Gain table;
    Purse purse;
    if (!open_hand(state, table, purse)) return false;

    // All that may come together, for what depends on how many there are.
    Gain together = table;
    for (int place = 0; place < purse.count; ++place) {
        const Gain& gain = *purse.offers[place].gain;
        const int64_t times = purse.offers[place].times;
        together.own_arrivals += times * gain.own_arrivals;
        together.enemy_arrivals += times * gain.enemy_arrivals;
        together.spell_damage += times * gain.spell_damage;
        together.draws += times * gain.draws;
        together.enemy_draws += times * gain.enemy_draws;
        together.protects |= gain.protects;
        together.endless |= gain.endless;
    }
    if (together.endless) return false;
    Enemies enemies = look_at_enemies(state);
    enemies.more = together.enemy_arrivals > 0;
    const int64_t own_minions = me.board.size() + together.own_arrivals, enemy_minions = enemy.board.size() + together.enemy_arrivals;

    // Heroes, mana, weapon and hand as they are.
    const int64_t enemy_life = enemy.hero.health + enemy.hero.armor, my_health = me.hero.health;
    // The least harm that kills: armor counts only where nothing bypasses it.
    const int64_t harm_to_kill = gains_.armor_may_be_bypassed() ? enemy.hero.health : enemy_life;
    const Wide lethal = UNIT * above_zero(w.lethal), whole_life = prices_.lethal_point * harm_to_kill;
    const Wide felled = std::min(lethal, whole_life) + UNIT * above_zero(-Wide{w.enemy_health}) * harm_to_kill;
    const bool heals = gains_.hero_may_heal();
    total = enemies.standing + enemies.free + above_zero(lethal - whole_life);
    total += UNIT * (w.enemy_health < 0 ? Wide{w.enemy_health} * harm_to_kill
                                        : Wide{w.enemy_health} * (enemy_life + (heals ? std::max(0, enemy.hero.max_health - enemy.hero.health) : 0)));
    total += UNIT * above_zero(w.own_health) *
             ((heals ? std::max<int64_t>(my_health, me.hero.max_health) : my_health) + me.hero.armor);
    total += UNIT * Wide{w.mana_unused} * me.mana;
    total += UNIT * above_zero(w.weapon_durability) * (me.weapon.card ? me.weapon.durability : 0);
    for (const HandCard& hand_card : me.hand) total += hand_card.echo ? Wide{0} : UNIT * Wide{w.cards_in_hand};
    // A trade draws a card and lays one back, so the deck does not grow shorter by it.
    int64_t trades = 0;
    for (const HandCard& hand_card : me.hand) trades += (hand_card.card->keywords & TRADEABLE) && purse.mana > 0 && me.deck_count > 0;
    total += UNIT * (above_zero(w.cards_drawn) + above_zero(w.cards_in_hand)) *
             (trades + std::min<int64_t>(together.draws, me.deck_count));
    if (together.enemy_draws > enemy.deck_count) total += felled;
    for (const HandCard& hand_card : me.hand)
        if (hand_card.card->keywords & TRADEABLE) total += UNIT * above_zero(-Wide{w.mana_unused});

    // Our minions: what they count for, and their attacks.
    int64_t strongest = std::max<int64_t>(gains_.most_printed_attack(), attack_of(me.hero, me.weapon));
    for (const Minion& minion : me.board) {
        const int32_t counted = turn_.survival_health(minion.id);
        const int64_t token = counted == NO_HEALTH ? w.token_worth : 0;
        const Wide stays = UNIT * (above_zero(w.own_attack + token) * lasting_attack(minion) +
                                   above_zero(w.own_remaining_health + token) * minion.health +
                                   above_zero(w.own_keywords) * keyword_count(minion) +
                                   (counted == NO_HEALTH ? Wide{0} : above_zero(w.own_survival) * counted));
        strongest = std::max<int64_t>(strongest, minion.attack);
        // Weakened below its aura, it has all of that on top of what is printed where it is silenced.
        if (gains_.silence_possible())
            total += std::max(0, minion.aura_attack - std::min(minion.attack, lasting_attack(minion))) *
                     (p.own_attack + p.most_attacks * p.attack_point);
        const bool ready = minion.attacks_left > 0 && !(minion.keywords & (FROZEN | CANNOT_ATTACK)) &&
                           (!minion.fresh || minion.keywords & (CHARGE | RUSH));
        if (!ready) {
            total += stays;
            continue;
        }
        const bool marks = minion.keywords & p.marks, only_minions = minion.fresh && !(minion.keywords & CHARGE);
        const bool safe = minion.keywords & (DIVINE_SHIELD | IMMUNE | REBORN);
        if (minion.attacks_left == 1 && !together.protects) {
            total += attack(enemies, minion.attack, marks, only_minions, true, safe, minion.health, stays);
        } else {
            total += stays + minion.attacks_left *
                                 attack(enemies, minion.attack, marks, only_minions, !together.protects, true, 0, 0);
        }
    }
    if (me.hero.attacks_left > 0 && !(me.hero.keywords & FROZEN)) {
        const uint32_t keywords = me.hero.keywords | (me.weapon.card ? me.weapon.keywords : 0);
        total += me.hero.attacks_left * attack(enemies, std::max<int64_t>(0, attack_of(me.hero, me.weapon)), keywords & p.marks,
                                               false, !together.protects, true, 0, 0);
    }

    // What stands and what is bought, at the prices of this state.
    const Wide an_attack = attack(enemies, strongest, gains_.marks_possible(), false, false, true, 0, 0);
    auto worth = [&](const Gain& gain) {
        Wide harm = std::min((gain.points + gain.bonus_blows * together.spell_damage) * p.harm_to_minion,
                             (gain.blows + gain.bonus_blows * together.spell_damage) * enemies.blow);
        if (const int64_t on_all = gain.points_on_all + gain.bonus_on_all * together.spell_damage)
            for (int place = 0; place < enemies.count; ++place)
                harm += std::min(on_all, enemies.list[place].health) * enemies.list[place].point;
        return harm + gain.worth + gain.per_own * own_minions + gain.per_enemy * enemy_minions +
               gain.per_arrival * together.own_arrivals +
               together.spell_damage * (gain.per_bonus + gain.per_bonus_and_enemy * enemy_minions) +
               gain.removals * enemies.removal + gain.removals_of_all * enemies.removal_of_all + gain.fells * felled +
               gain.attacks * an_attack;
    };
    total += worth(table);
    total += best_purchase(purse, worth);
    return true;
}

bool Bound::most(const State& state, Rational& bound) const {
    if (is_over(state, turn_.rules)) {
        bound = end_score(turn_, state);
        return true;
    }
    Wide total;
    if (!known_ || !sum(state, total)) return false;
    // Where nothing is left to chance the truth is whole, and so no more than the whole part.
    const Wide whole = total / UNIT, rest = total % UNIT;
    const Wide down = rest < 0 ? whole - 1 : whole;
    bound = Rational(gains_.whole() || rest == 0 ? down : down + 1, 1);
    return true;
}

}  // namespace planner::search
