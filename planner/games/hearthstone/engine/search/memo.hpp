// What is known of states that were looked at: a table from keys to scores.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "search/key.hpp"
#include "search/search.hpp"

namespace planner::search {

using namespace rules;

class Memo {
  public:
    struct Entry {
        Key key;
        Score score;
        bool used = false;
        bool known = false;  // `score` is what the rest of the turn is worth from there
        bool bounded = false;  // not known, but the rest is worth no more than the worth in `score`
        bool open = false;   // it is being looked at right now
    };

    Memo() : entries_(1 << 8), mask_((1 << 8) - 1) {}

    // The entry of this key, new or known. Adding may move entries: hold none over a call.
    Entry& at(const Key& key) {
        if (count_ * 2 > mask_) grow();
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
        uint64_t place = key.a & mask_;
        while (entries_[place].used && !(entries_[place].key == key)) place = (place + 1) & mask_;
        return entries_[place];
    }
    void grow() {
        std::vector<Entry> old(entries_.size() * 2);
        old.swap(entries_);
        mask_ = entries_.size() - 1;
        for (Entry& entry : old)
            if (entry.used) slot(entry.key) = entry;
    }
    std::vector<Entry> entries_;
    uint64_t mask_, count_ = 0;
};

}  // namespace planner::search
