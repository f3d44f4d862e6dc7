// The actions of a turn and their scores, also where chance decides about them.

#include "rules/chance.hpp"
#include "search/searcher.hpp"

namespace planner::search {

namespace {

// A score with a larger denominator may not fit any more after what earlier actions earned is added.
constexpr Wide MAX_DENOMINATOR = Wide{1} << 80;

// The average or the worst of several outcomes.
class OutcomeSum {
  public:
    OutcomeSum(ChanceMode mode, Wide total_weight) : mode_(mode), total_weight_(total_weight) {
        total_.feasible = total_.hero_lives = true;
    }
    void add(Wide weight, const TurnScore& rest) {
        const Rational& score = rest.score;
        if (mode_ == ChanceMode::Pessimistic) {
            if (first_ || score < total_.score) total_.score = score;
        } else if (score.denominator == 1) {  // one sum of integers is much faster than many of fractions
            if (__builtin_add_overflow(integers_, product(weight, score.numerator), &integers_)) throw TooLarge();
        } else {
            total_.score = total_.score + Rational(weight, total_weight_) * score;
        }
        total_.hero_lives &= rest.hero_lives;
        total_.feasible &= rest.feasible;  // hard rules hold for every outcome
        first_ = false;
    }
    TurnScore total() const {
        if (!total_.feasible) return {};
        TurnScore total = total_;
        if (integers_) total.score = total.score + Rational(integers_, total_weight_);
        if (total.score.denominator > MAX_DENOMINATOR) throw TooLarge();
        return total;
    }

  private:
    ChanceMode mode_;
    Wide total_weight_, integers_ = 0;
    TurnScore total_;
    bool first_ = true;
};

}  // namespace

int64_t Searcher::earned_by(const State& before, Action action, const Account& account) const {
    int64_t target_attack = 0, card_value = 0;
    if (action.kind == Action::attack && action.target != ENEMY_HERO) {
        for (const Minion& minion : before.enemy().board)
            if (minion.id == action.target) target_attack = minion.attack;
    } else if (action.kind == Action::play) {
        for (const HandCard& hand_card : before.me().hand)
            if (hand_card.id == action.source) card_value = hand_card.value;
    }
    return action_score(turn_.weights, account, target_attack, card_value);
}

// The score of a state after the end-of-turn effects.
TurnScore Searcher::evaluate(const State& state) const {
    return {end_score(turn_, state), state.me().hero.health > 0, 0, end_allowed(turn_, state)};
}

// The average or the worst of the outcomes or, if they cannot be listed, the score without the effects of chance.
template <class Run, class ValueOf>
TurnScore Searcher::over_outcomes(const State& from, RunBudget own, Run run, ValueOf value_of, bool& complete) {
    const bool nested = budget_ != nullptr;
    if (!nested) budget_ = &own;
    complete = true;
    try {
        const auto possible = outcomes(from, run, value_of, *budget_);
        if (!nested) budget_ = nullptr;
        OutcomeSum sum(query_.chance_mode, possible.total_weight);
        for (const auto& outcome : possible.list) sum.add(outcome.weight, outcome.value);
        return sum.total();
    } catch (const TooLarge&) {
        if (nested) throw;  // the outcomes of the action before it cannot be listed, either
    }
    budget_ = nullptr;
    complete = result_.all_outcomes = false;
    return without_chance(from, run, value_of);
}

// The score of ending the turn in this state.
TurnScore Searcher::end_turn(const State& state) {
    const bool has_effects = std::ranges::any_of(
        state.me().board, [](const Minion& minion) { return !minion.card->effects(Trigger::turn_end).empty(); });
    if (!has_effects || is_over(state, turn_.rules)) return evaluate(state);
    bool complete;
    return over_outcomes(
        state, MAX_RUNS,
        [&](State& now, Account& account, FixedChoices& choices) {
            apply_end_of_turn_effects(now, turn_.rules, choices, account);
        },
        [&](const State& end, const Account& account) {
            return plus(evaluate(end), action_score(turn_.weights, account, 0, 0), 0);
        },
        complete);
}

// The score of an action whose outcome chance decides, and of ending the turn after it.
TurnScore Searcher::expected_rest(const State& before, Action action, bool& complete) {
    // Where nothing can be proved any more, less work is spent on actions. Their scores are kept, so they do not
    // change.
    const RunBudget budget = result_.all_outcomes ? MAX_RUNS : MAX_RUNS / 16;
    const TurnScore score = over_outcomes(
        before, budget,
        [&](State& now, Account& account, FixedChoices& choices) {
            apply_action(now, turn_.rules, action, choices, account);
        },
        [&](const State& after, const Account& account) {
            return plus(end_turn(after), earned_by(before, action, account), 0);
        },
        complete);
    // What may happen is not known, and may break a rule.
    return complete || !turn_.hard_rules.restrict_end() ? score : TurnScore{};
}

// Applies an action to a copy. Returns false if chance decides its outcome: then the turn ends with it. With what the
// actions before it have `earned`, outcomes that cannot be better than the best turn so far are not listed.
bool Searcher::apply(const State& before, Action action, State& state, Step& step, const int64_t* earned) {
    state = before;
    Account account;
    // A traded card goes on top of the deck: no rule depends on the order of an unknown deck.
    static constexpr int on_top[] = {0};
    FixedChoices fixed(std::span(on_top, action.kind == Action::trade ? 1 : 0));
    fixed.splits_at_once = true;
    std::optional<Rational> upper_bound;
    ChanceKey key;
    try {
        apply_action(state, turn_.rules, action, fixed, account);
        if (action.kind == Action::trade) state.me().deck = turn_.start.me().deck.first(state.me().deck.size());
        step.earned = earned_by(before, action, account);
        return true;
    } catch (const Undecided& choice) {
        // An action that was listed once keeps its score: if it has too many outcomes, that may exceed the bound.
        KeyOptions options = key_options_;
        options.every_id |= !(query_.techniques & MERGE_STATES);
        Keys keys;
        find_keys(turn_, options, before, keys);
        key = {keys.state, action_key(before, keys, action)};
        if (const auto known = expected_rests_.find(key); known != expected_rests_.end()) {
            step.rest = known->second;
            return false;
        }
        if (earned && prunes_states()) {
            try {
                upper_bound = split_damage_bound(state, account, action, before, choice);
                if (!upper_bound) upper_bound = last_action_bound(before, action, *earned);
            } catch (const TooLarge&) {  // no bound
            }
        }
        if (upper_bound && !query_.compare_bound && can_prune(*upper_bound, *earned)) {
            result_.pruned = true;
            step.rest.score = *upper_bound;
            step.exact = false;
            return false;
        }
    }
    bool complete = true;
    step.rest = expected_rest(before, action, complete);
    if (query_.compare_bound && complete) compare_bound(upper_bound, step.rest);
    expected_rests_.emplace(key, step.rest);
    return false;
}

// The legal actions that the hard rules allow; of equivalent actions only the first.
void Searcher::candidate_actions(const State& state, const Keys& keys, std::vector<Action>& actions) const {
    ActionList legal;
    legal_actions(state, turn_.rules, legal);
    const bool restricted = turn_.hard_rules.restrict_actions();
    const bool merge = query_.techniques & MERGE_ACTIONS && any_equal(state, keys);
    std::vector<ActionKey> known;
    actions.reserve(legal.size());
    for (const Action& action : legal) {
        if (action.kind == Action::end_turn || (restricted && !action_allowed(turn_, state, action))) continue;
        if (merge) {
            const ActionKey key = action_key(state, keys, action);
            if (std::ranges::find(known, key) != known.end()) continue;
            known.push_back(key);
        }
        actions.push_back(action);
    }
}

}  // namespace planner::search
