// The functions of the Python module that are written elsewhere than in module.cpp.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <memory>

#include "binding/bridge.hpp"
#include "search/score.hpp"

namespace planner::binding {

using namespace rules;
using namespace search;

// A turn to be planned, from what turn/native.py hands over. Null without a Python error: not for the engine.
std::unique_ptr<Reading> read_turn(PyObject* state, PyObject* weights, long long value_scale, PyObject* rules,
                                   PyObject* banned, Turn& turn);

PyObject* best_turns_for_python(PyObject* module, PyObject* arguments);
PyObject* plan_vanilla_for_python(PyObject* module, PyObject* arguments);
PyObject* hit_for_python(PyObject* module, PyObject* state);
PyObject* thesis_choice_for_python(PyObject* module, PyObject* arguments);
PyObject* compare_bound_for_python(PyObject*, PyObject* arguments);

}  // namespace planner::binding
