#include "search/key.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace planner::search {

namespace {

// Mixes words into a hash of 128 bits.
struct Mixer {
    uint64_t a = 0x9e3779b97f4a7c15ull, b = 0xc2b2ae3d27d4eb4full;

    static uint64_t fold(uint64_t x, uint64_t y) {
        const unsigned __int128 product = static_cast<unsigned __int128>(x) * y;
        return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
    }
    void add(uint64_t word) {
        a = fold(a ^ word ^ 0xa0761d6478bd642full, 0xe7037ed1a0b428dbull ^ (a << 1 | a >> 63));
        b = fold(b + word * 0x8ebc6af09c88c6e3ull, 0x589965cc75374cc3ull ^ (b >> 7 | b << 57));
    }
    void add(int32_t low, int32_t high) {
        add(static_cast<uint64_t>(static_cast<uint32_t>(low)) | static_cast<uint64_t>(static_cast<uint32_t>(high))
                                                                    << 32);
    }
    Key key() const { return Key{fold(a, 0x9fb21c651e98df25ull ^ b), fold(b, 0xd6e8feb86659fd93ull ^ a)}; }
};

Key minion_key(const Turn& turn, const Minion& minion, int32_t rank, int32_t position, bool mine, bool by_id) {
    Mixer mixer;
    mixer.add(reinterpret_cast<uint64_t>(minion.card));
    mixer.add(minion.attack, minion.health);
    mixer.add(minion.max_health, static_cast<int32_t>(minion.keywords));
    mixer.add(static_cast<int32_t>(minion.keywords_this_turn), minion.attacks_left);
    mixer.add(minion.attack_this_turn, minion.aura_attack);
    mixer.add(minion.aura_health, mine ? turn.survival_health(minion.id) : 0);
    mixer.add(rank << 3 | minion.fresh << 2 | minion.silenced << 1 | mine, by_id ? minion.id : 0);
    if (position >= 0) mixer.add(static_cast<uint64_t>(position));
    return mixer.key();
}

Key card_key(const Turn& turn, const HandCard& hand_card, bool by_id) {
    Mixer mixer;
    mixer.add(reinterpret_cast<uint64_t>(hand_card.card));
    mixer.add(static_cast<uint64_t>(hand_card.value));
    mixer.add(hand_card.cost, hand_card.card->type == Type::minion ? turn.survival_health(hand_card.id) : 0);
    mixer.add(hand_card.echo, by_id ? hand_card.id : 0);
    return mixer.key();
}

bool arrival_matters(const Minion& minion, const KeyOptions& options) {
    return options.reads & ARRIVAL_ORDER || minion.keywords & REBORN || acts_in_arrival_order(*minion.card);
}

// Left out: the hero power, which no effect replaces, and what only later turns read. That is overload, locked mana and
// which keywords of a hero end with the turn.
void add_player(Mixer& mixer, const Player& player) {
    const Hero& hero = player.hero;
    mixer.add(hero.health, hero.max_health);
    mixer.add(hero.armor, static_cast<int32_t>(hero.keywords));
    mixer.add(hero.attack_this_turn, hero.attacks_left);
    mixer.add(reinterpret_cast<uint64_t>(player.weapon.card));
    mixer.add(player.weapon.attack, player.weapon.durability);
    mixer.add(static_cast<int32_t>(player.weapon.keywords), static_cast<int32_t>(player.deck.size()));
    mixer.add(player.mana, player.crystals);
    // Rules only depend on whether a card was played, not on how many.
    mixer.add(player.fatigue, (player.cards_played > 0) << 1 | player.power_used);
}

// Adds the card and all cards that it can create, in any number of steps.
void gather(const Card* card, std::set<const Card*>& known) {
    if (card == nullptr || !known.insert(card).second) return;
    for (const auto& effects : card->effects_by_trigger)
        for (const Effect& effect : effects)
            for (const Card* created : effect.created) gather(created, known);
}

}  // namespace

KeyOptions key_options(const Turn& turn) {
    std::set<const Card*> known;
    for (const Player& player : turn.start.sides) {
        for (const Minion& minion : player.board) gather(minion.card, known);
        for (const HandCard& hand_card : player.hand) gather(hand_card.card, known);
        gather(player.power, known);
        gather(player.weapon.card, known);
    }
    KeyOptions options;
    for (const Card* card : known) options.reads |= card_reads(*card);
    return options;
}

void find_keys(const Turn& turn, const KeyOptions& options, const State& state, Keys& keys) {
    // Ranks by order of entering, among minions for which it matters. Of minions that entered together, own minions
    // come first, then those further to the left.
    struct Entry {
        int32_t entered;
        int32_t* rank;
    };
    int32_t ranks[2][MAX_MINIONS] = {};
    StaticVector<Entry, 2 * MAX_MINIONS> entries;
    for (int side = 0; side < 2; ++side)
        for (int index = 0; index < state.sides[side].board.size(); ++index) {
            const Minion& minion = state.sides[side].board[index];
            if (arrival_matters(minion, options)) entries.push_back({minion.entered, &ranks[side][index]});
        }
    std::ranges::sort(entries, {}, [](const Entry& entry) { return std::pair(entry.entered, entry.rank); });
    for (int index = 0; index < entries.size(); ++index) *entries[index].rank = index + 1;

    Mixer mixer;
    // The clock decides the next id, and a new minion with a reserved id counts for the health of its namesake.
    if (options.every_id) mixer.add(static_cast<uint64_t>(state.clock));
    const auto add_sum = [&](const Key* first, int count) {  // a sum does not depend on the order
        Key sum;
        for (const Key* key = first; key != first + count; ++key) sum = {sum.a + key->a, sum.b + key->b};
        mixer.add(sum.a);
        mixer.add(sum.b);
    };
    for (int side = 0; side < 2; ++side) {
        const Player& player = state.sides[side];
        add_player(mixer, player);
        Key* minions = side == 0 ? keys.mine : keys.theirs;
        for (int index = 0; index < player.board.size(); ++index)
            minions[index] = minion_key(turn, player.board[index], ranks[side][index],
                                        options.reads & BOARD_POSITION ? index : -1, side == 0, options.every_id);
        add_sum(minions, player.board.size());
        Key enemy_hand[MAX_HAND_CARDS];
        Key* hand = side == 0 ? keys.hand : enemy_hand;
        for (int index = 0; index < player.hand.size(); ++index)
            hand[index] = card_key(turn, player.hand[index], options.every_id);
        add_sum(hand, player.hand.size());
    }
    keys.state = mixer.key();
}

ActionKey action_key(const State& state, const Keys& keys, Action action) {
    const Player &me = state.me(), &enemy = state.enemy();
    const auto key_of = [&](Id id) -> Key {
        if (id < FIRST_CALLER_ID) return Key{id, 0};
        for (int index = 0; index < me.board.size(); ++index)
            if (me.board[index].id == id) return keys.mine[index];
        for (int index = 0; index < enemy.board.size(); ++index)
            if (enemy.board[index].id == id) return keys.theirs[index];
        for (int index = 0; index < me.hand.size(); ++index)
            if (me.hand[index].id == id) return keys.hand[index];
        return Key{id, 1};
    };
    return {action.kind, key_of(action.source), key_of(action.target)};
}

}  // namespace planner::search
