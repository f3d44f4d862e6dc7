#pragma once

#include <chrono>
#include <cstdint>

namespace planner::search {

// A limit on time, on work, or on both. Limits on work give reproducible results.
struct Limit {
    using Clock = std::chrono::steady_clock;
    Clock::time_point deadline = Clock::time_point::max();
    int64_t work = INT64_MAX;  // units that are left

    // Call it for each piece of work. Returns false once the limit is reached.
    bool consume(int64_t amount = 1) {
        if (work < amount) return work = 0, false;
        work -= amount;
        if (deadline == Clock::time_point::max()) return true;
        since_check_ += amount;
        if (since_check_ < WORK_PER_CHECK) return true;
        since_check_ = 0;
        return check_time();
    }
    bool exhausted() const { return work <= 0; }

    // Looks at the clock. Call it before a longer piece of work.
    bool check_time() {
        if (deadline != Clock::time_point::max() && Clock::now() >= deadline) work = 0;
        return !exhausted();
    }

  private:
    static constexpr int64_t WORK_PER_CHECK = 256;
    int64_t since_check_ = 0;
};

}  // namespace planner::search
