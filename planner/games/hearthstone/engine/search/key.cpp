#include "search/key.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <set>
#include <utility>
#include <vector>

namespace planner::search {

namespace {

// Mixes words into a hash of 128 bits, two at a time: as two hashes of 64 bits with different factors.
struct Mixer {
    uint64_t a = 0x9e3779b97f4a7c15ull, b = 0xc2b2ae3d27d4eb4full;

    static uint64_t fold(uint64_t x, uint64_t y) {
        const unsigned __int128 product = static_cast<unsigned __int128>(x) * y;
        return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
    }
    static uint64_t pair(int32_t low, int32_t high) {
        return static_cast<uint64_t>(static_cast<uint32_t>(low)) | static_cast<uint64_t>(static_cast<uint32_t>(high))
                                                                       << 32;
    }
    void add(uint64_t x, uint64_t y) {
        a = fold(a ^ x ^ 0xa0761d6478bd642full, std::rotl(a, 1) ^ y ^ 0xe7037ed1a0b428dbull);
        b = fold(b ^ y ^ 0x8ebc6af09c88c6e3ull, std::rotl(b, 7) ^ x ^ 0x589965cc75374cc3ull);
    }
    Key key() const { return Key{fold(a, 0x9fb21c651e98df25ull ^ b), fold(b, 0xd6e8feb86659fd93ull ^ a)}; }
};

Key minion_key(const Turn& turn, const Minion& minion, int32_t rank, int32_t position, bool mine, bool by_id) {
    const int32_t flags = rank << 3 | minion.fresh << 2 | minion.silenced << 1 | mine;
    const int32_t survival = mine ? turn.survival_health(minion.id) : 0;
    Mixer mixer;
    mixer.add(reinterpret_cast<uint64_t>(minion.card), Mixer::pair(minion.attack, minion.health));
    mixer.add(Mixer::pair(minion.max_health, static_cast<int32_t>(minion.keywords)),
              Mixer::pair(static_cast<int32_t>(minion.keywords_this_turn), minion.attacks_left));
    mixer.add(Mixer::pair(minion.attack_this_turn, minion.aura_attack), Mixer::pair(minion.aura_health, survival));
    mixer.add(Mixer::pair(flags, by_id ? minion.id : 0), static_cast<uint64_t>(position));
    return mixer.key();
}

Key card_key(const Turn& turn, const HandCard& hand_card, bool by_id) {
    const int32_t survival = hand_card.card->type == Type::minion ? turn.survival_health(hand_card.id) : 0;
    Mixer mixer;
    mixer.add(reinterpret_cast<uint64_t>(hand_card.card), static_cast<uint64_t>(hand_card.value));
    mixer.add(Mixer::pair(hand_card.cost, survival), Mixer::pair(hand_card.echo, by_id ? hand_card.id : 0));
    return mixer.key();
}

bool arrival_matters(const Minion& minion, const KeyOptions& options) {
    return options.reads & ARRIVAL_ORDER || minion.keywords & REBORN || acts_in_arrival_order(*minion.card);
}

// Left out: the hero power, which no effect replaces, and what only later turns read. That is overload, locked mana and
// which keywords of a hero end with the turn.
void add_player(Mixer& mixer, const Player& player) {
    const Hero& hero = player.hero;
    const Weapon& weapon = player.weapon;
    mixer.add(Mixer::pair(hero.health, hero.max_health), Mixer::pair(hero.armor, static_cast<int32_t>(hero.keywords)));
    mixer.add(Mixer::pair(hero.attack_this_turn, hero.attacks_left), reinterpret_cast<uint64_t>(weapon.card));
    mixer.add(Mixer::pair(weapon.attack, weapon.durability),
              Mixer::pair(static_cast<int32_t>(weapon.keywords), static_cast<int32_t>(player.deck.size())));
    // Rules only depend on whether a card was played, not on how many.
    mixer.add(Mixer::pair(player.mana, player.crystals),
              Mixer::pair(player.fatigue, (player.cards_played > 0) << 1 | player.power_used));
}

// What the card and all cards that it can create read, in any number of steps; nothing if the card is known.
uint32_t reads_within_reach(const Card* card, std::set<const Card*>& known) {
    if (card == nullptr || (card->has_effects && !known.insert(card).second)) return 0;
    uint32_t reads = card_reads(*card);
    for (const auto& effects : card->effects_by_trigger)
        for (const Effect& effect : effects)
            for (const Card* created : effect.created) reads |= reads_within_reach(created, known);
    return reads;
}

}  // namespace

KeyOptions key_options(const Turn& turn) {
    std::set<const Card*> known;
    KeyOptions options;
    for (const Player& player : turn.start.sides) {
        for (const Minion& minion : player.board) options.reads |= reads_within_reach(minion.card, known);
        for (const HandCard& hand_card : player.hand) options.reads |= reads_within_reach(hand_card.card, known);
        options.reads |= reads_within_reach(player.power, known) | reads_within_reach(player.weapon.card, known);
    }
    return options;
}

// Ranks by order of entering, among minions for which it matters. Of minions that entered together, own minions come
// first, then those further to the left.
static void find_ranks(const KeyOptions& options, const State& state, Keys& keys) {
    struct Entry {
        int32_t entered;
        int32_t* rank;
    };
    StaticVector<Entry, 2 * MAX_MINIONS> entries;
    for (int side = 0; side < 2; ++side)
        for (int index = 0; index < state.sides[side].board.size(); ++index) {
            const Minion& minion = state.sides[side].board[index];
            keys.ranks[side][index] = 0;
            if (arrival_matters(minion, options)) entries.push_back({minion.entered, &keys.ranks[side][index]});
        }
    std::ranges::sort(entries, {}, [](const Entry& entry) { return std::pair(entry.entered, entry.rank); });
    for (int index = 0; index < entries.size(); ++index) *entries[index].rank = index + 1;
}

// Finds the key of each element. An element that is in `before`, at the same index or a little further on, has the
// same key if `same(index, index_before)`. The bytes are compared: at worst, a key is computed again.
template <class Element, int32_t capacity, class Same, class Find>
static void find_each(const StaticVector<Element, capacity>& elements, Key* keys,
                      const StaticVector<Element, capacity>* before, const Key* keys_before, Same same, Find find) {
    int32_t next = 0;  // in `before`
    for (int32_t index = 0; index < elements.size(); ++index, ++next) {
        const int32_t last = before ? std::min(next + 2, before->size()) : 0;
        int32_t found = next;
        while (found < last &&
               (std::memcmp(&(*before)[found], &elements[index], sizeof(Element)) || !same(index, found)))
            ++found;
        if (found < last) keys[index] = keys_before[next = found];
        else keys[index] = find(index);
    }
}

void find_keys(const Turn& turn, const KeyOptions& options, const State& state, Keys& keys, const KnownKeys* known) {
    find_ranks(options, state, keys);
    Mixer mixer;
    // The clock decides the next id, and a new minion with a reserved id counts for the health of its namesake.
    mixer.add(options.every_id ? static_cast<uint64_t>(state.clock) : 0, 0);
    const auto add_sum = [&](const Key* first, int count) {  // a sum does not depend on the order
        Key sum{};
        for (const Key* key = first; key != first + count; ++key) sum = {sum.a + key->a, sum.b + key->b};
        mixer.add(sum.a, sum.b);
    };
    for (int side = 0; side < 2; ++side) {
        const Player& player = state.sides[side];
        const Player* before = known ? &known->state.sides[side] : nullptr;
        add_player(mixer, player);
        Key* minions = side == 0 ? keys.mine : keys.theirs;
        const bool by_position = options.reads & BOARD_POSITION;
        find_each(
            player.board, minions, before ? &before->board : nullptr,
            known ? (side == 0 ? known->keys.mine : known->keys.theirs) : nullptr,
            [&](int index, int found) {
                return keys.ranks[side][index] == known->keys.ranks[side][found] && (!by_position || index == found);
            },
            [&](int index) {
                return minion_key(turn, player.board[index], keys.ranks[side][index], by_position ? index : -1,
                                  side == 0, options.every_id);
            });
        add_sum(minions, player.board.size());
        Key* hand = side == 0 ? keys.hand : keys.enemy_hand;
        find_each(
            player.hand, hand, before ? &before->hand : nullptr,
            known ? (side == 0 ? known->keys.hand : known->keys.enemy_hand) : nullptr, [](int, int) { return true; },
            [&](int index) { return card_key(turn, player.hand[index], options.every_id); });
        add_sum(hand, player.hand.size());
    }
    keys.state = mixer.key();
}

bool any_equal(const State& state, const Keys& keys) {
    const auto repeats = [](const Key* first, int count) {
        for (const Key* key = first; key != first + count; ++key)
            if (std::find(first, key, *key) != key) return true;
        return false;
    };
    return repeats(keys.mine, state.me().board.size()) || repeats(keys.theirs, state.enemy().board.size()) ||
           repeats(keys.hand, state.me().hand.size());
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
