// The elementary changes of a state, on which actions and effects are built. Internal to the rules.
#pragma once

#include <stdexcept>

#include "rules/rules.hpp"

namespace planner::rules {

constexpr int ME = 0, ENEMY = 1;
constexpr int HERO = -1;  // the index of a hero on its side; minions have 0, 1, 2, ...
constexpr int TRADE_COST = 1;

// The first number in the memory of a checkpoint: where in an action it is. For the effects of a trigger, it is the
// number of the trigger.
constexpr int64_t PLAY_EFFECTS = 100, POWER_EFFECTS = 101, DEATH_EFFECTS = 102;

// Sums such as armor, and multiplied effects, can grow without limit.
inline int32_t checked_number(int64_t number) {
    if (number < -MAX_NUMBER || number > MAX_NUMBER) throw std::overflow_error("number beyond the engine's limits");
    return static_cast<int32_t>(number);
}

inline bool matches(const Target& target, const Minion& minion) {
    const uint32_t tribes = minion.card->tribes;
    if (target.tribe != ANY_TRIBE && !(tribes >> target.tribe & 1)) return false;
    if (target.excluded_tribe != ANY_TRIBE && tribes >> target.excluded_tribe & 1) return false;
    if (target.keyword && !(minion.keywords & target.keyword)) return false;
    if (minion.attack < target.min_attack || minion.attack > target.max_attack) return false;
    return target.damaged < 0 || (target.damaged == 1) == (minion.health < minion.max_health);
}

inline bool matches(const Target& target, const Hero& hero) {
    if (target.keyword && !(hero.keywords & target.keyword)) return false;
    return target.damaged < 0 || (target.damaged == 1) == (hero.health < hero.max_health);
}

// The minion whose effect it is, as it was when its effects started. NO_ID for spells and hero powers.
struct Source {
    Id id = NO_ID;
    uint32_t keywords = 0;
    int32_t attack = 0;
};

// Whether the condition of an effect of `owner` holds. `played` is the card being played: it is still in the hand but
// does not count there. Conditions about a target are not checked here and count as true.
bool condition_holds(const Condition& condition, const Player& owner, const Player& enemy, bool my_turn,
                     const Card* played, Source source);
int32_t quantity_value(const Quantity& quantity, const Player& owner, const Player& enemy, Source source,
                       const Card* played);

// Whether the board has a minion with the name of this card.
bool has_minion_named(const StaticVector<Minion, MAX_MINIONS>& board, const Card& card);

// Where a character is: its side, and its index there.
struct Position {
    int side, index;
    bool operator==(const Position&) const = default;
};
using Positions = StaticVector<Position, 2 * MAX_MINIONS + 2>;

// A minion as printed on its card, with all attacks left.
Minion new_minion(const Card& card, Id id, int32_t entered);

class Table {
  public:
    Table(State& state, const Rules& rules, Chance& chance, Account& account)
        : state_(state), rules_(rules), chance_(chance), account_(account) {}

    Player& player(int side) { return state_.sides[side]; }
    bool over() const { return state_.me().hero.health <= 0 || state_.enemy().hero.health <= 0; }
    int choose_at_random(int count, int times = 1);
    // Keeps a checkpoint where outcomes are listed. `memory` has everything, besides state and account, that decides
    // how the action goes on.
    bool keeps_checkpoints() const { return chance_.last_checkpoint != nullptr; }
    void checkpoint(std::vector<int64_t> memory, std::span<const Dead> dead = {});
    // Keeps one inside an effect that repeats something, if only the state and `left` decide how it goes on.
    void repetition(int left);

    // Returns the damage that got through. `keywords` are those of the source, `by` is the side that deals it.
    int32_t damage(int side, int index, int32_t amount, uint32_t keywords = 0, int by = ME);
    void heal(int side, int index, int32_t amount);
    void destroy(int side, int index);
    void freeze(int side, int index);
    void buff(int side, int index, int32_t attack, int32_t health, uint32_t keywords, bool this_turn);
    void set_attack(int side, int index, int32_t amount);
    void set_health(int side, int index, int32_t amount);
    void transform(int side, int index, const Card& card);
    void return_to_hand(int side, Id id);
    void silence(int side, int index);

    Id new_id();
    int64_t scaled_value(const Card& card) const;
    bool summon(int side, const Card& card, Id id = NO_ID);
    void equip(int side, const Card& card);
    void use_weapon(int side);
    void draw(int side);
    void refresh_auras();

    // Resolves one effect for the player on `side`. `bonus` is spell damage, `keywords` are those of the source, and
    // `created` replaces the cards that are printed on the effect.
    void resolve(int side, const Effect& effect, Source source = {}, Id chosen = NO_ID, int32_t bonus = 0,
                 uint32_t keywords = 0, const std::vector<const Card*>* created = nullptr);
    // Removes dead minions and resolves their deathrattles until no minion dies. An action has several phases that end
    // with deaths; `phase` tells them apart.
    void resolve_deaths(int phase = -1);
    // Clears what only exists during an action.
    void finish();

  private:
    bool alive(Position position) const;
    bool effect_condition_holds(int side, const Effect& effect, Source source, Id chosen) const;
    void carry_out(int side, const Effect& effect, Source source, Id chosen, int32_t bonus, uint32_t keywords,
                   const std::vector<const Card*>* created);
    void find(int side, Id id, Positions& result) const;
    void matching(int side, const Target& target, Source source, Id chosen, Positions& result) const;
    void select_targets(int side, const Effect& effect, Source source, Id chosen, Positions& result);
    Effect multiplied(int side, const Effect& effect, Source source);
    template <class Change>
    void for_each_target(int side, const Effect& effect, Source source, Id chosen, Change change);
    void deal_split_damage(int side, const Effect& effect, Source source, Id chosen, int32_t amount, uint32_t keywords);
    void return_targets_to_hand(int side, const Effect& effect, Source source, Id chosen);
    void discard(int side, int32_t count);
    void add_to_hand(int side, const std::vector<const Card*>& cards);
    void gain_mana(int side, const Effect& effect);
    void revive(int side, const Minion& minion);
    void set_weapon(Player& owner, const Weapon& weapon);
    bool in_use(Id id) const;

    State& state_;
    const Rules& rules_;
    Chance& chance_;
    Account& account_;
    std::vector<Id> removed_ids_;  // ids of minions that died during this action, if ids are reserved
};

}  // namespace planner::rules
