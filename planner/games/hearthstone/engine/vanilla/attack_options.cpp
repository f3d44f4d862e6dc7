#include "vanilla/attack_options.hpp"

#include <unordered_map>

namespace planner::vanilla {

namespace {

// One blow that may fall on a life.
struct Item {
    int fighter;
    bool copy;     // the second blow of the same attacker
    int32_t harm;  // where no shield stops it
    Value value;   // of the blow and for the attacker, without what it does to the target
    bool dies;
    int32_t heals, heals_enemy;
    bool freezes;
    bool gains, gains_killing;  // is it worth striking for its own sake, where the target lives, and where it dies?
};

// Blows on one life, and what is left of it.
struct Part {
    Value value;
    uint32_t uses = 0, again = 0;
    int16_t deaths = 0, board_deaths = 0, heals = 0, heals_enemy = 0;
    bool dead = false;
};

struct Lister {
    const Bodies& bodies;
    const Turn& turn;
    const bool prune;
    Fights& fights;
    std::vector<Item> items;
    std::vector<Part>* parts = nullptr;
    const Life* life = nullptr;
    int64_t untouched = 0;
    bool too_many = false;

    Lister(const Bodies& bodies, bool prune, Fights& fights)
        : bodies(bodies), turn(bodies.turn), prune(prune), fights(fights) {}

    bool second_blow(const Fighter& fighter, int target) const {
        for (int first = 0; first < bodies.targets(); ++first)
            if (bodies.twice(fighter, first, target).possible) return true;
        return false;
    }

    void read_items(int target) {
        const Weights& w = turn.weights;
        const Minion& other = life->minion;
        items.clear();
        for (const Fighter& fighter : bodies.fighters) {
            const Outcome& once = fighter.once[target];
            const bool twice = fighter.blows > 1;
            if (!once.possible && !(twice && second_blow(fighter, target))) continue;
            Item item{};
            item.fighter = fighter.number;
            item.harm = fighter.keywords & POISONOUS ? other.health : std::min(fighter.attack, other.health);
            item.value = {w.minion_damage * fighter.attack + w.damage_taken * other.attack, -bodies.by_action};
            if (!twice) {
                item.value += once.own;
                item.dies = once.dies;
                if (bodies.enemy_heals) item.heals_enemy = once.heals_enemy;
            }
            if (fighter.keywords & LIFESTEAL && bodies.own_coupled) item.heals = fighter.attack;
            item.freezes = fighter.keywords & FREEZE;
            const int64_t wound = -w.enemy_remaining_health * std::min(fighter.attack, other.health);
            const bool matters = twice || (item.dies && bodies.scarce) || item.heals || item.heals_enemy;
            item.gains = matters || item.freezes || Value{item.value.worth + wound, item.value.tie} > Value{};
            item.gains_killing = matters || w.overkill > 0 || item.value > Value{};
            items.push_back(item);
            if (twice && bodies.twice(fighter, target, target).possible) item.copy = true, items.push_back(item);
        }
        std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) {
            return a.harm != b.harm ? a.harm < b.harm : a.fighter != b.fighter ? a.fighter < b.fighter : a.copy < b.copy;
        });
    }
    void emit(Part part) {
        if (parts->size() >= MOST_OPTIONS) too_many = true;
        else parts->push_back(part);
    }

    Part with(const Part& part, const Item& item, bool stopped) const {
        Part grown = part;
        const uint32_t bit = 1u << item.fighter;
        grown.value += item.value;
        if (part.uses & bit) grown.again |= bit;
        grown.uses |= bit;
        grown.deaths += item.dies;
        grown.board_deaths += item.dies && bodies.fighters[item.fighter].card < 0;
        grown.heals_enemy += item.heals_enemy;
        if (item.heals && !stopped) {
            grown.heals += item.heals;
            grown.value.worth += std::max<int64_t>(0, turn.weights.own_health) * item.heals;
        }
        return grown;
    }

    int64_t left(int32_t harm, bool frozen, bool unshielded) const {
        Minion after = life->minion;
        after.health -= harm;
        if (frozen) after.keywords |= FROZEN;
        if (unshielded) after.keywords &= ~DIVINE_SHIELD;
        return enemy_minion_score(turn, after);
    }

    // All sets of items from `next` on, the strongest last: then all but the last leave it alive if they can in any order.
    // `spare`: the least harm by one who gains nothing by it, so should be needed.
    void grow(const Part& part, size_t next, int32_t harm, int32_t dealt, bool frozen, bool broken, bool idle, int32_t spare) {
        if (too_many) return;
        if (!idle || !prune) {
            Part alive = part;
            alive.value.worth += left(std::min(harm, dealt), frozen, broken) - untouched;
            emit(alive);
        }
        const int32_t health = life->minion.health;
        for (size_t place = next; place < items.size(); ++place) {
            const Item& item = items[place];
            const uint32_t bit = 1u << item.fighter;
            if (item.copy ? !(part.uses & bit) || part.again & bit : (part.uses & bit) != 0) continue;
            const int32_t attack = bodies.fighters[item.fighter].attack;
            if (harm + item.harm >= health) {
                if (prune && harm + item.harm - spare >= health) continue;
                Part killed = with(part, item, false);
                killed.dead = true;
                killed.value.worth += turn.weights.overkill * std::max(0, dealt + attack - health) - untouched;
                emit(killed);
            } else {
                grow(with(part, item, false), place + 1, harm + item.harm, dealt + attack, frozen || item.freezes, broken,
                     idle || !item.gains, item.gains_killing ? spare : std::min(spare, item.harm));
            }
        }
    }

    void list_parts(int target, std::vector<Part>& found) {
        life = &bodies.lives[target];
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
            // What is left for the others: of an attacker with two blows the second.
            items.clear();
            for (const Item& item : all)
                if (item.fighter != breaker.fighter || item.copy) items.push_back(item);
            grow(with(Part{}, breaker, true), 0, 0, 0, false, true, false, INT32_MAX);
        }
        items = all;
    }

    // Of the parts that use and lead to the same, the best.
    void keep_best(std::vector<Part>& found) const {
        struct Key {
            uint64_t who, what;
            bool operator==(const Key& other) const { return who == other.who && what == other.what; }
        };
        struct Hash {
            size_t operator()(const Key& key) const { return (key.who * 0x9E3779B97F4A7C15u) ^ (key.what * 0xC2B2AE3D27D4EB4Fu); }
        };
        std::unordered_map<Key, size_t, Hash> known;
        known.reserve(found.size());
        size_t count = 0;
        for (size_t place = 0; place < found.size(); ++place) {
            const Part part = found[place];
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
        const Life& first = bodies.lives[target];
        const bool returns = target + 1 < bodies.lives.size() && bodies.lives[target + 1].second;
        std::vector<Part> parts_of_first, parts_of_second;
        list_parts(static_cast<int>(target), parts_of_first);
        if (first.shielded() && prune) keep_best(parts_of_first);
        if (returns) {
            list_parts(static_cast<int>(target) + 1, parts_of_second);
            if (bodies.lives[target + 1].shielded() && prune) keep_best(parts_of_second);
        }
        for (const Part& part : parts_of_first) {
            if (part.dead && returns) {
                for (const Part& then : parts_of_second) join(target, part, then, options);
                continue;
            }
            Option option;
            copy(part, option);
            option.dead = part.dead;
            option.past_guards = part.dead || !first.guards;
            option.on_guards = first.guards || !part.uses;
            options.push_back(option);
        }
        if (options.size() > MOST_OPTIONS) too_many = true;
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
        const uint32_t both = part.uses & then.uses, doubles = fights.double_blows;
        if (both & ~doubles || both & (part.again | then.again)) return;
        for (uint32_t rest = both; rest; rest &= rest - 1) {
            const Fighter& fighter = bodies.fighters[__builtin_ctz(rest)];
            if (!bodies.twice(fighter, static_cast<int>(target), static_cast<int>(target) + 1).possible) return;
        }
        if (options.size() > MOST_OPTIONS) {
            too_many = true;
            return;
        }
        const Life &first = bodies.lives[target], &second = bodies.lives[target + 1];
        Option option;
        copy(part, option);
        option.value += then.value;
        option.value.worth += enemy_minion_score(turn, second.minion);
        option.uses |= then.uses;
        option.again |= then.again | both;
        option.second = then.uses;
        option.second_twice = then.again;
        option.deaths += then.deaths;
        option.board_deaths += then.board_deaths;
        option.heals += then.heals;
        option.heals_enemy += then.heals_enemy;
        option.dead = then.dead;
        option.past_guards = then.dead || !second.guards;
        option.on_guards = first.guards && (second.guards || !then.uses);
        options.push_back(option);
    }
};

}  // namespace

bool list_options(const Bodies& bodies, bool prune, Fights& fights) {
    Lister lister(bodies, prune, fights);
    for (const Fighter& fighter : bodies.fighters)
        if (fighter.blows > 1) fights.double_blows |= 1u << fighter.number;
    for (size_t target = 0; target < bodies.lives.size(); ++target) {
        if (bodies.lives[target].second) continue;
        fights.targets.emplace_back();
        lister.list_target(target, fights.targets.back());
        if (lister.too_many) return false;
    }
    return true;
}

}  // namespace planner::vanilla
