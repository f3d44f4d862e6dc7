// What goes with chosen fights: the cards that are played, and the blows on the enemy hero.
#pragma once

#include <functional>
#include <vector>

#include "vanilla/attack_options.hpp"

namespace planner::vanilla {

using namespace rules;
using namespace search;

// Cards to be played, as bits: what they are worth, who of them can strike, and how many they are.
struct Hand {
    Value value;
    uint32_t fighters = 0, cards = 0;
    int count = 0;
};

// The hands that can be paid; `best_only`: for each set of fighters and number of cards the best.
// False where there are too many.
bool list_hands(const Bodies& bodies, bool best_only, std::vector<Hand>& hands);

// Whom a fighter strikes, in order.
struct Path {
    int8_t count = 0, target[2] = {-1, -1};
};

// Who comes from the hand to fight, and who dies there.
struct Crowd {
    int32_t coming = 0, deaths = 0, board_deaths = 0;
    // The first to come needs a place that was free or that one left who had not to come.
    bool fits(int room) const { return !coming || (room + board_deaths > 0 && coming <= room + deaths); }
};

// The fights of a choice summed up.
struct Fought {
    Value value;  // without what becomes of attackers that have a blow left of two
    uint32_t full = 0, part = 0;  // who has struck all its blows, and who one of two
    int32_t deaths = 0, heals = 0, heals_enemy = 0;
    int32_t board_deaths = 0;  // of those who are not from the hand
    Crowd at_guards;
    bool all_dead = true;
    Path paths[MOST_FIGHTERS];  // of those with two blows, and of our hero
};

// Fights with cards and blows on the hero. `value` is claimed: no order of these actions is worth more.
struct Choice {
    Value value;
    Hand hand;
    bool lethal = false, lives = true;
    Path paths[MOST_FIGHTERS];  // of all
    std::vector<const Option*> options;
};

class Endings {
  public:
    explicit Endings(const Bodies& bodies);

    // What a blow on the enemy hero gains at most: of a fighter with one blow, and as such.
    int64_t most_by_face(int fighter) const { return most_by_face_[fighter]; }
    int64_t face_blow(int fighter) const { return face_blow_[fighter]; }
    int32_t harm(int fighter) const { return harm_[fighter]; }  // of one such blow, 0 where there is none
    int32_t needed(int32_t healed) const { return whole_ + std::min(healed, missing_); }  // to kill him
    int32_t whole() const { return whole_; }
    bool mortal(int32_t harm, int32_t healed) const { return harm >= needed(healed); }
    uint32_t from_hand() const { return from_hand_; }

    // The attackers with one of two blows struck now count for what they are; false where one may not stop there.
    bool settle(Fought& fought, bool face) const;

    // The place that a fighter with two blows needs, and the one that it leaves.
    void count_place(const Fighter& fighter, const Outcome& outcome, int first, int last, Fought& fought) const;

    // Can the hand come with these fights?
    bool fits(const Fought& fought, const Hand& hand) const;

    // The best blows on the hero by those who are free, or none: with what our hero's health comes to. Claims no
    // lethal end unless `lethal`, and then only such. False where there is no such end that is better than `floor`.
    bool best_end(const Fought& fought, const Hand& hand, bool face, bool lethal, const Value& floor, Choice& found) const;

    // All such ends, where they claim more than the floor, which `visit` may raise, and at least so much. What is left
    // out because it claims less than that claims at most what is returned; INT64_MIN where nothing is.
    int64_t all_ends(const Fought& fought, const Hand& hand, bool face, bool lethal, const Value& floor, int64_t at_least,
                  const std::function<void(const Choice&)>& visit) const;

  private:
    struct Swing {  // a fighter's choices against the hero, of which one from `least` to `most` is taken
        int fighter;
        int32_t attack;
        bool heals;
        int least = 0, most = 1;
        int strikes[3] = {0, 1, 2};
        Value value[3];
        Path path[3];
        bool goes_on[3] = {};  // from the hero to a minion, so he has to be alive
        int32_t harm(int way) const { return strikes[way] * attack; }
    };
    const Bodies& bodies_;
    int64_t most_by_face_[MOST_FIGHTERS], face_blow_[MOST_FIGHTERS];
    int32_t harm_[MOST_FIGHTERS];
    int32_t whole_, missing_;
    uint32_t from_hand_ = 0;

    int list_swings(const Fought& fought, const Hand& hand, bool face, Swing* swings) const;
    Swing swing_of(const Fought& fought, const Fighter& fighter, bool face) const;
    bool choose(const Fought& fought, const Hand& hand, const Swing* swings, int count, bool lethal, const Value& floor,
                Choice& found) const;
    bool choose_lethal(const Fought& fought, const Swing* swings, int count, int* blows, Value& value) const;
    bool choose_by_harm(const Fought& fought, const Swing* swings, int count, bool lethal, int* blows, Value& value) const;
    int64_t face_worth(int32_t harm, int32_t healed, bool lethal) const;
    bool own_claim(int32_t heals, int32_t wounds, Value& value, bool& lives) const;
    bool finish(const Fought& fought, const Hand& hand, const Swing* swings, int count, const int* blows, Value value,
                bool lethal, Choice& found) const;
};

}  // namespace planner::vanilla
