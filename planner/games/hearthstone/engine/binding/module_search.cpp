// The search as a function of the extension module. See planner/games/hearthstone/turn/native.py.
#include "binding/module.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>

#include "search/search.hpp"

namespace planner::binding {

namespace {

constexpr Py_ssize_t TERM_COUNT = std::size(TERMS);

// No amount of a term is larger than this in a turn of numbers that a card game has; a weight that could then leave
// what fits into 64 bits is left to Python's numbers.
constexpr int64_t MOST_AMOUNT = 1'000'000;
constexpr int64_t MOST_WEIGHT = INT64_MAX / MOST_AMOUNT / 32;

// False without a Python error: too large for the engine.
bool read_weights(PyObject* given, Weights& weights) {
    if (!PyTuple_Check(given) || PyTuple_GET_SIZE(given) != TERM_COUNT) {
        PyErr_SetString(PyExc_TypeError, "weights: not a tuple with a number for each term");
        return false;
    }
    for (Py_ssize_t place = 0; place < TERM_COUNT; ++place) {
        int overflow = 0;
        const long long value = PyLong_AsLongLongAndOverflow(PyTuple_GET_ITEM(given, place), &overflow);
        if (value == -1 && PyErr_Occurred()) return false;
        if (overflow || value > MOST_WEIGHT || value < -MOST_WEIGHT) return false;
        weights.*TERMS[place] = value;
    }
    return true;
}

bool read_rules(PyObject* given, const Reading& reading, HardRules& hard) {
    if (given == Py_None) return true;
    unsigned int attack_with;
    int no_hero, no_face, no_trades, must_live;
    PyObject *ratios, *names;
    if (!PyArg_ParseTuple(given, "IppppO!O!iii", &attack_with, &no_hero, &no_face, &no_trades, &must_live, &PyList_Type,
                          &ratios, &PyList_Type, &names, &hard.keep_mana, &hard.keep_minions, &hard.keep_cards))
        return false;
    hard.attack_with = attack_with;
    hard.no_hero_attack = no_hero;
    hard.no_attack_on_hero = no_face;
    hard.no_attack_on_minions = no_trades;
    hard.hero_must_live = must_live;
    for (Py_ssize_t place = 0; place < PyList_GET_SIZE(ratios); ++place) {
        long long top, bottom;
        if (!PyArg_ParseTuple(PyList_GET_ITEM(ratios, place), "LL", &top, &bottom)) return false;
        hard.trade_below.push_back(Ratio{top, bottom});
    }
    for (Py_ssize_t place = 0; place < PyList_GET_SIZE(names); ++place)
        hard.never_played.push_back(reading.number_of_name(PyList_GET_ITEM(names, place)));
    return true;
}

// ActionList that name somebody who is not there can be neither banned nor hinted at: they are left out.
bool read_actions(PyObject* given, const Reading& reading, std::vector<Action>& actions) {
    for (Py_ssize_t place = 0; place < PyList_GET_SIZE(given); ++place) {
        Action action;
        if (reading.from_python(PyList_GET_ITEM(given, place), action)) actions.push_back(action);
        else if (PyErr_Occurred()) return false;
    }
    return true;
}

PyObject* wide_to_python(Wide number) {
    const bool negative = number < 0;
    unsigned __int128 rest = negative ? -static_cast<unsigned __int128>(number) : static_cast<unsigned __int128>(number);
    unsigned char bytes[17] = {};
    for (int place = 0; place < 16; ++place, rest >>= 8) bytes[place] = static_cast<unsigned char>(rest);
    PyObject* size = _PyLong_FromByteArray(bytes, 17, 1, 0);
    if (size == nullptr || !negative) return size;
    PyObject* result = PyNumber_Negative(size);
    Py_DECREF(size);
    return result;
}

PyObject* number_to_python(const Rational& number) {
    return Py_BuildValue("NL", wide_to_python(number.numerator), static_cast<long long>(number.denominator));
}

PyObject* turn_to_python(const Reading& reading, const FoundTurn& turn) {
    PyObject* actions = PyList_New(static_cast<Py_ssize_t>(turn.actions.size()));
    for (size_t place = 0; actions != nullptr && place < turn.actions.size(); ++place) {
        PyObject* action = reading.to_python(turn.actions[place]);
        if (action == nullptr) Py_CLEAR(actions);
        else PyList_SET_ITEM(actions, static_cast<Py_ssize_t>(place), action);
    }
    if (actions == nullptr) return nullptr;
    return Py_BuildValue("NNL", actions, wide_to_python(turn.score.worth.numerator),
                         static_cast<long long>(turn.score.worth.denominator));
}

PyObject* answer_to_python(const Reading& reading, const SearchResult& result) {
    PyObject* turns = PyList_New(static_cast<Py_ssize_t>(result.turns.size()));
    for (size_t place = 0; turns != nullptr && place < result.turns.size(); ++place) {
        PyObject* turn = turn_to_python(reading, result.turns[place]);
        if (turn == nullptr) Py_CLEAR(turns);
        else PyList_SET_ITEM(turns, static_cast<Py_ssize_t>(place), turn);
    }
    if (turns == nullptr) return nullptr;
    PyObject* bound = result.bounded ? number_to_python(result.bound) : Py_NewRef(Py_None);
    return Py_BuildValue("NiNNKN", turns, static_cast<int>(result.stopped), PyBool_FromLong(result.left_out),
                         PyBool_FromLong(result.all_chances), static_cast<unsigned long long>(result.states), bound);
}

}  // namespace

std::unique_ptr<Reading> read_turn(PyObject* state, PyObject* weights, long long value_scale, PyObject* rules,
                                   PyObject* banned, Turn& turn) {
    std::unique_ptr<Reading> reading = Reading::of(state, value_scale);
    if (reading == nullptr || !read_weights(weights, turn.weights) || !read_rules(rules, *reading, turn.hard_rules) ||
        !read_actions(banned, *reading, turn.hard_rules.banned))
        return nullptr;
    turn.start = reading->state;
    turn.rules = reading->rules;
    turn.health.assign(static_cast<size_t>(reading->ids()), NO_HEALTH);
    for (const Minion& minion : turn.start.me().board) turn.health[minion.id] = minion.health;
    for (const HandCard& hand_card : turn.start.me().hand)
        if (hand_card.card->type == Type::minion) turn.health[hand_card.id] = hand_card.card->health;
    return reading;
}

PyObject* compare_bound_for_python(PyObject*, PyObject* arguments) {
    PyObject *state, *weights, *rules;
    long long value_scale;
    unsigned long long states;
    int worst;
    if (!PyArg_ParseTuple(arguments, "OOLOpK", &state, &weights, &value_scale, &rules, &worst, &states)) return nullptr;
    PyObject* nothing = PyList_New(0);
    Turn turn;
    const std::unique_ptr<Reading> reading = read_turn(state, weights, value_scale, rules, nothing, turn);
    Py_XDECREF(nothing);
    if (reading == nullptr) {
        if (PyErr_Occurred()) return nullptr;
        Py_RETURN_NONE;
    }
    Question question;
    question.limits.states = states;
    question.shortcuts = MERGE | ALIKE;  // no state may be passed over
    question.chances = worst ? Chances::worst : Chances::expected;
    question.compare_bound = true;
    SearchResult result;
    try {
        result = best_turns(turn, question);
    } catch (const TooLarge&) {
        Py_RETURN_NONE;
    } catch (const std::overflow_error&) {
        Py_RETURN_NONE;
    }
    return Py_BuildValue("KKN", static_cast<unsigned long long>(result.states),
                         static_cast<unsigned long long>(result.compared), number_to_python(result.excess));
}

PyObject* best_turns_for_python(PyObject*, PyObject* arguments) {
    PyObject *state, *weights, *rules, *banned, *hint;
    long long value_scale;
    unsigned long long states;
    unsigned int shortcuts;
    int worst;
    Question question;
    if (!PyArg_ParseTuple(arguments, "OOLOO!ipdKIO!", &state, &weights, &value_scale, &rules, &PyList_Type, &banned,
                          &question.turns, &worst, &question.limits.seconds, &states, &shortcuts, &PyList_Type, &hint))
        return nullptr;
    Turn turn;
    const std::unique_ptr<Reading> reading = read_turn(state, weights, value_scale, rules, banned, turn);
    if (reading == nullptr || !read_actions(hint, *reading, question.hint)) {
        if (PyErr_Occurred()) return nullptr;
        Py_RETURN_NONE;
    }
    question.limits.states = states;
    question.shortcuts = shortcuts;
    question.chances = worst ? Chances::worst : Chances::expected;
    SearchResult result;
    bool fits = true, memory = true;
    std::string fault;
    Py_BEGIN_ALLOW_THREADS;
    try {
        result = best_turns(turn, question);
    } catch (const TooLarge&) {
        fits = false;
    } catch (const std::overflow_error&) {  // of the rules: a number that no game has
        fits = false;
    } catch (const std::bad_alloc&) {
        memory = false;
    } catch (const std::exception& error) {
        fault = error.what();
    }
    Py_END_ALLOW_THREADS;
    if (!memory) return PyErr_NoMemory();
    if (!fault.empty()) {
        PyErr_SetString(PyExc_RuntimeError, fault.c_str());
        return nullptr;
    }
    if (!fits) Py_RETURN_NONE;
    return answer_to_python(*reading, result);
}

}  // namespace planner::binding
