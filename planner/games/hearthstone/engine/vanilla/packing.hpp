// One option for each enemy minion, and no attacker beyond its blows: the best turn as a packing of sets of attackers.
#pragma once

#include <functional>

#include "search/limit.hpp"
#include "vanilla/vanilla_plan.hpp"
#include "vanilla/prices.hpp"

namespace planner::vanilla {

using namespace rules;
using namespace search;

// The best value with which each position of a search was reached: what comes after it depends on nothing else.
class Seen {
  public:
    struct Key {
        uint64_t who, what, how;
        bool operator==(const Key& other) const { return who == other.who && what == other.what && how == other.how; }
    };
    void clear();
    bool worse(const Key& key, const Value& value);  // than before; keeps the better

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
    Packing(const Bodies& bodies, const Fights& fights, uint32_t prunes, Limit& limit);

    bool listed() const { return listed_; }  // false: there are too many hands

    // The choice that claims the most: with nothing but bounds left out where `every` is given, and then each choice
    // that claims more than `best` goes there, which may raise it.
    bool best_choice(Choice& found);
    void every_choice(Value& best, const std::function<void(const Choice&)>& visit);

    bool stopped() const { return stopped_; }
    int64_t bound() const { return bound_; }  // of all ways, at the root

  private:
    struct Candidate {
        Value left;  // its value less what its attackers cost
        const Option* option;
    };
    struct Open {  // a way, and how far it has been searched
        const Way* way;
        VanillaPrices prices;
        int64_t above;  // what has not been looked at claims not more
        int64_t done;   // what claims so much has been looked at
        int64_t gap;    // below the bound, to be searched next
    };
    struct Node {
        Value high;  // value so far less prices paid, with the best paths of attackers with two blows
        Fought fought;
        int32_t potential;  // what those who are free could do to the hero
    };
    const Bodies& bodies_;
    const Fights& fights_;
    const uint32_t prunes_;
    Limit& limit_;
    Endings endings_;
    std::vector<Hand> hands_;
    std::vector<Way> ways_;
    bool listed_, scarce_, stopped_ = false;
    int64_t bound_ = 0;

    // Of the way that is searched
    const Way* way_ = nullptr;
    VanillaPrices prices_;
    std::vector<PathTops> paths_;         // by fighter
    std::vector<std::vector<Candidate>> groups_;
    std::vector<int> places_;             // of the groups among the enemy minions
    std::vector<Value> after_;            // the most that the groups from here on, the hand and the face can add
    std::vector<std::pair<int64_t, const Hand*>> by_hand_;  // the most that each hand can add, best first
    int64_t rest_ = 0;                    // of the bound: beside the groups and the hand
    Value best_;
    int64_t at_least_ = 0, before_ = 0;   // what the choices claim that are asked for: from, and below
    int64_t cut_ = 0;                     // others claim not more
    Choice* found_ = nullptr;
    bool any_ = false;
    const std::function<void(const Choice&)>* visit_ = nullptr;
    std::vector<const Option*> chosen_;
    // Attackers by the last group that could use them, and what the bound loses by each that nobody uses.
    std::vector<uint32_t> last_chance_;
    int64_t idle_loss_[MOST_FIGHTERS];
    Seen seen_;
    std::vector<int> first_life_;         // of each enemy minion
    std::vector<uint32_t> payable_;       // sets of fighters that some hand brings

    void list_ways();
    int64_t bound_of(const Way& way, std::vector<int64_t>& tops);
    Open open(const Way& way);
    void search();
    void search(Open& open);
    bool too_little(const Value& most);
    bool use_prices(const Way& way) const;
    void cheap_prices(const Way& way);
    int64_t by_face(const Way& way, int fighter) const;
    void find_idlers();
    void select(int64_t gap, const std::vector<int64_t>& tops);
    void go(size_t depth, const Node& node);
    bool dominated(size_t depth, const Node& node);
    void charge_idle(size_t depth, Node& node) const;
    void take(size_t depth, Node& node, const Option& option, uint32_t doubles);
    void end(const Node& node);
    bool can_pay(uint32_t fighters) const;
};

}  // namespace planner::vanilla
