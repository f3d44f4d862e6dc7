#include "vanilla/vanilla_plan.hpp"

#include "vanilla/legal_order.hpp"
#include "vanilla/packing.hpp"

namespace planner::vanilla {

// Do its words change nothing from now to the end of the turn of `me`, wherever it comes to stand and whether it dies?
static bool plain_words(const Card& card, bool ours) {
    if (!card.has_effects) return true;
    if (!card.effects(Trigger::death).empty() || !card.effects(Trigger::aura).empty()) return false;
    return !ours || (card.effects(Trigger::turn_end).empty() && !card.has_reactions);
}

static bool plain_minion(const Minion& minion, bool ours) {
    if (minion.aura_attack || minion.aura_health) return false;
    // One that was silenced comes back with its words.
    return plain_words(*minion.card, ours) || (minion.silenced && !(minion.keywords & REBORN));
}

static bool plain_card(const Player& me, const HandCard& hand_card) {
    const Card& card = *hand_card.card;
    if (card.keywords & TRADEABLE && me.mana >= 1 && me.deck_count) return false;
    if (card.type == Type::hidden || hand_card.cost > me.mana) return true;  // nothing in such a turn brings mana
    if (card.type != Type::minion || card.keywords & (ECHO | MAGNETIC)) return false;
    return plain_words(card, true) && card.effects(Trigger::play).empty();
}

bool only_bodies(const Turn& turn, const State& state) {
    if (is_over(state, turn.rules)) return true;
    const Player &me = state.me(), &enemy = state.enemy();
    if (me.power && me.power->type != Type::hidden && !me.power_used && me.power->cost <= me.mana) return false;
    for (const Minion& minion : me.board)
        if (!plain_minion(minion, true)) return false;
    for (const Minion& minion : enemy.board)
        if (!plain_minion(minion, false)) return false;
    for (const HandCard& hand_card : me.hand)
        if (!plain_card(me, hand_card)) return false;
    return true;
}

namespace {

constexpr int64_t CAREFUL_WORK = 1'000'000;  // then it is for a search that looks at states

// Tries the choices one by one where the best has no legal order, or earns less than it claims.
struct Careful {
    const Bodies& bodies;
    const Fights& fights;
    Limit& limit;
    const int64_t base;
    BodiesPlan& plan;
    Value best{INT64_MIN / 4, 0};

    void visit(const Choice& choice) {
        if (!limit.check_time()) return;
        const ChosenTurn chosen = chosen_turn(bodies, fights, choice);
        const OrderedTurn ordered = find_legal_order(bodies.turn, bodies.state, chosen, base + choice.value.worth, limit);
        if (!ordered.found) return;
        Value earned{ordered.score - base, choice.value.tie};
        if (ordered.hero_lives != choice.lives) earned.tie += ordered.hero_lives ? bodies.by_life : -bodies.by_life;
        if (earned <= best) return;
        best = earned;
        plan.worth = ordered.score;
        plan.hero_lives = ordered.hero_lives;
        plan.actions = ordered.actions;
    }
};

}  // namespace

// Finer units, so that prices can be rounded to them.
static int finer(Weights& w) {
    constexpr int SHIFT = 10;
    constexpr int64_t MOST = int64_t{1} << 36;
    for (const auto term : TERMS)
        if (w.*term > MOST || w.*term < -MOST) return 0;
    for (const auto term : TERMS) w.*term *= int64_t{1} << SHIFT;
    return SHIFT;
}

static BodiesPlan plan_finely(const Turn& turn, const State& state, Limit& limit, uint32_t prunes,
                              const std::vector<Id>* unit_order);

BodiesPlan plan_bodies(const Turn& turn, const State& state, Limit& limit, uint32_t prunes,
                       const std::vector<Id>* unit_order) {
    Turn fine = turn;
    const int shift = finer(fine.weights);
    BodiesPlan plan = plan_finely(fine, state, limit, prunes, unit_order);
    plan.worth >>= shift;
    if (plan.bound != INT64_MAX) plan.bound >>= shift;  // rounded down: a worth is whole
    return plan;
}

static BodiesPlan plan_finely(const Turn& turn, const State& state, Limit& limit, uint32_t prunes,
                              const std::vector<Id>* unit_order) {
    BodiesPlan plan;
    const int64_t base = end_score(turn, state);
    plan.worth = base;
    plan.bound = INT64_MAX;
    plan.hero_lives = state.me().hero.health > 0;
    if (is_over(state, turn.rules)) {
        plan.bound = plan.worth;
        plan.proved = end_allowed(turn, state);
        return plan;
    }
    Bodies bodies(turn, state, unit_order);
    const Weights& w = turn.weights;
    if (!read_bodies(bodies) || (w.enemy_health > 0 && bodies.enemy_heals)) return plan;
    Fights fights;
    if (!list_options(bodies, prunes & PRUNE_DOMINATED, fights)) return plan;
    Packing packing(bodies, fights, prunes, limit);
    if (!packing.listed()) return plan;
    Choice choice;
    const bool any = packing.best_choice(choice);
    if (packing.stopped()) {
        plan.bound = base + packing.bound();
        return plan;
    }
    if (!any) return plan;  // no end keeps the hard rules, as far as can be claimed
    const int64_t claimed = base + choice.value.worth;
    plan.bound = claimed;
    const OrderedTurn ordered = find_legal_order(turn, state, chosen_turn(bodies, fights, choice), claimed, limit);
    if (ordered.found && ordered.score == claimed && ordered.hero_lives == choice.lives) {
        plan.worth = claimed;
        plan.hero_lives = ordered.hero_lives;
        plan.actions = ordered.actions;
        plan.proved = true;
        return plan;
    }
    // Of two choices that use the same the worse one may have an order where the better has none: now nothing but the
    // bound leaves any out.
    Fights all;
    if (!list_options(bodies, false, all)) return plan;
    Limit little = limit;
    little.work = std::min(limit.work, CAREFUL_WORK);
    Packing careful(bodies, all, prunes & ~PRUNE_DOMINATED, little);
    if (!careful.listed()) return plan;
    Careful search{bodies, all, little, base, plan};
    if (end_allowed(turn, state)) search.best = {};
    careful.every_choice(search.best, [&](const Choice& found) { search.visit(found); });
    plan.proved = !careful.stopped() && !little.exhausted() && search.best.worth > INT64_MIN / 4;
    if (plan.proved) plan.bound = plan.worth;
    return plan;
}

}  // namespace planner::vanilla
