#include "match/match.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>

#include "match/python_random.hpp"

namespace planner::match {

namespace {

constexpr int MAX_TURN_ACTIONS = 1000;  // as in planner/arena/match/referee.py
constexpr int NO_SEAT = -1;

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

int bin_of(double seconds) {
    if (seconds <= 0) return 0;
    return std::clamp(static_cast<int>(std::floor((std::log10(seconds) + 6) * BINS_PER_DECADE)), 0, BINS - 1);
}

class Match {
  public:
    Match(const MatchSetup& setup, const MatchSeeds& seeds, bool with_moves, const Heartbeat& heartbeat)
        : setup_(setup),
          rules_(setup.rules),
          state_(setup.undealt),
          chance_(seeds.chance),
          with_moves_(with_moves),
          heartbeat_(heartbeat),
          agents_{make_agent(setup.agents[0], seeds.agents[0]), make_agent(setup.agents[1], seeds.agents[1])} {
        rules_.decks = &traded_decks_;
        deal(seeds.shuffle);
    }

    PlayedMatch play() {
        const auto begin = Clock::now();
        bool adjudicated = false;
        while (!adjudicated && !is_over(state_, rules_)) {
            const int32_t number = state_.turn;
            play_turn();
            adjudicated = adjudicate(number);
        }
        heartbeat_.beat(NO_SEAT, 0);
        if (!adjudicated) finish();
        for (const int seat : {0, 1}) count_cards(seat);
        result_.seconds = seconds_since(begin);
        return std::move(result_);
    }

  private:
    void deal(uint64_t seed) {
        PythonRandom random(seed);
        if (setup_.dealt) return shuffle_decks(random);
        for (const int seat : {0, 1}) {
            Player& player = state_.sides[seat];
            std::vector<HandCard>& deck = decks_[seat];
            deck.assign(player.deck.begin(), player.deck.end());
            random.shuffle(deck);
            // A smaller deck is dealt completely.
            const size_t dealt = std::min<size_t>(setup_.starting_hand[seat], deck.size());
            for (size_t index = 0; index < dealt; ++index) player.hand.push_back(deck[index]);
            player.deck = std::span<const HandCard>(deck).subspan(dealt);
        }
        state_.turn = 0;
        if (!setup_.mulligan) return begin();
        replace_cards();
        replace_cards();
        begin();
    }

    void shuffle_decks(PythonRandom& random) {
        for (const int seat : {0, 1}) {
            Player& player = seat == state_.seat ? state_.me() : state_.enemy();
            std::vector<HandCard>& deck = decks_[seat];
            deck.assign(player.deck.begin(), player.deck.end());
            random.shuffle(deck);
            player.deck = deck;
        }
    }

    // The mulligan of `me`; then the other player is `me`.
    void replace_cards() {
        Player& me = state_.me();
        const Agent& agent = *agents_[state_.seat];
        const size_t most = me.deck.size();  // a small deck replaces as many cards as it has
        std::vector<HandCard> away;
        std::vector<Id> replaced;
        for (HandCard& hand_card : me.hand) {
            if (!agent.replaces(hand_card)) continue;
            replaced.push_back(hand_card.id);
            if (away.size() == most) continue;
            away.push_back(hand_card);
            hand_card = me.deck[away.size() - 1];
        }
        if (!away.empty()) {
            std::vector<HandCard> deck(me.deck.begin() + away.size(), me.deck.end());
            deck.insert(deck.end(), away.begin(), away.end());
            chance_.random.shuffle(deck);
            decks_[state_.seat] = std::move(deck);
            me.deck = decks_[state_.seat];
        }
        if (with_moves_) result_.moves.push_back({0, state_.seat, {}, std::move(replaced), agent.planned()});
        std::swap(state_.sides[0], state_.sides[1]);
        state_.seat = 1 - state_.seat;
    }

    void begin() {
        auto& hand = state_.enemy().hand;
        if (!setup_.coin.empty() && hand.size() < rules_.hand_limit) hand.push_back(setup_.coin.front());
        state_.turn = 1;
        Account account;
        start_turn(state_, rules_, chance_, account);
    }

    void play_turn() {
        const int32_t number = state_.turn, seat = state_.seat;
        Agent& agent = *agents_[seat];
        ThinkingTime& times = result_.times[seat];
        ++result_.turns;
        if (with_moves_) result_.moves.push_back({number, seat, {}, {}, false});
        for (int moves = 0; state_.turn == number && !is_over(state_, rules_); ++moves) {
            heartbeat_.beat(seat, number);
            const auto asked = Clock::now();
            const Action action = agent.decide(state_, rules_);
            const double seconds = seconds_since(asked);
            heartbeat_.beat(NO_SEAT, number);
            times.seconds += seconds;
            times.slowest = std::max(times.slowest, seconds);
            if (agent.planned()) ++times.histogram[bin_of(seconds)];
            // The Python driver judges who loses on time, and who never ends a turn.
            if (setup_.move_seconds && seconds > setup_.move_seconds) throw Declined();
            if (setup_.game_seconds && times.seconds > setup_.game_seconds) throw Declined();
            if (moves >= MAX_TURN_ACTIONS) throw Declined();
            ++result_.decisions[seat];
            const std::span<const Action> batch = agent.batch();
            if (with_moves_)
                result_.moves.back().moves.push_back({action, agent.planned(), {batch.begin(), batch.end()}});
            if (batch.empty()) carry_out(action);
            else carry_out(batch);
        }
    }

    void carry_out(Action action) {
        Account account;
        if (action.kind == Action::end_turn) return pass_turn(state_, rules_, chance_, account);
        if (action.kind == Action::play && action.source < FIRST_CREATED_ID) played_.push_back(action.source);
        if (action.kind == Action::trade && action.source < FIRST_CREATED_ID) traded_.push_back(action.source);
        apply_action(state_, rules_, action, chance_, account);
    }

    void carry_out(std::span<const Action> batch) {
        Account account;
        for (const Action action : batch)
            if (action.kind == Action::play) played_.push_back(action.source);
        apply_batch(state_, rules_, batch, chance_, account);
    }

    void finish() {
        const bool mine = state_.me().hero.health <= 0, theirs = state_.enemy().hero.health <= 0;
        if (mine != theirs) result_.winner = mine ? 1 - state_.seat : state_.seat;
        if (!mine && !theirs) result_.reason = EndReason::turn_limit;
        else if (state_.cause == Cause::fatigue) result_.reason = EndReason::fatigue;
        // The turn after the turn limit does not count.
        result_.rounds = (std::min(state_.turn, rules_.turn_limit) + 1) / 2;
        // Guo's program also counts the end of a turn in which the second player wins.
        if (rules_.printed && theirs && state_.seat == 1) ++result_.rounds;
    }

    // Returns whether the match ends after the turn with this number although the rules do not end it.
    bool adjudicate(int32_t number) {
        const Adjudication& rules = setup_.adjudication;
        if (is_over(state_, rules_)) return false;
        result_.rounds = (number + 1) / 2;
        if (rules.resign_turns) {
            const int64_t value = state_value(state_);
            const bool winning[2] = {value >= rules.winning_value, value <= rules.losing_value};
            for (const int seat : {0, 1}) {
                int32_t& streak = streaks_[seat];
                streak = winning[seat == state_.seat ? 0 : 1] ? streak + 1 : 0;
                if (streak < rules.resign_turns) continue;
                result_.winner = seat;
                result_.reason = EndReason::resign;
                return true;
            }
        }
        if (!rules.max_turns || result_.turns < rules.max_turns) return false;
        result_.reason = EndReason::max_turns;
        return true;
    }

    // Of several copies of a card the furthest one counts.
    void count_cards(int seat) {
        std::string& used = result_.cards_used[seat];
        used.assign(setup_.different_cards[seat], '0');
        const auto in_a_deck = [&](Id id) {
            return std::ranges::any_of(state_.sides, [&](const Player& player) {
                return std::ranges::find(player.deck, id, &HandCard::id) != player.deck.end();
            });
        };
        const auto contains = [](const std::vector<Id>& ids, Id id) { return std::ranges::find(ids, id) != ids.end(); };
        if (setup_.dealt) return;  // the deck lists are not known
        const auto& deck = setup_.undealt.sides[seat].deck;
        for (size_t index = 0; index < deck.size(); ++index) {
            const Id id = deck[index].id;
            char& use = used[setup_.card_positions[seat][index]];
            const char copy = contains(played_, id) ? '2' : contains(traded_, id) || !in_a_deck(id) ? '1' : '0';
            use = std::max(use, copy);
        }
    }

    const MatchSetup& setup_;
    Rules rules_;
    State state_;
    RandomChance chance_;
    bool with_moves_;
    const Heartbeat& heartbeat_;
    std::unique_ptr<Agent> agents_[2];
    std::vector<HandCard> decks_[2];  // by seat, as they were shuffled
    DeckStore traded_decks_;
    std::vector<Id> played_, traded_;
    int32_t streaks_[2] = {0, 0};  // by seat: turns in a row in which it was certain of winning
    PlayedMatch result_;
};

}  // namespace

void Heartbeat::beat(int seat, int turn) const {
    constexpr uint64_t SEAT_STEP = 16;
    if (!numbers_) return;
    std::atomic_ref<uint64_t> decision(numbers_[0]), number(numbers_[1]);
    const uint64_t count = decision.load(std::memory_order_relaxed) / SEAT_STEP + 1;
    number.store(static_cast<uint64_t>(turn), std::memory_order_relaxed);
    decision.store(count * SEAT_STEP + static_cast<uint64_t>(seat + 1), std::memory_order_release);
}

PlayedMatch play_match(const MatchSetup& setup, const MatchSeeds& seeds, bool with_moves, const Heartbeat& heartbeat) {
    return Match(setup, seeds, with_moves, heartbeat).play();
}

}  // namespace planner::match
