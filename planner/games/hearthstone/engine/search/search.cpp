#include "search/search.hpp"

#include <algorithm>

#include "rules/chance.hpp"
#include "search/searcher.hpp"
#include "vanilla/vanilla_plan.hpp"

namespace planner::search {

namespace {

// In a small turn, visiting every state is cheaper than computing bounds.
constexpr uint64_t STATES_WITHOUT_BOUND = 100;
// And in a medium one, visiting more states is cheaper than trying several prices for each.
constexpr uint64_t STATES_WITHOUT_PRICES = 2000;
constexpr size_t BEAM_WIDTH = 4, WIDE_BEAM_WIDTH = 32;
// The share of the time for the vanilla solver; the rest is for finding a good turn by other means.
constexpr double VANILLA_TIME_SHARE = 0.7;

}  // namespace

void Searcher::count_state() {
    ++result_.states;
    const Limits& limits = query_.limits;
    if (result_.states > (limits.states ? limits.states : MAX_STATES)) throw LimitReached{Stopped::effort_limit};
    if (limits.seconds > 0) {
        const std::chrono::duration<double> elapsed = Limit::Clock::now() - started_;
        if (elapsed.count() > limits.seconds) throw LimitReached{Stopped::time_limit};
    }
}

Limit Searcher::time_left(double share) const {
    Limit limit;
    const std::chrono::duration<double> seconds(share * query_.limits.seconds);
    if (query_.limits.seconds > 0)
        limit.deadline = started_ + std::chrono::duration_cast<Limit::Clock::duration>(seconds);
    return limit;
}

// -- depth-first search

// Keeps the path to the current state if it is the best turn so far. `rest` is the score of what follows it.
void Searcher::consider(int64_t earned, const TurnScore& rest) {
    const TurnScore total = plus(rest, earned, static_cast<int32_t>(path_.size()));
    if (total.better_than(best_.score)) best_ = {total, path_};
}

bool Searcher::has_bound(const State& state) {
    return highest_score_ || std::ranges::all_of(bounds_, [&](BoundFamily& family) {
               for (size_t index = 0; index < family.size(); ++index)
                   if (family[index].upper_bound(state)) return true;
               return false;
           });
}

// The lowest of the bounds, or the first one by which the state can be pruned.
std::optional<Rational> Searcher::lowest(BoundFamily& bounds, const State& state, const int64_t* earned) const {
    std::optional<int64_t> needed = Bound::AS_LOW_AS_POSSIBLE;
    if (earned && !query_.compare_bound) {
        needed = least_useful_score(*earned);
        if (result_.states < STATES_WITHOUT_PRICES) needed = {};
    }
    std::optional<Rational> lowest;
    for (size_t number = 0; number < bounds.size(); ++number) {
        const auto other = bounds[number].upper_bound(state, needed);
        const bool prunes = earned && other && can_prune(*other, *earned);
        if (other && (!lowest || *other < *lowest)) lowest = other;
        if (prunes) {
            bounds.move_to_front(number);
            break;
        }
    }
    return lowest;
}

// A number that no rest of the turn from this state exceeds, or nothing if no bound is known. With what was `earned`
// before, a number by which the state can be pruned is low enough.
std::optional<Rational> Searcher::upper_bound(const State& state, const int64_t* earned) {
    std::optional<Rational> highest;
    for (BoundFamily& family : bounds_) {
        const auto most = lowest(family, state, earned);
        if (!most) return highest_score_;
        highest = highest ? std::max(*highest, *most) : *most;
    }
    return highest && highest_score_ ? std::min(*highest, *highest_score_) : highest;
}

// Whether the rest is strictly worse than a known turn. A turn with an equal score may win by the tie-break.
bool Searcher::can_prune(const Rational& upper_bound, int64_t earned) const {
    if (!best_.score.feasible) return false;
    const Rational total = upper_bound + Rational(earned);
    return total < best_.score.score || (!query_.break_ties && total == best_.score.score);
}

// The lowest integer that is worth finding as the rest of the turn: with a lower one, the turn can be pruned.
int64_t Searcher::least_useful_score(int64_t earned) const {
    if (!best_.score.feasible || !prunes_states() || query_.compare_bound) return vanilla::NO_FLOOR;
    const Rational needed = best_.score.score + Rational(-earned);
    const Wide down = needed.numerator / needed.denominator - (needed.numerator % needed.denominator < 0);
    const Wide up = down + (needed.numerator % needed.denominator != 0);
    return static_cast<int64_t>(query_.break_ties ? up : down + 1);
}

// The second-best turn needs the exact score of every state.
bool Searcher::prunes_states() const {
    return query_.compare_bound || (query_.techniques & PRUNE_STATES && query_.turns == 1);
}

// Whether no turn that goes through this state can be the best one. `bounds` holds for the state before it and becomes
// that of this state.
bool Searcher::prune(const State& state, int64_t earned, TurnBounds& bounds, Rest& rest) {
    if (query_.compare_bound || !prunes_states()) return false;
    if (query_.break_ties && result_.states < STATES_WITHOUT_BOUND) return false;
    if (!beam_done_) {  // pruning needs a good turn to compare with
        if (!has_bound(state)) return false;
        const std::vector<Action> path = path_;
        beam_search(BEAM_WIDTH);
        path_ = path;
    }
    rest.exact = false;
    if (highest_score_ && can_prune(*highest_score_, earned)) {
        rest.score.score = *highest_score_;
        return true;
    }
    std::optional<Rational> highest;
    for (size_t number = 0; number < bounds_.size(); ++number) {
        const size_t family = (first_family_ + number) % bounds_.size();
        std::optional<Rational>& bound = bounds[family];
        const auto lower = [&](const std::optional<Rational>& other) {
            if (other && (!bound || *other < *bound)) bound = other;
            return bound && can_prune(*bound, 0);
        };
        if (!lower(bounds_[family].at_start())) {
            const auto most = lowest(bounds_[family], state, &earned);
            if (!lower(most ? std::optional(*most + Rational(earned)) : std::nullopt)) {
                first_family_ = family;  // it decides alone, so it is tried first from now on
                return false;
            }
        }
        highest = highest ? std::max(*highest, *bound) : *bound;
    }
    rest.score.score = *highest + Rational(-earned);
    return true;
}

void Searcher::compare_bound(const std::optional<Rational>& upper_bound, const TurnScore& truth) {
    if (!upper_bound || !truth.feasible) return;
    ++result_.compared;
    const Rational excess = truth.score + -*upper_bound;
    if (result_.excess < excess) result_.excess = excess;
}

Searcher::Rest Searcher::solve(const State& state, int64_t earned, const Before* before) {
    Keys keys;
    find_keys(turn_, key_options_, state, keys, before ? &before->known : nullptr);
    TurnBounds bounds;
    if (before) bounds = before->bounds;
    {
        Memo::Entry& entry = memo_.at(keys.state);
        if (entry.open) throw LimitReached{Stopped::action_limit};  // a cycle: the turn can go on for ever
        if (query_.techniques & MERGE_STATES) {
            if (entry.exact) {
                consider(earned, entry.rest);
                return {entry.rest, true};
            }
            if (entry.bounded && can_prune(entry.rest.score, earned)) return {entry.rest, false};
        }
        Rest rest;
        if (prune(state, earned, bounds, rest)) {
            result_.pruned = true;
            if (!entry.exact) {
                entry.bounded = true;
                entry.rest = rest.score;
            }
            return rest;
        }
        if (path_.size() >= MAX_ACTIONS) throw LimitReached{Stopped::action_limit};
        count_state();
        entry.open = true;
    }
    if (Rest rest; solve_vanilla(state, rest, earned)) {
        if (rest.exact) consider(earned, rest.score);
        Memo::Entry& entry = memo_.at(keys.state);
        entry.open = false;
        if (!entry.exact) {
            entry.exact = rest.exact;
            entry.bounded = !rest.exact;
            entry.rest = rest.score;
        }
        return rest;
    }
    TurnScore best = end_turn(state);
    consider(earned, best);
    std::optional<Rational> pruned_bound;  // the highest bound of a pruned action
    std::vector<Action> actions;
    candidate_actions(state, keys, actions);
    const Before here{{state, keys}, bounds};
    for (const Action& action : actions) {
        State next;
        Step step;
        bool exact = true;
        path_.push_back(action);
        if (apply(state, action, next, step, &earned)) {
            const Rest rest = solve(next, earned + step.earned, &here);
            step.rest = rest.score;
            exact = rest.exact;
        } else if (exact = step.exact; exact) {
            consider(earned, step.rest);
        }
        path_.pop_back();
        if (exact) {
            const TurnScore score = plus(step.rest, step.earned, 1);
            if (score.better_than(best)) best = score;
        } else {
            const Rational upper_bound = step.rest.score + Rational(step.earned);
            if (!pruned_bound || *pruned_bound < upper_bound) pruned_bound = upper_bound;
        }
    }
    if (query_.compare_bound) compare_bound(upper_bound(state), best);
    const bool exact = !pruned_bound || (best.feasible && *pruned_bound < best.score);
    if (!exact && (!best.feasible || best.score < *pruned_bound)) best.score = *pruned_bound;
    Memo::Entry& entry = memo_.at(keys.state);
    entry.open = false;
    // Without merging, a state is visited again, and its exact score may already be known.
    if (!entry.exact) {
        entry.exact = exact;
        entry.bounded = !exact;
        entry.rest = best;
    }
    return {best, exact};
}

// Whether the rest of the turn is left to the vanilla solver.
bool Searcher::is_vanilla(const State& state) const {
    return query_.techniques & SOLVE_VANILLA && !is_over(state, turn_.rules) && vanilla::is_vanilla(turn_, state);
}

// Solves the rest of the turn if only vanilla minions are left, unless nothing that follows can be better than the best
// turn so far: then the rest is a bound. Returns false if there is more than vanilla minions, or without a proof.
bool Searcher::solve_vanilla(const State& state, Rest& rest, int64_t earned) {
    if (!is_vanilla(state)) return false;
    Limit limit = time_left();
    const vanilla::VanillaPlan plan =
        vanilla::plan_vanilla(turn_, state, limit, vanilla::PRUNE_ALL, nullptr, least_useful_score(earned), false);
    if (!plan.proved && !plan.below_floor) return false;
    result_.pruned = true;
    rest.exact = plan.proved;
    if (plan.proved) rest.score = {plan.score, plan.hero_lives, static_cast<int32_t>(plan.actions.size()), true};
    else rest.score.score = plan.bound;
    return true;
}

// Solves the same for its actions, without a limit: it was solved within the limit before.
bool Searcher::solve_vanilla(const State& state, std::vector<Action>& actions, const std::vector<Id>* unit_order) {
    if (!is_vanilla(state)) return false;
    Limit limit;
    const vanilla::VanillaPlan plan =
        vanilla::plan_vanilla(turn_, state, limit, vanilla::PRUNE_ALL, unit_order, vanilla::NO_FLOOR, false);
    if (!plan.proved) return false;
    result_.pruned = true;
    actions.insert(actions.end(), plan.actions.begin(), plan.actions.end());
    return true;
}

// -- good turns without a proof

// Finds a good turn quickly: keeps the most promising states after each number of actions.
void Searcher::beam_search(size_t width) {
    beam_done_ = true;
    struct Candidate {
        Rational promise;
        int64_t earned;
        State state;
        std::vector<Action> path;
    };
    std::vector<Candidate> layer(1, Candidate{0, 0, turn_.start, {}});
    std::set<Key> visited;
    for (int depth = 0; depth < MAX_ACTIONS && !layer.empty(); ++depth) {
        std::vector<Candidate> next_layer;
        for (const Candidate& from : layer) {
            Keys keys;
            find_keys(turn_, key_options_, from.state, keys);
            std::vector<Action> actions;
            candidate_actions(from.state, keys, actions);
            const KnownKeys known{from.state, keys};
            for (const Action& action : actions) {
                count_state();
                Candidate next{0, from.earned, {}, from.path};
                next.path.push_back(action);
                Step step;
                path_ = next.path;
                if (!apply(from.state, action, next.state, step, &from.earned)) {
                    if (step.exact) consider(from.earned, step.rest);
                    continue;
                }
                Keys next_keys;
                find_keys(turn_, key_options_, next.state, next_keys, &known);
                if (!visited.insert(next_keys.state).second) continue;
                next.earned += step.earned;
                const TurnScore end = end_turn(next.state);
                consider(next.earned, end);
                const Rational rest = end.feasible ? end.score : Rational(end_score(turn_, next.state));
                next.promise = Rational(next.earned) + rest;
                next_layer.push_back(std::move(next));
            }
        }
        std::stable_sort(next_layer.begin(), next_layer.end(), [](const Candidate& a, const Candidate& b) {
            if (a.promise != b.promise) return b.promise < a.promise;
            const Hero &first = a.state.enemy().hero, &second = b.state.enemy().hero;
            return first.health + first.armor < second.health + second.armor;
        });
        if (next_layer.size() > width) next_layer.resize(width);
        layer = std::move(next_layer);
    }
}

// Considers a turn from elsewhere and all its prefixes, as far as it is legal.
void Searcher::warm_start(const std::vector<Action>& hint) {
    State state = turn_.start;
    int64_t earned = 0;
    path_.clear();
    consider(earned, end_turn(state));
    for (const Action& action : hint) {
        ActionList legal;
        legal_actions(state, turn_.rules, legal);
        if (action.kind == Action::end_turn || std::ranges::find(legal, action) == legal.end()) break;
        if (!action_allowed(turn_, state, action)) break;
        path_.push_back(action);
        Step step;
        if (State next; apply(state, action, next, step)) {
            state = next;
        } else {
            consider(earned, step.rest);
            break;
        }
        earned += step.earned;
        consider(earned, end_turn(state));
    }
    path_.clear();
}

// Solves the whole turn if it is vanilla. Returns false if it is not, or without a proof; then the search starts from
// what the solver found.
bool Searcher::solve_vanilla_turn() {
    if (!is_vanilla(turn_.start)) return false;
    Limit limit = time_left(VANILLA_TIME_SHARE);
    const vanilla::VanillaPlan plan = vanilla::plan_vanilla(turn_, turn_.start, limit);
    result_.states = 1;
    if (!plan.proved) {
        warm_start(plan.actions);
        return false;
    }
    const TurnScore score{plan.score, plan.hero_lives, static_cast<int32_t>(plan.actions.size()), true};
    result_.turns.push_back({score, plan.actions});
    result_.pruned = true;
    return true;
}

// -- the whole search

SearchResult Searcher::run() {
    try {
        if (!solve_vanilla_turn()) {
            warm_start(query_.hint);
            if (query_.limits.seconds > 0 || query_.limits.states) beam_search(BEAM_WIDTH);
            path_.clear();
            const TurnScore score = solve(turn_.start, 0).score;
            if (query_.break_ties && score.feasible) {
                RankedTurn first{score, {}};
                reconstruct(turn_.start, score, first.actions);
                result_.turns.push_back(std::move(first));
            } else {
                keep_best_found();
            }
            if (result_.turns.empty()) return result_;
        }
        if (query_.turns > 1) find_next_best(result_.turns);
        if (!result_.all_outcomes && query_.techniques & PRUNE_STATES) result_.bound = upper_bound(turn_.start);
    } catch (const LimitReached& limit) {
        result_.stopped = limit.reason;
        if (result_.turns.empty()) keep_best_found();
        bound_after_limit();
    }
    return result_;
}

// Bounds the score of every turn after a limit: the bound at the start, or the highest of the bounds after each action.
void Searcher::bound_after_limit() {
    if (!(query_.techniques & PRUNE_STATES)) return;
    result_.bound = upper_bound(turn_.start);
    Keys keys;
    find_keys(turn_, key_options_, turn_.start, keys);
    std::vector<Action> actions;
    candidate_actions(turn_.start, keys, actions);
    Rational highest = end_turn(turn_.start).score;
    for (const Action& action : actions) {
        State next;
        Step step;
        std::optional<Rational> rest;
        if (apply(turn_.start, action, next, step)) {
            find_keys(turn_, key_options_, next, keys);
            const Memo::Entry* entry = memo_.find(keys.state);
            if (entry != nullptr && (entry->exact || entry->bounded)) rest = entry->rest.score;
            else rest = upper_bound(next);
            if (!rest) return;
        } else {
            rest = step.rest.score;
        }
        highest = std::max(highest, *rest + Rational(step.earned));
    }
    // If outcomes of chance were left out, a turn may score more than its value here.
    if (!result_.all_outcomes) return;
    if (!result_.bound || highest < *result_.bound) result_.bound = highest;
}

// Returns the best turn that was found before a limit; the memo may know how it ends.
void Searcher::keep_best_found() {
    if (result_.stopped == Stopped::action_limit) {
        try {
            path_.clear();
            beam_search(WIDE_BEAM_WIDTH);
        } catch (const LimitReached& limit) {
            result_.stopped = limit.reason;
        }
    }
    if (!best_.score.feasible) return;
    State state = turn_.start;
    TurnScore rest = best_.score;
    for (const Action& action : best_.actions) {
        State next;
        Step step;
        if (!apply(state, action, next, step)) {
            result_.turns.push_back(best_);
            return;
        }
        state = next;
        rest = plus(rest, -step.earned, -1);
    }
    std::vector<Action> actions = best_.actions;
    reconstruct(state, rest, actions);
    result_.turns.push_back({best_.score, actions});
}

SearchResult best_turns(const Turn& turn, const Query& query) { return Searcher(turn, query).run(); }

}  // namespace planner::search
