// The upside of a card: an upper bound on what it can still add to the score of a turn, as amounts that a state prices.
//
// Everything counts at its best: a choice as its best option, chance as its best outcome, a restriction as none. An
// effect that is not covered has an unbounded upside, so a new effect makes the bound infinite, never wrong.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "rules/rational.hpp"
#include "search/score.hpp"

namespace planner::search {

constexpr int64_t UNIT = 5040;  // the bound counts in parts of a point; with this many, most fractions are exact

constexpr Wide positive_part(Wide number) { return number > 0 ? number : 0; }

struct Upside {
    Wide value = 0;                                             // in any state
    Wide per_own = 0, per_enemy = 0;                            // for each own and each enemy minion that there can be
    Wide per_summon = 0;                                        // for each later own minion: auras already on the board
    Wide per_spell_damage = 0, per_spell_damage_and_enemy = 0;  // for each point of spell damage
    int64_t damage = 0, hits = 0;                               // to single enemy minions, and in how many hits
    int64_t any_damage = 0, any_hits = 0;                       // the same, where it could also be to the enemy hero
    int64_t capped_damage = 0, capped_boosts = 0;               // to the enemy hero, and hits on it that are increased
    int64_t new_attacks = 0;                                    // of minions and weapons that come
    int64_t enemy_lifesteals = 0, enemy_attack = 0;             // that one enemy minion can be given
    int64_t any_damage_per_own = 0;                             // of attacks, for each own minion that there can be
    int64_t damage_to_all = 0;                                  // to every enemy minion
    int64_t boosted_hits = 0, boosted_hits_on_all = 0;          // hits that spell damage increases
    int64_t removals = 0, removals_of_all = 0;                  // of one enemy minion, of every enemy minion
    int64_t hero_kills = 0;                                     // of the enemy hero, without damage
    int64_t attacks = 0;                                        // additional attacks
    int64_t extra_attacks_each = 0;                             // of these, more than a character has from the start
    int64_t most_damage = 0;                                    // to one enemy minion, apart from additional attacks
    int64_t most_damage_per_own = 0;                            // the same for each own minion that there can be
    int64_t own_summons = 0, enemy_summons = 0;
    int64_t returns = 0;  // of own minions to the hand
    int64_t spells = 0;   // that are cast
    int64_t draws = 0, enemy_draws = 0, mana = 0, spell_damage = 0;
    int64_t shields = 0;              // of one own minion: an attack does not hurt it
    int64_t saves = 0;                // of one own minion: an attack does not kill it
    int64_t mends = 0;                // of one own minion: it has more health, which may save it
    int64_t healing = 0, health = 0;  // what these give one own minion together: healing, and health beyond its maximum
    int64_t hero_healing = 0;         // of the own hero; ANY_HEALING if lifesteal heals it
    static constexpr int64_t ANY_HEALING = MAX_NUMBER;
    bool enemy_heals = false;  // the enemy hero, by damage of enemy minions other than in attacks of ours
    bool protects = false;     // enemy minions may hit less hard, or an aura may save own minions
    bool unbounded = false;    // infinite or unknown

    void add(const Upside& other, int64_t times = 1);
    void maximum(const Upside& other);  // of two alternatives: the larger of each amount
};

// An upper bound on the value of one more unit of something, in this turn. The prices of damage and deaths are
// multipliers of a relaxation: every choice of `kill_point` and `lethal_point` gives a valid bound, a good choice a
// tight one (docs/explanation/formulation.md).
struct UpsidePrices {
    Wide kill_point = 0;       // the share of a kill in each point of damage to an enemy minion
    Wide most_kill_point = 0;  // the most that a state may use instead of `kill_point`, for some of the minions
    Wide taunt_point = 0;      // the same as `kill_point`, for a taunt minion that is removed for certain
    Wide lethal_point = 0;     // the share of the enemy hero's death in each point of damage to it
    Wide capped_point = 0;     // what an attack on the enemy hero pays for each point, up to the hero's health
    static constexpr int SHARES = 6;
    int shield_share = 0;  // of SHARES: the part of a kill's price that breaking a divine shield earns

    // A point of damage to the enemy hero or to an enemy minion: what dealing it earns, and what the harm is worth.
    Wide face_damage = 0, hero_harm = 0;
    Wide minion_damage = 0, minion_harm = 0;
    Wide any_damage = 0;    // a point of own damage to the best target, without the share of a kill
    Wide attack_point = 0;  // a point of attack in one attack, with the share of a kill
    Wide retaliation = 0;   // being hit back, if the profile rewards it
    Wide own_attack = 0, own_health = 0, own_keyword = 0;        // of own minions at the end
    Wide enemy_attack = 0, enemy_health = 0, enemy_keyword = 0;  // of enemy minions, if the profile rewards them
    Wide enemy_attack_loss = 0;                                  // a point of attack taken from an enemy minion
    int64_t max_attacks = 1;                                     // of one character in this turn
    uint32_t removing_keywords = 0;  // keywords with which damage removes a minion, or as good as removes it
};

// How often the own minions can react, at most.
struct ActionCounts {
    int64_t spells = 0, powers = 0, hero_attacks = 0;
    int64_t granted_attacks = 0;  // to minions, beyond those that they have
};

// What a card can add, by where it is, as far as it has been computed at the prices; otherwise null.
struct CardUpsides {
    const Card* card;
    bool can_be_ours = false;        // it can be on the own board or in the own hand
    const Upside* played[2] = {};    // from the hand, as a card that was there at the start, and as a later one
    const Upside* on_board[2] = {};  // on the own board and on the enemy's
    const Upside* reactions[TRIGGERS - FIRST_REACTION] = {};  // to one action
    const Upside* reborn[2][2] = {};  // by side, and for minions that were there at the start and for later ones
};

// The upsides of all cards that can come into play in a turn, in any number of steps. Most bounds need few of them, so
// each is computed when it is asked for.
class UpsideTable {
  public:
    explicit UpsideTable(const Turn& turn);
    UpsideTable(UpsideTable&&) = default;  // not copied: the entries point into `computed_`

    bool bounded() const { return bounded_; }
    bool scores_are_integers() const { return scores_are_integers_; }  // because chance decides nothing
    bool heroes_can_heal() const { return heroes_can_heal_; }
    bool removal_by_damage_possible() const { return removal_by_damage_possible_; }
    bool armor_can_be_bypassed() const { return armor_can_be_bypassed_; }
    bool shields_can_be_bypassed() const { return shields_can_be_bypassed_; }
    bool silence_possible() const { return silence_possible_; }
    // Whether a minion that was weakened below what an aura gives it can get all of the aura's attack.
    bool aura_attack_can_return() const { return silence_possible_ || attack_can_be_set_; }
    bool taunt_can_be_granted() const { return granted_keywords_ & TAUNT; }
    // Whether a visible taunt minion stays one until it dies or is silenced.
    bool taunts_hold() const { return !(granted_keywords_ & (STEALTH | IMMUNE)); }
    int32_t max_printed_attack() const { return max_attack_; }
    int max_printed_attacks() const { return max_attacks_; }
    // How often the minion can attack in its next turn, at most.
    int most_attacks(const Minion& minion) const {
        return attacks_per_turn(minion.keywords | minion.card->keywords | granted_keywords_);
    }

    // Completes the prices. The upsides are then those at these prices.
    void set_prices(const Turn& turn, UpsidePrices& prices, int64_t max_attacks);
    // Returns null for a card that was unknown at the start of the turn.
    CardUpsides* find(const Card* card) {
        size_t index = slot(card);
        while (slots_[index] >= 0 && cards_[slots_[index]].card != card) index = (index + 1) & (slots_.size() - 1);
        return slots_[index] < 0 ? nullptr : &cards_[slots_[index]];
    }
    // From the hand. A `token` is a card that was not in hand or on the board at the start.
    const Upside& played(CardUpsides& upsides, bool token);
    // On the own board (0) or on the enemy's (1): its remaining effects.
    const Upside& on_board(CardUpsides& upsides, int side);
    // What comes with a second life, apart from the minion itself on the own side.
    const Upside& reborn(CardUpsides& upsides, int side, bool token);
    // Whether an own minion may react to actions.
    bool reactions_possible() const { return reactions_possible_; }
    // Sets how often later minions can react, or that it is not known.
    void set_actions(const ActionCounts& actions, bool known) {
        actions_ = actions;
        actions_known_ = known;
    }
    // Adds the reactions of an own minion that has this many attacks left.
    void add_reactions(CardUpsides& upsides, const ActionCounts& counts, int64_t own_attacks, Upside& total);
    // By cost, the best minion that can come back to the own hand, as it is played again.
    struct ReturnedMinion {
        int32_t cost;
        Upside played;
    };
    const std::vector<ReturnedMinion>& returned();
    // The own minion itself in its second life, with 1 health.
    Wide second_body(const Card& card, bool token) const;
    // The health that a minion can get beyond its own and what effects pay for, because silence gives back its printed
    // health and an aura adds to health that is set.
    int64_t restorable_health(const Minion& minion) const;

  private:
    enum Owner : int { OURS = 0, THEIRS = 1 };
    static bool reaches(const Target& target, Owner owner, Owner side);
    void gather(const Card* card, bool can_be_ours);
    void inspect(const Card& card);

    // upside_reactions.cpp
    void inspect_reactions(const Card& card);
    Upside of_reaction(const Card& card, Trigger trigger);
    Upside of_later_reactions(const Card& card);
    // upside_multipliers.cpp
    void inspect_numbers(const Turn& turn);
    std::optional<int64_t> most(const Quantity& quantity, Owner owner) const;
    std::optional<Effect> multiplied(const Effect& effect, Owner owner) const;
    // upside.cpp
    Wide body(const Card& card, bool token) const;
    Upside of_minion(const Card& card, Owner owner, bool token);
    Upside of_second_life(const Upside& first, const Card& card, bool token) const;
    Upside of_lives(const Card& card, Owner owner, bool token);
    Upside of_remaining_effects(const Card& card, Owner owner);
    Upside of_auras(const Card& card, Owner owner, bool on_board);
    Upside of_playing(const Card& card, bool token);
    Upside of_reborn(Owner owner);
    Upside of_play_effects(const Card& card, uint32_t keywords);
    // upside_effects.cpp
    Upside of_card_in_hand(const Card& card);
    Upside of_effect(const Effect& effect, Owner owner, uint32_t keywords, bool spell);
    Upside of_targeted_effect(const Effect& effect, Owner owner, uint32_t keywords, bool spell);
    Upside of_split_damage(const Effect& effect, Owner owner, uint32_t keywords, bool spell);
    Upside of_buff(int32_t attack, int32_t health, uint32_t keywords, bool this_turn) const;
    void add_attacks(int64_t power, int64_t attacks, Upside& upside, bool capped = false) const;
    void add_weapon(int32_t attack, int32_t durability, uint32_t keywords, Upside& upside) const;

    size_t slot(const Card* card) const {
        return (reinterpret_cast<uintptr_t>(card) >> 4) * 0x9E3779B97F4A7C15u >> 32 & (slots_.size() - 1);
    }
    const Upside* keep(Upside upside);

    std::vector<CardUpsides> cards_;
    std::vector<int> slots_;                // a hash table of indices of `cards_`; -1: unused
    std::vector<ReturnedMinion> returned_;  // at the current prices, if `returned_known_` is set
    bool returned_known_ = false;
    std::vector<Upside> computed_;  // at the current prices; with room for all, so that none moves
    // The cards whose upside is being computed: a card that reaches itself again has no bound.
    std::set<const Card*> open_minions_[2], open_plays_, open_reactions_;
    bool open_reborn_ = false;
    // Cards that create cards that create cards: the number of ways through them can be exponential. Beyond a limit,
    // nothing more is computed in this turn.
    static constexpr int64_t MAX_EFFECTS = 20'000;
    int64_t computed_effects_ = 0;  // at the current prices
    bool playing_ = false;          // the effect happens because a card is played
    Weights weights_;
    UpsidePrices prices_;
    int64_t value_scale_ = 1;
    bool bounded_ = true, scores_are_integers_ = true;
    bool heroes_can_heal_ = false, silence_possible_ = false, removal_by_damage_possible_ = false;
    bool attack_can_be_set_ = false, health_can_be_set_ = false;
    bool armor_can_be_bypassed_ = false, shields_can_be_bypassed_ = false;
    uint32_t granted_keywords_ = 0;  // that characters can have beyond those printed on their cards
    int32_t max_attack_ = 0;         // printed on a card
    int max_attacks_ = 1;            // of one character, by printed keywords
    int64_t max_minions_ = 0;        // on one board
    // The most that the numbers of a player can be in the turn; nothing if no maximum is known.
    struct Numbers {
        int64_t minions = 0, hand = 0, crystals = 0;
        std::optional<int64_t> health, armor, weapon_attack, hero_attack, attack;
    };
    Numbers most_numbers_[2];
    bool multipliers_possible_ = false;
    int64_t max_hand_ = 0;  // own cards
    ActionCounts actions_;  // of the whole turn
    bool actions_known_ = true, reactions_possible_ = false, spells_have_reactions_ = false;
};

}  // namespace planner::search
