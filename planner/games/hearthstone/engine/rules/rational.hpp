// Exact rational numbers. Scores are integers unless chance decides; then they are averages.
#pragma once

#include <cstdint>

namespace planner::rules {

using Wide = __int128;

// Thrown when a number does not fit. The caller then declines the turn.
struct TooLarge {};

struct Rational {
    Wide numerator = 0;
    int64_t denominator = 1;  // positive, without a common divisor with the numerator

    Rational() = default;
    Rational(int64_t integer) : numerator(integer) {}  // NOLINT: integers convert implicitly
    Rational(Wide above, int64_t below) : numerator(above), denominator(below) { reduce(); }

    bool operator==(const Rational&) const = default;
    bool operator<(const Rational& other) const {
        if (denominator == other.denominator) return numerator < other.numerator;
        return product(numerator, other.denominator) < product(other.numerator, denominator);
    }
    Rational operator-() const { return Rational(-numerator, denominator); }
    Rational operator+(const Rational& other) const {
        Rational sum;
        if (denominator == 1 && other.denominator == 1) {
            if (__builtin_add_overflow(numerator, other.numerator, &sum.numerator)) throw TooLarge();
            return sum;
        }
        const Wide left = product(numerator, other.denominator), right = product(other.numerator, denominator);
        if (__builtin_add_overflow(left, right, &sum.numerator)) throw TooLarge();
        return Rational(sum.numerator, narrow(product(denominator, other.denominator)));
    }
    Rational operator*(const Rational& other) const {
        return Rational(product(numerator, other.numerator), narrow(product(denominator, other.denominator)));
    }

  private:
    static Wide product(Wide a, Wide b) {
        Wide result;
        if (__builtin_mul_overflow(a, b, &result)) throw TooLarge();
        return result;
    }
    static int64_t narrow(Wide number) {
        if (number > INT64_MAX) throw TooLarge();
        return static_cast<int64_t>(number);
    }
    void reduce() {
        Wide a = numerator < 0 ? -numerator : numerator, b = denominator;
        while (b) {
            const Wide remainder = a % b;
            a = b;
            b = remainder;
        }
        if (a > 1) {
            numerator /= a;
            denominator = static_cast<int64_t>(denominator / a);
        }
    }
};

}  // namespace planner::rules
