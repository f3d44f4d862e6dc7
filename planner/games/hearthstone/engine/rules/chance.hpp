// Every outcome of an action that depends on chance, with its exact probability; the counterpart of turn/chance.py.
#pragma once

#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "rules/rational.hpp"
#include "rules/rules.hpp"

namespace planner::rules {

// An expectation over more runs is too expensive. Effects of chance are then left out. As in turn/scoring.py.
constexpr size_t MAX_RUNS = 12'000;

// Every outcome of a random event, as the value that the caller wants to know of it.
template <class Value>
struct Outcomes {
    struct Outcome {
        Wide weight;  // its probability times `total_weight`
        Value value;
    };
    std::vector<Outcome> list;
    Wide total_weight = 1;
    // False: there are too many outcomes, or their probabilities do not fit; the list has one, without the effects of
    // chance.
    bool complete = true;
};

bool same_state(const State& a, const State& b);  // every field, also in the middle of an action
uint64_t hash_of(const State& state, const Account& account);

// The choices of one run so far, or the next ones, and how probable they are.
struct Script {
    std::vector<int> choices;
    Wide weight;
};

// Every way to make a choice, with weights that sum up to `total`. For split damage these are the possible numbers of
// hits on each target. Nothing if there are too many.
struct Options {
    std::vector<Script> list;
    Wide total;
};
Options options_of(const Undecided& choice);

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

template <class ValueOf>
using OutcomesOf = Outcomes<std::invoke_result_t<ValueOf, const State&, const Account&>>;

// Returns what `run` does without the effects of chance, as the only outcome.
template <class Run, class ValueOf>
OutcomesOf<ValueOf> without_chance(const State& from, Run run, ValueOf value_of) {
    State state = from;
    Account account;
    FixedChoices none;
    none.certain_only = true;
    run(state, account, none);
    return {{{1, value_of(state, account)}}, 1, false};
}

// Returns the outcomes of `run(state, account, chance)` from this state, each as `value_of(state, account)`. It runs
// every sequence of choices, one choice longer each round, and merges runs that stop for the next choice in equal
// states. Finished runs are not merged: keeping their states would cost more than the value of each.
template <class Run, class ValueOf>
OutcomesOf<ValueOf> outcomes(const State& from, Run run, ValueOf value_of) try {
    OutcomesOf<ValueOf> result;
    std::vector<Script> scripts(1, Script{{}, 1});
    for (size_t runs = 0; !scripts.empty();) {
        runs += scripts.size();
        if (runs > MAX_RUNS) return without_chance(from, run, value_of);
        std::vector<PendingChoice> pending_list;
        Merger<PendingChoice> pending(pending_list);
        for (const Script& script : scripts) {
            State state = from;
            Account account;
            FixedChoices choices(script.choices);
            choices.splits_at_once = true;
            try {
                run(state, account, choices);
                result.list.push_back({script.weight, value_of(state, account)});
            } catch (const Undecided& next) {
                const auto same_choice = [&](const PendingChoice& other) { return other.choice == next; };
                if (PendingChoice* known = pending.find(state, account, same_choice))
                    known->script.weight += script.weight;
                else pending.add(PendingChoice{script, next, state, account});
            }
        }
        scripts.clear();
        // All weights are multiplied by the same number, so that those of the next scripts are integers.
        std::vector<Options> options;
        Wide factor = 1;
        for (const PendingChoice& stop : pending_list) {
            const Options& next = options.emplace_back(options_of(stop.choice));
            if (next.list.empty()) return without_chance(from, run, value_of);
            factor = product(factor, next.total / greatest_divisor(factor, next.total));
        }
        result.total_weight = product(result.total_weight, factor);
        for (auto& outcome : result.list) outcome.weight *= factor;
        for (size_t index = 0; index < pending_list.size(); ++index) {
            const Script& before = pending_list[index].script;
            for (const Script& option : options[index].list) {
                Script next{before.choices, before.weight * (factor / options[index].total) * option.weight};
                next.choices.insert(next.choices.end(), option.choices.begin(), option.choices.end());
                scripts.push_back(std::move(next));
            }
        }
    }
    return result;
} catch (const TooLarge&) {
    return without_chance(from, run, value_of);
}

}  // namespace planner::rules
