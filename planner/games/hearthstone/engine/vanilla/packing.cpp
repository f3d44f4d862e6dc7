#include "vanilla/packing.hpp"

namespace planner::vanilla {

constexpr double LITTLE = 3'000;  // number of choices below which prices cost more than they save
// Up to so many choices, a search without good prices often ends after few branches, which cost less than the prices.
constexpr double MEDIUM = 1'000'000;
constexpr int64_t FEW_BRANCHES = 1'000;
constexpr int64_t BRANCHES_PER_END = 4;  // to find the best end of a leaf takes as long as so many branches
constexpr int64_t FIRST_GAP = 256;       // the first gap is this part of the bound
constexpr int64_t WIDER = 4;             // factor by which the gap grows
constexpr int64_t NEVER = INT64_MIN / 4, ALL = INT64_MAX / 8;
constexpr __int128 LOWEST_TIE = -(__int128{1} << (MAX_TIE_BITS + 2));

void BestByPosition::clear() {
    if (entries_.empty()) entries_.resize(1 << 6);
    ++round_;
    count_ = 0;
}

void BestByPosition::grow() {
    std::vector<Entry> before(entries_.size() * 4);
    before.swap(entries_);
    for (const Entry& entry : before) {
        if (entry.round != round_) continue;
        size_t index =
            (entry.key.who * 0x9E3779B97F4A7C15u ^ entry.key.what * 0xC2B2AE3D27D4EB4Fu ^ entry.key.how) >> 20;
        while (entries_[index & (entries_.size() - 1)].round == round_) ++index;
        entries_[index & (entries_.size() - 1)] = entry;
    }
}

bool BestByPosition::worse(const Key& key, const Value& value) {
    if (2 * count_ >= entries_.size()) grow();
    size_t index = (key.who * 0x9E3779B97F4A7C15u ^ key.what * 0xC2B2AE3D27D4EB4Fu ^ key.how) >> 20;
    for (;; ++index) {
        Entry& entry = entries_[index & (entries_.size() - 1)];
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

Packing::Packing(const VanillaTurn& vanilla, const Fights& fights, uint32_t prunes, Limit& limit)
    : vanilla_(vanilla), fights_(fights), prunes_(prunes), limit_(limit), endings_(vanilla) {
    listed_ = list_hands(vanilla, prunes & PRUNE_DOMINATED, hands_);
    int upper = 0;
    for (const Hand& hand : hands_) upper = std::max(upper, hand.count);
    scarce_ = upper > vanilla.free_slots;
    for (size_t target = 0; target < vanilla.lives.size(); ++target)
        if (!vanilla.lives[target].second) first_life_.push_back(static_cast<int>(target));
    bool all_payable = false;
    for (const Hand& hand : hands_) {
        all_payable |= hand.attackers == endings_.from_hand();
        if (std::find(payable_.begin(), payable_.end(), hand.attackers) == payable_.end())
            payable_.push_back(hand.attackers);
    }
    if (all_payable) payable_.clear();
    list_scenarios();
}

bool Packing::can_pay(uint32_t attackers) const {
    attackers &= endings_.from_hand();
    if (!attackers || payable_.empty()) return true;
    for (const uint32_t set : payable_)
        if (!(attackers & ~set)) return true;
    return false;
}

// Past the taunt minions or stuck at them; clearing the board or not; killing the hero or not.
void Packing::list_scenarios() {
    const Weights& w = vanilla_.turn.weights;
    const size_t count = fights_.targets.size();
    const auto taunts = [&](size_t target) { return vanilla_.lives[first_life_[target]].taunts; };
    bool any_taunt = false, passable = true, clears = count > 0 && w.board_clear > 0;
    for (size_t target = 0; target < count; ++target) any_taunt |= taunts(target);
    // Copies the options of each minion that satisfy a condition.
    const auto list_groups = [&](Groups& groups, auto condition) {
        groups.resize(count);
        for (size_t target = 0; target < count; ++target) {
            groups[target].reserve(fights_.targets[target].size());
            for (const Option& option : fights_.targets[target])
                if (condition(option, target) && can_pay(option.uses)) groups[target].push_back(&option);
        }
    };
    list_groups(through_, [](const Option& option, size_t) { return option.past_taunts; });
    for (const auto& group : through_) passable &= !group.empty();
    if (clears) list_groups(clear_, [](const Option& option, size_t) { return option.dead; });
    for (const auto& group : clear_) clears &= !group.empty();
    int32_t potential = 0;
    for (const Attacker& attacker : vanilla_.attackers) potential += endings_.damage(attacker.number) * attacker.hits;
    const bool lethal = potential >= endings_.full_health();
    scenarios_.reserve(5);
    if (passable) scenarios_.push_back({.groups = through_});
    if (clears) scenarios_.push_back({.groups = clear_, .bonus = w.board_clear});
    if (any_taunt) {
        list_groups(stuck_, [&](const Option& option, size_t target) {
            return option.on_taunts && (!option.uses || taunts(target));
        });
        scenarios_.push_back({.groups = stuck_, .face = false});
    }
    if (passable && lethal) scenarios_.push_back({.groups = through_, .lethal = true});
    if (clears && lethal) scenarios_.push_back({.groups = clear_, .bonus = w.board_clear, .lethal = true});
}

double Packing::choices(const Scenario& scenario) {
    double choices = 1;
    for (const auto& group : scenario.groups) choices *= static_cast<double>(group.size());
    return choices;
}

bool Packing::use_prices(const Scenario& scenario) const {
    return prunes_ & PRUNE_BY_PRICES && choices(scenario) > LITTLE;
}

// Every attacker costs what it would gain by hitting the hero.
void Packing::cheap_prices(const Scenario& scenario) {
    prices_.clear(static_cast<int>(vanilla_.attackers.size()), vanilla_.hero_target());
    for (const Attacker& attacker : vanilla_.attackers)
        if (scenario.face) prices_.attacker[attacker.number] = endings_.max_by_face(attacker.number, scenario.lethal);
    prices_.sum_up(static_cast<int>(vanilla_.attackers.size()));
}

// The maximum gain of an attacker with one hit by hitting the enemy hero.
int64_t Packing::by_face(const Scenario& scenario, int attacker) const {
    if (!scenario.face || !endings_.damage(attacker)) return 0;
    const int64_t role = in_its_role(vanilla_, endings_, prices_, scenario, attacker);
    return role == NO_HIT ? 0 : std::max<int64_t>(0, endings_.max_by_face(attacker, scenario.lethal) + role);
}

// The bound at the prices: the sum of what each group, hand and attacker gains at best.
int64_t Packing::bound_of(const Scenario& scenario, std::vector<int64_t>& tops) {
    int64_t bound = scenario.bonus;
    tops.clear();
    tops.reserve(scenario.groups.size() + 2);
    for (const auto& group : scenario.groups) {
        int64_t top = NEVER;
        const int life = first_life_[tops.size()];
        for (const Option* option : group) top = std::max(top, prices_.left(*option, fights_.double_attackers, life));
        tops.push_back(top);
        bound += top;
    }
    int64_t best_hand = NEVER;
    for (const Hand& hand : hands_) best_hand = std::max(best_hand, prices_.left(hand));
    tops.push_back(best_hand);
    int64_t rest = (prices_.slot + prices_.taunt_slot) * (scarce_ ? vanilla_.free_slots : 0);
    paths_.resize(vanilla_.attackers.size());
    for (const Attacker& attacker : vanilla_.attackers) {
        if (attacker.hits > 1) {
            paths_[attacker.number].find(vanilla_, endings_, prices_, attacker, scenario);
            bound += paths_[attacker.number].unused.score;
            continue;
        }
        const int64_t price = prices_.attacker[attacker.number];
        if (attacker.card < 0) rest += price;
        rest += std::max<int64_t>(0, by_face(scenario, attacker.number) - price);
    }
    if (scenario.face) rest += prices_.of_allowed(endings_.full_health() - 1);
    if (scenario.lethal) {
        const Weights& w = vanilla_.turn.weights;
        rest += w.lethal - w.enemy_health * endings_.full_health() - prices_.of_needed(endings_.full_health()) +
                prices_.last;
    }
    tops.push_back(rest);
    return bound + best_hand + rest;
}

// Prices in the tie-break, beside those in the score. Without them, every group could use every attacker as far as the
// tie-break is concerned, and turns with equal scores would be compared one by one. An attacker pays for its hit on a
// minion, and its best use at the prices, which no other use equals in the score, decides what it brings.
void Packing::find_tie_prices() {
    tie_rest_ = 0;
    for (const Attacker& attacker : vanilla_.attackers) {
        tie_price_[attacker.number] = tie_gain_[attacker.number] = 0;
        const int64_t price = prices_.attacker[attacker.number], by_hero = by_face(*scenario_, attacker.number);
        if (attacker.hits > 1 || std::max(price, by_hero) <= 0) continue;
        const auto tie_at = [&](int target) { return attacker.once[target].own.tie - vanilla_.by_action; };
        bool any = false;
        __int128 best = 0;  // of the hits on minions
        for (int target = 0; target < vanilla_.hero_target(); ++target) {
            if (!attacker.once[target].possible) continue;
            best = any ? std::max(best, tie_at(target)) : tie_at(target);
            any = true;
        }
        if (price >= by_hero) tie_price_[attacker.number] = tie_gain_[attacker.number] = best;
        if (price <= by_hero) {
            const __int128 face = tie_at(vanilla_.hero_target());
            tie_gain_[attacker.number] = price < by_hero ? face : std::max(best, face);
        }
        if (attacker.card < 0) tie_rest_ += tie_gain_[attacker.number];
    }
}

// The options that lose at most `gap` against the best of their group, best first.
void Packing::select(int64_t gap, const std::vector<int64_t>& tops) {
    const size_t count = scenario_->groups.size();
    std::vector<std::vector<Candidate>> rows(count);
    for (size_t group = 0; group < count; ++group) {
        rows[group].reserve(scenario_->groups[group].size());
        for (const Option* option : scenario_->groups[group]) {
            const int64_t left = prices_.left(*option, fights_.double_attackers, first_life_[group]);
            if (left < tops[group] - gap) cut_ = std::max(cut_, at_least_ + gap - tops[group] + left);
            else rows[group].push_back({{left, option->value.tie - tie_prices(*option)}, option});
        }
        std::sort(rows[group].begin(), rows[group].end(),
                  [](const Candidate& a, const Candidate& b) { return a.left > b.left; });
    }
    indices_.resize(count);
    for (size_t group = 0; group < count; ++group) indices_[group] = static_cast<int>(group);
    std::sort(indices_.begin(), indices_.end(), [&](int a, int b) { return rows[a].size() < rows[b].size(); });
    groups_.clear();
    for (const int group : indices_) groups_.push_back(std::move(rows[group]));
    rest_ = tops[count + 1];
    by_hand_.clear();
    by_hand_.reserve(hands_.size());
    Value best_hand{NEVER, 0};
    for (const Hand& hand : hands_) {
        Value left{prices_.left(hand), hand.value.tie};
        for (uint32_t rest = hand.attackers; rest; rest &= rest - 1) left.tie += tie_gain_[__builtin_ctz(rest)];
        by_hand_.emplace_back(left.score, &hand);
        if (left > best_hand) best_hand = left;
    }
    std::stable_sort(by_hand_.begin(), by_hand_.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    after_.assign(count + 1, {});
    after_[count] = best_hand + Value{rest_, tie_rest_};
    for (size_t group = count; group-- > 0;) {
        Value top{NEVER, 0};
        for (const Candidate& candidate : groups_[group])
            if (candidate.left > top) top = candidate.left;
        after_[group] = after_[group + 1] + top;
    }
}

// An attacker that no later group can use reduces the bound by its price, less its gain by hitting the hero.
void Packing::find_unused() {
    const size_t count = groups_.size();
    last_chance_.assign(count + 1, 0);
    uint32_t open = 0;
    for (const Attacker& attacker : vanilla_.attackers) {
        if (attacker.card >= 0 || attacker.hits > 1) continue;
        const int64_t gain = by_face(*scenario_, attacker.number);
        unused_loss_[attacker.number] = std::max<int64_t>(0, prices_.attacker[attacker.number] - gain);
        if (unused_loss_[attacker.number]) open |= 1u << attacker.number;
    }
    for (size_t group = count; group-- > 0;) {
        uint32_t used = 0;
        for (const Candidate& candidate : groups_[group]) used |= candidate.option->uses;
        last_chance_[group + 1] = open & used;
        open &= ~used;
    }
    last_chance_[0] = open;
}

void Packing::open(Subproblem& subproblem) {
    const Scenario& scenario = *subproblem.scenario;
    const bool priced = use_prices(scenario);
    const bool try_briefly = priced && !visit_ && !brief_failed_ && choices(scenario) <= MEDIUM;
    if (try_briefly && search_briefly(subproblem)) return;
    if (priced) {
        find_prices(vanilla_, fights_, endings_, hands_, scenario, scarce_, prices_);
        subproblem.prices = std::make_unique<VanillaPrices>(prices_);
        std::vector<int64_t> tops;
        subproblem.above = bound_of(scenario, tops);
    }
    subproblem.opened = true;
    const bool at_once = !(prunes_ & PRUNE_BY_BOUND) || (!priced && !visit_);
    subproblem.gap = at_once ? ALL : std::abs(subproblem.above) / FIRST_GAP + 1;
}

// Searches at the cheap prices; returns whether the search ended within few branches. Otherwise only the best choice so
// far remains of it.
bool Packing::search_briefly(Subproblem& subproblem) {
    const int64_t above = subproblem.above;
    subproblem.gap = ALL;
    subproblem.opened = true;
    branches_left_ = FEW_BRANCHES;
    search(subproblem);
    brief_failed_ = branches_left_ < 0;
    branches_left_ = INT64_MAX;
    if (brief_failed_) subproblem.above = above, subproblem.done = INT64_MAX;
    return !brief_failed_;
}

// Searches the most promising scenario first, each a little deeper below its bound, until no better choice can exist.
// Good prices take a while to find, so a scenario that cheap prices rule out is never opened.
void Packing::search() {
    std::vector<Subproblem> all(scenarios_.size());
    std::vector<int64_t> tops;
    bound_ = NEVER;
    for (size_t index = 0; index < scenarios_.size(); ++index) {
        cheap_prices(scenarios_[index]);
        all[index].scenario = &scenarios_[index];
        all[index].above = bound_of(scenarios_[index], tops);
        bound_ = std::max(bound_, all[index].above);
    }
    while (true) {
        Subproblem* best = nullptr;
        for (Subproblem& scenario : all) {
            const bool begun = scenario.done != INT64_MAX, bounded = prunes_ & PRUNE_BY_BOUND;
            const bool can_prune = begun ? scenario.above <= NEVER || scenario.above < best_.score
                                         : bounded && scenario.above < best_.score;
            if (!can_prune && (!best || scenario.above > best->above)) best = &scenario;
        }
        if (!best) return;
        if (best->opened) search(*best);
        else open(*best);
        if (stopped_) return;
    }
}

void Packing::search(Subproblem& open) {
    scenario_ = open.scenario;
    if (open.prices) prices_ = *open.prices;
    else cheap_prices(*scenario_);
    std::vector<int64_t> tops;
    const int64_t bound = bound_of(*scenario_, tops);
    before_ = open.done;
    at_least_ = open.gap == ALL ? NEVER : std::min(bound - open.gap, open.above);
    // A search that nearly reaches the best choice so far would only be repeated with the rest.
    const bool nearly = bound - best_.score < 2 * open.gap;
    if (prunes_ & PRUNE_BY_BOUND && (nearly || at_least_ < best_.score)) at_least_ = best_.score;
    cut_ = NEVER;
    find_tie_prices();
    select(bound - at_least_, tops);
    find_unused();
    Node root;
    root.high = {scenario_->bonus, 0};
    root.fought.value = {scenario_->bonus, 0};
    for (const PathTops& tops_of : paths_) root.high += tops_of.unused;
    charge_unused(0, root);
    best_by_position_.clear();
    root.potential = 0;
    for (const Attacker& attacker : vanilla_.attackers)
        root.potential += endings_.damage(attacker.number) * attacker.hits;
    chosen_.assign(scenario_->groups.size(), nullptr);
    branch(0, root);
    open.done = at_least_;
    open.above = cut_;
    if (open.gap != ALL) open.gap *= WIDER;
}

bool Packing::dominated(size_t depth, const Node& node) {
    const Fought& fought = node.fought;
    BestByPosition::Key key{uint64_t(fought.full) << 32 | fought.part,
                            uint64_t(uint16_t(fought.heals)) << 48 | uint64_t(uint16_t(fought.heals_enemy)) << 32 |
                                uint64_t(uint16_t(fought.deaths)) << 16 | uint64_t(depth) << 1 | fought.all_dead,
                            0};
    // A hash, because large boards have more of these than 64 bits.
    const auto add = [&](uint64_t number) {
        key.how = (key.how ^ (number + 1)) * 0x9E3779B97F4A7C15u;
        key.how ^= key.how >> 32;
    };
    if (vanilla_.scarce) {
        const Crowd& crowd = fought.at_taunts;
        add(vanilla_.free_slots + fought.board_deaths > 0);
        add(vanilla_.free_slots + crowd.board_deaths > 0);
        add(uint64_t(crowd.coming) << 32 | uint64_t(crowd.deaths));
    }
    for (uint32_t rest = fought.part; rest; rest &= rest - 1) add(fought.paths[__builtin_ctz(rest)].target[0]);
    if (vanilla_.own_coupled && vanilla_.attackers.back().is_hero)
        for (const int8_t target : fought.paths[vanilla_.attackers.back().number].target) add(target);
    return best_by_position_.worse(key, fought.value);
}

// The paths of attackers with two hits already count these hits as actions.
__int128 Packing::tie_prices(const Option& option) const {
    const uint32_t twice = option.uses & fights_.double_attackers;
    const int hits = __builtin_popcount(twice) + __builtin_popcount(option.again & twice);
    __int128 paid = -hits * vanilla_.by_action;
    for (uint32_t rest = option.uses & ~twice; rest; rest &= rest - 1) paid += tie_price_[__builtin_ctz(rest)];
    return paid;
}

void Packing::charge_unused(size_t depth, Node& node) const {
    for (uint32_t rest = last_chance_[depth] & ~node.fought.full; rest; rest &= rest - 1) {
        const int attacker = __builtin_ctz(rest);
        node.high += Value{-unused_loss_[attacker], -tie_gain_[attacker]};
    }
}

bool Packing::too_little(const Value& upper) {
    if (upper.score < at_least_) cut_ = std::max(cut_, upper.score);
    return upper <= best_ || upper.score < at_least_;
}

void Packing::branch(size_t depth, const Node& node) {
    if (!limit_.consume()) stopped_ = true;
    if (stopped_ || --branches_left_ < 0) return;
    if (depth == groups_.size()) return leaf(node);
    if (depth && prunes_ & PRUNE_DOMINATED && !visit_ && dominated(depth, node)) return;
    const bool bounded = prunes_ & PRUNE_BY_BOUND;
    for (const Candidate& candidate : groups_[depth]) {
        if (branches_left_ < 0) return;
        const Value high = node.high + candidate.left;
        if (bounded) {
            const Value upper = high + after_[depth + 1];
            if (too_little(upper)) break;
        }
        const Option& option = *candidate.option;
        const Fought& fought = node.fought;
        if (option.uses & fought.full || option.again & fought.part) continue;
        if (!can_pay(option.uses | fought.full | fought.part)) continue;
        Node next = node;
        next.high = high;
        next.fought.value += option.value;
        next.fought.full |= option.uses & ~fights_.double_attackers;
        next.fought.deaths += option.deaths;
        next.fought.board_deaths += option.board_deaths;
        if (vanilla_.lives[first_life_[indices_[depth]]].taunts) {
            Crowd& crowd = next.fought.at_taunts;
            crowd.coming +=
                __builtin_popcount(option.uses & ~option.second & ~fights_.double_attackers & endings_.from_hand());
            crowd.deaths += option.deaths;
            crowd.board_deaths += option.board_deaths;
        }
        next.fought.heals += option.heals;
        next.fought.heals_enemy += option.heals_enemy;
        next.fought.all_dead &= option.dead;
        if (scenario_->lethal) {
            for (uint32_t rest = option.uses; rest; rest &= rest - 1)
                next.potential -= endings_.damage(__builtin_ctz(rest));
            for (uint32_t rest = option.again; rest; rest &= rest - 1)
                next.potential -= endings_.damage(__builtin_ctz(rest));
            if (next.potential < endings_.needed(next.fought.heals_enemy)) continue;
        }
        chosen_[indices_[depth]] = &option;
        const int life = first_life_[indices_[depth]];
        if (vanilla_.own_coupled && option.uses && vanilla_.attackers.back().is_hero) {
            const Attacker& hero = vanilla_.attackers.back();
            const uint32_t bit = 1u << hero.number;
            if (option.uses & bit & ~fights_.double_attackers)
                next.fought.paths[hero.number] = {1, {int8_t(option.second & bit ? life + 1 : life), -1}};
        }
        assign(depth, next, option, option.uses & fights_.double_attackers);
    }
}

// Attackers with two hits, one by one: their fate is known with the second hit.
void Packing::assign(size_t depth, Node& node, const Option& option, uint32_t doubles) {
    if (!doubles) {
        charge_unused(depth + 1, node);
        if (prunes_ & PRUNE_BY_BOUND) {
            const Value upper = node.high + after_[depth + 1];
            if (too_little(upper)) return;
        }
        return branch(depth + 1, node);
    }
    const Attacker& attacker = vanilla_.attackers[__builtin_ctz(doubles)];
    const uint32_t bit = 1u << attacker.number, later = doubles & (doubles - 1);
    const PathTops& tops = paths_[attacker.number];
    const bool begun = node.fought.part & bit;
    const int first = first_life_[indices_[depth]], life = option.second & bit ? first + 1 : first;
    const auto both = [&](int a, int b, Node next) {
        const Outcome& outcome = vanilla_.twice(attacker, a, b);
        if (!outcome.possible) return;
        next.high += tops.done[a * vanilla_.targets() + b] -
                     (begun ? tops.begun[node.fought.paths[attacker.number].target[0]] : tops.unused);
        next.fought.value += outcome.own;
        next.fought.full |= bit;
        next.fought.part &= ~bit;
        endings_.count_slot(attacker, outcome, a, b, next.fought);
        next.fought.heals_enemy += outcome.heals_enemy;
        next.fought.paths[attacker.number] = {2, {int8_t(a), int8_t(b)}};
        assign(depth, next, option, later);
    };
    if (option.again & bit) {
        both(option.second_twice & bit ? life : first, option.second & bit ? first + 1 : first, node);
        return;
    }
    if (begun) {
        const int earlier = node.fought.paths[attacker.number].target[0];
        const Outcome &there = vanilla_.twice(attacker, earlier, life), &back = vanilla_.twice(attacker, life, earlier);
        const bool same = there.possible && back.possible && there.dies == back.dies &&
                          there.heals_enemy == back.heals_enemy && there.damage_taken == back.damage_taken;
        const bool dominated = same && prunes_ & PRUNE_DOMINATED;
        if (!dominated || back.own <= there.own) both(earlier, life, node);
        if (!dominated || back.own > there.own) both(life, earlier, node);
        return;
    }
    Node next = node;
    next.high += tops.begun[life] - tops.unused;
    next.fought.part |= bit;
    next.fought.paths[attacker.number] = {1, {int8_t(life), -1}};
    assign(depth, next, option, later);
}

void Packing::leaf(const Node& node) {
    Fought fought = node.fought;
    if (!endings_.settle(fought, scenario_->face)) return;
    if (fought.all_dead && !scenario_->groups.empty() && scenario_->bonus == 0)
        fought.value.score += vanilla_.turn.weights.board_clear;
    const bool bounded = prunes_ & PRUNE_BY_BOUND;
    for (const auto& [left, hand] : by_hand_) {
        if (bounded) {
            const int64_t upper = node.high.score + left + rest_;
            if (upper < at_least_) cut_ = std::max(cut_, upper);
            if (upper < best_.score || upper < at_least_) break;
        }
        if (!endings_.fits(fought, *hand)) continue;
        branches_left_ -= BRANCHES_PER_END;
        if (visit_) {
            const auto visit = [&](const Choice& choice) {
                if (choice.value.score >= before_) return;  // already visited
                Choice complete = choice;
                complete.options = chosen_;
                (*visit_)(complete);
            };
            const int64_t lower = bounded ? at_least_ : NEVER;
            cut_ = std::max(cut_,
                            endings_.all_ends(fought, *hand, scenario_->face, scenario_->lethal, best_, lower, visit));
        } else if (endings_.best_end(fought, *hand, scenario_->face, scenario_->lethal, best_, *found_)) {
            found_->options = chosen_;
            best_ = found_->value;
            any_ = true;
        }
    }
}

bool Packing::best_choice(Choice& found, int64_t floor) {
    found_ = &found;
    visit_ = nullptr;
    // Ending the turn at once earns nothing more, and is possible where the hard rules allow it.
    any_ = floor <= 0 && end_allowed(vanilla_.turn, vanilla_.state);
    // With the lowest tie-break, so that every choice which claims the floor is better.
    best_ = any_ ? Value{} : Value{std::max(NEVER, floor), LOWEST_TIE};
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
