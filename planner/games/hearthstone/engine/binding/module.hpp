// The functions of the extension module `planner.games.hearthstone._engine`.
#pragma once

#include <memory>

#include "binding/converted_state.hpp"
#include "search/score.hpp"

namespace planner::binding {

using namespace search;

// Reads the hard rules of a profile, as `hard_rules` of turn/native.py describes them.
std::vector<ProfileRule> read_rules(const nb::list& list, const ConvertedState& converted);

// Fills `turn`. Returns null if the engine declines the state or the weights.
std::unique_ptr<ConvertedState> read_turn(nb::handle state, const nb::tuple& weights, int64_t value_scale,
                                          const nb::list& rules, const nb::list& banned, Turn& turn);

// Reads the weight of every term, in the order of TERMS. Returns false if a weight is too large.
bool read_weights(const nb::tuple& tuple, Weights& weights);

void define_match_functions(nb::module_& module);
void define_turn_functions(nb::module_& module);
void define_vanilla_functions(nb::module_& module);

}  // namespace planner::binding
