// rules/legal.py: what a player may do now.
#include "rules/table.hpp"

namespace planner::rules {

namespace {

constexpr uint32_t HIDDEN_FROM_ATTACKS = STEALTH | IMMUNE;

struct Targets {
    int count = 0;
    Id ids[2 * MAX_MINIONS + 3];
    void add(Id id) { ids[count++] = id; }
    const Id* begin() const { return ids; }
    const Id* end() const { return ids + count; }
};

bool before_mulligan(const State& state) {
    return !(state.me().mana || state.me().board.size() || state.enemy().board.size());
}

bool merges(const Card& card, bool combo) { return card.keywords & MAGNETIC && card.chosen_target[combo] == nullptr; }

void add_mechs(const Player& me, Targets& found) {
    for (const Minion& minion : me.board)
        if (minion.card->tribes & MECH) found.add(minion.id);
}

bool has_mech(const Player& me) {
    for (const Minion& minion : me.board)
        if (minion.card->tribes & MECH) return true;
    return false;
}

// Whom an attack may name: the taunt minions, or where there are none, everybody in sight, the hero last.
void attackable(const Player& enemy, Targets& found) {
    bool guarded = false;
    for (const Minion& minion : enemy.board)
        guarded |= (minion.keywords & (TAUNT | HIDDEN_FROM_ATTACKS)) == TAUNT;
    for (const Minion& minion : enemy.board)
        if (!(minion.keywords & HIDDEN_FROM_ATTACKS) && (!guarded || minion.keywords & TAUNT)) found.add(minion.id);
    if (!guarded && !(enemy.hero.keywords & HIDDEN_FROM_ATTACKS)) found.add(ENEMY_HERO);
}

bool may_attack(const Minion& minion) {
    return minion.attacks_left > 0 && minion.attack > 0 && !(minion.keywords & (FROZEN | CANNOT_ATTACK)) &&
           (!minion.fresh || minion.keywords & (CHARGE | RUSH));
}

bool may_swing(const Player& me) {
    return hero_attack(me) > 0 && me.hero.attacks_left > 0 && !(me.hero.keywords & FROZEN);
}

bool may_play(const Player& me, const Rules& rules, const HandCard& hand_card) {
    if (hand_card.cost > me.mana) return false;
    const Card& card = *hand_card.card;
    const bool full = me.board.size() >= rules.board_limit;
    switch (card.type) {
        case Type::minion: return !full || (merges(card, me.cards_played > 0) && has_mech(me));
        case Type::hidden: return false;
        case Type::spell: return !(full && card.only_summons) && (me.weapon.card || !card.improves_weapon);
        default: return true;
    }
}

bool may_use_power(const Player& me, const Rules& rules) {
    const Card& power = *me.power;
    if (me.power_used || power.cost > me.mana || power.type == Type::hidden) return false;
    bool summons = false;
    for (const auto& effects : power.effects_by_trigger)
        for (const Effect& effect : effects) {
            if (effect.operation != Operation::summon) continue;
            summons = true;
            if (effect.created.size() > 1) {
                bool something_new = false;
                for (const Card* made : effect.created) something_new |= !stands(me.board, *made);
                if (!something_new) return false;
            }
        }
    return !summons || me.board.size() < rules.board_limit;
}

void choices(const State& state, const Target& target, bool by_spell, Targets& found) {
    for (int side = ME; side <= ENEMY; ++side) {
        const Player& player = state.sides[side];
        const bool friendly = side == ME;
        if (target.side != Side::any && (target.side == Side::friendly) != friendly) continue;
        const bool hidden = !friendly && player.hero.keywords & HIDDEN_FROM_ATTACKS;
        if (target.kind != TargetKind::minion && !hidden && fits(target, player.hero))
            found.add(friendly ? MY_HERO : ENEMY_HERO);
        if (target.kind == TargetKind::hero) continue;
        const uint32_t untouchable = (friendly ? 0u : HIDDEN_FROM_ATTACKS) | (by_spell ? ELUSIVE : 0u);
        for (const Minion& minion : player.board)
            if (!(minion.keywords & untouchable) && fits(target, minion)) found.add(minion.id);
    }
}

void play_targets(const State& state, const Rules& rules, const Card& card, Targets& found) {
    if (card.needs_no_target) return found.add(NO_ID);
    const bool combo = state.me().cards_played > 0;
    const Target* target = card.chosen_target[combo];
    if (target != nullptr && !condition_holds(card.chosen_condition[combo], state.me(), state.enemy(), true, &card, {})) {
        if (card.type != Type::spell) found.add(NO_ID);
        return;
    }
    if (target == nullptr) {
        const bool onto_mechs = merges(card, combo);
        if (!onto_mechs || state.me().board.size() < rules.board_limit) found.add(NO_ID);
        if (onto_mechs) add_mechs(state.me(), found);
        return;
    }
    choices(state, *target, card.type == Type::spell, found);
    // A battlecry without a target is lost, and the minion is played all the same; a spell needs its target.
    if (found.count == 0 && card.type != Type::spell) found.add(NO_ID);
}

}  // namespace

bool stands(const StaticVector<Minion, MAX_MINIONS>& board, const Card& card) {
    for (const Minion& minion : board)
        if (minion.card->name == card.name) return true;
    return false;
}

int hero_attack(const Player& player) {
    return player.hero.attack_this_turn + (player.weapon.card ? player.weapon.attack : 0);
}

bool is_over(const State& state, const Rules& rules) {
    return state.me().hero.health <= 0 || state.enemy().hero.health <= 0 || state.turn > rules.turn_limit;
}

void legal_actions(const State& state, const Rules& rules, Actions& found) {
    found.count = 0;
    if (is_over(state, rules) || (state.turn < 1 && before_mulligan(state))) return;
    const Player& me = state.me();
    const bool room = me.board.size() < rules.board_limit;
    for (const HandCard& hand_card : me.hand) {
        const Card& card = *hand_card.card;
        if (room && card.needs_no_target) {
            if (hand_card.cost <= me.mana) found.add({Action::play, hand_card.id, NO_ID});
            continue;
        }
        if (may_play(me, rules, hand_card)) {
            Targets targets;
            play_targets(state, rules, card, targets);
            for (const Id target : targets) found.add({Action::play, hand_card.id, target});
        }
        if (card.keywords & TRADEABLE && me.mana >= TRADE_COST && me.deck_count > 0)
            found.add({Action::trade, hand_card.id, NO_ID});
    }
    Targets targets;
    bool looked = false;
    for (const Minion& minion : me.board) {
        if (!may_attack(minion)) continue;
        if (!looked) attackable(state.enemy(), targets), looked = true;
        const bool only_minions = minion.fresh && !(minion.keywords & CHARGE);
        for (const Id target : targets)
            if (!(only_minions && target == ENEMY_HERO)) found.add({Action::attack, minion.id, target});
    }
    if (may_swing(me)) {
        if (!looked) attackable(state.enemy(), targets);
        for (const Id target : targets) found.add({Action::attack, MY_HERO, target});
    }
    if (me.power != nullptr && may_use_power(me, rules)) {
        const Target* target = me.power->chosen_target[false];
        Targets chosen;
        if (target == nullptr) chosen.add(NO_ID);
        else choices(state, *target, true, chosen);
        for (const Id one : chosen) found.add({Action::hero_power, NO_ID, one});
    }
    found.add({Action::end_turn, NO_ID, NO_ID});
}

}  // namespace planner::rules
