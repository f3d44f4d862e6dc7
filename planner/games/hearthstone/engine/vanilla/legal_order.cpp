#include "vanilla/legal_order.hpp"

#include <string>
#include <unordered_set>

namespace planner::vanilla {

static bool is_legal(const State& state, const Rules& rules, Action action) {
    if (is_over(state, rules)) return false;
    if (action.kind == Action::attack) return is_legal_attack(state, rules, action);
    const Player& me = state.me();
    const HandCard* hand_card = find_card(me, action.source);
    return hand_card && hand_card->cost <= me.mana && me.board.size() < rules.board_limit;
}

int64_t apply_vanilla(const Turn& turn, State& state, Action action) {
    Account account;
    FixedChoices no_choices;
    int64_t back = 0, value = 0;
    if (action.kind == Action::attack) {
        if (const Minion* target = find_minion(state.enemy(), action.target)) back = target->attack;
    } else {
        value = find_card(state.me(), action.source)->value;
    }
    apply_action(state, turn.rules, action, no_choices, account);
    return action_score(turn.weights, account, back, value);
}

ChosenTurn chosen_turn(const VanillaTurn& vanilla, const Fights& fights, const Choice& choice) {
    Path paths[MAX_ATTACKERS];
    std::copy(std::begin(choice.paths), std::end(choice.paths), paths);
    for (size_t target = 0, index = 0; target < vanilla.lives.size(); ++target) {
        if (vanilla.lives[target].second) continue;
        const Option& option = *choice.options[index++];
        for (uint32_t rest = option.uses & ~fights.double_attackers; rest; rest &= rest - 1) {
            const int number = __builtin_ctz(rest);
            paths[number] = {1, {int8_t(target + (option.second >> number & 1)), -1}};
        }
    }
    ChosenTurn chosen;
    chosen.lives = vanilla.lives;
    chosen.hero_lives = choice.lives;
    chosen.units.reserve(vanilla.attackers.size());
    chosen.attacks.reserve(2 * vanilla.attackers.size());
    for (const Attacker& attacker : vanilla.attackers) {
        const bool is_played = attacker.card >= 0 && choice.hand.cards >> attacker.card & 1;
        chosen.units.push_back({attacker.id, is_played, attacker.attack, attacker.keywords, false});
        const Path& path = paths[attacker.number];
        if (!path.count) continue;
        const Outcome& outcome =
            path.count == 1 ? attacker.once[path.target[0]] : vanilla.twice(attacker, path.target[0], path.target[1]);
        for (int number = 0; number < path.count; ++number) {
            const bool last = number + 1 == path.count;
            chosen.attacks.push_back({attacker.number, number, path.target[number], attacker.attack, attacker.keywords,
                                      last && outcome.dies, last ? outcome.heals_enemy : 0});
        }
        if (attacker.is_hero) chosen.damage_taken += outcome.damage_taken;
    }
    for (size_t index = 0; index < vanilla.cards.size(); ++index)
        if (choice.hand.cards >> index & 1) chosen.plays.push_back(vanilla.cards[index].id);
    return chosen;
}

ChosenTurn chosen_turn(const Turn& turn, const State& start, const std::vector<Action>& actions) {
    ChosenTurn chosen;
    chosen.lives = enemy_lives(start);
    const Player& me = start.me();
    for (const Minion& minion : me.board)
        chosen.units.push_back({minion.id, false, minion.attack, minion.keywords, bool(minion.keywords & REBORN)});
    for (const HandCard& hand_card : me.hand) {
        for (const Action& action : actions) {
            if (action.kind != Action::play || action.source != hand_card.id) continue;
            const Card& card = *hand_card.card;
            chosen.units.push_back({hand_card.id, true, card.attack, card.keywords, bool(card.keywords & REBORN)});
            chosen.plays.push_back(hand_card.id);
        }
    }
    const uint32_t weapon_keywords = me.weapon.card ? me.weapon.keywords : 0;
    chosen.units.push_back(
        {Id(MY_HERO), false, hero_attack(me), me.hero.keywords | weapon_keywords, me.weapon.card != nullptr});
    std::vector<int> made(chosen.units.size(), 0);
    State state = start;
    for (const Action& action : actions) {
        if (action.kind == Action::attack) {
            int unit = 0;
            while (chosen.units[unit].id != action.source) ++unit;
            ChosenAttack attack{unit, made[unit]++, static_cast<int>(chosen.lives.size()), 0, 0, false, 0};
            const bool by_hero = action.source == MY_HERO;
            const Minion* attacker = by_hero ? nullptr : find_minion(state.me(), action.source);
            const Weapon& weapon = state.me().weapon;
            attack.attack = by_hero ? hero_attack(state.me()) : attacker->attack;
            attack.keywords =
                by_hero ? state.me().hero.keywords | (weapon.card ? weapon.keywords : 0) : attacker->keywords;
            if (action.target != ENEMY_HERO) {
                const Minion* target = find_minion(state.enemy(), action.target);
                for (size_t life = 0; life < chosen.lives.size(); ++life) {
                    const Minion& first = chosen.lives[life].minion;
                    if (first.id != action.target || chosen.lives[life].second) continue;
                    const bool second = first.keywords & REBORN && !(target->keywords & REBORN);
                    attack.target = static_cast<int>(life) + second;
                }
                const bool absorbed =
                    by_hero ? state.me().hero.keywords & IMMUNE : attack.keywords & (IMMUNE | DIVINE_SHIELD);
                if (!absorbed && target->attack > 0) {
                    if (target->keywords & LIFESTEAL) attack.heals_enemy = target->attack;
                    if (by_hero) chosen.damage_taken += target->attack;
                }
            }
            apply_vanilla(turn, state, action);
            attack.dies = !by_hero && !find_minion(state.me(), action.source);
            chosen.attacks.push_back(attack);
        } else {
            apply_vanilla(turn, state, action);
        }
    }
    chosen.hero_lives = state.me().hero.health > 0;
    std::stable_sort(chosen.attacks.begin(), chosen.attacks.end(),
                     [](const ChosenAttack& a, const ChosenAttack& b) { return a.unit < b.unit; });
    return chosen;
}

namespace {

class LegalOrder {
  public:
    LegalOrder(const Turn& turn, const State& state, const ChosenTurn& chosen, int64_t claimed, Limit& limit)
        : turn_(turn),
          start_(state),
          chosen_(chosen),
          claimed_(claimed),
          limit_(limit),
          hero_target_(static_cast<int>(chosen.lives.size())),
          free_slots_(turn.rules.board_limit - state.me().board.size()),
          paths_(chosen.units.size()) {
        for (const ChosenAttack& attack : chosen.attacks) paths_[attack.unit].push_back(&attack);
    }

    OrderedTurn find_order() {
        const std::vector<Action> usual = usual_order();
        if ((!keeps_paths(usual) || !replay(usual)) && !search()) return best_;
        if (hits_chosen_lives(best_.actions)) return best_;
        OrderedTurn first = best_;
        needs_chosen_lives_ = true;
        first.found = search();
        return first;
    }

  private:
    using Path = std::vector<const ChosenAttack*>;

    const Turn& turn_;
    const State& start_;
    const ChosenTurn& chosen_;
    const int64_t claimed_;
    Limit& limit_;
    const int hero_target_, free_slots_;
    std::vector<Path> paths_;  // by unit
    OrderedTurn best_;
    bool needs_chosen_lives_ = false;

    bool on_hero(const ChosenAttack& attack) const { return attack.target == hero_target_; }
    bool on_taunt(const ChosenAttack& attack) const { return !on_hero(attack) && chosen_.lives[attack.target].taunts; }
    Action to_action(const ChosenAttack& attack) const {
        const Id target = on_hero(attack) ? Id(ENEMY_HERO) : chosen_.lives[attack.target].minion.id;
        return {Action::attack, chosen_.units[attack.unit].id, target};
    }
    static Action play(Id card) { return {Action::play, card, NO_ID}; }

    // Returns whether the actions are legal and earn what was claimed. Keeps the best legal order.
    bool replay(const std::vector<Action>& actions) {
        State state = start_;
        int64_t score = 0;
        for (const Action& action : actions) {
            if (!is_legal(state, turn_.rules, action)) return false;
            score += apply_vanilla(turn_, state, action);
        }
        if (!end_allowed(turn_, state)) return false;
        score += end_score(turn_, state);
        const bool lives = state.me().hero.health > 0;
        if (!best_.found || score > best_.score || (score == best_.score && lives && !best_.hero_lives))
            best_ = {true, score, lives, actions};
        return score == claimed_ && lives == chosen_.hero_lives && (!needs_chosen_lives_ || hits_chosen_lives(actions));
    }

    // Returns whether every attack on a reborn minion hits the chosen life of it.
    bool hits_chosen_lives(const std::vector<Action>& actions) const {
        if (std::ranges::none_of(chosen_.lives, &Life::second)) return true;
        State state = start_;
        std::vector<size_t> made(paths_.size(), 0);
        for (const Action& action : actions) {
            if (action.kind == Action::attack) {
                size_t unit = 0;
                while (chosen_.units[unit].id != action.source) ++unit;
                const ChosenAttack& chosen = *paths_[unit][made[unit]++];
                if (!on_hero(chosen)) {
                    const Life& life = chosen_.lives[chosen.target];
                    const bool is_second = !(find_minion(state.enemy(), action.target)->keywords & REBORN);
                    if (life.minion.keywords & REBORN && life.second != is_second) return false;
                }
            }
            apply_vanilla(turn_, state, action);
        }
        return true;
    }

    // Returns whether every unit with several attacks makes them in the chosen order.
    bool keeps_paths(const std::vector<Action>& actions) const {
        for (size_t unit = 0; unit < paths_.size(); ++unit) {
            const Path& path = paths_[unit];
            if (path.size() < 2) continue;
            size_t number = 0;
            for (const Action& action : actions)
                if (action.kind == Action::attack && action.source == chosen_.units[unit].id &&
                    (number >= path.size() || action.target != to_action(*path[number++]).target))
                    return false;
        }
        return true;
    }

    static bool by_attack(const ChosenAttack& a, const ChosenAttack& b) {
        if (a.attack != b.attack) return a.attack < b.attack;
        return a.unit != b.unit ? a.unit < b.unit : a.number < b.number;
    }
    std::vector<ChosenAttack> attacks_on_hero() const {
        std::vector<ChosenAttack> attacks;
        for (const ChosenAttack& attack : chosen_.attacks)
            if (on_hero(attack)) attacks.push_back(attack);
        std::sort(attacks.begin(), attacks.end(), by_attack);
        return attacks;
    }

    struct Fight {
        int target;
        std::vector<ChosenAttack> attacks;
    };
    // The targets, taunt minions first, each with its attacks, small ones first: then all but the last leave the target
    // alive if any order does. The smallest breaks a shield; a poisonous hit, which kills at once, comes last.
    std::vector<Fight> fights() const {
        std::vector<Fight> fights;
        fights.reserve(hero_target_);
        for (int target = 0; target < hero_target_; ++target) {
            Fight fight{target, {}};
            for (const ChosenAttack& attack : chosen_.attacks)
                if (attack.target == target) fight.attacks.push_back(attack);
            if (fight.attacks.empty()) continue;
            const int32_t health = chosen_.lives[target].minion.health;
            const auto kills_alone = [&](const ChosenAttack& attack) {
                return attack.keywords & POISONOUS || attack.attack >= health;
            };
            std::sort(fight.attacks.begin(), fight.attacks.end(), [&](const ChosenAttack& a, const ChosenAttack& b) {
                const bool first = kills_alone(a), second = kills_alone(b);
                return first != second ? second : by_attack(a, b);
            });
            fights.push_back(std::move(fight));
        }
        std::sort(fights.begin(), fights.end(), [&](const Fight& a, const Fight& b) {
            const bool first = chosen_.lives[a.target].taunts, second = chosen_.lives[b.target].taunts;
            return first != second ? first : a.target < b.target;
        });
        return fights;
    }

    // Cards first if there is room for all; taunt minions before others; the hero last.
    std::vector<Action> usual_order() const {
        std::vector<Action> actions;
        actions.reserve(chosen_.plays.size() + chosen_.attacks.size());
        std::vector<Fight> fights = this->fights();
        std::vector<Id> waiting = chosen_.plays;
        if (static_cast<int>(waiting.size()) <= free_slots_) {
            for (const Id card : waiting) actions.push_back(play(card));
            for (const Fight& fight : fights)
                for (const ChosenAttack& attack : fight.attacks) actions.push_back(to_action(attack));
        } else {
            fight_for_room(fights, waiting, actions);
            for (const Id card : waiting) actions.push_back(play(card));
        }
        for (const ChosenAttack& attack : attacks_on_hero()) actions.push_back(to_action(attack));
        return actions;
    }

    // The fights on a crowded board: attackers that die first, minions from the hand when a slot is free.
    void fight_for_room(std::vector<Fight>& fights, std::vector<Id>& waiting, std::vector<Action>& actions) const {
        int free_slots = free_slots_;
        std::vector<int> made(chosen_.units.size(), 0);
        const auto waits = [&](int unit) {
            return std::find(waiting.begin(), waiting.end(), chosen_.units[unit].id) != waiting.end();
        };
        while (!fights.empty()) {
            const bool taunts = chosen_.lives[fights[0].target].taunts;
            bool any = false, enters = false, survives = false;
            size_t best_fight = 0, best_attack = 0;
            for (size_t index = 0; index < fights.size(); ++index) {
                const Life& life = chosen_.lives[fights[index].target];
                if (life.taunts != taunts) continue;
                if (life.second && index && chosen_.lives[fights[index - 1].target].position == life.position) continue;
                // The last hit kills, and the first breaks a shield; between them the order does not matter.
                const std::vector<ChosenAttack>& attacks = fights[index].attacks;
                const size_t choices = life.shielded() || attacks.size() == 1 ? 1 : attacks.size() - 1;
                for (size_t number = 0; number < choices; ++number) {
                    const ChosenAttack& attack = attacks[number];
                    const bool comes = waits(attack.unit), stays = !attack.dies;
                    if (attack.number != made[attack.unit] || (free_slots <= 0 && comes)) continue;
                    if (any && !(comes != enters ? comes < enters : stays < survives)) continue;
                    any = true, enters = comes, survives = stays, best_fight = index, best_attack = number;
                }
            }
            if (!any) return;  // the search finds another order, or that there is none
            Fight& fight = fights[best_fight];
            const ChosenAttack attack = fight.attacks[best_attack];
            fight.attacks.erase(fight.attacks.begin() + static_cast<std::ptrdiff_t>(best_attack));
            ++made[attack.unit];
            if (enters) {
                const Id card = chosen_.units[attack.unit].id;
                waiting.erase(std::find(waiting.begin(), waiting.end(), card));
                actions.push_back(play(card));
            }
            actions.push_back(to_action(attack));
            free_slots += !survives;
            free_slots -= enters;
            if (fight.attacks.empty()) fights.erase(fights.begin() + static_cast<std::ptrdiff_t>(best_fight));
        }
    }

    // -- every order of the fights and of the plays that they need; actions that can always wait come at the end

    std::vector<std::vector<Action>> chains_;
    std::vector<Action> waiting_, actions_;
    std::unordered_set<std::string> failed_;

    // Returns whether the unit makes no attack, or a single one on the hero that does not heal ours.
    bool can_wait(size_t unit) const {
        const Path& path = paths_[unit];
        return path.empty() || (path.size() == 1 && on_hero(*path[0]) && !(chosen_.units[unit].keywords & LIFESTEAL));
    }
    // Returns whether plays and single attacks on the hero may have to come before other actions: where our hero may
    // die, where the enemy hero may be healed or killed in the middle of the turn, and where a minion returns with
    // taunt.
    bool nothing_can_wait() const {
        for (const Life& life : chosen_.lives)
            if (life.second && !life.taunts && life.minion.keywords & TAUNT && life.reachable()) return true;
        const Hero &own = start_.me().hero, &enemy = start_.enemy().hero;
        if (chosen_.damage_taken && chosen_.damage_taken >= own.health + own.armor) return true;
        int32_t damage = 0;
        for (const ChosenAttack& attack : chosen_.attacks)
            if (on_hero(attack)) damage += attack.attack;
        const bool in_danger = damage >= enemy.health + enemy.armor;
        for (const ChosenAttack& attack : chosen_.attacks) {
            if (attack.heals_enemy && (in_danger || turn_.weights.enemy_health)) return true;
            if (in_danger && on_hero(attack) && !can_wait(attack.unit)) return true;
        }
        return false;
    }

    // Returns whether an order is found.
    bool search() {
        chains_.clear();
        waiting_.clear();
        struct Chain {
            bool enters, survives;
            std::vector<Action> actions;
        };
        std::vector<Chain> fighting;
        for (const Id card : chosen_.plays) {
            size_t unit = 0;
            while (unit < chosen_.units.size() && chosen_.units[unit].id != card) ++unit;
            if (unit == chosen_.units.size() || can_wait(unit)) waiting_.push_back(play(card));
        }
        for (size_t unit = 0; unit < paths_.size(); ++unit) {
            if (can_wait(unit)) continue;
            Chain chain{chosen_.units[unit].is_played, !paths_[unit].back()->dies, {}};
            if (chain.enters) chain.actions.push_back(play(chosen_.units[unit].id));
            for (const ChosenAttack* attack : paths_[unit]) chain.actions.push_back(to_action(*attack));
            fighting.push_back(chain);
        }
        for (const ChosenAttack& attack : attacks_on_hero())
            if (can_wait(attack.unit)) waiting_.push_back(to_action(attack));
        // Units that free a slot come first, and units that need one last.
        std::stable_sort(fighting.begin(), fighting.end(), [](const Chain& a, const Chain& b) {
            return a.enters != b.enters ? a.enters < b.enters : a.survives < b.survives;
        });
        for (const Chain& chain : fighting) chains_.push_back(chain.actions);
        if (!nothing_can_wait()) return !too_full() && try_all_orders();
        // The waiting actions as one chain first, which nearly always works.
        const std::vector<Action> pieces = waiting_;
        chains_.push_back(pieces);
        waiting_.clear();
        if (try_all_orders()) return true;
        if (pieces.size() < 2) return false;
        chains_.pop_back();
        for (const Action& piece : pieces) chains_.push_back({piece});
        return try_all_orders();
    }
    // Returns whether there is too little room for the minions that are played to fight, whatever the order. Fights
    // with taunt minions come before all others, so only deaths in such fights make room for them.
    bool too_full() const {
        for (const bool early : {true, false}) {
            int coming = 0, dead = 0, dead_on_board = 0;
            for (size_t unit = 0; unit < paths_.size(); ++unit) {
                const Path& path = paths_[unit];
                const auto on_minion = [&](const ChosenAttack* attack) { return !on_hero(*attack); };
                if (std::none_of(path.begin(), path.end(), on_minion)) continue;
                const bool enters = chosen_.units[unit].is_played;
                if (enters && (!early || on_taunt(*path.front()))) ++coming;
                if (path.back()->dies && (!early || on_taunt(*path.back()))) ++dead, dead_on_board += !enters;
            }
            if (coming && (free_slots_ + dead_on_board < 1 || coming > free_slots_ + dead)) return true;
        }
        return false;
    }
    bool try_all_orders() {
        std::vector<uint8_t> done(chains_.size(), 0);
        failed_.clear();
        actions_.clear();
        return extend(start_, done, 0);
    }

    bool extend(const State& state, std::vector<uint8_t>& done, int64_t score) {
        if (!limit_.consume()) return false;
        bool complete = true;
        for (size_t chain = 0; chain < chains_.size(); ++chain) complete &= done[chain] == chains_[chain].size();
        if (complete) {
            std::vector<Action> actions = actions_;
            actions.insert(actions.end(), waiting_.begin(), waiting_.end());
            return replay(actions);
        }
        std::string key = position(state, done, score);
        if (failed_.count(key)) return false;
        for (size_t chain = 0; chain < chains_.size(); ++chain) {
            if (done[chain] == chains_[chain].size()) continue;
            const Action action = chains_[chain][done[chain]];
            if (!is_legal(state, turn_.rules, action)) continue;
            State after = state;
            const int64_t earned = apply_vanilla(turn_, after, action);
            actions_.push_back(action);
            ++done[chain];
            if (all_can_follow(after, done) && extend(after, done, score + earned)) return true;
            --done[chain];
            actions_.pop_back();
        }
        if (!limit_.exhausted()) failed_.insert(std::move(key));
        return false;
    }

    // Returns whether the minion is still to be played, in this chain or in another.
    bool comes(Id id, const std::vector<uint8_t>& done) const {
        for (size_t chain = 0; chain < chains_.size(); ++chain)
            for (size_t number = done[chain]; number < chains_[chain].size(); ++number)
                if (chains_[chain][number] == play(id)) return true;
        return false;
    }

    // Returns false where a remaining attack has become impossible. Attackers and targets must be alive, and all hits
    // but the strongest must leave a target without a second life alive.
    bool all_can_follow(const State& state, const std::vector<uint8_t>& done) const {
        int32_t damage[MAX_MINIONS] = {}, strongest[MAX_MINIONS] = {};
        for (size_t chain = 0; chain < chains_.size(); ++chain) {
            for (size_t number = done[chain]; number < chains_[chain].size(); ++number) {
                const Action& action = chains_[chain][number];
                if (action.kind == Action::play) continue;
                if (action.source != MY_HERO && !find_minion(state.me(), action.source) && !comes(action.source, done))
                    return false;
                if (action.target == ENEMY_HERO) continue;
                const Minion* target = find_minion(state.enemy(), action.target);
                if (!target) return false;
                size_t unit = 0;
                while (chosen_.units[unit].id != action.source) ++unit;
                const ChosenUnit& source = chosen_.units[unit];
                if (source.may_change || target->keywords & (REBORN | DIVINE_SHIELD)) continue;
                const int index = static_cast<int>(target - state.enemy().board.begin());
                const int32_t hit =
                    source.keywords & POISONOUS ? target->health : std::min(source.attack, target->health);
                damage[index] += hit;
                strongest[index] = std::max(strongest[index], hit);
                if (damage[index] - strongest[index] >= target->health) return false;
            }
        }
        return true;
    }

    template <class... Numbers>
    static void append(std::string& key, Numbers... numbers) {
        (key.append(reinterpret_cast<const char*>(&numbers), sizeof numbers), ...);
    }
    static std::string position(const State& state, const std::vector<uint8_t>& done, int64_t score) {
        std::string key(done.begin(), done.end());
        append(key, score, state.me().mana);
        for (const Player& player : state.sides) {
            const Hero& hero = player.hero;
            append(key, hero.health, hero.armor, hero.keywords, hero.attacks_left, player.weapon.durability,
                   player.board.size());
            for (const Minion& minion : player.board)
                append(key, minion.id, minion.attack, minion.health, minion.keywords, minion.attacks_left,
                       minion.fresh);
        }
        return key;
    }
};

}  // namespace

OrderedTurn find_legal_order(const Turn& turn, const State& state, const ChosenTurn& chosen, int64_t claimed,
                             Limit& limit) {
    return LegalOrder(turn, state, chosen, claimed, limit).find_order();
}

}  // namespace planner::vanilla
