// Python's states and actions as the engine's, and back. Everything here needs the interpreter lock, the end of a
// `Reading` too; between reading and answering a search may do without it.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <memory>
#include <vector>

#include "rules/rules.hpp"

namespace planner::binding {

using namespace rules;

class CardStore;

// The N of a name `new.N`, as the rules write it; -1 for any other.
int32_t number_in_name(PyObject* name);

// A Python `GameState`, read: the state, the rules, and all that the two point to.
class Reading {
  public:
    // Null without a Python error: there is something in the state that the engine does not know (a designer's Python
    // function, more minions than it holds, numbers without measure), or a card's value times `value_scale` is not whole.
    static std::unique_ptr<Reading> of(PyObject* game_state, int64_t value_scale);
    ~Reading();
    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;

    State state;
    Rules rules;

    // How many ids below FIRST_NEW there are: FIRST_GIVEN and the given ones.
    int ids() const { return FIRST_CALLER_ID + static_cast<int>(names_.size()); }
    // The number that stands for this card's name in `Card::name`.
    int32_t number_of_name(PyObject* name) const;

    // New references, or null with a Python error.
    PyObject* to_python(const State& state) const;
    PyObject* to_python(Action action) const;
    // False: it names somebody who is not there, or is no action; no Python error.
    bool from_python(PyObject* action, Action& found) const;

  private:
    Reading() = default;
    bool read(PyObject* game_state, int64_t value_scale);
    bool read_player(PyObject* given, Player& player, int seat);
    bool read_held(PyObject* given, HandCard& hand_card);
    bool add_id(PyObject* name, PyObject* thing, Id& id);
    PyObject* name(Id id) const;
    PyObject* to_python(const Player& player, int seat) const;
    PyObject* to_python(const HandCard& hand_card) const;
    PyObject* to_python(const Minion& minion) const;
    PyObject* deck_to_python(const Player& player) const;
    bool find(PyObject* name, Id& id) const;

    std::shared_ptr<CardStore> cards_;
    PyObject* given_ = nullptr;       // keeps alive what the lists below borrow
    std::vector<PyObject*> names_;    // by id, from FIRST_GIVEN on
    std::vector<PyObject*> things_;   // what has the id: a minion or a card
    std::vector<HandCard> decks_[2];      // by seat
    PyObject* deck_tuples_[2] = {};   // the same, as given
    PyObject* hero_classes_[2] = {};  // by seat
    ReservedIds ahead_;
    DeckStore traded_;
};

}  // namespace planner::binding
