#include "vanilla/endings.hpp"

namespace planner::vanilla {

namespace {

constexpr size_t MOST_HANDS = 50'000;
constexpr int32_t MOST_HARM = 2'000;  // of the enemy hero's health, where blows on him are chosen by the harm they do

struct HandLister {
    const Bodies& bodies;
    std::vector<Hand>& hands;
    int most;  // cards

    bool all(size_t next, const Hand& hand, int32_t mana) {
        if (hands.size() >= MOST_HANDS) return false;
        hands.push_back(hand);
        for (size_t place = next; place < bodies.cards.size(); ++place) {
            const Playable& card = bodies.cards[place];
            if (card.cost > mana || hand.count >= most) continue;
            if (!all(place + 1, with(hand, place), mana - card.cost)) return false;
        }
        return true;
    }
    Hand with(Hand hand, size_t place) const {
        const Playable& card = bodies.cards[place];
        hand.value += card.value;
        hand.cards |= 1u << place;
        if (card.fighter >= 0) hand.fighters |= 1u << card.fighter;
        ++hand.count;
        return hand;
    }
};

}  // namespace

// Cards that only stand there are a knapsack for each amount of mana and number of cards; those that fight are listed.
bool list_hands(const Bodies& bodies, bool best_only, std::vector<Hand>& hands) {
    const int hand_size = bodies.state.me().hand.size();
    HandLister lister{bodies, hands, std::max(0, hand_size - bodies.turn.hard_rules.keep_cards)};
    if (!best_only) return lister.all(0, Hand{}, bodies.mana);
    const int cards = static_cast<int>(bodies.cards.size());
    const bool counted = cards > bodies.room || cards > lister.most || bodies.turn.hard_rules.keep_minions > 0;
    int64_t total = 0;
    for (const Playable& card : bodies.cards) total += card.cost;
    const int32_t mana = static_cast<int32_t>(std::min<int64_t>(std::max(0, bodies.mana), total));
    if (mana > 1'000) return false;
    const int counts = counted ? cards + 1 : 1, width = counts;
    struct Entry {
        bool known = false;
        Hand hand;
    };
    std::vector<Entry> best((mana + 1) * width);
    best[0].known = true;
    for (int place = 0; place < cards; ++place) {
        const Playable& card = bodies.cards[place];
        if (card.fighter >= 0 || (card.value <= Value{} && !bodies.turn.hard_rules.keep_minions)) continue;
        for (int32_t spent = mana - card.cost; spent >= 0; --spent)
            for (int count = counts - 1; count-- > (counted ? 0 : -1);) {
                const int from = counted ? count : 0;
                const Entry& entry = best[spent * width + from];
                if (!entry.known) { if (!counted) break; continue; }
                Entry& to = best[(spent + card.cost) * width + (counted ? from + 1 : 0)];
                const Hand grown = lister.with(entry.hand, place);
                if (!to.known || grown.value > to.hand.value) to = {true, grown};
                if (!counted) break;
            }
    }
    std::vector<Hand> fighting;
    {
        HandLister fighters{bodies, fighting, lister.most};
        struct Walk {
            static bool go(HandLister& lister, int next, const Hand& hand, int32_t mana) {
                if (lister.hands.size() >= MOST_HANDS) return false;
                lister.hands.push_back(hand);
                for (int place = next; place < static_cast<int>(lister.bodies.cards.size()); ++place) {
                    const Playable& card = lister.bodies.cards[place];
                    if (card.fighter < 0 || card.cost > mana || hand.count >= lister.most) continue;
                    if (!go(lister, place + 1, lister.with(hand, place), mana - card.cost)) return false;
                }
                return true;
            }
        };
        if (!Walk::go(fighters, 0, Hand{}, mana)) return false;
    }
    for (const Hand& fighters : fighting) {
        int32_t left = mana;
        for (int place = 0; place < cards; ++place)
            if (fighters.cards >> place & 1) left -= bodies.cards[place].cost;
        for (int count = 0; count < counts; ++count) {
            const Entry* found = nullptr;
            for (int32_t spent = 0; spent <= left; ++spent) {
                const Entry& entry = best[spent * width + count];
                if (entry.known && (!found || entry.hand.value > found->hand.value)) found = &entry;
            }
            if (!found || fighters.count + found->hand.count > lister.most) continue;
            hands.push_back({fighters.value + found->hand.value, fighters.fighters, fighters.cards | found->hand.cards,
                             fighters.count + found->hand.count});
        }
    }
    return hands.size() <= MOST_HANDS;
}

Endings::Endings(const Bodies& bodies) : bodies_(bodies) {
    const Hero& hero = bodies.state.enemy().hero;
    const Weights& w = bodies.turn.weights;
    whole_ = hero.health + hero.armor;
    missing_ = hero.max_health - hero.health;
    for (const Fighter& fighter : bodies.fighters) {
        if (fighter.card >= 0) from_hand_ |= 1u << fighter.number;
        const int target = bodies.hero_target();
        const int64_t blow = (w.face_damage + std::max<int64_t>(0, -w.enemy_health) + std::max<int64_t>(0, w.overkill)) *
                                 fighter.attack +
                             (bodies.own_coupled && fighter.keywords & LIFESTEAL
                                  ? std::max<int64_t>(0, w.own_health) * fighter.attack
                                  : 0);
        bool reaches = fighter.once[target].possible;
        for (int first = 0; fighter.blows > 1 && first < bodies.targets(); ++first)
            reaches |= bodies.twice(fighter, first, target).possible;
        face_blow_[fighter.number] = blow;
        most_by_face_[fighter.number] = reaches && fighter.blows == 1 ? std::max<int64_t>(0, fighter.once[target].own.worth + blow) : 0;
        harm_[fighter.number] = reaches ? fighter.attack : 0;
    }
}

void Endings::count_place(const Fighter& fighter, const Outcome& outcome, int first, int last, Fought& fought) const {
    const auto guards = [&](int target) { return target < bodies_.hero_target() && bodies_.lives[target].guards; };
    const bool on_board = fighter.card < 0;
    fought.deaths += outcome.dies;
    fought.board_deaths += outcome.dies && on_board;
    if (guards(first)) fought.at_guards.coming += !on_board;
    if (!outcome.dies || !guards(last)) return;
    ++fought.at_guards.deaths;
    fought.at_guards.board_deaths += on_board;
}

bool Endings::settle(Fought& fought, bool face) const {
    for (uint32_t rest = fought.part; rest; rest &= rest - 1) {
        const Fighter& fighter = bodies_.fighters[__builtin_ctz(rest)];
        const int target = fought.paths[fighter.number].target[0];
        const Outcome& once = fighter.once[target];
        if (once.possible) {
            fought.value += once.own;
            count_place(fighter, once, target, target, fought);
            fought.heals_enemy += once.heals_enemy;
        } else if (!face || !bodies_.twice(fighter, bodies_.hero_target(), target).possible) {
            return false;
        }
    }
    return true;
}

bool Endings::fits(const Fought& fought, const Hand& hand) const {
    const uint32_t struck = fought.full | fought.part;
    if (struck & from_hand_ & ~hand.fighters) return false;
    // Whoever fights a guard does so before any fight with others.
    if (!Crowd{hand.count, fought.deaths, fought.board_deaths}.fits(bodies_.room)) return false;
    if (!fought.at_guards.fits(bodies_.room)) return false;
    return bodies_.state.me().board.size() + hand.count - fought.deaths >= bodies_.turn.hard_rules.keep_minions;
}

Endings::Swing Endings::swing_of(const Fought& fought, const Fighter& fighter, bool face) const {
    const Weights& w = bodies_.turn.weights;
    const int hero = bodies_.hero_target();
    const bool heals = bodies_.own_coupled && fighter.keywords & LIFESTEAL;
    const Value blow{w.face_damage * fighter.attack + (heals ? std::max<int64_t>(0, w.own_health) * fighter.attack : 0),
                     -bodies_.by_action};
    Swing swing{};
    swing.fighter = fighter.number;
    swing.attack = fighter.attack;
    swing.heals = heals;
    swing.most = 0;
    const Path& struck = fought.paths[fighter.number];
    if (fought.part >> fighter.number & 1) {
        const int target = struck.target[0];
        const Outcome& once = fighter.once[target];
        swing.path[0] = struck;
        if (!once.possible) swing.least = 1;
        if (!face) return swing;
        const Value settled = once.possible ? once.own : Value{};
        const Outcome &after = bodies_.twice(fighter, target, hero), &before = bodies_.twice(fighter, hero, target);
        if (!after.possible && !before.possible) return swing;
        swing.strikes[2] = 1;
        for (const bool hero_first : {false, true}) {
            const Outcome& both = hero_first ? before : after;
            if (!both.possible) continue;
            const int way = ++swing.most;
            swing.value[way] = both.own - settled + blow;
            swing.path[way] = {2, {int8_t(hero_first ? hero : target), int8_t(hero_first ? target : hero)}};
            swing.goes_on[way] = hero_first;
        }
        return swing;
    }
    if (!face || !fighter.once[hero].possible) return swing;
    swing.most = 1;
    swing.value[1] = fighter.once[hero].own + blow;
    swing.path[1] = {1, {int8_t(hero), -1}};
    if (fighter.blows > 1 && bodies_.twice(fighter, hero, hero).possible) {
        swing.most = 2;
        swing.value[2] = bodies_.twice(fighter, hero, hero).own + blow + blow;
        swing.path[2] = {2, {int8_t(hero), int8_t(hero)}};
    }
    return swing;
}

int Endings::list_swings(const Fought& fought, const Hand& hand, bool face, Swing* swings) const {
    int count = 0;
    for (const Fighter& fighter : bodies_.fighters) {
        const uint32_t bit = 1u << fighter.number;
        if (fought.full & bit || (fighter.card >= 0 && !(hand.fighters & bit))) continue;
        const Swing swing = swing_of(fought, fighter, face);
        if (swing.most || swing.least || fought.part & bit) swings[count++] = swing;
    }
    // The weakest first: then the others leave him alive if they can.
    std::stable_sort(swings, swings + count, [](const Swing& a, const Swing& b) { return a.attack < b.attack; });
    return count;
}

int64_t Endings::face_worth(int32_t harm, int32_t healed, bool lethal) const {
    const Weights& w = bodies_.turn.weights;
    const Hero& hero = bodies_.state.enemy().hero;
    if (lethal) {
        const int32_t before = w.overkill < 0 ? whole_ + healed : needed(healed);
        return w.lethal - w.enemy_health * whole_ + w.overkill * std::max(0, harm - before);
    }
    if (w.enemy_health <= 0) return w.enemy_health * (std::min(healed, missing_) - harm);
    return w.enemy_health * (std::min(whole_ + healed - harm, hero.max_health + std::max(0, hero.armor - harm)) - whole_);
}

// Our hero's health in the best order, in the place of the sum over blows that has been counted so far.
bool Endings::own_claim(int32_t heals, int32_t wounds, Value& value, bool& lives) const {
    const int64_t w = bodies_.turn.weights.own_health;
    const Hero& hero = bodies_.state.me().hero;
    const int64_t whole = hero.health + hero.armor;
    const bool must_live = bodies_.turn.hard_rules.hero_must_live;
    int64_t end = std::min<int64_t>(hero.max_health, hero.health + heals) + hero.armor;
    lives = true;
    if (wounds) {
        const int64_t highest = std::min<int64_t>(whole - wounds + heals, hero.max_health + std::max(0, hero.armor - wounds));
        lives = wounds < whole + heals && (wounds < whole || w >= 0 || must_live);
        end = !lives ? 0 : w > 0 ? std::max<int64_t>(1, highest) : std::max<int64_t>(1, whole - wounds);
    }
    if (!lives && must_live) return false;
    value.worth += w * (end - whole) - std::max<int64_t>(0, w) * heals + w * std::min<int64_t>(wounds, whole);
    if (!lives) value.tie -= bodies_.by_life;
    return true;
}

bool Endings::finish(const Fought& fought, const Hand& hand, const Swing* swings, int count, const int* blows, Value value,
                     bool lethal, Choice& found) const {
    value += fought.value + hand.value;
    bool lives = true;
    if (bodies_.own_coupled) {
        int32_t heals = fought.heals, wounds = 0;
        for (int place = 0; place < count; ++place)
            if (swings[place].heals) heals += swings[place].harm(blows[place]);
        const Fighter& last = bodies_.fighters.back();
        if (last.is_hero) {
            Path path = fought.paths[last.number];
            for (int place = 0; place < count; ++place)
                if (swings[place].fighter == last.number && blows[place]) path = swings[place].path[blows[place]];
            if (path.count == 1) wounds = last.once[path.target[0]].wounds;
            if (path.count == 2) wounds = bodies_.twice(last, path.target[0], path.target[1]).wounds;
        }
        if (!own_claim(heals, wounds, value, lives)) return false;
    }
    found.value = value;
    found.hand = hand;
    found.lethal = lethal;
    found.lives = lives;
    std::copy(fought.paths, fought.paths + bodies_.fighters.size(), found.paths);
    for (int place = 0; place < count; ++place)
        if (blows[place]) found.paths[swings[place].fighter] = swings[place].path[blows[place]];
    return true;
}

// The blow that kills is the strongest of those after which nobody goes on: those who do go first. Where a fighter may
// or may not, both are tried.
bool Endings::choose_lethal(const Fought& fought, const Swing* swings, int count, int* blows, Value& value) const {
    uint32_t either = 0;
    for (int place = 0; place < count; ++place)
        if (swings[place].most == 2 && swings[place].goes_on[2]) either |= 1u << place;
    bool any = false;
    for (uint32_t going = either;; going = (going - 1) & either) {
        Swing sorted[MOST_FIGHTERS];
        int places[MOST_FIGHTERS], number = 0;
        for (const bool first : {true, false})
            for (int place = 0; place < count; ++place) {
                Swing swing = swings[place];
                if (going >> place & 1) swing.least = 2;
                else if (either >> place & 1) swing.most = 1;
                if (swing.least > swing.most) return any;
                if (swing.goes_on[swing.most] != first) continue;
                places[number] = place;
                sorted[number++] = swing;
            }
        int found[MOST_FIGHTERS] = {};
        Value worth;
        if (choose_by_harm(fought, sorted, count, true, found, worth) && (!any || worth > value)) {
            any = true;
            value = worth;
            for (int place = 0; place < count; ++place) blows[places[place]] = found[place];
        }
        if (!going) return any;
    }
}

// A knapsack over the harm done, by those who strike weakest first.
bool Endings::choose_by_harm(const Fought& fought, const Swing* swings, int count, bool lethal, int* blows, Value& value) const {
    struct Entry {
        bool known = false;
        Value value;
        uint64_t chosen = 0;  // two bits for each swing
    };
    const int32_t healed = fought.heals_enemy, alive = whole_ + healed, needs = needed(healed);
    int32_t reach = 0;
    for (int place = 0; place < count; ++place) reach += swings[place].harm(swings[place].most);
    const int32_t top = std::min(alive - 1, reach);
    if (top < 0 || top > MOST_HARM) return false;
    std::vector<Entry> now(top + 1), next;
    now[0].known = true;
    Entry best;
    for (int place = 0; place < count; ++place) {
        const Swing& swing = swings[place];
        next.assign(top + 1, Entry{});
        Entry killed;
        if (best.known && swing.least == 0) killed = best;
        const auto better = [](Entry& entry, const Value& worth, uint64_t chosen) {
            if (!entry.known || worth > entry.value) entry = {true, worth, chosen};
        };
        for (int32_t harm = 0; harm <= top; ++harm) {
            if (!now[harm].known) continue;
            for (int blow = swing.least; blow <= swing.most; ++blow) {
                const int32_t after = harm + swing.harm(blow);
                if (blow && after - swing.attack >= alive) break;
                const Value worth = now[harm].value + swing.value[blow];
                const uint64_t chosen = now[harm].chosen | uint64_t(blow) << 2 * place;
                if (after < alive) better(next[after], worth, chosen);
                if (blow && lethal && after >= needs && !swing.goes_on[blow])
                    better(killed, worth + Value{face_worth(after, healed, true), 0}, chosen);
            }
        }
        best = killed;
        now.swap(next);
    }
    if (!lethal) {
        best = Entry{};
        for (int32_t harm = 0; harm <= top; ++harm) {
            if (!now[harm].known) continue;
            const Value worth = now[harm].value + Value{face_worth(harm, healed, false), 0};
            if (!best.known || worth > best.value) best = {true, worth, now[harm].chosen};
        }
    }
    if (!best.known) return false;
    for (int place = 0; place < count; ++place) blows[place] = best.chosen >> 2 * place & 3;
    value = best.value;
    return true;
}

bool Endings::choose(const Fought& fought, const Hand& hand, const Swing* swings, int count, bool lethal, const Value& floor,
                     Choice& found) const {
    int blows[MOST_FIGHTERS] = {};
    Value value;
    int32_t reach = 0;
    for (int place = 0; place < count; ++place) reach += swings[place].harm(swings[place].most);
    const bool linear = !lethal && reach < whole_ && !(fought.heals_enemy && bodies_.turn.weights.enemy_health);
    if (lethal && !mortal(reach, fought.heals_enemy)) return false;
    if (linear) {
        const int64_t by_harm = bodies_.turn.weights.enemy_health;
        for (int place = 0; place < count; ++place) {
            const Swing& swing = swings[place];
            Value most;
            for (int blow = swing.least; blow <= swing.most; ++blow) {
                const Value worth = swing.value[blow] - Value{by_harm * swing.harm(blow), 0};
                if (blow == swing.least || worth > most) most = worth, blows[place] = blow;
            }
            if (swing.least > swing.most) return false;
            value += most;
        }
    } else if (lethal ? !choose_lethal(fought, swings, count, blows, value)
                      : !choose_by_harm(fought, swings, count, false, blows, value)) {
        return false;
    }
    Choice made;
    if (!finish(fought, hand, swings, count, blows, value, lethal, made) || made.value <= floor) return false;
    made.options.swap(found.options);
    found = made;
    return true;
}

bool Endings::best_end(const Fought& fought, const Hand& hand, bool face, bool lethal, const Value& floor, Choice& found) const {
    Swing swings[MOST_FIGHTERS];
    const int count = list_swings(fought, hand, face, swings);
    if (!bodies_.own_coupled) return choose(fought, hand, swings, count, lethal, floor, found);
    // How much our hero is healed decides what it is worth, so those who heal by striking the enemy's are tried each way.
    int healers[MOST_FIGHTERS], least[MOST_FIGHTERS], most[MOST_FIGHTERS], number = 0;
    for (int place = 0; place < count; ++place) {
        if (!swings[place].heals || swings[place].least == swings[place].most) continue;
        least[number] = swings[place].least, most[number] = swings[place].most;
        swings[place].most = swings[place].least;
        healers[number++] = place;
    }
    Value best = floor;
    bool any = false;
    while (true) {
        if (choose(fought, hand, swings, count, lethal, best, found)) best = found.value, any = true;
        int place = 0;
        for (; place < number; ++place) {
            Swing& swing = swings[healers[place]];
            if (swing.least < most[place]) {
                swing.most = ++swing.least;
                break;
            }
            swing.most = swing.least = least[place];
        }
        if (place == number) return any;
    }
}

int64_t Endings::all_ends(const Fought& fought, const Hand& hand, bool face, bool lethal, const Value& floor, int64_t at_least,
                          const std::function<void(const Choice&)>& visit) const {
    Swing swings[MOST_FIGHTERS];
    const int count = list_swings(fought, hand, face, swings);
    const Weights& w = bodies_.turn.weights;
    const int32_t healed = fought.heals_enemy, alive = whole_ + healed;
    // The most that the swings from each on can add, with what their harm may count for, and the most harm.
    const int64_t by_harm = lethal ? std::max<int64_t>(0, w.overkill) : std::max<int64_t>(0, -w.enemy_health);
    int64_t tops[MOST_FIGHTERS + 1] = {};
    int32_t reach[MOST_FIGHTERS + 1] = {};
    for (int place = count; place-- > 0;) {
        const Swing& swing = swings[place];
        if (swing.least > swing.most) return INT64_MIN;
        int64_t top = INT64_MIN;
        for (int blow = swing.least; blow <= swing.most; ++blow)
            top = std::max(top, swing.value[blow].worth + by_harm * swing.harm(blow));
        tops[place] = tops[place + 1] + top;
        reach[place] = reach[place + 1] + swing.harm(swing.most);
    }
    const int64_t start = fought.value.worth + hand.value.worth + (lethal ? w.lethal - w.enemy_health * whole_ : 0);
    int64_t left_out = INT64_MIN;
    const auto enough = [&](int64_t claim) {
        if (claim < at_least) left_out = std::max(left_out, claim);
        return claim >= at_least && claim >= floor.worth;
    };
    int blows[MOST_FIGHTERS] = {};
    const std::function<void(int, int32_t, int32_t, Value)> go = [&](int next, int32_t harm, int32_t last, Value value) {
        if (lethal ? !mortal(harm + reach[next], healed) : harm >= alive) return;
        if (!enough(start + value.worth + by_harm * harm + tops[next])) return;
        if (next < count) {
            for (int blow = swings[next].least; blow <= swings[next].most; ++blow) {
                blows[next] = blow;
                go(next + 1, harm + swings[next].harm(blow), blow && !swings[next].goes_on[blow] ? swings[next].attack : last,
                   value + swings[next].value[blow]);
            }
            blows[next] = 0;
            return;
        }
        if (lethal && (!last || harm - last >= alive)) return;
        Choice found;
        if (finish(fought, hand, swings, count, blows, value + Value{face_worth(harm, healed, lethal), 0}, lethal, found) &&
            enough(found.value.worth) && found.value > floor)
            visit(found);
    };
    go(0, 0, 0, {});
    return left_out;
}

}  // namespace planner::vanilla
