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
    uint64_t a, b;
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
    Key mine[MAX_MINIONS], theirs[MAX_MINIONS], hand[MAX_HAND_CARDS], enemy_hand[MAX_HAND_CARDS];
    int32_t ranks[2][MAX_MINIONS];  // of minions by their order of arrival, where it matters
};

// Actions with equal keys in the same state are interchangeable.
struct ActionKey {
    uint8_t kind;
    Key source, target;
    auto operator<=>(const ActionKey&) const = default;
};
ActionKey action_key(const State& state, const Keys& keys, Action action);

// Whether some minions of one side, or some cards in hand, have equal keys. Otherwise no two actions do.
bool any_equal(const State& state, const Keys& keys);

// A state whose keys are known. What a state has in common with it need not be hashed again.
struct KnownKeys {
    const State& state;
    const Keys& keys;
};

void find_keys(const Turn& turn, const KeyOptions& options, const State& state, Keys& keys,
               const KnownKeys* known = nullptr);

}  // namespace planner::search
