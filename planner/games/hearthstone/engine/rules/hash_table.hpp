#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace planner::rules {

// A hash table with open addressing. `Hash` must mix the keys well: the lowest bits decide. Entries are not removed one
// by one, and to remove all of them takes no time.
template <class Key, class Value, class Hash>
class HashTable {
  public:
    struct Entry {
        Key key;
        Value value;
        uint32_t round = 0;
    };

    explicit HashTable(size_t expected = 15) : entries_(std::bit_ceil(2 * expected + 2)) {}

    // Returns the value of the key, and whether the key is new. The next call may move the value.
    std::pair<Value&, bool> at(const Key& key) {
        if (2 * count_ >= entries_.size()) grow();
        Entry& entry = entries_[find_slot(key)];
        const bool fresh = entry.round != round_;
        if (fresh) {
            entry = {key, Value{}, round_};
            ++count_;
        }
        return {entry.value, fresh};
    }
    // Returns null for an unknown key.
    const Value* find(const Key& key) const {
        const Entry& entry = entries_[find_slot(key)];
        return entry.round == round_ ? &entry.value : nullptr;
    }
    template <class Visit>
    void for_each(Visit visit) const {
        for (const Entry& entry : entries_)
            if (entry.round == round_) visit(entry.key, entry.value);
    }
    size_t size() const { return count_; }
    void clear() {
        ++round_;
        count_ = 0;
    }

  private:
    // The slot of the key, or the one where it belongs.
    size_t find_slot(const Key& key) const {
        const size_t mask = entries_.size() - 1;
        size_t slot = Hash{}(key)&mask;
        while (entries_[slot].round == round_ && !(entries_[slot].key == key)) slot = (slot + 1) & mask;
        return slot;
    }
    void grow() {
        std::vector<Entry> before(2 * entries_.size());
        before.swap(entries_);
        for (Entry& entry : before)
            if (entry.round == round_) entries_[find_slot(entry.key)] = std::move(entry);
    }

    std::vector<Entry> entries_;  // the size is a power of 2
    size_t count_ = 0;
    uint32_t round_ = 1;  // entries of other rounds are unused
};

}  // namespace planner::rules
