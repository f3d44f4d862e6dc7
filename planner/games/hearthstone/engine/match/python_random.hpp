// The random numbers of Python's `random.Random`: MT19937, seeded and read as CPython does, so that a match has the
// same deal and the same chance events in both languages.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "rules/rules.hpp"

namespace planner::match {

// Fills the state of MT19937 as `init_by_array` of the reference implementation, with the seed as one or two words.
struct PythonSeed {
    using result_type = uint32_t;
    uint64_t seed;

    template <class Iterator>
    void generate(Iterator words, Iterator end) const {
        const size_t size = end - words;
        words[0] = 19650218u;
        for (size_t index = 1; index < size; ++index)
            words[index] = 1812433253u * mixed(words[index - 1]) + static_cast<uint32_t>(index);
        const uint32_t key[] = {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)};
        const size_t length = key[1] ? 2 : 1;
        size_t index = 1;
        const auto next = [&] {
            if (++index < size) return;
            words[0] = words[size - 1];
            index = 1;
        };
        for (size_t step = 0; step < size; ++step, next())
            words[index] = (words[index] ^ mixed(words[index - 1]) * 1664525u) + key[step % length] +
                           static_cast<uint32_t>(step % length);
        for (size_t step = 1; step < size; ++step, next())
            words[index] = (words[index] ^ mixed(words[index - 1]) * 1566083941u) - static_cast<uint32_t>(index);
        words[0] = 0x80000000u;
    }

  private:
    static uint32_t mixed(uint32_t word) { return word ^ word >> 30; }
};

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
    uint32_t next() {
        if (PythonSeed seed{seed_}; !engine_) engine_.emplace(seed);
        return static_cast<uint32_t>((*engine_)());
    }

    uint64_t seed_;
    std::optional<std::mt19937> engine_;
};

// Makes the random choices of the rules.
struct RandomChance final : rules::Chance {
    PythonRandom random;

    explicit RandomChance(uint64_t seed) : random(seed) {}
    int choose(int count) override { return static_cast<int>(random.below(static_cast<uint32_t>(count))); }
};

}  // namespace planner::match
