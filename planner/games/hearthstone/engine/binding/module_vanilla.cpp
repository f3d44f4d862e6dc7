// The vanilla solver and Guo's model as functions of the extension module.
#include <exception>
#include <new>

#include "binding/module.hpp"
#include "vanilla/vanilla_plan.hpp"
#include "vanilla/attackers.hpp"
#include "vanilla/thesis.hpp"

namespace planner::binding {

using namespace vanilla;

namespace {

PyObject* declined() {
    if (PyErr_Occurred()) return nullptr;
    Py_RETURN_NONE;
}

// Turns a C++ exception into a Python exception.
PyObject* raise_in_python(const std::exception_ptr& fault) {
    try {
        std::rethrow_exception(fault);
    } catch (const std::bad_alloc&) {
        return PyErr_NoMemory();
    } catch (const std::exception& error) {
        PyErr_SetString(PyExc_RuntimeError, error.what());
    }
    return nullptr;
}

PyObject* numbers_to_python(const std::vector<int>& numbers) {
    PyObject* list = PyList_New(static_cast<Py_ssize_t>(numbers.size()));
    for (size_t index = 0; list && index < numbers.size(); ++index) {
        PyObject* number = PyLong_FromLong(numbers[index]);
        if (number) PyList_SET_ITEM(list, static_cast<Py_ssize_t>(index), number);
        else Py_CLEAR(list);
    }
    return list;
}

}  // namespace

PyObject* plan_vanilla_for_python(PyObject*, PyObject* arguments) {
    PyObject *state, *weights, *rules, *banned;
    long long value_scale, work = 0;
    unsigned int prunes = PRUNE_ALL;
    if (!PyArg_ParseTuple(arguments, "OOLOO!|IL", &state, &weights, &value_scale, &rules, &PyList_Type, &banned, &prunes, &work))
        return nullptr;
    Turn turn;
    const std::unique_ptr<Reading> reading = read_turn(state, weights, value_scale, rules, banned, turn);
    if (!reading || !is_vanilla(turn, turn.start)) return declined();
    Limit limit;
    if (work) limit.work = work;
    VanillaPlan plan;
    std::exception_ptr fault;
    Py_BEGIN_ALLOW_THREADS;
    try {
        plan = plan_vanilla(turn, turn.start, limit, prunes);
    } catch (...) {
        fault = std::current_exception();
    }
    Py_END_ALLOW_THREADS;
    if (fault) return raise_in_python(fault);
    PyObject* actions = PyList_New(static_cast<Py_ssize_t>(plan.actions.size()));
    for (size_t index = 0; actions && index < plan.actions.size(); ++index) {
        PyObject* action = reading->to_python(plan.actions[index]);
        if (action) PyList_SET_ITEM(actions, static_cast<Py_ssize_t>(index), action);
        else Py_CLEAR(actions);
    }
    if (!actions) return nullptr;
    const bool bounded = plan.bound != INT64_MAX;
    PyObject* bound = bounded ? PyLong_FromLongLong(plan.bound) : Py_NewRef(Py_None);
    return Py_BuildValue("(NLNNN)", actions, static_cast<long long>(plan.score), bound, PyBool_FromLong(plan.hero_lives),
                         PyBool_FromLong(plan.proved));
}

PyObject* hit_for_python(PyObject*, PyObject* given) {
    const std::unique_ptr<Reading> reading = Reading::of(given, 1);
    if (!reading) return declined();
    const State& state = reading->state;
    if (!state.me().board.size() || !state.enemy().board.size()) return declined();
    Minion attacker = state.me().board[0];
    int32_t taken;
    const bool lives = resolve_hit(attacker, state.enemy().board[0], taken);
    if (!lives) return Py_BuildValue("(Oi)", Py_None, taken);
    return Py_BuildValue("((iiIiN)i)", attacker.attack, attacker.health, attacker.keywords, attacker.attacks_left,
                         PyBool_FromLong(attacker.fresh), taken);
}

PyObject* thesis_choice_for_python(PyObject*, PyObject* arguments) {
    PyObject *state, *weights;
    long long value_scale;
    if (!PyArg_ParseTuple(arguments, "OOL", &state, &weights, &value_scale)) return nullptr;
    PyObject* nothing = PyList_New(0);
    if (!nothing) return nullptr;
    Turn turn;
    const std::unique_ptr<Reading> reading = read_turn(state, weights, value_scale, Py_None, nothing, turn);
    Py_DECREF(nothing);
    ThesisChoice choice;
    try {
        if (!reading || !best_thesis_choice(turn, choice)) return declined();
    } catch (...) {
        return raise_in_python(std::current_exception());
    }
    PyObject* hits = PyList_New(static_cast<Py_ssize_t>(choice.hits.size()));
    for (size_t index = 0; hits && index < choice.hits.size(); ++index) {
        PyObject* hit = Py_BuildValue("(ii)", choice.hits[index].first, choice.hits[index].second);
        if (hit) PyList_SET_ITEM(hits, static_cast<Py_ssize_t>(index), hit);
        else Py_CLEAR(hits);
    }
    if (!hits) return nullptr;
    return Py_BuildValue("(LNNN)", static_cast<long long>(choice.objective), numbers_to_python(choice.plays), hits,
                         numbers_to_python(choice.face));
}

}  // namespace planner::binding
