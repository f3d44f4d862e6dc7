#include "mapping.hpp"

#include <algorithm>
#include <cmath>

#include "bridge.hpp"
#include "cards.hpp"
#include "cardstore.hpp"

namespace hearthstone {

namespace {

constexpr int32_t LARGEST = 1000000;  // of any number in a state
constexpr int32_t MOST_ATTACKS = 100;  // MOST_ATTACKS of codec_fields.py
constexpr int32_t MOST_HIDDEN = 1000;
constexpr Py_ssize_t LONGEST_TEXT = 1000;  // LONGEST_TEXT of catalogue.py

// Whatever is unusual: the other reader's business. Python's own errors travel the same way.
struct Declined {};

// A reference that is given back.
class Owned {
  public:
    explicit Owned(PyObject* thing) : thing_(thing) {
        if (!thing_) throw Declined{};
    }
    ~Owned() { Py_XDECREF(thing_); }
    Owned(Owned&& other) noexcept : thing_(other.release()) {}
    Owned(const Owned&) = delete;
    Owned& operator=(const Owned&) = delete;
    PyObject* get() const { return thing_; }
    PyObject* release() {
        PyObject* thing = thing_;
        thing_ = nullptr;
        return thing;
    }

  private:
    PyObject* thing_;
};

void need(bool usual) {
    if (!usual) throw Declined{};
}

// What the Python side hands over: the cards by name, the words that exist, and the functions that make cards.
struct Given {
    PyObject *own, *cards, *bits, *classes, *body, *face_down;
    int hero_health, board_limit, hand_limit, mana_limit, most_mana;
};

// The fields of an object that may be there, each under its number; any other field is unusual.
template <int count>
struct Names {
    PyObject* names[count];
    explicit Names(const char* const (&words)[count]) {
        for (int place = 0; place < count; ++place) names[place] = PyUnicode_InternFromString(words[place]);
    }
};

template <int count>
struct Fields {
    PyObject* values[count];  // borrowed; null where the field is absent
    Fields(PyObject* entry, const Names<count>& known) {
        need(PyDict_CheckExact(entry));
        Py_ssize_t found = 0;
        for (int place = 0; place < count; ++place) {
            values[place] = PyDict_GetItemWithError(entry, known.names[place]);
            found += values[place] != nullptr;
        }
        need(found == PyDict_GET_SIZE(entry));
    }
    PyObject* operator[](int place) const { return values[place]; }
};

int32_t whole(PyObject* value, int32_t least = 0, int32_t most = LARGEST) {
    int32_t number;
    need(value && read_number(value, number) && number >= least && number <= most);
    return number;
}

int32_t whole_or(PyObject* value, int32_t otherwise, int32_t least = 0, int32_t most = LARGEST) {
    return value ? whole(value, least, most) : otherwise;
}

bool flag(PyObject* value) {
    need(!value || value == Py_True || value == Py_False);
    return value == Py_True;
}

PyObject* text(PyObject* value) {
    need(PyUnicode_CheckExact(value) && PyUnicode_GET_LENGTH(value) > 0 && PyUnicode_GET_LENGTH(value) <= LONGEST_TEXT);
    return value;
}

uint32_t keywords_or(const Given& given, PyObject* words, uint32_t otherwise) {
    if (!words) return otherwise;
    need(PyList_CheckExact(words));
    uint32_t kept = 0;
    for (Py_ssize_t place = 0; place < PyList_GET_SIZE(words); ++place) {
        PyObject* word = PyList_GET_ITEM(words, place);
        need(PyUnicode_CheckExact(word));
        kept |= static_cast<uint32_t>(whole(PyDict_GetItemWithError(given.bits, word), 0, INT32_MAX));
    }
    return kept;
}

int32_t number_of(PyObject* card, const char* attribute) {
    Owned value(PyObject_GetAttrString(card, attribute));
    return whole(value.get(), 0, INT32_MAX);
}

// A card by its name: a state's own card goes before the catalogue's. Null: nobody knows it, or it has no name.
PyObject* known_card(const Given& given, PyObject* name, bool minions_only) {
    if (!name) return nullptr;
    PyObject* card = PyDict_GetItemWithError(given.own, text(name));
    if (!card) card = PyDict_GetItemWithError(given.cards, name);
    if (!card) {
        need(PyUnicode_CompareWithASCIIString(name, "?") != 0);
        return nullptr;
    }
    Owned type(PyObject_GetAttrString(card, "type"));
    const bool minion = PyUnicode_CompareWithASCIIString(type.get(), "minion") == 0;
    need(minion || (!minions_only && (PyUnicode_CompareWithASCIIString(type.get(), "spell") == 0 ||
                                      PyUnicode_CompareWithASCIIString(type.get(), "weapon") == 0)));
    return card;
}

// A card that only this state knows.
Owned made_up(const Given& given, PyObject* name, int cost, int attack, int health, uint32_t kept, PyObject* value) {
    static PyObject* unnamed = PyUnicode_InternFromString("Minion");
    static PyObject* minion = PyUnicode_InternFromString("minion");
    static PyObject* one = PyLong_FromLong(1);
    Owned numbers[] = {Owned(PyLong_FromLong(cost)), Owned(PyLong_FromLong(attack)), Owned(PyLong_FromLong(health)),
                       Owned(PyLong_FromUnsignedLong(kept))};
    PyObject* arguments[] = {name ? name : unnamed,  minion,           numbers[0].get(),   numbers[1].get(),
                             numbers[2].get(),       numbers[3].get(), value ? value : one};
    return Owned(PyObject_Vectorcall(given.body, arguments, 7, nullptr));
}

Owned new_tuple(PyObject* type, Py_ssize_t size) {
    auto* kind = reinterpret_cast<PyTypeObject*>(type);
    return Owned(kind->tp_alloc(kind, size));
}

void put(const Owned& tuple, Py_ssize_t place, PyObject* borrowed) {
    Py_INCREF(borrowed);
    PyTuple_SET_ITEM(tuple.get(), place, borrowed);
}

void put(const Owned& tuple, Py_ssize_t place, Owned&& thing) { PyTuple_SET_ITEM(tuple.get(), place, thing.release()); }

void put_number(const Owned& tuple, Py_ssize_t place, int64_t number) {
    put(tuple, place, Owned(PyLong_FromLongLong(number)));
}

void put_flag(const Owned& tuple, Py_ssize_t place, bool value) { put(tuple, place, value ? Py_True : Py_False); }

// Reads one state; what it needs for more than one part of it.
class MappingReader {
  public:
    MappingReader(const Given& given, PyObject* classes) : given_(given), ids_(PySet_New(nullptr)) {
        static PyObject* heroes[] = {PyUnicode_InternFromString("me.hero"), PyUnicode_InternFromString("enemy.hero")};
        for (PyObject* hero : heroes) need(PySet_Add(ids_.get(), hero) == 0);
        const char* names[] = {"Minion", "Hero", "HandCard", "Player", "GameState"};
        PyObject** found[] = {&minion_, &hero_, &held_, &player_, &state_};
        for (int place = 0; place < 5; ++place) {  // the module keeps them alive
            Owned one(PyObject_GetAttrString(classes, names[place]));
            *found[place] = one.get();
        }
    }

    Owned state(PyObject* entry, PyObject* rules) {
        static const Names<10> known({"mana", "me", "enemy", "turn", "seat", "clock", "ruleset", "cards", "cause", "finished"});
        static PyObject* nothing = PyUnicode_InternFromString("");
        const Fields<10> fields(entry, known);
        need(!fields[8] && !fields[9]);
        const int mana = whole(fields[0], 0, given_.most_mana);
        Owned made = new_tuple(state_, 7);
        int crystals = std::min(mana, given_.mana_limit);
        put(made, 0, player(fields[1], "me", mana, crystals));
        put(made, 1, player(fields[2], "enemy", 0, crystals));
        put(made, 2, rules);
        put_number(made, 3, whole_or(fields[3], 1));
        put_number(made, 4, whole_or(fields[4], 0, 0, 1));
        put_number(made, 5, std::max(whole_or(fields[5], last_entered_), last_made_));
        put(made, 6, nothing);
        return made;
    }

  private:
    // `crystals`: the default, and then what this player has, which is the other player's default.
    Owned player(PyObject* entry, const char* side, int mana, int& crystals) {
        static const Names<12> known({"hero", "board", "hand", "deck", "mana", "crystals", "overload", "locked", "fatigue",
                                      "hero_power_used", "cards_played", "weapon"});
        need(entry);
        const Fields<12> fields(entry, known);
        need(!fields[11] && fields[0] && (!fields[4] || side[0] == 'e'));
        Owned made = new_tuple(player_, 13);
        put(made, 0, hero(fields[0]));
        put(made, 1, board(fields[1], side));
        put(made, 2, zone(fields[2], side, "hand", given_.hand_limit));
        put(made, 3, zone(fields[3], side, "deck", LARGEST));
        put_number(made, 4, whole_or(fields[4], mana, 0, given_.most_mana));
        crystals = whole_or(fields[5], crystals);
        put_number(made, 5, crystals);
        for (int place = 6; place < 9; ++place) put_number(made, place, whole_or(fields[place], 0));
        put(made, 9, Py_None);
        put(made, 10, Py_None);
        put_flag(made, 11, flag(fields[9]));
        put_number(made, 12, whole_or(fields[10], 0));
        return made;
    }

    Owned hero(PyObject* entry) {
        static const Names<8> known({"health", "max_health", "armor", "keywords", "attack_this_turn", "attacks_left", "class",
                                     "keywords_this_turn"});
        static PyObject* neutral = PyUnicode_InternFromString("neutral");
        const Fields<8> fields(entry, known);
        const int health = whole(fields[0], 1);
        const int most = whole_or(fields[1], std::max(given_.hero_health, health), health);
        const uint32_t kept = keywords_or(given_, fields[3], 0);
        PyObject* hero_class = fields[6] ? text(fields[6]) : neutral;
        need(hero_class == neutral || PySet_Contains(given_.classes, hero_class) == 1);
        Owned made = new_tuple(hero_, 8);
        put_number(made, 0, health);
        put_number(made, 1, most);
        put_number(made, 2, whole_or(fields[2], 0));
        put_number(made, 3, kept);
        put_number(made, 4, whole_or(fields[4], 0, -LARGEST));
        put_number(made, 5, whole_or(fields[5], attacks_per_turn(kept), 0, MOST_ATTACKS));
        put(made, 6, hero_class);
        put_number(made, 7, keywords_or(given_, fields[7], 0));
        return made;
    }

    Owned board(PyObject* entries, const char* side) {
        const Py_ssize_t count = entries && PyList_CheckExact(entries) ? PyList_GET_SIZE(entries) : 0;
        need((!entries || PyList_CheckExact(entries)) && count <= given_.board_limit);
        Owned made(PyTuple_New(count));
        for (Py_ssize_t place = 0; place < count; ++place)
            put(made, place, minion(PyList_GET_ITEM(entries, place), side, place));
        return made;
    }

    Owned minion(PyObject* entry, const char* side, Py_ssize_t place) {
        static const Names<14> known({"id", "name", "attack", "health", "max_health", "keywords", "attacks_left",
                                      "summoned_this_turn", "entered", "silenced", "attack_this_turn", "keywords_this_turn",
                                      "aura_attack", "aura_health"});
        const Fields<14> fields(entry, known);
        PyObject* card = known_card(given_, fields[1], true);
        need(card || (fields[2] && fields[3]));
        const int attack = whole_or(fields[2], card ? number_of(card, "attack") : 0);
        const int printed = card ? number_of(card, "health") : 0;
        const int health = whole_or(fields[3], printed, 1);
        const int most = whole_or(fields[4], std::max(printed, health), health);
        const bool silenced = flag(fields[9]);
        const bool shows = card && !silenced;
        const uint32_t kept = keywords_or(given_, fields[5], shows ? static_cast<uint32_t>(number_of(card, "keywords")) : 0);
        const int this_turn = whole_or(fields[10], 0, -LARGEST), entered = whole_or(fields[8], 0);
        const uint32_t kept_this_turn = keywords_or(given_, fields[11], 0);
        const int aura_attack = whole_or(fields[12], 0, -LARGEST), aura_health = whole_or(fields[13], 0, -LARGEST);
        last_entered_ = std::max(last_entered_, entered);
        Owned made = new_tuple(minion_, 14);
        put(made, 0, identified(fields[0], side, "board", place));
        if (card)
            put(made, 1, card);
        else  // printed on it is what it shows, but for what has happened to it
            put(made, 1, made_up(given_, fields[1], 0, std::max(0, attack - this_turn - aura_attack),
                                 std::max(1, most - aura_health),
                                 silenced ? 0 : kept & ~(FROZEN | IMMUNE | kept_this_turn), nullptr));
        const int64_t numbers[] = {attack, health, most, kept, whole_or(fields[6], attacks_per_turn(kept), 0, MOST_ATTACKS)};
        for (int number = 0; number < 5; ++number) put_number(made, 2 + number, numbers[number]);
        put_flag(made, 7, flag(fields[7]));
        put_number(made, 8, entered);
        put_flag(made, 9, silenced);
        put_number(made, 10, this_turn);
        put_number(made, 11, kept_this_turn);
        put_number(made, 12, aura_attack);
        put_number(made, 13, aura_health);
        return made;
    }

    // A hand or a deck: a list of cards, or how many cards nobody has seen.
    Owned zone(PyObject* entries, const char* side, const char* where, int most) {
        if (!entries) return Owned(PyTuple_New(0));
        if (PyLong_CheckExact(entries)) {
            whole(entries, 0, std::min(most, MOST_HIDDEN));
            Owned name(PyUnicode_FromFormat("%s.%s", side, where));
            PyObject* arguments[] = {name.get(), entries};
            Owned made(PyObject_Vectorcall(given_.face_down, arguments, 2, nullptr));
            for (Py_ssize_t place = 0; place < PyTuple_GET_SIZE(made.get()); ++place)
                take(PyTuple_GET_ITEM(PyTuple_GET_ITEM(made.get(), place), 0));
            return made;
        }
        need(PyList_CheckExact(entries) && PyList_GET_SIZE(entries) <= most);
        Owned made(PyTuple_New(PyList_GET_SIZE(entries)));
        for (Py_ssize_t place = 0; place < PyList_GET_SIZE(entries); ++place)
            put(made, place, held(PyList_GET_ITEM(entries, place), side, where, place));
        return made;
    }

    Owned held(PyObject* entry, const char* side, const char* where, Py_ssize_t place) {
        static const Names<8> known({"id", "name", "cost", "attack", "health", "keywords", "value", "echo"});
        const Fields<8> fields(entry, known);
        PyObject* value = fields[6];
        need(!value || PyLong_CheckExact(value) || PyFloat_CheckExact(value));
        if (value && PyFloat_CheckExact(value))
            need(std::fabs(PyFloat_AS_DOUBLE(value)) <= LARGEST &&
                 (PyFloat_AS_DOUBLE(value) == 0 || std::fabs(PyFloat_AS_DOUBLE(value)) >= 1e-9));
        else if (value)
            whole(value, -LARGEST);
        PyObject* card = known_card(given_, fields[1], false);
        Owned made = new_tuple(held_, 5);
        put(made, 0, identified(fields[0], side, where, place));
        if (card) {  // with other numbers than the printed ones it would be a card of its own
            const char* const printed[] = {"attack", "health"};
            for (int number = 0; number < 2; ++number)
                need(!fields[3 + number] || whole(fields[3 + number]) == number_of(card, printed[number]));
            need(!fields[5] || keywords_or(given_, fields[5], 0) == static_cast<uint32_t>(number_of(card, "keywords")));
            put(made, 1, card);
            put_number(made, 2, fields[2] ? whole(fields[2]) : number_of(card, "cost"));
            put(made, 3, value ? Owned(Py_NewRef(value)) : Owned(PyObject_GetAttrString(card, "value")));
        } else {
            const int cost = whole(fields[2]), attack = whole(fields[3]), health = whole(fields[4], 1);
            put(made, 1, made_up(given_, fields[1], cost, attack, health, keywords_or(given_, fields[5], 0), value));
            put_number(made, 2, cost);
            put(made, 3, value ? Owned(Py_NewRef(value)) : Owned(PyLong_FromLong(1)));
        }
        put_flag(made, 4, flag(fields[7]));
        return made;
    }

    // The id, given or by place, which nobody else may have.
    Owned identified(PyObject* id, const char* side, const char* where, Py_ssize_t place) {
        if (!id) {
            Owned name(PyUnicode_FromFormat("%s.%s.%zd", side, where, place));
            take(name.get());
            return name;
        }
        int32_t number;
        const bool is_number = read_number(id, number);
        Owned name(is_number ? PyUnicode_FromFormat("%d", number) : Py_NewRef(text(id)));
        if (!is_number && PyUnicode_Tailmatch(id, made_prefix(), 0, PY_SSIZE_T_MAX, -1) == 1) {
            number = number_in_name(id);
            need(number > 0 && number <= LARGEST);
            last_made_ = std::max(last_made_, number);
        }
        take(name.get());
        return name;
    }

    static PyObject* made_prefix() {
        static PyObject* prefix = PyUnicode_InternFromString("new.");
        return prefix;
    }

    void take(PyObject* id) {
        need(PySet_Contains(ids_.get(), id) == 0);
        need(PySet_Add(ids_.get(), id) == 0);
    }

    const Given& given_;
    Owned ids_;
    PyObject *minion_, *hero_, *held_, *player_, *state_;
    int last_entered_ = 0, last_made_ = 0;  // `last_made_`: of the ids `new.N`
};

}  // namespace

PyObject* read_mapping_for_python(PyObject*, PyObject* arguments) {
    PyObject *entry, *rules, *classes;
    Given given;
    if (!PyArg_ParseTuple(arguments, "OOO!O!O!OOOO(iiiii)", &entry, &rules, &PyDict_Type, &given.own, &PyDict_Type,
                          &given.cards, &PyDict_Type, &given.bits, &given.classes, &given.body, &given.face_down, &classes,
                          &given.hero_health, &given.board_limit, &given.hand_limit, &given.mana_limit, &given.most_mana))
        return nullptr;
    try {
        return MappingReader(given, classes).state(entry, rules).release();
    } catch (const Declined&) {
        if (PyErr_Occurred()) return nullptr;
        Py_RETURN_NONE;
    }
}

}  // namespace hearthstone
