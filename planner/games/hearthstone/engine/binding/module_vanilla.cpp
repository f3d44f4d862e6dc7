// The functions of the extension module for vanilla turns and for the model of Guo 2025.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <array>

#include "binding/module.hpp"
#include "vanilla/attackers.hpp"
#include "vanilla/thesis_match.hpp"
#include "vanilla/vanilla_plan.hpp"

namespace planner::binding {

using namespace vanilla;

namespace {

nb::object plan_vanilla_or_none(nb::handle state, const nb::tuple& weights, int64_t value_scale, const nb::list& rules,
                                const nb::list& banned, uint32_t prunes, int64_t work) {
    Turn turn;
    const auto converted = read_turn(state, weights, value_scale, rules, banned, turn);
    if (!converted || !is_vanilla(turn, turn.start)) return nb::none();
    Limit limit;
    if (work) limit.work = work;
    VanillaPlan plan;
    {
        nb::gil_scoped_release released;
        plan = plan_vanilla(turn, turn.start, limit, prunes);
    }
    const nb::object bound = plan.bound == INT64_MAX ? nb::none() : nb::object(nb::int_(plan.bound));
    return nb::make_tuple(converted->to_python(plan.actions), plan.score, bound, plan.hero_lives, plan.proved);
}

nb::object resolve_hit_or_none(nb::handle python_state) {
    const auto converted = ConvertedState::from_python(python_state, 1);
    if (!converted) return nb::none();
    State& state = converted->state;
    if (state.me().board.empty() || state.enemy().board.empty()) return nb::none();
    int32_t taken;
    if (!resolve_hit(state.me().board[0], state.enemy().board[0], taken)) return nb::none();
    return converted->to_python(state);
}

// The bits of `ThesisReading` in turn/thesis_program.py.
ThesisReading read_reading(uint32_t bits) {
    return {.every_minion = (bits & 1) != 0,
            .survival_on_board_only = (bits & 2) != 0,
            .ceiling = (bits & 4) != 0,
            .most_actions = (bits & 8) != 0,
            .last_of_equals = (bits & 16) != 0};
}

nb::object thesis_choice(nb::handle state, const nb::tuple& weights, int64_t value_scale, uint32_t reading) {
    Turn turn;
    const auto converted = read_turn(state, weights, value_scale, nb::list(), nb::list(), turn);
    ThesisChoice choice;
    if (!converted || !best_thesis_choice(turn, read_reading(reading), choice)) return nb::none();
    return nb::make_tuple(choice.objective, choice.plays, choice.hits, choice.face);
}

// Plays one match for each pair of weights from the same deal. None: the engine declines the state or the weights.
nb::object thesis_matches(nb::handle state, const nb::list& pairings, int64_t value_scale, uint32_t reading,
                          bool skip_dead, bool count_optima) {
    const auto converted = ConvertedState::from_python(state, value_scale);
    if (!converted) return nb::none();
    const ThesisMatchOptions options{read_reading(reading), skip_dead, count_optima};
    std::vector<std::array<Weights, 2>> players(pairings.size());
    for (size_t index = 0; index < pairings.size(); ++index) {
        const auto pairing = nb::cast<nb::tuple>(pairings[index]);
        for (int seat = 0; seat < 2; ++seat)
            if (!read_weights(nb::cast<nb::tuple>(pairing[seat]), players[index][seat])) return nb::none();
    }
    std::vector<ThesisMatch> matches(pairings.size());
    std::vector<bool> played(pairings.size());
    {
        nb::gil_scoped_release released;
        for (size_t index = 0; index < players.size(); ++index) {
            const Weights weights[2] = {players[index][0], players[index][1]};
            played[index] = play_thesis_match(converted->state, converted->rules, weights, options, matches[index]);
        }
    }
    nb::list result;
    for (size_t index = 0; index < matches.size(); ++index) {
        const ThesisMatch& match = matches[index];
        if (played[index]) result.append(nb::make_tuple(match.winner, match.rounds, match.turns, match.several_optima));
        else result.append(nb::none());
    }
    return result;
}

}  // namespace

void define_vanilla_functions(nb::module_& module) {
    module.def("plan_vanilla", &plan_vanilla_or_none, nb::arg("state"), nb::arg("weights"), nb::arg("value_scale"),
               nb::arg("rules"), nb::arg("banned"), nb::arg("prunes") = uint32_t{PRUNE_ALL}, nb::arg("work") = 0,
               "Return the best turn of a state in which only vanilla minions are left, or None.\n\n"
               "The result has the actions, their score, a bound or None, whether the own hero survives, and whether "
               "the turn is proved optimal.");
    module.def("resolve_hit", &resolve_hit_or_none, nb::arg("state"),
               "Return the state after a hit of the first own minion on the first enemy minion, or None if it dies.\n\n"
               "Only the own minion changes.");
    module.def("thesis_choice", &thesis_choice, nb::arg("state"), nb::arg("weights"), nb::arg("value_scale"),
               nb::arg("reading") = 0,
               "Return the optimum of the model of Guo 2025 as objective, plays, hits and face attacks, or None.");
    module.def("thesis_matches", &thesis_matches, nb::arg("state"), nb::arg("pairings"), nb::arg("value_scale"),
               nb::arg("reading") = 0, nb::arg("skip_dead") = false, nb::arg("count_optima") = false,
               "Play a match under printed execution for each pair of weights, from the start of a turn.\n\n"
               "The result has for each the winning seat or -1, the rounds, the turns and the turns with several "
               "optima, or None where the model does not decompose. It is None if the engine declines the state.");
}

}  // namespace planner::binding
