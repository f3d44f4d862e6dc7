// rules/table.py and rules/effects.py: what can happen to what is on the table. Only the rules use it.
#pragma once

#include <stdexcept>

#include "rules/rules.hpp"

namespace planner::rules {

constexpr int ME = 0, ENEMY = 1;
constexpr int HERO = -1;  // a hero's place on its side, beside the minions' 0, 1, 2, ...
constexpr int TRADE_COST = 1;
// Endless fatigue and what is multiplied are the ways to numbers without limit; they must not wrap around.
inline int32_t checked_int32(int64_t number) {
    if (number < INT32_MIN / 2 || number > INT32_MAX / 2) throw std::overflow_error("a number beyond the engine's limits");
    return static_cast<int32_t>(number);
}

inline bool fits(const Target& target, const Minion& minion) {
    if (target.tribe >= 0 && !(minion.card->tribes >> target.tribe & 1)) return false;
    if (target.excluded_tribe >= 0 && minion.card->tribes >> target.excluded_tribe & 1) return false;
    if (target.keyword && !(minion.keywords & target.keyword)) return false;
    if (minion.attack < target.min_attack || minion.attack > target.max_attack) return false;
    return target.damaged < 0 || (target.damaged == 1) == (minion.health < minion.max_health);
}
inline bool fits(const Target& target, const Hero& hero) {
    if (target.keyword && !(hero.keywords & target.keyword)) return false;
    return target.damaged < 0 || (target.damaged == 1) == (hero.health < hero.max_health);
}

// Whose effect it is: a minion as it was when its effects began, or nobody's (a spell's, a hero power's).
struct Source {
    Id id = NO_ID;
    uint32_t keywords = 0;
    int32_t attack = 0;
};

// rules/asked.py: is that so which an effect of `owner` asks for? `played`: this card is still in the hand, and does not
// count there. What is asked about a target is not asked here.
bool condition_holds(const Condition& given, const Player& owner, const Player& enemy, bool my_turn, const Card* played,
              Source source);
int32_t quantity_value(const Quantity& quantity, const Player& owner, const Player& enemy, Source source, const Card* played);

// Is a minion with the name of this card on the board?
bool stands(const StaticVector<Minion, MAX_MINIONS>& board, const Card& card);

// Where a character is: its side, and its place there.
struct Spot {
    int side, place;
};
struct Spots {
    int count = 0;
    Spot list[2 * MAX_MINIONS + 2];
    void add(int side, int place) { list[count++] = {side, place}; }
    void remove(int place) {
        for (--count; place < count; ++place) list[place] = list[place + 1];
    }
    const Spot* begin() const { return list; }
    const Spot* end() const { return list + count; }
};

class Table {
  public:
    Table(State& state, const Rules& rules, Chance& chance, Account& account)
        : state_(state), rules_(rules), chance_(chance), account_(account) {}

    Player& side(int number) { return state_.sides[number]; }
    bool over() const { return state_.me().hero.health <= 0 || state_.enemy().hero.health <= 0; }
    int choose_at_random(int count, int times = 1);

    int32_t damage(int side, int place, int32_t amount, uint32_t source = 0, int by = ME);
    void heal(int side, int place, int32_t amount);
    void destroy(int side, int place);
    void freeze(int side, int place);
    void buff(int side, int place, int32_t attack, int32_t health, uint32_t keywords, bool this_turn);
    void set_attack(int side, int place, int32_t amount);
    void set_health(int side, int place, int32_t amount);
    void transform(int side, int place, const Card& card);
    void to_hand(int side, Id id);
    void silence(int side, int place);

    Id new_id();
    bool summon(int side, const Card& card, Id id = NO_ID);
    void equip(int side, const Card& card);
    void wear_weapon(int side);
    void draw(int side);
    void refresh_auras();

    // Carry out one effect for the player on `side`; `bonus` is spell damage, `kept` the source's keywords, `instead`
    // what it makes where that is not what is printed.
    void carry_out(int side, const Effect& effect, Source source = {}, Id chosen = NO_ID, int32_t bonus = 0,
                   uint32_t kept = 0, const std::vector<const Card*>* instead = nullptr);
    // Remove the dead, carry out what their deaths set loose, and repeat until nobody dies.
    void settle();
    // The action is over: nothing is half-way any more.
    void finish();

  private:
    bool alive(Spot spot) const;
    bool may_happen(int side, const Effect& effect, Source source, Id chosen) const;
    void find(int side, Id id, Spots& found) const;
    void spots(int side, const Target& target, Source source, Id chosen, Spots& found) const;
    void targets(int side, const Effect& effect, Source source, Id chosen, Spots& found);
    void split(int side, const Effect& effect, Source source, Id chosen, int32_t amount, uint32_t kept);
    void mana(int side, const Effect& effect);
    void rebirth(int side, const Minion& minion);
    void rearm(Player& owner, const Weapon& weapon);
    bool in_use(Id id) const;

    std::vector<Id> gone_;  // who died by now, where their names could be given again

    State& state_;
    const Rules& rules_;
    Chance& chance_;
    Account& account_;
};

}  // namespace planner::rules
