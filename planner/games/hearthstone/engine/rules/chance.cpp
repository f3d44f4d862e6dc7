#include "rules/chance.hpp"

#include <algorithm>
#include <bit>
#include <map>

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

// How often each target was hit, as one number: each target has its own bits.
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
    struct Target {
        int first_bit;
        Hits mask, room;
        Hits hits(Hits all) const { return all >> first_bit & mask; }
    };
    std::vector<Target> targets;
    int bits = 0;
    for (const int most : room) {
        const int width = std::bit_width(static_cast<unsigned>(std::min(most, points)));
        targets.push_back({bits, (Hits{1} << width) - 1, static_cast<Hits>(most)});
        bits += width;
        if (bits >= 128) return {};
    }
    // By split, what one more point can become: a hit on a target that is still alive, or nothing if there is none.
    const auto next_hits = [&](Hits hits, std::vector<Hits>& ways) {
        ways.clear();
        for (const Target& target : targets)
            if (target.hits(hits) < target.room) ways.push_back(hits + (Hits{1} << target.first_bit));
        if (ways.empty()) ways.push_back(hits);
        return static_cast<Wide>(ways.size());
    };
    std::vector<Hits> ways;
    Weights layer(1);
    layer.add(0, 1);
    Wide total = 1;
    for (int point = 0; point < points; ++point) {
        Wide factor = 1;
        for (const auto& [hits, weight] : layer.entries()) {
            if (!weight) continue;
            const Wide count = next_hits(hits, ways);
            factor = factor / greatest_divisor(factor, count) * count;
        }
        total = product(total, factor);
        Weights next(2 * layer.size());
        for (const auto& [hits, weight] : layer.entries()) {
            if (!weight) continue;
            const Wide share = weight * (factor / next_hits(hits, ways));
            for (const Hits more : ways) next.add(more, share);
        }
        layer = std::move(next);
    }
    Options options{{}, total};
    options.list.reserve(layer.size());
    for (const auto& [hits, weight] : layer.entries()) {
        if (!weight) continue;
        Script& script = options.list.emplace_back(Script{{}, weight});
        for (const Target& target : targets) script.choices.push_back(static_cast<int>(target.hits(hits)));
    }
    return options;
}

// Keeps the splits that were listed last: a turn deals the same damage to the same minions in many states.
static std::shared_ptr<const Options> known_splits(const std::vector<int>& room, int points, size_t limit) {
    constexpr size_t MOST_SCRIPTS = 100'000;  // about 10 MB
    thread_local size_t scripts = 0;
    thread_local std::map<std::pair<std::vector<int>, int>, std::shared_ptr<const Options>> known;
    const std::pair key(room, points);
    if (const auto found = known.find(key); found != known.end())
        return found->second->list.size() > limit ? std::make_shared<Options>() : found->second;
    auto options = std::make_shared<Options>(splits(room, points, limit));
    if (options->list.empty()) return options;
    scripts += options->list.size();
    if (scripts > MOST_SCRIPTS) {
        known.clear();
        scripts = options->list.size();
    }
    return known.emplace(key, std::move(options)).first->second;
}

std::shared_ptr<const Options> options_of(const Undecided& choice, size_t limit) {
    if (!choice.room.empty()) return known_splits(choice.room, choice.times, limit);
    auto options = std::make_shared<Options>();
    options->total = choice.count;
    for (int option = 0; option < choice.count; ++option) options->list.push_back({{option}, 1});
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
