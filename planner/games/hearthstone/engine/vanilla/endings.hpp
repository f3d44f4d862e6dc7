// What completes the chosen fights: the cards that are played, and the hits on the enemy hero.
#pragma once

#include <functional>
#include <vector>

#include "vanilla/attack_options.hpp"

namespace planner::vanilla {

// A set of cards to be played, as bits: their value, the attackers among them, and their number.
struct Hand {
    Value value;
    uint32_t attackers = 0, cards = 0;
    int count = 0;
};

// Lists the hands that can be paid; `best_only`: the best for each set of attackers and number of cards.
// Returns false where there are too many.
bool list_hands(const VanillaTurn& vanilla, bool best_only, std::vector<Hand>& hands);

// The targets of an attacker, in order.
struct Path {
    int8_t count = 0, target[2] = {-1, -1};
};

// Minions that are played to fight, and minions that die there.
struct Crowd {
    int32_t coming = 0, deaths = 0, board_deaths = 0;
    // The first to be played needs a slot that is free, or that a minion on the board has left.
    bool fits(int free_slots) const {
        return !coming || (free_slots + board_deaths > 0 && coming <= free_slots + deaths);
    }
};

// The sums over the fights of a choice.
struct Fought {
    Value value;                  // without the fate of attackers with one of two hits left
    uint32_t full = 0, part = 0;  // attackers that have made all their hits, and those that have made one of two
    int32_t deaths = 0, heals = 0, heals_enemy = 0;
    int32_t board_deaths = 0;  // of minions that are not from the hand
    Crowd at_taunts;
    bool all_dead = true;
    Path paths[MAX_ATTACKERS];  // of attackers with two hits, and of our hero
};

// Fights with cards and hits on the hero. `value` is claimed: no order of these actions scores more.
struct Choice {
    Value value;
    Hand hand;
    bool lethal = false, lives = true;
    Path paths[MAX_ATTACKERS];  // of all attackers
    std::vector<const Option*> options;
};

class Endings {
  public:
    explicit Endings(const VanillaTurn& vanilla);

    // The maximum gain of a hit on the enemy hero, where the turn kills him and where not: for an attacker with one
    // hit, and for the hit itself. What the death itself is worth does not count here.
    int64_t max_by_face(int attacker, bool lethal) const { return max_by_face_[lethal][attacker]; }
    int64_t face_hit(int attacker, bool lethal) const { return face_hit_[lethal][attacker]; }
    int32_t damage(int attacker) const { return damage_[attacker]; }  // of one such hit; 0 where there is none
    int32_t needed(int32_t healed) const {
        return full_health_ + std::min(healed, missing_);
    }  // the damage that kills him
    int32_t full_health() const { return full_health_; }
    bool mortal(int32_t damage, int32_t healed) const { return damage >= needed(healed); }
    uint32_t from_hand() const { return from_hand_; }

    // Scores the attackers that stop after one of two hits; returns false where one may not stop there.
    bool settle(Fought& fought, bool face) const;

    // Counts the slot that an attacker with two hits needs, and the one that it frees.
    void count_slot(const Attacker& attacker, const Outcome& outcome, int first, int last, Fought& fought) const;

    // Returns whether there is room for the hand with these fights.
    bool fits(const Fought& fought, const Hand& hand) const;

    // Finds the best hits on the hero by the remaining attackers, or none, including the value of our hero's health.
    // Ends are lethal exactly where `lethal` is set. Returns false where no such end is better than `floor`.
    bool best_end(const Fought& fought, const Hand& hand, bool face, bool lethal, const Value& floor,
                  Choice& found) const;

    // Visits all such ends that claim more than `floor`, which `visit` may raise, and at least `at_least`. Returns the
    // highest claim of a pruned end, or INT64_MIN where none was pruned.
    int64_t all_ends(const Fought& fought, const Hand& hand, bool face, bool lethal, const Value& floor,
                     int64_t at_least, const std::function<void(const Choice&)>& visit) const;

  private:
    struct FaceOption {  // the choices of an attacker against the hero, one of which is taken
        int attacker;
        int32_t attack;
        bool heals;
        int lower = 0, upper = 1;
        int hits[3] = {0, 1, 2};
        Value value[3];
        Path path[3];
        bool goes_on[3] = {};  // the attacker then hits a minion, so the hero must be alive
        int32_t damage(int scenario) const { return hits[scenario] * attack; }
    };
    const VanillaTurn& vanilla_;
    int64_t max_by_face_[2][MAX_ATTACKERS], face_hit_[2][MAX_ATTACKERS];  // by whether the turn is lethal
    int32_t damage_[MAX_ATTACKERS];
    int32_t full_health_, missing_;
    uint32_t from_hand_ = 0;

    std::vector<FaceOption> list_face_options(const Fought& fought, const Hand& hand, bool face) const;
    FaceOption face_option_of(const Fought& fought, const Attacker& attacker, bool face) const;
    int64_t max_end(const Fought& fought, const Hand& hand, const FaceOption* face_options, int count,
                    bool lethal) const;
    bool choose(const Fought& fought, const Hand& hand, const FaceOption* face_options, int count, bool lethal,
                const Value& floor, Choice& found) const;
    bool choose_lethal(const Fought& fought, const FaceOption* face_options, int count, int* hits, Value& value) const;
    bool choose_by_damage(const Fought& fought, const FaceOption* face_options, int count, bool lethal, int* hits,
                          Value& value) const;
    int64_t face_score(int32_t damage, int32_t healed, bool lethal) const;
    bool own_claim(int32_t heals, int32_t damage_taken, Value& value, bool& lives) const;
    bool finish(const Fought& fought, const Hand& hand, const FaceOption* face_options, int count, const int* hits,
                Value value, bool lethal, Choice& found) const;
};

}  // namespace planner::vanilla
