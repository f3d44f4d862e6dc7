// How long a search may go on: until a moment, for so much work, or both.
#pragma once

#include <chrono>
#include <cstdint>

namespace planner::search {

struct Limit {
    using Clock = std::chrono::steady_clock;
    Clock::time_point until = Clock::time_point::max();
    int64_t work = INT64_MAX;  // units of work that are left: reproducible, where time is not

    // Call it once for each piece of work; false where the limit is reached, and from then on.
    bool consume(int64_t amount = 1) {
        if (work < amount) return work = 0, false;
        work -= amount;
        if (until == Clock::time_point::max()) return true;
        since_look_ += amount;
        if (since_look_ < 256) return true;
        since_look_ = 0;
        if (Clock::now() < until) return true;
        return work = 0, false;
    }
    bool exhausted() const { return work <= 0; }

    // Before a longer piece of work: looks at the clock at once.
    bool check_time() {
        if (until != Clock::time_point::max() && Clock::now() >= until) work = 0;
        return !exhausted();
    }

  private:
    int64_t since_look_ = 0;
};

}  // namespace planner::search
