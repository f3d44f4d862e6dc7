#include "search/search.hpp"

#include <algorithm>
#include <memory>
#include <queue>
#include <set>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "search/bound.hpp"
#include "rules/chance.hpp"
#include "search/key.hpp"
#include "search/memo.hpp"
#include "vanilla/tie_break.hpp"
#include "vanilla/vanilla_plan.hpp"

namespace planner::search {

using namespace vanilla;

namespace {

using Clock = std::chrono::steady_clock;

struct OutOfLimit {
    Stopped why;
};

// One action taken: what it earned at once, and, where chance decides about it, what it counts for with the end of the
// turn, which it then is.
struct Step {
    int64_t earned = 0;
    Score ended;
};

// The rest of a turn from some state: its score, or, where it was left out, a worth that it does not exceed.
struct Rest {
    Score score;
    bool exact = true;
};

// Where a turn is small, looking at all of it is cheaper than thinking about what to leave out.
constexpr uint64_t STATES_WITHOUT_BOUND = 100;
constexpr size_t BEAM_WIDTH = 4;
constexpr int64_t MAX_TIE_BREAK_STATES = 300'000;  // then the first best turn in legal order is returned

Score plus(Score score, int64_t earned, int32_t actions) {
    if (score.possible) {
        score.worth = score.worth + Rational(earned);
        score.actions += actions;
    }
    return score;
}

// The average of what may happen, or the worst of it.
class Sum {
  public:
    explicit Sum(Chances chances) : chances_(chances) { total_.possible = total_.lives = true; }
    void add(const Rational& probability, const Score& score, int64_t earned) {
        const Rational worth = score.worth + Rational(earned);
        if (chances_ == Chances::expected)
            total_.worth = total_.worth + (probability == Rational(1) ? worth : probability * worth);
        else if (first_ || worth < total_.worth)
            total_.worth = worth;
        total_.lives &= score.lives;
        total_.possible &= score.possible;  // a hard rule must be kept whatever happens
        first_ = false;
    }
    Score score() const { return total_.possible ? total_ : Score{}; }

  private:
    Chances chances_;
    Score total_;
    bool first_ = true;
};

class Search {
  public:
    Search(const Turn& turn, const Question& question)
        : turn_(turn), question_(question), which_(differences(turn)), began_(Clock::now()) {
        which_.every_id = !turn.hard_rules.banned.empty();
    }

    SearchResult run();

  private:
    Rest solve(const State& state, int64_t earned);
    bool hopeless(const Rational& most, int64_t earned) const;
    bool leave_out(const State& state, int64_t earned, Rest& rest);
    const Bound& bound();
    void compare(const State& state, const Score& truth);
    void find_bound();
    Score ended(const State& state) const;
    Score ending(const State& state);
    bool take(State& state, Action action, Step& step);
    void actions_of(const State& state, const Keys& keys, std::vector<Action>& found) const;
    int64_t step_of(const State& before, Action action, const Account& account) const;
    void consider(int64_t earned, const Score& rest);
    void beam(size_t width);
    void offer(const std::vector<Action>& hint);
    void give_up();
    Limit time_left(double share = 1) const;
    bool all_bodies();
    bool bodies(const State& state, Score& rest, std::vector<Action>* actions, const std::vector<Id>* unit_order = nullptr);
    vanilla::Continuation continuations(const State& state, const Score& score, const std::vector<Id>& unit_order);
    bool break_ties(const State& state, const Score& score, std::vector<Action>& actions);
    void walk(State state, Score score, std::vector<Action>& actions);
    bool arrange(const State& state, const std::vector<Action>& left, const Score& score, std::vector<Action>& order,
                 std::set<std::pair<uint64_t, uint64_t>>& failed);
    void next_best(std::vector<FoundTurn>& turns);
    void tick();

    const Turn& turn_;
    const Question& question_;
    Differences which_;
    Clock::time_point began_;
    Memo memo_;
    SearchResult result_;
    std::vector<Action> path_;
    FoundTurn best_;
    std::unique_ptr<Bound> bound_;
    bool tried_some_ = false;  // a beam has been sent ahead
};

void Search::tick() {
    ++result_.states;
    const Limits& limits = question_.limits;
    if (limits.states && result_.states > limits.states) throw OutOfLimit{Stopped::effort_limit};
    if (limits.seconds > 0 &&
        std::chrono::duration<double>(Clock::now() - began_).count() > limits.seconds)
        throw OutOfLimit{Stopped::time_limit};
}

// -- what things count for

int64_t Search::step_of(const State& before, Action action, const Account& account) const {
    int64_t back = 0, value = 0;
    if (action.kind == Action::attack && action.target != ENEMY_HERO) {
        for (const Minion& minion : before.enemy().board)
            if (minion.id == action.target) back = minion.attack;
    } else if (action.kind == Action::play) {
        for (const HandCard& hand_card : before.me().hand)
            if (hand_card.id == action.source) value = hand_card.value;
    }
    return action_score(turn_.weights, account, back, value);
}

// A state in which nothing happens any more.
Score Search::ended(const State& state) const {
    Score score;
    score.possible = end_allowed(turn_, state);
    score.worth = end_score(turn_, state);
    score.lives = state.me().hero.health > 0;
    return score;
}

// Ending the turn here: the effects at its end, and what then stands on the table.
Score Search::ending(const State& state) {
    bool effects = false;
    for (const Minion& minion : state.me().board) effects |= !minion.card->effects(Trigger::turn_end).empty();
    if (!effects || is_over(state, turn_.rules)) return ended(state);
    const Outcomes possible = outcomes(state, [&](State& now, Account& account, FixedChoices& told) {
        apply_end_of_turn_effects(now, turn_.rules, told, account);
    });
    result_.all_chances &= possible.complete;
    Sum sum(question_.chances);
    for (const rules::Outcome& one : possible.list)
        sum.add(one.probability, ended(one.state), action_score(turn_.weights, one.account, 0, 0));
    return sum.score();
}

// Carry out an action. False where chance decides about it: then the turn ends with it.
bool Search::take(State& state, Action action, Step& step) {
    const State before = state;
    Account account;
    static constexpr int on_top[] = {0};  // where a traded card goes in a deck that nobody looks at does not matter
    FixedChoices choices(std::span(on_top, action.kind == Action::trade ? 1 : 0));
    try {
        apply_action(state, turn_.rules, action, choices, account);
        if (action.kind == Action::trade) state.me().deck = turn_.start.me().deck;
        step.earned = step_of(before, action, account);
        return true;
    } catch (const Undecided&) {
    }
    const Outcomes possible = outcomes(before, [&](State& now, Account& sum, FixedChoices& choices) {
        apply_action(now, turn_.rules, action, choices, sum);
    });
    result_.all_chances &= possible.complete;
    Sum sum(question_.chances);
    for (const rules::Outcome& one : possible.list)
        sum.add(one.probability, ending(one.state), step_of(before, action, one.account));
    step.ended = sum.score();
    return false;
}

// The actions to be tried: legal, allowed by the hard rules, and of those that are alike the first.
void Search::actions_of(const State& state, const Keys& keys, std::vector<Action>& found) const {
    ActionList legal;
    legal_actions(state, turn_.rules, legal);
    const bool rules = turn_.hard_rules.any_about_actions();
    auto key_of = [&](Id id) -> Key {
        if (id < FIRST_CALLER_ID) return Key{id, 0};
        for (int place = 0; place < state.me().board.size(); ++place)
            if (state.me().board[place].id == id) return keys.mine[place];
        for (int place = 0; place < state.enemy().board.size(); ++place)
            if (state.enemy().board[place].id == id) return keys.theirs[place];
        for (int place = 0; place < state.me().hand.size(); ++place)
            if (state.me().hand[place].id == id) return keys.hand[place];
        return Key{id, 1};
    };
    struct Tried {
        uint8_t kind;
        Key source, target;
    };
    std::vector<Tried> tried;
    for (const Action& action : legal) {
        if (action.kind == Action::end_turn || (rules && !action_allowed(turn_, state, action))) continue;
        if (question_.shortcuts & ALIKE) {
            const Tried one{action.kind, key_of(action.source), key_of(action.target)};
            bool known = false;
            for (const Tried& other : tried)
                if (other.kind == one.kind && other.source == one.source && other.target == one.target) {
                    known = true;
                    break;
                }
            if (known) continue;
            tried.push_back(one);
        }
        found.push_back(action);
    }
}

// -- the search

// Keep the best turn seen so far: the path to here, and where that is known already, what follows it.
void Search::consider(int64_t earned, const Score& rest) {
    const Score total = plus(rest, earned, static_cast<int32_t>(path_.size()));
    if (total.better_than(best_.score)) {
        best_.score = total;
        best_.actions = path_;
    }
}

const Bound& Search::bound() {
    if (bound_ == nullptr) bound_ = std::make_unique<Bound>(turn_);
    return *bound_;
}

// Strictly worse than a turn that is known: a turn of equal worth may still be the one that is asked for.
bool Search::hopeless(const Rational& most, int64_t earned) const {
    return best_.score.possible && most + Rational(earned) < best_.score.worth;
}

bool Search::leave_out(const State& state, int64_t earned, Rest& rest) {
    // The turns after the best ask for the exact worth of every state.
    if (!(question_.shortcuts & BOUND) || question_.turns > 1 || result_.states < STATES_WITHOUT_BOUND) return false;
    if (!tried_some_) {  // something good to be worse than
        const std::vector<Action> path = path_;
        beam(BEAM_WIDTH);
        path_ = path;
    }
    Rational most;
    if (!bound().most(state, most) || !hopeless(most, earned)) return false;
    rest.score.worth = most;
    rest.exact = false;
    return true;
}

void Search::compare(const State& state, const Score& truth) {
    Rational most;
    if (!truth.possible || !bound().most(state, most)) return;
    ++result_.compared;
    if (most < truth.worth) {
        const Rational excess = truth.worth + -most;
        if (result_.excess < excess) result_.excess = excess;
    }
}

Rest Search::solve(const State& state, int64_t earned) {
    Keys keys;
    find_keys(turn_, which_, state, keys);
    {
        Memo::Entry& entry = memo_.at(keys.state);
        if (entry.open) throw OutOfLimit{Stopped::action_limit};  // back where it was: the turn has no end
        if (question_.shortcuts & MERGE) {
            if (entry.known) {
                consider(earned, entry.score);
                return Rest{entry.score, true};
            }
            if (entry.bounded && hopeless(entry.score.worth, earned)) return Rest{entry.score, false};
        }
        Rest rest;
        if (leave_out(state, earned, rest)) {
            result_.left_out = true;
            if (!entry.known) {
                entry.bounded = true;
                entry.score = rest.score;
            }
            return rest;
        }
        if (path_.size() >= MOST_ACTIONS) throw OutOfLimit{Stopped::action_limit};
        tick();
        entry.open = true;
    }
    if (Score rest; bodies(state, rest, nullptr)) {
        consider(earned, rest);
        Memo::Entry& entry = memo_.at(keys.state);
        entry.open = false;
        entry.known = true;
        entry.score = rest;
        return Rest{rest, true};
    }
    Score best = ending(state);
    consider(earned, best);
    bool left_out = false;
    Rational most_left_out;
    std::vector<Action> actions;
    actions_of(state, keys, actions);
    for (const Action& action : actions) {
        State next = state;
        Step step;
        bool exact = true;
        path_.push_back(action);
        if (take(next, action, step)) {
            const Rest rest = solve(next, earned + step.earned);
            step.ended = rest.score;
            exact = rest.exact;
        } else {
            consider(earned, step.ended);
        }
        path_.pop_back();
        if (!exact) {
            const Rational most = step.ended.worth + Rational(step.earned);
            if (!left_out || most_left_out < most) most_left_out = most;
            left_out = true;
            continue;
        }
        const Score score = plus(step.ended, step.earned, 1);
        if (score.better_than(best)) best = score;
    }
    if (question_.compare_bound) compare(state, best);
    const bool exact = !left_out || (best.possible && most_left_out < best.worth);
    if (!exact && (!best.possible || best.worth < most_left_out)) best.worth = most_left_out;
    Memo::Entry& entry = memo_.at(keys.state);
    entry.open = false;
    if (!entry.known) {  // without merging a state is looked at again, and what was left out now may be known
        entry.known = exact;
        entry.bounded = !exact;
        entry.score = best;
    }
    return Rest{best, exact};
}

// Where only bodies are left: the best rest of the turn by the solver for those, and its actions where somebody wants
// them. False where it has no proof.
bool Search::bodies(const State& state, Score& rest, std::vector<Action>* actions, const std::vector<Id>* unit_order) {
    if (!(question_.shortcuts & BODIES) || is_over(state, turn_.rules) || !is_vanilla(turn_, state)) return false;
    // What was solved within the limit is solved again to the end.
    Limit limit = actions == nullptr ? time_left() : Limit();
    const VanillaPlan plan = plan_vanilla(turn_, state, limit, vanilla::PRUNE_ALL, unit_order);
    if (!plan.proved) return false;
    result_.left_out = true;
    rest.possible = true;
    rest.worth = plan.score;
    rest.lives = plan.hero_lives;
    rest.actions = static_cast<int32_t>(plan.actions.size());
    if (actions) actions->insert(actions->end(), plan.actions.begin(), plan.actions.end());
    return true;
}

// Every action that starts a best rest of a vanilla turn from this state, or the rest by the vanilla solver.
vanilla::Continuation Search::continuations(const State& state, const Score& score, const std::vector<Id>& unit_order) {
    vanilla::Continuation continuation;
    if (ending(state) == score) return continuation;
    if (Score rest; bodies(state, rest, &continuation.rest, &unit_order)) {
        continuation.is_solved = true;
        return continuation;
    }
    ActionList legal;  // also actions that are alike: the tie-break tells them apart
    legal_actions(state, turn_.rules, legal);
    for (const Action& action : legal) {
        if (action.kind == Action::end_turn || !action_allowed(turn_, state, action)) continue;
        State next = state;
        Step step;
        if (!take(next, action, step)) continue;
        Keys keys;
        find_keys(turn_, which_, next, keys);
        const Memo::Entry* entry = memo_.find(keys.state);
        if (entry == nullptr || !entry->known || !(plus(entry->score, step.earned, 1) == score)) continue;
        continuation.next.push_back({action, next, entry->score});
    }
    return continuation;
}

// The rest of a vanilla turn that comes first in the tie-break order. False where the rest is not vanilla, or where the
// time or the number of states is not enough.
bool Search::break_ties(const State& state, const Score& score, std::vector<Action>& actions) {
    if (is_over(state, turn_.rules) || !is_vanilla(turn_, state)) return false;
    Limit limit = time_left();
    limit.work = MAX_TIE_BREAK_STATES;
    const auto continue_from = [&](const State& from, const Score& rest, const std::vector<Id>& unit_order) {
        return continuations(from, rest, unit_order);
    };
    const vanilla::TieBreak tie_break = vanilla::break_ties(turn_, state, score, continue_from, limit);
    actions.insert(actions.end(), tie_break.actions.begin(), tie_break.actions.end());
    return tie_break.found;
}

// The turn that has this score from this state, by what is known of the states on its way: at each the first legal action
// that does not lose anything.
void Search::walk(State state, Score score, std::vector<Action>& actions) {
    while (!(ending(state) == score)) {
        if (Score rest; bodies(state, rest, &actions)) return;
        if (result_.stopped == Stopped::finished && break_ties(state, score, actions)) return;
        std::vector<Action> legal;
        Keys keys;
        find_keys(turn_, which_, state, keys);
        actions_of(state, keys, legal);  // of actions that are alike the first: it comes before the others
        bool found = false;
        for (const Action& action : legal) {
            State next = state;
            Step step;
            const bool certain = take(next, action, step);
            if (certain) {
                find_keys(turn_, which_, next, keys);
                const Memo::Entry* entry = memo_.find(keys.state);
                if (entry == nullptr || !entry->known) continue;
                step.ended = entry->score;
            }
            if (!(plus(step.ended, step.earned, 1) == score)) continue;
            actions.push_back(action);
            if (!certain) return;
            state = next;
            score = step.ended;
            found = true;
            break;
        }
        if (!found) throw std::logic_error("a state on the way was forgotten");
    }
}

// A good turn at once, where there may be no time for all: layer by layer the most promising states.
void Search::beam(size_t width) {
    tried_some_ = true;
    struct Candidate {
        Rational promise;
        int64_t earned;
        State state;
        std::vector<Action> path;
    };
    std::vector<Candidate> layer(1, Candidate{0, 0, turn_.start, {}});
    std::set<std::pair<uint64_t, uint64_t>> seen;
    for (int depth = 0; depth < MOST_ACTIONS && !layer.empty(); ++depth) {
        std::vector<Candidate> next_layer;
        for (const Candidate& from : layer) {
            Keys keys;
            find_keys(turn_, which_, from.state, keys);
            std::vector<Action> actions;
            actions_of(from.state, keys, actions);
            for (const Action& action : actions) {
                tick();
                Candidate next{0, from.earned, from.state, from.path};
                next.path.push_back(action);
                Step step;
                path_ = next.path;
                if (!take(next.state, action, step)) {
                    consider(from.earned, step.ended);
                    continue;
                }
                find_keys(turn_, which_, next.state, keys);
                if (!seen.emplace(keys.state.a, keys.state.b).second) continue;
                next.earned += step.earned;
                const Score end = ending(next.state);
                consider(next.earned, end);
                next.promise = Rational(next.earned) + (end.possible ? end.worth : Rational(end_score(turn_, next.state)));
                next_layer.push_back(std::move(next));
            }
        }
        std::stable_sort(next_layer.begin(), next_layer.end(),
                         [](const Candidate& a, const Candidate& b) { return b.promise < a.promise; });
        if (next_layer.size() > width) next_layer.resize(width);
        layer = std::move(next_layer);
    }
}

void Search::offer(const std::vector<Action>& hint) {
    State state = turn_.start;
    int64_t earned = 0;
    path_.clear();
    consider(earned, ending(state));
    for (const Action& action : hint) {
        Keys keys;
        find_keys(turn_, which_, state, keys);
        ActionList legal;
        legal_actions(state, turn_.rules, legal);
        if (action.kind == Action::end_turn || std::find(legal.begin(), legal.end(), action) == legal.end()) break;
        if (turn_.hard_rules.any_about_actions() && !action_allowed(turn_, state, action)) break;
        path_.push_back(action);
        Step step;
        if (!take(state, action, step)) {
            consider(earned, step.ended);
            break;
        }
        earned += step.earned;
        consider(earned, ending(state));
    }
    path_.clear();
}

// These actions in the first order, by the order of legal actions, that has the same score.
bool Search::arrange(const State& state, const std::vector<Action>& left, const Score& score, std::vector<Action>& order,
                     std::set<std::pair<uint64_t, uint64_t>>& failed) {
    if (left.empty()) return ending(state) == score;
    Differences by_name = which_;
    by_name.every_id = true;
    Keys keys;
    find_keys(turn_, by_name, state, keys);
    // What is left follows from what was done, and that from who is where: one key for both.
    if (failed.count({keys.state.a, keys.state.b})) return false;
    ActionList legal;
    legal_actions(state, turn_.rules, legal);
    for (const Action& action : legal) {
        const auto found = std::find(left.begin(), left.end(), action);
        if (found == left.end() || !action_allowed(turn_, state, action)) continue;
        State next = state;
        Step step;
        if (!take(next, action, step)) {
            if (left.size() > 1 || !(plus(step.ended, 0, 1) == score)) continue;
            order.push_back(action);
            return true;
        }
        std::vector<Action> rest = left;
        rest.erase(rest.begin() + (found - left.begin()));
        order.push_back(action);
        if (arrange(next, rest, plus(score, -step.earned, -1), order, failed)) return true;
        order.pop_back();
    }
    failed.emplace(keys.state.a, keys.state.b);
    return false;
}

// The turns after the best, in order: whichever way it goes on, a state is worth what is known of it.
void Search::next_best(std::vector<FoundTurn>& turns) {
    struct Node {
        Score total;
        uint64_t number;  // of equals the first made comes first
        bool complete;
        int64_t earned;
        State state;
        std::vector<Action> path;
        bool operator<(const Node& other) const {
            if (other.total.better_than(total)) return true;
            return !total.better_than(other.total) && other.number < number;
        }
    };
    auto bag_of = [](std::vector<Action> path) {
        std::sort(path.begin(), path.end(), [](const Action& a, const Action& b) {
            return std::make_tuple(a.kind, a.source, a.target) < std::make_tuple(b.kind, b.source, b.target);
        });
        std::vector<uint64_t> bag;
        for (const Action& action : path)
            bag.push_back(static_cast<uint64_t>(action.kind) << 32 | static_cast<uint64_t>(action.source) << 16 | action.target);
        return bag;
    };
    Differences by_name = which_;
    by_name.every_id = true;
    std::set<std::vector<uint64_t>> given;
    std::set<std::tuple<uint64_t, uint64_t, int64_t, std::vector<uint64_t>>> seen;
    for (const FoundTurn& turn : turns) given.insert(bag_of(turn.actions));
    std::priority_queue<Node> queue;
    uint64_t number = 0;
    queue.push(Node{turns[0].score, number++, false, 0, turn_.start, {}});
    while (!queue.empty() && turns.size() < static_cast<size_t>(question_.turns)) {
        const Node node = queue.top();
        queue.pop();
        if (node.complete) {
            if (!given.insert(bag_of(node.path)).second) continue;
            turns.push_back(FoundTurn{node.total, {}});
            std::set<std::pair<uint64_t, uint64_t>> failed;
            if (!arrange(turn_.start, node.path, node.total, turns.back().actions, failed)) turns.back().actions = node.path;
            continue;
        }
        tick();
        const int32_t done = static_cast<int32_t>(node.path.size());
        const Score end = plus(ending(node.state), node.earned, done);
        if (end.possible) queue.push(Node{end, number++, true, node.earned, node.state, node.path});
        ActionList legal;
        legal_actions(node.state, turn_.rules, legal);
        for (const Action& action : legal) {
            if (action.kind == Action::end_turn || !action_allowed(turn_, node.state, action)) continue;
            Node next{{}, number++, false, node.earned, node.state, node.path};
            next.path.push_back(action);
            Step step;
            if (take(next.state, action, step)) {
                Keys keys;
                find_keys(turn_, by_name, next.state, keys);
                next.earned += step.earned;
                // The same actions in another order may lead to the same state and earn more on the way.
                if (!seen.emplace(keys.state.a, keys.state.b, next.earned, bag_of(next.path)).second) continue;
                path_ = next.path;
                next.total = plus(solve(next.state, next.earned).score, next.earned, done + 1);
            } else {
                next.complete = true;
                next.total = plus(step.ended, node.earned, done + 1);
            }
            if (next.total.possible) queue.push(std::move(next));
        }
    }
}

Limit Search::time_left(double share) const {
    Limit limit;
    if (question_.limits.seconds > 0)
        limit.until = began_ + std::chrono::duration_cast<Clock::duration>(
                                   std::chrono::duration<double>(share * question_.limits.seconds));
    return limit;
}

// A whole turn of bodies. False where it is none, or not proved: then what was found is a start.
bool Search::all_bodies() {
    if (!(question_.shortcuts & BODIES) || is_over(turn_.start, turn_.rules) || !is_vanilla(turn_, turn_.start))
        return false;
    Limit limit = time_left(0.7);  // what is left is for a good turn by other ways
    const VanillaPlan plan = plan_vanilla(turn_, turn_.start, limit);
    result_.states = 1;
    if (!plan.proved) {
        offer(plan.actions);
        return false;
    }
    FoundTurn found;
    found.actions = plan.actions;
    found.score.possible = true;
    found.score.worth = plan.score;
    found.score.lives = plan.hero_lives;
    found.score.actions = static_cast<int32_t>(plan.actions.size());
    result_.turns.push_back(std::move(found));
    result_.left_out = true;
    return true;
}

SearchResult Search::run() {
    try {
        if (all_bodies()) {
            if (question_.turns > 1) next_best(result_.turns);
            return result_;
        }
        offer(question_.hint);
        if (question_.limits.seconds > 0 || question_.limits.states) beam(BEAM_WIDTH);
        path_.clear();
        const Score score = solve(turn_.start, 0).score;
        if (!score.possible) return result_;
        FoundTurn first{score, {}};
        walk(turn_.start, score, first.actions);
        result_.turns.push_back(std::move(first));
        if (question_.turns > 1) next_best(result_.turns);
    } catch (const OutOfLimit& limit) {
        result_.stopped = limit.why;
        if (result_.turns.empty()) give_up();
        find_bound();
    }
    return result_;
}

// What no turn exceeds, where a limit came first: the bound at the start, or one action later, where more is known.
void Search::find_bound() {
    if (!(question_.shortcuts & BOUND)) return;
    result_.bounded = bound().most(turn_.start, result_.bound);
    Keys keys;
    find_keys(turn_, which_, turn_.start, keys);
    std::vector<Action> actions;
    actions_of(turn_.start, keys, actions);
    const Score end = ending(turn_.start);
    Rational most = end.worth;
    for (const Action& action : actions) {
        State next = turn_.start;
        Step step;
        Rational rest;
        if (take(next, action, step)) {
            find_keys(turn_, which_, next, keys);
            const Memo::Entry* entry = memo_.find(keys.state);
            if (entry != nullptr && (entry->known || entry->bounded)) rest = entry->score.worth;
            else if (!bound().most(next, rest)) return;
        } else {
            rest = step.ended.worth;
        }
        rest = rest + Rational(step.earned);
        if (most < rest) most = rest;
    }
    // What was counted without its chances may be worth more: then only the bound at the start holds.
    if (!result_.all_chances) return;
    if (!result_.bounded || most < result_.bound) result_.bound = most;
    result_.bounded = true;
}

// What was found before a limit: a path, and perhaps the rest of it in the memo.
void Search::give_up() {
    if (result_.stopped == Stopped::action_limit) {
        try {
            path_.clear();
            beam(32);
        } catch (const OutOfLimit& limit) {
            result_.stopped = limit.why;
        }
    }
    if (!best_.score.possible) return;
    State state = turn_.start;
    Score rest = best_.score;
    std::vector<Action> actions = best_.actions;
    for (const Action& action : best_.actions) {
        Step step;
        if (!take(state, action, step)) {
            result_.turns.push_back(best_);
            return;
        }
        rest = plus(rest, -step.earned, -1);
    }
    walk(state, rest, actions);
    result_.turns.push_back(FoundTurn{best_.score, actions});
}

}  // namespace

SearchResult best_turns(const Turn& turn, const Question& question) { return Search(turn, question).run(); }

}  // namespace planner::search
