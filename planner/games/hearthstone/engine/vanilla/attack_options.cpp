#include "vanilla/attack_options.hpp"

#include <unordered_map>

namespace planner::vanilla {

namespace {

// One hit that a life may take.
struct Item {
    int attacker;
    bool copy;       // the second hit of the same attacker
    int32_t damage;  // where no shield absorbs it
    Value value;     // of the hit and for the attacker, without its effect on the target
    bool dies;
    int32_t heals, heals_enemy;
    bool freezes;
    bool gains, gains_killing;  // the hit pays off by itself, where the target lives and where it dies
};

// A set of hits on one life, and its result.
struct Part {
    Value value;
    uint32_t uses = 0, again = 0;
    int16_t deaths = 0, board_deaths = 0, heals = 0, heals_enemy = 0;
    bool dead = false;
};

struct Lister {
    const VanillaTurn& vanilla;
    const Turn& turn;
    const bool prune;
    Fights& fights;
    std::vector<Item> items;
    std::vector<Part>* parts = nullptr;
    const Life* life = nullptr;
    int64_t untouched = 0;
    bool too_many = false;
    uint32_t from_hand = 0;  // attackers

    Lister(const VanillaTurn& vanilla, bool prune, Fights& fights)
        : vanilla(vanilla), turn(vanilla.turn), prune(prune), fights(fights) {
        for (const Attacker& attacker : vanilla.attackers)
            if (attacker.card >= 0 && attacker.hits == 1) from_hand |= 1u << attacker.number;
    }

    bool second_hit(const Attacker& attacker, int target) const {
        for (int first = 0; first < vanilla.targets(); ++first)
            if (vanilla.twice(attacker, first, target).possible) return true;
        return false;
    }

    void read_items(int target) {
        const Weights& w = turn.weights;
        const Minion& other = life->minion;
        items.clear();
        for (const Attacker& attacker : vanilla.attackers) {
            const Outcome& once = attacker.once[target];
            const bool twice = attacker.hits > 1;
            if (!once.possible && !(twice && second_hit(attacker, target))) continue;
            Item item{};
            item.attacker = attacker.number;
            item.damage = attacker.keywords & POISONOUS ? other.health : std::min(attacker.attack, other.health);
            item.value = {w.minion_damage * attacker.attack + w.damage_taken * other.attack, -vanilla.by_action};
            if (!twice) {
                item.value += once.own;
                item.dies = once.dies;
                if (vanilla.enemy_heals) item.heals_enemy = once.heals_enemy;
            }
            if (attacker.keywords & LIFESTEAL && vanilla.own_coupled) item.heals = attacker.attack;
            item.freezes = attacker.keywords & FREEZE;
            const int64_t damage = -w.enemy_remaining_health * std::min(attacker.attack, other.health);
            // What a hit of our hero costs depends on how much of the damage is healed for free.
            const bool coupled = attacker.is_hero && vanilla.own_coupled;
            const bool matters = twice || coupled || (item.dies && vanilla.scarce) || item.heals || item.heals_enemy;
            item.gains = matters || item.freezes || Value{item.value.score + damage, item.value.tie} > Value{};
            item.gains_killing = matters || w.overkill > 0 || item.value > Value{};
            items.push_back(item);
            if (twice && vanilla.twice(attacker, target, target).possible) item.copy = true, items.push_back(item);
        }
        std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) {
            return a.damage != b.damage       ? a.damage < b.damage
                   : a.attacker != b.attacker ? a.attacker < b.attacker
                                              : a.copy < b.copy;
        });
    }
    void emit(Part part) {
        if (parts->size() >= MAX_OPTIONS) too_many = true;
        else parts->push_back(part);
    }

    Part with(const Part& part, const Item& item, bool stopped) const {
        Part grown = part;
        const uint32_t bit = 1u << item.attacker;
        grown.value += item.value;
        if (part.uses & bit) grown.again |= bit;
        grown.uses |= bit;
        grown.deaths += item.dies;
        grown.board_deaths += item.dies && vanilla.attackers[item.attacker].card < 0;
        grown.heals_enemy += item.heals_enemy;
        if (item.heals && !stopped) {
            grown.heals += item.heals;
            grown.value.score += std::max<int64_t>(0, turn.weights.own_health) * item.heals;
        }
        return grown;
    }

    int64_t left(int32_t damage, bool frozen, bool unshielded) const {
        Minion after = life->minion;
        after.health -= damage;
        if (frozen) after.keywords |= FROZEN;
        if (unshielded) after.keywords &= ~DIVINE_SHIELD;
        return enemy_minion_score(turn, after);
    }

    // Lists all sets of items from `next` on, the strongest last: then all but the last leave the target alive if they
    // can in any order. `spare` is the smallest damage of a hit that does not pay off by itself, so must be needed.
    void grow(const Part& part, size_t next, int32_t damage, int32_t dealt, bool frozen, bool broken, bool unused,
              int32_t spare) {
        if (too_many) return;
        if (!unused || !prune) {
            Part alive = part;
            alive.value.score += left(std::min(damage, dealt), frozen, broken) - untouched;
            emit(alive);
        }
        const int32_t health = life->minion.health;
        for (size_t index = next; index < items.size(); ++index) {
            const Item& item = items[index];
            const uint32_t bit = 1u << item.attacker;
            if (item.copy ? !(part.uses & bit) || part.again & bit : (part.uses & bit) != 0) continue;
            const int32_t attack = vanilla.attackers[item.attacker].attack;
            if (damage + item.damage >= health) {
                if (prune && damage + item.damage - spare >= health) continue;
                Part killed = with(part, item, false);
                killed.dead = true;
                killed.value.score += turn.weights.overkill * std::max(0, dealt + attack - health) - untouched;
                emit(killed);
            } else {
                grow(with(part, item, false), index + 1, damage + item.damage, dealt + attack, frozen || item.freezes,
                     broken, unused || !item.gains, item.gains_killing ? spare : std::min(spare, item.damage));
            }
        }
    }

    void list_parts(int target, std::vector<Part>& found) {
        life = &vanilla.lives[target];
        parts = &found;
        untouched = enemy_minion_score(turn, life->minion);
        read_items(target);
        if (!life->shielded()) {
            grow(Part{}, 0, 0, 0, false, false, false, INT32_MAX);
            return;
        }
        found.push_back(Part{});
        const std::vector<Item> all = items;
        for (const Item& breaker : all) {
            if (breaker.copy) continue;
            // The remaining hits: of an attacker with two hits only the second.
            items.clear();
            for (const Item& item : all)
                if (item.attacker != breaker.attacker || item.copy) items.push_back(item);
            grow(with(Part{}, breaker, true), 0, 0, 0, false, true, false, INT32_MAX);
        }
        items = all;
    }

    // Keeps the best of the parts with the same attackers and the same result.
    void keep_best(std::vector<Part>& found) const {
        struct Key {
            uint64_t who, what;
            bool operator==(const Key& other) const { return who == other.who && what == other.what; }
        };
        struct Hash {
            size_t operator()(const Key& key) const {
                return (key.who * 0x9E3779B97F4A7C15u) ^ (key.what * 0xC2B2AE3D27D4EB4Fu);
            }
        };
        std::unordered_map<Key, size_t, Hash> known;
        known.reserve(found.size());
        size_t count = 0;
        for (size_t index = 0; index < found.size(); ++index) {
            const Part part = found[index];
            const Key key{uint64_t(part.uses) << 32 | part.again,
                          uint64_t(uint16_t(part.deaths)) << 48 | uint64_t(uint16_t(part.heals)) << 32 |
                              uint64_t(uint16_t(part.heals_enemy)) << 16 | part.dead};
            const auto [where, fresh] = known.emplace(key, count);
            if (fresh) found[count++] = part;
            else if (part.value > found[where->second].value) found[where->second] = part;
        }
        found.resize(count);
    }

    void list_target(size_t target, std::vector<Option>& options) {
        const Life& first = vanilla.lives[target];
        const bool returns = target + 1 < vanilla.lives.size() && vanilla.lives[target + 1].second;
        std::vector<Part> parts_of_first, parts_of_second;
        list_parts(static_cast<int>(target), parts_of_first);
        if (first.shielded() && prune) keep_best(parts_of_first);
        if (returns) {
            list_parts(static_cast<int>(target) + 1, parts_of_second);
            if (vanilla.lives[target + 1].shielded() && prune) keep_best(parts_of_second);
        }
        options.reserve(parts_of_first.size());
        for (const Part& part : parts_of_first) {
            if (part.dead && returns) {
                for (const Part& then : parts_of_second) join(target, part, then, options);
                continue;
            }
            Option option;
            copy(part, option);
            option.dead = part.dead;
            option.past_taunts = part.dead || !first.taunts;
            option.on_taunts = first.taunts || !part.uses;
            options.push_back(option);
        }
        if (options.size() > MAX_OPTIONS) too_many = true;
        if (!first.taunts) return;
        for (Option& option : options) {
            const int coming = __builtin_popcount(option.uses & ~option.second & from_hand);
            option.taunt_room = static_cast<int16_t>(option.deaths - coming);
        }
    }
    static void copy(const Part& part, Option& option) {
        option.value = part.value;
        option.uses = part.uses;
        option.again = part.again;
        option.deaths = part.deaths;
        option.board_deaths = part.board_deaths;
        option.heals = part.heals;
        option.heals_enemy = part.heals_enemy;
    }
    void join(size_t target, const Part& part, const Part& then, std::vector<Option>& options) {
        const uint32_t both = part.uses & then.uses, doubles = fights.double_attackers;
        if (both & ~doubles || both & (part.again | then.again)) return;
        for (uint32_t rest = both; rest; rest &= rest - 1) {
            const Attacker& attacker = vanilla.attackers[__builtin_ctz(rest)];
            if (!vanilla.twice(attacker, static_cast<int>(target), static_cast<int>(target) + 1).possible) return;
        }
        if (options.size() > MAX_OPTIONS) {
            too_many = true;
            return;
        }
        const Life &first = vanilla.lives[target], &second = vanilla.lives[target + 1];
        Option option;
        copy(part, option);
        option.value += then.value;
        option.value.score += enemy_minion_score(turn, second.minion);
        option.uses |= then.uses;
        option.again |= then.again | both;
        option.second = then.uses;
        option.second_twice = then.again;
        option.deaths += then.deaths;
        option.board_deaths += then.board_deaths;
        option.heals += then.heals;
        option.heals_enemy += then.heals_enemy;
        option.dead = then.dead;
        option.past_taunts = then.dead || !second.taunts;
        option.on_taunts = first.taunts && (second.taunts || !then.uses);
        options.push_back(option);
    }
};

}  // namespace

bool list_options(const VanillaTurn& vanilla, bool prune, Fights& fights) {
    Lister lister(vanilla, prune, fights);
    for (const Attacker& attacker : vanilla.attackers)
        if (attacker.hits > 1) fights.double_attackers |= 1u << attacker.number;
    for (size_t target = 0; target < vanilla.lives.size(); ++target) {
        if (vanilla.lives[target].second) continue;
        fights.targets.emplace_back();
        lister.list_target(target, fights.targets.back());
        if (lister.too_many) return false;
    }
    return true;
}

}  // namespace planner::vanilla
