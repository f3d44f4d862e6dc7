#include "vanilla/packing.hpp"

namespace planner::vanilla {

constexpr double LITTLE = 3'000;    // choices, below which prices cost more than they spare
constexpr int64_t FIRST_GAP = 256;  // the part of the bound that is given up at first
constexpr int64_t WIDER = 4;         // times, until it is enough
constexpr int64_t NEVER = INT64_MIN / 4, ALL = INT64_MAX / 8;

void Seen::clear() {
    if (entries_.empty()) entries_.resize(1 << 10);
    ++round_;
    count_ = 0;
}

void Seen::grow() {
    std::vector<Entry> before(entries_.size() * 4);
    before.swap(entries_);
    for (const Entry& entry : before) {
        if (entry.round != round_) continue;
        size_t place = (entry.key.who * 0x9E3779B97F4A7C15u ^ entry.key.what * 0xC2B2AE3D27D4EB4Fu ^ entry.key.how) >> 20;
        while (entries_[place & (entries_.size() - 1)].round == round_) ++place;
        entries_[place & (entries_.size() - 1)] = entry;
    }
}

bool Seen::worse(const Key& key, const Value& value) {
    if (2 * count_ >= entries_.size()) grow();
    size_t place = (key.who * 0x9E3779B97F4A7C15u ^ key.what * 0xC2B2AE3D27D4EB4Fu ^ key.how) >> 20;
    for (;; ++place) {
        Entry& entry = entries_[place & (entries_.size() - 1)];
        if (entry.round != round_) {
            entry = {key, value, round_};
            ++count_;
            return false;
        }
        if (!(entry.key == key)) continue;
        if (value <= entry.value) return true;
        entry.value = value;
        return false;
    }
}

Packing::Packing(const Bodies& bodies, const Fights& fights, uint32_t prunes, Limit& limit)
    : bodies_(bodies), fights_(fights), prunes_(prunes), limit_(limit), endings_(bodies) {
    listed_ = list_hands(bodies, prunes & PRUNE_DOMINATED, hands_);
    int most = 0;
    for (const Hand& hand : hands_) most = std::max(most, hand.count);
    scarce_ = most > bodies.room;
    for (size_t target = 0; target < bodies.lives.size(); ++target)
        if (!bodies.lives[target].second) first_life_.push_back(static_cast<int>(target));
    bool all_payable = false;
    for (const Hand& hand : hands_) {
        all_payable |= hand.fighters == endings_.from_hand();
        if (std::find(payable_.begin(), payable_.end(), hand.fighters) == payable_.end()) payable_.push_back(hand.fighters);
    }
    if (all_payable) payable_.clear();
    list_ways();
}

bool Packing::can_pay(uint32_t fighters) const {
    fighters &= endings_.from_hand();
    if (!fighters || payable_.empty()) return true;
    for (const uint32_t set : payable_)
        if (!(fighters & ~set)) return true;
    return false;
}

// Through the guards or stuck at them; bound to clear the board or not; killing the hero or not.
void Packing::list_ways() {
    const Weights& w = bodies_.turn.weights;
    bool guarded = false, clearable = !fights_.targets.empty();
    Way through, clear, stuck;
    for (size_t target = 0; target < fights_.targets.size(); ++target) {
        guarded |= bodies_.lives[first_life_[target]].guards;
        for (Way* way : {&through, &clear, &stuck}) way->groups.emplace_back();
        for (const Option& option : fights_.targets[target]) {
            if (!can_pay(option.uses)) continue;
            if (option.past_guards) through.groups.back().push_back(&option);
            if (option.dead) clear.groups.back().push_back(&option);
            if (option.on_guards && (!option.uses || bodies_.lives[first_life_[target]].guards))
                stuck.groups.back().push_back(&option);
        }
        clearable &= !clear.groups.back().empty();
    }
    stuck.face = false;
    clear.bonus = w.board_clear;
    bool passable = true;
    for (const auto& group : through.groups) passable &= !group.empty();
    int32_t potential = 0;
    for (const Fighter& fighter : bodies_.fighters)
        potential += endings_.harm(fighter.number) * fighter.blows;
    const bool lethal = potential >= endings_.whole();
    const bool clears = clearable && w.board_clear > 0;
    if (passable) ways_.push_back(through);
    if (clears) ways_.push_back(clear);
    if (guarded) ways_.push_back(stuck);
    if (passable && lethal) ways_.push_back(through), ways_.back().lethal = true;
    if (clears && lethal) ways_.push_back(clear), ways_.back().lethal = true;
}

bool Packing::use_prices(const Way& way) const {
    if (!(prunes_ & PRUNE_BY_PRICES)) return false;
    double choices = 1;
    for (const auto& group : way.groups) choices *= group.size();
    return choices > LITTLE;
}

// Every attacker costs what it would gain by striking the hero.
void Packing::cheap_prices(const Way& way) {
    prices_ = VanillaPrices{};
    for (const Fighter& fighter : bodies_.fighters)
        if (way.face) prices_.attacker[fighter.number] = endings_.most_by_face(fighter.number);
    prices_.sum_up();
}

// What a fighter with one blow gains at most by striking the enemy hero.
int64_t Packing::by_face(const Way& way, int fighter) const {
    if (!way.face || !endings_.harm(fighter)) return 0;
    const int64_t role = in_its_role(bodies_, endings_, prices_, way, fighter);
    return role == NO_BLOW ? 0 : std::max<int64_t>(0, endings_.most_by_face(fighter) + role);
}

// The bound at the prices: what each group, hand and fighter takes for itself.
int64_t Packing::bound_of(const Way& way, std::vector<int64_t>& tops) {
    int64_t bound = way.bonus;
    tops.clear();
    for (const auto& group : way.groups) {
        int64_t top = NEVER;
        const int life = first_life_[tops.size()];
        for (const Option* option : group) top = std::max(top, prices_.left(*option, fights_.double_blows, life));
        tops.push_back(top);
        bound += top;
    }
    int64_t best_hand = NEVER;
    for (const Hand& hand : hands_) best_hand = std::max(best_hand, prices_.left(hand));
    tops.push_back(best_hand);
    int64_t rest = prices_.place * (scarce_ ? bodies_.room : 0);
    paths_.clear();
    paths_.resize(bodies_.fighters.size());
    for (const Fighter& fighter : bodies_.fighters) {
        if (fighter.blows > 1) {
            paths_[fighter.number] = PathTops(bodies_, endings_, prices_, fighter, way);
            bound += paths_[fighter.number].idle.worth;
            continue;
        }
        const int64_t price = prices_.attacker[fighter.number];
        if (fighter.card < 0) rest += price;
        rest += std::max<int64_t>(0, by_face(way, fighter.number) - price);
    }
    if (way.face) rest += prices_.action_allowed * (endings_.whole() - 1);
    if (way.lethal) {
        const Weights& w = bodies_.turn.weights;
        rest += w.lethal - w.enemy_health * endings_.whole() - prices_.needed * endings_.whole() + prices_.last;
    }
    tops.push_back(rest);
    return bound + best_hand + rest;
}

// The options that lose at most `gap` against the best of their group, best first.
void Packing::select(int64_t gap, const std::vector<int64_t>& tops) {
    const size_t count = way_->groups.size();
    std::vector<std::vector<Candidate>> rows(count);
    for (size_t group = 0; group < count; ++group) {
        for (const Option* option : way_->groups[group]) {
            const int64_t left = prices_.left(*option, fights_.double_blows, first_life_[group]);
            if (left < tops[group] - gap) cut_ = std::max(cut_, at_least_ + gap - tops[group] + left);
            else rows[group].push_back({{left, option->value.tie}, option});
        }
        std::sort(rows[group].begin(), rows[group].end(),
                  [](const Candidate& a, const Candidate& b) { return a.left > b.left; });
    }
    places_.resize(count);
    for (size_t group = 0; group < count; ++group) places_[group] = static_cast<int>(group);
    std::sort(places_.begin(), places_.end(), [&](int a, int b) { return rows[a].size() < rows[b].size(); });
    groups_.clear();
    for (const int group : places_) groups_.push_back(std::move(rows[group]));
    rest_ = tops[count + 1];
    by_hand_.clear();
    Value best_hand{NEVER, 0};
    for (const Hand& hand : hands_) {
        const Value left{prices_.left(hand), hand.value.tie};
        by_hand_.emplace_back(left.worth, &hand);
        if (left > best_hand) best_hand = left;
    }
    std::stable_sort(by_hand_.begin(), by_hand_.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    after_.assign(count + 1, {});
    after_[count] = best_hand + Value{rest_, 0};
    for (size_t group = count; group-- > 0;) {
        Value top{NEVER, 0};
        for (const Candidate& candidate : groups_[group])
            if (candidate.left > top) top = candidate.left;
        after_[group] = after_[group + 1] + top;
    }
}

// Who no group from a place on can use any more costs the bound its price, less what it gains by striking the hero.
void Packing::find_idlers() {
    const size_t count = groups_.size();
    last_chance_.assign(count + 1, 0);
    uint32_t open = 0;
    for (const Fighter& fighter : bodies_.fighters) {
        if (fighter.card >= 0 || fighter.blows > 1) continue;
        const int64_t gain = by_face(*way_, fighter.number);
        idle_loss_[fighter.number] = std::max<int64_t>(0, prices_.attacker[fighter.number] - gain);
        if (idle_loss_[fighter.number]) open |= 1u << fighter.number;
    }
    for (size_t group = count; group-- > 0;) {
        uint32_t used = 0;
        for (const Candidate& candidate : groups_[group]) used |= candidate.option->uses;
        last_chance_[group + 1] = open & used;
        open &= ~used;
    }
    last_chance_[0] = open;
}

Packing::Open Packing::open(const Way& way) {
    Open found{&way, {}, 0, INT64_MAX, 0};
    const bool priced = use_prices(way);
    if (priced) find_prices(bodies_, fights_, endings_, hands_, way, scarce_, prices_);
    else cheap_prices(way);
    std::vector<int64_t> tops;
    found.prices = prices_;
    found.above = bound_of(way, tops);
    found.gap = !(prunes_ & PRUNE_BY_BOUND) || (!priced && !visit_) ? ALL : std::abs(found.above) / FIRST_GAP + 1;
    return found;
}

// The ways from the most promising on, each a little deeper below its bound, until nothing can be left that is better.
void Packing::search() {
    std::vector<Open> all;
    for (const Way& way : ways_) all.push_back(open(way));
    while (true) {
        Open* best = nullptr;
        for (Open& way : all) {
            const bool begun = way.done != INT64_MAX, bounded = prunes_ & PRUNE_BY_BOUND;
            const bool hopeless = begun ? way.above <= NEVER || way.above < best_.worth : bounded && way.above < best_.worth;
            if (!hopeless && (!best || way.above > best->above)) best = &way;
        }
        if (!best) return;
        search(*best);
        if (stopped_) return;
    }
}

void Packing::search(Open& open) {
    way_ = open.way;
    prices_ = open.prices;
    std::vector<int64_t> tops;
    const int64_t bound = bound_of(*way_, tops);
    before_ = open.done;
    at_least_ = open.gap == ALL ? NEVER : std::min(bound - open.gap, open.above);
    if (prunes_ & PRUNE_BY_BOUND) at_least_ = std::max(at_least_, best_.worth);
    cut_ = NEVER;
    select(bound - at_least_, tops);
    find_idlers();
    Node root;
    root.high = {way_->bonus, 0};
    root.fought.value = {way_->bonus, 0};
    for (const PathTops& tops_of : paths_) root.high += tops_of.idle;
    charge_idle(0, root);
    seen_.clear();
    root.potential = 0;
    for (const Fighter& fighter : bodies_.fighters) root.potential += endings_.harm(fighter.number) * fighter.blows;
    chosen_.assign(way_->groups.size(), nullptr);
    go(0, root);
    open.done = at_least_;
    open.above = cut_;
    if (open.gap != ALL) open.gap *= WIDER;
}

bool Packing::dominated(size_t depth, const Node& node) {
    const Fought& fought = node.fought;
    Seen::Key key{uint64_t(fought.full) << 32 | fought.part,
                  uint64_t(uint16_t(fought.heals)) << 48 | uint64_t(uint16_t(fought.heals_enemy)) << 32 |
                      uint64_t(uint16_t(fought.deaths)) << 16 | uint64_t(depth) << 1 | fought.all_dead,
                  0};
    if (bodies_.scarce) {
        const Crowd& crowd = fought.at_guards;
        key.what |= uint64_t(bodies_.room + fought.board_deaths > 0) << 6 | uint64_t(bodies_.room + crowd.board_deaths > 0) << 7 |
                    uint64_t(crowd.coming & 15) << 8 | uint64_t(crowd.deaths & 15) << 12;
    }
    for (uint32_t rest = fought.part; rest; rest &= rest - 1)
        key.how = key.how << 5 | (fought.paths[__builtin_ctz(rest)].target[0] + 1);
    if (bodies_.own_coupled && bodies_.fighters.back().is_hero) {
        const Path& path = fought.paths[bodies_.fighters.back().number];
        key.how = key.how << 12 | (path.target[0] + 1) << 6 | (path.target[1] + 1);
    }
    return seen_.worse(key, fought.value);
}

void Packing::charge_idle(size_t depth, Node& node) const {
    for (uint32_t rest = last_chance_[depth] & ~node.fought.full; rest; rest &= rest - 1)
        node.high.worth -= idle_loss_[__builtin_ctz(rest)];
}

bool Packing::too_little(const Value& most) {
    if (most.worth < at_least_) cut_ = std::max(cut_, most.worth);
    return most <= best_ || most.worth < at_least_;
}

void Packing::go(size_t depth, const Node& node) {
    if (!limit_.consume()) stopped_ = true;
    if (stopped_) return;
    if (depth == groups_.size()) return end(node);
    if (depth && prunes_ & PRUNE_DOMINATED && !visit_ && dominated(depth, node)) return;
    const bool bounded = prunes_ & PRUNE_BY_BOUND;
    for (const Candidate& candidate : groups_[depth]) {
        const Value high = node.high + candidate.left;
        if (bounded) {
            const Value most = high + after_[depth + 1];
            if (too_little(most)) break;
        }
        const Option& option = *candidate.option;
        const Fought& fought = node.fought;
        if (option.uses & fought.full || option.again & fought.part) continue;
        if (!can_pay(option.uses | fought.full | fought.part)) continue;
        Node next = node;
        next.high = high;
        next.fought.value += option.value;
        next.fought.full |= option.uses & ~fights_.double_blows;
        next.fought.deaths += option.deaths;
        next.fought.board_deaths += option.board_deaths;
        if (bodies_.lives[first_life_[places_[depth]]].guards) {
            Crowd& crowd = next.fought.at_guards;
            crowd.coming += __builtin_popcount(option.uses & ~option.second & ~fights_.double_blows & endings_.from_hand());
            crowd.deaths += option.deaths;
            crowd.board_deaths += option.board_deaths;
        }
        next.fought.heals += option.heals;
        next.fought.heals_enemy += option.heals_enemy;
        next.fought.all_dead &= option.dead;
        if (way_->lethal) {
            for (uint32_t rest = option.uses; rest; rest &= rest - 1)
                next.potential -= endings_.harm(__builtin_ctz(rest));
            for (uint32_t rest = option.again; rest; rest &= rest - 1)
                next.potential -= endings_.harm(__builtin_ctz(rest));
            if (next.potential < endings_.needed(next.fought.heals_enemy)) continue;
        }
        chosen_[places_[depth]] = &option;
        const int life = first_life_[places_[depth]];
        if (bodies_.own_coupled && option.uses && bodies_.fighters.back().is_hero) {
            const Fighter& hero = bodies_.fighters.back();
            const uint32_t bit = 1u << hero.number;
            if (option.uses & bit & ~fights_.double_blows)
                next.fought.paths[hero.number] = {1, {int8_t(option.second & bit ? life + 1 : life), -1}};
        }
        take(depth, next, option, option.uses & fights_.double_blows);
    }
}

// Attackers with two blows, one by one: what they become is known with the second.
void Packing::take(size_t depth, Node& node, const Option& option, uint32_t doubles) {
    if (!doubles) {
        charge_idle(depth + 1, node);
        if (prunes_ & PRUNE_BY_BOUND) {
            const Value most = node.high + after_[depth + 1];
            if (too_little(most)) return;
        }
        return go(depth + 1, node);
    }
    const Fighter& fighter = bodies_.fighters[__builtin_ctz(doubles)];
    const uint32_t bit = 1u << fighter.number, later = doubles & (doubles - 1);
    const PathTops& tops = paths_[fighter.number];
    const bool begun = node.fought.part & bit;
    const int first = first_life_[places_[depth]], life = option.second & bit ? first + 1 : first;
    const auto both = [&](int a, int b, Node next) {
        const Outcome& outcome = bodies_.twice(fighter, a, b);
        if (!outcome.possible) return;
        next.high += tops.done[a * bodies_.targets() + b] - (begun ? tops.begun[node.fought.paths[fighter.number].target[0]] : tops.idle);
        next.fought.value += outcome.own;
        next.fought.full |= bit;
        next.fought.part &= ~bit;
        endings_.count_place(fighter, outcome, a, b, next.fought);
        next.fought.heals_enemy += outcome.heals_enemy;
        next.fought.paths[fighter.number] = {2, {int8_t(a), int8_t(b)}};
        take(depth, next, option, later);
    };
    if (option.again & bit) {
        both(option.second_twice & bit ? life : first, option.second & bit ? first + 1 : first, node);
        return;
    }
    if (begun) {
        const int earlier = node.fought.paths[fighter.number].target[0];
        const Outcome &there = bodies_.twice(fighter, earlier, life), &back = bodies_.twice(fighter, life, earlier);
        const bool same = there.possible && back.possible && there.dies == back.dies &&
                          there.heals_enemy == back.heals_enemy && there.wounds == back.wounds;
        const bool dominated = same && prunes_ & PRUNE_DOMINATED;
        if (!dominated || back.own <= there.own) both(earlier, life, node);
        if (!dominated || back.own > there.own) both(life, earlier, node);
        return;
    }
    Node next = node;
    next.high += tops.begun[life] - tops.idle;
    next.fought.part |= bit;
    next.fought.paths[fighter.number] = {1, {int8_t(life), -1}};
    take(depth, next, option, later);
}

void Packing::end(const Node& node) {
    Fought fought = node.fought;
    if (!endings_.settle(fought, way_->face)) return;
    if (fought.all_dead && !way_->groups.empty() && way_->bonus == 0) fought.value.worth += bodies_.turn.weights.board_clear;
    const bool bounded = prunes_ & PRUNE_BY_BOUND;
    for (const auto& [left, hand] : by_hand_) {
        if (bounded) {
            const int64_t most = node.high.worth + left + rest_;
            if (most < at_least_) cut_ = std::max(cut_, most);
            if (most < best_.worth || most < at_least_) break;
        }
        if (!endings_.fits(fought, *hand)) continue;
        if (visit_) {
            const auto visit = [&](const Choice& choice) {
                if (choice.value.worth >= before_) return;  // has been there
                Choice whole = choice;
                whole.options = chosen_;
                (*visit_)(whole);
            };
            const int64_t least = bounded ? at_least_ : NEVER;
            cut_ = std::max(cut_, endings_.all_ends(fought, *hand, way_->face, way_->lethal, best_, least, visit));
        } else if (endings_.best_end(fought, *hand, way_->face, way_->lethal, best_, *found_)) {
            found_->options = chosen_;
            best_ = found_->value;
            any_ = true;
        }
    }
}

bool Packing::best_choice(Choice& found) {
    found_ = &found;
    visit_ = nullptr;
    bound_ = NEVER;
    std::vector<int64_t> tops;
    for (const Way& way : ways_) {
        cheap_prices(way);
        bound_ = std::max(bound_, bound_of(way, tops));
    }
    // To end the turn at once is worth nothing more, and always possible where the hard rules allow it.
    any_ = end_allowed(bodies_.turn, bodies_.state);
    best_ = {any_ ? 0 : NEVER, 0};
    for (const auto& group : fights_.targets) found.options.push_back(&group.front());
    search();
    return any_;
}

void Packing::every_choice(Value& best, const std::function<void(const Choice&)>& visit) {
    const std::function<void(const Choice&)> keep = [&](const Choice& choice) {
        visit(choice);
        best_ = best;
    };
    visit_ = &keep;
    best_ = best;
    search();
    visit_ = nullptr;
}

}  // namespace planner::vanilla
