#include "vanilla/thesis_match.hpp"

namespace planner::vanilla {

std::vector<Action> printed_actions(const State& state, const Rules& rules, const ThesisChoice& choice,
                                    bool skip_dead) {
    struct Attacker {
        Id id = NO_ID;  // NO_ID: not on the board
        int32_t attack = 0, health = 0, attacks = 0;
    };
    const Player &me = state.me(), &enemy = state.enemy();
    std::vector<Attacker> attackers;
    for (const Minion& minion : me.board) {
        const bool can_attack = !(minion.keywords & (FROZEN | CANNOT_ATTACK));
        attackers.push_back({minion.id, minion.attack, minion.health, can_attack ? minion.attacks_left : 0});
    }
    const int m = me.board.size();
    std::vector<Action> actions;
    int32_t mana = me.mana, room = rules.board_limit - m;
    int number = m;
    for (const HandCard& hand_card : me.hand) {
        if (hand_card.card->type != Type::minion) continue;
        attackers.emplace_back();
        const Card& card = *hand_card.card;
        const bool is_chosen = std::ranges::binary_search(choice.plays, number++);
        if (is_chosen && card.needs_no_target && room > 0 && mana >= hand_card.cost) {
            --room;
            mana -= hand_card.cost;
            actions.push_back({Action::play, hand_card.id, NO_ID});
            const int32_t attacks = card.keywords & (CHARGE | RUSH) ? attacks_per_turn(card.keywords) : 0;
            attackers.back() = {hand_card.id, card.attack, card.health, attacks};
        }
    }
    std::vector<int32_t> health;
    for (const Minion& minion : enemy.board) health.push_back(minion.health);
    const auto attack = [&](int index, Id target, int32_t* target_health, int32_t back) {
        Attacker& attacker = attackers[index];
        if (attacker.attacks <= 0) return;
        if (skip_dead && (attacker.health <= 0 || (target_health && *target_health <= 0))) return;
        --attacker.attacks;
        attacker.health -= back;
        if (target_health) *target_health -= attacker.attack;
        actions.push_back({Action::attack, attacker.id, target});
    };
    for (int index = 0; index < static_cast<int>(attackers.size()); ++index) {
        for (const auto& [friend_, target] : choice.hits)
            if (friend_ == index) attack(index, enemy.board[target].id, &health[target], enemy.board[target].attack);
        if (std::ranges::binary_search(choice.face, index)) attack(index, ENEMY_HERO, nullptr, 0);
    }
    return actions;
}

bool play_thesis_match(const State& start, const Rules& rules, const Weights (&weights)[2],
                       const ThesisMatchOptions& options, ThesisMatch& match) {
    Turn turn;
    turn.start = start;
    turn.rules = rules;
    FixedChoices no_chance;
    Account account;
    State& state = turn.start;
    while (!is_over(state, rules)) {
        turn.weights = weights[state.seat];
        ThesisChoice choice;
        if (!best_thesis_choice(turn, options.reading, choice)) return false;
        ++match.turns;
        if (options.count_optima) {
            ThesisReading reversed = options.reading;
            reversed.last_of_equals = !reversed.last_of_equals;
            reversed.most_actions = !reversed.most_actions;
            ThesisChoice other;
            if (!best_thesis_choice(turn, reversed, other)) return false;
            match.several_optima +=
                choice.plays != other.plays || choice.hits != other.hits || choice.face != other.face;
        }
        apply_batch(state, rules, printed_actions(state, rules, choice, options.skip_dead), no_chance, account);
        if (!is_over(state, rules)) pass_turn(state, rules, no_chance, account);
    }
    const bool mine = state.me().hero.health <= 0, theirs = state.enemy().hero.health <= 0;
    match.winner = mine == theirs ? -1 : mine ? 1 - state.seat : state.seat;
    match.rounds = (std::min(state.turn, rules.turn_limit) + 1) / 2;
    if (theirs && state.seat == 1) ++match.rounds;
    return true;
}

}  // namespace planner::vanilla
