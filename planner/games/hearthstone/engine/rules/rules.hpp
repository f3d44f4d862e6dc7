// The rules: which actions are legal, and what an action does. The Python rules in planner/games/hearthstone/rules are
// the authority. tests/games/hearthstone/engine keeps both equal, action by action.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "rules/state.hpp"

namespace planner::rules {

// Thrown when a random choice among `count` is needed, up to `times` times, and no choice is available. Where all
// points of split damage are asked for at once, `targets` are pairs of side and index, and `room` is how many points
// each can take.
struct Undecided {
    int32_t count, times;
    std::vector<std::pair<int, int>> targets;
    std::vector<int> room;
};

// What the score of a turn counts while actions are carried out: damage by `me` to the enemy side before shields and
// armor, damage beyond the target's health, and cards that `me` drew.
struct Account {
    int64_t dealt_to_hero = 0, dealt_to_minions = 0, drawn = 0, overkill = 0;

    bool operator==(const Account&) const = default;
};

// A minion that has left the board, and its side.
struct Dead {
    int side;
    Minion minion;

    bool operator==(const Dead&) const = default;
};

// A point of an action from which on only these values decide how it goes on. See `checkpoint` in
// rules/mutable_state.py.
struct Checkpoint {
    size_t choices = 0;  // made before it
    int passed = 0;      // checkpoints so far
    int within = 0;      // repetitions that are left of the effect after it
    std::vector<int64_t> memory;
    std::vector<Dead> dead;  // minions that still act
    State state;
    Account account;
};

// Makes the random choices. `choose` returns a number below `count`, or -1 if it has none. Then `Undecided` is thrown,
// unless `certain_only` is set: an effect then stops at that point and the next effect follows.
struct Chance {
    bool certain_only = false;
    bool splits_at_once = false;  // asks how often split damage hits each target, not point by point
    virtual int choose(int count) = 0;
    // The next `count` choices at once; empty if there are none.
    virtual std::span<const int> choose_several(size_t) { return {}; }
    virtual size_t choices_made() const { return 0; }
    Checkpoint* last_checkpoint = nullptr;  // where to keep it, if outcomes are listed

  protected:
    ~Chance() = default;
};

// Choices that are fixed in advance.
struct FixedChoices final : Chance {
    std::span<const int> choices;
    size_t used = 0;

    FixedChoices() = default;
    explicit FixedChoices(std::span<const int> fixed) : choices(fixed) {}
    int choose(int count) override {
        if (used == choices.size()) return -1;
        const int choice = choices[used++];
        return choice < count ? choice : -1;
    }
    size_t choices_made() const override { return used; }
    std::span<const int> choose_several(size_t count) override {
        if (used + count > choices.size()) return {};
        used += count;
        return choices.subspan(used - count, count);
    }
};

// Large enough for a full hand with every target and a full board of attackers.
using ActionList = StaticVector<Action, 1536>;

bool is_over(const State& state, const Rules& rules);
// Whether the mulligan comes next. A caller that counts turns from 0 has mana in turn 0.
inline bool awaits_mulligan(const State& state) {
    return state.turn < 1 && !state.me().mana && state.me().board.empty() && state.enemy().board.empty();
}
int hero_attack(const Player& player);
// The attack beside the weapon's that the hero can still use this turn.
inline int unspent_attack(const Hero& hero) { return hero.attacks_left > 0 ? hero.attack_this_turn : 0; }

// Whether the minion cannot attack because it was summoned this turn.
inline bool is_sick(const Minion& minion, const Rules& rules) {
    return rules.summoning_sickness && minion.fresh && !(minion.keywords & (CHARGE | RUSH));
}

bool can_attack(const Minion& minion, const Rules& rules);
// Whether the attack is legal, if the match is not over.
bool is_legal_attack(const State& state, const Rules& rules, Action action);

// Fills `actions` in the order of the Python rules; ending the turn comes last.
void legal_actions(const State& state, const Rules& rules, ActionList& actions);

// Applies a legal action other than ending the turn. When it throws `Undecided`, state and account hold what happened
// before the choice.
void apply_action(State& state, const Rules& rules, Action action, Chance& chance, Account& account);

// Applies plays and attacks of a batch (see rules/actions.py): minions that die are removed after the last one.
void apply_batch(State& state, const Rules& rules, std::span<const Action> actions, Chance& chance, Account& account);

// Resolves the end-of-turn effects of `me` and nothing else of the end of the turn.
void apply_end_of_turn_effects(State& state, const Rules& rules, Chance& chance, Account& account);

// Starts the turn of `me`.
void start_turn(State& state, const Rules& rules, Chance& chance, Account& account);

// Ends the turn and, unless the match is over, starts the turn of the other player.
void pass_turn(State& state, const Rules& rules, Chance& chance, Account& account);

}  // namespace planner::rules
