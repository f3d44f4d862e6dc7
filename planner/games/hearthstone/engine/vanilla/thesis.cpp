// In Guo's model a minion on the board attacks one target, a minion from the hand any number (row (1) does not limit
// it), any number of attackers may attack a target, and a target is dead where their damage reaches its health. So for
// each choice of chargers to be played the best turn is a convolution over sets of board minions. The tie-break is that
// of turn/thesis_program.py, as the lowest digits of every number.
#include "vanilla/thesis.hpp"

#include <algorithm>

namespace planner::vanilla {

namespace {

constexpr int MOST_ATTACKERS = 8, MOST_CHARGERS = 4, MOST_HEALTH = 400;
constexpr int SETS = 1 << MOST_ATTACKERS;

// `Number` holds scores with their digits: 64 bits where they suffice.
template <class Number>
class Model {
  public:
    explicit Model(const Turn& turn) : turn_(turn), me_(turn.start.me()), enemies_(turn.start.enemy().board) {}

    bool solve(ThesisChoice& choice) {
        if (!read() || !read_digits()) return false;
        find_hands();
        const int chargers = static_cast<int>(chargers_.size());
        bool any = false;
        Number best = 0;
        Fights best_fights;
        uint32_t best_cards = 0;
        for (int chosen = 0; chosen < 1 << chargers; ++chosen) {
            int32_t mana = me_.mana;
            Number score = 0;
            uint32_t cards = 0;
            for (int index = 0; index < chargers; ++index)
                if (chosen >> index & 1) {
                    const Paid& card = cards_[chargers_[index]];
                    mana -= card.cost;
                    score += card.score;
                    cards |= 1u << chargers_[index];
                }
            if (mana < 0) continue;
            const Hand& hand = hands_[std::min<size_t>(mana, hands_.size() - 1)];
            Fights fights;
            find_fights(chosen, fights);
            const Number total = score + hand.score + fights.value;
            if (any && total <= best) continue;
            any = true;
            best = total;
            best_fights = fights;
            best_cards = cards | hand.cards;
        }
        answer(best, best_cards, best_fights, choice);
        return true;
    }

  private:
    struct Paid {    // a minion in hand that can be paid
        int number;  // among the minions in hand
        const HandCard* hand_card;
        int32_t cost;
        Number score;
        bool charges;
    };
    struct Hand {
        Number score = 0;
        uint32_t cards = 0;
    };
    struct Sent {  // against one target
        int index;
        uint8_t attackers, chargers;
    };
    struct Fights {
        Number value = 0;
        std::vector<Sent> sent;
    };
    // The score of each set of board minions at a target, with the best help by chargers.
    struct Target {
        Number dead[SETS], best[SETS];
        uint8_t help_dead[SETS], help_best[SETS];
        bool mortal[SETS];
    };

    const Turn& turn_;
    const Player& me_;
    const StaticVector<Minion, MAX_MINIONS>& enemies_;
    std::vector<int> attackers_;  // on the board
    std::vector<Paid> cards_;
    std::vector<int> chargers_;  // by index in cards_
    std::vector<Hand> hands_;    // of the other cards, by mana
    Number by_hit_[MOST_CHARGERS][MAX_MINIONS + 1] = {}, by_attacker_[MOST_ATTACKERS] = {}, by_action_ = 0, unit_ = 0;
    Number ties_ = 0;  // all digits at their best
    std::vector<Target> targets_;

    int64_t threat() const { return -turn_.weights.enemy_threat; }
    int64_t taken() const { return -turn_.weights.damage_taken; }
    bool reaches(int charger, int index) const {
        return index < enemies_.size() || cards_[chargers_[charger]].hand_card->card->keywords & CHARGE;
    }

    bool read() {
        const Weights& w = turn_.weights;
        for (const int64_t weight :
             {w.lethal, w.board_clear, w.face_damage, threat(), w.own_survival, w.minion_damage, taken(), w.card_value})
            if (weight < 0) return false;
        for (int index = 0; index < me_.board.size(); ++index) {
            if (me_.board[index].keywords & WINDFURY) return false;
            if (me_.board[index].attack > 0) attackers_.push_back(index);
        }
        std::vector<int32_t> costs;
        int number = 0;
        for (const HandCard& hand_card : me_.hand) {
            if (hand_card.card->type != Type::minion) continue;
            if (hand_card.cost <= me_.mana) {
                const bool charges = hand_card.card->keywords & (CHARGE | RUSH) && hand_card.card->attack > 0;
                if (charges) chargers_.push_back(static_cast<int>(cards_.size()));
                cards_.push_back({number, &hand_card, hand_card.cost, 0, charges});
                costs.push_back(hand_card.cost);
            }
            ++number;
        }
        std::sort(costs.begin(), costs.end());
        int upper = 0;
        for (int32_t left = me_.mana; upper < static_cast<int>(costs.size()) && costs[upper] <= left; ++upper)
            left -= costs[upper];
        const Hero& hero = turn_.start.enemy().hero;
        if (hero.health + hero.armor > MOST_HEALTH) return false;
        for (const Minion& minion : enemies_)
            if (minion.health > MOST_HEALTH) return false;
        return me_.board.size() + upper <= turn_.rules.board_limit && attackers_.size() <= MOST_ATTACKERS &&
               chargers_.size() <= MOST_CHARGERS && cards_.size() <= 20 && me_.mana <= 200;
    }

    // From the least significant: each charger's targets, board minions' target, cards, actions. False: too large.
    bool read_digits() {
        const int n = enemies_.size();
        double size = 1;
        Number unit = 1;
        int hits = 0;
        const auto next = [&](Number& digit, int top) {
            digit = unit;
            size *= top + 1;
            if (size < free_slots()) unit *= top + 1;
        };
        for (int charger = static_cast<int>(chargers_.size()); charger-- > 0;)
            for (int index = n + 1; index-- > 0;)
                if (reaches(charger, index)) next(by_hit_[charger][index], 1), ties_ += by_hit_[charger][index], ++hits;
        for (int attacker = static_cast<int>(attackers_.size()); attacker-- > 0;) {
            next(by_attacker_[attacker], n + 1);
            ties_ += by_attacker_[attacker] * (n + 1);
        }
        std::vector<Number> by_card(cards_.size());
        for (int card = static_cast<int>(cards_.size()); card-- > 0;) next(by_card[card], 1), ties_ += by_card[card];
        next(by_action_, static_cast<int>(cards_.size() + attackers_.size()) + hits);
        unit_ = unit;
        if (size * largest() >= free_slots()) return false;
        const Weights& w = turn_.weights;
        for (size_t card = 0; card < cards_.size(); ++card) {
            const HandCard& hand_card = *cards_[card].hand_card;
            const Number plain =
                Number(w.card_value) * hand_card.value + Number(w.own_survival) * hand_card.card->health;
            cards_[card].score = plain * unit_ + by_card[card] - by_action_;
        }
        return true;
    }
    static double free_slots() { return sizeof(Number) > 8 ? 1e36 : 1e17; }
    double largest() const {
        const Weights& w = turn_.weights;
        double attack = 0, health = 0, back = 0, value = 0;
        for (const Minion& minion : me_.board) attack += minion.attack, health += minion.health;
        for (const Minion& minion : enemies_) back += minion.attack;
        for (const Paid& card : cards_) {
            attack += card.hand_card->card->attack;
            health += card.hand_card->card->health;
            value += std::abs(double(card.hand_card->value));
        }
        const double hits = double(me_.board.size() + cards_.size());
        return double(w.lethal) + w.board_clear + w.face_damage * attack +
               w.minion_damage * attack * std::max(1, enemies_.size()) + taken() * back * hits +
               w.own_survival * health + threat() * back + w.card_value * value + 2;
    }

    // The best cards that cannot attack, for each amount of mana.
    void find_hands() {
        hands_.assign(std::max(0, std::min(me_.mana, 200)) + 1, Hand{});
        const int32_t top = static_cast<int32_t>(hands_.size()) - 1;
        for (size_t index = 0; index < cards_.size(); ++index) {
            if (cards_[index].charges) continue;
            for (int32_t mana = top; mana >= cards_[index].cost; --mana) {
                const Hand& before = hands_[mana - cards_[index].cost];
                if (before.score + cards_[index].score > hands_[mana].score)
                    hands_[mana] = {before.score + cards_[index].score, before.cards | 1u << index};
            }
        }
    }

    void find_target(int index, int chosen, Target& target) const {
        const Weights& w = turn_.weights;
        const int n = enemies_.size(), attackers = static_cast<int>(attackers_.size());
        const bool is_hero = index == n;
        const Hero& hero = turn_.start.enemy().hero;
        const int32_t health = is_hero ? hero.health + hero.armor : enemies_[index].health;
        const int32_t back = is_hero ? 0 : enemies_[index].attack;
        const Number gain = unit_ * (is_hero ? Number(w.lethal) : Number(threat()) * back);
        const Number per_attack = unit_ * (is_hero ? w.face_damage : w.minion_damage),
                     per_hit = unit_ * taken() * back + by_action_;
        // What the chargers add, for each amount of missing damage.
        Number help[MOST_HEALTH + 1];
        uint8_t helpers[MOST_HEALTH + 1];
        bool helped[MOST_HEALTH + 1];
        int32_t max_help = 0;
        std::fill(helped, helped + health + 1, false);
        for (int set = chosen;; set = (set - 1) & chosen) {
            Number score = 0;
            int32_t damage = 0;
            bool possible = true;
            for (int charger = 0; charger < static_cast<int>(chargers_.size()); ++charger) {
                if (!(set >> charger & 1)) continue;
                const int32_t attack = cards_[chargers_[charger]].hand_card->card->attack;
                possible &= reaches(charger, index);
                score += per_attack * attack - per_hit + by_hit_[charger][index];
                damage += attack;
            }
            if (possible) {
                damage = std::min(damage, health);
                if (!helped[damage] || score > help[damage])
                    helped[damage] = true, help[damage] = score, helpers[damage] = static_cast<uint8_t>(set);
                max_help = std::max(max_help, damage);
            }
            if (!set) break;
        }
        for (int32_t damage = max_help; damage-- > 0;)  // more damage is enough, too
            if (!helped[damage] || help[damage + 1] > help[damage])
                helped[damage] = true, help[damage] = help[damage + 1], helpers[damage] = helpers[damage + 1];
        Number scores[SETS];
        int32_t damages[SETS];
        scores[0] = 0, damages[0] = 0;
        for (int set = 0; set < 1 << attackers; ++set) {
            if (set) {
                const int low = __builtin_ctz(set);
                const Minion& minion = me_.board[attackers_[low]];
                Number own = per_attack * minion.attack - per_hit + by_attacker_[low] * (n + 1 - index);
                if (back > 0 && back >= minion.health)
                    own -= unit_ * w.own_survival * minion.health;  // (5) lets it die
                scores[set] = scores[set & (set - 1)] + own;
                damages[set] = damages[set & (set - 1)] + minion.attack;
            }
            const int32_t missing = std::max(0, health - damages[set]);
            target.best[set] = scores[set] + help[0];
            target.help_best[set] = helpers[0];
            target.mortal[set] = missing <= max_help;
            if (!target.mortal[set]) continue;
            target.dead[set] = scores[set] + gain + help[missing];
            target.help_dead[set] = helpers[missing];
            if (target.dead[set] >= target.best[set]) {
                target.best[set] = target.dead[set];
                target.help_best[set] = target.help_dead[set];
            }
        }
    }

    // The kinds of turn: past the taunt minions; stuck at them; clearing the board.
    void find_fights(int chosen, Fights& best) {
        const int n = enemies_.size();
        targets_.resize(n + 1);
        bool taunts = false;
        for (int index = 0; index <= n; ++index) {
            find_target(index, chosen, targets_[index]);
            if (index < n) taunts |= (enemies_[index].keywords & TAUNT) != 0;
        }
        bool any = false;
        const auto taunt = [&](int index) { return index < n && enemies_[index].keywords & TAUNT; };
        try_way([&](int index) { return taunt(index) ? 2 : 1; }, 0, best, any);
        if (taunts) try_way([&](int index) { return taunt(index) ? 1 : 0; }, 0, best, any);
        if (n && turn_.weights.board_clear)
            try_way([&](int index) { return index < n ? 2 : 1; }, unit_ * turn_.weights.board_clear, best, any);
    }

    // `kind` of each target: 0 left alone, 1 whatever is best, 2 dead.
    template <class Kind>
    void try_way(Kind kind, Number bonus, Fights& best, bool& any) const {
        const int n = enemies_.size(), sets = 1 << attackers_.size();
        Number table[SETS], next[SETS];
        bool known[SETS], next_known[SETS];
        uint8_t sent[MAX_MINIONS + 1][SETS];
        std::fill(known, known + sets, false);
        table[0] = bonus, known[0] = true;
        bool first = true;
        for (int index = 0; index <= n; ++index) {
            const int scenario = kind(index);
            if (!scenario) continue;
            const Target& target = targets_[index];
            for (int full_health = 0; full_health < sets; ++full_health) {
                next_known[full_health] = false;
                for (int part = first ? 0 : full_health;; part = (part - 1) & full_health) {
                    const int rest = full_health ^ part;
                    if (known[part] && (scenario == 1 || target.mortal[rest])) {
                        const Number value = table[part] + (scenario == 2 ? target.dead[rest] : target.best[rest]);
                        if (!next_known[full_health] || value > next[full_health])
                            next_known[full_health] = true, next[full_health] = value,
                            sent[index][full_health] = static_cast<uint8_t>(rest);
                    }
                    if (!part) break;
                }
            }
            std::copy(next, next + sets, table);
            std::copy(next_known, next_known + sets, known);
            first = false;
        }
        int at = -1;
        for (int full_health = 0; full_health < sets; ++full_health)
            if (known[full_health] && (at < 0 || table[full_health] > table[at])) at = full_health;
        if (at < 0 || (any && table[at] <= best.value)) return;
        any = true;
        best.value = table[at];
        best.sent.clear();
        for (int index = n; index >= 0; --index) {
            const int scenario = kind(index);
            if (!scenario) continue;
            const uint8_t rest = sent[index][at];
            const Target& target = targets_[index];
            best.sent.push_back({index, rest, scenario == 2 ? target.help_dead[rest] : target.help_best[rest]});
            at ^= rest;
        }
    }

    void answer(Number total, uint32_t cards, const Fights& fights, ThesisChoice& choice) const {
        const Weights& w = turn_.weights;
        const int n = enemies_.size(), m = me_.board.size();
        Number lost = ties_ - total, full_health = lost / unit_;
        if (lost % unit_ != 0 && lost < 0) --full_health;
        int64_t constant = n ? 0 : w.board_clear;
        for (const Minion& minion : me_.board) constant += w.own_survival * minion.health;
        for (const Minion& minion : enemies_) constant -= threat() * minion.attack;
        choice.objective = static_cast<int64_t>(-full_health) + constant;
        for (size_t index = 0; index < cards_.size(); ++index)
            if (cards >> index & 1) choice.plays.push_back(m + cards_[index].number);
        for (const Sent& sent : fights.sent) {
            std::vector<int> who;
            for (size_t index = 0; index < attackers_.size(); ++index)
                if (sent.attackers >> index & 1) who.push_back(attackers_[index]);
            for (size_t index = 0; index < chargers_.size(); ++index)
                if (sent.chargers >> index & 1) who.push_back(m + cards_[chargers_[index]].number);
            for (const int friend_ : who) {
                if (sent.index < n) choice.hits.emplace_back(friend_, sent.index);
                else choice.face.push_back(friend_);
            }
        }
        std::sort(choice.hits.begin(), choice.hits.end());
        std::sort(choice.face.begin(), choice.face.end());
    }
};

}  // namespace

bool best_thesis_choice(const Turn& turn, ThesisChoice& choice) {
    return Model<int64_t>(turn).solve(choice) || Model<__int128>(turn).solve(choice);
}

}  // namespace planner::vanilla
