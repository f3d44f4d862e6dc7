#include "search/key.hpp"

#include <set>
#include <vector>

namespace planner::search {

namespace {

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
        add(static_cast<uint64_t>(static_cast<uint32_t>(low)) | static_cast<uint64_t>(static_cast<uint32_t>(high)) << 32);
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

bool arrival_matters(const Minion& minion, const Differences& which) {
    return which.reads & ARRIVAL_ORDER || minion.keywords & REBORN || acts_in_arrival_order(*minion.card);
}

void add_player(Mixer& mixer, const Player& player) {
    const Hero& hero = player.hero;
    mixer.add(hero.health, hero.max_health);
    mixer.add(hero.armor, static_cast<int32_t>(hero.keywords));
    mixer.add(static_cast<int32_t>(hero.keywords_this_turn), hero.attack_this_turn);
    mixer.add(hero.attacks_left, player.weapon.card ? player.weapon.durability : 0);
    mixer.add(reinterpret_cast<uint64_t>(player.weapon.card));
    mixer.add(player.weapon.attack, static_cast<int32_t>(player.weapon.keywords));
    mixer.add(reinterpret_cast<uint64_t>(player.power));
    mixer.add(player.deck_count, player.fatigue);
    mixer.add(player.mana, player.crystals);
    mixer.add(player.overload, player.locked);
    // Of the cards played, rules ask only whether there were any.
    mixer.add(player.board.size() << 16 | player.hand.size(), (player.cards_played > 0) << 1 | player.power_used);
}

// All cards that can come into play from these, in any number of steps.
void gather(const Card* card, std::set<const Card*>& known) {
    if (card == nullptr || !known.insert(card).second) return;
    for (const auto& effects : card->effects_by_trigger)
        for (const Effect& effect : effects)
            for (const Card* made : effect.created) gather(made, known);
}

}  // namespace

Differences differences(const Turn& turn) {
    std::set<const Card*> known;
    for (const Player& player : turn.start.sides) {
        for (const Minion& minion : player.board) gather(minion.card, known);
        for (const HandCard& hand_card : player.hand) gather(hand_card.card, known);
        gather(player.power, known);
        gather(player.weapon.card, known);
    }
    Differences which;
    for (const Card* card : known) which.reads |= card_reads(*card);
    return which;
}

void find_keys(const Turn& turn, const Differences& which, const State& state, Keys& keys) {
    // The order of entering, among those for whom it counts; of equally old ones ours come first, left before right.
    struct Entry {
        int32_t entered;
        int32_t* rank;
    };
    int32_t ranks[2][MAX_MINIONS] = {};
    Entry entries[2 * MAX_MINIONS];
    int count = 0;
    for (int side = 0; side < 2; ++side)
        for (int place = 0; place < state.sides[side].board.size(); ++place) {
            const Minion& minion = state.sides[side].board[place];
            if (!arrival_matters(minion, which)) continue;
            int at = count++;
            for (; at > 0 && entries[at - 1].entered > minion.entered; --at) entries[at] = entries[at - 1];
            entries[at] = Entry{minion.entered, &ranks[side][place]};
        }
    for (int at = 0; at < count; ++at) *entries[at].rank = at + 1;

    Mixer mixer;
    // The clock names whoever comes next, and a name that somebody had at the start counts for his health.
    if (which.every_id || (state.reserved_ids && !state.reserved_ids->empty())) mixer.add(static_cast<uint64_t>(state.clock));
    for (int side = 0; side < 2; ++side) {
        const Player& player = state.sides[side];
        add_player(mixer, player);
        Key sum;  // of many alike, in any order: a sum
        for (int place = 0; place < player.board.size(); ++place) {
            const Key key = minion_key(turn, player.board[place], ranks[side][place],
                                       which.reads & BOARD_POSITION ? place : -1, side == 0, which.every_id);
            (side == 0 ? keys.mine : keys.theirs)[place] = key;
            sum.a += key.a;
            sum.b += key.b;
        }
        mixer.add(sum.a);
        mixer.add(sum.b);
        sum = Key{};
        for (int place = 0; place < player.hand.size(); ++place) {
            const Key key = card_key(turn, player.hand[place], which.every_id);
            if (side == 0) keys.hand[place] = key;
            sum.a += key.a;
            sum.b += key.b;
        }
        mixer.add(sum.a);
        mixer.add(sum.b);
    }
    keys.state = mixer.key();
}

}  // namespace planner::search
