#include "vanilla/vanilla_plan.hpp"

#include "rules/rational.hpp"
#include "vanilla/legal_order.hpp"
#include "vanilla/packing.hpp"

namespace planner::vanilla {

// Returns whether the card's effects change nothing from now to the end of our turn, even if the minion dies.
static bool has_no_active_effects(const Card& card, bool ours) {
    if (!card.has_effects) return true;
    if (!card.effects(Trigger::death).empty() || !card.effects(Trigger::aura).empty()) return false;
    return !ours || (card.effects(Trigger::turn_end).empty() && !card.has_reactions);
}

static bool is_vanilla_minion(const Minion& minion, bool ours) {
    if (minion.aura_attack || minion.aura_health) return false;
    // A silenced minion that is reborn has its effects again.
    return has_no_active_effects(*minion.card, ours) || (minion.silenced && !(minion.keywords & REBORN));
}

static bool is_vanilla_card(const Player& me, const HandCard& hand_card) {
    const Card& card = *hand_card.card;
    if (card.keywords & TRADEABLE && me.mana >= 1 && !me.deck.empty()) return false;
    if (card.type == Type::hidden || hand_card.cost > me.mana) return true;  // a vanilla turn gains no mana
    if (card.type != Type::minion || card.keywords & (ECHO | MAGNETIC)) return false;
    return has_no_active_effects(card, true) && card.effects(Trigger::play).empty();
}

bool is_vanilla(const Turn& turn, const State& state) {
    if (is_over(state, turn.rules)) return true;
    if (!turn.rules.has_usual_attacks() || awaits_mulligan(state)) return false;
    const Player &me = state.me(), &enemy = state.enemy();
    if (std::max(me.board.size(), enemy.board.size()) > turn.rules.board_limit) return false;
    if (me.power && me.power->type != Type::hidden && !me.power_used && me.power->cost <= me.mana) return false;
    for (const Minion& minion : me.board)
        if (!is_vanilla_minion(minion, true)) return false;
    for (const Minion& minion : enemy.board)
        if (!is_vanilla_minion(minion, false)) return false;
    for (const HandCard& hand_card : me.hand)
        if (!is_vanilla_card(me, hand_card)) return false;
    return true;
}

namespace {

constexpr int64_t CAREFUL_WORK = 1'000'000;  // then the turn is left to the search over states

// Tries the choices one by one, where the best one has no legal order or earns less than it claims.
struct Careful {
    const VanillaTurn& vanilla;
    const Fights& fights;
    Limit& limit;
    const int64_t base;
    VanillaPlan& plan;
    Value best{INT64_MIN / 4, 0};

    void visit(const Choice& choice) {
        if (!limit.check_time()) return;
        const ChosenTurn chosen = chosen_turn(vanilla, fights, choice);
        const OrderedTurn ordered =
            find_legal_order(vanilla.turn, vanilla.state, chosen, base + choice.value.score, limit);
        if (!ordered.found) return;
        Value earned{ordered.score - base, choice.value.tie};
        if (ordered.hero_lives != choice.lives) earned.tie += ordered.hero_lives ? vanilla.by_life : -vanilla.by_life;
        if (earned <= best) return;
        best = earned;
        plan.score = ordered.score;
        plan.hero_lives = ordered.hero_lives;
        plan.actions = ordered.actions;
    }
};

}  // namespace

// Scales the weights to finer units, so that prices can be rounded to integers; if all scores fit after that.
static int finer(const State& state, Weights& w) {
    constexpr int SHIFT = 10;
    constexpr Wide MOST = Wide{1} << 40;  // of a weight times an amount: with 32 terms, 32 hits and SHIFT 60 bits
    int64_t largest = MAX_REACH;
    for (const Player& player : state.sides) {
        largest = std::max<int64_t>(largest, player.hero.max_health + player.hero.armor);
        for (const Minion& minion : player.board)
            largest = std::max<int64_t>({largest, minion.attack, minion.max_health, minion.card->health});
        for (const HandCard& hand_card : player.hand)
            largest = std::max<int64_t>({largest, hand_card.card->attack, hand_card.card->health, hand_card.cost});
    }
    for (const auto term : TERMS) {
        const Wide weight = std::max(w.*term, -(w.*term));
        if (weight * largest > MOST) return 0;
    }
    for (const HandCard& hand_card : state.me().hand)
        if (const Wide score = Wide{w.card_value} * hand_card.value; score > MOST || -score > MOST) return 0;
    for (const auto term : TERMS) w.*term *= int64_t{1} << SHIFT;
    return SHIFT;
}

static VanillaPlan plan_finely(const Turn& turn, const State& state, Limit& limit, uint32_t prunes,
                               const std::vector<Id>* unit_order, int64_t floor, bool one_by_one);

VanillaPlan plan_vanilla(const Turn& turn, const State& state, Limit& limit, uint32_t prunes,
                         const std::vector<Id>* unit_order, int64_t floor, bool one_by_one) {
    Turn fine = turn;
    const int shift = finer(state, fine.weights);
    // No score is outside of 60 bits, so a floor beyond them can be moved there.
    constexpr int64_t MOST = int64_t{1} << 60;
    if (floor != NO_FLOOR) floor = static_cast<int64_t>(std::clamp<Wide>(Wide{floor} << shift, -MOST, MOST));
    VanillaPlan plan = plan_finely(fine, state, limit, prunes, unit_order, floor, one_by_one);
    plan.score >>= shift;
    if (plan.bound != INT64_MAX) plan.bound >>= shift;  // rounded down: a score is an integer
    return plan;
}

static VanillaPlan plan_finely(const Turn& turn, const State& state, Limit& limit, uint32_t prunes,
                               const std::vector<Id>* unit_order, int64_t floor, bool one_by_one) {
    VanillaPlan plan;
    const int64_t base = end_score(turn, state);
    plan.score = base;
    plan.bound = INT64_MAX;
    plan.hero_lives = state.me().hero.health > 0;
    if (is_over(state, turn.rules)) {
        plan.bound = plan.score;
        plan.proved = end_allowed(turn, state);
        return plan;
    }
    VanillaTurn vanilla(turn, state, unit_order);
    const Weights& w = turn.weights;
    if (!read_vanilla_turn(vanilla) || (w.enemy_health > 0 && vanilla.enemy_heals)) return plan;
    Fights fights;
    if (!list_options(vanilla, prunes & PRUNE_DOMINATED, fights)) return plan;
    Packing packing(vanilla, fights, prunes, limit);
    if (!packing.listed()) return plan;
    Choice choice;
    const bool any = packing.best_choice(choice, floor == NO_FLOOR ? NO_FLOOR : floor - base);
    if (packing.stopped()) {
        plan.bound = base + packing.bound();
        return plan;
    }
    if (!any && floor != NO_FLOOR) {
        plan.bound = std::min(floor - 1, base + packing.bound());
        plan.below_floor = true;
        return plan;
    }
    if (!any) return plan;  // no end keeps the hard rules
    const int64_t claimed = base + choice.value.score;
    plan.bound = claimed;
    const OrderedTurn ordered = find_legal_order(turn, state, chosen_turn(vanilla, fights, choice), claimed, limit);
    if (ordered.found && ordered.score == claimed && ordered.hero_lives == choice.lives) {
        plan.score = claimed;
        plan.hero_lives = ordered.hero_lives;
        plan.actions = ordered.actions;
        plan.proved = true;
        return plan;
    }
    if (!one_by_one) return plan;
    // Of two choices with the same attackers, the worse one may have a legal order where the better one has none. So
    // dominated choices are tried now, too, and only the bound prunes.
    Fights all;
    if (!list_options(vanilla, false, all)) return plan;
    Limit little = limit;
    little.work = std::min(limit.work, CAREFUL_WORK);
    Packing careful(vanilla, all, prunes & ~PRUNE_DOMINATED, little);
    if (!careful.listed()) return plan;
    Careful search{vanilla, all, little, base, plan};
    if (end_allowed(turn, state)) search.best = {};
    careful.every_choice(search.best, [&](const Choice& found) { search.visit(found); });
    plan.proved = !careful.stopped() && !little.exhausted() && search.best.score > INT64_MIN / 4;
    if (plan.proved) plan.bound = plan.score;
    return plan;
}

}  // namespace planner::vanilla
