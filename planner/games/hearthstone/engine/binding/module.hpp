// The functions of the extension module `planner.games.hearthstone._engine`.
#pragma once

#include <memory>

#include "binding/converted_state.hpp"
#include "search/score.hpp"

namespace planner::binding {

using namespace search;

// The limits that a profile sets on a turn, as turn/native.py passes them; None without any.
using HardRulesTuple = nb::object;

// Fills `turn`. Returns null if the engine declines the state or the weights.
std::unique_ptr<ConvertedState> read_turn(nb::handle state, const nb::tuple& weights, int64_t value_scale,
                                          const HardRulesTuple& hard_rules, const nb::list& banned, Turn& turn);

// Reads the weight of every term, in the order of TERMS. Returns false if a weight is too large.
bool read_weights(const nb::tuple& tuple, Weights& weights);

void define_match_functions(nb::module_& module);
void define_turn_functions(nb::module_& module);
void define_vanilla_functions(nb::module_& module);

}  // namespace planner::binding
