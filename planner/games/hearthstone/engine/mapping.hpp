// A state's JSON form as Python's values, for the forms that nearly all callers send. What is unusual in any way is
// declined, and the reader in rules/codec_read.py reads or refuses it: only there is it said what is wrong with a state.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace hearthstone {

PyObject* read_mapping_for_python(PyObject* module, PyObject* arguments);

}  // namespace hearthstone
