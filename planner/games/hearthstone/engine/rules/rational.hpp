// Exact rational numbers. Scores are integers unless chance decides; then they are averages.
#pragma once

#include <cstdint>
#include <numeric>

namespace planner::rules {

using Wide = __int128;

// Thrown when a number does not fit. The caller then declines the turn.
struct TooLarge {};

inline Wide product(Wide a, Wide b) {
    Wide result;
    if (__builtin_mul_overflow(a, b, &result)) throw TooLarge();
    return result;
}

// `b` is positive.
inline Wide greatest_divisor(Wide a, Wide b) {
    for (a = a < 0 ? -a : a; b;) {
        if (a <= UINT64_MAX && b <= UINT64_MAX)  // the processor divides these itself
            return std::gcd(static_cast<uint64_t>(a), static_cast<uint64_t>(b));
        const Wide remainder = a % b;
        a = b;
        b = remainder;
    }
    return a;
}

struct Rational {
    Wide numerator = 0;
    Wide denominator = 1;  // positive, without a common divisor with the numerator

    Rational() = default;
    Rational(int64_t integer) : numerator(integer) {}  // NOLINT: integers convert implicitly
    Rational(Wide above, Wide below) : numerator(above), denominator(below) {
        const Wide common = greatest_divisor(numerator, denominator);
        if (common > 1) {
            numerator /= common;
            denominator /= common;
        }
    }

    bool operator==(const Rational&) const = default;
    bool operator<(const Rational& other) const {
        if (denominator == other.denominator) return numerator < other.numerator;
        // Compares the whole parts, then the reciprocals of what is left, so that no product can become too large.
        const Wide whole = floor(), other_whole = other.floor();
        if (whole != other_whole) return whole < other_whole;
        const Wide rest = numerator - whole * denominator, other_rest = other.numerator - whole * other.denominator;
        if (rest == 0 || other_rest == 0) return other_rest > 0;
        return Rational(other.denominator, other_rest) < Rational(denominator, rest);
    }
    Rational operator-() const { return Rational(-numerator, denominator); }
    Rational operator+(const Rational& other) const {
        Rational sum;
        if (denominator == 1 && other.denominator == 1) {
            if (__builtin_add_overflow(numerator, other.numerator, &sum.numerator)) throw TooLarge();
            return sum;
        }
        const Wide common = greatest_divisor(denominator, other.denominator);
        const Wide left = product(numerator, other.denominator / common);
        const Wide right = product(other.numerator, denominator / common);
        if (__builtin_add_overflow(left, right, &sum.numerator)) throw TooLarge();
        return Rational(sum.numerator, product(denominator / common, other.denominator));
    }
    Rational operator*(const Rational& other) const {
        return Rational(product(numerator, other.numerator), product(denominator, other.denominator));
    }

  private:
    Wide floor() const { return numerator / denominator - (numerator % denominator < 0 ? 1 : 0); }
};

}  // namespace planner::rules
