// Keys by which the search recognises equal states.
//
// A key leaves out what no rule, no term and no card within reach reads: the identity of equal minions and cards, their
// positions on a board, and the order of arrival of minions whose deaths and turn ends have no effect.
#pragma once

#include <cstdint>

#include "rules/effect_reads.hpp"
#include "search/score.hpp"

namespace planner::search {

// A hash of 128 bits: different states do not share one in practice.
struct Key {
    uint64_t a = 0, b = 0;
    auto operator<=>(const Key&) const = default;
};

// What a key must distinguish in this turn.
struct KeyOptions {
    uint32_t reads = NOTHING;  // what any card within reach reads (rules/effect_reads.hpp)
    bool every_id = false;     // ids matter, because the caller tells actions apart
};

// Derives the options from all cards that can enter the turn.
KeyOptions key_options(const Turn& turn);

// The key of a state and of everything in it: cards, attackers or targets with equal keys are interchangeable.
struct Keys {
    Key state;
    Key mine[MAX_MINIONS], theirs[MAX_MINIONS], hand[MAX_HAND_CARDS];
};

// Actions with equal keys in the same state are interchangeable.
struct ActionKey {
    uint8_t kind;
    Key source, target;
    auto operator<=>(const ActionKey&) const = default;
};
ActionKey action_key(const State& state, const Keys& keys, Action action);

void find_keys(const Turn& turn, const KeyOptions& options, const State& state, Keys& keys);

}  // namespace planner::search
