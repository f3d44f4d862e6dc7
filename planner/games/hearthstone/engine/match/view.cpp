#include "match/view.hpp"

#include <algorithm>
#include <stdexcept>

namespace planner::match {

View::View(const State& match, const Rules& match_rules) : state(match), rules(match_rules) {
    rules.decks = &traded_decks_;
    state.clock_at_start = state.clock;
    Player &me = state.me(), &enemy = state.enemy();
    hidden_.reserve(me.deck.size() + enemy.deck.size());  // spans point into it
    match_ids_.reserve(128);
    for (Minion& minion : me.board) minion.id = number(minion.id);
    for (HandCard& hand_card : me.hand) {
        hand_card.id = number(hand_card.id);
        hand_card.returned = false;
    }
    hide(me.deck);
    for (Minion& minion : enemy.board) minion.id = number(minion.id);
    for (HandCard& hand_card : enemy.hand)
        hand_card = {rules.hidden, rules.hidden->value * rules.value_scale, rules.hidden->cost, number(NO_ID), false};
    hide(enemy.deck);
}

Id View::number(Id match_id) {
    const auto id = static_cast<Id>(id_count());
    if (id >= FIRST_CREATED_ID) throw std::overflow_error("too many ids");
    match_ids_.push_back(match_id);
    return id;
}

void View::hide(std::span<const HandCard>& deck) {
    const size_t begin = hidden_.size();
    for (size_t index = 0; index < deck.size(); ++index)
        hidden_.push_back(
            {rules.hidden, rules.hidden->value * rules.value_scale, rules.hidden->cost, number(NO_ID), false});
    deck = {hidden_.data() + begin, deck.size()};
}

Id View::to_match(Id id) const {
    if (id < FIRST_CALLER_ID) return id;
    if (id < FIRST_CREATED_ID) return match_ids_[id - FIRST_CALLER_ID];
    const int32_t match_id = id + state.clock_at_start;
    if (match_id > UINT16_MAX) throw std::overflow_error("too many created ids");
    return static_cast<Id>(match_id);
}

std::optional<Id> View::from_match(Id id) const {
    if (id < FIRST_CALLER_ID) return id;
    const auto found = std::ranges::find(match_ids_, id);
    if (found != match_ids_.end()) return static_cast<Id>(FIRST_CALLER_ID + (found - match_ids_.begin()));
    if (id > FIRST_CREATED_ID + state.clock_at_start) return static_cast<Id>(id - state.clock_at_start);
    return {};
}

std::optional<Action> View::from_match(Action action) const {
    const auto source = from_match(action.source), target = from_match(action.target);
    if (!source || !target) return {};
    return Action{action.kind, *source, *target};
}

}  // namespace planner::match
