#include "rules/chance.hpp"

namespace planner::rules {

static bool same_player(const Player& a, const Player& b) {
    return a.hero == b.hero && a.weapon == b.weapon && a.power == b.power && a.mana == b.mana &&
           a.crystals == b.crystals && a.overload == b.overload && a.locked == b.locked && a.fatigue == b.fatigue &&
           a.cards_played == b.cards_played && a.power_used == b.power_used && a.board == b.board && a.hand == b.hand &&
           (a.deck.data() == b.deck.data() ? a.deck.size() == b.deck.size() : std::ranges::equal(a.deck, b.deck));
}

bool same_state(const State& a, const State& b) {
    return a.turn == b.turn && a.seat == b.seat && a.clock == b.clock && a.cause == b.cause &&
           same_player(a.sides[0], b.sides[0]) && same_player(a.sides[1], b.sides[1]);
}

int64_t estimated_runs(int64_t count, int64_t times) {
    int64_t runs = 0, distributions = 1;  // of `dealt` hits: binomial(dealt + count - 1, dealt)
    for (int64_t dealt = 0; dealt < times && runs <= MAX_RUNS; ++dealt) {
        runs += count * distributions;
        distributions = distributions * (dealt + count) / (dealt + 1);
    }
    return runs;
}

uint64_t hash_of(const State& state, const Account& account) {
    uint64_t hash = 0x9e3779b97f4a7c15ull;
    auto add = [&](int64_t number) {
        hash = (hash ^ static_cast<uint64_t>(number)) * 0xff51afd7ed558ccdull;
        hash ^= hash >> 32;
    };
    add(account.dealt_to_hero);
    add(account.dealt_to_minions);
    for (const Player& player : state.sides) {
        add(player.hero.health);
        add(player.hero.armor);
        add(player.mana << 16 | player.hand.size() << 8 | player.board.size());
        for (const Minion& minion : player.board) {
            add(static_cast<int64_t>(minion.id) << 32 | static_cast<uint32_t>(minion.health));
            add(static_cast<int64_t>(minion.attack) << 32 | (minion.keywords << 1 | minion.doomed));
        }
    }
    return hash;
}

}  // namespace planner::rules
