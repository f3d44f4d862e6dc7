// What chance can make of something: every outcome with its probability (planner/games/hearthstone/turn/chance.py).
#pragma once

#include <vector>

#include "rational.hpp"
#include "rules.hpp"

namespace hearthstone {

constexpr int MOST_RUNS = 150;  // an expectation over more is not cheap: then what chance decides is left out

struct Possible {
    Rational probability;
    State state;
    Account account;
};

struct Outcomes {
    std::vector<Possible> list;
    bool complete = true;  // false: too many to list, so there is one, without what chance would decide
};

bool same_state(const State& a, const State& b);  // equal in everything, also in the middle of an action

// What can come of carrying this out, from this state, with a generator that is asked for everything.
template <class Run>
Outcomes outcomes(const State& from, Run run);

// -- how

struct Script {
    std::vector<uint8_t> told;
    Rational probability;
};
struct Stop {  // where runs stopped for a choice: one way to come there, and how probable all ways are
    Script script;
    int32_t count;
    State state;
    Account account;
};

int64_t likely_runs(int64_t count, int64_t times);
void add_possible(std::vector<Possible>& found, const Rational& probability, const State& state, const Account& account);
void add_stop(std::vector<Stop>& stops, const Script& script, int32_t count, const State& state, const Account& account);

template <class Run>
Outcomes outcomes(const State& from, Run run) {
    Outcomes result;
    auto certain_only = [&] {
        Possible one{1, from, {}};
        Told nothing;
        nothing.certain_only = true;
        run(one.state, one.account, nothing);
        result.list.assign(1, one);
        result.complete = false;
        return result;
    };
    std::vector<Script> scripts(1, Script{{}, 1});
    for (int64_t runs = 0; !scripts.empty();) {
        runs += static_cast<int64_t>(scripts.size());
        if (runs > MOST_RUNS) return certain_only();
        std::vector<Stop> stops;
        for (const Script& script : scripts) {
            State state = from;
            Account account;
            Told told(script.told.data(), static_cast<int>(script.told.size()));
            try {
                run(state, account, told);
                add_possible(result.list, script.probability, state, account);
            } catch (const Undecided& chance) {
                if (script.told.empty() && likely_runs(chance.count, chance.times) > MOST_RUNS) return certain_only();
                add_stop(stops, script, chance.count, state, account);
            }
        }
        scripts.clear();
        for (const Stop& stop : stops)
            for (int32_t choice = 0; choice < stop.count; ++choice) {
                Script next = stop.script;
                next.told.push_back(static_cast<uint8_t>(choice));
                next.probability = stop.script.probability * Rational(1, stop.count);
                scripts.push_back(std::move(next));
            }
    }
    return result;
}

}  // namespace hearthstone
