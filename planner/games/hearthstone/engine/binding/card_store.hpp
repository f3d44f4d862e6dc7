// Converts Python cards and rulesets. Each is converted once. Needs the GIL.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "rules/state.hpp"

namespace planner::binding {

namespace nb = nanobind;
using namespace rules;

constexpr int32_t NO_NAME = -1;

// Reads an integer of at most MAX_NUMBER in magnitude. Returns false for anything else; sets no Python error.
bool read_number(PyObject* object, int32_t& number);

// Cards by object identity. The store keeps every Python card alive, so its address stays unique. When the store has
// grown large, `current` starts a new one; states that use the old one keep it alive.
class CardStore {
  public:
    static std::shared_ptr<CardStore> current();

    // Both return null if the engine does not support something in the object.
    const Card* card(PyObject* python_card);
    const Rules* rules(PyObject* ruleset);
    // The number of a card's name, or NO_NAME if it cannot be encoded.
    int32_t name_number(nb::handle name);

  private:
    template <class T>
    struct Entry {
        nb::object python;  // keeps the key alive
        std::unique_ptr<T> converted;
    };
    using Batch = std::unordered_map<PyObject*, Entry<Card>>;
    void read(nb::handle python_card, Card& card, Batch& batch, std::vector<PyObject*>& unread);
    void read_effects(nb::handle python_card, Card& card, Batch& batch, std::vector<PyObject*>& unread);

    std::unordered_map<PyObject*, Entry<Card>> cards_;
    std::unordered_map<PyObject*, Entry<Rules>> rules_;
    std::unordered_map<std::string, int32_t> names_;
};

}  // namespace planner::binding
