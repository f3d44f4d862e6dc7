// The class of the extension module that plays whole matches; see planner/games/hearthstone/engine_matches.py.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "binding/module.hpp"
#include "match/match.hpp"

namespace planner::binding {

using namespace match;

namespace {

constexpr const char* END_REASONS[] = {"damage", "fatigue", "turn limit", "max turns",
                                       "resign"};  // in the order of EndReason

// Returns false if a weight is too large.
bool read_agent(nb::handle object, const ConvertedState& converted, AgentSpec& spec) {
    spec.kind = static_cast<AgentKind>(nb::cast<int>(object["kind"]));
    spec.mulligan_cost = nb::cast<int32_t>(object["mulligan_cost"]);
    if (spec.kind != AgentKind::planner) return true;
    spec.formulation = static_cast<Formulation>(nb::cast<int>(object["formulation"]));
    spec.take_lethal = nb::cast<bool>(object["take_lethal"]);
    spec.rules = read_rules(nb::cast<nb::list>(object["rules"]), converted);
    spec.effort = nb::cast<uint64_t>(object["effort"]);
    return read_weights(nb::cast<nb::tuple>(object["weights"]), spec.weights) &&
           read_weights(nb::cast<nb::tuple>(object["win_weights"]), spec.win_weights);
}

// A writable buffer of two 64-bit numbers, held as long as a call lasts.
class HeartbeatBuffer {
  public:
    explicit HeartbeatBuffer(nb::handle object) {
        if (object.is_none()) return;
        if (PyObject_GetBuffer(object.ptr(), &buffer_, PyBUF_WRITABLE) < 0) nb::raise_python_error();
        if (buffer_.len < static_cast<Py_ssize_t>(2 * sizeof(uint64_t))) throw nb::value_error("heartbeat: too small");
    }
    ~HeartbeatBuffer() {
        if (buffer_.obj) PyBuffer_Release(&buffer_);
    }
    HeartbeatBuffer(const HeartbeatBuffer&) = delete;
    HeartbeatBuffer& operator=(const HeartbeatBuffer&) = delete;

    Heartbeat heartbeat() const { return Heartbeat(static_cast<uint64_t*>(buffer_.buf)); }

  private:
    Py_buffer buffer_{};
};

// Plays matches of one setup between two agents.
class MatchPlayer {
  public:
    explicit MatchPlayer(std::unique_ptr<ConvertedState> undealt) : converted_(std::move(undealt)) {}

    // Plays a match for each seed, without the GIL. A match that the engine declines is None.
    nb::list play(const std::vector<std::tuple<uint64_t, uint64_t, uint64_t, uint64_t>>& seeds, bool with_moves,
                  nb::object heartbeat) {
        const HeartbeatBuffer buffer(heartbeat);
        std::vector<std::optional<PlayedMatch>> played(seeds.size());
        {
            nb::gil_scoped_release released;
            for (size_t index = 0; index < seeds.size(); ++index) {
                const auto& [shuffle, chance, first, second] = seeds[index];
                played[index] = play_or_decline({shuffle, chance, {first, second}}, with_moves, buffer.heartbeat());
            }
        }
        nb::list results;
        for (const auto& match : played) results.append(match ? to_python(*match, with_moves) : nb::none());
        return results;
    }

    MatchSetup setup;

  private:
    std::optional<PlayedMatch> play_or_decline(const MatchSeeds& seeds, bool with_moves,
                                               const Heartbeat& heartbeat) const {
        try {
            return play_match(setup, seeds, with_moves, heartbeat);
        } catch (const std::bad_alloc&) {
            throw;
        } catch (...) {  // a number is too large, or a plan needs Python: the Python driver plays the match
            return {};
        }
    }

    nb::object to_python(const PlayedMatch& match, bool with_moves) const {
        nb::list times, cards, moves;
        for (const int seat : {0, 1}) {
            const ThinkingTime& time = match.times[seat];
            std::string histogram;
            for (int bin = 0; bin < BINS; ++bin)
                if (time.histogram[bin])
                    histogram += (histogram.empty() ? "" : " ") + std::to_string(bin) + ":" +
                                 std::to_string(time.histogram[bin]);
            times.append(nb::make_tuple(time.seconds, time.slowest, histogram));
            cards.append(match.cards_used[seat]);
        }
        for (const PlayedTurn& turn : match.moves) moves.append(turn_to_python(turn));
        return nb::make_tuple(match.winner, END_REASONS[static_cast<int>(match.reason)], match.rounds, match.turns,
                              nb::make_tuple(match.decisions[0], match.decisions[1]), nb::tuple(times), match.seconds,
                              nb::tuple(cards), with_moves ? nb::object(moves) : nb::none());
    }

    nb::tuple turn_to_python(const PlayedTurn& turn) const {
        nb::list moves;
        if (turn.number == 0)
            moves.append(nb::make_tuple(converted_->mulligan_to_python(turn.replaced), turn.planned_mulligan));
        for (const Move& move : turn.moves)
            moves.append(nb::make_tuple(
                move.batch.empty() ? converted_->to_python(move.action) : converted_->batch_to_python(move.batch),
                move.planned));
        return nb::make_tuple(turn.number, turn.seat, moves);
    }

    std::unique_ptr<ConvertedState> converted_;  // owns the cards that the setup points to
};

nb::object make_match_player(nb::handle undealt, int64_t value_scale, const nb::dict& options, const nb::list& agents) {
    auto converted = ConvertedState::from_python(undealt, value_scale);
    if (!converted) return nb::none();
    MatchSetup setup;
    setup.undealt = converted->state;
    setup.rules = converted->rules;
    setup.dealt = nb::cast<bool>(options["dealt"]);
    for (const int seat : {0, 1}) {
        if (!read_agent(agents[seat], *converted, setup.agents[seat])) return nb::none();
        setup.starting_hand[seat] = nb::cast<int32_t>(options["starting_hand"][seat]);
        setup.card_positions[seat] = nb::cast<std::vector<int>>(options["card_positions"][seat]);
        setup.different_cards[seat] = nb::cast<int>(options["different_cards"][seat]);
        if (setup.starting_hand[seat] > MAX_HAND_CARDS) return nb::none();
        if (!setup.dealt && setup.card_positions[seat].size() != setup.undealt.sides[seat].deck.size())
            throw nb::value_error("card_positions: expected one for each card");
    }
    setup.mulligan = nb::cast<bool>(options["mulligan"]);
    setup.move_seconds = nb::cast<double>(options["move_seconds"]);
    setup.game_seconds = nb::cast<double>(options["game_seconds"]);
    setup.adjudication = {nb::cast<int32_t>(options["max_turns"]), nb::cast<int32_t>(options["resign_turns"]),
                          nb::cast<int64_t>(options["winning_value"]), nb::cast<int64_t>(options["losing_value"])};
    if (!setup.dealt) {  // the coin is in the second player's hand, where it gets its id
        auto& hand = setup.undealt.enemy().hand;
        setup.coin.assign(hand.begin(), hand.end());
        hand.clear();
    }
    auto player = std::make_unique<MatchPlayer>(std::move(converted));
    player->setup = std::move(setup);
    return nb::cast(std::move(player));
}

}  // namespace

void define_match_functions(nb::module_& module) {
    nb::class_<MatchPlayer>(module, "MatchPlayer")
        .def("play", &MatchPlayer::play, nb::arg("seeds"), nb::arg("with_moves"), nb::arg("heartbeat").none(),
             "Play a match for each tuple of seeds: of the deal, of chance, and of both agents.\n\n"
             "Return the matches as tuples, or None for a match that only the Python driver can play.");
    module.def("make_match_player", &make_match_player, nb::arg("undealt"), nb::arg("value_scale"), nb::arg("options"),
               nb::arg("agents"), "Return a player of matches with this setup and these agents, or None.");
}

}  // namespace planner::binding
