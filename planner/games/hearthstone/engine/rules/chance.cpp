#include "rules/chance.hpp"

namespace planner::rules {

static bool same(const Minion& a, const Minion& b) {
    return a.card == b.card && a.attack == b.attack && a.health == b.health && a.max_health == b.max_health &&
           a.keywords == b.keywords && a.keywords_this_turn == b.keywords_this_turn &&
           a.attacks_left == b.attacks_left && a.entered == b.entered && a.attack_this_turn == b.attack_this_turn &&
           a.aura_attack == b.aura_attack && a.aura_health == b.aura_health && a.id == b.id && a.fresh == b.fresh &&
           a.silenced == b.silenced && a.doomed == b.doomed;
}

static bool same(const Held& a, const Held& b) {
    return a.card == b.card && a.value == b.value && a.cost == b.cost && a.id == b.id && a.echo == b.echo;
}

static bool same(const Hero& a, const Hero& b) {
    return a.health == b.health && a.max_health == b.max_health && a.armor == b.armor && a.keywords == b.keywords &&
           a.keywords_this_turn == b.keywords_this_turn && a.attack_this_turn == b.attack_this_turn &&
           a.attacks_left == b.attacks_left && a.fallen == b.fallen;
}

template <class List>
static bool same_list(const List& a, const List& b) {
    if (a.count != b.count) return false;
    for (int place = 0; place < a.count; ++place)
        if (!same(a[place], b[place])) return false;
    return true;
}

static bool same(const Player& a, const Player& b) {
    if (a.deck_count != b.deck_count) return false;
    for (int place = 0; a.deck != b.deck && place < a.deck_count; ++place)
        if (!same(a.deck[place], b.deck[place])) return false;
    return same(a.hero, b.hero) && a.weapon.card == b.weapon.card && a.weapon.attack == b.weapon.attack &&
           a.weapon.durability == b.weapon.durability && a.weapon.keywords == b.weapon.keywords &&
           a.power == b.power && a.mana == b.mana && a.crystals == b.crystals && a.overload == b.overload &&
           a.locked == b.locked && a.fatigue == b.fatigue && a.cards_played == b.cards_played &&
           a.power_used == b.power_used && same_list(a.board, b.board) && same_list(a.hand, b.hand);
}

bool same_state(const State& a, const State& b) {
    return a.turn == b.turn && a.seat == b.seat && a.clock == b.clock && a.cause == b.cause &&
           same(a.sides[0], b.sides[0]) && same(a.sides[1], b.sides[1]);
}

bool same_account(const Account& a, const Account& b) {
    return a.dealt_to_hero == b.dealt_to_hero && a.dealt_to_minions == b.dealt_to_minions && a.drawn == b.drawn &&
           a.overkill == b.overkill;
}

// How many runs it takes to deal so many blows among so many: after each, only how often each was hit matters.
int64_t likely_runs(int64_t count, int64_t times) {
    int64_t runs = 0, ways = 1;  // ways to deal `dealt` blows: comb(dealt + count - 1, dealt)
    for (int64_t dealt = 0; dealt < times && runs <= MOST_RUNS; ++dealt) {
        runs += count * ways;
        ways = ways * (dealt + count) / (dealt + 1);
    }
    return runs;
}

uint64_t fingerprint(const State& state, const Account& account) {
    uint64_t print = 0x9e3779b97f4a7c15ull;
    auto add = [&](int64_t number) {
        print = (print ^ static_cast<uint64_t>(number)) * 0xff51afd7ed558ccdull;
        print ^= print >> 32;
    };
    add(account.dealt_to_hero);
    add(account.dealt_to_minions);
    for (const Player& player : state.sides) {
        add(player.hero.health);
        add(player.hero.armor);
        add(player.mana << 16 | player.hand.count << 8 | player.board.count);
        for (const Minion& minion : player.board) {
            add(static_cast<int64_t>(minion.id) << 32 | static_cast<uint32_t>(minion.health));
            add(static_cast<int64_t>(minion.attack) << 32 | (minion.keywords << 1 | minion.doomed));
        }
    }
    return print;
}

}  // namespace planner::rules
