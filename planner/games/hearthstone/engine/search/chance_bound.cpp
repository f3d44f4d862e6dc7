// An upper bound on what split damage earns on average, so that most of its outcomes need not be listed.
#include <algorithm>

#include "rules/table.hpp"
#include "search/searcher.hpp"

namespace planner::search {

namespace {

// Whether nothing happens after the damage, apart from deaths and reborn minions: no effect of a minion and no change
// of an aura.
bool nothing_follows(const State& state, const Rules& rules) {
    if (state.reserved_ids && !state.reserved_ids->empty()) return false;
    // Above the limit of a board, whether a minion is reborn depends on what else dies.
    if (std::max(state.me().board.size(), state.enemy().board.size()) > rules.board_limit) return false;
    return std::ranges::all_of(state.sides, [](const Player& player) {
        return std::ranges::all_of(player.board, [](const Minion& minion) {
            const Card& card = *minion.card;
            const bool acts = card.has_reactions || !card.effects(Trigger::death).empty() ||
                              !card.effects(Trigger::aura).empty() || !card.effects(Trigger::turn_end).empty();
            // A silenced minion that is reborn has its effects again.
            return !(acts && (!minion.silenced || minion.keywords & REBORN)) && !minion.aura_attack &&
                   !minion.aura_health && !minion.doomed && minion.health > 0;
        });
    });
}

// The expected value of the smaller of `most` and the number of hits, if each of the points hits with probability
// 1 / targets. 0, which is less, where the numbers would be too large.
Rational expected_hits_up_to(int most, int points, int targets) {
    constexpr int MAX_POINTS = 24;
    if (points > MAX_POINTS) return {};
    Wide ways = 1;  // in which exactly `hits` points hit, out of targets^points
    for (int point = 0; point < points; ++point) ways *= targets - 1;
    Wide all = 1, sum = 0;
    for (int point = 0; point < points; ++point) all *= targets;
    for (int hits = 0; hits <= points; ++hits) {
        sum += std::min(hits, most) * ways;
        ways = ways * (points - hits) / ((hits + 1) * (targets - 1));
    }
    return Rational(sum, all);
}

}  // namespace

// What an action whose outcome chance decides can add, with the end of the turn, which it is the last action of: as
// much as any rest of the turn from a state in which only this action is left.
std::optional<Rational> Searcher::last_action_bound(const State& before, Action action, int64_t earned) {
    if (!query_.compare_bound && !beam_done_) return {};
    State last = before;
    Player& me = last.me();
    for (Minion& minion : me.board)
        if (action.kind != Action::attack || minion.id != action.source) minion.attacks_left = 0;
    if (action.kind != Action::attack || action.source != MY_HERO) me.hero.attacks_left = 0;
    switch (action.kind) {
        case Action::attack: me.mana = 0; break;
        case Action::play: me.mana = find_card(me, action.source)->cost; break;
        case Action::hero_power: me.mana = me.power->cost; break;
        default: return {};
    }
    if (action.kind != Action::hero_power) me.power_used = true;
    const int64_t mana_left = turn_.weights.mana_unused * (before.me().mana - me.mana);
    earned += mana_left;
    const auto bound = upper_bound(last, query_.compare_bound ? nullptr : &earned);
    if (!bound) return {};
    return *bound + Rational(mana_left);
}

// The score is then a sum over the characters, apart from a cleared board. What `hits` points on one target add is at
// most hits x its largest gain per point. A point hits a target with a probability of at most 1 / (the targets that
// must still be alive), so the expected number of hits is at most the sum of these. As long as the target can be hit,
// the probability is at least 1 / (all targets), which counts where every hit is a loss.
//
// `state` and `account` are those at the moment of the choice.
std::optional<Rational> Searcher::split_damage_bound(const State& state, const Account& account, Action action,
                                                     const State& before, const Undecided& choice) const {
    if (action.kind != Action::play || choice.room.empty()) return {};
    const auto played = std::ranges::find(before.me().hand, action.source, &HandCard::id);
    if (played->card->type != Type::spell) return {};
    // The choice must belong to the spell's only effect, not to an effect of a minion that has just died.
    const auto& effects = played->card->effects(Trigger::play);
    if (effects.size() != 1 || !effects[0].split) return {};
    if (!nothing_follows(before, turn_.rules) || !nothing_follows(state, turn_.rules)) return {};

    const auto score = [&](const State& now, const Account& sum) {
        return end_score(turn_, now) + earned_by(before, action, sum);
    };
    const int64_t base = score(state, account);
    std::vector<int> room = choice.room;
    std::ranges::sort(room);
    Rational expected_hits;  // on one target
    for (int point = 0, used = 0, dead = 0; point < choice.times; ++point) {
        while (dead + 1 < std::ssize(room) && used + room[dead] <= point) used += room[dead++];
        expected_hits = expected_hits + Rational(1, Wide{std::ssize(room)} - dead);
    }
    Rational total(base);
    int removable = 0;
    for (size_t index = 0; index < room.size(); ++index) {
        const auto [side, position] = choice.targets[index];
        State now = state;
        Account sum = account;
        FixedChoices none;
        Table table(now, turn_.rules, none, sum);
        std::optional<Rational> gain;  // the largest per point
        for (int hits = 1; hits <= choice.room[index]; ++hits) {
            table.damage(side, position, 1);
            State after = now;
            if (position != HERO) Table(after, turn_.rules, none, sum).resolve_deaths();
            gain = std::max(gain, std::optional(Rational(score(after, sum) - base, hits)));
        }
        const int most = choice.room[index];
        total = total + *gain * (*gain < Rational(0) ? expected_hits_up_to(most, choice.times, choice.count)
                                                     : std::min(expected_hits, Rational(most)));
        removable += side == ENEMY && position != HERO;
    }
    if (removable > 0 && removable == state.enemy().board.size())
        total = total + Rational(std::max<int64_t>(0, turn_.weights.board_clear));
    return total;
}

}  // namespace planner::search
