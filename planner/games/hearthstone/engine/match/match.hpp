// Plays whole matches between agents of the engine, from the deal to the result: the counterpart of
// planner/arena/match/referee.py and rules/match_flow.py.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "match/agents.hpp"

namespace planner::match {

// When a match ends before the rules end it: the counterpart of `Adjudication` in planner/match_options.py.
struct Adjudication {
    int32_t max_turns = 0;     // 0: no limit
    int32_t resign_turns = 0;  // so many turns in a row with a value beyond one of those below; 0: never
    int64_t winning_value = 0, losing_value = 0;  // of the state, for the player to move
};

// What all matches of a pairing share. Seats are 0 and 1.
struct MatchSetup {
    State undealt;       // the state of the first player, with all cards in their decks; or that of a position
    bool dealt = false;  // whether a match starts from a position: only the decks are shuffled
    Rules rules;
    int32_t starting_hand[2] = {0, 0};
    bool mulligan = false;
    std::vector<HandCard> coin;  // the card that the second player gets, or empty
    AgentSpec agents[2];
    // By seat: the position of each card of the deck in the list of different cards, and the length of that list.
    std::vector<int> card_positions[2];
    int different_cards[2] = {0, 0};
    double move_seconds = 0, game_seconds = 0;  // limits for a decision and for all decisions of an agent; 0: none
    Adjudication adjudication;
};

struct MatchSeeds {
    uint64_t shuffle, chance, agents[2];
};

// Tells another process which seat decides: two numbers in shared memory, as planner/arena/tournament/game_worker.py
// describes them.
class Heartbeat {
  public:
    Heartbeat() = default;
    explicit Heartbeat(uint64_t* numbers) : numbers_(numbers) {}
    void beat(int seat, int turn) const;

  private:
    uint64_t* numbers_ = nullptr;  // null: no process watches
};

// Decision times are counted in the bins of planner/arena/tournament/game_result.py.
constexpr int BINS_PER_DECADE = 10, BINS = 9 * BINS_PER_DECADE;
struct ThinkingTime {
    double seconds = 0, slowest = 0;
    std::array<int32_t, BINS> histogram{};  // of decisions that took a new plan
};

struct Move {
    Action action;
    bool planned;
    std::vector<Action> batch;  // instead of `action`, if it is not empty
};
struct PlayedTurn {
    int32_t number, seat;
    std::vector<Move> moves;   // without the mulligan, which is a turn of its own with number 0
    std::vector<Id> replaced;  // in the mulligan
    bool planned_mulligan = false;
};

enum class EndReason : uint8_t { damage, fatigue, turn_limit, max_turns, resign };
struct PlayedMatch {
    int winner = -1;  // the seat, or -1 for a draw
    EndReason reason = EndReason::damage;
    int32_t rounds = 0, turns = 0;
    int32_t decisions[2] = {0, 0};  // by seat, without the mulligan
    ThinkingTime times[2];
    double seconds = 0;             // of the whole match
    std::string cards_used[2];      // by different card: '0' not seen, '1' drawn, '2' played
    std::vector<PlayedTurn> moves;  // if they were asked for
};

// Throws `Declined` or another exception where only the Python driver can play the match.
PlayedMatch play_match(const MatchSetup& setup, const MatchSeeds& seeds, bool with_moves, const Heartbeat& heartbeat);

}  // namespace planner::match
