// Minions that come back to the hand and can be played again.
#include <algorithm>

#include "search/bound_parts.hpp"

namespace planner::search {

// By cost, the best minion that can come back to the own hand, as it is played again.
const std::vector<UpsideTable::ReturnedMinion>& UpsideTable::returned() {
    if (returned_known_) return returned_;
    returned_known_ = true;
    for (const CardUpsides& upsides : cards_) {
        const Card& card = *upsides.card;
        if (!upsides.can_be_ours || card.type != Type::minion) continue;
        auto known = std::ranges::find(returned_, card.cost, &ReturnedMinion::cost);
        if (known == returned_.end()) known = returned_.insert(returned_.end(), {card.cost, {}});
        for (const bool token : {false, true}) {
            Upside upside = of_playing(card, token);
            upside.value +=
                UNIT * (Wide{weights_.card_value} * card.value * value_scale_ - Wide{weights_.mana_unused} * card.cost);
            // How often it can be played would depend on more than its cost.
            upside.unbounded |= upside.mana || card.keywords & (ECHO | TRADEABLE);
            // It counts for its printed value, which may be no integer, whatever its value in hand was.
            upside.unbounded |= !card.value_known;
            known->played.maximum(upside);
        }
    }
    return returned_;
}

// Own minions that come back to the hand can be bought again: each time another one comes back, and for its cost.
bool Bound::add_returned_minions(const Upside& table, Budget& budget) const {
    int64_t returns = table.returns;
    for (const auto& purchase : budget.purchases) returns += purchase.times * purchase.upside->returns;
    if (returns == 0) return true;
    const auto& returned = upsides_.returned();
    if (returned.size() > Budget::MAX_RETURNED) return false;
    for (const auto& [cost, played] : returned)
        if (played.returns && cost <= budget.mana) {
            if (cost == 0) return false;
            returns += budget.mana / cost * played.returns;
        }
    for (const auto& [cost, played] : returned)
        if (cost <= budget.mana)
            budget.purchases.push_back({&played, 0, cost ? std::min(returns, budget.mana / cost) : returns, cost});
    return true;
}

}  // namespace planner::search
