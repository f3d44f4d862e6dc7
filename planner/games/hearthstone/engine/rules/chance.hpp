// Every outcome of an action that depends on chance, with its exact probability; see `outcomes` in turn/scoring.py.
#pragma once

#include <memory>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "rules/rational.hpp"
#include "rules/rules.hpp"

namespace planner::rules {

// An expectation over more runs is too expensive. Effects of chance are then left out. As in turn/scoring.py.
constexpr size_t MAX_RUNS = 12'000;

// The runs that listing may still make; the outcomes of an action and those of the end of the turn after each share
// them.
using RunBudget = size_t;

// Every outcome of a random event, as the value that the caller wants to know of it.
template <class Value>
struct Outcomes {
    struct Outcome {
        Wide weight;  // its probability times `total_weight`
        Value value;
    };
    std::vector<Outcome> list;
    Wide total_weight = 1;
};

// The choices of one run so far, or the next ones, and how probable they are.
struct Script {
    std::vector<int> choices;
    Wide weight;
};

// Every way to make a choice, with weights that sum up to `total`. For split damage these are the possible numbers of
// hits on each target. Nothing if there are more than `limit`, or too many to list.
struct Options {
    std::vector<Script> list;
    Wide total;
};
std::shared_ptr<const Options> options_of(const Undecided& choice, size_t limit);

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

// Returns the value of what `run` does without the effects of chance.
template <class Run, class ValueOf>
auto without_chance(const State& from, Run run, ValueOf value_of) {
    State state = from;
    Account account;
    FixedChoices none;
    none.certain_only = true;
    run(state, account, none);
    return value_of(state, account);
}

// Returns the outcomes of `run(state, account, chance)` from this state, each as `value_of(state, account)`. It runs
// every sequence of choices, one choice longer each round, and merges runs that go on alike. Finished runs are not
// merged: keeping their states would cost more than the value of each. Throws `TooLarge` if there are too many
// outcomes, or if their probabilities do not fit.
template <class Run, class ValueOf>
auto outcomes(const State& from, Run run, ValueOf value_of, RunBudget& budget) {
    Outcomes<std::invoke_result_t<ValueOf, const State&, const Account&>> result;
    std::vector<Script> scripts(1, Script{{}, 1});
    while (!scripts.empty()) {
        if (scripts.size() > budget) throw TooLarge();
        const bool first = result.list.empty() && scripts.front().choices.empty();
        budget -= scripts.size();
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
        if (first && pending.list().empty()) ++budget;  // nothing is random
        scripts.clear();
        // All weights are multiplied by the same number, so that those of the next scripts are integers.
        std::vector<std::shared_ptr<const Options>> options;
        Wide factor = 1;
        for (const PendingChoice& stop : pending.list()) {
            const Options& next = *options.emplace_back(options_of(stop.choice, budget));
            if (next.list.empty()) throw TooLarge();
            factor = product(factor, next.total / greatest_divisor(factor, next.total));
        }
        result.total_weight = product(result.total_weight, factor);
        for (auto& outcome : result.list) outcome.weight *= factor;
        for (size_t index = 0; index < options.size(); ++index) {
            const Script& before = pending.list()[index].script;
            for (const Script& option : options[index]->list) {
                Script next{before.choices, before.weight * (factor / options[index]->total) * option.weight};
                next.choices.insert(next.choices.end(), option.choices.begin(), option.choices.end());
                scripts.push_back(std::move(next));
            }
        }
    }
    return result;
}

}  // namespace planner::rules
