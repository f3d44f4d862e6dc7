// Whole games between two menu bots, for cards whose effects only add numbers, draw, gain, attack with curses or make
// others discard. planner/games/deckbuilder/bot_games.py compiles definitions and menus into the numbers read here. The
// games are the same as those that the Python rules play with the same seed: a test compares them.

#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

namespace nb = nanobind;

namespace {

// Fills the state of a Mersenne Twister as Python does, so that a seed means the same game in both languages.
class PythonSeed {
  public:
    using result_type = uint32_t;

    explicit PythonSeed(uint32_t seed) : seed_(seed) {}

    template <typename Word>
    void generate(Word* state, Word* end) {
        const auto size = static_cast<uint32_t>(end - state);
        const auto last = [&](uint32_t i) { return state[i - 1] ^ (state[i - 1] >> 30); };
        state[0] = 19650218U;
        for (uint32_t i = 1; i < size; ++i) state[i] = 1812433253U * last(i) + i;
        uint32_t i = 1;
        const auto mix = [&](uint32_t factor, uint32_t added) {
            state[i] = (state[i] ^ (last(i) * factor)) + added;
            if (++i < size) return;
            state[0] = state[size - 1];
            i = 1;
        };
        for (uint32_t k = 0; k < size; ++k) mix(1664525U, seed_);
        for (uint32_t k = 1; k < size; ++k) mix(1566083941U, 0U - i);
        state[0] = 0x80000000U;
    }

  private:
    uint32_t seed_;
};

// std::mt19937, but with 32 bits for each number, which is faster to seed.
using Twister = std::mersenne_twister_engine<uint32_t, 32, 624, 397, 31, 0x9908b0dfU, 11, 0xffffffffU, 7, 0x9d2c5680U,
                                             15, 0xefc60000U, 18, 1812433253U>;

// Python's random().
double random_number(Twister& random) {
    const uint32_t high = random() >> 5;
    const uint32_t low = random() >> 6;
    return (high * 67108864.0 + low) * (1.0 / 9007199254740992.0);
}

// The orders of these enumerations are those of bot_games.py.
enum class Operation { actions, buys, coins, draw, curse, discard_to, others_draw, gain };
enum class Quantity { number, own, left, money, treasures, cards, turn, empty_piles };
enum class Relation { less, at_most, equal, unequal, at_least, more };

struct Card {
    int cost, playable, action, treasure, money, gives_actions, points, points_divisor, stops_attacks;
};

struct Step {
    Operation operation;
    int value;
};

struct Operand {
    Quantity quantity;
    int value, divisor;
};

struct Condition {
    Operand left;
    Relation relation;
    Operand right;
};

struct MenuLine {
    int card;
    std::vector<Condition> conditions;
};

struct Menu {
    std::vector<MenuLine> buy;
    std::vector<int> play;
};

struct Rules {
    std::vector<Card> cards;
    std::vector<std::vector<Step>> effects;
    std::vector<int> deck;    // by card, at the start
    std::vector<int> supply;  // by card; -1 for cards without a pile
    std::vector<int> end_piles;
    int end_empty, hand_size, turn_limit, actions, buys, coins;
};

struct Player {
    std::vector<int> hand, deck, discard, played;  // numbers by card
    int deck_size = 0, discard_size = 0, turns = 0;
};

class Game {
  public:
    Game(const Rules& rules, const std::array<Menu, 2>& menus, PythonSeed seed)
        : rules_(rules), menus_(menus), random_(seed), supply_(rules.supply) {
        const std::vector<int> none(rules.cards.size(), 0);
        for (Player& player : players_) {
            player = {none, rules.deck, none, none};
            player.deck_size = std::accumulate(rules.deck.begin(), rules.deck.end(), 0);
        }
        for (Player& player : players_) draw(player, rules.hand_size);
    }

    std::array<int, 4> play() {
        for (int turn = 1;; ++turn) {
            const int seat = (turn - 1) % 2;
            take_turn(seat);
            if (ended() || (seat == 1 && turn >= 2 * rules_.turn_limit))
                return {score(players_[0]), score(players_[1]), players_[0].turns, players_[1].turns};
        }
    }

  private:
    int kinds() const { return static_cast<int>(rules_.cards.size()); }

    int empty_piles() const { return static_cast<int>(std::count(supply_.begin(), supply_.end(), 0)); }

    bool ended() const {
        return empty_piles() >= rules_.end_empty ||
               std::any_of(rules_.end_piles.begin(), rules_.end_piles.end(), [&](int card) { return !supply_[card]; });
    }

    void draw(Player& player, int number) {
        for (; number > 0; --number) {
            if (player.deck_size == 0) {
                if (player.discard_size == 0) return;
                player.deck.swap(player.discard);
                std::swap(player.deck_size, player.discard_size);
            }
            int index = static_cast<int>(random_number(random_) * player.deck_size);
            int card = 0;
            while (index >= player.deck[card]) index -= player.deck[card++];
            --player.deck[card];
            --player.deck_size;
            ++player.hand[card];
        }
    }

    static int owned(const Player& player, int card) {
        return player.hand[card] + player.deck[card] + player.discard[card] + player.played[card];
    }

    int value(const Player& player, const Operand& operand) const {
        int sum = 0;
        switch (operand.quantity) {
            case Quantity::number: return operand.value;
            case Quantity::own: return owned(player, operand.value);
            case Quantity::left: return std::max(0, supply_[operand.value]);
            case Quantity::turn: return player.turns;
            case Quantity::empty_piles: return empty_piles();
            case Quantity::money:
            case Quantity::treasures:
            case Quantity::cards:
                for (int card = 0; card < kinds(); ++card) {
                    const Card& kind = rules_.cards[card];
                    if (operand.quantity == Quantity::cards) sum += owned(player, card);
                    else if (kind.treasure)
                        sum += owned(player, card) * (operand.quantity == Quantity::money ? kind.money : 1);
                }
        }
        return sum;
    }

    bool holds(const Player& player, const Condition& condition) const {
        const int left = value(player, condition.left) * condition.right.divisor;
        const int right = value(player, condition.right) * condition.left.divisor;
        switch (condition.relation) {
            case Relation::less: return left < right;
            case Relation::at_most: return left <= right;
            case Relation::equal: return left == right;
            case Relation::unequal: return left != right;
            case Relation::at_least: return left >= right;
            case Relation::more: return left > right;
        }
        return false;
    }

    // Whether taking this card ends the match, and the player loses it.
    bool ends_lost(int seat, int card) {
        if (supply_[card] != 1 || ended()) return false;
        Player &player = players_[seat], &other = players_[1 - seat];
        --supply_[card];
        ++player.discard[card];
        const int lead = score(player) - score(other);
        const bool loses = ended() && (lead < 0 || (lead == 0 && player.turns > other.turns));
        ++supply_[card];
        --player.discard[card];
        return loses;
    }

    bool is_for_sale(int card, int most) const {
        const int cost = rules_.cards[card].cost;
        return supply_[card] > 0 && cost >= 0 && cost <= most;
    }

    // The first line of the menu with a card of at most this cost, or -1.
    int from_menu(int seat, int most) {
        for (const MenuLine& line : menus_[seat].buy)
            if (is_for_sale(line.card, most) && !ends_lost(seat, line.card) &&
                std::all_of(line.conditions.begin(), line.conditions.end(),
                            [&](const Condition& condition) { return holds(players_[seat], condition); }))
                return line.card;
        return -1;
    }

    // Whether card a is kept before card b: playable ones first, then by cost.
    bool is_better(int a, int b) const {
        const Card &one = rules_.cards[a], &other = rules_.cards[b];
        if (one.playable != other.playable) return one.playable > other.playable;
        return one.cost != other.cost ? one.cost > other.cost : a < b;
    }

    void receive(Player& player, int card) {
        --supply_[card];
        ++player.discard[card];
        ++player.discard_size;
    }

    void gain(int seat, int most) {
        int best = from_menu(seat, most);
        if (best < 0) {  // nothing of the menu
            for (int card = 0; card < kinds(); ++card)
                if (is_for_sale(card, most) && (best < 0 || is_better(card, best))) best = card;
        }
        if (best >= 0) receive(players_[seat], best);
    }

    bool is_protected(const Player& player) const {
        for (int card = 0; card < kinds(); ++card)
            if (player.hand[card] && rules_.cards[card].stops_attacks) return true;
        return false;
    }

    void discard_to(Player& player, int number) {
        int size = std::accumulate(player.hand.begin(), player.hand.end(), 0);
        for (; size > number; --size) {
            int worst = -1;
            for (int card = 0; card < kinds(); ++card)
                if (player.hand[card] && (worst < 0 || !is_better(card, worst))) worst = card;
            --player.hand[worst];
            ++player.discard[worst];
            ++player.discard_size;
        }
    }

    void resolve(int seat, int card) {
        Player &player = players_[seat], &other = players_[1 - seat];
        for (const Step& step : rules_.effects[card]) {
            switch (step.operation) {
                case Operation::actions: actions_ += step.value; break;
                case Operation::buys: buys_ += step.value; break;
                case Operation::coins: coins_ += step.value; break;
                case Operation::draw: draw(player, step.value); break;
                case Operation::curse:
                    if (!is_protected(other) && supply_[step.value] > 0) receive(other, step.value);
                    break;
                case Operation::discard_to:
                    if (!is_protected(other)) discard_to(other, step.value);
                    break;
                case Operation::others_draw: draw(other, step.value); break;
                case Operation::gain: gain(seat, step.value); break;
            }
        }
    }

    int next_action(int seat) const {
        const Player& player = players_[seat];
        for (const int card : menus_[seat].play)
            if (player.hand[card] && rules_.cards[card].action && rules_.cards[card].playable) return card;
        int best = -1;
        for (int card = 0; card < kinds(); ++card) {
            const Card& kind = rules_.cards[card];
            if (!player.hand[card] || !kind.action || !kind.playable) continue;
            const bool more = best >= 0 && (kind.gives_actions > 0) != (rules_.cards[best].gives_actions > 0);
            if (best < 0 || (more ? kind.gives_actions > 0 : kind.cost > rules_.cards[best].cost)) best = card;
        }
        return best;
    }

    void take_turn(int seat) {
        Player& player = players_[seat];
        actions_ = rules_.actions, buys_ = rules_.buys, coins_ = rules_.coins;
        ++player.turns;
        for (int card = 0; actions_ > 0 && (card = next_action(seat)) >= 0;) {
            --actions_;
            --player.hand[card];
            ++player.played[card];
            resolve(seat, card);
        }
        for (int card = 0; card < kinds(); ++card) {
            for (; rules_.cards[card].treasure && rules_.cards[card].playable && player.hand[card];
                 --player.hand[card]) {
                ++player.played[card];
                resolve(seat, card);
            }
        }
        for (int card = 0; buys_ > 0 && (card = from_menu(seat, coins_)) >= 0; --buys_) {
            coins_ -= rules_.cards[card].cost;
            receive(player, card);
        }
        for (int card = 0; card < kinds(); ++card) {
            player.discard[card] += player.hand[card] + player.played[card];
            player.discard_size += player.hand[card] + player.played[card];
            player.hand[card] = player.played[card] = 0;
        }
        draw(player, rules_.hand_size);
    }

    int score(const Player& player) const {
        int total = 0, cards = 0;
        for (int card = 0; card < kinds(); ++card) cards += owned(player, card);
        for (int card = 0; card < kinds(); ++card) {
            const Card& kind = rules_.cards[card];
            total += owned(player, card) * (kind.points + (kind.points_divisor ? cards / kind.points_divisor : 0));
        }
        return total;
    }

    const Rules& rules_;
    const std::array<Menu, 2>& menus_;
    Twister random_;
    std::vector<int> supply_;
    std::array<Player, 2> players_;
    int actions_ = 0, buys_ = 0, coins_ = 0;
};

using Numbers = std::vector<int>;

Menu read_menu(const std::vector<Numbers>& lines, const Numbers& play) {
    Menu menu{{}, play};
    for (const Numbers& line : lines) {
        MenuLine entry{line[0], {}};
        for (size_t i = 1; i + 6 < line.size(); i += 7)
            entry.conditions.push_back({{static_cast<Quantity>(line[i]), line[i + 1], line[i + 2]},
                                        static_cast<Relation>(line[i + 3]),
                                        {static_cast<Quantity>(line[i + 4]), line[i + 5], line[i + 6]}});
        menu.buy.push_back(std::move(entry));
    }
    return menu;
}

// Plays one game for each seed and returns scores and turns: (first score, second score, first turns, second turns).
std::vector<std::array<int, 4>> play_games(const std::vector<Numbers>& cards, const std::vector<Numbers>& effects,
                                           const std::vector<Numbers>& starts, const Numbers& numbers,
                                           const std::array<std::vector<Numbers>, 2>& menus,
                                           const std::array<Numbers, 2>& plays, const std::vector<uint32_t>& seeds) {
    Rules rules{{},         {},         starts[0],  starts[1],  starts[2], numbers[0],
                numbers[1], numbers[2], numbers[3], numbers[4], numbers[5]};
    for (const Numbers& card : cards)
        rules.cards.push_back({card[0], card[1], card[2], card[3], card[4], card[5], card[6], card[7], card[8]});
    for (const Numbers& steps : effects) {
        rules.effects.emplace_back();
        for (size_t i = 0; i + 1 < steps.size(); i += 2)
            rules.effects.back().push_back({static_cast<Operation>(steps[i]), steps[i + 1]});
    }
    const std::array<Menu, 2> read{read_menu(menus[0], plays[0]), read_menu(menus[1], plays[1])};
    std::vector<std::array<int, 4>> results;
    results.reserve(seeds.size());
    for (const uint32_t seed : seeds) results.push_back(Game(rules, read, PythonSeed(seed)).play());
    return results;
}

}  // namespace

NB_MODULE(_bots, module) {
    module.def("play_games", &play_games, nb::arg("cards"), nb::arg("effects"), nb::arg("starts"), nb::arg("numbers"),
               nb::arg("menus"), nb::arg("plays"), nb::arg("seeds"));
}
