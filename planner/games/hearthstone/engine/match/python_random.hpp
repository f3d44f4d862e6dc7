// The random numbers of Python's `random.Random`: MT19937, seeded and read as CPython does, so that a match has the
// same deal and the same chance events in both languages.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "rules/rules.hpp"

namespace planner::match {

class PythonRandom {
  public:
    // As `Random(seed)`. The state is computed at the first number: most agents never need one.
    explicit PythonRandom(uint64_t seed) : seed_(seed) {}

    // As `random()`.
    double unit() {
        const uint32_t high = next() >> 5, low = next() >> 6;
        return (high * 67108864.0 + low) * (1.0 / 9007199254740992.0);
    }
    // As `randrange(count)` for a positive count.
    uint32_t below(uint32_t count) {
        const int unused = __builtin_clz(count);
        for (;;)
            if (const uint32_t number = next() >> unused; number < count) return number;
    }
    // As `shuffle(list)`.
    template <class T>
    void shuffle(std::vector<T>& list) {
        for (size_t index = list.size(); index-- > 1;)
            std::swap(list[index], list[below(static_cast<uint32_t>(index) + 1)]);
    }

  private:
    static constexpr int SIZE = 624, SHIFT = 397, UNSEEDED = SIZE + 1;

    uint32_t next() {
        if (position_ >= SIZE) {
            if (position_ == UNSEEDED) fill();
            twist();
        }
        uint32_t number = words_[position_++];
        number ^= number >> 11;
        number ^= number << 7 & 0x9d2c5680u;
        number ^= number << 15 & 0xefc60000u;
        return number ^ number >> 18;
    }
    // `init_by_array` of the reference implementation, with the seed as one or two words.
    void fill() {
        words_[0] = 19650218u;
        for (int index = 1; index < SIZE; ++index)
            words_[index] = 1812433253u * (words_[index - 1] ^ words_[index - 1] >> 30) + index;
        const uint32_t key[] = {static_cast<uint32_t>(seed_), static_cast<uint32_t>(seed_ >> 32)};
        const uint32_t length = key[1] ? 2 : 1;
        int index = 1;
        const auto advance = [&] {
            if (++index < SIZE) return;
            words_[0] = words_[SIZE - 1];
            index = 1;
        };
        for (uint32_t step = 0; step < SIZE; ++step) {
            const uint32_t word = step % length;
            words_[index] =
                (words_[index] ^ (words_[index - 1] ^ words_[index - 1] >> 30) * 1664525u) + key[word] + word;
            advance();
        }
        for (int step = 1; step < SIZE; ++step) {
            words_[index] = (words_[index] ^ (words_[index - 1] ^ words_[index - 1] >> 30) * 1566083941u) - index;
            advance();
        }
        words_[0] = 0x80000000u;
    }
    void twist() {
        const auto mixed = [&](int index, int following, int other) {
            const uint32_t word = (words_[index] & 0x80000000u) | (words_[following] & 0x7fffffffu);
            words_[index] = words_[other] ^ word >> 1 ^ (word & 1 ? 0x9908b0dfu : 0u);
        };
        for (int index = 0; index < SIZE - SHIFT; ++index) mixed(index, index + 1, index + SHIFT);
        for (int index = SIZE - SHIFT; index < SIZE - 1; ++index) mixed(index, index + 1, index + SHIFT - SIZE);
        mixed(SIZE - 1, 0, SHIFT - 1);
        position_ = 0;
    }

    uint64_t seed_;
    int position_ = UNSEEDED;
    std::array<uint32_t, SIZE> words_;  // not initialised before the first number
};

// Makes the random choices of the rules.
struct RandomChance final : rules::Chance {
    PythonRandom random;

    explicit RandomChance(uint64_t seed) : random(seed) {}
    int choose(int count) override { return static_cast<int>(random.below(static_cast<uint32_t>(count))); }
};

}  // namespace planner::match
