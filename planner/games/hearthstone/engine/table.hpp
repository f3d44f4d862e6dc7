// rules/table.py and rules/effects.py: what can happen to what is on the table. Only the rules use it.
#pragma once

#include "rules.hpp"

namespace hearthstone {

constexpr int ME = 0, ENEMY = 1;
constexpr int HERO = -1;  // a hero's place on its side, beside the minions' 0, 1, 2, ...
constexpr int TRADE_COST = 1;
constexpr uint32_t MECH = 1u << 4;  // its place in TRIBES

inline bool fits(const Target& target, const Minion& minion) {
    if (target.tribe >= 0 && !(minion.card->tribes >> target.tribe & 1)) return false;
    if (minion.attack < target.least || minion.attack > target.most) return false;
    return target.damaged < 0 || (target.damaged == 1) == (minion.health < minion.max_health);
}
inline bool fits(const Target& target, const Hero& hero) {
    return target.damaged < 0 || (target.damaged == 1) == (hero.health < hero.max_health);
}

// Is that so which an effect asks for? `played`: this card is still in the hand, and does not count there; the minion
// with the id `source` does not count on the board.
inline bool is_given(const Condition& given, const Player& owner, const Card* played, Id source) {
    int found = 0;
    switch (given.asked) {
        case Asked::nothing: return true;
        case Asked::weapon: return owner.weapon.card != nullptr;
        case Asked::holding:
            for (const Held& held : owner.hand) found += held.card->tribes >> given.tribe & 1;
            return found > (played ? static_cast<int>(played->tribes >> given.tribe & 1) : 0);
        case Asked::controlling:
            for (const Minion& minion : owner.board)
                if (minion.card->tribes >> given.tribe & 1 && minion.id != source) return true;
    }
    return false;
}

// Is a minion with the name of this card on the board?
bool stands(const Few<Minion, MOST_MINIONS>& board, const Card& card);

// Where a character is: its side, and its place there.
struct Spot {
    int side, place;
};
struct Spots {
    int count = 0;
    Spot list[2 * MOST_MINIONS + 2];
    void add(int side, int place) { list[count++] = {side, place}; }
    const Spot* begin() const { return list; }
    const Spot* end() const { return list + count; }
};

// Whose effect it is: a minion as it was when its effects began, or nobody's (a spell's, a hero power's).
struct Source {
    Id id = NOBODY;
    uint32_t keywords = 0;
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
    void silence(int side, int place);

    Id new_id();
    bool summon(int side, const Card& card, Id id = NOBODY);
    void equip(int side, const Card& card);
    void wear_weapon(int side);
    void draw(int side);
    void refresh_auras();

    // Carry out one effect for the player on `side`; `bonus` is spell damage, `kept` the source's keywords, `instead`
    // what it makes where that is not what is printed.
    void carry_out(int side, const Effect& effect, Source source = {}, Id chosen = NOBODY, int32_t bonus = 0,
                   uint32_t kept = 0, const std::vector<const Card*>* instead = nullptr);
    // Remove the dead, carry out what their deaths set loose, and repeat until nobody dies.
    void settle();
    // The action is over: nothing is half-way any more.
    void finish();

  private:
    bool alive(Spot spot) const;
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

}  // namespace hearthstone
