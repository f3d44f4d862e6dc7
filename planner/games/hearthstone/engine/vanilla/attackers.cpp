#include "vanilla/attackers.hpp"

#include <cmath>

#include "rules/table.hpp"

namespace planner::vanilla {

constexpr uint32_t HIT_KEYWORDS = POISONOUS | FREEZE | LIFESTEAL;

Minion from_hand(const HandCard& hand_card) { return new_minion(*hand_card.card, hand_card.id, 0); }

Minion reborn(const Minion& minion) {
    Minion back = new_minion(*minion.card, minion.id, 0);
    back.health = 1;
    back.keywords &= ~REBORN;
    return back;
}

bool resolve_hit(Minion& attacker, const Minion& target, int32_t& taken) {
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
    lives.reserve(2 * state.enemy().board.size());
    for (int position = 0; position < state.enemy().board.size(); ++position) {
        const Minion& minion = state.enemy().board[position];
        const bool taunts = is_visible_taunt(minion.keywords);
        lives.push_back({minion, position, false, taunts});
        if (!(minion.keywords & REBORN)) continue;
        const Minion back = reborn(minion);
        // A second life that taunts where the first did not appears in the middle of the turn: that is left to the
        // order of the actions.
        lives.push_back({back, position, true, taunts && is_visible_taunt(back.keywords)});
    }
    return lives;
}

namespace {

// Our hero with its weapon.
struct ArmedHero {
    Hero hero;
    Weapon weapon;
    int32_t attack() const { return hero.attack_this_turn + (weapon.card ? weapon.attack : 0); }
    uint32_t keywords() const { return hero.keywords | (weapon.card ? weapon.keywords : 0); }
    bool able() const { return attack() > 0 && hero.attacks_left > 0 && !(hero.keywords & (FROZEN | CANNOT_ATTACK)); }
    void use_attack() {
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
    VanillaTurn& vanilla;
    const Turn& turn;
    const State& state;
    bool odd = false;
    __int128 radix = 0;
    std::vector<Minion> starts;    // of the attackers, at the start
    std::vector<__int128> digits;  // of each attacker's first hit, and of its second

    explicit Reader(VanillaTurn& vanilla) : vanilla(vanilla), turn(vanilla.turn), state(vanilla.state) {}

    bool action_allowed(Id attacker, int64_t attack, uint32_t keywords, bool is_hero, int target) const {
        const HardRules& hard = turn.hard_rules;
        const bool minion = target < vanilla.hero_target();
        const Id aim = minion ? vanilla.lives[target].minion.id : ENEMY_HERO;
        for (const Action& banned : hard.banned)
            if (banned == Action{Action::attack, attacker, aim}) return false;
        return attack_allowed(hard, attack, is_hero ? nullptr : &keywords,
                              minion ? &vanilla.lives[target].minion : nullptr);
    }

    bool reaches(int target, bool is_hero, bool fresh, uint32_t keywords) const {
        if (target < vanilla.hero_target()) return vanilla.lives[target].reachable();
        return vanilla.hero_reachable && (is_hero || !fresh || keywords & CHARGE);
    }

    __int128 digit(int number, int hit, int target) const {
        return digits[2 * number + hit] * (vanilla.targets() - target);
    }

    // Returns whether a path may go from `first` to `then`: taunt minions come first.
    bool in_order(int first, int then) const {
        const bool late = first == vanilla.hero_target() || !vanilla.lives[first].taunts;
        return !(late && then < vanilla.hero_target() && vanilla.lives[then].taunts) && !out_of_lives(first, then);
    }
    bool out_of_lives(int first, int then) const {
        if (first >= vanilla.hero_target() || then >= vanilla.hero_target()) return false;
        return vanilla.lives[first].position == vanilla.lives[then].position && vanilla.lives[first].second &&
               !vanilla.lives[then].second;
    }

    int64_t own_score(const Minion& minion) const { return own_minion_score(turn, minion); }

    // Lists what each path of hits makes of a minion or of our hero.
    template <class Character>
    void list_paths(Attacker& attacker, const Character& start, Outcome* once, std::vector<Outcome>& twice) {
        const int targets = vanilla.targets();
        for (int target = 0; target < targets; ++target) {
            if (!can_hit(start, target)) continue;
            Character now = start;
            Outcome& found = once[target];
            if (!hit(now, start, target, found, digit(attacker.number, 0, target)) || !is_able(now)) continue;
            odd |= !hits_alike(now, start);
            if (twice.empty()) twice.resize(targets * targets);
            attacker.hits = 2;
            for (int next = 0; next < targets; ++next) {
                if (!in_order(target, next) || !can_hit(now, next)) continue;
                Character then = now;
                Outcome& both = twice[target * targets + next] = found;
                // A third hit is not supported.
                odd |= hit(then, start, next, both, digit(attacker.number, 1, next)) && is_able(then);
            }
        }
    }

    bool is_able(const Minion& minion) const { return can_attack(minion, turn.rules); }
    bool is_able(const ArmedHero& hero) const { return hero.able(); }

    static bool hits_alike(const Minion& a, const Minion& b) {
        return a.attack == b.attack && !((a.keywords ^ b.keywords) & HIT_KEYWORDS);
    }
    static bool hits_alike(const ArmedHero& a, const ArmedHero& b) {
        return a.attack() == b.attack() && !((a.keywords() ^ b.keywords()) & HIT_KEYWORDS);
    }

    bool can_hit(const Minion& minion, int target) const {
        return is_able(minion) && reaches(target, false, minion.fresh, minion.keywords) &&
               action_allowed(minion.id, minion.attack, minion.keywords, false, target);
    }
    bool can_hit(const ArmedHero& hero, int target) const {
        return reaches(target, true, false, 0) && action_allowed(MY_HERO, hero.attack(), 0, true, target);
    }

    // Lets the attacker hit the target; returns false where it dies.
    bool hit(Minion& now, const Minion& start, int target, Outcome& found, __int128 by_target) {
        found.possible = true;
        if (target == vanilla.hero_target()) {
            --now.attacks_left;
            now.keywords &= ~STEALTH;
        } else {
            int32_t taken = 0;
            const Minion& other = vanilla.lives[target].minion;
            found.dies = !resolve_hit(now, other, taken);
            if (other.keywords & LIFESTEAL) found.heals_enemy += taken;
        }
        found.own = {(found.dies ? 0 : own_score(now)) - own_score(start), found.own.tie + by_target};
        return !found.dies;
    }

    // What happens to our hero counts together, so it makes its second hit in any case.
    bool hit(ArmedHero& now, const ArmedHero&, int target, Outcome& found, __int128 by_target) {
        found.possible = true;
        found.own.tie += by_target;
        const int32_t durability = now.weapon.card ? now.weapon.durability : 0;
        const bool immune = now.hero.keywords & IMMUNE;
        now.use_attack();
        found.own.score +=
            turn.weights.weapon_durability * ((now.weapon.card ? now.weapon.durability : 0) - durability);
        if (target == vanilla.hero_target() || immune) return true;
        const Minion& other = vanilla.lives[target].minion;
        if (other.attack <= 0) return true;
        if (other.keywords & FREEZE) now.hero.keywords |= FROZEN;
        if (other.keywords & LIFESTEAL) found.heals_enemy += other.attack;
        const int32_t full_health = state.me().hero.health + state.me().hero.armor,
                      before = std::min(found.damage_taken, full_health);
        found.damage_taken += other.attack;
        found.own.score -= turn.weights.own_health * (std::min(found.damage_taken, full_health) - before);
        vanilla.hero_may_die |= found.damage_taken >= full_health;
        return true;
    }

    bool playable(const HandCard& hand_card) const {
        const HardRules& hard = turn.hard_rules;
        if (hand_card.cost > vanilla.mana || hand_card.card->type != Type::minion) return false;
        if (std::find(hard.banned.begin(), hard.banned.end(), Action{Action::play, hand_card.id, NO_ID}) !=
            hard.banned.end())
            return false;
        return std::find(hard.never_played.begin(), hard.never_played.end(), hand_card.card->name) ==
               hard.never_played.end();
    }

    void read_units(ArmedHero& hero) {
        const Player& me = state.me();
        const size_t units = me.board.size() + me.hand.size() + 1;
        vanilla.attackers.reserve(units);
        vanilla.cards.reserve(me.hand.size());
        starts.reserve(units);
        for (const Minion& minion : me.board)
            if (can_attack(minion, turn.rules)) add(minion, -1, false);
        for (const HandCard& hand_card : me.hand) {
            if (!playable(hand_card)) continue;
            const Minion minion = from_hand(hand_card);
            const int card = static_cast<int>(vanilla.cards.size());
            vanilla.cards.push_back({hand_card.id,
                                     hand_card.cost,
                                     {},
                                     can_attack(minion, turn.rules) ? static_cast<int>(vanilla.attackers.size()) : -1});
            if (can_attack(minion, turn.rules)) add(minion, card, false);
        }
        if (hero.able()) {
            add(Minion{}, -1, true);
            vanilla.attackers.back().attack = hero.attack();
            vanilla.attackers.back().keywords = hero.keywords() & HIT_KEYWORDS;
        }
    }

    void add(const Minion& minion, int card, bool is_hero) {
        const int number = static_cast<int>(vanilla.attackers.size());
        vanilla.attackers.push_back({is_hero ? Id(MY_HERO) : minion.id, is_hero, card, minion.attack,
                                     minion.keywords & HIT_KEYWORDS, 1, number, nullptr, nullptr});
        starts.push_back(minion);
    }

    // The attackers by their significance in the tie-break.
    std::vector<int> tie_break_order() const {
        std::vector<int> order;
        for (const Attacker& attacker : vanilla.attackers) order.push_back(attacker.number);
        if (!vanilla.unit_order) return order;
        const auto rank = [&](int number) {
            const std::vector<Id>& ids = *vanilla.unit_order;
            return std::find(ids.begin(), ids.end(), vanilla.attackers[number].id) - ids.begin();
        };
        std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return rank(a) < rank(b); });
        return order;
    }

    // Digits from the least significant: hits of the last attacker, ..., cards, actions. Two for each attacker.
    bool read_digits() {
        radix = vanilla.targets() + 1;
        const int hits = static_cast<int>(2 * vanilla.attackers.size()), cards = static_cast<int>(vanilla.cards.size());
        if (hits * std::log2(vanilla.targets() + 1) + cards + 8 > MAX_TIE_BITS) return false;
        digits.assign(hits, 0);
        __int128 unit = 1;
        const std::vector<int> order = tie_break_order();
        for (size_t rank = order.size(); rank-- > 0;)
            for (int number = 2; number-- > 0; unit *= radix) digits[2 * order[rank] + number] = unit;
        std::vector<__int128> by_card(cards);
        for (int index = cards; index-- > 0; unit *= 2) by_card[index] = unit;
        vanilla.by_action = unit;
        vanilla.by_life = unit * (hits + cards + 1);
        const Weights& w = turn.weights;
        int index = 0;
        for (const HandCard& hand_card : state.me().hand) {
            if (!playable(hand_card)) continue;
            const int64_t score = value_score(w, hand_card.value) + own_score(from_hand(hand_card)) -
                                  w.mana_unused * hand_card.cost - (hand_card.echo ? 0 : w.cards_in_hand);
            vanilla.cards[index].value = {score, by_card[index] - vanilla.by_action};
            ++index;
        }
        return true;
    }

    bool read() {
        const Player &me = state.me(), &enemy = state.enemy();
        vanilla.hero_reachable = !(enemy.hero.keywords & UNTARGETABLE);
        vanilla.mana = me.mana - turn.hard_rules.keep_mana;
        vanilla.free_slots = turn.rules.board_limit - me.board.size();
        vanilla.lives = enemy_lives(state);
        ArmedHero hero{me.hero, me.weapon};
        read_units(hero);
        if (vanilla.lives.size() > MAX_LIVES || vanilla.attackers.size() > MAX_ATTACKERS || !read_digits())
            return false;
        const int targets = vanilla.targets();
        std::vector<std::vector<Outcome>> twice(vanilla.attackers.size());
        std::vector<Outcome> once(targets * vanilla.attackers.size());
        for (Attacker& attacker : vanilla.attackers) {
            Outcome* mine = once.data() + attacker.number * targets;
            if (attacker.is_hero) list_paths(attacker, hero, mine, twice[attacker.number]);
            else list_paths(attacker, starts[attacker.number], mine, twice[attacker.number]);
        }
        if (odd) return false;
        size_t total = once.size();
        for (const auto& paths : twice) total += paths.size();
        vanilla.outcomes.reserve(total);
        vanilla.outcomes = std::move(once);
        for (const auto& paths : twice) vanilla.outcomes.insert(vanilla.outcomes.end(), paths.begin(), paths.end());
        const Outcome* next = vanilla.outcomes.data() + targets * vanilla.attackers.size();
        bool heals = false;
        for (Attacker& attacker : vanilla.attackers) {
            attacker.once = vanilla.outcomes.data() + attacker.number * targets;
            if (!twice[attacker.number].empty()) attacker.twice = next, next += targets * targets;
            heals |= (attacker.keywords & LIFESTEAL) != 0;
        }
        int64_t reach = 0;  // the damage of all hits on the enemy hero together
        for (const Attacker& attacker : vanilla.attackers) reach += int64_t(attacker.attack) * attacker.hits;
        if (reach > MAX_REACH) return false;
        const bool matters = reach >= enemy.hero.health + enemy.hero.armor || turn.weights.enemy_health;
        vanilla.scarce = static_cast<int>(vanilla.cards.size()) > vanilla.free_slots;
        for (const Life& life : vanilla.lives) {
            const int32_t healing = life.minion.keywords & LIFESTEAL ? life.minion.attack : 0;
            if (healing > MAX_ENEMY_HEALING) return false;
            vanilla.enemy_heals |= matters && healing > 0 && life.reachable();
        }
        vanilla.own_coupled = vanilla.hero_may_die || (heals && turn.weights.own_health != 0);
        return me.hero.health <= me.hero.max_health && enemy.hero.health <= enemy.hero.max_health;
    }
};

}  // namespace

bool read_vanilla_turn(VanillaTurn& vanilla) { return Reader(vanilla).read(); }

}  // namespace planner::vanilla
