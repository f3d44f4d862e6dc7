// Python's cards and rulesets as the engine's, each read once. Needs the interpreter lock.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "rules/state.hpp"

namespace planner::binding {

using namespace rules;

// Numbers beyond this are declined: a turn adds up a few of them, and the sums must fit.
constexpr long LARGEST_NUMBER = 1L << 24;

// A whole number of at most LARGEST_NUMBER either way; false, without a Python error, for anything else.
bool read_number(PyObject* given, int32_t& number);

// Cards by identity: the store keeps each Python card alive, so no other can take its address. A store that has grown
// large is left to those who still use it, and a new one begun: cards that callers make up do not pile up.
class CardStore {
  public:
    static std::shared_ptr<CardStore> current();
    ~CardStore();

    const Card* card(PyObject* given);    // null: the engine does not know something of it
    const Rules* rules(PyObject* given);  // likewise
    int32_t number_of_name(PyObject* name);

  private:
    struct Batch;
    bool read(PyObject* given, Card& card, Batch& batch);
    bool read_effects(PyObject* given, Card& card, Batch& batch);

    std::unordered_map<PyObject*, std::unique_ptr<Card>> cards_;
    std::unordered_map<PyObject*, std::unique_ptr<Rules>> rules_;
    std::unordered_map<std::string, int32_t> names_;
};

}  // namespace planner::binding
