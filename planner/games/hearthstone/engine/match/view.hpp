// What the player to move sees of a match, numbered like a state that comes from Python.
#pragma once

#include <optional>
#include <vector>

#include "rules/rules.hpp"

namespace planner::match {

using namespace rules;

// The state without the enemy hand and the order of the decks; the counterpart of `observe` in rules/match_flow.py.
// Ids have new numbers, in the order in which the binding reads a Python state. The search then gives the same plan as
// when Python asks for it, and a minion that was created in an earlier turn is not a token any more.
class View {
  public:
    View(const State& match, const Rules& match_rules);
    View(const View&) = delete;
    View& operator=(const View&) = delete;

    State state;
    Rules rules;

    size_t id_count() const { return FIRST_CALLER_ID + match_ids_.size(); }
    // The same action with the ids of the match.
    Action to_match(Action action) const { return {action.kind, to_match(action.source), to_match(action.target)}; }
    // Returns nothing if the action names something that is not there any more.
    std::optional<Action> from_match(Action action) const;

  private:
    Id number(Id match_id);
    void hide(std::span<const HandCard>& deck);
    Id to_match(Id id) const;
    std::optional<Id> from_match(Id id) const;

    std::vector<Id> match_ids_;  // by id, from FIRST_CALLER_ID on; NO_ID for a hidden card
    std::vector<HandCard> hidden_;
    DeckStore traded_decks_;
};

}  // namespace planner::match
