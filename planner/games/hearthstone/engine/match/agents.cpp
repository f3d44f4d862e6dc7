#include "match/agents.hpp"

#include <algorithm>
#include <bit>

#include "match/plan.hpp"
#include "match/python_random.hpp"

namespace planner::match {

namespace {

constexpr Action END_TURN{Action::end_turn, NO_ID, NO_ID};

class RandomAgent final : public Agent {
  public:
    explicit RandomAgent(uint64_t seed) : random_(seed) {}

    bool replaces(const HandCard&) const override { return false; }
    Action decide(const State& match, const Rules& rules) override {
        ActionList actions;
        legal_actions(match, rules, actions);
        return actions[static_cast<int32_t>(random_.unit() * actions.size())];
    }

  private:
    PythonRandom random_;
};

// -- the greedy agent: the constants are explained in hearthstone_agents.py

constexpr int64_t HEALTH = 2, STAT = 3, CARD = 5, WIN = 100'000;
constexpr uint32_t GOOD_KEYWORDS =
    TAUNT | CHARGE | WINDFURY | MEGA_WINDFURY | DIVINE_SHIELD | POISONOUS | LIFESTEAL | STEALTH | REBORN;

int64_t player_value(const Player& player) {
    const Hero& hero = player.hero;
    if (hero.health <= 0) return -WIN;
    int64_t value = HEALTH * (int64_t{hero.health} + hero.armor) + CARD * player.hand.size();
    for (const Minion& minion : player.board)
        value += STAT * (int64_t{minion.attack} + minion.health) + std::popcount(minion.keywords & GOOD_KEYWORDS);
    if (player.weapon.card) value += int64_t{player.weapon.attack} * player.weapon.durability;
    return value + unspent_attack(hero);
}

class GreedyAgent final : public Agent {
  public:
    GreedyAgent(const AgentSpec& spec, uint64_t seed) : mulligan_cost_(spec.mulligan_cost), chance_(seed) {}

    bool replaces(const HandCard& hand_card) const override { return hand_card.cost > mulligan_cost_; }
    Action decide(const State& match, const Rules& rules) override {
        const View view(match, rules);
        Action best = END_TURN;
        int64_t best_value = state_value(view.state);
        ActionList actions;
        legal_actions(view.state, view.rules, actions);
        for (const Action action : actions) {
            if (action.kind == Action::end_turn) continue;
            State after = view.state;
            Account account;
            apply_action(after, view.rules, action, chance_, account);
            if (const int64_t value = state_value(after); value > best_value) best = action, best_value = value;
        }
        return view.to_match(best);
    }

  private:
    int32_t mulligan_cost_;
    RandomChance chance_;
};

// -- the planner

class PlannerAgent final : public Agent {
  public:
    explicit PlannerAgent(const AgentSpec& spec) : spec_(spec) {}

    bool replaces(const HandCard& hand_card) const override { return hand_card.cost > spec_.mulligan_cost; }
    bool planned() const override { return planned_; }
    std::span<const Action> batch() const override { return batch_; }
    Action decide(const State& match, const Rules& rules) override {
        planned_ = false;
        batch_.clear();
        if (turn_ != match.turn) {
            turn_ = match.turn;
            hint_.clear();
            plan(match, rules);
        } else if (next_ < actions_.size() ? !is_legal(match, rules, actions_[next_]) : plan_again_) {
            plan(match, rules);
        }
        return next_ < actions_.size() ? actions_[next_++] : END_TURN;
    }

  private:
    // Plans the actions until something is revealed or the turn ends.
    void plan(const State& match, const Rules& rules) {
        planned_ = true;
        const View view(match, rules);
        std::vector<Action> hint;
        for (const Action action : hint_)
            if (const auto visible = view.from_match(action)) hint.push_back(*visible);
        const TurnPlan plan = best_plan(view, hint);
        if (plan.batch)
            for (const Action action : plan.actions) batch_.push_back(view.to_match(action));
        actions_.clear();
        hint_.clear();
        next_ = 0;
        plan_again_ = false;
        if (plan.batch) return;
        const size_t certain = plan.reveals ? *plan.reveals + 1 : plan.actions.size();
        for (size_t index = 0; index < plan.actions.size(); ++index)
            (index < certain ? actions_ : hint_).push_back(view.to_match(plan.actions[index]));
        // After a draw, a chance event or a card effect that the plan ignored, the rest of the turn needs a new plan.
        plan_again_ = !plan.actions.empty() && (plan.reveals || plan.ignores_effects);
    }

    TurnPlan best_plan(const View& view, const std::vector<Action>& hint) {
        if (spec_.formulation != Formulation::exact) return plan_thesis(spec_, view);
        try {
            return plan_exact(spec_, spec_.rules, view, hint);
        } catch (const NoTurn&) {
            return plan_with_relaxed_rules(view, hint);
        }
    }

    // The best turn that obeys as many hard rules as possible, in their order: the agent has to move.
    TurnPlan plan_with_relaxed_rules(const View& view, const std::vector<Action>& hint) {
        std::vector<search::ProfileRule> kept;
        TurnPlan best = plan_exact(spec_, kept, view, hint);
        for (const search::ProfileRule& rule : spec_.rules) {
            kept.push_back(rule);
            try {
                best = plan_exact(spec_, kept, view, hint);
            } catch (const NoTurn&) {
                kept.pop_back();
            }
        }
        return best;
    }

    const AgentSpec& spec_;
    int32_t turn_ = 0;
    std::vector<Action> actions_;  // of the current plan
    size_t next_ = 0;              // the index of the next one
    std::vector<Action> hint_;     // the actions after the one that reveals something: a start for the next plan
    std::vector<Action> batch_;    // of the last decision
    bool plan_again_ = false, planned_ = false;
};

}  // namespace

int64_t state_value(const State& state) { return player_value(state.me()) - player_value(state.enemy()); }

std::unique_ptr<Agent> make_agent(const AgentSpec& spec, uint64_t seed) {
    switch (spec.kind) {
        case AgentKind::random: return std::make_unique<RandomAgent>(seed);
        case AgentKind::greedy: return std::make_unique<GreedyAgent>(spec, seed);
        case AgentKind::planner: break;
    }
    return std::make_unique<PlannerAgent>(spec);
}

bool is_legal(const State& state, const Rules& rules, Action action) {
    ActionList actions;
    legal_actions(state, rules, actions);
    return std::ranges::find(actions, action) != actions.end();
}

}  // namespace planner::match
