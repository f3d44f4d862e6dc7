#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace planner::rules {

// A vector of at most `capacity` elements that needs no allocation. A copy copies only the elements in use, which makes
// copying a state cheap. Every access is checked with `assert`, which builds with -DNDEBUG leave out.
template <class T, int32_t capacity>
class StaticVector {
    static_assert(std::is_trivially_copyable_v<T>, "elements are copied as bytes");

  public:
    StaticVector() = default;
    StaticVector(const StaticVector& other) : size_(other.size_) { copy_from(other); }
    StaticVector& operator=(const StaticVector& other) {
        size_ = other.size_;
        copy_from(other);
        return *this;
    }

    bool operator==(const StaticVector& other) const { return std::equal(begin(), end(), other.begin(), other.end()); }

    int32_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    T* begin() { return elements_; }
    T* end() { return elements_ + size_; }
    const T* begin() const { return elements_; }
    const T* end() const { return elements_ + size_; }
    T& operator[](int32_t index) {
        assert(index >= 0 && index < size_);
        return elements_[index];
    }
    const T& operator[](int32_t index) const {
        assert(index >= 0 && index < size_);
        return elements_[index];
    }
    T& back() { return (*this)[size_ - 1]; }
    const T& back() const { return (*this)[size_ - 1]; }

    void push_back(const T& element) {
        assert(size_ < capacity);
        elements_[size_++] = element;
    }
    void erase(int32_t index) {
        assert(index >= 0 && index < size_);
        --size_;
        std::memmove(static_cast<void*>(elements_ + index), elements_ + index + 1, sizeof(T) * (size_ - index));
    }
    // New elements are not initialised.
    void resize(int32_t size) {
        assert(size >= 0 && size <= capacity);
        size_ = size;
    }
    void clear() { size_ = 0; }

  private:
    void copy_from(const StaticVector& other) {
        std::memmove(static_cast<void*>(elements_), other.elements_, sizeof(T) * size_);
    }

    int32_t size_ = 0;
    T elements_[capacity];
};

}  // namespace planner::rules
