// In Guo's model a minion on the board attacks one target, a minion from the hand any number (row (1) does not limit
// it), any number of attackers may attack a target, and a target is dead where their damage reaches its health. So for
// each choice of chargers to be played the best turn is a convolution over sets of board minions. With
// `ThesisReading::every_minion` the chargers attack one target, too, and are part of the sets. Row (6), the board
// limit, counts the minions of the board that survive; where it binds, every set of minions that could be given up is
// tried. The tie-break is that of turn/thesis_program.py, as the lowest digits of every number.
#include "vanilla/thesis.hpp"

#include <algorithm>
#include <bit>

namespace planner::vanilla {

namespace {

constexpr int MOST_FIGHTERS = 12, MOST_CHARGERS = 10, MOST_HEALTH = 400, MOST_CARDS = 20;
constexpr int SETS = 1 << MOST_FIGHTERS;
using Set = uint16_t;  // of fighters or of chargers

// `Number` holds scores with their digits: 64 bits where they suffice.
template <class Number>
class Model {
  public:
    Model(const Turn& turn, const ThesisReading& reading)
        : turn_(turn), reading_(reading), me_(turn.start.me()), enemies_(turn.start.enemy().board) {}

    bool solve(ThesisChoice& choice) {
        if (!read() || !read_digits()) return false;
        find_hands();
        const int chargers = static_cast<int>(chargers_.size());
        for (int chosen = 0; chosen < 1 << chargers; ++chosen) {
            int32_t mana = me_.mana;
            int count = 0;
            Number score = 0;
            uint32_t cards = 0;
            for (int index = 0; index < chargers; ++index)
                if (chosen >> index & 1) {
                    const Paid& card = cards_[chargers_[index]];
                    mana -= card.cost;
                    score += card.score;
                    cards |= 1u << chargers_[index];
                    ++count;
                }
            if (mana < 0) continue;
            if (!prepare(chosen)) return false;
            try_plays(chosen, score, cards, count, std::min<int32_t>(mana, top_mana_));
        }
        answer(choice);
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
    // A minion that attacks one target at most: on the board or, where row (1) limits it, from the hand.
    struct Fighter {
        int32_t attack, health;  // health as row (5) counts it
        Number loss;             // if it dies
        int attacker, charger;   // by index in attackers_ and chargers_; -1: it is the other
    };
    struct Sent {  // against one target
        int index;
        Set fighters, helpers;
    };
    struct Fights {
        Number value = 0;
        std::vector<Sent> sent;
        std::vector<Fighter> fighters;
    };
    // The score of each set of fighters at a target, with the best help by chargers that no row limits. `dead`: the
    // target dies. Sets that cannot do it have the score IMPOSSIBLE.
    struct Target {
        std::vector<Number> dead, best;
        std::vector<Set> help_dead, help_best;
    };
    static constexpr Number IMPOSSIBLE = static_cast<Number>(sizeof(Number) > 8 ? -1e37 : -1e18);

    const Turn& turn_;
    const ThesisReading reading_;
    const Player& me_;
    const StaticVector<Minion, MAX_MINIONS>& enemies_;
    std::vector<int> attackers_;  // on the board
    std::vector<Paid> cards_;
    std::vector<int> chargers_;  // by index in cards_
    std::vector<Hand> hands_;    // of the other cards, by their number and the mana
    int32_t top_mana_ = 0;
    int most_cards_ = 0;    // that the mana can pay
    bool crowded_ = false;  // row (6) can bind
    Number by_hit_[MOST_CHARGERS][MAX_MINIONS + 1] = {}, by_attacker_[MAX_MINIONS] = {}, by_action_ = 0, unit_ = 0;
    Number lowest_ = 0;  // what the digits add at least
    std::vector<Fighter> fighters_;
    std::vector<Target> targets_;
    bool any_ = false;  // whether the following is set
    Number best_ = 0;
    Fights best_fights_;
    uint32_t best_cards_ = 0;

    int64_t threat() const { return -turn_.weights.enemy_threat; }
    int64_t taken() const { return -turn_.weights.damage_taken; }
    int32_t shielded(int32_t health, uint32_t keywords) const { return health + (keywords & DIVINE_SHIELD ? 1 : 0); }
    // The damage with which rows (2) and (3) let a character die.
    int32_t mortal_damage(int index) const {
        if (reading_.ceiling) return 1;
        const Hero& hero = turn_.start.enemy().hero;
        return index == enemies_.size() ? hero.health + hero.armor
                                        : shielded(enemies_[index].health, enemies_[index].keywords);
    }
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
                if (charges && reading_.every_minion && hand_card.card->keywords & WINDFURY) return false;
                if (charges) chargers_.push_back(static_cast<int>(cards_.size()));
                cards_.push_back({number, &hand_card, hand_card.cost, 0, charges});
                costs.push_back(hand_card.cost);
            }
            ++number;
        }
        std::sort(costs.begin(), costs.end());
        for (int32_t left = me_.mana; most_cards_ < static_cast<int>(costs.size()) && costs[most_cards_] <= left;)
            left -= costs[most_cards_++];
        crowded_ = me_.board.size() + most_cards_ > turn_.rules.board_limit;
        for (int index = 0; index <= enemies_.size(); ++index)
            if (mortal_damage(index) > MOST_HEALTH) return false;
        return attackers_.size() <= MOST_FIGHTERS && chargers_.size() <= MOST_CHARGERS && cards_.size() <= MOST_CARDS &&
               me_.mana <= 200;
    }

    // From the least significant: each charger's targets, board minions' target, cards, actions. False: too large.
    bool read_digits() {
        const int n = enemies_.size();
        double size = 1;
        Number unit = 1, ties = 0;
        int hits = 0;
        const auto next = [&](Number& digit, int top) {
            digit = unit;
            size *= top + 1;
            if (size < free_slots()) unit *= top + 1;
        };
        for (int charger = static_cast<int>(chargers_.size()); charger-- > 0;)
            for (int index = n + 1; index-- > 0;)
                if (reaches(charger, index)) next(by_hit_[charger][index], 1), ties += by_hit_[charger][index], ++hits;
        for (int attacker = static_cast<int>(attackers_.size()); attacker-- > 0;) {
            next(by_attacker_[attacker], n + 1);
            ties += by_attacker_[attacker] * (n + 1);
        }
        std::vector<Number> by_card(cards_.size());
        for (int card = static_cast<int>(cards_.size()); card-- > 0;) next(by_card[card], 1), ties += by_card[card];
        const int most_actions = static_cast<int>(cards_.size() + attackers_.size()) + hits;
        next(by_action_, most_actions);
        unit_ = unit;
        if (size * largest() >= free_slots()) return false;
        if (!reading_.most_actions) lowest_ -= by_action_ * most_actions;
        if (reading_.last_of_equals) {
            lowest_ -= ties;
            for (auto& hits : by_hit_)
                for (Number& digit : hits) digit = -digit;
            for (Number& digit : by_attacker_) digit = -digit;
            for (Number& digit : by_card) digit = -digit;
        }
        if (reading_.most_actions) by_action_ = -by_action_;
        const Weights& w = turn_.weights;
        for (size_t card = 0; card < cards_.size(); ++card) {
            const HandCard& hand_card = *cards_[card].hand_card;
            const Number plain =
                Number(w.card_value) * hand_card.value + Number(hand_survival()) * hand_card.card->health;
            cards_[card].score = plain * unit_ + by_card[card] - by_action_;
        }
        return true;
    }
    int64_t hand_survival() const { return reading_.survival_on_board_only ? 0 : turn_.weights.own_survival; }
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

    Hand& hand_of(int count, int32_t mana) { return hands_[count * (top_mana_ + 1) + mana]; }

    // The best cards that cannot attack, for each amount of mana. Where row (6) can bind, also for each number of cards
    // at most; elsewhere that number is 0 and stands for any.
    void find_hands() {
        top_mana_ = std::max(0, std::min(me_.mana, 200));
        const int counts = crowded_ ? most_cards_ : 0;
        hands_.assign((counts + 1) * (top_mana_ + 1), Hand{});
        for (size_t index = 0; index < cards_.size(); ++index) {
            if (cards_[index].charges) continue;
            for (int count = counts; count >= (crowded_ ? 1 : 0); --count)
                for (int32_t mana = top_mana_; mana >= cards_[index].cost; --mana) {
                    const Hand& before = hand_of(std::max(0, count - 1), mana - cards_[index].cost);
                    Hand& now = hand_of(count, mana);
                    if (before.score + cards_[index].score > now.score)
                        now = {before.score + cards_[index].score, before.cards | 1u << index};
                }
        }
    }

    // Collects the minions that attack one target. Returns false if there are too many.
    bool prepare(int chosen) {
        const Weights& w = turn_.weights;
        fighters_.clear();
        for (size_t index = 0; index < attackers_.size(); ++index) {
            const Minion& minion = me_.board[attackers_[index]];
            fighters_.push_back({minion.attack, shielded(minion.health, minion.keywords),
                                 unit_ * w.own_survival * minion.health, static_cast<int>(index), -1});
        }
        if (reading_.every_minion)
            for (size_t index = 0; index < chargers_.size(); ++index)
                if (chosen >> index & 1) {
                    const Card& card = *cards_[chargers_[index]].hand_card->card;
                    fighters_.push_back({card.attack, shielded(card.health, card.keywords),
                                         unit_ * hand_survival() * card.health, -1, static_cast<int>(index)});
                }
        return fighters_.size() <= MOST_FIGHTERS;
    }

    // Adds the other cards and the fights to these chargers, with every number of cards.
    void try_plays(int chosen, Number score, uint32_t cards, int count, int32_t mana) {
        Fights fights;
        find_fights(chosen, fights);
        if (!crowded_) {
            keep(score + hand_of(0, mana).score, cards | hand_of(0, mana).cards, fights);
            return;
        }
        const int m = me_.board.size(), limit = turn_.rules.board_limit;
        for (int others = 0; others <= most_cards_; ++others) {
            const Hand& hand = hand_of(others, mana);
            const int too_many = m + count + others - limit;
            // Without row (6) the fights are worth the most.
            if (too_many > m || (any_ && score + hand.score + fights.value <= best_)) continue;
            if (too_many <= 0) keep(score + hand.score, cards | hand.cards, fights);
            else give_up(chosen, score + hand.score, cards | hand.cards, too_many);
        }
    }

    // Tries every set of `count` board minions that the model declares dead, so that cards have room. They may attack.
    void give_up(int chosen, Number score, uint32_t cards, int count) {
        const int m = me_.board.size();
        for (int set = 0; set < 1 << m; ++set) {
            if (std::popcount(static_cast<unsigned>(set)) != count) continue;
            Number loss = 0;
            for (int index = 0; index < m; ++index)
                if (set >> index & 1) loss += unit_ * turn_.weights.own_survival * me_.board[index].health;
            prepare(chosen);
            for (Fighter& fighter : fighters_)
                if (fighter.attacker >= 0 && set >> attackers_[fighter.attacker] & 1) fighter.loss = 0;
            Fights fights;
            find_fights(chosen, fights);
            keep(score - loss, cards, fights);
        }
        prepare(chosen);
    }

    void keep(Number score, uint32_t cards, const Fights& fights) {
        if (any_ && score + fights.value <= best_) return;
        any_ = true;
        best_ = score + fights.value;
        best_cards_ = cards;
        best_fights_ = fights;
    }

    void find_target(int index, int chosen, Target& target) const {
        const Weights& w = turn_.weights;
        const int n = enemies_.size(), fighters = static_cast<int>(fighters_.size());
        const bool is_hero = index == n;
        const int32_t health = mortal_damage(index);
        const int32_t back = is_hero ? 0 : enemies_[index].attack;
        const Number gain = unit_ * (is_hero ? Number(w.lethal) : Number(threat()) * back);
        const Number per_attack = unit_ * (is_hero ? w.face_damage : w.minion_damage),
                     per_hit = unit_ * taken() * back + by_action_;
        // What the chargers add, for each amount of missing damage.
        Number help[MOST_HEALTH + 1];
        Set helpers[MOST_HEALTH + 1];
        bool helped[MOST_HEALTH + 1];
        int32_t max_help = 0;
        std::fill(helped, helped + health + 1, false);
        const int helping = reading_.every_minion ? 0 : chosen;
        for (int set = helping;; set = (set - 1) & helping) {
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
                    helped[damage] = true, help[damage] = score, helpers[damage] = static_cast<Set>(set);
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
        const int sets = 1 << fighters;
        target.dead.assign(sets, IMPOSSIBLE), target.best.assign(sets, IMPOSSIBLE);
        target.help_dead.resize(sets), target.help_best.resize(sets);
        for (int set = 0; set < sets; ++set) {
            if (set) {
                const int low = __builtin_ctz(set), rest = set & (set - 1);
                const Fighter& fighter = fighters_[low];
                if (target.best[rest] == IMPOSSIBLE || (fighter.charger >= 0 && !reaches(fighter.charger, index)))
                    continue;
                Number own = per_attack * fighter.attack - per_hit;
                own += fighter.charger >= 0 ? by_hit_[fighter.charger][index]
                                            : by_attacker_[fighter.attacker] * (n + 1 - index);
                if (back > 0 && back >= fighter.health) own -= fighter.loss;  // (5) lets it die
                scores[set] = scores[rest] + own;
                damages[set] = damages[rest] + fighter.attack;
            }
            const int32_t missing = std::max(0, health - damages[set]);
            target.best[set] = scores[set] + help[0];
            target.help_best[set] = helpers[0];
            if (missing > max_help) continue;
            target.dead[set] = scores[set] + gain + help[missing];
            target.help_dead[set] = helpers[missing];
            if (target.dead[set] >= target.best[set])
                target.best[set] = target.dead[set], target.help_best[set] = target.help_dead[set];
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
        best.fighters = fighters_;
        const auto taunt = [&](int index) { return index < n && enemies_[index].keywords & TAUNT; };
        try_way([&](int index) { return taunt(index) ? 2 : 1; }, 0, best, any);
        if (taunts) try_way([&](int index) { return taunt(index) ? 1 : 0; }, 0, best, any);
        if (n && turn_.weights.board_clear)
            try_way([&](int index) { return index < n ? 2 : 1; }, unit_ * turn_.weights.board_clear, best, any);
    }

    // `kind` of each target: 0 left alone, 1 whatever is best, 2 dead.
    template <class Kind>
    void try_way(Kind kind, Number bonus, Fights& best, bool& any) const {
        const int sets = 1 << fighters_.size();
        StaticVector<int, MAX_MINIONS + 1> order;
        for (int index = 0; index <= enemies_.size(); ++index)
            if (kind(index)) order.push_back(index);
        const auto scores = [&](int index) -> const std::vector<Number>& {
            return kind(index) == 2 ? targets_[index].dead : targets_[index].best;
        };
        // For each set of fighters, the best score of the targets so far if exactly these attack them.
        Number table[SETS], next[SETS];
        Set sent[MAX_MINIONS + 1][SETS];
        std::fill(table, table + sets, IMPOSSIBLE);
        table[0] = bonus;
        for (int step = 0; step + 1 < order.size(); ++step) {
            const std::vector<Number>& score = scores(order[step]);
            for (int set = 0; set < sets; ++set) {
                Number most = IMPOSSIBLE;
                int who = 0;
                for (int part = step ? set : 0;; part = (part - 1) & set) {
                    const Number value = table[part] + score[set ^ part];
                    if (value > most) most = value, who = set ^ part;
                    if (!part) break;
                }
                next[set] = most;
                sent[step][set] = static_cast<Set>(who);
            }
            std::copy(next, next + sets, table);
        }
        // At the last target it only matters who is left, and not everybody has to attack.
        Set used[SETS];
        for (int set = 0; set < sets; ++set) {
            used[set] = static_cast<Set>(set);
            for (int bits = set; bits; bits &= bits - 1) {
                const Set fewer = used[set & ~(bits & -bits)];
                if (table[fewer] > table[used[set]]) used[set] = fewer;
            }
        }
        const int last = order[order.size() - 1];
        const std::vector<Number>& score = scores(last);
        Number most = IMPOSSIBLE;
        int who = 0;
        for (int set = 0; set < sets; ++set) {
            const Number value = table[used[(sets - 1) ^ set]] + score[set];
            if (value > most) most = value, who = set;
        }
        if (most == IMPOSSIBLE || (any && most <= best.value)) return;
        any = true;
        best.value = most;
        best.sent.clear();
        const auto send = [&](int index, int fighters) {
            const Target& target = targets_[index];
            const Set helpers = kind(index) == 2 ? target.help_dead[fighters] : target.help_best[fighters];
            best.sent.push_back({index, static_cast<Set>(fighters), helpers});
        };
        send(last, who);
        int at = used[(sets - 1) ^ who];
        for (int step = order.size() - 2; step >= 0; --step) {
            send(order[step], sent[step][at]);
            at ^= sent[step][at];
        }
    }

    void answer(ThesisChoice& choice) const {
        const Weights& w = turn_.weights;
        const int n = enemies_.size(), m = me_.board.size();
        // Without the digits, rounded down.
        const Number claimed = best_ - lowest_;
        Number whole = claimed / unit_;
        if (claimed % unit_ != 0 && claimed < 0) --whole;
        int64_t constant = n ? 0 : w.board_clear;
        for (const Minion& minion : me_.board) constant += w.own_survival * minion.health;
        for (const Minion& minion : enemies_) constant -= threat() * minion.attack;
        choice.objective = static_cast<int64_t>(whole) + constant;
        for (size_t index = 0; index < cards_.size(); ++index)
            if (best_cards_ >> index & 1) choice.plays.push_back(m + cards_[index].number);
        const auto from_hand = [&](int charger) { return m + cards_[chargers_[charger]].number; };
        for (const Sent& sent : best_fights_.sent) {
            std::vector<int> who;
            for (size_t index = 0; index < best_fights_.fighters.size(); ++index) {
                const Fighter& fighter = best_fights_.fighters[index];
                if (sent.fighters >> index & 1)
                    who.push_back(fighter.charger >= 0 ? from_hand(fighter.charger) : attackers_[fighter.attacker]);
            }
            for (size_t index = 0; index < chargers_.size(); ++index)
                if (sent.helpers >> index & 1) who.push_back(from_hand(static_cast<int>(index)));
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

bool best_thesis_choice(const Turn& turn, const ThesisReading& reading, ThesisChoice& choice) {
    return Model<int64_t>(turn, reading).solve(choice) || Model<__int128>(turn, reading).solve(choice);
}

}  // namespace planner::vanilla
