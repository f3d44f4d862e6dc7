// When two states are the same for the rest of a turn: the key under which the search merges them.
//
// The key leaves out what no rule, no term and no card within reach reads: the identity of equal minions and cards, their
// positions, and the order of arrival of minions whose deaths and turn ends have no effect.
#pragma once

#include <cstdint>

#include "rules/effect_reads.hpp"
#include "search/score.hpp"

namespace planner::search {

using namespace rules;

struct Key {
    uint64_t a = 0, b = 0;  // 128 bits: that two different states share them by accident is out of the question
    bool operator==(const Key& other) const { return a == other.a && b == other.b; }
};

// Which differences matter in this turn, found once from all cards that can come into it.
struct Differences {
    uint32_t reads = NOTHING;  // what any card within reach reads (rules/effect_reads.hpp)
    bool every_id = false;         // the caller asks for turns by their actions, so who is who counts
};

Differences differences(const Turn& turn);

// A key for everything on the table that the rest of the turn can look at, and one for each thing on it: two cards,
// attackers or targets with equal keys can do, and suffer, the same.
struct Keys {
    Key state;
    Key mine[MAX_MINIONS], theirs[MAX_MINIONS], hand[MAX_HAND_CARDS];
};

void find_keys(const Turn& turn, const Differences& which, const State& state, Keys& keys);

}  // namespace planner::search
