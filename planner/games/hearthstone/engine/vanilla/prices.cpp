#include "vanilla/prices.hpp"

#include <cmath>

namespace planner::vanilla {

// All blows but the last leave him alive: one that is strong enough to kill can be no other, unless he is healed.
static bool may_leave_alive(const Bodies& bodies, const Endings& endings, int fighter) {
    return endings.harm(fighter) < endings.whole() || bodies.enemy_heals;
}

int64_t in_its_role(const Bodies& bodies, const Endings& endings, const VanillaPrices& prices, const Way& way, int fighter,
                    bool goes_on) {
    const int64_t harm = endings.harm(fighter), needed = prices.needed * std::min<int64_t>(harm, endings.whole());
    int64_t best = way.lethal && !goes_on ? needed - prices.last : NO_BLOW;
    if (may_leave_alive(bodies, endings, fighter)) best = std::max(best, needed - prices.action_allowed * harm);
    return best;
}

void VanillaPrices::sum_up() {
    for (int part = 0; part < 4; ++part) {
        sums[part][0] = 0;
        for (int bits = 1; bits < 256; ++bits) {
            const int low = __builtin_ctz(bits), number = 8 * part + low;
            sums[part][bits] = sums[part][bits & (bits - 1)] + (number < MOST_FIGHTERS ? attacker[number] : 0);
        }
    }
}

// A path of a fighter with two blows, as far as it does not depend on prices for attackers.
static Value path_value(const Bodies& bodies, const Endings& endings, const VanillaPrices& prices, const Way& way,
                        const Fighter& fighter, const Outcome& outcome, int first, int second) {
    Value value = outcome.own;
    for (const bool last : {false, true}) {
        const int target = last ? second : first;
        if (target < 0) continue;
        if (target < bodies.hero_target()) {
            value.worth += prices.at[fighter.number][target];
        } else {
            const int64_t role = in_its_role(bodies, endings, prices, way, fighter.number, !last && second >= 0);
            if (role == NO_BLOW) return {NO_BLOW, 0};
            value.worth += endings.face_blow(fighter.number) + role;
            value.tie -= bodies.by_action;
        }
    }
    if (outcome.dies) value.worth += prices.place + (fighter.card < 0 ? prices.first_place : 0);
    value.worth += prices.action_allowed * outcome.heals_enemy;
    if (fighter.card >= 0) value.worth -= prices.attacker[fighter.number];
    return value;
}

PathTops::PathTops(const Bodies& bodies, const Endings& endings, const VanillaPrices& prices, const Fighter& fighter, const Way& way) {
    const int targets = bodies.targets();
    const Value never{INT64_MIN / 4, 0};
    begun.assign(targets, never);
    done.assign(targets * targets, never);
    const auto raise = [](Value& top, const Value& value) {
        if (value > top) top = value;
    };
    for (int first = 0; first < targets; ++first) {
        if (first == bodies.hero_target() && !way.face) continue;
        if (fighter.once[first].possible) {
            const Value value = path_value(bodies, endings, prices, way, fighter, fighter.once[first], first, -1);
            raise(idle, value);
            raise(begun[first], value);
        }
        for (int second = 0; second < targets; ++second) {
            const Outcome& both = bodies.twice(fighter, first, second);
            if (!both.possible || (second == bodies.hero_target() && !way.face)) continue;
            const Value value = path_value(bodies, endings, prices, way, fighter, both, first, second);
            done[first * targets + second] = value;
            raise(idle, value);
            raise(begun[first], value);
            raise(begun[second], value);
        }
    }
}

namespace {

constexpr int MOST_PIVOTS = 400, FIRST_COLUMNS = 12, MORE_COLUMNS = 4;
constexpr double RUIN = 1e8;  // what a group loses that may not be left alone; worths are at most 1e6 here

// A choice of one group, or (group -1) one that may be taken or left: what it takes of each thing.
struct Column {
    double worth;
    int group, count = 0;
    Column(double worth, int group) : worth(worth), group(group) {}
    int thing[2 * MOST_FIGHTERS + 5];
    float amount[2 * MOST_FIGHTERS + 5];
    void use(int what, double much) {
        for (int place = 0; place < count; ++place)
            if (thing[place] == what) {
                amount[place] += static_cast<float>(much);
                return;
            }
        thing[count] = what;
        amount[count++] = static_cast<float>(much);
    }
};

struct Simplex {
    int groups, height;
    std::vector<double> table;  // the inverse of the basis, the amounts beside it, and below the gains
    double* row(int number) { return table.data() + number * (height + 1); }

    Simplex(int groups, const std::vector<double>& limits) : groups(groups), height(groups + static_cast<int>(limits.size())) {
        table.assign((height + 1) * (height + 1), 0);
        for (int number = 0; number <= height; ++number) row(number)[number] = 1;
        // Slightly different limits, so that no two run out at once and every pivot is a step.
        for (int number = 0; number < height; ++number)
            row(number)[height] = number < groups ? 1 : limits[number - groups] + 1e-4 * (number - groups + 1);
    }
    void must_choose(int group) { row(height)[group] = RUIN; }
    double gain(int thing) { return row(height)[groups + thing]; }

    double reduced(const Column& column) {
        const double* gains = row(height);
        double left = column.worth + (column.group >= 0 ? gains[column.group] : 0);
        for (int place = 0; place < column.count; ++place) left += column.amount[place] * gains[groups + column.thing[place]];
        return left;
    }
    // False where nothing limits it, which only rounding can bring about.
    bool enter(const Column& column, double left) {
        std::vector<double> moves(height + 1, 0);
        for (int number = 0; number < height; ++number) {
            const double* mine = row(number);
            double move = column.group >= 0 ? mine[column.group] : 0;
            for (int place = 0; place < column.count; ++place) move += column.amount[place] * mine[groups + column.thing[place]];
            moves[number] = move;
        }
        moves[height] = left;
        return pivot(moves);
    }
    bool pivot(std::vector<double>& moves) {
        int leaves = -1;
        double least = 0;
        for (int number = 0; number < height; ++number)
            if (moves[number] > 1e-9) {
                const double lasts = row(number)[height] / moves[number];
                if (leaves < 0 || lasts < least) leaves = number, least = lasts;
            }
        if (leaves < 0) return false;
        double* pivot_row = row(leaves);
        const double by = 1 / moves[leaves];
        for (int place = 0; place <= height; ++place) pivot_row[place] *= by;
        for (int number = 0; number <= height; ++number) {
            if (number == leaves || moves[number] == 0) continue;
            double* other = row(number);
            const double times = moves[number];
            for (int place = 0; place <= height; ++place) other[place] -= times * pivot_row[place];
        }
        return true;
    }
};

struct Finder {
    const Bodies& bodies;
    const Fights& fights;
    const Endings& endings;
    const std::vector<Hand>& hands;
    const Way& way;
    const bool scarce;
    VanillaPrices& prices;
    double scale = 1;
    std::vector<Column> pool = {};

    const int attackers = static_cast<int>(bodies.fighters.size()), places = attackers, needed = attackers + 1,
              action_allowed = attackers + 2, last = attackers + 3, first_place = attackers + 4, meetings = attackers + 5;
    const bool full = scarce && bodies.room == 0;
    std::vector<int> first_life = {}, doubles = {};

    // The thing that stands for a blow by a fighter with two on a life.
    int meeting(int fighter, int life) const {
        const int place = static_cast<int>(std::find(doubles.begin(), doubles.end(), fighter) - doubles.begin());
        return meetings + place * bodies.hero_target() + life;
    }
    Column column(const Option& option, int group) const {
        Column found{option.value.worth / scale, group};
        for (uint32_t rest = option.uses; rest; rest &= rest - 1) {
            const int number = __builtin_ctz(rest), first = first_life[group];
            if (!(fights.double_blows >> number & 1)) {
                found.use(number, 1);
                continue;
            }
            found.use(meeting(number, first + (option.second >> number & 1)), 1);
            if (option.again >> number & 1) found.use(meeting(number, first + (option.second_twice >> number & 1)), 1);
        }
        if (scarce && option.deaths) found.use(places, -option.deaths);
        if (full && option.board_deaths) found.use(first_place, -option.board_deaths);
        if (option.heals_enemy) found.use(action_allowed, -option.heals_enemy);
        return found;
    }
    Column column(const Hand& hand, int group) const {
        Column found{hand.value.worth / scale, group};
        for (uint32_t rest = hand.fighters; rest; rest &= rest - 1) found.use(__builtin_ctz(rest), -1);
        if (scarce && hand.count) found.use(places, hand.count);
        if (full && hand.count) found.use(first_place, 1);
        return found;
    }
    // A path, once for each role of its last blow on the enemy hero.
    void add_path(const Fighter& fighter, const Outcome& outcome, int group, int first, int second) {
        if (!outcome.possible) return;
        const int hero = bodies.hero_target(), strikes = (first == hero) + (second == hero);
        if (strikes && !way.face) return;
        Column found{outcome.own.worth / scale, group};
        for (const int target : {first, second})
            if (target >= 0 && target < hero) found.use(meeting(fighter.number, target), -1);
        if (scarce && outcome.dies) found.use(places, -1);
        if (full && outcome.dies && fighter.card < 0) found.use(first_place, -1);
        if (outcome.heals_enemy) found.use(action_allowed, -outcome.heals_enemy);
        if (fighter.card >= 0) found.use(fighter.number, 1);
        if (!strikes) {
            pool.push_back(found);
            return;
        }
        found.worth += strikes * endings.face_blow(fighter.number) / scale;
        for (int blow = 1; blow < strikes; ++blow)
            if (!add_role(fighter, false, found)) return;
        for (const bool ends : {false, true}) {
            if (ends && second >= 0 && second < hero) continue;
            Column whole = found;
            if (add_role(fighter, ends, whole)) pool.push_back(whole);
        }
    }
    // A blow on the enemy hero; false where it cannot have this role.
    bool add_role(const Fighter& fighter, bool ends, Column& column) const {
        if (ends ? !way.lethal : !may_leave_alive(bodies, endings, fighter.number)) return false;
        const int32_t harm = endings.harm(fighter.number);
        if (way.lethal) column.use(needed, -std::min(harm, endings.whole()));
        if (ends) column.use(last, 1);
        else column.use(action_allowed, harm);
        return true;
    }

    void read_scale() {
        int64_t most = 1;
        for (const auto& group : way.groups)
            for (const Option* option : group) most = std::max(most, std::abs(option->value.worth));
        for (const Hand& hand : hands) most = std::max(most, std::abs(hand.value.worth));
        for (const Fighter& fighter : bodies.fighters) most = std::max(most, endings.most_by_face(fighter.number));
        scale = most / 1e6;
    }

    // The most promising columns of each group at the present prices; false where none gains.
    bool look(Simplex& simplex, int each, bool first) {
        VanillaPrices now;
        const auto price = [&](int thing) { return std::llround(-simplex.gain(thing) * 1024); };
        for (const Fighter& fighter : bodies.fighters) now.attacker[fighter.number] = price(fighter.number);
        for (const int fighter : doubles)
            for (int life = 0; life < bodies.hero_target(); ++life) now.at[fighter][life] = price(meeting(fighter, life));
        now.sum_up();
        const double place = scarce ? simplex.gain(places) : 0, allowance = simplex.gain(action_allowed),
                     first_of_all = full ? simplex.gain(first_place) : 0;
        bool any = false;
        for (size_t group = 0; group < way.groups.size(); ++group) {
            const double base = first ? 0 : simplex.row(simplex.height)[group];
            std::vector<std::pair<double, const Option*>> best;
            double least = first ? -1e18 : 0.5;
            for (const Option* option : way.groups[group]) {
                const uint32_t twice = option->uses & fights.double_blows;
                const int64_t paid = now.of(option->uses & ~twice) + (twice ? now.doubles(*option, twice, first_life[group]) : 0);
                const double left = option->value.worth / scale + base - paid / 1024.0 - place * option->deaths -
                                    first_of_all * option->board_deaths - allowance * option->heals_enemy;
                if (left <= least) continue;
                best.emplace_back(left, option);
                if (static_cast<int>(best.size()) >= 4 * each) least = cut(best, each, least);
            }
            cut(best, each, least);
            for (const auto& [left, option] : best) pool.push_back(column(*option, static_cast<int>(group))), any = true;
        }
        return any;
    }
    static double cut(std::vector<std::pair<double, const Option*>>& best, int each, double least) {
        if (static_cast<int>(best.size()) <= each) return least;
        std::nth_element(best.begin(), best.begin() + each - 1, best.end(),
                         [](const auto& a, const auto& b) { return a.first > b.first; });
        best.resize(each);
        return best[each - 1].first;
    }

    void find() {
        for (int life = 0; life < bodies.hero_target(); ++life)
            if (!bodies.lives[life].second) first_life.push_back(life);
        for (const Fighter& fighter : bodies.fighters)
            if (fighter.blows > 1) doubles.push_back(fighter.number);
        read_scale();
        const int groups = static_cast<int>(way.groups.size());
        std::vector<double> limits;
        for (const Fighter& fighter : bodies.fighters) limits.push_back(fighter.card < 0 ? 1 : 0);
        limits.push_back(scarce ? bodies.room : 0);
        limits.push_back(0);
        limits.push_back(endings.whole() - 1);
        limits.push_back(1);
        limits.push_back(0);
        limits.resize(limits.size() + doubles.size() * bodies.hero_target(), 0);
        Simplex simplex(groups + 1 + static_cast<int>(doubles.size()) + way.lethal, limits);
        for (const Hand& hand : hands) pool.push_back(column(hand, groups));
        for (const Fighter& fighter : bodies.fighters) {
            if (fighter.blows > 1 || !way.face || !endings.harm(fighter.number)) continue;
            for (const bool ends : {false, true}) {
                Column face{endings.most_by_face(fighter.number) / scale, -1};
                face.use(fighter.number, 1);
                if (add_role(fighter, ends, face)) pool.push_back(face);
            }
        }
        for (size_t place = 0; place < doubles.size(); ++place) {
            const Fighter& fighter = bodies.fighters[doubles[place]];
            const int group = groups + 1 + static_cast<int>(place);
            pool.push_back(Column{0, group});
            for (int first = 0; first < bodies.targets(); ++first) {
                add_path(fighter, fighter.once[first], group, first, -1);
                for (int second = 0; second < bodies.targets(); ++second)
                    add_path(fighter, bodies.twice(fighter, first, second), group, first, second);
            }
        }
        for (size_t thing = 0; thing < limits.size(); ++thing) {  // what may be left of it
            pool.emplace_back(0, -1);
            pool.back().use(static_cast<int>(thing), 1);
        }
        if (way.lethal) {
            Column killed{0, simplex.groups - 1};
            killed.use(needed, endings.whole());
            pool.push_back(killed);
        }
        // To leave a minion alone, to play nothing, to strike nobody is worth nothing and needs no column.
        for (int group = 0; group < groups; ++group)
            if (way.groups[group].front()->uses) simplex.must_choose(group);
        if (way.lethal) simplex.must_choose(simplex.groups - 1);
        look(simplex, FIRST_COLUMNS, true);
        bool looked = false;
        for (int pivots = 0; pivots < MOST_PIVOTS; ++pivots) {
            const Column* best = nullptr;
            double most = 0.5;
            for (const Column& column : pool) {
                const double left = simplex.reduced(column);
                if (left > most) most = left, best = &column;
            }
            if (best ? !simplex.enter(*best, most) : looked || !look(simplex, MORE_COLUMNS, false)) break;
            looked = !best;
        }
        const auto price = [&](int thing) {
            return static_cast<int64_t>(std::llround(std::min(RUIN, std::max(0.0, -simplex.gain(thing))) * scale));
        };
        for (const Fighter& fighter : bodies.fighters) prices.attacker[fighter.number] = price(fighter.number);
        for (const int fighter : doubles)
            for (int life = 0; life < bodies.hero_target(); ++life) prices.at[fighter][life] = price(meeting(fighter, life));
        prices.place = scarce ? price(places) : 0;
        prices.first_place = full ? price(first_place) : 0;
        prices.needed = way.lethal ? price(needed) : 0;
        prices.action_allowed = price(action_allowed);
        prices.last = way.lethal ? price(last) : 0;
    }
};

}  // namespace

void find_prices(const Bodies& bodies, const Fights& fights, const Endings& endings, const std::vector<Hand>& hands,
                 const Way& way, bool scarce, VanillaPrices& prices) {
    Finder finder{bodies, fights, endings, hands, way, scarce, prices};
    finder.find();
    prices.sum_up();
}

}  // namespace planner::vanilla
