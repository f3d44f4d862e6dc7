// The prices of a bound, and what they make of the enemy minions.
#include <algorithm>

#include "rules/table.hpp"
#include "search/bound_parts.hpp"

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
    const bool may_draw = table.draws || upsides_.reactions_possible();
    for (const HandCard& hand_card : me.deck) bounded_ &= !may_draw || hand_card.card->type == Type::hidden;
    if (!bounded_) return;
    max_attacks = std::max<int64_t>(max_attacks, upsides_.max_printed_attacks()) + table.extra_attacks_each;
    if (upsides_.reactions_possible()) count_actions_of_turn(max_attacks);

    const int64_t to_kill = std::max<int64_t>(1, damage_to_kill(start.enemy().hero));
    const Enemies enemies = price_enemies({start, {}, {}, {}, {}}, Reach::any, 0);
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
    const Wide most_kill_point = std::ranges::max(kill_points);
    std::optional<Wide> lowest;
    UpsidePrices best;
    const auto try_prices = [&](Wide kill_point, Wide taunt_point, int shield_share) {
        prices_ = UpsidePrices{};
        prices_.kill_point = kill_point;
        prices_.most_kill_point = std::max(kill_point, most_kill_point);
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
        const auto total = sum(start, ANY_WILL_DO);
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

// The least damage that can kill the hero: armor counts only if nothing bypasses it.
int64_t Bound::damage_to_kill(const Hero& hero) const {
    return int64_t{hero.health} + (upsides_.armor_can_be_bypassed() ? 0 : hero.armor);
}

// `raised` are the minions, as bits by position, of which each point of damage earns up to its share of the kill, and
// not only `kill_point`.
Bound::Enemies Bound::price_enemies(const Prospects& prospects, Reach reach, uint32_t raised) const {
    const Weights& w = turn_.weights;
    const auto& board = prospects.state.enemy().board;
    const MostDamage& most = prospects.most_damage;
    const Upside& everything = prospects.everything;
    const Wide threat = Wide{w.enemy_threat} + w.enemy_attack;
    const auto is_attackable = [&](const Minion& minion) {
        const bool hidden = minion.keywords & (STEALTH | IMMUNE) && !upsides_.silence_possible();
        return !hidden && (reach != Reach::only_taunts || taunts(minion) || upsides_.taunt_can_be_granted());
    };
    const auto can_die = [&](const Minion& minion) {
        return minion.health <= most.by_effects + (is_attackable(minion) ? most.by_attacks : 0);
    };
    const bool can_clear = std::ranges::all_of(board, can_die);
    const Wide clear = can_clear ? UNIT * positive_part(w.board_clear) : Wide{0};
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
        const uint32_t lasting = lasting_keywords(minion);
        const Wide keywords = std::popcount(lasting & counted);
        // What each point of attack counts for if the minion stays, and what it costs. A profile that rewards damage to
        // come gains nothing by freezing the minion, so that only the sum of both weights counts.
        const bool rewards_damage = w.damage_to_come > 0;
        const bool attacks = rewards_damage || !(lasting & (FROZEN | CANNOT_ATTACK));
        const int most_attacks = rewards_damage ? upsides_.most_attacks(minion) : attacks_per_turn(lasting);
        const Wide to_come = attacks ? Wide{w.damage_to_come} * most_attacks : Wide{0};
        const Wide reward = positive_part(rewards_damage ? threat + to_come : threat);
        const Wide cost = rewards_damage ? positive_part(-threat - to_come) : positive_part(-threat) - to_come;
        Wide death = UNIT * (cost * attack + positive_part(-Wide{w.enemy_keywords}) * keywords);
        const int64_t health = std::max(1, minion.health);
        enemies.standing += UNIT * reward * attack + prices_.enemy_health * minion.health +
                            prices_.enemy_keyword * keywords - death - lost_health * health;
        enemies.standing += prices_.enemy_health * upsides_.restorable_health(minion);
        const bool taunt = taunts(minion), removed = taunt && reach == Reach::past_taunts;
        if (!can_die(minion)) {
            if (removed) enemies.impossible = true;
            death = 0;
        }
        // A price above the full value, with the minion's share of a cleared board, only loosens the bound.
        const Wide full = (death + clear * health / total_health) / health + 1;
        const bool is_raised = raised >> enemies.list.size() & 1;
        const Wide kill_point = std::min(is_raised ? prices_.most_kill_point : prices_.kill_point, full);
        enemies.unpaid += positive_part(std::min(prices_.most_kill_point, full) - kill_point) * health;
        const Wide paid = (removed ? std::max(kill_point, prices_.taunt_point) : kill_point) * health;
        const Wide shield =
            minion.keywords & DIVINE_SHIELD ? paid * prices_.shield_share / UpsidePrices::SHARES : Wide{0};
        // A minion that is removed for certain pays its whole price, also beyond what its death is worth.
        enemies.included += removed ? death - paid : positive_part(death - paid);
        overpaid += removed ? Wide{0} : positive_part(paid - death);
        const bool can_heal = everything.enemy_lifesteals || may_have_lifesteal(minion);
        enemies.list.push_back({
            .health = health,
            .attack = minion.attack,
            .death = death,
            .point = (paid - shield + health - 1) / health + lost_health,
            .shield = shield,
            .removal = (removed ? paid : std::min(death + clear, paid)) + lost_health * health,
            .healing = can_heal ? prices_.capped_point * (int64_t{minion.attack} + everything.enemy_attack) : Wide{0},
            .kills = minion.keywords & POISONOUS && minion.attack > 0,
            .attackable = is_attackable(minion),
        });
        const auto& enemy = enemies.list.back();
        enemies.best_hit = std::max({enemies.best_hit, enemy.point * health, shield});
        enemies.best_shield = std::max(enemies.best_shield, shield);
        enemies.best_healing = std::max(enemies.best_healing, enemy.healing);
        enemies.best_point = std::max(enemies.best_point, enemy.point);
        enemies.best_removal = std::max(enemies.best_removal, enemy.removal);
        enemies.all_removals += enemy.removal;
    }
    enemies.included += board.empty() ? clear : positive_part(clear - overpaid);
    return enemies;
}

}  // namespace planner::search
