#include "vanilla/attackers.hpp"

#include <cmath>

namespace planner::vanilla {

constexpr uint32_t UNSEEN = STEALTH | IMMUNE;
constexpr uint32_t OF_BLOWS = POISONOUS | FREEZE | LIFESTEAL;

static bool guards(uint32_t keywords) { return keywords & TAUNT && !(keywords & UNSEEN); }

static Minion as_printed(const Card* card, Id id) {
    Minion minion{};
    minion.card = card;
    minion.attack = card->attack;
    minion.health = minion.max_health = card->health;
    minion.keywords = card->keywords;
    minion.attacks_left = attacks_per_turn(card->keywords);
    minion.id = id;
    minion.fresh = true;
    return minion;
}

Minion from_hand(const HandCard& hand_card) { return as_printed(hand_card.card, hand_card.id); }

Minion reborn(const Minion& minion) {
    Minion back = as_printed(minion.card, minion.id);
    back.health = 1;
    back.keywords &= ~REBORN;
    return back;
}

bool able(const Minion& minion) {
    return minion.attack > 0 && minion.attacks_left > 0 && !(minion.keywords & (FROZEN | CANNOT_ATTACK)) &&
           (!minion.fresh || minion.keywords & (CHARGE | RUSH));
}

bool strike(Minion& attacker, const Minion& target, int32_t& taken) {
    --attacker.attacks_left;
    attacker.keywords &= ~STEALTH;
    taken = 0;
    if (target.attack <= 0 || attacker.keywords & IMMUNE) return true;
    if (attacker.keywords & DIVINE_SHIELD) return attacker.keywords &= ~DIVINE_SHIELD, true;
    taken = target.attack;
    attacker.health -= target.attack;
    if (attacker.health > 0 && !(target.keywords & POISONOUS)) {
        if (target.keywords & FREEZE) attacker.keywords |= FROZEN;
        return true;
    }
    if (!(attacker.keywords & REBORN)) return false;
    attacker = reborn(attacker);
    return true;
}

std::vector<Life> enemy_lives(const State& state) {
    std::vector<Life> lives;
    for (int position = 0; position < state.enemy().board.size(); ++position) {
        const Minion& minion = state.enemy().board[position];
        const bool taunts = guards(minion.keywords);
        lives.push_back({minion, position, false, taunts});
        if (!(minion.keywords & REBORN)) continue;
        const Minion back = reborn(minion);
        // A second life that taunts where the first did not appears in the middle of the turn: that is left to the order
        // of the actions.
        lives.push_back({back, position, true, taunts && guards(back.keywords)});
    }
    return lives;
}

namespace {

// Our hero while it fights.
struct HeroInArms {
    Hero hero;
    Weapon weapon;
    int32_t attack() const { return hero.attack_this_turn + (weapon.card ? weapon.attack : 0); }
    uint32_t keywords() const { return hero.keywords | (weapon.card ? weapon.keywords : 0); }
    bool able() const { return attack() > 0 && hero.attacks_left > 0 && !(hero.keywords & FROZEN); }
    void swing() {
        --hero.attacks_left;
        hero.keywords &= ~STEALTH;
        if (!weapon.card) return;
        const int before = attacks_per_turn(keywords());
        if (--weapon.durability <= 0) weapon = Weapon{};
        const int more = attacks_per_turn(keywords()) - before;
        if (more) hero.attacks_left = std::max(0, hero.attacks_left + more);
    }
};

struct Reader {
    Bodies& bodies;
    const Turn& turn;
    const State& state;
    bool odd = false;
    __int128 radix = 0;
    std::vector<Minion> starts;    // of the fighters, as they begin
    std::vector<__int128> digits;  // of each fighter's first blow, and of its second

    explicit Reader(Bodies& bodies) : bodies(bodies), turn(bodies.turn), state(bodies.state) {}

    bool action_allowed(Id attacker, int64_t attack, uint32_t keywords, bool is_hero, int target) const {
        const HardRules& hard = turn.hard_rules;
        const bool minion = target < bodies.hero_target();
        const Id aim = minion ? bodies.lives[target].minion.id : ENEMY_HERO;
        for (const Action& banned : hard.banned)
            if (banned == Action{Action::attack, attacker, aim}) return false;
        return attack_allowed(hard, attack, is_hero ? nullptr : &keywords, minion ? &bodies.lives[target].minion : nullptr);
    }

    bool reaches(int target, bool is_hero, bool fresh, uint32_t keywords) const {
        if (target < bodies.hero_target()) return bodies.lives[target].reachable();
        return bodies.hero_reachable && (is_hero || !fresh || keywords & CHARGE);
    }

    __int128 digit(int number, int blow, int target) const {
        return digits[2 * number + blow] * (bodies.targets() - target);
    }

    // The target at which a path may not begin if it ends at `then`: guards go first.
    bool in_order(int first, int then) const {
        const bool late = first == bodies.hero_target() || !bodies.lives[first].guards;
        return !(late && then < bodies.hero_target() && bodies.lives[then].guards) && !out_of_lives(first, then);
    }
    bool out_of_lives(int first, int then) const {
        if (first >= bodies.hero_target() || then >= bodies.hero_target()) return false;
        return bodies.lives[first].place == bodies.lives[then].place && bodies.lives[first].second &&
               !bodies.lives[then].second;
    }

    int64_t own_worth(const Minion& minion) const { return own_minion_score(turn, minion); }

    void one_minion(Fighter& fighter, const Minion& start, Outcome* once, std::vector<Outcome>& twice) {
        const int targets = bodies.targets();
        const int64_t idle = own_worth(start);
        for (int target = 0; target < targets; ++target) {
            Minion now = start;
            Outcome& found = once[target];
            if (!able(now) || !reaches(target, false, now.fresh, now.keywords) ||
                !action_allowed(now.id, now.attack, now.keywords, false, target))
                continue;
            if (!blow(now, target, found)) {
                found.own = {-idle, digit(fighter.number, 0, target)};
                continue;
            }
            found.own = {own_worth(now) - idle, digit(fighter.number, 0, target)};
            if (!able(now)) continue;
            if (now.attack != start.attack || (now.keywords ^ start.keywords) & OF_BLOWS) odd = true;
            if (twice.empty()) twice.resize(targets * targets);
            fighter.blows = 2;
            for (int next = 0; next < targets; ++next) {
                Minion then = now;
                Outcome& both = twice[target * targets + next];
                if (!in_order(target, next) || !reaches(next, false, then.fresh, then.keywords) ||
                    !action_allowed(then.id, then.attack, then.keywords, false, next))
                    continue;
                both.heals_enemy = found.heals_enemy;
                const bool lives = blow(then, next, both);
                both.own = {(lives ? own_worth(then) : 0) - idle,
                            digit(fighter.number, 0, target) + digit(fighter.number, 1, next)};
                if (lives && able(then)) odd = true;  // a third blow
            }
        }
    }

    // The attacker after a blow; false where it dies.
    bool blow(Minion& now, int target, Outcome& found) {
        found.possible = true;
        if (target == bodies.hero_target()) {
            --now.attacks_left;
            now.keywords &= ~STEALTH;
            return true;
        }
        int32_t taken = 0;
        const Minion& other = bodies.lives[target].minion;
        found.dies = !strike(now, other, taken);
        if (other.keywords & LIFESTEAL) found.heals_enemy += taken;
        return !found.dies;
    }

    void our_hero(Fighter& fighter, const HeroInArms& start, Outcome* once, std::vector<Outcome>& twice) {
        const int targets = bodies.targets();
        for (int target = 0; target < targets; ++target) {
            HeroInArms now = start;
            Outcome& found = once[target];
            if (!reaches(target, true, false, 0) || !action_allowed(MY_HERO, now.attack(), 0, true, target)) continue;
            hero_blow(now, target, found, digit(fighter.number, 0, target));
            if (!now.able()) continue;
            if (now.attack() != start.attack() || (now.keywords() ^ start.keywords()) & OF_BLOWS) odd = true;
            if (twice.empty()) twice.resize(targets * targets);
            fighter.blows = 2;
            for (int next = 0; next < targets; ++next) {
                HeroInArms then = now;
                Outcome& both = twice[target * targets + next];
                if (!in_order(target, next) || !reaches(next, true, false, 0) ||
                    !action_allowed(MY_HERO, then.attack(), 0, true, next))
                    continue;
                both = found;
                hero_blow(then, next, both, digit(fighter.number, 1, next));
                if (then.able()) odd = true;
            }
        }
    }

    void hero_blow(HeroInArms& now, int target, Outcome& found, __int128 by_target) {
        found.possible = true;
        found.own.tie += by_target;
        const int32_t durability = now.weapon.card ? now.weapon.durability : 0;
        const bool immune = now.hero.keywords & IMMUNE;
        now.swing();
        found.own.worth += turn.weights.weapon_durability * ((now.weapon.card ? now.weapon.durability : 0) - durability);
        if (target == bodies.hero_target() || immune) return;
        const Minion& other = bodies.lives[target].minion;
        if (other.attack <= 0) return;
        if (other.keywords & FREEZE) now.hero.keywords |= FROZEN;
        if (other.keywords & LIFESTEAL) found.heals_enemy += other.attack;
        const int32_t whole = state.me().hero.health + state.me().hero.armor, before = std::min(found.wounds, whole);
        found.wounds += other.attack;
        found.own.worth -= turn.weights.own_health * (std::min(found.wounds, whole) - before);
        bodies.hero_may_die |= found.wounds >= whole;
    }

    bool playable(const HandCard& hand_card) const {
        const HardRules& hard = turn.hard_rules;
        if (hand_card.cost > bodies.mana || hand_card.card->type != Type::minion) return false;
        if (std::find(hard.banned.begin(), hard.banned.end(), Action{Action::play, hand_card.id, NO_ID}) != hard.banned.end())
            return false;
        return std::find(hard.never_played.begin(), hard.never_played.end(), hand_card.card->name) == hard.never_played.end();
    }

    void read_units(HeroInArms& hero) {
        const Player& me = state.me();
        for (const Minion& minion : me.board)
            if (able(minion)) add(minion, -1, false);
        for (const HandCard& hand_card : me.hand) {
            if (!playable(hand_card)) continue;
            const Minion minion = from_hand(hand_card);
            const int card = static_cast<int>(bodies.cards.size());
            bodies.cards.push_back({hand_card.id, hand_card.cost, {}, able(minion) ? static_cast<int>(bodies.fighters.size()) : -1});
            if (able(minion)) add(minion, card, false);
        }
        if (hero.able()) {
            add(Minion{}, -1, true);
            bodies.fighters.back().attack = hero.attack();
            bodies.fighters.back().keywords = hero.keywords() & OF_BLOWS;
        }
    }

    void add(const Minion& minion, int card, bool is_hero) {
        const int number = static_cast<int>(bodies.fighters.size());
        bodies.fighters.push_back({is_hero ? Id(MY_HERO) : minion.id, is_hero, card, minion.attack,
                                  minion.keywords & OF_BLOWS, 1, number, nullptr, nullptr});
        starts.push_back(minion);
    }

    // The fighters by their significance in the tie-break.
    std::vector<int> tie_break_order() const {
        std::vector<int> order;
        for (const Fighter& fighter : bodies.fighters) order.push_back(fighter.number);
        if (!bodies.unit_order) return order;
        const auto rank = [&](int number) {
            const std::vector<Id>& ids = *bodies.unit_order;
            return std::find(ids.begin(), ids.end(), bodies.fighters[number].id) - ids.begin();
        };
        std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return rank(a) < rank(b); });
        return order;
    }

    // Digits from the least significant: blows of the last fighter, ..., cards, actions. Two for each fighter.
    bool read_digits() {
        radix = bodies.targets() + 1;
        const int blows = static_cast<int>(2 * bodies.fighters.size()), cards = static_cast<int>(bodies.cards.size());
        if (blows * std::log2(bodies.targets() + 1) + cards + 8 > MOST_TIE_BITS) return false;
        digits.assign(blows, 0);
        __int128 unit = 1;
        const std::vector<int> order = tie_break_order();
        for (size_t rank = order.size(); rank-- > 0;)
            for (int number = 2; number-- > 0; unit *= radix) digits[2 * order[rank] + number] = unit;
        std::vector<__int128> by_card(cards);
        for (int place = cards; place-- > 0; unit *= 2) by_card[place] = unit;
        bodies.by_action = unit;
        bodies.by_life = unit * (blows + cards + 1);
        const Weights& w = turn.weights;
        int place = 0;
        for (const HandCard& hand_card : state.me().hand) {
            if (!playable(hand_card)) continue;
            const int64_t worth = w.card_value * hand_card.value + own_worth(from_hand(hand_card)) - w.mana_unused * hand_card.cost -
                                  (hand_card.echo ? 0 : w.cards_in_hand);
            bodies.cards[place].value = {worth, by_card[place] - bodies.by_action};
            ++place;
        }
        return true;
    }

    bool read() {
        const Player &me = state.me(), &enemy = state.enemy();
        bodies.hero_reachable = !(enemy.hero.keywords & UNSEEN);
        bodies.mana = me.mana - turn.hard_rules.keep_mana;
        bodies.room = turn.rules.board_limit - me.board.size();
        bodies.lives = enemy_lives(state);
        HeroInArms hero{me.hero, me.weapon};
        read_units(hero);
        if (bodies.lives.size() > MOST_LIVES || bodies.fighters.size() > MOST_FIGHTERS || !read_digits()) return false;
        const int targets = bodies.targets();
        std::vector<std::vector<Outcome>> twice(bodies.fighters.size());
        std::vector<Outcome> once(targets * bodies.fighters.size());
        for (Fighter& fighter : bodies.fighters) {
            Outcome* mine = once.data() + fighter.number * targets;
            if (fighter.is_hero) our_hero(fighter, hero, mine, twice[fighter.number]);
            else one_minion(fighter, starts[fighter.number], mine, twice[fighter.number]);
        }
        if (odd) return false;
        size_t total = once.size();
        for (const auto& paths : twice) total += paths.size();
        bodies.outcomes.reserve(total);
        bodies.outcomes = std::move(once);
        for (const auto& paths : twice) bodies.outcomes.insert(bodies.outcomes.end(), paths.begin(), paths.end());
        const Outcome* next = bodies.outcomes.data() + targets * bodies.fighters.size();
        bool heals = false;
        for (Fighter& fighter : bodies.fighters) {
            fighter.once = bodies.outcomes.data() + fighter.number * targets;
            if (!twice[fighter.number].empty()) fighter.twice = next, next += targets * targets;
            heals |= (fighter.keywords & LIFESTEAL) != 0;
        }
        int64_t reach = 0;  // of all blows on the enemy hero together
        for (const Fighter& fighter : bodies.fighters) reach += int64_t(fighter.attack) * fighter.blows;
        const bool matters = reach >= enemy.hero.health + enemy.hero.armor || turn.weights.enemy_health;
        bodies.scarce = static_cast<int>(bodies.cards.size()) > bodies.room;
        for (const Life& life : bodies.lives)
            bodies.enemy_heals |= matters && life.minion.keywords & LIFESTEAL && life.minion.attack > 0 && life.reachable();
        bodies.own_coupled = bodies.hero_may_die || (heals && turn.weights.own_health != 0);
        return me.hero.health <= me.hero.max_health && enemy.hero.health <= enemy.hero.max_health;
    }
};

}  // namespace

bool read_bodies(Bodies& bodies) { return Reader(bodies).read(); }

}  // namespace planner::vanilla
