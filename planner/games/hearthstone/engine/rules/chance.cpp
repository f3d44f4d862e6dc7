#include "rules/chance.hpp"

#include <algorithm>
#include <bit>

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

// Whether there are too many ways to split this many points among targets with this much room: more than `limit`, or
// on the way, with fewer points, more than MAX_RUNS.
static bool too_many_splits(const std::vector<int>& room, int points, size_t limit) {
    std::vector<size_t> ways(points + 1);  // of splitting so many points among the targets so far
    ways[0] = 1;
    int most_points = 0;
    for (const int most : room) {
        const std::vector<size_t> before = ways;
        for (int sum = 1; sum <= points; ++sum) {
            ways[sum] = ways[sum - 1] + before[sum] - (sum > most ? before[sum - most - 1] : 0);
            if (ways[sum] > MAX_RUNS) return true;
        }
        most_points = std::min(points, most_points + most);
    }
    return ways[most_points] > limit;
}

namespace {

// How often each target was hit, as one number: the digits of the targets have different bases.
using Hits = unsigned __int128;

// The weight of each split so far: a hash table with open addressing.
class Weights {
  public:
    struct Entry {
        Hits hits;
        Wide weight = 0;  // 0: unused
    };
    explicit Weights(size_t expected) : entries_(std::bit_ceil(2 * expected + 2)) {}
    void add(Hits hits, Wide weight) {
        if (2 * ++count_ > entries_.size()) grow();
        Entry& entry = slot(hits);
        if (entry.weight) --count_;
        entry.hits = hits;
        entry.weight += weight;
    }
    size_t size() const { return count_; }
    const std::vector<Entry>& entries() const { return entries_; }

  private:
    Entry& slot(Hits hits) {
        const uint64_t mixed =
            (static_cast<uint64_t>(hits) ^ static_cast<uint64_t>(hits >> 64)) * 0xff51afd7ed558ccdull;
        size_t index = mixed >> 32;
        while (entries_[index & (entries_.size() - 1)].weight && entries_[index & (entries_.size() - 1)].hits != hits)
            ++index;
        return entries_[index & (entries_.size() - 1)];
    }
    void grow() {
        std::vector<Entry> old(2 * entries_.size());
        old.swap(entries_);
        for (const Entry& entry : old)
            if (entry.weight) slot(entry.hits) = entry;
    }

    std::vector<Entry> entries_;
    size_t count_ = 0;
};

}  // namespace

// Deals the points one by one. After each, only the number of hits on each target matters.
static Options splits(const std::vector<int>& room, int points, size_t limit) {
    if (too_many_splits(room, points, limit)) return {};
    std::vector<Hits> units;  // by target
    Hits bases = 1;
    for (const int most : room) {
        units.push_back(bases);
        if (__builtin_mul_overflow(bases, static_cast<Hits>(std::min(most, points) + 1), &bases)) return {};
    }
    const auto hits_on = [&](Hits hits, size_t target) {
        return static_cast<int>(hits / units[target] % static_cast<Hits>(std::min(room[target], points) + 1));
    };
    // By split, the targets that can still be hit.
    const auto living = [&](Hits hits, std::vector<size_t>& targets) {
        targets.clear();
        for (size_t target = 0; target < room.size(); ++target)
            if (hits_on(hits, target) < room[target]) targets.push_back(target);
        return static_cast<Wide>(std::max<size_t>(targets.size(), 1));
    };
    std::vector<size_t> targets;
    Weights layer(1);
    layer.add(0, 1);
    Wide total = 1;
    for (int point = 0; point < points; ++point) {
        Wide factor = 1;
        for (const auto& [hits, weight] : layer.entries()) {
            if (!weight) continue;
            const Wide count = living(hits, targets);
            factor = factor / greatest_divisor(factor, count) * count;
        }
        total = product(total, factor);
        Weights next(2 * layer.size());
        for (const auto& [hits, weight] : layer.entries()) {
            if (!weight) continue;
            const Wide share = weight * (factor / living(hits, targets));
            for (const size_t target : targets) next.add(hits + units[target], share);
            if (targets.empty()) next.add(hits, share);
        }
        layer = std::move(next);
    }
    Options options{{}, total};
    options.list.reserve(layer.size());
    for (const auto& [hits, weight] : layer.entries()) {
        if (!weight) continue;
        Script& script = options.list.emplace_back(Script{{}, weight});
        for (size_t target = 0; target < room.size(); ++target) script.choices.push_back(hits_on(hits, target));
    }
    return options;
}

Options options_of(const Undecided& choice, size_t limit) {
    if (!choice.room.empty()) return splits(choice.room, choice.times, limit);
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
