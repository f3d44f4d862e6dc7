// Cards as the compiled rules see them; the counterpart of planner/games/hearthstone/cards.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace planner::rules {

// The bits of cards/keywords.py.
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

// An enemy with one of these can be neither attacked nor chosen.
constexpr uint32_t UNTARGETABLE = STEALTH | IMMUNE;
constexpr bool is_visible_taunt(uint32_t keywords) { return (keywords & (TAUNT | UNTARGETABLE)) == TAUNT; }

constexpr int attacks_per_turn(uint32_t keywords) { return keywords & MEGA_WINDFURY ? 4 : keywords & WINDFURY ? 2 : 1; }

// The values of these enumerations are indices into the tables of words in binding/card_store.cpp, which asserts the
// counts.
enum class Type : uint8_t { minion, spell, weapon, hero_power, hidden };
enum class Operation : uint8_t {
    damage,
    heal,
    armor,
    buff,
    summon,
    destroy,
    set_attack,
    set_health,
    to_hand,
    transform,
    silence,
    freeze,
    draw,
    discard,
    add,
    equip,
    hone,
    disarm,
    mana,
    hook
};
enum class Trigger : uint8_t {
    play,
    death,
    turn_start,
    turn_end,
    aura,
    cast,
    after_cast,
    after_power,
    after_swing,
    attack,
    after_attack
};
constexpr int TRIGGERS = static_cast<int>(Trigger::after_attack) + 1;
constexpr int FIRST_REACTION = static_cast<int>(Trigger::cast);  // from here on: reactions to actions of the owner

enum class Select : uint8_t { chosen, all, random, self };
enum class Side : uint8_t { any, friendly, enemy };
enum class TargetKind : uint8_t { minion, hero, character };

// Tribes are indices into TRIBES of cards/effects.py.
constexpr int8_t ANY_TRIBE = -1;
constexpr uint32_t MECH = 1u << 4;

// Which characters an effect applies to.
struct Target {
    Select select = Select::all;
    Side side = Side::any;
    TargetKind kind = TargetKind::character;
    bool excludes_source = false;
    int8_t tribe = ANY_TRIBE;
    int8_t excluded_tribe = ANY_TRIBE;
    int8_t damaged = -1;  // 1: only damaged, 0: only undamaged, -1: both
    int32_t min_attack = INT32_MIN, max_attack = INT32_MAX;
    uint32_t keyword = 0;  // a keyword that the target must have; 0: none
    int32_t count = 1;     // with Select::random: the number of different targets
};

// A number that depends on the state (cards/conditions.py). It multiplies an effect or is compared with bounds.
enum class QuantityKind : uint8_t { health, armor, hand, crystals, weapon_attack, hero_attack, attack, count };
struct Quantity {
    bool present = false;
    QuantityKind kind = QuantityKind::count;
    bool enemy = false;  // the number of the opponent, not of the owner
    Target counted;      // with QuantityKind::count
};

// A condition under which an effect happens (cards/conditions.py).
enum class ConditionKind : uint8_t { weapon, turn, holding, controlling, target, quantity, none };
enum class TargetCondition : uint8_t { none, alive, friendly, tribe };
struct Condition {
    ConditionKind kind = ConditionKind::none;
    bool negated = false;
    TargetCondition of_target = TargetCondition::none;
    int8_t tribe = ANY_TRIBE;  // of the card in hand, of another minion on the board, or of the target
    Quantity quantity;
    int32_t min = INT32_MIN, max = INT32_MAX;
    std::string text;  // as written on the card, without `not`
};

constexpr int32_t MAX_REPEATS = 1000;  // how often one effect may repeat

struct Card;

struct Effect {
    Operation operation = Operation::damage;
    bool has_target = false;
    Target target;
    int32_t amount = 0, attack = 0, health = 0, count = 1;
    uint32_t keywords = 0;
    bool for_enemy = false;  // summon, draw, add, disarm: for the opponent
    bool split = false, this_turn = false, crystals = false, empty = false;
    Condition condition;
    Quantity multiplier;
    int8_t combo = -1;  // 1: only after another card this turn, 0: only without one, -1: always
    // The cards that summon, equip, add and transform create; one of several is chosen at random. With mana: the card
    // that the player gets instead of a crystal at the mana limit.
    std::vector<const Card*> created;
};

struct Card {
    int32_t name = 0;  // a number for the name; equal names have equal numbers
    Type type = Type::minion;
    int32_t cost = 0, attack = 0, health = 0, overload = 0, spell_damage = 0;
    int32_t value = 1;        // of a copy that an effect creates; a card in hand has its own value
    bool value_known = true;  // false if the value is not an integer in range
    uint32_t keywords = 0;
    uint32_t tribes = 0;  // a bit for each tribe
    std::vector<Effect> effects_by_trigger[TRIGGERS];
    bool has_effects = false;    // with any trigger
    bool has_reactions = false;  // with a trigger from FIRST_REACTION on
    // The target that the player chooses, without and with combo, and the condition for choosing one.
    const Target* chosen_target[2] = {nullptr, nullptr};
    Condition chosen_condition[2];
    bool needs_no_target = false;  // a minion that only needs mana and a free slot
    bool only_summons = false;     // a spell whose only effects summon minions for its owner
    bool improves_weapon = false;  // when it is played
    void* python_card = nullptr;   // for the binding

    const std::vector<Effect>& effects(Trigger trigger) const { return effects_by_trigger[static_cast<int>(trigger)]; }
};

}  // namespace planner::rules
