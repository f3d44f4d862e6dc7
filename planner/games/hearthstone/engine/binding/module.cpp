// The Python module `planner.games.hearthstone._engine`.
#include "binding/module.hpp"

#include <memory>
#include <stdexcept>

namespace {

using namespace planner::binding;

constexpr int64_t DECIMALS = 1'000'000;  // the value scale where values only pass through

struct PythonError {};  // it is set, and only waits to be seen

// A Python generator, asked in the same moments and for the same numbers as by the referee.
struct Generator final : Chance {
    PyObject* generator;
    bool asked = false;
    explicit Generator(PyObject* given) : generator(given) {}
    int choose(int count) override {
        if (generator == Py_None) return -1;
        asked = true;
        PyObject* answer = PyObject_CallMethod(generator, "randrange", "i", count);
        const long choice = answer ? PyLong_AsLong(answer) : -1;
        Py_XDECREF(answer);
        if (PyErr_Occurred()) throw PythonError{};
        return choice < count ? static_cast<int>(choice) : -1;
    }
};

bool read_choices(PyObject* given, std::vector<int>& choices) {
    PyObject* list = PySequence_Fast(given, "choices: a list of whole numbers");
    if (!list) return false;
    for (Py_ssize_t place = 0; place < PySequence_Fast_GET_SIZE(list); ++place)
        choices.push_back(static_cast<int>(PyLong_AsLong(PySequence_Fast_GET_ITEM(list, place))));
    Py_DECREF(list);
    return !PyErr_Occurred();
}

// The state that was spoken of last. Who asks what is legal will carry out one of the answers, and who has done so will
// ask again: a match is read once. The state is kept alive, so no other can have its address.
class Latest {
  public:
    // Null where the engine declines.
    std::shared_ptr<Reading> of(PyObject* state) {
        if (state != state_) keep(state, Reading::of(state, DECIMALS));
        return reading_;
    }
    // From what was read this state has come.
    void goes_on(PyObject* state, std::shared_ptr<Reading> reading, const State& now) {
        reading->state = now;
        keep(state, std::move(reading));
    }

  private:
    void keep(PyObject* state, std::shared_ptr<Reading> reading) {
        reading_ = std::move(reading);
        if (!reading_) state = nullptr;
        Py_XINCREF(state);
        Py_XSETREF(state_, state);
    }
    PyObject* state_ = nullptr;
    std::shared_ptr<Reading> reading_;
};
Latest& latest = *new Latest;  // never given back: the interpreter may end before us

// Where there is no error, the engine has declined.
PyObject* declined() {
    if (PyErr_Occurred()) return nullptr;
    Py_RETURN_NONE;
}

PyObject* understands(PyObject*, PyObject* state) {
    const auto reading = Reading::of(state, DECIMALS);
    if (!reading && PyErr_Occurred()) return nullptr;
    return PyBool_FromLong(reading != nullptr);
}

PyObject* legal(PyObject*, PyObject* state) {
    const auto reading = latest.of(state);
    if (!reading) return declined();
    ActionList found;
    legal_actions(reading->state, reading->rules, found);
    PyObject* list = PyList_New(found.size());
    for (int32_t place = 0; list && place < found.size(); ++place) {
        PyObject* action = reading->to_python(found[place]);
        if (action) PyList_SET_ITEM(list, place, action);
        else Py_CLEAR(list);
    }
    return list;
}

// Carry something out on the state that was read, and tell what came of it.
template <class Deed>
PyObject* told(const Reading& reading, FixedChoices& chance, Deed deed) {
    State after = reading.state;
    Account account;
    PyObject* open = Py_None;
    Py_INCREF(open);
    try {
        deed(after, account);
    } catch (const Undecided& undecided) {
        Py_DECREF(open);
        open = Py_BuildValue("(ii)", undecided.count, undecided.times);
    } catch (const std::overflow_error&) {
        Py_DECREF(open);
        return declined();
    } catch (const std::exception& error) {
        Py_DECREF(open);
        PyErr_SetString(PyExc_ValueError, error.what());
        return nullptr;
    }
    PyObject* state = reading.to_python(after);
    if (!state || !open) {
        Py_XDECREF(state);
        Py_XDECREF(open);
        return nullptr;
    }
    return Py_BuildValue("(N(LLLL)NI)", state, static_cast<long long>(account.dealt_to_hero),
                         static_cast<long long>(account.dealt_to_minions), static_cast<long long>(account.overkill),
                         static_cast<long long>(account.drawn), open, static_cast<unsigned>(chance.used));
}

PyObject* apply(PyObject*, PyObject* args) {
    PyObject *state, *action, *choices;
    int certain_only = 0;
    if (!PyArg_ParseTuple(args, "OOO|p", &state, &action, &choices, &certain_only)) return nullptr;
    std::vector<int> fixed;
    if (!read_choices(choices, fixed)) return nullptr;
    FixedChoices chance{fixed};
    chance.certain_only = certain_only != 0;
    const auto reading = Reading::of(state, DECIMALS);
    Action wanted;
    if (!reading || !reading->from_python(action, wanted)) return declined();
    return told(*reading, chance, [&](State& after, Account& account) {
        if (wanted.kind == Action::end_turn) pass_turn(after, reading->rules, chance, account);
        else apply_action(after, reading->rules, wanted, chance, account);
    });
}

PyObject* next_state(PyObject*, PyObject* const* args, Py_ssize_t count) {
    if (count != 3) {
        PyErr_SetString(PyExc_TypeError, "next_state(state, action, generator)");
        return nullptr;
    }
    const auto reading = latest.of(args[0]);  // ours too: the generator may speak of other states
    Action wanted;
    if (!reading || !reading->from_python(args[1], wanted)) return declined();
    Generator chance(args[2]);
    Account account;
    State state = reading->state;
    try {
        if (wanted.kind == Action::end_turn) pass_turn(state, reading->rules, chance, account);
        else apply_action(state, reading->rules, wanted, chance, account);
    } catch (const PythonError&) {
        return nullptr;
    } catch (const Undecided&) {
        return declined();  // the referee says why
    } catch (const std::exception& error) {
        if (!chance.asked) return declined();
        PyErr_SetString(PyExc_ValueError, error.what());
        return nullptr;
    }
    PyObject* after = reading->to_python(state);
    if (after) latest.goes_on(after, reading, state);
    return after;
}

PyObject* ending(PyObject*, PyObject* args) {
    PyObject *state, *choices;
    int certain_only = 0;
    if (!PyArg_ParseTuple(args, "OO|p", &state, &choices, &certain_only)) return nullptr;
    std::vector<int> fixed;
    if (!read_choices(choices, fixed)) return nullptr;
    FixedChoices chance{fixed};
    chance.certain_only = certain_only != 0;
    const auto reading = Reading::of(state, DECIMALS);
    if (!reading) return declined();
    return told(*reading, chance, [&](State& after, Account& account) {
        apply_end_of_turn_effects(after, reading->rules, chance, account);
    });
}

PyMethodDef methods[] = {
    {"understands", understands, METH_O, "Does the engine know everything in this state?"},
    {"legal_actions", legal, METH_O, "All that the player may do now, as the referee lists it; None: declined."},
    {"apply", apply, METH_VARARGS,
     "apply(state, action, choices, certain_only=False): what a legal action does where chance chooses so.\n\n"
     "Returns the state, the accounts (dealt to hero, to minions, overkill, drawn), where chance was left undecided "
     "(count, times) or None, and how many choices were used; None: declined."},
    {"next_state", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(next_state)), METH_FASTCALL,
     "next_state(state, action, generator): the state after a legal action; None: declined."},
    {"last_effects", ending, METH_VARARGS, "apply_end_of_turn_effects(state, choices, certain_only=False): as apply, for the end of a turn."},
    {"best_turns", best_turns_for_python, METH_VARARGS, "The best turns from a state: see turn/native.py."},
    {"compare_bound", compare_bound_for_python, METH_VARARGS, "For tests: the bound and the truth at every state of a turn."},
    {"plan_vanilla", plan_vanilla_for_python, METH_VARARGS,
     "plan_vanilla(state, weights, value_scale, rules, banned, prunes, work): the best vanilla turn.\n\n"
     "Returns the actions, their score, a bound or None, whether our hero lives, and whether it is proved; None: declined."},
    {"resolve_hit", hit_for_python, METH_O,
     "The first own minion after a hit on the first enemy minion, and the damage that it takes."},
    {"thesis_choice", thesis_choice_for_python, METH_VARARGS,
     "thesis_choice(state, weights, value_scale): the optimum of Guo's model: objective, plays, hits, face; None: "
     "declined."},
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "planner.games.hearthstone._engine", "The rules, compiled.", -1, methods,
    nullptr, nullptr, nullptr, nullptr,
};

}  // namespace

extern const char* const engine_source_hash;  // generated by the build

PyMODINIT_FUNC PyInit__engine() {
    PyObject* module = PyModule_Create(&definition);
    if (module != nullptr && PyModule_AddStringConstant(module, "SOURCE_HASH", engine_source_hash) < 0) Py_CLEAR(module);
    return module;
}
