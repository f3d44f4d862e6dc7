#include "vanilla/endings.hpp"

namespace planner::vanilla {

namespace {

constexpr size_t MAX_HANDS = 50'000;

// Lists every set of cards, or of cards that can attack.
struct HandLister {
    const VanillaTurn& vanilla;
    std::vector<Hand>& hands;
    int upper;  // cards
    bool attackers_only;

    bool list(size_t next, const Hand& hand, int32_t mana) {
        if (hands.size() >= MAX_HANDS) return false;
        hands.push_back(hand);
        for (size_t index = next; index < vanilla.cards.size(); ++index) {
            const Playable& card = vanilla.cards[index];
            if ((attackers_only && card.attacker < 0) || card.cost > mana || hand.count >= upper) continue;
            if (!list(index + 1, with(hand, index), mana - card.cost)) return false;
        }
        return true;
    }
    Hand with(Hand hand, size_t index) const {
        const Playable& card = vanilla.cards[index];
        hand.value += card.value;
        hand.cards |= 1u << index;
        if (card.attacker >= 0) hand.attackers |= 1u << card.attacker;
        ++hand.count;
        return hand;
    }
};

}  // namespace

// Cards that cannot attack are a knapsack for each amount of mana and number of cards; the others are listed.
bool list_hands(const VanillaTurn& vanilla, bool best_only, std::vector<Hand>& hands) {
    const Player& me = vanilla.state.me();
    const int32_t keep_cards = vanilla.turn.hard_rules.keep_cards;
    // An echo copy may always be played, and a list only knows how many cards it plays.
    if (keep_cards && kept_cards(me) < me.hand.size()) return false;
    std::vector<Hand> fighting;
    HandLister lister{vanilla, best_only ? fighting : hands, std::max(0, me.hand.size() - keep_cards), best_only};
    if (!best_only) return lister.list(0, Hand{}, vanilla.mana);
    const int cards = static_cast<int>(vanilla.cards.size());
    const bool counted = cards > vanilla.free_slots || cards > lister.upper || vanilla.turn.hard_rules.keep_minions > 0;
    int64_t total = 0;
    for (const Playable& card : vanilla.cards) total += card.cost;
    const int32_t mana = static_cast<int32_t>(std::min<int64_t>(std::max(0, vanilla.mana), total));
    if (mana > 1'000) return false;
    const int counts = counted ? cards + 1 : 1;
    struct Entry {
        bool known = false;
        Hand hand;
    };
    std::vector<Entry> best((mana + 1) * counts);  // by the mana and, where it matters, the number of cards
    best[0].known = true;
    for (int index = 0; index < cards; ++index) {
        const Playable& card = vanilla.cards[index];
        if (card.attacker >= 0 || (card.value <= Value{} && !vanilla.turn.hard_rules.keep_minions)) continue;
        for (int32_t spent = mana - card.cost; spent >= 0; --spent)
            for (int count = counts - (counted ? 2 : 1); count >= 0; --count) {
                const Entry& entry = best[spent * counts + count];
                if (!entry.known) continue;
                Entry& to = best[(spent + card.cost) * counts + count + counted];
                const Hand grown = lister.with(entry.hand, index);
                if (!to.known || grown.value > to.hand.value) to = {true, grown};
            }
    }
    if (!lister.list(0, Hand{}, mana)) return false;
    for (const Hand& attackers : fighting) {
        int32_t left = mana;
        for (int index = 0; index < cards; ++index)
            if (attackers.cards >> index & 1) left -= vanilla.cards[index].cost;
        for (int count = 0; count < counts; ++count) {
            const Entry* found = nullptr;
            for (int32_t spent = 0; spent <= left; ++spent) {
                const Entry& entry = best[spent * counts + count];
                if (entry.known && (!found || entry.hand.value > found->hand.value)) found = &entry;
            }
            if (!found || attackers.count + found->hand.count > lister.upper) continue;
            hands.push_back({attackers.value + found->hand.value, attackers.attackers,
                             attackers.cards | found->hand.cards, attackers.count + found->hand.count});
        }
    }
    return hands.size() <= MAX_HANDS;
}

Endings::Endings(const VanillaTurn& vanilla) : vanilla_(vanilla) {
    const Hero& hero = vanilla.state.enemy().hero;
    const Weights& w = vanilla.turn.weights;
    full_health_ = hero.health + hero.armor;
    missing_ = hero.max_health - hero.health;
    for (const Attacker& attacker : vanilla.attackers) {
        if (attacker.card >= 0) from_hand_ |= 1u << attacker.number;
        const int target = vanilla.hero_target();
        bool reaches = attacker.once[target].possible;
        for (int first = 0; attacker.hits > 1 && first < vanilla.targets(); ++first)
            reaches |= vanilla.twice(attacker, first, target).possible;
        const bool heals = vanilla.own_coupled && attacker.keywords & LIFESTEAL;
        for (const bool lethal : {false, true}) {
            const int64_t by_damage = w.face_damage + std::max<int64_t>(0, lethal ? w.overkill : -w.enemy_health) +
                                      (heals ? std::max<int64_t>(0, w.own_health) : 0);
            const int64_t hit = by_damage * attacker.attack;
            face_hit_[lethal][attacker.number] = hit;
            max_by_face_[lethal][attacker.number] =
                reaches && attacker.hits == 1 ? std::max<int64_t>(0, attacker.once[target].own.score + hit) : 0;
        }
        damage_[attacker.number] = reaches ? attacker.attack : 0;
    }
}

void Endings::count_slot(const Attacker& attacker, const Outcome& outcome, int first, int last, Fought& fought) const {
    const auto at_taunt = [&](int target) { return target < vanilla_.hero_target() && vanilla_.lives[target].taunts; };
    const bool on_board = attacker.card < 0;
    fought.deaths += outcome.dies;
    fought.board_deaths += outcome.dies && on_board;
    if (at_taunt(first)) fought.at_taunts.coming += !on_board;
    if (!outcome.dies || !at_taunt(last)) return;
    ++fought.at_taunts.deaths;
    fought.at_taunts.board_deaths += on_board;
}

bool Endings::settle(Fought& fought, bool face) const {
    for (uint32_t rest = fought.part; rest; rest &= rest - 1) {
        const Attacker& attacker = vanilla_.attackers[__builtin_ctz(rest)];
        const int target = fought.paths[attacker.number].target[0];
        const Outcome& once = attacker.once[target];
        if (once.possible) {
            fought.value += once.own;
            count_slot(attacker, once, target, target, fought);
            fought.heals_enemy += once.heals_enemy;
        } else if (!face || !vanilla_.twice(attacker, vanilla_.hero_target(), target).possible) {
            return false;
        }
    }
    return true;
}

bool Endings::fits(const Fought& fought, const Hand& hand) const {
    const uint32_t used = fought.full | fought.part;
    if (used & from_hand_ & ~hand.attackers) return false;
    // Fights with taunt minions come before all others.
    if (!Crowd{hand.count, fought.deaths, fought.board_deaths}.fits(vanilla_.free_slots)) return false;
    if (!fought.at_taunts.fits(vanilla_.free_slots)) return false;
    return vanilla_.state.me().board.size() + hand.count - fought.deaths >= vanilla_.turn.hard_rules.keep_minions;
}

Endings::FaceOption Endings::face_option_of(const Fought& fought, const Attacker& attacker, bool face) const {
    const Weights& w = vanilla_.turn.weights;
    const int hero = vanilla_.hero_target();
    const bool heals = vanilla_.own_coupled && attacker.keywords & LIFESTEAL;
    const Value hit{
        w.face_damage * attacker.attack + (heals ? std::max<int64_t>(0, w.own_health) * attacker.attack : 0),
        -vanilla_.by_action};
    FaceOption face_option{};
    face_option.attacker = attacker.number;
    face_option.attack = attacker.attack;
    face_option.heals = heals;
    face_option.upper = 0;
    const Path& path = fought.paths[attacker.number];
    if (fought.part >> attacker.number & 1) {
        const int target = path.target[0];
        const Outcome& once = attacker.once[target];
        face_option.path[0] = path;
        if (!once.possible) face_option.lower = 1;
        if (!face) return face_option;
        const Value settled = once.possible ? once.own : Value{};
        const Outcome &after = vanilla_.twice(attacker, target, hero), &before = vanilla_.twice(attacker, hero, target);
        if (!after.possible && !before.possible) return face_option;
        face_option.hits[2] = 1;
        for (const bool hero_first : {false, true}) {
            const Outcome& both = hero_first ? before : after;
            if (!both.possible) continue;
            const int scenario = ++face_option.upper;
            face_option.value[scenario] = both.own - settled + hit;
            face_option.path[scenario] = {2, {int8_t(hero_first ? hero : target), int8_t(hero_first ? target : hero)}};
            face_option.goes_on[scenario] = hero_first;
        }
        return face_option;
    }
    if (!face || !attacker.once[hero].possible) return face_option;
    face_option.upper = 1;
    face_option.value[1] = attacker.once[hero].own + hit;
    face_option.path[1] = {1, {int8_t(hero), -1}};
    if (attacker.hits > 1 && vanilla_.twice(attacker, hero, hero).possible) {
        face_option.upper = 2;
        face_option.value[2] = vanilla_.twice(attacker, hero, hero).own + hit + hit;
        face_option.path[2] = {2, {int8_t(hero), int8_t(hero)}};
    }
    return face_option;
}

std::vector<Endings::FaceOption> Endings::list_face_options(const Fought& fought, const Hand& hand, bool face) const {
    std::vector<FaceOption> face_options;
    face_options.reserve(vanilla_.attackers.size());
    for (const Attacker& attacker : vanilla_.attackers) {
        const uint32_t bit = 1u << attacker.number;
        if (fought.full & bit || (attacker.card >= 0 && !(hand.attackers & bit))) continue;
        const FaceOption face_option = face_option_of(fought, attacker, face);
        if (face_option.upper || face_option.lower || fought.part & bit) face_options.push_back(face_option);
    }
    // The weakest first: then all but the last leave him alive if they can.
    std::sort(face_options.begin(), face_options.end(), [](const FaceOption& a, const FaceOption& b) {
        return a.attack != b.attack ? a.attack < b.attack : a.attacker < b.attacker;
    });
    return face_options;
}

int64_t Endings::face_score(int32_t damage, int32_t healed, bool lethal) const {
    const Weights& w = vanilla_.turn.weights;
    const Hero& hero = vanilla_.state.enemy().hero;
    if (lethal) {
        const int32_t before = w.overkill < 0 ? full_health_ + healed : needed(healed);
        return w.lethal - w.enemy_health * full_health_ + w.overkill * std::max(0, damage - before);
    }
    if (w.enemy_health <= 0) return w.enemy_health * (std::min(healed, missing_) - damage);
    return w.enemy_health *
           (std::min(full_health_ + healed - damage, hero.max_health + std::max(0, hero.armor - damage)) -
            full_health_);
}

// Counts our hero's health in the best order, instead of the sum over hits that was counted so far.
bool Endings::own_claim(int32_t heals, int32_t damage_taken, Value& value, bool& lives) const {
    const int64_t w = vanilla_.turn.weights.own_health;
    const Hero& hero = vanilla_.state.me().hero;
    const int64_t full_health = hero.health + hero.armor;
    const bool must_live = vanilla_.turn.hard_rules.hero_must_live;
    int64_t end = std::min<int64_t>(hero.max_health, hero.health + heals) + hero.armor;
    lives = true;
    if (damage_taken) {
        const int64_t highest = std::min<int64_t>(full_health - damage_taken + heals,
                                                  hero.max_health + std::max(0, hero.armor - damage_taken));
        lives = damage_taken < full_health + heals && (damage_taken < full_health || w >= 0 || must_live);
        end = !lives ? 0 : w > 0 ? std::max<int64_t>(1, highest) : std::max<int64_t>(1, full_health - damage_taken);
    }
    if (!lives && must_live) return false;
    value.score +=
        w * (end - full_health) - std::max<int64_t>(0, w) * heals + w * std::min<int64_t>(damage_taken, full_health);
    if (!lives) value.tie -= vanilla_.by_life;
    return true;
}

bool Endings::finish(const Fought& fought, const Hand& hand, const FaceOption* face_options, int count, const int* hits,
                     Value value, bool lethal, Choice& found) const {
    value += fought.value + hand.value;
    bool lives = true;
    if (vanilla_.own_coupled) {
        int32_t heals = fought.heals, damage_taken = 0;
        for (int index = 0; index < count; ++index)
            if (face_options[index].heals) heals += face_options[index].damage(hits[index]);
        const Attacker& last = vanilla_.attackers.back();
        if (last.is_hero) {
            Path path = fought.paths[last.number];
            for (int index = 0; index < count; ++index)
                if (face_options[index].attacker == last.number && hits[index])
                    path = face_options[index].path[hits[index]];
            if (path.count == 1) damage_taken = last.once[path.target[0]].damage_taken;
            if (path.count == 2) damage_taken = vanilla_.twice(last, path.target[0], path.target[1]).damage_taken;
        }
        if (!own_claim(heals, damage_taken, value, lives)) return false;
    }
    found.value = value;
    found.hand = hand;
    found.lethal = lethal;
    found.lives = lives;
    std::copy(fought.paths, fought.paths + vanilla_.attackers.size(), found.paths);
    for (int index = 0; index < count; ++index)
        if (hits[index]) found.paths[face_options[index].attacker] = face_options[index].path[hits[index]];
    return true;
}

// The hit that kills is the strongest of those whose attackers do not attack again. Where an attacker may or may not
// attack again, both are tried.
bool Endings::choose_lethal(const Fought& fought, const FaceOption* face_options, int count, int* hits,
                            Value& value) const {
    uint32_t either = 0;
    for (int index = 0; index < count; ++index)
        if (face_options[index].upper == 2 && face_options[index].goes_on[2]) either |= 1u << index;
    bool any = false;
    std::vector<FaceOption> sorted(count);
    for (uint32_t going = either;; going = (going - 1) & either) {
        int slots[MAX_ATTACKERS], number = 0;
        for (const bool first : {true, false})
            for (int index = 0; index < count; ++index) {
                FaceOption face_option = face_options[index];
                if (going >> index & 1) face_option.lower = 2;
                else if (either >> index & 1) face_option.upper = 1;
                if (face_option.lower > face_option.upper) return any;
                if (face_option.goes_on[face_option.upper] != first) continue;
                slots[number] = index;
                sorted[number++] = face_option;
            }
        int found[MAX_ATTACKERS] = {};
        Value score;
        if (choose_by_damage(fought, sorted.data(), count, true, found, score) && (!any || score > value)) {
            any = true;
            value = score;
            for (int index = 0; index < count; ++index) hits[slots[index]] = found[index];
        }
        if (!going) return any;
    }
}

// A knapsack over the damage, weakest attackers first.
bool Endings::choose_by_damage(const Fought& fought, const FaceOption* face_options, int count, bool lethal, int* hits,
                               Value& value) const {
    struct Entry {
        bool known = false;
        Value value;
        uint64_t chosen = 0;  // two bits for each face option
    };
    const int32_t healed = fought.heals_enemy, alive = full_health_ + healed, needs = needed(healed);
    int32_t reach = 0;
    for (int index = 0; index < count; ++index) reach += face_options[index].damage(face_options[index].upper);
    const int32_t top = std::min(alive - 1, reach);
    if (top < 0 || top > MAX_REACH) return false;
    std::vector<Entry> now(1), next;  // by damage, up to what the options so far can do
    now.reserve(top + 1);
    next.reserve(top + 1);
    now[0].known = true;
    Entry best;
    for (int index = 0; index < count; ++index) {
        const FaceOption& face_option = face_options[index];
        const int32_t reached = static_cast<int32_t>(now.size()) - 1;
        next.assign(std::min(top, reached + face_option.damage(face_option.upper)) + 1, Entry{});
        Entry killed;
        if (best.known && face_option.lower == 0) killed = best;
        const auto better = [](Entry& entry, const Value& score, uint64_t chosen) {
            if (!entry.known || score > entry.value) entry = {true, score, chosen};
        };
        for (int32_t damage = 0; damage <= reached; ++damage) {
            if (!now[damage].known) continue;
            for (int hit = face_option.lower; hit <= face_option.upper; ++hit) {
                const int32_t after = damage + face_option.damage(hit);
                if (hit && after - face_option.attack >= alive) break;
                const Value score = now[damage].value + face_option.value[hit];
                const uint64_t chosen = now[damage].chosen | uint64_t(hit) << 2 * index;
                if (after < alive) better(next[after], score, chosen);
                if (hit && lethal && after >= needs && !face_option.goes_on[hit])
                    better(killed, score + Value{face_score(after, healed, true), 0}, chosen);
            }
        }
        best = killed;
        now.swap(next);
    }
    if (!lethal) {
        best = Entry{};
        for (int32_t damage = 0; damage < static_cast<int32_t>(now.size()); ++damage) {
            if (!now[damage].known) continue;
            const Value score = now[damage].value + Value{face_score(damage, healed, false), 0};
            if (!best.known || score > best.value) best = {true, score, now[damage].chosen};
        }
    }
    if (!best.known) return false;
    for (int index = 0; index < count; ++index) hits[index] = best.chosen >> 2 * index & 3;
    value = best.value;
    return true;
}

// No end scores more: every attacker makes its best choice, whatever damage that adds up to.
int64_t Endings::max_end(const Fought& fought, const Hand& hand, const FaceOption* face_options, int count,
                         bool lethal) const {
    const Weights& w = vanilla_.turn.weights;
    const int64_t by_damage = std::max<int64_t>(0, lethal ? w.overkill : -w.enemy_health);
    int64_t most = fought.value.score + hand.value.score + (lethal ? w.lethal - w.enemy_health * full_health_ : 0);
    if (!lethal && w.enemy_health > 0) most += w.enemy_health * std::min(fought.heals_enemy, missing_);
    for (int index = 0; index < count; ++index) {
        const FaceOption& face_option = face_options[index];
        int64_t best = INT64_MIN;
        for (int hit = face_option.lower; hit <= face_option.upper; ++hit)
            best = std::max(best, face_option.value[hit].score + by_damage * face_option.damage(hit));
        if (face_option.lower <= face_option.upper) most += best;
    }
    return most;
}

bool Endings::choose(const Fought& fought, const Hand& hand, const FaceOption* face_options, int count, bool lethal,
                     const Value& floor, Choice& found) const {
    int hits[MAX_ATTACKERS] = {};
    Value value;
    int32_t reach = 0;
    for (int index = 0; index < count; ++index) reach += face_options[index].damage(face_options[index].upper);
    if (lethal && !mortal(reach, fought.heals_enemy)) return false;
    if (!vanilla_.own_coupled && max_end(fought, hand, face_options, count, lethal) < floor.score) return false;
    if (lethal ? !choose_lethal(fought, face_options, count, hits, value)
               : !choose_by_damage(fought, face_options, count, false, hits, value))
        return false;
    Choice made;
    if (!finish(fought, hand, face_options, count, hits, value, lethal, made) || made.value <= floor) return false;
    made.options.swap(found.options);
    found = made;
    return true;
}

bool Endings::best_end(const Fought& fought, const Hand& hand, bool face, bool lethal, const Value& floor,
                       Choice& found) const {
    std::vector<FaceOption> listed = list_face_options(fought, hand, face);
    FaceOption* const face_options = listed.data();
    const int count = static_cast<int>(listed.size());
    if (!vanilla_.own_coupled) return choose(fought, hand, face_options, count, lethal, floor, found);
    // Our hero's healing decides the score, so attackers with lifesteal are tried with and without a hit on the hero.
    int healers[MAX_ATTACKERS], lower[MAX_ATTACKERS], upper[MAX_ATTACKERS], number = 0;
    for (int index = 0; index < count; ++index) {
        if (!face_options[index].heals || face_options[index].lower == face_options[index].upper) continue;
        lower[number] = face_options[index].lower, upper[number] = face_options[index].upper;
        face_options[index].upper = face_options[index].lower;
        healers[number++] = index;
    }
    Value best = floor;
    bool any = false;
    while (true) {
        if (choose(fought, hand, face_options, count, lethal, best, found)) best = found.value, any = true;
        int index = 0;
        for (; index < number; ++index) {
            FaceOption& face_option = face_options[healers[index]];
            if (face_option.lower < upper[index]) {
                face_option.upper = ++face_option.lower;
                break;
            }
            face_option.upper = face_option.lower = lower[index];
        }
        if (index == number) return any;
    }
}

int64_t Endings::all_ends(const Fought& fought, const Hand& hand, bool face, bool lethal, const Value& floor,
                          int64_t at_least, const std::function<void(const Choice&)>& visit) const {
    const std::vector<FaceOption> face_options = list_face_options(fought, hand, face);
    const int count = static_cast<int>(face_options.size());
    const Weights& w = vanilla_.turn.weights;
    const int32_t healed = fought.heals_enemy, alive = full_health_ + healed;
    // The maximum that the options from each on can add, including the value of their damage, and their maximum damage.
    const int64_t by_damage = lethal ? std::max<int64_t>(0, w.overkill) : std::max<int64_t>(0, -w.enemy_health);
    int64_t tops[MAX_ATTACKERS + 1] = {};
    int32_t reach[MAX_ATTACKERS + 1] = {};
    for (int index = count; index-- > 0;) {
        const FaceOption& face_option = face_options[index];
        if (face_option.lower > face_option.upper) return INT64_MIN;
        int64_t top = INT64_MIN;
        for (int hit = face_option.lower; hit <= face_option.upper; ++hit)
            top = std::max(top, face_option.value[hit].score + by_damage * face_option.damage(hit));
        tops[index] = tops[index + 1] + top;
        reach[index] = reach[index + 1] + face_option.damage(face_option.upper);
    }
    const int64_t start =
        fought.value.score + hand.value.score + (lethal ? w.lethal - w.enemy_health * full_health_ : 0);
    int64_t best_pruned = INT64_MIN;
    const auto enough = [&](int64_t claim) {
        if (claim < at_least) best_pruned = std::max(best_pruned, claim);
        return claim >= at_least && claim >= floor.score;
    };
    int hits[MAX_ATTACKERS] = {};
    const std::function<void(int, int32_t, int32_t, Value)> go = [&](int next, int32_t damage, int32_t last,
                                                                     Value value) {
        if (lethal ? !mortal(damage + reach[next], healed) : damage >= alive) return;
        if (!enough(start + value.score + by_damage * damage + tops[next])) return;
        if (next < count) {
            for (int hit = face_options[next].lower; hit <= face_options[next].upper; ++hit) {
                hits[next] = hit;
                go(next + 1, damage + face_options[next].damage(hit),
                   hit && !face_options[next].goes_on[hit] ? face_options[next].attack : last,
                   value + face_options[next].value[hit]);
            }
            hits[next] = 0;
            return;
        }
        if (lethal && (!last || damage - last >= alive)) return;
        Choice found;
        if (finish(fought, hand, face_options.data(), count, hits, value + Value{face_score(damage, healed, lethal), 0},
                   lethal, found) &&
            enough(found.value.score) && found.value > floor)
            visit(found);
    };
    go(0, 0, 0, {});
    return best_pruned;
}

}  // namespace planner::vanilla
