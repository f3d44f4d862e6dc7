#include "match/plan.hpp"

#include <algorithm>
#include <stdexcept>

#include "rules/chance.hpp"
#include "search/search.hpp"

namespace planner::match {

using namespace search;

namespace {

// Returns nothing if no turn satisfies the hard rules.
std::optional<std::vector<Action>> best_actions(const Turn& turn, const AgentSpec& spec,
                                                const std::vector<Action>& hint, bool break_ties = true) {
    Query query;
    query.break_ties = break_ties;
    query.limits.states = spec.effort;
    query.hint = hint;
    SearchResult result = best_turns(turn, query);
    if (!result.turns.empty()) return std::move(result.turns.front().actions);
    if (result.stopped == Stopped::finished && result.all_outcomes) return {};
    throw Declined();  // a limit was reached before the first turn that satisfies every rule
}

bool holds_for_all(const Outcomes<bool>& possible) {
    return std::ranges::all_of(possible.list, &Outcomes<bool>::Outcome::value);
}

bool enemy_dead_at_end(const State& state, const Rules& rules, RunBudget& budget) {
    const auto end = [&](State& now, Account& account, Chance& chance) {
        apply_end_of_turn_effects(now, rules, chance, account);
    };
    const auto dead = [](const State& now, const Account&) { return now.enemy().hero.health <= 0; };
    return holds_for_all(outcomes(state, end, dead, budget));
}

// Whether the turn kills the enemy hero, whatever chance decides.
bool kills(const View& view, const std::vector<Action>& actions) {
    State state = view.state;
    RunBudget budget = MAX_RUNS;
    for (const Action action : actions) {
        const State before = state;
        try {
            apply_certain(state, view.rules, action);
        } catch (const Undecided&) {
            const auto run = [&](State& now, Account& account, Chance& chance) {
                apply_action(now, view.rules, action, chance, account);
            };
            const auto dead = [&](const State& now, const Account&) {
                return enemy_dead_at_end(now, view.rules, budget);
            };
            return holds_for_all(outcomes(before, run, dead, budget));
        }
    }
    return enemy_dead_at_end(state, view.rules, budget);
}

// A turn that kills for certain and leaves the own hero alive, if there is one.
std::optional<std::vector<Action>> certain_win(Turn turn, const AgentSpec& spec, const View& view) {
    turn.hard_rules.hero_must_live = true;
    turn.weights = {};
    turn.weights.lethal = view.rules.value_scale;
    auto actions = best_actions(turn, spec, {}, false);
    if (actions && !kills(view, *actions)) actions.reset();
    return actions;
}

}  // namespace

Turn make_turn(const View& view, const State& start, const Weights& weights) {
    Turn turn;
    turn.start = start;
    turn.rules = view.rules;
    turn.weights = weights;
    turn.remember_health(view.id_count());
    return turn;
}

Account apply_certain(State& state, const Rules& rules, Action action) {
    if (!is_legal(state, rules, action)) throw Declined();
    constexpr int TOP[] = {0};  // the position of a traded card in a hidden deck does not matter
    FixedChoices choices;
    if (action.kind == Action::trade) choices.choices = TOP;
    Account account;
    apply_action(state, rules, action, choices, account);
    return account;
}

std::optional<int> first_reveal(State state, const Rules& rules, std::span<const Action> actions) {
    for (size_t index = 0; index < actions.size(); ++index) {
        try {
            if (apply_certain(state, rules, actions[index]).drawn) return static_cast<int>(index);
        } catch (const Undecided&) {
            return static_cast<int>(index);
        }
    }
    return {};
}

TurnPlan plan_exact(const AgentSpec& spec, std::span<const ProfileRule> rules, const View& view,
                    const std::vector<Action>& hint) {
    Turn turn = make_turn(view, view.state, spec.weights);
    for (const ProfileRule& rule : rules) turn.hard_rules.add(rule);
    limit_requirements(turn);
    std::optional<std::vector<Action>> actions;
    if (const auto win = spec.take_lethal ? certain_win(turn, spec, view) : std::nullopt) {
        turn.hard_rules.hero_must_live = true;
        turn.weights = spec.win_weights;
        actions = best_actions(turn, spec, hint);
        // Weights as large as that of the kill can outweigh it, and a limit can end the search before it is found.
        if (actions && !kills(view, *actions)) actions = win;
    } else {
        actions = best_actions(turn, spec, hint);
    }
    if (!actions) throw NoTurn();
    return {*actions, first_reveal(view.state, view.rules, *actions)};
}

}  // namespace planner::match
