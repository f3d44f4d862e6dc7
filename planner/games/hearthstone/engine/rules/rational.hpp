// Exact numbers: worths are whole unless chance decides, and then they are averages.
#pragma once

#include <cstdint>

namespace planner::rules {

using Wide = __int128;

// Thrown where a number grows beyond what fits: the caller then goes the slow way.
struct TooLarge {};

struct Rational {
    Wide top = 0;
    int64_t bottom = 1;  // above 0, and without a common divisor with the top

    Rational() = default;
    Rational(int64_t whole) : top(whole) {}  // NOLINT: a whole number is one
    Rational(Wide above, int64_t below) : top(above), bottom(below) { reduce(); }

    bool operator==(const Rational& other) const { return top == other.top && bottom == other.bottom; }
    bool operator!=(const Rational& other) const { return !(*this == other); }
    bool operator<(const Rational& other) const {
        if (bottom == other.bottom) return top < other.top;
        return product(top, other.bottom) < product(other.top, bottom);
    }
    Rational operator+(const Rational& other) const {
        if (bottom == 1 && other.bottom == 1) {
            Rational sum;
            if (__builtin_add_overflow(top, other.top, &sum.top)) throw TooLarge();
            return sum;
        }
        Wide sum;
        if (__builtin_add_overflow(product(top, other.bottom), product(other.top, bottom), &sum)) throw TooLarge();
        return Rational(sum, small(product(bottom, other.bottom)));
    }
    Rational operator*(const Rational& other) const {
        return Rational(product(top, other.top), small(product(bottom, other.bottom)));
    }

  private:
    static Wide product(Wide a, Wide b) {
        Wide result;
        if (__builtin_mul_overflow(a, b, &result)) throw TooLarge();
        return result;
    }
    static int64_t small(Wide number) {
        if (number > INT64_MAX) throw TooLarge();
        return static_cast<int64_t>(number);
    }
    void reduce() {
        Wide a = top < 0 ? -top : top, b = bottom;
        while (b) {
            const Wide rest = a % b;
            a = b;
            b = rest;
        }
        if (a > 1) {
            top /= a;
            bottom = static_cast<int64_t>(bottom / a);
        }
    }
};

}  // namespace planner::rules
