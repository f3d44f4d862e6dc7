// Turns by Guo's model: find the optimum of the model, put its actions in order, and carry out those that are legal.
// The counterpart of `_thesis_plan` in turn/turn_plan.py, `decode` in turn/thesis_program.py and turn/turn_effects.py.
#include <algorithm>
#include <map>
#include <memory>
#include <tuple>

#include "match/plan.hpp"
#include "vanilla/thesis_match.hpp"

namespace planner::match {

namespace {

// The same game without card effects, which the model does not know.
class BlankState {
  public:
    explicit BlankState(const State& original) : state(original) {
        const Player& me = original.me();
        for (const HandCard& hand_card : me.hand) {
            const Card& card = *hand_card.card;
            const bool ignored = card.has_effects || card.type == Type::spell || card.type == Type::weapon;
            ignores_effects |= ignored && hand_card.cost <= me.mana;
        }
        for (const Player& player : original.sides)
            for (const Minion& minion : player.board) ignores_effects |= minion.card->has_effects;
        ignores_effects |= me.power && !me.power_used && me.power->cost <= me.mana;
        if (!ignores_effects) return;
        for (Player& player : state.sides)
            for (Minion& minion : player.board) minion.card = blank(minion.card);
        for (HandCard& hand_card : state.me().hand) hand_card.card = blank(hand_card.card);
    }

    State state;
    bool ignores_effects = false;

  private:
    const Card* blank(const Card* card) {
        if (!card->has_effects) return card;
        auto& copy = blank_cards_[card];
        if (!copy) {
            copy = std::make_unique<Card>(*card);
            for (auto& effects : copy->effects_by_trigger) effects.clear();
            copy->has_effects = copy->has_reactions = copy->only_summons = copy->improves_weapon = false;
            for (const bool combo : {false, true}) {
                copy->chosen_target[combo] = nullptr;
                copy->chosen_condition[combo] = {};
            }
            copy->needs_no_target = card->type == Type::minion && !(card->keywords & (MAGNETIC | TRADEABLE));
        }
        return copy.get();
    }

    std::map<const Card*, std::unique_ptr<Card>> blank_cards_;
};

// The chosen actions, legal or not: cards first, then attacks on taunt minions, small hits first, then on other
// minions, then on the hero, then the cards again, since a trade may have made room for them.
std::vector<Action> decode(const State& state, vanilla::ThesisChoice choice) {
    struct Friend {
        Id id;
        int32_t attack;
    };
    std::vector<Friend> friends;
    for (const Minion& minion : state.me().board) friends.push_back({minion.id, minion.attack});
    for (const HandCard& hand_card : state.me().hand)
        if (hand_card.card->type == Type::minion) friends.push_back({hand_card.id, hand_card.card->attack});
    const auto& enemies = state.enemy().board;
    std::ranges::sort(choice.hits, {}, [&](const std::pair<int, int>& hit) {
        const auto [attacker, target] = hit;
        return std::tuple(!(enemies[target].keywords & TAUNT), target, friends[attacker].attack, attacker);
    });
    std::ranges::sort(choice.face, {}, [&](int attacker) { return std::pair(friends[attacker].attack, attacker); });
    std::vector<Action> actions;
    const auto play_cards = [&] {
        for (const int card : choice.plays) actions.push_back({Action::play, friends[card].id, NO_ID});
    };
    play_cards();
    for (const auto& [attacker, target] : choice.hits)
        actions.push_back({Action::attack, friends[attacker].id, enemies[target].id});
    for (const int attacker : choice.face) actions.push_back({Action::attack, friends[attacker].id, ENEMY_HERO});
    play_cards();
    return actions;
}

std::vector<Action> legal_part(State state, const Rules& rules, const std::vector<Action>& actions) {
    std::vector<Action> done;
    for (const Action action : actions)
        if (is_legal(state, rules, action)) {
            apply_certain(state, rules, action);
            done.push_back(action);
        }
    return done;
}

// Whether the play would harm a friend or help an enemy.
bool is_unfit(const State& state, const Card& card, Id target) {
    const bool harms = std::ranges::any_of(card.effects(Trigger::play), [](const Effect& effect) {
        const bool harmful = effect.operation == Operation::damage || effect.operation == Operation::destroy ||
                             effect.operation == Operation::silence || effect.operation == Operation::freeze;
        return harmful && effect.has_target && effect.target.select == Select::chosen;
    });
    const auto& board = state.me().board;
    const bool mine = target == MY_HERO || std::ranges::find(board, target, &Minion::id) != board.end();
    return harms == mine;
}

// The actions as the game with effects allows them, as far as they stay legal and certain. A card that needs a target
// gets the first one that fits.
std::vector<Action> with_targets(State state, const Rules& rules, const std::vector<Action>& actions) {
    std::vector<Action> done;
    for (Action action : actions) {
        if (!is_legal(state, rules, action)) {
            if (action.kind != Action::play) return done;
            ActionList legal;
            legal_actions(state, rules, legal);
            const auto hand_card = std::ranges::find(state.me().hand, action.source, &HandCard::id);
            const Action* best = nullptr;
            for (const Action& play : legal) {
                if (play.kind != Action::play || play.source != action.source) continue;
                if (!best) best = &play;
                if (is_unfit(state, *hand_card->card, play.target)) continue;
                best = &play;
                break;
            }
            if (!best) return done;
            action = *best;
        }
        done.push_back(action);
        try {
            apply_certain(state, rules, action);
        } catch (const Undecided&) {
            return done;
        }
    }
    return done;
}

}  // namespace

TurnPlan plan_thesis(const AgentSpec& spec, const View& view) {
    const BlankState blank(view.state);
    vanilla::ThesisChoice choice;
    // The tie-break is that of `_thesis_plan` in turn/turn_plan.py.
    const vanilla::ThesisReading reading{.every_minion = spec.formulation == Formulation::thesis_every_minion,
                                         .most_actions = view.rules.printed};
    if (!vanilla::best_thesis_choice(make_turn(view, blank.state, spec.weights), reading, choice)) throw Declined();
    if (view.rules.printed) {
        if (blank.ignores_effects) throw Declined();
        return {vanilla::printed_actions(view.state, view.rules, choice), {}, false, true};
    }
    const std::vector<Action> actions = legal_part(blank.state, view.rules, decode(blank.state, choice));
    if (!blank.ignores_effects) return {actions, {}, false};
    const std::vector<Action> targeted = with_targets(view.state, view.rules, actions);
    return {targeted, first_reveal(view.state, view.rules, targeted), true};
}

}  // namespace planner::match
