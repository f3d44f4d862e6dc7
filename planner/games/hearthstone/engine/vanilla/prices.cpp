#include "vanilla/prices.hpp"

#include <cmath>

namespace planner::vanilla {

// All hits but the last leave the hero alive: if the hits of one attacker are strong enough to kill, one of them must
// be the last, unless he is healed.
static bool may_leave_alive(const VanillaTurn& vanilla, const Endings& endings, int attacker, int hits) {
    return hits * endings.damage(attacker) < endings.full_health() || vanilla.enemy_heals;
}

int64_t in_its_role(const VanillaTurn& vanilla, const Endings& endings, const VanillaPrices& prices,
                    const Scenario& scenario, int attacker, int hits, bool goes_on) {
    const int64_t damage = endings.damage(attacker),
                  needed = prices.of_needed(std::min<int64_t>(damage, endings.full_health()));
    int64_t best = scenario.lethal && !goes_on ? needed - prices.last : NO_HIT;
    if (may_leave_alive(vanilla, endings, attacker, hits)) best = std::max(best, needed - prices.of_allowed(damage));
    return best;
}

void VanillaPrices::clear(int attackers, int lives) {
    for (int number = 0; number < attackers; ++number) {
        attacker[number] = 0;
        std::fill_n(at[number], lives, 0);
        std::fill_n(twice_at[number], lives, 0);
    }
    units = 1;
    unit[0] = 1;
    needed[0] = allowed[0] = last = slot = first_slot = taunt_slot = 0;
}

void VanillaPrices::sum_up(int attackers) {
    for (int part = 0; part < PARTS; ++part) {
        sums[part][0] = 0;
        const int sets = 1 << std::clamp(attackers - 8 * part, 0, 8);
        for (int bits = 1; bits < sets; ++bits)
            sums[part][bits] = sums[part][bits & (bits - 1)] + attacker[8 * part + __builtin_ctz(bits)];
    }
}

// The room that a path leaves to minions which are played to fight taunt minions.
static int taunt_room(const VanillaTurn& vanilla, const Attacker& attacker, const Outcome& outcome, int first,
                      int second) {
    const auto at_taunt = [&](int target) { return target < vanilla.hero_target() && vanilla.lives[target].taunts; };
    return (outcome.dies && at_taunt(second < 0 ? first : second)) - (attacker.card >= 0 && at_taunt(first));
}

// A path of an attacker with two hits, without the prices of attackers. Each hit counts as an action in the tie-break.
static Value path_value(const VanillaTurn& vanilla, const Endings& endings, const VanillaPrices& prices,
                        const Scenario& scenario, const Attacker& attacker, const Outcome& outcome, int first,
                        int second) {
    Value value = outcome.own;
    for (const bool last : {false, true}) {
        const int target = last ? second : first;
        if (target < 0) continue;
        value.tie -= vanilla.by_action;
        if (target < vanilla.hero_target()) {
            const bool both = first == second;
            if (!both) value.score += prices.at[attacker.number][target];
            else if (last) value.score += prices.twice_at[attacker.number][target];
        } else {
            const int hits = 1 + (last && first == target);
            const bool goes_on = !last && second >= 0;
            const int64_t role = in_its_role(vanilla, endings, prices, scenario, attacker.number, hits, goes_on);
            if (role == NO_HIT) return {NO_HIT, 0};
            value.score += endings.face_hit(attacker.number, scenario.lethal) + role;
        }
    }
    if (outcome.dies) value.score += prices.slot + (attacker.card < 0 ? prices.first_slot : 0);
    value.score += prices.of_healing(outcome.heals_enemy);
    if (prices.taunt_slot) value.score += prices.taunt_slot * taunt_room(vanilla, attacker, outcome, first, second);
    if (attacker.card >= 0) value.score -= prices.attacker[attacker.number];
    return value;
}

void PathTops::find(const VanillaTurn& vanilla, const Endings& endings, const VanillaPrices& prices,
                    const Attacker& attacker, const Scenario& scenario) {
    const int targets = vanilla.targets();
    const Value never{INT64_MIN / 4, 0};
    unused = {};
    begun.assign(targets, never);
    done.assign(targets * targets, never);
    const auto raise = [](Value& top, const Value& value) {
        if (value > top) top = value;
    };
    for (int first = 0; first < targets; ++first) {
        if (first == vanilla.hero_target() && !scenario.face) continue;
        if (attacker.once[first].possible) {
            const Value value =
                path_value(vanilla, endings, prices, scenario, attacker, attacker.once[first], first, -1);
            raise(unused, value);
            raise(begun[first], value);
        }
        for (int second = 0; second < targets; ++second) {
            const Outcome& both = vanilla.twice(attacker, first, second);
            if (!both.possible || (second == vanilla.hero_target() && !scenario.face)) continue;
            const Value value = path_value(vanilla, endings, prices, scenario, attacker, both, first, second);
            done[first * targets + second] = value;
            raise(unused, value);
            if (first == second && first < vanilla.hero_target()) continue;  // one option has both hits
            raise(begun[first], value);
            raise(begun[second], value);
        }
    }
}

namespace {

constexpr int MOST_PIVOTS = 2'000, FIRST_COLUMNS = 12, MORE_COLUMNS = 4;
constexpr double RUIN = 1e8;  // the loss of a group that must not be left alone; scores are at most 1e6 here

// A choice of one group, or (group -1) an optional one: how much it uses of each resource.
struct Column {
    double score;
    int group, count = 0;
    Column(double score, int group) : score(score), group(group) {}
    static constexpr int MOST = 3 * MAX_ATTACKERS + 2 * VanillaPrices::MAX_UNITS + 4;
    int thing[MOST];
    float amount[MOST];
    void use(int what, double much) {
        if (what < 0) return;
        for (int index = 0; index < count; ++index)
            if (thing[index] == what) {
                amount[index] += static_cast<float>(much);
                return;
            }
        thing[count] = what;
        amount[count++] = static_cast<float>(much);
    }
};

struct Simplex {
    int groups, height;
    std::vector<double> table;  // the inverse of the basis, the amounts beside it, and the gains below
    double* row(int number) { return table.data() + number * (height + 1); }

    Simplex(int groups, const std::vector<double>& limits)
        : groups(groups), height(groups + static_cast<int>(limits.size())) {
        table.assign((height + 1) * (height + 1), 0);
        for (int number = 0; number <= height; ++number) row(number)[number] = 1;
        // Slightly different limits, so that no two are reached at once and every pivot makes progress.
        for (int number = 0; number < height; ++number)
            row(number)[height] = number < groups ? 1 : limits[number - groups] + 1e-4 * (number - groups + 1);
    }
    void must_choose(int group) { row(height)[group] = RUIN; }
    double gain(int thing) { return thing < 0 ? 0 : row(height)[groups + thing]; }

    double reduced(const Column& column) {
        const double* gains = row(height);
        double left = column.score + (column.group >= 0 ? gains[column.group] : 0);
        for (int index = 0; index < column.count; ++index)
            left += column.amount[index] * gains[groups + column.thing[index]];
        return left;
    }
    // Returns false where nothing limits it, which only rounding can cause.
    bool enter(const Column& column, double left) {
        std::vector<double> moves(height + 1, 0);
        for (int number = 0; number < height; ++number) {
            const double* mine = row(number);
            double move = column.group >= 0 ? mine[column.group] : 0;
            for (int index = 0; index < column.count; ++index)
                move += column.amount[index] * mine[groups + column.thing[index]];
            moves[number] = move;
        }
        moves[height] = left;
        return pivot(moves);
    }
    bool pivot(std::vector<double>& moves) {
        int leaves = -1;
        double lower = 0;
        for (int number = 0; number < height; ++number)
            if (moves[number] > 1e-9) {
                const double lasts = row(number)[height] / moves[number];
                if (leaves < 0 || lasts < lower) leaves = number, lower = lasts;
            }
        if (leaves < 0) return false;
        double* pivot_row = row(leaves);
        const double by = 1 / moves[leaves];
        for (int index = 0; index <= height; ++index) pivot_row[index] *= by;
        for (int number = 0; number <= height; ++number) {
            if (number == leaves || moves[number] == 0) continue;
            double* other = row(number);
            const double times = moves[number];
            for (int index = 0; index <= height; ++index) other[index] -= times * pivot_row[index];
        }
        return true;
    }
};

struct Finder {
    const VanillaTurn& vanilla;
    const Fights& fights;
    const Endings& endings;
    const std::vector<Hand>& hands;
    const Scenario& scenario;
    const bool scarce;
    VanillaPrices& prices;
    double scale = 1;
    std::vector<Column> pool = {};

    // The resources, by the amount that there is of each; -1 in the following fields: it cannot matter here.
    std::vector<double> limits = {};
    int slots = -1, last = -1, first_slot = -1, taunt_slot = -1;
    struct DamageUnit {
        int32_t size;
        int needed, allowed;
    };
    std::vector<DamageUnit> units = {};  // the first has one point
    // A hit on a life by an attacker with two hits, and both hits on it, are resources, which its path provides and an
    // option uses. A last one, which is the same for all lives, is provided by the option and used by the path: no hit
    // is left over.
    struct Meetings {
        int attacker, left_over, once[MAX_LIVES], twice[MAX_LIVES];
    };
    std::vector<Meetings> doubles = {};
    std::vector<int> first_life = {};

    int add_resource(double limit) {
        limits.push_back(limit);
        return static_cast<int>(limits.size()) - 1;
    }
    // Units as large as the hits, if the hits could kill the hero and nothing heals him.
    void list_units() {
        std::vector<int32_t> sizes = {1};
        int64_t reach = 0;
        for (const Attacker& attacker : vanilla.attackers)
            reach += int64_t{endings.damage(attacker.number)} * attacker.hits;
        for (const Attacker& attacker : vanilla.attackers) {
            const int32_t size = endings.damage(attacker.number);
            if (size < 2 || size >= endings.full_health() || sizes.size() == VanillaPrices::MAX_UNITS) continue;
            if (reach < endings.full_health() || vanilla.enemy_heals || std::ranges::count(sizes, size)) continue;
            sizes.push_back(size);
        }
        for (const int32_t size : sizes)
            units.push_back({size, scenario.lethal ? add_resource(0) : -1,
                             scenario.face ? add_resource((endings.full_health() - 1) / size) : -1});
    }
    void use_needed(Column& column, int32_t damage, int sign) const {
        for (const DamageUnit& unit : units) column.use(unit.needed, sign * ((damage + unit.size - 1) / unit.size));
    }
    void list_resources() {
        // Attackers come first, so that their numbers are those of their resources.
        for (const Attacker& attacker : vanilla.attackers) add_resource(attacker.card < 0 ? 1 : 0);
        list_units();
        if (scenario.lethal) last = add_resource(1);
        if (scarce) {
            slots = add_resource(vanilla.free_slots);
            taunt_slot = add_resource(vanilla.free_slots);
            if (vanilla.free_slots == 0) first_slot = add_resource(0);
        }
        for (const Attacker& attacker : vanilla.attackers) {
            if (attacker.hits == 1) continue;
            Meetings& meetings = doubles.emplace_back();
            meetings.attacker = attacker.number;
            meetings.left_over = add_resource(0);
            for (int life = 0; life < vanilla.hero_target(); ++life) {
                meetings.once[life] = add_resource(0);
                meetings.twice[life] = vanilla.twice(attacker, life, life).possible ? add_resource(0) : -1;
            }
        }
    }
    // One hit or two hits of an attacker; `life` or `other` may be none or the enemy hero.
    void use_meetings(Column& column, int attacker, int life, int other, int amount) const {
        const Meetings& meetings = *std::ranges::find(doubles, attacker, &Meetings::attacker);
        const auto use = [&](int target, const int* resources) {
            if (target < 0 || target >= vanilla.hero_target()) return;
            column.use(resources[target], amount);
            column.use(meetings.left_over, -amount);
        };
        use(life, life == other ? meetings.twice : meetings.once);
        if (life != other) use(other, meetings.once);
    }
    Column column(const Option& option, int group) const {
        Column found{option.value.score / scale, group};
        for (uint32_t rest = option.uses; rest; rest &= rest - 1) {
            const int number = __builtin_ctz(rest), first = first_life[group];
            if (!(fights.double_attackers >> number & 1)) {
                found.use(number, 1);
                continue;
            }
            const int life = first + (option.second >> number & 1);
            const int other = option.again >> number & 1 ? first + (option.second_twice >> number & 1) : -1;
            use_meetings(found, number, life, other, 1);
        }
        if (option.deaths) found.use(slots, -option.deaths);
        if (option.board_deaths) found.use(first_slot, -1);
        if (option.taunt_room) found.use(taunt_slot, -option.taunt_room);
        if (option.heals_enemy) found.use(units[0].allowed, -option.heals_enemy);
        return found;
    }
    Column column(const Hand& hand, int group) const {
        Column found{hand.value.score / scale, group};
        for (uint32_t rest = hand.attackers; rest; rest &= rest - 1) found.use(__builtin_ctz(rest), -1);
        if (hand.count) found.use(slots, hand.count);
        if (hand.count) found.use(first_slot, 1);
        return found;
    }
    // A path, once for each role of its last hit on the enemy hero.
    void add_path(const Attacker& attacker, const Outcome& outcome, int group, int first, int second) {
        if (!outcome.possible) return;
        const int hero = vanilla.hero_target(), hits = (first == hero) + (second == hero);
        if (hits && !scenario.face) return;
        Column found{outcome.own.score / scale, group};
        use_meetings(found, attacker.number, first, second, -1);
        if (outcome.dies) found.use(slots, -1);
        if (outcome.dies && attacker.card < 0) found.use(first_slot, -1);
        if (const int room = taunt_room(vanilla, attacker, outcome, first, second)) found.use(taunt_slot, -room);
        if (outcome.heals_enemy) found.use(units[0].allowed, -outcome.heals_enemy);
        if (attacker.card >= 0) found.use(attacker.number, 1);
        if (!hits) {
            pool.push_back(found);
            return;
        }
        found.score += hits * endings.face_hit(attacker.number, scenario.lethal) / scale;
        for (int hit = 1; hit < hits; ++hit)
            if (!add_role(attacker, hit, false, found)) return;
        for (const bool ends : {false, true}) {
            if (ends && second >= 0 && second < hero) continue;
            Column full_health = found;
            if (add_role(attacker, hits, ends, full_health)) pool.push_back(full_health);
        }
    }
    // The first or the second hit on the enemy hero; returns false where it cannot have this role.
    bool add_role(const Attacker& attacker, int hits, bool ends, Column& column) const {
        if (ends ? !scenario.lethal : !may_leave_alive(vanilla, endings, attacker.number, hits)) return false;
        const int32_t damage = endings.damage(attacker.number);
        use_needed(column, std::min(damage, endings.full_health()), -1);
        if (ends) column.use(last, 1);
        for (const DamageUnit& unit : units)
            if (!ends && damage >= unit.size) column.use(unit.allowed, damage / unit.size);
        return true;
    }

    void read_scale() {
        int64_t upper = 1;
        for (const auto& group : scenario.groups)
            for (const Option* option : group) upper = std::max(upper, std::abs(option->value.score));
        for (const Hand& hand : hands) upper = std::max(upper, std::abs(hand.value.score));
        for (const Attacker& attacker : vanilla.attackers)
            upper = std::max(upper, endings.max_by_face(attacker.number, scenario.lethal));
        scale = upper / 1e6;
    }

    template <class Price>
    void set_attacker_prices(VanillaPrices& to, Price price) const {
        for (const Attacker& attacker : vanilla.attackers) to.attacker[attacker.number] = price(attacker.number);
        for (const Meetings& meetings : doubles)
            for (int life = 0; life < vanilla.hero_target(); ++life) {
                const int64_t left_over = price(meetings.left_over);
                to.at[meetings.attacker][life] = price(meetings.once[life]) - left_over;
                to.twice_at[meetings.attacker][life] = price(meetings.twice[life]) - left_over;
            }
    }

    // Adds the most promising columns of each group at the current prices; returns false where none gains.
    bool look(Simplex& simplex, int each, bool first) {
        VanillaPrices now;
        now.clear(static_cast<int>(vanilla.attackers.size()), vanilla.hero_target());
        const auto price = [&](int thing) { return std::llround(-simplex.gain(thing) * 1024); };
        set_attacker_prices(now, price);
        now.sum_up(static_cast<int>(vanilla.attackers.size()));
        const double index = simplex.gain(slots), allowance = simplex.gain(units[0].allowed),
                     first_of_all = simplex.gain(first_slot), at_taunts = simplex.gain(taunt_slot);
        bool any = false;
        for (size_t group = 0; group < scenario.groups.size(); ++group) {
            const double base = first ? 0 : simplex.row(simplex.height)[group];
            std::vector<std::pair<double, const Option*>> best;
            double lower = first ? -1e18 : 0.5;
            for (const Option* option : scenario.groups[group]) {
                const uint32_t twice = option->uses & fights.double_attackers;
                const int64_t paid =
                    now.of(option->uses & ~twice) + (twice ? now.doubles(*option, twice, first_life[group]) : 0);
                const double left = option->value.score / scale + base - paid / 1024.0 - index * option->deaths -
                                    (option->board_deaths ? first_of_all : 0) - at_taunts * option->taunt_room -
                                    allowance * option->heals_enemy;
                if (left <= lower) continue;
                best.emplace_back(left, option);
                if (static_cast<int>(best.size()) >= 4 * each) lower = cut(best, each, lower);
            }
            cut(best, each, lower);
            for (const auto& [left, option] : best)
                pool.push_back(column(*option, static_cast<int>(group))), any = true;
        }
        return any;
    }
    static double cut(std::vector<std::pair<double, const Option*>>& best, int each, double lower) {
        if (static_cast<int>(best.size()) <= each) return lower;
        std::nth_element(best.begin(), best.begin() + each - 1, best.end(),
                         [](const auto& a, const auto& b) { return a.first > b.first; });
        best.resize(each);
        return best[each - 1].first;
    }

    void find() {
        for (int life = 0; life < vanilla.hero_target(); ++life)
            if (!vanilla.lives[life].second) first_life.push_back(life);
        list_resources();
        read_scale();
        const int groups = static_cast<int>(scenario.groups.size());
        Simplex simplex(groups + 1 + static_cast<int>(doubles.size()) + scenario.lethal, limits);
        for (const Hand& hand : hands) pool.push_back(column(hand, groups));
        for (const Attacker& attacker : vanilla.attackers) {
            if (attacker.hits > 1 || !scenario.face || !endings.damage(attacker.number)) continue;
            for (const bool ends : {false, true}) {
                Column face{endings.max_by_face(attacker.number, scenario.lethal) / scale, -1};
                face.use(attacker.number, 1);
                if (add_role(attacker, 1, ends, face)) pool.push_back(face);
            }
        }
        for (size_t index = 0; index < doubles.size(); ++index) {
            const Attacker& attacker = vanilla.attackers[doubles[index].attacker];
            const int group = groups + 1 + static_cast<int>(index);
            pool.push_back(Column{0, group});
            for (int first = 0; first < vanilla.targets(); ++first) {
                add_path(attacker, attacker.once[first], group, first, -1);
                for (int second = 0; second < vanilla.targets(); ++second)
                    add_path(attacker, vanilla.twice(attacker, first, second), group, first, second);
            }
        }
        for (size_t thing = 0; thing < limits.size(); ++thing) {  // the slack
            pool.emplace_back(0, -1);
            pool.back().use(static_cast<int>(thing), 1);
        }
        if (scenario.lethal) {
            Column killed{0, simplex.groups - 1};
            use_needed(killed, endings.full_health(), 1);
            pool.push_back(killed);
        }
        // Leaving a minion alone, playing nothing and not attacking earn nothing and need no column.
        for (int group = 0; group < groups; ++group)
            if (scenario.groups[group].front()->uses) simplex.must_choose(group);
        if (scenario.lethal) simplex.must_choose(simplex.groups - 1);
        look(simplex, FIRST_COLUMNS, true);
        bool looked = false;
        for (int pivots = 0; pivots < MOST_PIVOTS; ++pivots) {
            const Column* best = nullptr;
            double upper = 0.5;
            for (const Column& column : pool) {
                const double left = simplex.reduced(column);
                if (left > upper) upper = left, best = &column;
            }
            if (best ? !simplex.enter(*best, upper) : looked || !look(simplex, MORE_COLUMNS, false)) break;
            looked = !best;
        }
        const auto price = [&](int thing) {
            return static_cast<int64_t>(std::llround(std::min(RUIN, std::max(0.0, -simplex.gain(thing))) * scale));
        };
        set_attacker_prices(prices, price);
        prices.slot = price(slots);
        prices.first_slot = price(first_slot);
        prices.taunt_slot = price(taunt_slot);
        prices.units = static_cast<int>(units.size());
        for (int index = 0; index < prices.units; ++index) {
            prices.unit[index] = units[index].size;
            prices.needed[index] = price(units[index].needed);
            prices.allowed[index] = price(units[index].allowed);
        }
        prices.last = price(last);
    }
};

}  // namespace

void find_prices(const VanillaTurn& vanilla, const Fights& fights, const Endings& endings,
                 const std::vector<Hand>& hands, const Scenario& scenario, bool scarce, VanillaPrices& prices) {
    prices.clear(static_cast<int>(vanilla.attackers.size()), vanilla.hero_target());
    Finder finder{vanilla, fights, endings, hands, scenario, scarce, prices};
    finder.find();
    prices.sum_up(static_cast<int>(vanilla.attackers.size()));
}

}  // namespace planner::vanilla
