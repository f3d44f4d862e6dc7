// What chance can make of something: every outcome with its probability (planner/games/hearthstone/turn/chance.py).
#pragma once

#include <unordered_map>
#include <utility>
#include <vector>

#include "rules/rational.hpp"
#include "rules/rules.hpp"

namespace planner::rules {

constexpr int MOST_RUNS = 1000;  // an expectation over more is not cheap: then what chance decides is left out

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
uint64_t fingerprint(const State& state, const Account& account);  // equal for equals
bool same_account(const Account& a, const Account& b);

// Lists in which what has the same state and account stands once.
template <class Thing>
class Merging {
  public:
    explicit Merging(std::vector<Thing>& list) : list_(list) {}
    // The one that is there already, or null.
    template <class Also>
    Thing* find(const State& state, const Account& account, Also also) {
        last_ = fingerprint(state, account);
        const auto [begin, end] = places_.equal_range(last_);
        for (auto at = begin; at != end; ++at) {
            Thing& known = list_[at->second];
            if (also(known) && same_account(known.account, account) && same_state(known.state, state)) return &known;
        }
        return nullptr;
    }
    // After a `find` in vain.
    void add(Thing thing) {
        places_.emplace(last_, list_.size());
        list_.push_back(std::move(thing));
    }

  private:
    std::vector<Thing>& list_;
    std::unordered_multimap<uint64_t, size_t> places_;
    uint64_t last_ = 0;
};

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
    Merging<Possible> merged(result.list);
    std::vector<Script> scripts(1, Script{{}, 1});
    for (int64_t runs = 0; !scripts.empty();) {
        runs += static_cast<int64_t>(scripts.size());
        if (runs > MOST_RUNS) return certain_only();
        std::vector<Stop> stops;
        Merging<Stop> stopped(stops);
        for (const Script& script : scripts) {
            State state = from;
            Account account;
            Told told(script.told.data(), static_cast<int>(script.told.size()));
            try {
                run(state, account, told);
                if (Possible* known = merged.find(state, account, [](const Possible&) { return true; }))
                    known->probability = known->probability + script.probability;
                else
                    merged.add(Possible{script.probability, state, account});
            } catch (const Undecided& chance) {
                if (script.told.empty() && likely_runs(chance.count, chance.times) > MOST_RUNS) return certain_only();
                if (Stop* known = stopped.find(state, account, [&](const Stop& s) { return s.count == chance.count; }))
                    known->script.probability = known->script.probability + script.probability;
                else
                    stopped.add(Stop{script, chance.count, state, account});
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

}  // namespace planner::rules
