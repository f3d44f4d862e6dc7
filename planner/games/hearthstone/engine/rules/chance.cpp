#include "rules/chance.hpp"

#include <algorithm>
#include <array>

namespace planner::rules {

static bool same_player(const Player& a, const Player& b) {
    return a.hero == b.hero && a.weapon == b.weapon && a.power == b.power && a.mana == b.mana &&
           a.crystals == b.crystals && a.overload == b.overload && a.locked == b.locked && a.fatigue == b.fatigue &&
           a.cards_played == b.cards_played && a.power_used == b.power_used && a.board == b.board && a.hand == b.hand &&
           (a.deck.data() == b.deck.data() ? a.deck.size() == b.deck.size() : std::ranges::equal(a.deck, b.deck));
}

// Compares every field, also in the middle of an action.
static bool same_state(const State& a, const State& b) {
    return a.turn == b.turn && a.seat == b.seat && a.clock == b.clock && a.cause == b.cause &&
           same_player(a.sides[0], b.sides[0]) && same_player(a.sides[1], b.sides[1]);
}

// Whether there are more ways than MAX_RUNS to split this many points, or fewer, among targets with this much room.
static bool too_many_splits(const std::vector<int>& room, int points) {
    std::vector<size_t> ways(points + 1);  // of splitting so many points among the targets so far
    ways[0] = 1;
    for (const int most : room) {
        const std::vector<size_t> before = ways;
        for (int sum = 1; sum <= points; ++sum) {
            ways[sum] = ways[sum - 1] + before[sum] - (sum > most ? before[sum - most - 1] : 0);
            if (ways[sum] > MAX_RUNS) return true;
        }
    }
    return false;
}

// Deals the points one by one. After each, only the number of hits on each target matters.
static Options splits(const std::vector<int>& room, int points) {
    if (too_many_splits(room, points)) return {};
    using Hits = std::array<uint16_t, 2 * MAX_MINIONS + 2>;
    const auto hash = [](const Hits& hits) {
        uint64_t mixed = 0;
        for (const uint64_t number : hits) mixed = (mixed ^ number) * 0xff51afd7ed558ccdull;
        return mixed ^ mixed >> 32;
    };
    using Layer = std::unordered_map<Hits, Wide, decltype(hash)>;
    Layer layer(1, hash);
    layer[Hits{}] = 1;
    Wide total = 1;
    for (int point = 0; point < points; ++point) {
        const auto living = [&](const Hits& hits) {
            Wide count = 0;
            for (size_t target = 0; target < room.size(); ++target) count += hits[target] < room[target];
            return std::max<Wide>(count, 1);
        };
        Wide factor = 1;
        for (const auto& [hits, weight] : layer) {
            const Wide count = living(hits);
            factor = factor / greatest_divisor(factor, count) * count;
        }
        total = product(total, factor);
        Layer next(2 * layer.size(), hash);
        for (const auto& [hits, weight] : layer) {
            const Wide share = weight * (factor / living(hits));
            bool dealt = false;
            Hits one_more = hits;
            for (size_t target = 0; target < room.size(); ++target) {
                if (hits[target] >= room[target]) continue;
                ++one_more[target];
                next[one_more] += share;
                --one_more[target];
                dealt = true;
            }
            if (!dealt) next[hits] += share;
        }
        layer = std::move(next);
    }
    Options options{{}, total};
    for (const auto& [hits, weight] : layer)
        options.list.push_back({{hits.begin(), hits.begin() + std::ssize(room)}, weight});
    return options;
}

Options options_of(const Undecided& choice) {
    if (!choice.room.empty()) return splits(choice.room, choice.times);
    Options options{{}, choice.count};
    for (int option = 0; option < choice.count; ++option) options.list.push_back({{option}, 1});
    return options;
}

static uint64_t hash_of(const State& state, const Account& account) {
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

static bool go_on_alike(const PendingChoice& a, const PendingChoice& b) {
    const Checkpoint &one = a.checkpoint, &other = b.checkpoint;
    return one.passed == other.passed && one.within == other.within && one.memory == other.memory &&
           one.dead == other.dead && one.account == other.account && same_state(one.state, other.state) &&
           std::ranges::equal(std::span(a.script.choices).subspan(one.choices),
                              std::span(b.script.choices).subspan(other.choices));
}

void PendingChoices::add(PendingChoice pending) {
    if (pending.checkpoint.passed) {
        const uint64_t hash = hash_of(pending.checkpoint.state, pending.checkpoint.account);
        const auto [begin, end] = indices_.equal_range(hash);
        for (auto entry = begin; entry != end; ++entry) {
            PendingChoice& known = list_[entry->second];
            if (!go_on_alike(known, pending)) continue;
            known.script.weight += pending.script.weight;
            return;
        }
        indices_.emplace(hash, list_.size());
    }
    list_.push_back(std::move(pending));
}

}  // namespace planner::rules
