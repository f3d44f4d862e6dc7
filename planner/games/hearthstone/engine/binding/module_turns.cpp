// The functions of the extension module that search for turns; see turn/native.py.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>

#include "binding/module.hpp"
#include "search/search.hpp"

namespace planner::binding {

namespace {

constexpr int64_t MAX_WEIGHT = MAX_TERM / MAX_AMOUNT;  // the engine declines larger ones

// Skips actions that name an unknown id: they are never legal.
std::vector<Action> read_actions(const nb::list& list, const ConvertedState& converted) {
    std::vector<Action> actions;
    for (const nb::handle object : list)
        if (const auto action = converted.from_python(object)) actions.push_back(*action);
    return actions;
}

nb::object to_python(Wide number) {
    if (number >= INT64_MIN && number <= INT64_MAX) return nb::int_(static_cast<int64_t>(number));
    return (nb::int_(static_cast<int64_t>(number >> 64)) << nb::int_(64)) | nb::int_(static_cast<uint64_t>(number));
}

nb::tuple to_python(const Rational& number) {
    return nb::make_tuple(to_python(number.numerator), to_python(number.denominator));
}

nb::tuple to_python(const ConvertedState& converted, const SearchResult& result) {
    nb::list turns;
    for (const RankedTurn& turn : result.turns)
        turns.append(nb::make_tuple(converted.to_python(turn.actions), to_python(turn.score.score.numerator),
                                    to_python(turn.score.score.denominator)));
    return nb::make_tuple(turns, static_cast<int>(result.stopped), result.pruned, result.all_outcomes, result.states,
                          result.bound ? nb::object(to_python(*result.bound)) : nb::none());
}

// Searches without the GIL. Returns nothing if a number becomes too large.
std::optional<SearchResult> search_without_gil(const Turn& turn, const Query& query) {
    nb::gil_scoped_release released;
    try {
        return best_turns(turn, query);
    } catch (const TooLarge&) {
    } catch (const std::overflow_error&) {
    }
    return {};
}

nb::object best_turns_or_none(nb::handle state, const nb::tuple& weights, int64_t value_scale, const nb::list& rules,
                              const nb::list& banned, int turns, bool pessimistic, double seconds, uint64_t states,
                              uint32_t techniques, const nb::list& hint, bool break_ties) {
    Turn turn;
    const auto converted = read_turn(state, weights, value_scale, rules, banned, turn);
    if (!converted) return nb::none();
    Query query;
    query.turns = turns;
    query.chance_mode = pessimistic ? ChanceMode::Pessimistic : ChanceMode::Expected;
    query.limits = {seconds, states};
    query.techniques = techniques;
    query.hint = read_actions(hint, *converted);
    query.break_ties = break_ties;
    const auto result = search_without_gil(turn, query);
    return result ? nb::object(to_python(*converted, *result)) : nb::none();
}

nb::object compare_bound(nb::handle state, const nb::tuple& weights, int64_t value_scale, const nb::list& rules,
                         bool pessimistic, uint64_t states) {
    Turn turn;
    const auto converted = read_turn(state, weights, value_scale, rules, nb::list(), turn);
    if (!converted) return nb::none();
    Query query;
    query.chance_mode = pessimistic ? ChanceMode::Pessimistic : ChanceMode::Expected;
    query.limits.states = states;
    query.techniques = MERGE_STATES | MERGE_ACTIONS;  // without pruning
    query.compare_bound = true;
    const auto result = search_without_gil(turn, query);
    if (!result) return nb::none();
    return nb::make_tuple(result->states, result->compared, to_python(result->excess));
}

}  // namespace

bool read_weights(const nb::tuple& tuple, Weights& weights) {
    if (tuple.size() != std::size(TERMS)) throw nb::type_error("weights: expected one integer for each term");
    for (size_t index = 0; index < tuple.size(); ++index) {
        int overflow = 0;
        const long long weight = PyLong_AsLongLongAndOverflow(tuple[index].ptr(), &overflow);
        if (weight == -1 && PyErr_Occurred()) nb::raise_python_error();
        if (overflow || weight > MAX_WEIGHT || weight < -MAX_WEIGHT) return false;
        weights.*TERMS[index] = weight;
    }
    return true;
}

std::vector<ProfileRule> read_rules(const nb::list& list, const ConvertedState& converted) {
    std::vector<ProfileRule> rules;
    for (const nb::handle entry : list) {
        const auto [kind, keyword, ratio, name, amount] =
            nb::cast<std::tuple<int, uint32_t, std::pair<int64_t, int64_t>, nb::object, int32_t>>(entry);
        rules.push_back({static_cast<ProfileRule::Kind>(kind),
                         keyword,
                         {ratio.first, ratio.second},
                         converted.name_number(name),
                         amount});
    }
    return rules;
}

std::unique_ptr<ConvertedState> read_turn(nb::handle state, const nb::tuple& weights, int64_t value_scale,
                                          const nb::list& rules, const nb::list& banned, Turn& turn) {
    auto converted = ConvertedState::from_python(state, value_scale);
    if (!converted || !read_weights(weights, turn.weights)) return nullptr;
    for (const ProfileRule& rule : read_rules(rules, *converted)) turn.hard_rules.add(rule);
    turn.hard_rules.banned = read_actions(banned, *converted);
    turn.start = converted->state;
    turn.rules = converted->rules;
    turn.remember_health(converted->id_count());
    try {
        limit_requirements(turn);
    } catch (const TooLarge&) {
        return nullptr;
    } catch (const std::overflow_error&) {
        return nullptr;
    }
    return converted;
}

void define_turn_functions(nb::module_& module) {
    module.def("best_turns", &best_turns_or_none, nb::arg("state"), nb::arg("weights"), nb::arg("value_scale"),
               nb::arg("rules"), nb::arg("banned"), nb::arg("turns"), nb::arg("pessimistic"), nb::arg("seconds"),
               nb::arg("states"), nb::arg("techniques"), nb::arg("hint"), nb::arg("break_ties") = true,
               "Search for the best turns from a state; see turn/native.py. A limit of 0 means no limit.\n\n"
               "Return the turns as (actions, numerator and denominator of the score), why the search stopped, whether "
               "states were pruned, whether every outcome of chance was listed, the number of states, and a bound on "
               "the score or None; or None.");
    module.def("compare_bound", &compare_bound, nb::arg("state"), nb::arg("weights"), nb::arg("value_scale"),
               nb::arg("rules"), nb::arg("pessimistic"), nb::arg("states"),
               "Compare the bound with the true score at every state of a turn, for tests.\n\n"
               "Return the number of states, how many of them have a bound, and the largest excess of a true score "
               "over its bound; or None.");
}

}  // namespace planner::binding
