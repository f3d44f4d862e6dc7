// The most that cards can still bring in a turn, as amounts of few things that a state puts a price on.
//
// Everything is counted at its best: a choice is worth its best option, chance its best outcome, a restriction nothing.
// What is not counted here is `endless`, so a card that nobody thought of makes the bound infinite, never wrong.
#pragma once

#include <set>
#include <unordered_map>

#include "rules/rational.hpp"
#include "search/score.hpp"

namespace planner::search {

using namespace rules;

constexpr int64_t UNIT = 5040;  // parts of a worth in which the bound counts: most shares come out even

inline Wide above_zero(Wide number) { return number > 0 ? number : 0; }

struct Gain {
    Wide worth = 0;                                   // whatever stands on the table
    Wide per_own = 0, per_enemy = 0;                  // for each own, each enemy minion that there may be
    Wide per_arrival = 0;                             // for each own minion that comes later: auras that stand already
    Wide per_bonus = 0, per_bonus_and_enemy = 0;      // for each point of spell damage
    int64_t points = 0, blows = 0;                    // harm to single enemy minions, and in how many blows it comes
    int64_t points_on_all = 0;                        // harm to every enemy minion
    int64_t bonus_blows = 0, bonus_on_all = 0;        // blows that spell damage strengthens
    int64_t removals = 0, removals_of_all = 0;        // of one enemy minion, of every one
    int64_t fells = 0;                                // deaths of the enemy hero without damage
    int64_t attacks = 0;                              // attacks that somebody would not have had
    int64_t swings = 0;                               // of these, those beyond what a character has from the start
    int64_t own_arrivals = 0, enemy_arrivals = 0;     // minions that come
    int64_t draws = 0, enemy_draws = 0, mana = 0, spell_damage = 0;
    bool protects = false;  // an own minion may survive what would kill it now, or an enemy's blow be weaker
    bool endless = false;   // without end, or not known

    void add(const Gain& other, int64_t times = 1);
    void either(const Gain& other);  // whichever of two happens: the greater of each amount
};

// What one more of something is worth at most, in this turn. UpsidePrices of damage and death are a relaxation's multipliers:
// any choice of `kill_point` and `lethal_point` gives a bound (docs/formulation.md), a good one a tight bound.
struct UpsidePrices {
    Wide kill_point = 0;    // of what a kill is worth, for each point of damage to an enemy minion
    Wide lethal_point = 0;  // of what the enemy hero's death is worth, for each point of harm to it

    Wide face_point = 0, harm_to_hero = 0;      // a point of damage to the enemy hero: dealt by us; by whomever
    Wide dealt = 0, harm_to_minion = 0;         // the same for enemy minions, where a kill's share comes with any harm
    Wide blow_point = 0;    // a point of damage that we deal to whomever we like, without a kill's share
    bool kills_pay = false;  // could it be better spent on a minion than on the hero?
    Wide attack_point = 0;  // a point of attack in one attack, with the share of a kill
    Wide struck_back = 0;   // being struck back at, where the profile likes that
    Wide own_attack = 0, own_health = 0, own_keyword = 0;              // of own minions at the end
    Wide enemy_attack = 0, enemy_health = 0, enemy_keyword = 0;        // of enemy minions, where the profile likes them
    Wide enemy_attack_less = 0;                                        // a point of attack taken from one
    int64_t most_attacks = 1;  // of one character in this turn
    uint32_t marks = 0;        // keywords of a source that remove whom it damages, as far as a profile can tell
};

// What a card can bring, by where it is and whose.
struct CardGains {
    Gain played;                       // from the hand, its body as one that was in hand at the start
    Gain played_as_token;              // the same where nobody counted it at the start
    Gain stands[2];                    // on our board, on the enemy's: all that it can still set off
    Gain returns[2], returns_as_token;  // reborn
};

// All cards that can come into play in a turn, in any number of steps, and what each can bring.
class Gains {
  public:
    explicit Gains(const Turn& turn);
    bool known() const { return known_; }
    bool whole() const { return whole_; }  // nothing is left to chance: every worth is a whole number
    bool hero_may_heal() const { return heals_; }
    bool marks_possible() const { return marks_possible_; }
    bool silence_possible() const { return silences_; }
    bool armor_may_be_bypassed() const { return bypasses_armor_; }
    int32_t most_printed_attack() const { return most_attack_; }
    int most_printed_attacks() const { return most_attacks_; }
    void price(const Turn& turn, UpsidePrices& prices, int64_t most_attacks);
    const CardGains* of(const Card* card) const {  // null: a card that nobody knew of when the turn began
        const auto found = gains_.find(card);
        return found == gains_.end() ? nullptr : &found->second;
    }

  private:
    enum Owner : int { OURS = 0, THEIRS = 1 };
    void gather(const Card* card);
    void look_at(const Card& card);
    Gain life(const Card& card, Owner side, bool token);
    Gain rest(const Card& card, Owner side);
    Gain auras(const Card& card, Owner side, bool stands);
    Gain play(const Card& card, bool token);
    Gain in_hand(const Card& made);
    Gain effect(const Effect& effect, Owner side, uint32_t source, bool spell);
    Gain aimed(const Effect& effect, Owner side, uint32_t source, bool spell);
    Gain rebirth(Owner side);
    void strike(int64_t power, int64_t attacks, Gain& gain) const;
    Gain gift(int32_t attack, int32_t health, uint32_t keywords, bool this_turn) const;
    void weapon(const Card& card, Gain& gain) const;

    std::unordered_map<const Card*, CardGains> gains_;
    std::set<const Card*> living_[2], played_;  // what is being added up: met again, it has no end
    Weights weights_;
    UpsidePrices prices_;
    int64_t value_scale_ = 1;
    bool known_ = true, whole_ = true, heals_ = false, silences_ = false, marks_possible_ = false, bypasses_armor_ = false;
    bool rebirth_open_ = false;
    uint32_t given_ = 0;  // keywords that minions may have beyond what is printed
    int32_t most_attack_ = 0;
    int most_attacks_ = 1;  // that anybody has by what is printed
};

}  // namespace planner::search
