// What each effect reads of a state beyond the obvious numbers: the declarations that merging states rests on.
//
// Two states that differ only in something that no effect within reach reads have the same future. The search takes
// its permission to merge states and to skip equal actions from here (search/key.cpp). The switch has no default, and
// the build fails for an operation without a case, so a new effect must be declared. An effect that is not understood
// reads EVERYTHING. The Python search has the same declarations in cards/effect_reads.py, whose values these are; tests
// keep both equal, and carry effects out on permuted states to check them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "rules/cards.hpp"

namespace planner::rules {

enum Reads : uint32_t {
    NOTHING = 0,
    BOARD_POSITION = 1u << 0,  // which of several minions stands further left
    ARRIVAL_ORDER = 1u << 1,   // which of several minions entered earlier, also among minions without effects
    EVERYTHING = ~0u,
};

// Deaths, the end of a turn and reactions happen in order of arrival, so arrival matters for minions of this card.
inline bool acts_in_arrival_order(const Card& card) {
    return card.keywords & REBORN || !card.effects(Trigger::death).empty() ||
           !card.effects(Trigger::turn_end).empty() || card.has_reactions;
}

inline uint32_t effect_reads(const Effect& effect) {
    switch (effect.operation) {
        case Operation::damage:
        case Operation::heal:
        case Operation::armor:
        case Operation::summon:
        case Operation::destroy:
        case Operation::set_attack:
        case Operation::set_health:
        case Operation::silence:
        case Operation::freeze:
        case Operation::draw:
        case Operation::discard:
        case Operation::add:
        case Operation::equip:
        case Operation::hone:
        case Operation::disarm:
        case Operation::mana: return NOTHING;
        // A minion that is given reborn comes back in the order of deaths, which is the order of arrival.
        case Operation::buff: return effect.keywords & REBORN ? ARRIVAL_ORDER : NOTHING;
        // Several minions return from left to right until the hand is full.
        case Operation::to_hand:
            return effect.target.select == Select::all || effect.target.count > 1 ? BOARD_POSITION : NOTHING;
        // The new minion keeps the arrival of the old one.
        case Operation::transform:
            return std::ranges::any_of(effect.created, [](const Card* card) { return acts_in_arrival_order(*card); })
                       ? ARRIVAL_ORDER
                       : NOTHING;
        case Operation::hook: return EVERYTHING;
    }
    return EVERYTHING;
}

// What playing this card, or its presence on a board, can read.
inline uint32_t card_reads(const Card& card) {
    uint32_t reads = (card.keywords & MAGNETIC) && (card.keywords & REBORN) ? ARRIVAL_ORDER : NOTHING;
    for (const auto& effects : card.effects_by_trigger)
        for (const Effect& effect : effects) reads |= effect_reads(effect);
    return reads;
}

}  // namespace planner::rules
