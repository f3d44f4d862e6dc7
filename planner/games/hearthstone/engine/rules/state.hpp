// A match as a compact value. The fields mirror planner/games/hearthstone/rules/state.py and have the same names.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "rules/cards.hpp"
#include "rules/static_vector.hpp"

namespace planner::rules {

// The engine declines states with more minions on a board or more cards in a hand.
constexpr int MAX_MINIONS = 16;
constexpr int MAX_HAND_CARDS = 32;
// And larger numbers, such as attack or health. What a term of the objective counts is a sum of at most MAX_SUMMANDS of
// them.
constexpr int32_t MAX_NUMBER = 1 << 20;
constexpr int64_t MAX_SUMMANDS = 128, MAX_AMOUNT = MAX_SUMMANDS * MAX_NUMBER;

// Identifies a hero, a minion or a card. Ids of the caller are indices into the table of id strings, offset by
// FIRST_CALLER_ID. Ids created during a turn start at FIRST_CREATED_ID: FIRST_CREATED_ID + n is `new.N` with
// N = n + clock_at_start.
using Id = uint16_t;
constexpr Id NO_ID = 0, MY_HERO = 1, ENEMY_HERO = 2, FIRST_CALLER_ID = 3, FIRST_CREATED_ID = 0x8000;

struct Minion {
    const Card* card;
    int32_t attack, health, max_health;
    uint32_t keywords, keywords_this_turn;
    int32_t attacks_left;
    int32_t entered;  // the clock when it entered the board
    int32_t attack_this_turn, aura_attack, aura_health;
    Id id;
    bool fresh, silenced;
    bool doomed;  // destroyed or poisoned, but still on the board; false between two actions

    bool operator==(const Minion&) const = default;
};

// A card in a hand or a deck.
struct HandCard {
    const Card* card;
    int64_t value;  // multiplied by Rules::value_scale
    int32_t cost;
    Id id;
    bool echo;
    bool returned = false;  // it came back from the board, so it differs from the caller's card with this id

    bool operator==(const HandCard&) const = default;
};

struct Weapon {
    const Card* card = nullptr;  // nullptr: no weapon
    int32_t attack = 0, durability = 0;
    uint32_t keywords = 0;

    bool operator==(const Weapon&) const = default;
};

struct Hero {
    int32_t health, max_health, armor;
    uint32_t keywords, keywords_this_turn;
    int32_t attack_this_turn, attacks_left;
    const void* hero_class;  // for the binding
    bool dead;               // later effects of the same action cannot heal it; false between two actions

    bool operator==(const Hero&) const = default;
};

struct Player {
    Hero hero;
    Weapon weapon;
    const Card* power = nullptr;     // nullptr: no hero power
    std::span<const HandCard> deck;  // top card first
    int32_t mana = 0, crystals = 0, overload = 0, locked = 0, fatigue = 0, cards_played = 0;
    bool power_used = false;
    StaticVector<Minion, MAX_MINIONS> board;
    StaticVector<HandCard, MAX_HAND_CARDS> hand;
};

// The minion on this player's board, or the card in hand; null if there is none.
inline const Minion* find_minion(const Player& player, Id id) {
    const auto found = std::ranges::find(player.board, id, &Minion::id);
    return found == player.board.end() ? nullptr : found;
}
inline const HandCard* find_card(const Player& player, Id id) {
    const auto found = std::ranges::find(player.hand, id, &HandCard::id);
    return found == player.hand.end() ? nullptr : found;
}

// Owns the decks that trades create. Equal decks are stored once.
class DeckStore {
  public:
    // Returns the deck with `card` inserted at `index`.
    std::span<const HandCard> insert(std::span<const HandCard> deck, int32_t index, const HandCard& card);

  private:
    std::unordered_multimap<uint64_t, std::vector<HandCard>> decks_;
};

// The numbers of rules/ruleset.py that matter after the start of a match.
struct Rules {
    int32_t board_limit = 7, hand_limit = 10, mana_limit = 10, mana_growth = 1;
    int32_t draws_per_turn = 1, fatigue_start = 1, fatigue_growth = 1, turn_limit = 180;
    bool summoning_sickness = true, attack_required = true, first_turn_draw = true;
    // The bound and the solver of vanilla turns know only these rules of attacks; other rules are left to the search.
    bool has_usual_attacks() const { return summoning_sickness && attack_required; }
    bool printed = false;          // `execution: printed`: batches are legal
    const Card* hidden = nullptr;  // the card that stands for an unknown card
    DeckStore* decks = nullptr;
    int64_t value_scale = 1;  // card values are multiplied by it, which makes them integers
};

enum class Cause : uint8_t { none, fatigue };  // why a hero died, if not by damage

// Ids of the caller that are named `new.N` with an N that the clock has not reached, by N. A new id skips them while
// they are in use.
using ReservedIds = std::vector<std::pair<int32_t, Id>>;

struct State {
    Player sides[2];  // the player to move, then the opponent
    int32_t turn = 1, seat = 0, clock = 0;
    int32_t clock_at_start = 0;
    const ReservedIds* reserved_ids = nullptr;
    Cause cause = Cause::none;

    Player& me() { return sides[0]; }
    Player& enemy() { return sides[1]; }
    const Player& me() const { return sides[0]; }
    const Player& enemy() const { return sides[1]; }
};

struct Action {
    enum Kind : uint8_t { play, attack, hero_power, trade, end_turn };
    Kind kind;
    Id source;  // the card or the attacker
    Id target;  // NO_ID: no target

    bool operator==(const Action&) const = default;
};

}  // namespace planner::rules
