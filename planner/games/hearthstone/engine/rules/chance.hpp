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

// Where a run stopped for the next choice: a script that leads there, with the probability of all that go on alike.
struct PendingChoice {
    Script script;
    Undecided choice;
    Checkpoint checkpoint;  // the last one before the choice
};

// Merges runs that go on alike: with equal checkpoints, and equal choices since then.
class PendingChoices {
  public:
    void add(PendingChoice pending);
    const std::vector<PendingChoice>& list() const { return list_; }

  private:
    std::vector<PendingChoice> list_;
    std::unordered_multimap<uint64_t, size_t> indices_;
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
// every sequence of choices, one choice longer each round, and merges runs that go on alike. Finished runs are not
// merged: keeping their states would cost more than the value of each.
template <class Run, class ValueOf>
OutcomesOf<ValueOf> outcomes(const State& from, Run run, ValueOf value_of) try {
    OutcomesOf<ValueOf> result;
    std::vector<Script> scripts(1, Script{{}, 1});
    for (size_t runs = 0; !scripts.empty();) {
        runs += scripts.size();
        if (runs > MAX_RUNS) return without_chance(from, run, value_of);
        PendingChoices pending;
        for (const Script& script : scripts) {
            State state = from;
            Account account;
            FixedChoices choices(script.choices);
            choices.splits_at_once = true;
            Checkpoint checkpoint;
            choices.last_checkpoint = &checkpoint;
            try {
                run(state, account, choices);
                result.list.push_back({script.weight, value_of(state, account)});
            } catch (const Undecided& next) {
                pending.add({script, next, std::move(checkpoint)});
            }
        }
        scripts.clear();
        // All weights are multiplied by the same number, so that those of the next scripts are integers.
        std::vector<Options> options;
        Wide factor = 1;
        for (const PendingChoice& stop : pending.list()) {
            const Options& next = options.emplace_back(options_of(stop.choice));
            if (next.list.empty()) return without_chance(from, run, value_of);
            factor = product(factor, next.total / greatest_divisor(factor, next.total));
        }
        result.total_weight = product(result.total_weight, factor);
        for (auto& outcome : result.list) outcome.weight *= factor;
        for (size_t index = 0; index < options.size(); ++index) {
            const Script& before = pending.list()[index].script;
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
