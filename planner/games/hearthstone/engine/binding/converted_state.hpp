// Converts Python states and actions to those of the engine, and back. Needs the GIL, also for destruction.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "binding/card_store.hpp"
#include "rules/rules.hpp"

namespace planner::binding {

// The parts of a Python `GameState`: the state, the rules, and everything that the two point to.
class ConvertedState {
  public:
    // Returns null if the engine declines the state: it has a card with a Python function, more minions than the engine
    // supports or numbers that are too large, or a card value times `value_scale` is not an integer.
    static std::unique_ptr<ConvertedState> from_python(nb::handle game_state, int64_t value_scale);
    ConvertedState(const ConvertedState&) = delete;
    ConvertedState& operator=(const ConvertedState&) = delete;

    State state;
    Rules rules;

    // The number of ids below FIRST_CREATED_ID.
    size_t id_count() const { return FIRST_CALLER_ID + names_.size(); }
    // The number that stands for this name in `Card::name`.
    int32_t name_number(nb::handle name) const { return cards_->name_number(name); }

    nb::object to_python(const State& state) const;
    nb::object to_python(Action action) const;
    nb::list to_python(std::span<const Action> actions) const;
    nb::object mulligan_to_python(std::span<const Id> replaced) const;
    nb::object batch_to_python(std::span<const Action> actions) const;
    // Returns nothing if the action names an unknown id or is not an action.
    std::optional<Action> from_python(nb::handle action) const;

  private:
    ConvertedState() = default;
    bool read_state(nb::handle game_state, int64_t value_scale);

    // `read` stores a Python value in a field of the engine's structs; the type of the field selects the overload. It
    // returns false to decline the state.
    bool read(PyObject* object, int32_t& number);
    bool read(PyObject* object, uint32_t& keywords);
    bool read(PyObject* object, bool& flag);
    bool read(PyObject* object, int64_t& value);
    bool read(PyObject* object, Id& id);
    bool read(PyObject* object, const Card*& card);
    bool read(PyObject* object, const void*& opaque);
    bool read(PyObject* object, Minion& minion);
    bool read(PyObject* object, HandCard& hand_card);
    bool read(PyObject* object, Weapon& weapon);
    bool read(PyObject* object, Hero& hero);
    bool read(PyObject* object, Player& player);
    bool read(PyObject* object, std::span<const HandCard>& deck);
    template <class T, int32_t capacity>
    bool read(PyObject* object, StaticVector<T, capacity>& list);

    // `make` returns a new reference, or null with a Python error.
    PyObject* make(int64_t number) const;
    PyObject* make(int32_t number) const { return PyLong_FromLong(number); }
    PyObject* make(uint32_t keywords) const { return PyLong_FromUnsignedLong(keywords); }
    PyObject* make(bool flag) const { return PyBool_FromLong(flag); }
    PyObject* make(Id id) const;
    PyObject* make(const Card* card) const;
    PyObject* make(const void* opaque) const;
    PyObject* make(const Minion& minion) const;
    PyObject* make(const HandCard& hand_card) const;
    PyObject* make(const Weapon& weapon) const;
    PyObject* make(const Hero& hero) const;
    PyObject* make(const Player& player) const;
    PyObject* make(std::span<const HandCard> deck) const;
    template <class T, int32_t capacity>
    PyObject* make(const StaticVector<T, capacity>& list) const;

    std::optional<Id> find(nb::handle name) const;

    std::shared_ptr<CardStore> cards_;
    nb::object game_state_;           // keeps alive what the pointers below point to
    std::vector<PyObject*> names_;    // by id, from FIRST_CALLER_ID on
    std::vector<PyObject*> objects_;  // the minion or card that has the id
    PyObject* owner_ = nullptr;       // the object that is being read
    struct Deck {
        PyObject* tuple;
        std::vector<HandCard> cards;
    };
    std::vector<Deck> decks_;
    ReservedIds reserved_ids_;
    DeckStore traded_decks_;
};

}  // namespace planner::binding
