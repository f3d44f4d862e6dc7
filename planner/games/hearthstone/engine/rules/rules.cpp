// What an action does, and how turns end and start.
#include "rules/rules.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "rules/table.hpp"

namespace planner::rules {

namespace {

constexpr uint32_t CARD_KEYWORDS = ECHO | MAGNETIC | TRADEABLE;  // without meaning on a board

int index_of(const Player& player, Id id) {
    const Minion* minion = find_minion(player, id);
    if (minion == nullptr) throw std::invalid_argument("illegal action");
    return static_cast<int>(minion - player.board.begin());
}

HandCard take_card(Player& player, Id id) {
    const HandCard* found = find_card(player, id);
    if (found == nullptr) throw std::invalid_argument("illegal action");
    const HandCard hand_card = *found;
    player.hand.erase(static_cast<int32_t>(found - player.hand.begin()));
    return hand_card;
}

// Resolves the effects of the minions of `me` with this trigger, in the order in which the minions entered the board.
// `only` restricts it to that minion, if it has been on the board since. Minions that die are removed at the end if
// `remove_dead` is set. The first effect that kills a hero ends the match.
void trigger_effects(Table& table, Trigger trigger, const Minion* only = nullptr, bool remove_dead = true) {
    Player& me = table.player(ME);
    struct Entry {
        int32_t entered;
        Id id;
    };
    StaticVector<Entry, MAX_MINIONS> entries;
    for (const Minion& minion : me.board)
        if (!minion.card->effects(trigger).empty() &&
            (!only || (minion.id == only->id && minion.entered == only->entered)))
            entries.push_back({minion.entered, minion.id});
    if (entries.empty()) return;
    std::ranges::stable_sort(entries, {}, &Entry::entered);
    for (int number = 0; number < entries.size(); ++number) {
        const Minion* current = find_minion(me, entries[number].id);  // earlier effects may have changed or removed it
        if (!current || current->silenced) continue;
        const Minion minion = *current;
        int64_t index = 0;
        for (const Effect& effect : minion.card->effects(trigger)) {
            if (table.keeps_checkpoints()) {
                std::vector<int64_t> memory{
                    static_cast<int64_t>(trigger),          index++, minion.id, minion.keywords, minion.attack,
                    reinterpret_cast<intptr_t>(minion.card)};
                for (int later = number + 1; later < entries.size(); ++later) memory.push_back(entries[later].id);
                table.checkpoint(std::move(memory));
            }
            table.resolve(ME, effect, {minion.id, minion.keywords, minion.attack});
        }
        table.refresh_auras();
        if (table.over()) break;
    }
    if (remove_dead) table.resolve_deaths(static_cast<int>(trigger));
}

void attack(Table& table, Action action) {
    Player &me = table.player(ME), &enemy = table.player(ENEMY);
    int index = HERO;
    int32_t strength;
    uint32_t keywords;
    if (action.source == MY_HERO) {
        strength = hero_attack(me);
        keywords = me.hero.keywords | (me.weapon.card ? me.weapon.keywords : 0);
        --me.hero.attacks_left;
        me.hero.keywords &= ~STEALTH;
    } else {
        index = index_of(me, action.source);
        Minion& attacker = me.board[index];
        --attacker.attacks_left;
        attacker.keywords &= ~STEALTH;
        if (attacker.card->has_reactions) {
            const Minion before = attacker;
            trigger_effects(table, Trigger::attack, &before, false);
            // The effects may have removed the attacker or its target.
            if (!find_minion(me, action.source) || (action.target != ENEMY_HERO && !find_minion(enemy, action.target)))
                return;
            index = index_of(me, action.source);
        }
        strength = me.board[index].attack;
        keywords = me.board[index].keywords;
    }
    int32_t dealt;
    if (action.target == ENEMY_HERO) {
        dealt = table.damage(ENEMY, HERO, strength, keywords & ~LIFESTEAL);
    } else {
        // Both deal their damage at the same time: the first hit does not weaken the second, and lifesteal heals after
        // both.
        const int target = index_of(enemy, action.target);
        const Minion defender = enemy.board[target];
        dealt = table.damage(ENEMY, target, strength, keywords & ~LIFESTEAL);
        const int32_t taken = table.damage(ME, index, defender.attack, defender.keywords & ~LIFESTEAL);
        if (taken && defender.keywords & LIFESTEAL) table.heal(ENEMY, HERO, taken);
    }
    if (dealt && keywords & LIFESTEAL) table.heal(ME, HERO, dealt);
    if (index == HERO) table.use_weapon(ME);
}

Type play(Table& table, Action action) {
    Player& me = table.player(ME);
    const HandCard hand_card = take_card(me, action.source);
    const Card& card = *hand_card.card;
    me.mana -= hand_card.cost;
    me.overload += card.overload;
    const bool combo = me.cards_played > 0;
    ++me.cards_played;
    // An echo copy costs at least 1, or a card could be played without end.
    if (card.keywords & ECHO)
        me.hand.push_back({&card, hand_card.value, std::max(1, hand_card.cost), table.new_id(), true});
    if (card.type == Type::minion) {
        if (action.target != NO_ID && card.keywords & MAGNETIC && card.chosen_target[combo] == nullptr) {
            const int mech = index_of(me, action.target);
            table.buff(ME, mech, card.attack, card.health, card.keywords & ~CARD_KEYWORDS, false);
            return card.type;
        }
        table.summon(ME, card, hand_card.id);
    } else if (card.type == Type::weapon) {
        table.equip(ME, card);
    } else if (card.type == Type::spell) {
        trigger_effects(table, Trigger::cast);
        if (table.over()) return card.type;  // the match ends before the spell happens
    }
    if (!card.has_effects) return card.type;
    table.refresh_auras();
    Source source;
    if (card.type == Type::minion) source = {me.board.back().id, me.board.back().keywords, me.board.back().attack};
    int32_t spell_damage = 0;
    if (card.type == Type::spell)
        for (const Minion& minion : me.board) spell_damage += minion.silenced ? 0 : minion.card->spell_damage;
    int64_t index = 0;
    for (const Effect& effect : card.effects(Trigger::play)) {
        ++index;
        if (effect.combo >= 0 && (effect.combo == 1) != combo) continue;
        if (table.keeps_checkpoints())
            table.checkpoint({PLAY_EFFECTS, index, source.id, source.keywords, source.attack, spell_damage});
        table.resolve(ME, effect, source, action.target, spell_damage, card.keywords & LIFESTEAL);
    }
    return card.type;
}

void use_power(Table& table, Action action) {
    Player& me = table.player(ME);
    const Card& power = *me.power;
    me.mana -= power.cost;
    me.power_used = true;
    const auto board = me.board;  // before the first effect
    int64_t index = 0;
    for (const Effect& effect : power.effects(Trigger::play)) {
        // A hero power that summons one of several minions summons one that is not on the board yet.
        std::vector<const Card*> absent;
        const bool one_of_several = effect.operation == Operation::summon && effect.created.size() > 1;
        if (one_of_several)
            for (const Card* card : effect.created)
                if (!has_minion_named(board, *card)) absent.push_back(card);
        const uint32_t keywords = power.keywords & LIFESTEAL;
        if (table.keeps_checkpoints()) table.checkpoint({POWER_EFFECTS, index++});
        table.resolve(ME, effect, {}, action.target, 0, keywords, one_of_several ? &absent : nullptr);
    }
}

void trade(Table& table, const Rules& rules, Action action) {
    Player& me = table.player(ME);
    const HandCard hand_card = take_card(me, action.source);
    me.mana -= TRADE_COST;
    table.draw(ME);
    const int index = table.choose_at_random(static_cast<int>(me.deck.size()) + 1);
    me.deck = rules.decks->insert(me.deck, index, hand_card);
}

void begin_turn(State& state, const Rules& rules, Table& table) {
    Player& me = state.me();
    me.crystals = std::max(me.crystals, std::min(rules.mana_limit, me.crystals + rules.mana_growth));
    me.locked = std::min(me.overload, me.crystals);
    me.overload = 0;
    me.mana = me.crystals - me.locked;
    me.power_used = false;
    me.cards_played = 0;
    me.hero.attacks_left = attacks_per_turn(me.hero.keywords | (me.weapon.card ? me.weapon.keywords : 0));
    for (Minion& minion : me.board) {
        minion.attacks_left = attacks_per_turn(minion.keywords);
        minion.fresh = false;
    }
    table.refresh_auras();  // the condition of an aura may be about whose turn it is
    trigger_effects(table, Trigger::turn_start);
    if (is_over(state, rules) || (state.turn <= 1 && !rules.first_turn_draw)) return;
    for (int32_t draws = rules.draws_per_turn; draws > 0; --draws) table.draw(ME);
}

void end_turn(State& state, const Rules& rules, Table& table) {
    trigger_effects(table, Trigger::turn_end);
    Player& me = state.me();
    for (int index = me.hand.size() - 1; index >= 0; --index)
        if (me.hand[index].echo) me.hand.erase(index);
    for (Minion& minion : me.board) {
        // A frozen minion thaws at the end of a turn in which it could otherwise have attacked.
        if (minion.attacks_left > 0 && !is_sick(minion, rules)) minion.keywords &= ~FROZEN;
    }
    me.hero.attack_this_turn = 0;
    if (me.hero.attacks_left > 0) me.hero.keywords &= ~FROZEN;
    for (Player& player : state.sides) {
        for (Minion& minion : player.board) {
            if (!minion.attack_this_turn && !minion.keywords_this_turn) continue;
            const int32_t own_attack = minion.attack - minion.aura_attack - minion.attack_this_turn;
            minion.aura_attack = std::max(minion.aura_attack, -own_attack);
            minion.attack = own_attack + minion.aura_attack;
            minion.keywords &= ~minion.keywords_this_turn;
            minion.attack_this_turn = 0;
            minion.keywords_this_turn = 0;
        }
        player.hero.keywords &= ~player.hero.keywords_this_turn;
        player.hero.keywords_this_turn = 0;
    }
    me.locked = 0;
    std::swap(state.sides[ME], state.sides[ENEMY]);
    state.seat = 1 - state.seat;
    ++state.turn;
}

}  // namespace

void apply_action(State& state, const Rules& rules, Action action, Chance& chance, Account& account) {
    Table table(state, rules, chance, account);
    constexpr Trigger NO_REACTION = Trigger::play;
    Trigger reaction = NO_REACTION;
    Minion attacker{};
    switch (action.kind) {
        case Action::attack:
            reaction = action.source == MY_HERO ? Trigger::after_swing : Trigger::after_attack;
            if (reaction == Trigger::after_attack) attacker = state.me().board[index_of(state.me(), action.source)];
            attack(table, action);
            break;
        case Action::play:
            if (play(table, action) == Type::spell) reaction = Trigger::after_cast;
            break;
        case Action::hero_power:
            use_power(table, action);
            reaction = Trigger::after_power;
            break;
        case Action::trade: trade(table, rules, action); break;
        case Action::end_turn: throw std::logic_error("apply_action cannot end the turn");
    }
    table.resolve_deaths();
    if (reaction != NO_REACTION && !table.over())
        trigger_effects(table, reaction, reaction == Trigger::after_attack ? &attacker : nullptr);
    table.finish();
}

void apply_batch(State& state, const Rules& rules, std::span<const Action> actions, Chance& chance, Account& account) {
    Table table(state, rules, chance, account);
    for (const Action& action : actions) {
        if (action.kind == Action::play) play(table, action);
        else attack(table, action);
    }
    table.resolve_deaths();
    table.finish();
}

void apply_end_of_turn_effects(State& state, const Rules& rules, Chance& chance, Account& account) {
    if (is_over(state, rules)) return;
    Table table(state, rules, chance, account);
    trigger_effects(table, Trigger::turn_end);
    table.finish();
}

void start_turn(State& state, const Rules& rules, Chance& chance, Account& account) {
    Table table(state, rules, chance, account);
    begin_turn(state, rules, table);
    table.finish();
}

void pass_turn(State& state, const Rules& rules, Chance& chance, Account& account) {
    Table table(state, rules, chance, account);
    end_turn(state, rules, table);
    if (!is_over(state, rules)) begin_turn(state, rules, table);
    table.finish();
}

}  // namespace planner::rules
