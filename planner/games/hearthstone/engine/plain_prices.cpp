#include "plain_prices.hpp"

#include <cmath>

namespace hearthstone {

void Prices::sum_up() {
    for (int part = 0; part < 4; ++part) {
        sums[part][0] = 0;
        for (int bits = 1; bits < 256; ++bits) {
            const int low = __builtin_ctz(bits), number = 8 * part + low;
            sums[part][bits] = sums[part][bits & (bits - 1)] + (number < MOST_FIGHTERS ? attacker[number] : 0);
        }
    }
}

namespace {

constexpr int MOST_PIVOTS = 400, FIRST_COLUMNS = 12, MORE_COLUMNS = 4;
constexpr double RUIN = 1e9;  // what a group loses that takes nothing; worths are at most 1e6 here

// A choice of one group, or (group -1) one that may be taken or left.
struct Column {
    double worth;
    int group;
    uint32_t uses, again;
    int sign;  // -1: brings attackers instead of using them
    double places, harm;
};

struct Simplex {
    int groups, attackers, height;
    std::vector<double> table;  // the inverse of the basis, the amounts beside it, and below the gains
    double* row(int number) { return table.data() + number * (height + 1); }

    Simplex(int groups, int attackers, const std::vector<double>& limits)
        : groups(groups), attackers(attackers), height(groups + static_cast<int>(limits.size())) {
        table.assign((height + 1) * (height + 1), 0);
        for (int number = 0; number <= height; ++number) row(number)[number] = 1;
        // Slightly different limits, so that no two run out at once and every pivot is a step.
        for (int number = 0; number < height; ++number)
            row(number)[height] = number < groups ? 1 : limits[number - groups] + 1e-4 * (number - groups + 1);
        for (int group = 0; group < groups; ++group) row(height)[group] = RUIN;
    }
    double gain(int thing) { return row(height)[groups + thing]; }

    template <class Each>
    void entries(const Column& column, Each each) const {
        if (column.group >= 0) each(column.group, 1.0);
        for (uint32_t rest = column.uses; rest; rest &= rest - 1) {
            const int number = __builtin_ctz(rest);
            each(groups + number, column.sign * (column.again >> number & 1 ? 2.0 : 1.0));
        }
        if (column.places != 0) each(groups + attackers, column.places);
        if (column.harm != 0) each(groups + attackers + 1, column.harm);
    }
    double reduced(const Column& column) {
        double left = column.worth;
        const double* gains = row(height);
        entries(column, [&](int place, double amount) { left += amount * gains[place]; });
        return left;
    }
    // False where nothing limits it, which only rounding can bring about.
    bool enter(const Column& column, double left) {
        std::vector<double> moves(height + 1, 0);
        entries(column, [&](int place, double amount) {
            for (int number = 0; number < height; ++number) moves[number] += amount * row(number)[place];
        });
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
    Prices& prices;
    double scale = 1;
    std::vector<Column> pool;

    Column column(const Option& option, int group) const {
        const int deaths = option.deaths + __builtin_popcount(option.uses & fights.double_blows);
        return {option.value.worth / scale, group, option.uses, option.again, 1, scarce ? -1.0 * deaths : 0, 0};
    }
    Column column(const Hand& hand, int group) const {
        return {hand.value.worth / scale, group, hand.fighters, hand.fighters & fights.double_blows, -1,
                scarce ? 1.0 * hand.count : 0, 0};
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
        const int attackers = static_cast<int>(bodies.fighters.size());
        Prices now;
        for (int number = 0; number < attackers; ++number)
            now.attacker[number] = std::llround(std::min(1e9, -simplex.gain(number)) * 1024);
        now.sum_up();
        const double place = simplex.gain(attackers);
        bool any = false;
        for (size_t group = 0; group < way.groups.size(); ++group) {
            const double base = first ? 0 : simplex.row(simplex.height)[group];
            std::vector<std::pair<double, const Option*>> best;
            double least = first ? -1e18 : 0.5;
            for (const Option* option : way.groups[group]) {
                const double left = option->value.worth / scale + base - now.of(*option) / 1024.0 -
                                    (scarce ? place * (option->deaths + __builtin_popcount(option->uses & fights.double_blows)) : 0);
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
        read_scale();
        const int attackers = static_cast<int>(bodies.fighters.size()), groups = static_cast<int>(way.groups.size());
        std::vector<double> limits;
        for (const Fighter& fighter : bodies.fighters) limits.push_back(fighter.card < 0 ? fighter.blows : 0);
        limits.push_back(scarce ? bodies.room : 0);
        limits.push_back(0);
        Simplex simplex(groups + 1 + way.lethal, attackers, limits);
        for (const Hand& hand : hands) pool.push_back(column(hand, groups));
        if (way.face)
            for (const Fighter& fighter : bodies.fighters)
                if (endings.most_by_face(fighter.number) || way.lethal)
                    pool.push_back({endings.most_by_face(fighter.number) / scale, -1, 1u << fighter.number, 0, 1, 0,
                                    way.lethal ? -1.0 * std::min(endings.harm(fighter.number), endings.whole()) : 0});
        if (way.lethal) pool.push_back({0, groups + 1, 0, 0, 1, 0, 1.0 * endings.whole()});
        look(simplex, FIRST_COLUMNS, true);
        for (int pivots = 0; pivots < MOST_PIVOTS; ++pivots) {
            const Column* best = nullptr;
            double most = 0.5;
            for (const Column& column : pool) {
                const double left = simplex.reduced(column);
                if (left > most) most = left, best = &column;
            }
            if (best ? !simplex.enter(*best, most) : !look(simplex, MORE_COLUMNS, false)) break;
        }
        const auto price = [&](int thing) {
            return static_cast<int64_t>(std::llround(std::min(RUIN, std::max(0.0, -simplex.gain(thing))) * scale));
        };
        for (int number = 0; number < attackers; ++number) prices.attacker[number] = price(number);
        prices.place = scarce ? price(attackers) : 0;
        prices.harm = way.lethal ? price(attackers + 1) : 0;
    }
};

}  // namespace

void find_prices(const Bodies& bodies, const Fights& fights, const Endings& endings, const std::vector<Hand>& hands,
                 const Way& way, bool scarce, Prices& prices) {
    Finder{bodies, fights, endings, hands, way, scarce, prices, 1, {}}.find();
    prices.sum_up();
}

}  // namespace hearthstone
