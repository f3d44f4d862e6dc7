// The best vanilla turn as a packing of sets of attackers: one option for each enemy minion, and no attacker beyond its
// number of hits.
#pragma once

#include <functional>
#include <memory>

#include "search/limit.hpp"
#include "vanilla/prices.hpp"
#include "vanilla/vanilla_plan.hpp"

namespace planner::vanilla {

// The best value with which each position of a search was reached. The rest depends on the position alone.
class BestByPosition {
  public:
    struct Key {
        uint64_t who, what, how;
        bool operator==(const Key&) const = default;
    };
    void clear();
    bool worse(const Key& key, const Value& value);  // than an earlier value; keeps the better one

  private:
    struct Entry {
        Key key;
        Value value;
        uint32_t round;
    };
    std::vector<Entry> entries_;
    size_t count_ = 0;
    uint32_t round_ = 0;
    void grow();
};

class Packing {
  public:
    Packing(const VanillaTurn& vanilla, const Fights& fights, uint32_t prunes, Limit& limit);

    bool listed() const { return listed_; }  // false: there are too many hands

    // Finds the choice with the highest claim, if one claims at least `floor` more than ending the turn at once.
    // `every_choice` visits each choice that claims more than `best`, which `visit` may raise, and prunes by bounds
    // only.
    bool best_choice(Choice& found, int64_t floor = NO_FLOOR);
    void every_choice(Value& best, const std::function<void(const Choice&)>& visit);

    bool stopped() const { return stopped_; }
    int64_t bound() const { return bound_; }  // of all scenarios, at the root

  private:
    struct Candidate {
        Value left;  // its value less the prices of its attackers
        const Option* option;
    };
    struct Subproblem {  // a scenario, and how far it has been searched
        const Scenario* scenario = nullptr;
        bool opened = false;
        std::unique_ptr<VanillaPrices> prices;  // null: cheap prices
        int64_t above = 0;                      // the highest claim of unsearched choices
        int64_t done = INT64_MAX;               // choices with this claim or more were searched
        int64_t gap = 0;                        // below the bound, for the next search
    };
    struct Node {
        Value high;  // value so far less prices, with the best paths of attackers with two hits
        Fought fought;
        int32_t potential;  // the damage that the remaining attackers could do to the hero
    };
    const VanillaTurn& vanilla_;
    const Fights& fights_;
    const uint32_t prunes_;
    Limit& limit_;
    Endings endings_;
    std::vector<Hand> hands_;
    Groups through_, clear_, stuck_;  // the groups of the scenarios
    std::vector<Scenario> scenarios_;
    bool listed_, scarce_, stopped_ = false;
    int64_t bound_ = 0;
    int64_t branches_left_ = INT64_MAX;  // of a brief search
    bool brief_failed_ = false;          // then the next one would probably fail, too

    // Of the scenario that is searched
    const Scenario* scenario_ = nullptr;
    VanillaPrices prices_;
    std::vector<PathTops> paths_;  // by attacker; of those with one hit all values are 0
    std::vector<std::vector<Candidate>> groups_;
    std::vector<int> indices_;  // the enemy minion of each group
    std::vector<Value> after_;  // the maximum that later groups, the hand and the face can add
    std::vector<std::pair<int64_t, const Hand*>> by_hand_;  // the maximum that each hand can add, best first
    int64_t rest_ = 0;                                      // the rest of the bound, without groups and hand
    Value best_;
    int64_t at_least_ = 0, before_ = 0;  // the claims to search: from `at_least_`, below `before_`
    int64_t cut_ = 0;                    // the highest claim of pruned choices
    Choice* found_ = nullptr;
    bool any_ = false;
    const std::function<void(const Choice&)>* visit_ = nullptr;
    std::vector<const Option*> chosen_;
    // Attackers by the last group that could use them, and the loss of the bound by each unused attacker.
    std::vector<uint32_t> last_chance_;
    int64_t unused_loss_[MAX_ATTACKERS];
    // Of each attacker, what a hit on a minion costs in the tie-break and what its best use brings; the sum of these.
    __int128 tie_price_[MAX_ATTACKERS], tie_gain_[MAX_ATTACKERS], tie_rest_ = 0;
    BestByPosition best_by_position_;
    std::vector<int> first_life_;    // of each enemy minion
    std::vector<uint32_t> payable_;  // sets of attackers that some hand contains

    void list_scenarios();
    int64_t bound_of(const Scenario& scenario, std::vector<int64_t>& tops);
    void open(Subproblem& subproblem);
    bool search_briefly(Subproblem& subproblem);
    void search();
    void search(Subproblem& open);
    bool too_little(const Value& upper);
    static double choices(const Scenario& scenario);
    bool use_prices(const Scenario& scenario) const;
    void cheap_prices(const Scenario& scenario);
    int64_t by_face(const Scenario& scenario, int attacker) const;
    void find_unused();
    void find_tie_prices();
    __int128 tie_prices(const Option& option) const;
    void select(int64_t gap, const std::vector<int64_t>& tops);
    void branch(size_t depth, const Node& node);
    bool dominated(size_t depth, const Node& node);
    void charge_unused(size_t depth, Node& node) const;
    void assign(size_t depth, Node& node, const Option& option, uint32_t doubles);
    void leaf(const Node& node);
    bool can_pay(uint32_t attackers) const;
};

}  // namespace planner::vanilla
