#include "vanilla/tie_break.hpp"

#include <map>
#include <string>

#include "search/key.hpp"
#include "vanilla/legal_order.hpp"

namespace planner::vanilla {

namespace {

constexpr int MAX_ATTACKS = 10;  // of one unit in a turn

using Digits = std::vector<uint8_t>;

class TieBreaker {
  public:
    TieBreaker(const Turn& turn, const State& start, const Continue& continue_from, Limit& limit)
        : turn_(turn),
          continue_from_(continue_from),
          limit_(limit),
          by_id_(key_options(turn)),
          lives_(enemy_lives(start)) {
        by_id_.every_id = true;
        for (const Minion& minion : start.me().board) units_.push_back(minion.id);
        for (const HandCard& hand_card : start.me().hand) {
            cards_.push_back(hand_card.id);
            units_.push_back(hand_card.id);
        }
        units_.push_back(Id(MY_HERO));
        order_ = units_;
        for (const Minion& minion : start.enemy().board) order_.push_back(minion.id);
        no_action_.assign(cards_.size() + units_.size() * MAX_ATTACKS, static_cast<uint8_t>(lives_.size() + 1));
        std::fill_n(no_action_.begin(), cards_.size(), uint8_t{1});
    }

    bool stopped() const { return stopped_; }

    std::vector<Action> best_actions(const State& state, const TurnScore& score) {
        return best(state, score, std::vector<uint8_t>(units_.size(), 0)).actions;
    }

  private:
    // The best rest of a turn: its digits, and its actions in some legal order.
    struct Rest {
        Digits digits;
        std::vector<Action> actions;
    };

    const Turn& turn_;
    const Continue& continue_from_;
    Limit& limit_;
    KeyOptions by_id_;
    std::vector<Life> lives_;
    std::vector<Id> cards_, units_, order_;
    Digits no_action_;
    bool stopped_ = false;
    std::map<std::string, Rest> known_;

    static size_t index_of(const std::vector<Id>& ids, Id id) {
        return static_cast<size_t>(std::find(ids.begin(), ids.end(), id) - ids.begin());
    }

    // Sets the digit that an action decides, and counts the attack.
    void set_digit(const State& state, Action action, std::vector<uint8_t>& made, Digits& digits) const {
        if (action.kind != Action::attack) {
            digits[index_of(cards_, action.source)] = 0;
            return;
        }
        const size_t unit = index_of(units_, action.source);
        uint8_t target = static_cast<uint8_t>(lives_.size());
        if (action.target != ENEMY_HERO) {
            for (const Minion& minion : state.enemy().board) {
                if (minion.id != action.target) continue;
                for (size_t life = 0; life < lives_.size(); ++life) {
                    const Minion& first = lives_[life].minion;
                    if (first.id != minion.id || lives_[life].second) continue;
                    const bool second = first.keywords & REBORN && !(minion.keywords & REBORN);
                    target = static_cast<uint8_t>(life + second);
                }
            }
        }
        digits[cards_.size() + unit * MAX_ATTACKS + std::min<size_t>(made[unit], MAX_ATTACKS - 1)] = target;
        ++made[unit];
    }

    std::string position(const State& state, const std::vector<uint8_t>& made) const {
        Keys keys;
        find_keys(turn_, by_id_, state, keys);
        std::string key(made.begin(), made.end());
        key.append(reinterpret_cast<const char*>(&keys.state.a), sizeof keys.state.a);
        key.append(reinterpret_cast<const char*>(&keys.state.b), sizeof keys.state.b);
        return key;
    }

    Rest best(const State& state, const TurnScore& score, const std::vector<uint8_t>& made) {
        if (!limit_.consume()) stopped_ = true;
        if (stopped_) return {no_action_, {}};
        const std::string key = position(state, made);
        if (const auto found = known_.find(key); found != known_.end()) return found->second;
        const Continuation continuation = continue_from_(state, score, order_);
        Rest best_rest{no_action_, {}};
        if (continuation.is_solved) {
            State now = state;
            std::vector<uint8_t> count = made;
            for (const Action& action : continuation.rest) {
                set_digit(now, action, count, best_rest.digits);
                apply_vanilla(turn_, now, action);
            }
            best_rest.actions = continuation.rest;
        }
        bool first = true;
        for (const Continuation::Next& next : continuation.next) {
            std::vector<uint8_t> count = made;
            Digits digit = no_action_;
            set_digit(state, next.action, count, digit);
            Rest rest = best(next.state, next.score, count);
            for (size_t index = 0; index < digit.size(); ++index)
                if (digit[index] != no_action_[index]) rest.digits[index] = digit[index];
            if (!first && !(rest.digits < best_rest.digits)) continue;
            first = false;
            rest.actions.insert(rest.actions.begin(), next.action);
            best_rest = std::move(rest);
        }
        if (!stopped_) known_.emplace(key, best_rest);
        return best_rest;
    }
};

}  // namespace

TieBreak break_ties(const Turn& turn, const State& state, const TurnScore& score, const Continue& continue_from,
                    Limit& limit) {
    TieBreaker tie_breaker(turn, state, continue_from, limit);
    const std::vector<Action> actions = tie_breaker.best_actions(state, score);
    if (tie_breaker.stopped()) return {};
    const int64_t claimed = static_cast<int64_t>(score.score.numerator);
    OrderedTurn ordered = find_legal_order(turn, state, chosen_turn(turn, state, actions), claimed, limit);
    const bool certified = ordered.found && ordered.score == claimed && ordered.hero_lives == score.hero_lives;
    return {true, certified ? ordered.actions : actions};
}

}  // namespace planner::vanilla
