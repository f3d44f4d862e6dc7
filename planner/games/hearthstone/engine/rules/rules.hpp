// The rules: what is legal, and what an action does. planner/games/hearthstone/rules is the authority; this is the
// same rulebook over a compact state, kept equal action by action by tests/games/hearthstone/engine.
#pragma once

#include <span>

#include "rules/state.hpp"

namespace planner::rules {

// Where chance has to decide among `count`, up to so many `times`, and nobody has told how.
struct Undecided {
    int32_t count, times;
};

// Who decides what chance decides. `choose` gives a number below `count`, or -1: then `Undecided` is thrown, unless
// `certain_only`, where each effect is carried out up to that point and the next one goes on.
struct Chance {
    bool certain_only = false;
    virtual int choose(int count) = 0;

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
};

// What happened, for whoever counts what a turn is worth (rules/table.py): damage by `me` to the enemy's side as it was
// dealt out, and cards that came into the hand of `me`.
struct Account {
    int64_t dealt_to_hero = 0, dealt_to_minions = 0, drawn = 0, overkill = 0;
    bool operator==(const Account&) const = default;
};

struct Actions {
    int32_t count = 0;
    Action list[1536];  // the most cards with the most targets, and the most attackers
    void add(Action action) { list[count++] = action; }
    Action* begin() { return list; }
    Action* end() { return list + count; }
};

bool is_over(const State& state, const Rules& rules);

// All that the player may do now, in the order of `legal_actions` in rules/legal.py, the end of the turn last.
void legal_actions(const State& state, const Rules& rules, Actions& found);

// Carry out a legal action other than the end of the turn, and all that follows from it. Throws `Undecided`; the state
// and the account are then as far as things had come.
void carry_out(State& state, const Rules& rules, Action action, Chance& chance, Account& account);

// The effects at the end of the turn of `me`, and before anything else of that end (`last_effects` in rules/match.py).
void last_effects(State& state, const Rules& rules, Chance& chance, Account& account);

// End the turn and begin the other player's, unless the match is over by then (`pass_turn` in rules/match.py).
void pass_turn(State& state, const Rules& rules, Chance& chance, Account& account);

int hero_attack(const Player& player);

}  // namespace planner::rules
