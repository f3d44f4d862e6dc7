#pragma once

#include <cstdint>
#include <vector>

#include "search/key.hpp"
#include "search/search.hpp"

namespace planner::search {

// The scores of visited states: a hash table with open addressing.
class Memo {
  public:
    struct Entry {
        Key key;
        TurnScore rest;  // of the rest of the turn from this state
        bool used = false;
        bool exact = false;    // `rest` is the true score
        bool bounded = false;  // not exact, but the rest of the turn scores at most `rest`
        bool open = false;     // the search is visiting this state right now
    };

    // Returns the entry of this key, adding one if needed. The next call may move it.
    Entry& at(const Key& key) {
        if (count_ * 2 > entries_.size()) grow();
        Entry& entry = slot(key);
        if (!entry.used) {
            entry.used = true;
            entry.key = key;
            ++count_;
        }
        return entry;
    }
    const Entry* find(const Key& key) const {
        const Entry& entry = const_cast<Memo*>(this)->slot(key);
        return entry.used ? &entry : nullptr;
    }

  private:
    Entry& slot(const Key& key) {
        const uint64_t mask = entries_.size() - 1;
        uint64_t index = key.a & mask;
        while (entries_[index].used && !(entries_[index].key == key)) index = (index + 1) & mask;
        return entries_[index];
    }
    void grow() {
        std::vector<Entry> old(entries_.size() * 2);
        old.swap(entries_);
        for (Entry& entry : old)
            if (entry.used) slot(entry.key) = entry;
    }

    std::vector<Entry> entries_ = std::vector<Entry>(1 << 8);  // the size is a power of 2
    uint64_t count_ = 0;
};

}  // namespace planner::search
