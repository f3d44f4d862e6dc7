// A match as a compact value. Mirrors planner/games/hearthstone/rules/state.py field by field.
#pragma once

#include <cstdint>
#include <cstring>
#include <unordered_map>
#include <utility>
#include <vector>

#include "rules/cards.hpp"

namespace planner::rules {

constexpr int MOST_MINIONS = 16;  // on one board; a state with more, or with more cards, is not for the engine
constexpr int MOST_CARDS = 32;    // in one hand

// Who or what an action names. Given ids are places in the caller's table of names; ids that are made during a turn
// count up from FIRST_NEW, and FIRST_NEW + n is named `new.(n + the clock at the start)`.
using Id = uint16_t;
constexpr Id NOBODY = 0, MY_HERO = 1, ENEMY_HERO = 2, FIRST_GIVEN = 3, FIRST_NEW = 0x8000;

struct Minion {
    const Card* card;
    int32_t attack, health, max_health;
    uint32_t keywords, keywords_this_turn;
    int32_t attacks_left;
    int32_t entered;  // its place in the order in which minions came onto the board
    int32_t attack_this_turn, aura_attack, aura_health;
    Id id;
    bool fresh, silenced;
    bool doomed;  // destroyed or poisoned, and not removed yet; never true between two actions
};

struct Held {
    const Card* card;
    int64_t value;  // times the turn's value scale
    int32_t cost;
    Id id;
    bool echo;
    bool came_back = false;  // from the board: not what the caller gave under this id
};

struct Weapon {
    const Card* card = nullptr;  // nullptr: no weapon
    int32_t attack = 0, durability = 0;
    uint32_t keywords = 0;
};

struct Hero {
    int32_t health, max_health, armor;
    uint32_t keywords, keywords_this_turn;
    int32_t attack_this_turn, attacks_left;
    bool fallen;  // has died: no effect that still follows brings it back; never true between two actions
};

// A list of few things in place; copying one copies only what is there.
template <class Thing, int most>
struct Few {
    int32_t count = 0;
    Thing things[most];

    Few() = default;
    Few(const Few& other) : count(other.count) { std::memcpy(static_cast<void*>(things), other.things, sizeof(Thing) * count); }
    Few& operator=(const Few& other) {
        count = other.count;
        std::memmove(static_cast<void*>(things), other.things, sizeof(Thing) * count);
        return *this;
    }
    Thing* begin() { return things; }
    Thing* end() { return things + count; }
    const Thing* begin() const { return things; }
    const Thing* end() const { return things + count; }
    Thing& operator[](int place) { return things[place]; }
    const Thing& operator[](int place) const { return things[place]; }
    bool full() const { return count >= most; }
    void add(const Thing& thing) { things[count++] = thing; }
    void remove(int place) {
        std::memmove(static_cast<void*>(things + place), things + place + 1, sizeof(Thing) * (count - place - 1));
        --count;
    }
};

struct Player {
    Hero hero;
    Weapon weapon;
    const Card* power = nullptr;  // nullptr: none
    const Held* deck = nullptr;   // the next card to be drawn comes first; whoever made the state keeps the array
    int32_t deck_count = 0;
    int32_t mana = 0, crystals = 0, overload = 0, locked = 0, fatigue = 0, cards_played = 0;
    bool power_used = false;
    Few<Minion, MOST_MINIONS> board;
    Few<Held, MOST_CARDS> hand;
};

// Decks that trades have made: each different one is kept once, for as long as whoever made the state wants.
class Decks {
  public:
    const Held* with(const Held* deck, int32_t count, int32_t place, const Held& card);

  private:
    std::unordered_multimap<uint64_t, std::vector<Held>> kept_;
};

// The numbers of planner/games/hearthstone/rules/ruleset.py that matter once a match has begun.
struct Rules {
    int32_t board_limit = 7, hand_limit = 10, mana_limit = 10, mana_growth = 1;
    int32_t draws_per_turn = 1, fatigue_start = 1, fatigue_growth = 1, turn_limit = 180;
    const Card* hidden = nullptr;  // the back of a card
    Decks* decks = nullptr;        // where trades keep the decks that they make
    int64_t value_scale = 1;       // by which the values of cards are multiplied
};

enum class Cause : uint8_t { none, fatigue };  // what brought a hero to 0, where it was not damage

// Given ids that are named `new.N` with an N that the clock has not reached: while they are in use, whoever makes an id
// passes over them.
using NamesAhead = std::vector<std::pair<int32_t, Id>>;

struct State {
    Player sides[2];  // whose turn it is, and the other
    int32_t turn = 1, seat = 0, clock = 0;
    int32_t clock_at_start = 0;  // from which made ids are numbered
    const NamesAhead* ahead = nullptr;
    Cause cause = Cause::none;
    Player& me() { return sides[0]; }
    Player& enemy() { return sides[1]; }
    const Player& me() const { return sides[0]; }
    const Player& enemy() const { return sides[1]; }
};

struct Action {
    enum Kind : uint8_t { play, attack, hero_power, trade, end_turn };
    Kind kind;
    Id who;     // the card or the attacker
    Id target;  // NOBODY: none
    bool operator==(const Action& other) const {
        return kind == other.kind && who == other.who && target == other.target;
    }
};

}  // namespace planner::rules
