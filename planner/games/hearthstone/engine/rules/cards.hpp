// What is printed on a card, as numbers: planner/games/hearthstone/cards, for the compiled rules.
// Keywords are the bits of cards/keywords.py, tribes the places in TRIBES of cards/effects.py.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace planner::rules {

enum Keyword : uint32_t {
    TAUNT = 1u << 0,
    CHARGE = 1u << 1,
    RUSH = 1u << 2,
    WINDFURY = 1u << 3,
    MEGA_WINDFURY = 1u << 4,
    DIVINE_SHIELD = 1u << 5,
    POISONOUS = 1u << 6,
    LIFESTEAL = 1u << 7,
    STEALTH = 1u << 8,
    REBORN = 1u << 9,
    FROZEN = 1u << 10,
    FREEZE = 1u << 11,
    IMMUNE = 1u << 12,
    ELUSIVE = 1u << 13,
    CANNOT_ATTACK = 1u << 14,
    ECHO = 1u << 15,
    MAGNETIC = 1u << 16,
    TRADEABLE = 1u << 17,
};

inline int attacks_per_turn(uint32_t keywords) { return keywords & MEGA_WINDFURY ? 4 : keywords & WINDFURY ? 2 : 1; }

enum class Type : uint8_t { minion, spell, weapon, hero_power, hidden };
enum class Do : uint8_t {
    damage, heal, armor, buff, summon, destroy, set_attack, set_health, to_hand, transform, silence, freeze, draw, discard, add, equip, hone, disarm, mana, hook
};
enum class On : uint8_t {
    play, death, turn_start, turn_end, aura, cast, after_cast, after_power, after_swing, attack, after_attack
};
constexpr int TRIGGERS = 11, FIRST_ANSWER = 5;
enum class Select : uint8_t { chosen, all, random, self };
enum class Whose : uint8_t { any, friendly, enemy };
enum class What : uint8_t { minion, hero, character };

struct Target {
    Select select = Select::all;
    Whose side = Whose::any;
    What what = What::character;
    bool other = false;
    int8_t tribe = -1;    // a place in TRIBES; -1: any
    int8_t damaged = -1;  // 1: damaged, 0: undamaged, -1: either
    int32_t least = INT32_MIN, most = INT32_MAX;  // a minion's attack
    int8_t without = -1;   // a place in TRIBES: not of this one
    uint32_t keyword = 0;  // one that it has; 0: any
    int32_t count = 1;     // random: so many different ones
};

// cards/conditions.py: what an effect may ask for before it happens, and by what it may be multiplied.
enum class Number : uint8_t { health, armor, hand, crystals, weapon_attack, hero_attack, attack, count };
struct Quantity {
    bool there = false;
    Number what = Number::count;
    bool enemy = false;
    Target of;
};
enum class Asked : uint8_t { weapon, turn, holding, controlling, target, quantity, nothing };
enum class Of : uint8_t { nothing, alive, friendly, tribe };  // what is asked of a target
struct Condition {
    Asked asked = Asked::nothing;
    bool negated = false;
    Of of = Of::nothing;
    int8_t tribe = -1;  // of the card in hand, of another minion on the board, or of the target
    Quantity quantity;
    int32_t least = INT32_MIN, most = INT32_MAX;
    std::string words;  // as they were given, without `not`
};

constexpr int32_t MOST_TIMES = 1000;  // of what an effect repeats

struct Card;

struct Effect {
    Do what = Do::damage;
    bool has_target = false;
    Target to;
    int32_t amount = 0, attack = 0, health = 0, count = 1;
    uint32_t keywords = 0;
    bool for_enemy = false;  // summon, draw, add, disarm: on the other side
    bool split = false, this_turn = false, crystals = false, empty = false;
    Condition given;
    Quantity times;
    int8_t combo = -1;  // 1: only with, 0: only without another card played before it this turn
    std::vector<const Card*> made;  // summon, equip, add, transform: the card; several: one of them at random. mana: the card that
                                    // comes where no crystal can
};

struct Card {
    int32_t name = 0;  // equal for equal names
    Type type = Type::minion;
    int32_t cost = 0, attack = 0, health = 0, overload = 0, spell_damage = 0;
    int32_t value = 1;  // where it comes into a hand by an effect; what is held says its own
    bool value_known = true;  // and whole
    uint32_t keywords = 0;
    uint32_t tribes = 0;  // bits by place in TRIBES
    std::vector<Effect> on[TRIGGERS];
    bool has_effects = false;        // any, whenever they happen
    bool answers = false;            // to what its owner does while it stands, or to its own attacks
    const Target* chosen[2] = {nullptr, nullptr};  // whom its player chooses, without and with combo
    Condition chosen_given[2];                         // and what the effect asks for that is about them
    bool just_a_body = false;  // a minion with nothing to choose: mana and room are all that playing it asks for
    bool only_summons = false;  // a spell that does nothing but put minions onto its owner's board
    bool hones = false;         // makes a weapon better when it is played
    void* origin = nullptr;     // the bridge's: the Python card
    const std::vector<Effect>& effects(On trigger) const { return on[static_cast<int>(trigger)]; }
};

}  // namespace planner::rules
