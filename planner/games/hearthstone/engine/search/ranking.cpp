// The actions of the best turn, and the next-best turns, from the scores in the memo.
#include <algorithm>
#include <queue>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "search/searcher.hpp"
#include "vanilla/vanilla_plan.hpp"

namespace planner::search {

namespace {

constexpr int64_t MAX_TIE_BREAK_STATES = 300'000;  // beyond it, the first best turn in legal order is returned

// The actions without their order.
std::vector<uint64_t> action_set(const std::vector<Action>& path) {
    std::vector<uint64_t> numbers;
    for (const Action& action : path)
        numbers.push_back(uint64_t{action.kind} << 32 | uint64_t{action.source} << 16 | action.target);
    std::ranges::sort(numbers);
    return numbers;
}

}  // namespace

// Every action that starts a best rest of a vanilla turn from this state, or the rest by the vanilla solver.
vanilla::Continuation Searcher::continuations(const State& state, const TurnScore& rest,
                                              const std::vector<Id>& unit_order) {
    vanilla::Continuation continuation;
    if (end_turn(state) == rest) return continuation;
    // A minion that was reborn has moved to the right; its targets are still compared in the order of the start.
    State ordered = state;
    std::ranges::stable_sort(ordered.enemy().board, {}, [&](const Minion& minion) {
        return std::ranges::find(unit_order, minion.id) - unit_order.begin();
    });
    if (solve_vanilla(ordered, continuation.rest, &unit_order)) {
        continuation.is_solved = true;
        return continuation;
    }
    ActionList legal;  // also equivalent actions: the tie-break tells them apart
    legal_actions(state, turn_.rules, legal);
    for (const Action& action : legal) {
        if (action.kind == Action::end_turn || !action_allowed(turn_, state, action)) continue;
        State next;
        Step step;
        if (!apply(state, action, next, step)) continue;
        Keys keys;
        find_keys(turn_, key_options_, next, keys);
        const Memo::Entry* entry = memo_.find(keys.state);
        if (entry == nullptr || !entry->exact || !(plus(entry->rest, step.earned, 1) == rest)) continue;
        continuation.next.push_back({action, next, entry->rest});
    }
    return continuation;
}

// Appends the rest of a vanilla turn that comes first in the tie-break order. Returns false if the rest is not vanilla
// or a limit is reached.
bool Searcher::break_ties(const State& state, const TurnScore& rest, std::vector<Action>& actions) {
    if (is_over(state, turn_.rules) || !vanilla::is_vanilla(turn_, state)) return false;
    Limit limit = time_left();
    limit.work = MAX_TIE_BREAK_STATES;
    const auto continue_from = [&](const State& from, const TurnScore& score, const std::vector<Id>& unit_order) {
        return continuations(from, score, unit_order);
    };
    const vanilla::TieBreak tie_break = vanilla::break_ties(turn_, state, rest, continue_from, limit);
    actions.insert(actions.end(), tie_break.actions.begin(), tie_break.actions.end());
    return tie_break.found;
}

// Appends the rest of a turn with this score: in each state the first action that keeps the score.
void Searcher::reconstruct(State state, TurnScore rest, std::vector<Action>& actions) {
    while (!(end_turn(state) == rest)) {
        if (solve_vanilla(state, actions)) return;
        if (result_.stopped == Stopped::finished && break_ties(state, rest, actions)) return;
        std::vector<Action> candidates;
        Keys keys;
        find_keys(turn_, key_options_, state, keys);
        candidate_actions(state, keys, candidates);
        bool found = false;
        for (const Action& action : candidates) {
            State next;
            Step step;
            // What the actions so far have earned: an integer, since chance ends a turn.
            const Rational before = best_.score.score + -rest.score;
            const int64_t earned = static_cast<int64_t>(before.numerator);
            const bool certain = apply(state, action, next, step, before.denominator == 1 ? &earned : nullptr);
            if (certain) {
                find_keys(turn_, key_options_, next, keys);
                const Memo::Entry* entry = memo_.find(keys.state);
                if (entry == nullptr || !entry->exact) continue;
                step.rest = entry->rest;
            }
            if (!(plus(step.rest, step.earned, 1) == rest)) continue;
            actions.push_back(action);
            if (!certain) return;
            state = next;
            rest = step.rest;
            found = true;
            break;
        }
        if (!found) throw std::logic_error("the memo lacks a state of the best turn");
    }
}

// Finds the first order of these actions, by the order of the legal actions, that has this score.
bool Searcher::find_legal_order(const State& state, const std::vector<Action>& left, const TurnScore& rest,
                                std::vector<Action>& order, std::set<Key>& failed) {
    if (left.empty()) return end_turn(state) == rest;
    KeyOptions by_id = key_options_;
    by_id.every_id = true;
    Keys keys;
    find_keys(turn_, by_id, state, keys);
    // The actions that are left follow from the state, so one key is enough for both.
    if (failed.contains(keys.state)) return false;
    ActionList legal;
    legal_actions(state, turn_.rules, legal);
    for (const Action& action : legal) {
        const auto found = std::ranges::find(left, action);
        if (found == left.end() || !action_allowed(turn_, state, action)) continue;
        State next;
        Step step;
        if (!apply(state, action, next, step)) {
            if (left.size() > 1 || !(plus(step.rest, 0, 1) == rest)) continue;
            order.push_back(action);
            return true;
        }
        std::vector<Action> remaining = left;
        remaining.erase(remaining.begin() + (found - left.begin()));
        order.push_back(action);
        if (find_legal_order(next, remaining, plus(rest, -step.earned, -1), order, failed)) return true;
        order.pop_back();
    }
    failed.insert(keys.state);
    return false;
}

// Appends the next-best turns: a best-first search, in which the memo has the exact rest of every state.
void Searcher::find_next_best(std::vector<RankedTurn>& turns) {
    struct Node {
        TurnScore total;
        uint64_t number;  // breaks ties: the node that was created first
        bool complete;
        int64_t earned;
        State state;
        std::vector<Action> path;
        bool operator<(const Node& other) const {
            if (other.total.better_than(total)) return true;
            return !total.better_than(other.total) && other.number < number;
        }
    };
    KeyOptions by_id = key_options_;
    by_id.every_id = true;
    std::set<std::vector<uint64_t>> returned;
    std::set<std::tuple<Key, int64_t, std::vector<uint64_t>>> visited;
    for (const RankedTurn& turn : turns) returned.insert(action_set(turn.actions));
    std::priority_queue<Node> queue;
    uint64_t number = 0;
    queue.push(Node{turns[0].score, number++, false, 0, turn_.start, {}});
    while (!queue.empty() && turns.size() < static_cast<size_t>(query_.turns)) {
        const Node node = queue.top();
        queue.pop();
        if (node.complete) {
            if (!returned.insert(action_set(node.path)).second) continue;
            RankedTurn turn{node.total, {}};
            std::set<Key> failed;
            if (!find_legal_order(turn_.start, node.path, node.total, turn.actions, failed)) turn.actions = node.path;
            turns.push_back(std::move(turn));
            continue;
        }
        count_state();
        const int32_t done = static_cast<int32_t>(node.path.size());
        const TurnScore end = plus(end_turn(node.state), node.earned, done);
        if (end.feasible) queue.push(Node{end, number++, true, node.earned, node.state, node.path});
        ActionList legal;
        legal_actions(node.state, turn_.rules, legal);
        for (const Action& action : legal) {
            if (action.kind == Action::end_turn || !action_allowed(turn_, node.state, action)) continue;
            Node next{{}, number++, false, node.earned, {}, node.path};
            next.path.push_back(action);
            Step step;
            if (apply(node.state, action, next.state, step)) {
                Keys keys;
                find_keys(turn_, by_id, next.state, keys);
                next.earned += step.earned;
                // The same actions in another order may lead to the same state and earn more on the way.
                if (!visited.emplace(keys.state, next.earned, action_set(next.path)).second) continue;
                path_ = next.path;
                next.total = plus(solve(next.state, next.earned).score, next.earned, done + 1);
            } else {
                next.complete = true;
                next.total = plus(step.rest, node.earned, done + 1);
            }
            if (next.total.feasible) queue.push(std::move(next));
        }
    }
}

}  // namespace planner::search
