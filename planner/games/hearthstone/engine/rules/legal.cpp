// Which actions are legal.
#include <algorithm>

#include "rules/table.hpp"

namespace planner::rules {

namespace {

using TargetIds = StaticVector<Id, 2 * MAX_MINIONS + 3>;

// Whether the card may be merged with a mech on the board.
bool merges(const Card& card, bool combo) { return card.keywords & MAGNETIC && !card.chosen_target[combo]; }

bool is_mech(const Minion& minion) { return minion.card->tribes & MECH; }

// The characters that may be attacked: visible taunt minions or, without any, every visible minion and then the hero.
void attackable(const Player& enemy, TargetIds& targets) {
    const bool taunt =
        std::ranges::any_of(enemy.board, [](const Minion& minion) { return is_visible_taunt(minion.keywords); });
    for (const Minion& minion : enemy.board)
        if (!(minion.keywords & UNTARGETABLE) && (!taunt || minion.keywords & TAUNT)) targets.push_back(minion.id);
    if (!taunt && !(enemy.hero.keywords & UNTARGETABLE)) targets.push_back(ENEMY_HERO);
}

bool attacks_only_minions(const Minion& minion, const Rules& rules) {
    return rules.summoning_sickness && minion.fresh && !(minion.keywords & CHARGE);
}

bool hero_can_attack(const Player& me) {
    return hero_attack(me) > 0 && me.hero.attacks_left > 0 && !(me.hero.keywords & (FROZEN | CANNOT_ATTACK));
}

// Whether every effect on random minions that would happen has a minion to act on.
bool has_random_targets(const State& state, const Card& spell) {
    const bool combo = state.me().cards_played > 0;
    if (spell.chosen_target[false] || spell.chosen_target[true]) return true;
    for (const Effect& effect : spell.effects(Trigger::play)) {
        const Target& target = effect.target;
        if (!effect.has_target || target.select != Select::random || target.kind != TargetKind::minion) continue;
        if (effect.combo >= 0 && (effect.combo == 1) != combo) continue;
        if (!condition_holds(effect.condition, state.me(), state.enemy(), true, &spell, {})) continue;
        bool found = false;
        for (const int side : {ME, ENEMY})
            if (target.side == Side::any || (target.side == Side::friendly) == (side == ME))
                for (const Minion& minion : state.sides[side].board) found |= matches(target, minion);
        if (!found) return false;
    }
    return true;
}

bool can_play(const State& state, const Rules& rules, const HandCard& hand_card) {
    const Player& me = state.me();
    if (hand_card.cost > me.mana) return false;
    const Card& card = *hand_card.card;
    const bool full = me.board.size() >= rules.board_limit;
    switch (card.type) {
        case Type::minion:
            return !full || (merges(card, me.cards_played > 0) && std::ranges::any_of(me.board, is_mech));
        case Type::hidden: return false;
        case Type::spell:
            return !(full && card.only_summons) && (me.weapon.card || !card.improves_weapon) &&
                   has_random_targets(state, card);
        default: return true;
    }
}

bool can_use_power(const Player& me, const Rules& rules) {
    const Card& power = *me.power;
    if (me.power_used || power.cost > me.mana || power.type == Type::hidden) return false;
    bool summons = false;
    for (const auto& effects : power.effects_by_trigger)
        for (const Effect& effect : effects) {
            if (effect.operation != Operation::summon) continue;
            summons = true;
            // A hero power that summons one of several minions summons one that is not on the board yet.
            const auto on_board = [&](const Card* card) { return has_minion_named(me.board, *card); };
            if (effect.created.size() > 1 && std::ranges::all_of(effect.created, on_board)) return false;
        }
    return !summons || me.board.size() < rules.board_limit;
}

// The characters that the player may choose for a target.
void choices(const State& state, const Target& target, bool by_spell, TargetIds& ids) {
    for (const int side : {ME, ENEMY}) {
        const Player& player = state.sides[side];
        const bool friendly = side == ME;
        if (target.side != Side::any && (target.side == Side::friendly) != friendly) continue;
        const bool hidden = !friendly && player.hero.keywords & UNTARGETABLE;
        if (target.kind != TargetKind::minion && !hidden && matches(target, player.hero))
            ids.push_back(friendly ? MY_HERO : ENEMY_HERO);
        if (target.kind == TargetKind::hero) continue;
        const uint32_t excluded = (friendly ? 0u : UNTARGETABLE) | (by_spell ? ELUSIVE : 0u);
        for (const Minion& minion : player.board)
            if (!(minion.keywords & excluded) && matches(target, minion)) ids.push_back(minion.id);
    }
}

void play_targets(const State& state, const Rules& rules, const Card& card, TargetIds& ids) {
    if (card.needs_no_target) return ids.push_back(NO_ID);
    const Player& me = state.me();
    const bool combo = me.cards_played > 0;
    const Target* target = card.chosen_target[combo];
    if (target == nullptr) {
        const bool merge = merges(card, combo);
        if (!merge || me.board.size() < rules.board_limit) ids.push_back(NO_ID);
        if (merge)
            for (const Minion& minion : me.board)
                if (is_mech(minion)) ids.push_back(minion.id);
        return;
    }
    if (condition_holds(card.chosen_condition[combo], me, state.enemy(), true, &card, {}))
        choices(state, *target, card.type == Type::spell, ids);
    // Without a target, a spell cannot be played. A minion can, and its battlecry is lost.
    if (ids.empty() && card.type != Type::spell) ids.push_back(NO_ID);
}

}  // namespace

bool has_minion_named(const StaticVector<Minion, MAX_MINIONS>& board, const Card& card) {
    return std::ranges::any_of(board, [&](const Minion& minion) { return minion.card->name == card.name; });
}

int hero_attack(const Player& player) {
    return player.hero.attack_this_turn + (player.weapon.card ? player.weapon.attack : 0);
}

bool can_attack(const Minion& minion, const Rules& rules) {
    return minion.attacks_left > 0 && (minion.attack > 0 || !rules.attack_required) &&
           !(minion.keywords & (FROZEN | CANNOT_ATTACK)) && !is_sick(minion, rules);
}

bool is_legal_attack(const State& state, const Rules& rules, Action action) {
    const Player& me = state.me();
    if (action.source == MY_HERO) {
        if (!hero_can_attack(me)) return false;
    } else {
        const Minion* minion = find_minion(me, action.source);
        if (!minion || !can_attack(*minion, rules)) return false;
        if (action.target == ENEMY_HERO && attacks_only_minions(*minion, rules)) return false;
    }
    TargetIds targets;
    attackable(state.enemy(), targets);
    return std::ranges::find(targets, action.target) != targets.end();
}

bool is_over(const State& state, const Rules& rules) {
    return state.me().hero.health <= 0 || state.enemy().hero.health <= 0 || state.turn > rules.turn_limit;
}

void legal_actions(const State& state, const Rules& rules, ActionList& actions) {
    actions.clear();
    if (is_over(state, rules) || awaits_mulligan(state)) return;
    const Player& me = state.me();
    const bool room = me.board.size() < rules.board_limit;
    for (const HandCard& hand_card : me.hand) {
        const Card& card = *hand_card.card;
        if (room && card.needs_no_target) {
            if (hand_card.cost <= me.mana) actions.push_back({Action::play, hand_card.id, NO_ID});
            continue;
        }
        if (can_play(state, rules, hand_card)) {
            TargetIds targets;
            play_targets(state, rules, card, targets);
            for (const Id target : targets) actions.push_back({Action::play, hand_card.id, target});
        }
        if (card.keywords & TRADEABLE && me.mana >= TRADE_COST && !me.deck.empty())
            actions.push_back({Action::trade, hand_card.id, NO_ID});
    }
    TargetIds attack_targets;
    attackable(state.enemy(), attack_targets);
    for (const Minion& minion : me.board) {
        if (!can_attack(minion, rules)) continue;
        const bool only_minions = attacks_only_minions(minion, rules);
        for (const Id target : attack_targets)
            if (!(only_minions && target == ENEMY_HERO)) actions.push_back({Action::attack, minion.id, target});
    }
    if (hero_can_attack(me))
        for (const Id target : attack_targets) actions.push_back({Action::attack, MY_HERO, target});
    if (me.power != nullptr && can_use_power(me, rules)) {
        TargetIds targets;
        if (const Target* target = me.power->chosen_target[false]) choices(state, *target, true, targets);
        else targets.push_back(NO_ID);
        for (const Id target : targets) actions.push_back({Action::hero_power, NO_ID, target});
    }
    actions.push_back({Action::end_turn, NO_ID, NO_ID});
}

}  // namespace planner::rules
