// Every outcome of an action that depends on chance, with its exact probability; the counterpart of turn/chance.py.
#pragma once

#include <unordered_map>
#include <utility>
#include <vector>

#include "rules/rational.hpp"
#include "rules/rules.hpp"

namespace planner::rules {

// An expectation over more runs is too expensive. Effects of chance are then left out.
constexpr int MAX_RUNS = 1000;

struct Outcome {
    Rational probability;
    State state;
    Account account;
};

struct Outcomes {
    std::vector<Outcome> list;
    bool complete = true;  // false: too many outcomes; the list has one, without the effects of chance
};

bool same_state(const State& a, const State& b);  // every field, also in the middle of an action
uint64_t hash_of(const State& state, const Account& account);
// How many runs it takes to deal `times` hits among `count` targets: after each hit only the number of hits on each
// target matters.
int64_t estimated_runs(int64_t count, int64_t times);

// The choices of one run so far, and how probable they are.
struct Script {
    std::vector<int> choices;
    Rational probability;
};

// A state in which runs stopped for the next choice: one script that leads there, and the probability of all of them.
struct PendingChoice {
    Script script;
    Undecided choice;
    State state;
    Account account;
};

// Adds elements to a list and finds those with an equal state and account.
template <class T>
class Merger {
  public:
    explicit Merger(std::vector<T>& list) : list_(list) {}

    // Returns the element with this state and account that also satisfies `condition`, or null.
    template <class Condition>
    T* find(const State& state, const Account& account, Condition condition) {
        last_hash_ = hash_of(state, account);
        const auto [begin, end] = indices_.equal_range(last_hash_);
        for (auto entry = begin; entry != end; ++entry) {
            T& known = list_[entry->second];
            if (condition(known) && known.account == account && same_state(known.state, state)) return &known;
        }
        return nullptr;
    }

    // Call it after `find` has returned null for the same state and account.
    void add(T element) {
        indices_.emplace(last_hash_, list_.size());
        list_.push_back(std::move(element));
    }

  private:
    std::vector<T>& list_;
    std::unordered_multimap<uint64_t, size_t> indices_;
    uint64_t last_hash_ = 0;
};

// Returns the outcomes of `run(state, account, chance)` from this state. It runs every sequence of choices, one choice
// longer each round, and merges runs that stop in equal states.
template <class Run>
Outcomes outcomes(const State& from, Run run) {
    Outcomes result;
    auto without_chance = [&] {
        Outcome outcome{1, from, {}};
        FixedChoices none;
        none.certain_only = true;
        run(outcome.state, outcome.account, none);
        result.list.assign(1, outcome);
        result.complete = false;
        return result;
    };
    Merger<Outcome> finished(result.list);
    std::vector<Script> scripts(1, Script{{}, 1});
    for (int64_t runs = 0; !scripts.empty();) {
        runs += static_cast<int64_t>(scripts.size());
        if (runs > MAX_RUNS) return without_chance();
        std::vector<PendingChoice> pending_list;
        Merger<PendingChoice> pending(pending_list);
        for (const Script& script : scripts) {
            State state = from;
            Account account;
            FixedChoices choices(script.choices);
            try {
                run(state, account, choices);
                if (Outcome* known = finished.find(state, account, [](const Outcome&) { return true; }))
                    known->probability = known->probability + script.probability;
                else finished.add(Outcome{script.probability, state, account});
            } catch (const Undecided& next) {
                if (script.choices.empty() && estimated_runs(next.count, next.times) > MAX_RUNS)
                    return without_chance();
                const auto same_choice = [&](const PendingChoice& other) { return other.choice == next; };
                if (PendingChoice* known = pending.find(state, account, same_choice))
                    known->script.probability = known->script.probability + script.probability;
                else pending.add(PendingChoice{script, next, state, account});
            }
        }
        scripts.clear();
        for (const PendingChoice& stop : pending_list)
            for (int32_t choice = 0; choice < stop.choice.count; ++choice) {
                Script next = stop.script;
                next.choices.push_back(choice);
                next.probability = stop.script.probability * Rational(1, stop.choice.count);
                scripts.push_back(std::move(next));
            }
    }
    return result;
}

}  // namespace planner::rules
