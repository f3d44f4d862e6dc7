// rules/resolve.py and rules/match.py: what an action does, and how turns end and begin.
#include "rules/rules.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "rules/table.hpp"

namespace planner::rules {

namespace {

constexpr uint32_t OF_CARDS = ECHO | MAGNETIC | TRADEABLE;  // keywords that mean nothing on a board

int place_of(const Player& player, Id id) {
    for (int place = 0; place < player.board.size(); ++place)
        if (player.board[place].id == id) return place;
    throw std::logic_error("an action that is not legal");
}

bool is_here(const Player& player, Id id) {
    for (const Minion& minion : player.board)
        if (minion.id == id) return true;
    return false;
}

HandCard take_card(Player& player, Id id) {
    for (int place = 0; place < player.hand.size(); ++place)
        if (player.hand[place].id == id) {
            const HandCard hand_card = player.hand[place];
            player.hand.erase(place);
            return hand_card;
        }
    throw std::logic_error("an action that is not legal");
}

// rules/effects.py, set_off: the effects with this trigger of the minions of `me`, in order of entering the board; `only`:
// of this one, if it has stood there since. Minions die after all of them, or, unless `dying`, with whatever comes next,
// but the first that kills a hero ends the match.
void set_off(Table& table, Trigger when, const Minion* only = nullptr, bool dying = true) {
    Player& me = table.side(ME);
    struct Waiting {
        int32_t entered;
        Id id;
    } waiting[MAX_MINIONS];
    int count = 0;
    for (int place = 0; place < me.board.size(); ++place)
        if (const Minion& one = me.board[place]; !one.card->effects(when).empty() &&
                                                 (!only || (one.id == only->id && one.entered == only->entered)))
            waiting[count++] = {me.board[place].entered, me.board[place].id};
    if (count == 0) return;
    std::stable_sort(waiting, waiting + count,
                     [](const Waiting& one, const Waiting& other) { return one.entered < other.entered; });
    for (int turn = 0; turn < count; ++turn) {
        const Minion* here = nullptr;  // as earlier effects have left it
        for (const Minion& minion : me.board)
            if (minion.id == waiting[turn].id) here = &minion;
        if (!here || here->silenced) continue;
        const Minion minion = *here;
        for (const Effect& effect : minion.card->effects(when))
            table.carry_out(ME, effect, {minion.id, minion.keywords, minion.attack});
        table.refresh_auras();
        if (table.over()) break;
    }
    if (dying) table.settle();
}

void attack(Table& table, Action action) {
    Player &me = table.side(ME), &enemy = table.side(ENEMY);
    int place = HERO;
    int32_t power;
    uint32_t kept;
    if (action.source == MY_HERO) {
        power = hero_attack(me);
        kept = me.hero.keywords | (me.weapon.card ? me.weapon.keywords : 0);
        --me.hero.attacks_left;
        me.hero.keywords &= ~STEALTH;
    } else {
        place = place_of(me, action.source);
        Minion& attacker = me.board[place];
        --attacker.attacks_left;
        attacker.keywords &= ~STEALTH;
        if (attacker.card->has_reactions) {
            const Minion before = attacker;
            set_off(table, Trigger::attack, &before, false);
            // One of the two may not be there any more.
            if (!is_here(me, action.source) || (action.target != ENEMY_HERO && !is_here(enemy, action.target))) return;
            place = place_of(me, action.source);
        }
        power = me.board[place].attack;
        kept = me.board[place].keywords;
    }
    int32_t dealt;
    if (action.target == ENEMY_HERO) {
        dealt = table.damage(ENEMY, HERO, power, kept & ~LIFESTEAL);
    } else {
        const int target_place = place_of(enemy, action.target);
        const int32_t strength = enemy.board[target_place].attack;
        const uint32_t theirs = enemy.board[target_place].keywords;
        // Both blows fall at the same time: what the first does to a fighter does not weaken the second, and lifesteal
        // heals after both.
        dealt = table.damage(ENEMY, target_place, power, kept & ~LIFESTEAL);
        const int32_t back = table.damage(ME, place, strength, theirs & ~LIFESTEAL);
        if (back && theirs & LIFESTEAL) table.heal(ENEMY, HERO, back);
    }
    if (dealt && kept & LIFESTEAL) table.heal(ME, HERO, dealt);
    if (place == HERO) table.wear_weapon(ME);
}

Type play(Table& table, Action action) {
    Player& me = table.side(ME);
    const HandCard hand_card = take_card(me, action.source);
    const Card& card = *hand_card.card;
    me.mana -= hand_card.cost;
    me.overload += card.overload;
    const bool combo = me.cards_played > 0;
    ++me.cards_played;
    if (card.keywords & ECHO) {
        // The copy costs something, or one card could be played without end.
        me.hand.push_back({&card, hand_card.value, std::max(1, hand_card.cost), table.new_id(), true});
    }
    Source source;
    if (card.type == Type::minion) {
        if (action.target != NO_ID && card.keywords & MAGNETIC && card.chosen_target[combo] == nullptr) {
            const uint32_t gift = card.keywords & ~OF_CARDS;
            table.buff(ME, place_of(me, action.target), card.attack, card.health, gift, false);
            return card.type;
        }
        table.summon(ME, card, hand_card.id);
    } else if (card.type == Type::weapon) {
        table.equip(ME, card);
    } else if (card.type == Type::spell) {
        set_off(table, Trigger::cast, nullptr, false);
    }
    if (!card.has_effects) return card.type;
    table.refresh_auras();  // its effects meet the minions as they now are
    if (card.type == Type::minion) {
        const Minion& last = me.board[me.board.size() - 1];
        source = {last.id, last.keywords, last.attack};
    }
    int32_t bonus = 0;
    if (card.type == Type::spell)
        for (const Minion& minion : me.board) bonus += minion.silenced ? 0 : minion.card->spell_damage;
    for (const Effect& effect : card.effects(Trigger::play))
        if (effect.combo < 0 || (effect.combo == 1) == combo)
            table.carry_out(ME, effect, source, action.target, bonus, card.keywords & LIFESTEAL);
    return card.type;
}

void use_power(Table& table, Action action) {
    Player& me = table.side(ME);
    const Card& power = *me.power;
    me.mana -= power.cost;
    me.power_used = true;
    const auto board = me.board;  // as it was before the first effect
    for (const Effect& effect : power.effects(Trigger::play)) {
        std::vector<const Card*> absent;
        const bool one_of_several = effect.operation == Operation::summon && effect.created.size() > 1;  // and one that is not there yet
        if (one_of_several)
            for (const Card* card : effect.created)
                if (!stands(board, *card)) absent.push_back(card);
        const uint32_t kept = power.keywords & LIFESTEAL;
        table.carry_out(ME, effect, {}, action.target, 0, kept, one_of_several ? &absent : nullptr);
    }
}

void trade(Table& table, const Rules& rules, Action action) {
    Player& me = table.side(ME);
    const HandCard hand_card = take_card(me, action.source);
    me.mana -= TRADE_COST;
    table.draw(ME);
    const int place = table.choose_at_random(me.deck_count + 1);
    me.deck = rules.decks->with(me.deck, me.deck_count, place, hand_card);
    ++me.deck_count;
}

void start(State& state, const Rules& rules, Table& table) {
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
    table.refresh_auras();  // some ask whose turn it is
    set_off(table, Trigger::turn_start);
    if (is_over(state, rules)) return;
    for (int32_t times = rules.draws_per_turn; times > 0; --times) table.draw(ME);
}

void end(State& state, Table& table) {
    set_off(table, Trigger::turn_end);
    Player& me = state.me();
    for (int place = me.hand.size() - 1; place >= 0; --place)
        if (me.hand[place].echo) me.hand.erase(place);
    for (Minion& minion : me.board) {
        // A frozen minion thaws at the end of the turn in which being frozen cost it an attack.
        const bool could_attack = minion.attacks_left > 0 && (!minion.fresh || minion.keywords & (CHARGE | RUSH));
        if (could_attack) minion.keywords &= ~FROZEN;
    }
    me.hero.attack_this_turn = 0;
    if (me.hero.attacks_left > 0) me.hero.keywords &= ~FROZEN;
    for (Player& player : state.sides) {
        for (Minion& minion : player.board) {
            if (!minion.attack_this_turn && !minion.keywords_this_turn) continue;
            minion.attack = std::max(0, minion.attack - minion.attack_this_turn);
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

void carry_out(State& state, const Rules& rules, Action action, Chance& chance, Account& account) {
    Table table(state, rules, chance, account);
    Trigger answer = Trigger::play;  // nobody answers that
    Minion attacker{};
    switch (action.kind) {
        case Action::attack:
            answer = action.source == MY_HERO ? Trigger::after_swing : Trigger::after_attack;
            if (answer == Trigger::after_attack) attacker = state.me().board[place_of(state.me(), action.source)];
            attack(table, action);
            break;
        case Action::play: answer = play(table, action) == Type::spell ? Trigger::after_cast : Trigger::play; break;
        case Action::hero_power:
            use_power(table, action);
            answer = Trigger::after_power;
            break;
        case Action::trade: trade(table, rules, action); break;
        case Action::end_turn: throw std::logic_error("the end of the turn is no action to carry out");
    }
    table.settle();
    if (answer != Trigger::play && !table.over()) set_off(table, answer, answer == Trigger::after_attack ? &attacker : nullptr);
    table.finish();
}

void last_effects(State& state, const Rules& rules, Chance& chance, Account& account) {
    if (is_over(state, rules)) return;
    Table table(state, rules, chance, account);
    set_off(table, Trigger::turn_end);
    table.finish();
}

void pass_turn(State& state, const Rules& rules, Chance& chance, Account& account) {
    Table table(state, rules, chance, account);
    end(state, table);
    if (!is_over(state, rules)) start(state, rules, table);
    table.finish();
}

}  // namespace planner::rules
