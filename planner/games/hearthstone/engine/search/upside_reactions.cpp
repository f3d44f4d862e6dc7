// The reactions of own minions to actions of their owner.
//
// A reaction happens at most once for each action, and the actions of a turn can be counted: a spell is a card that is
// played, and an attack is left or granted. So that the count is complete, a reaction that leads to more of them has no
// finite bound.
#include <algorithm>
#include <utility>

#include "search/bound_parts.hpp"

namespace planner::search {

namespace {

int64_t times(const ActionCounts& counts, Trigger reaction, int64_t own_attacks) {
    switch (reaction) {
        case Trigger::cast:
        case Trigger::after_cast: return counts.spells;
        case Trigger::after_power: return counts.powers;
        case Trigger::after_swing: return counts.hero_attacks;
        default: return own_attacks + counts.granted_attacks;
    }
}

}  // namespace

void UpsideTable::inspect_reactions(const Card& card) {
    reactions_possible_ |= card.has_reactions;
    spells_have_reactions_ |= !card.effects(Trigger::cast).empty() || !card.effects(Trigger::after_cast).empty();
}

// What one reaction of a minion to one action can add.
Upside UpsideTable::of_reaction(const Card& card, Trigger trigger) {
    Upside upside;
    if (!open_reactions_.insert(&card).second) {
        upside.unbounded = true;
        return upside;
    }
    const uint32_t keywords = card.keywords | granted_keywords_;
    const bool playing = std::exchange(playing_, false);
    for (const Effect& effect : card.effects(trigger)) {
        upside.add(of_effect(effect, OURS, keywords, false));
        // An attacker that is transformed before the damage attacks as the new minion.
        upside.unbounded |= trigger == Trigger::attack && effect.operation == Operation::transform;
    }
    playing_ = playing;
    open_reactions_.erase(&card);
    upside.unbounded |= upside.attacks || upside.mana || upside.returns || (upside.spells && spells_have_reactions_);
    return upside;
}

void UpsideTable::add_reactions(CardUpsides& upsides, const ActionCounts& counts, int64_t own_attacks, Upside& total) {
    for (int reaction = FIRST_REACTION; reaction < TRIGGERS; ++reaction) {
        const Trigger trigger = Trigger(reaction);
        const int64_t count = times(counts, trigger, own_attacks);
        if (count == 0 || upsides.card->effects(trigger).empty()) continue;
        const Upside*& kept = upsides.reactions[reaction - FIRST_REACTION];
        if (!kept) kept = keep(of_reaction(*upsides.card, trigger));
        total.add(*kept, count);
    }
}

// The reactions of a minion that comes later: as often as there can be actions from the start of the turn.
Upside UpsideTable::of_later_reactions(const Card& card) {
    Upside upside;
    upside.unbounded = !actions_known_;
    const int64_t own_attacks = card.keywords & (CHARGE | RUSH) ? attacks_per_turn(card.keywords) : 0;
    for (int reaction = FIRST_REACTION; reaction < TRIGGERS; ++reaction)
        if (const Trigger trigger = Trigger(reaction); !card.effects(trigger).empty())
            upside.add(of_reaction(card, trigger), times(actions_, trigger, own_attacks));
    return upside;
}

// How often each action can happen in the rest of the turn, if everything on the board and every purchase happens.
ActionCounts Bound::count_actions(const State& state, const Upside& table, const Budget& budget) {
    int64_t spells = table.spells, attacks = table.attacks;
    for (const auto& purchase : budget.purchases) {
        spells += purchase.times * purchase.upside->spells;
        attacks += purchase.times * purchase.upside->attacks;
    }
    const Player& me = state.me();
    return {
        .spells = spells,
        .powers = me.power && !me.power_used,
        .hero_attacks = std::max(0, me.hero.attacks_left) + attacks,
        .granted_attacks = attacks,
    };
}

void Bound::count_actions_of_turn(int64_t max_attacks) {
    upsides_.set_prices(turn_, prices_, max_attacks);
    Upside table;
    Budget budget;
    collect(turn_.start, table, budget);
    const ActionCounts counts = count_actions(turn_.start, table, budget);
    add_reactions(turn_.start, budget, table);
    bool known = !table.unbounded;
    for (const auto& purchase : budget.purchases) known &= !purchase.upside->unbounded;
    upsides_.set_actions(counts, known);
}

void Bound::add_reactions(const State& state, const Budget& budget, Upside& table) const {
    const ActionCounts counts = count_actions(state, table, budget);
    for (const Minion& minion : state.me().board) {
        if (!minion.card->has_reactions || minion.silenced) continue;
        upsides_.add_reactions(*upsides_.find(minion.card), counts, is_ready(minion) ? minion.attacks_left : 0, table);
    }
}

}  // namespace planner::search
