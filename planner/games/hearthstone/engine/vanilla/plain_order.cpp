#include "vanilla/plain_order.hpp"

#include <string>
#include <unordered_set>

namespace planner::vanilla {

static const Minion* find(const Player& player, Id id) {
    for (const Minion& minion : player.board)
        if (minion.id == id) return &minion;
    return nullptr;
}

static bool legal_attack(const State& state, Action action) {
    const Player &me = state.me(), &enemy = state.enemy();
    bool rushes = false;
    if (action.source == MY_HERO) {
        if (hero_attack(me) <= 0 || me.hero.attacks_left <= 0 || me.hero.keywords & FROZEN) return false;
    } else {
        const Minion* minion = find(me, action.source);
        if (!minion || !able(*minion)) return false;
        rushes = minion->fresh && !(minion->keywords & CHARGE);
    }
    bool guarded = false, guard = false, seen = false;
    for (const Minion& minion : enemy.board) {
        if (minion.keywords & (STEALTH | IMMUNE)) continue;
        const bool taunt = minion.keywords & TAUNT;
        guarded |= taunt;
        if (minion.id == action.target) seen = true, guard = taunt;
    }
    if (action.target == ENEMY_HERO) return !guarded && !rushes && !(enemy.hero.keywords & (STEALTH | IMMUNE));
    return seen && (guard || !guarded);
}

bool legal_for_bodies(const State& state, const Rules& rules, Action action) {
    if (is_over(state, rules)) return false;
    if (action.kind == Action::attack) return legal_attack(state, action);
    const Player& me = state.me();
    for (const HandCard& hand_card : me.hand)
        if (hand_card.id == action.source) return hand_card.cost <= me.mana && me.board.size() < rules.board_limit;
    return false;
}

void complete_paths(const Bodies& bodies, const Fights& fights, Choice& choice) {
    for (size_t target = 0, place = 0; target < bodies.lives.size(); ++target) {
        if (bodies.lives[target].second) continue;
        const Option& option = *choice.options[place++];
        for (uint32_t rest = option.uses & ~fights.double_blows; rest; rest &= rest - 1) {
            const int number = __builtin_ctz(rest);
            choice.paths[number] = {1, {int8_t(target + (option.second >> number & 1)), -1}};
        }
    }
}

namespace {

// A blow of the choice.
struct Blow {
    int fighter, number;  // number: 0 for its first
    int target;
    bool dies;  // the fighter, of this blow, for good
};

class Orderer {
  public:
    Orderer(const Bodies& bodies, const Choice& choice, int64_t claimed, Limit& limit)
        : bodies_(bodies), choice_(choice), claimed_(claimed), limit_(limit) {
        for (const Fighter& fighter : bodies.fighters) {
            const Path& path = choice.paths[fighter.number];
            for (int number = 0; number < path.count; ++number)
                blows_.push_back({fighter.number, number, path.target[number], dies_of(fighter, path, number)});
        }
        for (size_t place = 0; place < bodies.cards.size(); ++place)
            if (choice.hand.cards >> place & 1) plays_.push_back(static_cast<int>(place));
    }

    Ordered order() {
        const std::vector<Action> usual = usual_order();
        if (keeps_paths(usual) && replay(usual)) return best_;
        search();
        return best_;
    }

  private:
    const Bodies& bodies_;
    const Choice& choice_;
    const int64_t claimed_;
    Limit& limit_;
    std::vector<Blow> blows_;
    std::vector<int> plays_;
    Ordered best_;

    bool dies_of(const Fighter& fighter, const Path& path, int number) const {
        if (number + 1 < path.count) return false;
        return path.count == 1 ? fighter.once[path.target[0]].dies
                               : bodies_.twice(fighter, path.target[0], path.target[1]).dies;
    }
    Id id_of(int target) const { return target == bodies_.hero_target() ? Id(ENEMY_HERO) : bodies_.lives[target].minion.id; }
    Action attack(const Blow& blow) const { return {Action::attack, bodies_.fighters[blow.fighter].id, id_of(blow.target)}; }
    Action play(int place) const { return {Action::play, bodies_.cards[place].id, NO_ID}; }
    bool is_played(int fighter) const {
        const int card = bodies_.fighters[fighter].card;
        return card >= 0 && choice_.hand.cards >> card & 1;
    }

    // True where the actions are legal and earn what was claimed. Keeps the best that are legal.
    bool replay(const std::vector<Action>& actions) {
        State state = bodies_.state;
        int64_t worth = 0;
        for (const Action& action : actions) {
            if (!legal_for_bodies(state, bodies_.turn.rules, action)) return false;
            worth += carry(state, action);
        }
        return judge(state, worth, actions);
    }
    int64_t carry(State& state, Action action) const {
        Account account;
        FixedChoices nothing;
        int64_t back = 0, value = 0;
        if (action.kind == Action::attack) {
            const Minion* target = action.target == ENEMY_HERO ? nullptr : find(state.enemy(), action.target);
            if (target) back = target->attack;
        } else {
            for (const HandCard& hand_card : state.me().hand)
                if (hand_card.id == action.source) value = hand_card.value;
        }
        apply_action(state, bodies_.turn.rules, action, nothing, account);
        return action_score(bodies_.turn.weights, account, back, value);
    }
    bool judge(const State& state, int64_t worth, const std::vector<Action>& actions) {
        if (!end_allowed(bodies_.turn, state)) return false;
        worth += end_score(bodies_.turn, state);
        const bool lives = state.me().hero.health > 0;
        if (!best_.found || worth > best_.worth || (worth == best_.worth && lives && !best_.lives))
            best_ = {true, worth, lives, actions};
        return worth == claimed_ && lives == choice_.lives;
    }

    bool keeps_paths(const std::vector<Action>& actions) const {
        for (const Fighter& fighter : bodies_.fighters) {
            const Path& path = choice_.paths[fighter.number];
            if (path.count < 2) continue;
            int number = 0;
            for (const Action& action : actions)
                if (action.kind == Action::attack && action.source == fighter.id &&
                    (number >= path.count || action.target != id_of(path.target[number++])))
                    return false;
        }
        return true;
    }

    bool by_attack(const Blow& a, const Blow& b) const {
        const int32_t first = bodies_.fighters[a.fighter].attack, second = bodies_.fighters[b.fighter].attack;
        return first != second ? first < second : a.fighter != b.fighter ? a.fighter < b.fighter : a.number < b.number;
    }
    std::vector<Blow> on_hero() const {
        std::vector<Blow> found;
        for (const Blow& blow : blows_)
            if (blow.target == bodies_.hero_target()) found.push_back(blow);
        std::sort(found.begin(), found.end(), [&](const Blow& a, const Blow& b) { return by_attack(a, b); });
        return found;
    }

    struct Fight {
        int target;
        std::vector<Blow> blows;
    };
    // The targets that are struck, guards first, each with its blows, the small ones first: then all but the last leave
    // it alive if any order does. The smallest breaks a shield; poison, which kills at once, goes last.
    std::vector<Fight> fights() const {
        std::vector<Fight> found;
        for (int target = 0; target < bodies_.hero_target(); ++target) {
            Fight fight{target, {}};
            for (const Blow& blow : blows_)
                if (blow.target == target) fight.blows.push_back(blow);
            if (fight.blows.empty()) continue;
            const int32_t health = bodies_.lives[target].minion.health;
            const auto kills_alone = [&](const Blow& blow) {
                const Fighter& fighter = bodies_.fighters[blow.fighter];
                return fighter.keywords & POISONOUS || fighter.attack >= health;
            };
            std::sort(fight.blows.begin(), fight.blows.end(), [&](const Blow& a, const Blow& b) {
                const bool first = kills_alone(a), second = kills_alone(b);
                return first != second ? second : by_attack(a, b);
            });
            found.push_back(fight);
        }
        std::stable_sort(found.begin(), found.end(), [&](const Fight& a, const Fight& b) {
            return bodies_.lives[a.target].guards > bodies_.lives[b.target].guards;
        });
        return found;
    }

    // Cards first if all find a place; guards before others; the hero last.
    std::vector<Action> usual_order() const {
        std::vector<Action> actions;
        std::vector<Fight> against = fights();
        if (static_cast<int>(plays_.size()) <= bodies_.room) {
            for (const int place : plays_) actions.push_back(play(place));
            for (const Fight& fight : against)
                for (const Blow& blow : fight.blows) actions.push_back(attack(blow));
        } else {
            std::vector<int> waiting = plays_;
            make_room(against, waiting, actions);
            for (const int place : waiting) actions.push_back(play(place));
        }
        for (const Blow& blow : on_hero()) actions.push_back(attack(blow));
        return actions;
    }

    // The fights on a crowded board: those who die there first, those who have to come in when there is a place.
    void make_room(std::vector<Fight>& against, std::vector<int>& waiting, std::vector<Action>& actions) const {
        int room = bodies_.room;
        int struck[MOST_FIGHTERS] = {};
        const auto waits = [&](int fighter) {
            const int card = bodies_.fighters[fighter].card;
            return card >= 0 && std::find(waiting.begin(), waiting.end(), card) != waiting.end();
        };
        while (!against.empty()) {
            const bool guarded = bodies_.lives[against[0].target].guards;
            bool any = false, enters = false, survives = false;
            size_t where = 0, which = 0;
            for (size_t place = 0; place < against.size(); ++place) {
                const Life& life = bodies_.lives[against[place].target];
                if (life.guards != guarded) continue;
                if (life.second && place && bodies_.lives[against[place - 1].target].place == life.place) continue;
                // The last blow kills, and the first breaks a shield; between them any order will do.
                const std::vector<Blow>& blows = against[place].blows;
                const size_t choices = life.shielded() || blows.size() == 1 ? 1 : blows.size() - 1;
                for (size_t number = 0; number < choices; ++number) {
                    const Blow& blow = blows[number];
                    const bool comes = waits(blow.fighter), stays = !blow.dies;
                    if (blow.number != struck[blow.fighter] || (room <= 0 && comes)) continue;
                    if (any && !(comes != enters ? comes < enters : stays < survives)) continue;
                    any = true, enters = comes, survives = stays, where = place, which = number;
                }
            }
            if (!any) return;  // the search will find another order, or that there is none
            const Blow blow = against[where].blows[which];
            against[where].blows.erase(against[where].blows.begin() + which);
            ++struck[blow.fighter];
            if (enters) {
                const int card = bodies_.fighters[blow.fighter].card;
                waiting.erase(std::find(waiting.begin(), waiting.end(), card));
                actions.push_back(play(card));
            }
            actions.push_back(attack(blow));
            room += !survives;
            room -= enters;
            if (against[where].blows.empty()) against.erase(against.begin() + where);
        }
    }

    // -- every order of the fights and of the plays that they need; what can always wait goes in one piece

    std::vector<std::vector<Action>> chains_;
    std::vector<Action> waiting_, done_actions_;
    std::unordered_set<std::string> failed_;

    bool can_wait(const Fighter& fighter) const {
        const Path& path = choice_.paths[fighter.number];
        return path.count == 0 || (path.count == 1 && path.target[0] == bodies_.hero_target() && !(fighter.keywords & LIFESTEAL));
    }
    // Where our hero may die all may have to come before it, where the enemy's is healed it matters when, where a blow
    // on him stands in a chain it may be the one that ends the match, and where a guard comes back to life it is too late.
    bool nothing_waits() const {
        const Hero& enemy = bodies_.state.enemy().hero;
        int32_t harm = 0;
        for (const Blow& blow : blows_)
            if (blow.target == bodies_.hero_target()) harm += bodies_.fighters[blow.fighter].attack;
        const bool in_danger = harm >= enemy.health + enemy.armor;
        for (const Life& life : bodies_.lives)
            if (life.second && !life.guards && life.minion.keywords & TAUNT && life.reachable()) return true;
        for (const Fighter& fighter : bodies_.fighters) {
            const Path& path = choice_.paths[fighter.number];
            if (!path.count) continue;
            const Outcome& outcome = path.count == 1 ? fighter.once[path.target[0]]
                                                     : bodies_.twice(fighter, path.target[0], path.target[1]);
            const Hero& hero = bodies_.state.me().hero;
            if (outcome.heals_enemy && (in_danger || bodies_.turn.weights.enemy_health)) return true;
            if (outcome.wounds && outcome.wounds >= hero.health + hero.armor) return true;
            for (int number = 0; number < path.count; ++number)
                if (in_danger && path.target[number] == bodies_.hero_target() && !can_wait(fighter)) return true;
        }
        return false;
    }

    void search() {
        struct Chain {
            bool comes, stays;
            std::vector<Action> actions;
        };
        std::vector<Chain> fighting;
        std::vector<int> cards;  // those of fighters come in the order of the cards anyway
        for (const int place : plays_) {
            const int fighter = bodies_.cards[place].fighter;
            if (fighter < 0 || can_wait(bodies_.fighters[fighter])) waiting_.push_back(play(place));
        }
        std::vector<Blow> face;
        for (const Fighter& fighter : bodies_.fighters) {
            const Path& path = choice_.paths[fighter.number];
            if (can_wait(fighter)) continue;
            Chain chain{is_played(fighter.number), true, {}};
            if (chain.comes) chain.actions.push_back(play(fighter.card));
            for (const Blow& blow : blows_)
                if (blow.fighter == fighter.number) chain.actions.push_back(attack(blow)), chain.stays = !blow.dies;
            if (path.count) fighting.push_back(chain);
        }
        for (const Blow& blow : on_hero())
            if (can_wait(bodies_.fighters[blow.fighter])) waiting_.push_back(attack(blow));
        // Whoever leaves its place goes first, and whoever needs one last.
        std::stable_sort(fighting.begin(), fighting.end(), [](const Chain& a, const Chain& b) {
            return a.comes != b.comes ? a.comes < b.comes : a.stays < b.stays;
        });
        for (const Chain& chain : fighting) chains_.push_back(chain.actions);
        if (!nothing_waits()) {
            if (!too_full()) all_orders();
            return;
        }
        // In one piece first, which nearly always will do.
        const std::vector<Action> pieces = waiting_;
        chains_.push_back(pieces);
        waiting_.clear();
        if (all_orders() || pieces.size() < 2) return;
        chains_.pop_back();
        for (const Action& piece : pieces) chains_.push_back({piece});
        all_orders();
    }
    // Is there too little room for those who must come in to fight, whatever the order? Whoever fights a guard does so
    // before any fight with others, so only deaths in fights with guards make room for it.
    bool too_full() const {
        for (const bool early : {true, false}) {
            int coming = 0, dead = 0, here = 0;
            for (const Fighter& fighter : bodies_.fighters) {
                const Path& path = choice_.paths[fighter.number];
                const auto counts = [&](int target) {
                    return target < bodies_.hero_target() && (!early || bodies_.lives[target].guards);
                };
                if (!path.count || (path.target[0] == bodies_.hero_target() && path.target[path.count - 1] == bodies_.hero_target()))
                    continue;
                const bool enters = is_played(fighter.number);
                if (enters && counts(path.target[0])) ++coming;
                const bool dies = dies_of(fighter, path, path.count - 1);
                if (dies && counts(path.target[path.count - 1])) ++dead, here += !enters;
            }
            if (coming && (bodies_.room + here < 1 || coming > bodies_.room + dead)) return true;
        }
        return false;
    }
    bool all_orders() {
        std::vector<uint8_t> done(chains_.size(), 0);
        failed_.clear();
        done_actions_.clear();
        return go(bodies_.state, done, 0);
    }

    bool go(const State& state, std::vector<uint8_t>& done, int64_t worth) {
        if (!limit_.consume()) return false;
        bool complete = true;
        for (size_t chain = 0; chain < chains_.size(); ++chain) complete &= done[chain] == chains_[chain].size();
        if (complete) {
            std::vector<Action> actions = done_actions_;
            actions.insert(actions.end(), waiting_.begin(), waiting_.end());
            return replay(actions);
        }
        std::string key = position(state, done, worth);
        if (failed_.count(key)) return false;
        for (size_t chain = 0; chain < chains_.size(); ++chain) {
            if (done[chain] == chains_[chain].size()) continue;
            const Action action = chains_[chain][done[chain]];
            if (!legal_for_bodies(state, bodies_.turn.rules, action)) continue;
            State after = state;
            const int64_t step = carry(after, action);
            done_actions_.push_back(action);
            ++done[chain];
            if (all_can_follow(after, done) && go(after, done, worth + step)) return true;
            --done[chain];
            done_actions_.pop_back();
        }
        if (!limit_.exhausted()) failed_.insert(std::move(key));
        return false;
    }

    // Can everybody who is still to strike or to be struck do so? They must be alive, and of several blows on one who
    // does not come back all but the strongest must leave it alive.
    bool all_can_follow(const State& state, const std::vector<uint8_t>& done) const {
        int32_t harm[MAX_MINIONS] = {}, strongest[MAX_MINIONS] = {};
        for (size_t chain = 0; chain < chains_.size(); ++chain) {
            bool comes = false;
            for (size_t number = done[chain]; number < chains_[chain].size(); ++number) {
                const Action& action = chains_[chain][number];
                comes |= action.kind == Action::play;
                if (action.kind == Action::play) continue;
                const Minion* attacker = action.source == MY_HERO ? nullptr : find(state.me(), action.source);
                if (action.source != MY_HERO && !comes && !attacker) return false;
                if (action.target == ENEMY_HERO) continue;
                const Minion* target = find(state.enemy(), action.target);
                if (!target) return false;
                if (target->keywords & (REBORN | DIVINE_SHIELD)) continue;
                const int place = static_cast<int>(target - state.enemy().board.begin());
                const int32_t blow = harm_of(action.source, *target);
                harm[place] += blow;
                strongest[place] = std::max(strongest[place], blow);
                if (harm[place] - strongest[place] >= target->health) return false;
            }
        }
        return true;
    }
    int32_t harm_of(Id attacker, const Minion& target) const {
        for (const Fighter& fighter : bodies_.fighters)
            if (fighter.id == attacker) return fighter.keywords & POISONOUS ? target.health : std::min(fighter.attack, target.health);
        return 0;
    }

    static void put(std::string& key, const void* from, size_t size) { key.append(static_cast<const char*>(from), size); }
    template <class... Numbers>
    static void put_all(std::string& key, Numbers... numbers) {
        (put(key, &numbers, sizeof numbers), ...);
    }
    static std::string position(const State& state, const std::vector<uint8_t>& done, int64_t worth) {
        std::string key(done.begin(), done.end());
        put_all(key, worth, state.me().mana);
        for (const Player& player : state.sides) {
            const Hero& hero = player.hero;
            put_all(key, hero.health, hero.armor, hero.keywords, hero.attacks_left, player.weapon.durability, player.board.size());
            for (const Minion& minion : player.board)
                put_all(key, minion.id, minion.attack, minion.health, minion.keywords, minion.attacks_left, minion.fresh);
        }
        return key;
    }
};

}  // namespace

Ordered order_of(const Bodies& bodies, const Choice& choice, int64_t claimed, Limit& limit) {
    return Orderer(bodies, choice, claimed, limit).order();
}

}  // namespace planner::vanilla
