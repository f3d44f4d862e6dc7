// States are converted with the C API of Python, not with nanobind's casts: a match converts a state for every action,
// and calling the constructor of a Minion takes 0.63 microseconds, filling its tuple directly less than 0.35.
#include "binding/converted_state.hpp"

#include <cmath>
#include <cstring>

#include "generated/fields.hpp"

namespace planner::binding {

namespace {

// The Python classes of states and actions, and a few constants.
struct PythonTypes {
    PyTypeObject *minion, *weapon, *hero, *hand_card, *player, *game_state;
    PyTypeObject *play, *attack, *hero_power, *trade, *end_turn_type, *mulligan, *batch;
    PyObject *hidden, *card, *cards, *actions, *attacker, *target, *my_hero, *enemy_hero, *fatigue, *no_cause,
        *end_turn;
};

PythonTypes import_types() {
    const auto type = [](nb::handle module, const char* name) {
        return reinterpret_cast<PyTypeObject*>(nb::object(module.attr(name)).release().ptr());
    };
    const nb::module_ state = nb::module_::import_("planner.games.hearthstone.rules.state");
    const nb::module_ actions = nb::module_::import_("planner.games.hearthstone.rules.actions");
    const nb::module_ cards = nb::module_::import_("planner.games.hearthstone.cards.card");
    return {
        .minion = type(state, "Minion"),
        .weapon = type(state, "Weapon"),
        .hero = type(state, "Hero"),
        .hand_card = type(state, "HandCard"),
        .player = type(state, "Player"),
        .game_state = type(state, "GameState"),
        .play = type(actions, "Play"),
        .attack = type(actions, "Attack"),
        .hero_power = type(actions, "HeroPower"),
        .trade = type(actions, "Trade"),
        .end_turn_type = type(actions, "EndTurn"),
        .mulligan = type(actions, "Mulligan"),
        .batch = type(actions, "Batch"),
        .hidden = nb::object(cards.attr("HIDDEN")).release().ptr(),
        .card = PyUnicode_InternFromString("card"),
        .cards = PyUnicode_InternFromString("cards"),
        .actions = PyUnicode_InternFromString("actions"),
        .attacker = PyUnicode_InternFromString("attacker"),
        .target = PyUnicode_InternFromString("target"),
        .my_hero = PyUnicode_InternFromString("me.hero"),
        .enemy_hero = PyUnicode_InternFromString("enemy.hero"),
        .fatigue = PyUnicode_InternFromString("fatigue"),
        .no_cause = PyUnicode_InternFromString(""),
        .end_turn = nb::object(actions.attr("EndTurn")()).release().ptr(),
    };
}

// Imported at the first use, because the game's modules import the engine. The references are never freed.
const PythonTypes& types() {
    static const PythonTypes imported = import_types();
    return imported;
}

#define COUNT_FIELD(name) +1
#define FIELD_INDEX(name) name,
namespace game_state_field {
enum Index { GAME_STATE_FIELDS(FIELD_INDEX) count };
}

bool is_tuple_of(PyObject* object, PyTypeObject* type, Py_ssize_t size) {
    return Py_TYPE(object) == type && PyTuple_GET_SIZE(object) == size;
}

// Fills a new tuple of a class, item by item.
class TupleBuilder {
  public:
    TupleBuilder(PyTypeObject* type, Py_ssize_t size) : tuple_(type->tp_alloc(type, size)) {}
    void add(PyObject* owned) {
        failed_ |= !owned;
        if (tuple_) PyTuple_SET_ITEM(tuple_, next_++, owned);
        else Py_XDECREF(owned);
    }
    // Returns the tuple, or null with a Python error if it or one of its items could not be created.
    PyObject* finish() {
        if (failed_) Py_CLEAR(tuple_);
        return tuple_;
    }

  private:
    PyObject* tuple_;
    Py_ssize_t next_ = 0;
    bool failed_ = false;
};

nb::object checked(PyObject* owned) {
    if (!owned) nb::raise_python_error();
    return nb::steal(owned);
}

// Creates an instance of a frozen dataclass without its slow constructor.
nb::object make_action(PyTypeObject* type, std::initializer_list<std::pair<PyObject*, PyObject*>> fields) {
    nb::object action = checked(type->tp_alloc(type, 0));
    for (const auto& [name, owned] : fields) {
        const nb::object value = checked(owned);
        if (PyObject_GenericSetAttr(action.ptr(), name, value.ptr()) < 0) nb::raise_python_error();
    }
    return action;
}

// The N of an id `new.N`, as the rules create it; -1 for any other id.
int32_t number_in_id(PyObject* id) {
    if (!PyUnicode_IS_COMPACT_ASCII(id)) return -1;
    const Py_ssize_t length = PyUnicode_GET_LENGTH(id);
    const auto* text = reinterpret_cast<const char*>(PyUnicode_1BYTE_DATA(id));
    if (length < 5 || length > 12 || std::memcmp(text, "new.", 4) != 0 || text[4] == '0') return -1;
    int64_t number = 0;
    for (Py_ssize_t index = 4; index < length; ++index) {
        if (text[index] < '0' || text[index] > '9') return -1;
        number = 10 * number + (text[index] - '0');
    }
    return number <= INT32_MAX ? static_cast<int32_t>(number) : -1;
}

}  // namespace

// -- from Python

// Reads every field of a tuple into the member of the same name.
#define READ_FIELD(name) \
    if (!read(*item++, result.name)) return false;
#define READ_FIELDS(FIELDS, type)                                        \
    if (!is_tuple_of(object, type, 0 FIELDS(COUNT_FIELD))) return false; \
    owner_ = object;                                                     \
    PyObject* const* item = &PyTuple_GET_ITEM(object, 0);                \
    FIELDS(READ_FIELD)

std::unique_ptr<ConvertedState> ConvertedState::from_python(nb::handle game_state, int64_t value_scale) {
    std::unique_ptr<ConvertedState> result(new ConvertedState);
    return result->read_state(game_state, value_scale) ? std::move(result) : nullptr;
}

bool ConvertedState::read_state(nb::handle game_state, int64_t value_scale) {
    using namespace game_state_field;
    if (!is_tuple_of(game_state.ptr(), types().game_state, count)) return false;
    if (value_scale < 1 || value_scale > (int64_t{1} << 40)) return false;
    game_state_ = nb::borrow(game_state);
    cards_ = CardStore::current();
    PyObject* const* items = &PyTuple_GET_ITEM(game_state.ptr(), 0);
    const Rules* known = cards_->rules(items[game_state_field::rules]);
    if (!known) return false;
    rules = *known;
    rules.hidden = cards_->card(types().hidden);
    rules.decks = &traded_decks_;
    rules.value_scale = value_scale;
    if (!read(items[turn], state.turn) || !read(items[seat], state.seat) || !read(items[clock], state.clock))
        return false;
    if (state.seat & ~1 || !PyUnicode_Check(items[cause])) return false;
    if (PyUnicode_GET_LENGTH(items[cause]) != 0) {
        if (PyUnicode_Compare(items[cause], types().fatigue) != 0) return false;
        state.cause = Cause::fatigue;
    }
    state.clock_at_start = state.clock;
    names_.reserve(128);
    objects_.reserve(128);
    decks_.reserve(2);  // spans point into the vectors
    if (!read(items[me], state.me()) || !read(items[enemy], state.enemy())) return false;
    if (!reserved_ids_.empty()) state.reserved_ids = &reserved_ids_;
    return true;
}

bool ConvertedState::read(PyObject* object, int32_t& number) { return read_number(object, number); }

bool ConvertedState::read(PyObject* object, uint32_t& keywords) {
    int32_t number;
    if (!read_number(object, number) || number < 0) return false;
    keywords = static_cast<uint32_t>(number);
    return true;
}

bool ConvertedState::read(PyObject* object, bool& flag) {
    flag = object == Py_True;
    return object == Py_True || object == Py_False;
}

// A card's value times the scale. It must be an integer: the scale makes one of the decimal number that was written.
bool ConvertedState::read(PyObject* object, int64_t& value) {
    constexpr int64_t LIMIT = int64_t{1} << 50;
    const int64_t scale = rules.value_scale;
    if (int32_t number; read_number(object, number)) {
        value = number * scale;
        return value <= LIMIT && value >= -LIMIT;
    }
    if (!PyFloat_CheckExact(object)) return false;
    const double number = PyFloat_AS_DOUBLE(object), scaled = std::nearbyint(number * static_cast<double>(scale));
    if (!(std::fabs(scaled) <= static_cast<double>(LIMIT)) || scaled / static_cast<double>(scale) != number)
        return false;
    value = static_cast<int64_t>(scaled);
    return true;
}

bool ConvertedState::read(PyObject* object, Id& id) {
    if (!PyUnicode_CheckExact(object) || id_count() >= FIRST_CREATED_ID) return false;
    id = static_cast<Id>(id_count());
    names_.push_back(object);
    objects_.push_back(owner_);
    const int32_t number = number_in_id(object);
    if (number > state.clock) reserved_ids_.emplace_back(number, id);
    return true;
}

bool ConvertedState::read(PyObject* object, const Card*& card) {
    card = object == Py_None ? nullptr : cards_->card(object);
    return card || object == Py_None;
}

bool ConvertedState::read(PyObject* object, const void*& opaque) {
    opaque = object;
    return true;
}

bool ConvertedState::read(PyObject* object, Minion& result) {
    READ_FIELDS(MINION_FIELDS, types().minion)
    result.doomed = false;
    return result.card;
}

bool ConvertedState::read(PyObject* object, HandCard& result) {
    READ_FIELDS(HAND_CARD_FIELDS, types().hand_card)
    result.returned = false;
    return result.card;
}

bool ConvertedState::read(PyObject* object, Weapon& result) {
    if (object == Py_None) return true;
    READ_FIELDS(WEAPON_FIELDS, types().weapon)
    return result.card;
}

bool ConvertedState::read(PyObject* object, Hero& result) {
    READ_FIELDS(HERO_FIELDS, types().hero)
    result.dead = false;
    return true;
}

bool ConvertedState::read(PyObject* object, Player& result) {
    READ_FIELDS(PLAYER_FIELDS, types().player)
    return true;
}

bool ConvertedState::read(PyObject* object, std::span<const HandCard>& deck) {
    if (!PyTuple_CheckExact(object) || PyTuple_GET_SIZE(object) >= FIRST_CREATED_ID) return false;
    auto& [tuple, cards] = decks_.emplace_back(Deck{object, std::vector<HandCard>(PyTuple_GET_SIZE(object))});
    for (size_t index = 0; index < cards.size(); ++index)
        if (!read(PyTuple_GET_ITEM(tuple, index), cards[index])) return false;
    deck = cards;
    return true;
}

template <class T, int32_t capacity>
bool ConvertedState::read(PyObject* object, StaticVector<T, capacity>& list) {
    if (!PyTuple_CheckExact(object) || PyTuple_GET_SIZE(object) > capacity) return false;
    list.resize(static_cast<int32_t>(PyTuple_GET_SIZE(object)));
    for (int32_t index = 0; index < list.size(); ++index)
        if (!read(PyTuple_GET_ITEM(object, index), list[index])) return false;
    return true;
}

// -- to Python

#define MAKE_FIELD(name) builder.add(make(source.name));
#define MAKE_FIELDS(FIELDS, type)                      \
    TupleBuilder builder(type, 0 FIELDS(COUNT_FIELD)); \
    FIELDS(MAKE_FIELD)                                 \
    return builder.finish();

PyObject* ConvertedState::make(Id id) const {
    if (id >= FIRST_CREATED_ID) return PyUnicode_FromFormat("new.%d", id - FIRST_CREATED_ID + state.clock_at_start);
    if (id >= FIRST_CALLER_ID) return Py_NewRef(names_[id - FIRST_CALLER_ID]);
    return Py_NewRef(id == MY_HERO ? types().my_hero : id == ENEMY_HERO ? types().enemy_hero : Py_None);
}

PyObject* ConvertedState::make(const Card* card) const {
    return Py_NewRef(card ? static_cast<PyObject*>(card->python_card) : Py_None);
}

PyObject* ConvertedState::make(const void* opaque) const {
    return Py_NewRef(static_cast<PyObject*>(const_cast<void*>(opaque)));
}

// A card's value: an integer if possible.
PyObject* ConvertedState::make(int64_t value) const {
    const int64_t scale = rules.value_scale;
    if (value % scale == 0) return PyLong_FromLongLong(value / scale);
    return PyFloat_FromDouble(static_cast<double>(value) / static_cast<double>(scale));
}

PyObject* ConvertedState::make(const Minion& source) const {MAKE_FIELDS(MINION_FIELDS, types().minion)}

PyObject* ConvertedState::make(const HandCard& source) const {
    bool created = source.id >= FIRST_CREATED_ID || source.returned;
    for (const auto& [number, id] : reserved_ids_) created |= id == source.id;
    if (!created) return Py_NewRef(objects_[source.id - FIRST_CALLER_ID]);  // cards in a hand do not change
    MAKE_FIELDS(HAND_CARD_FIELDS, types().hand_card)
}

PyObject* ConvertedState::make(const Weapon& source) const {
    if (!source.card) Py_RETURN_NONE;
    MAKE_FIELDS(WEAPON_FIELDS, types().weapon)
}

PyObject* ConvertedState::make(const Hero& source) const {MAKE_FIELDS(HERO_FIELDS, types().hero)}

PyObject* ConvertedState::make(const Player& source) const {MAKE_FIELDS(PLAYER_FIELDS, types().player)}

PyObject* ConvertedState::make(std::span<const HandCard> deck) const {
    // A deck from which cards were only drawn is a slice of the original tuple.
    for (const auto& [tuple, cards] : decks_) {
        const HandCard *first = cards.data(), *last = first + cards.size();
        if (!deck.empty() && deck.data() >= first && deck.data() + deck.size() == last)
            return PyTuple_GetSlice(tuple, deck.data() - first, last - first);
    }
    TupleBuilder builder(&PyTuple_Type, std::ssize(deck));
    for (const HandCard& hand_card : deck) builder.add(make(hand_card));
    return builder.finish();
}

template <class T, int32_t capacity>
PyObject* ConvertedState::make(const StaticVector<T, capacity>& list) const {
    TupleBuilder builder(&PyTuple_Type, list.size());
    for (const T& element : list) builder.add(make(element));
    return builder.finish();
}

nb::object ConvertedState::to_python(const State& now) const {
    struct {
        const Player &me, &enemy;
        const void* rules;
        int32_t turn, seat, clock;
        const void* cause;
    } const source{now.me(), now.enemy(), PyTuple_GET_ITEM(game_state_.ptr(), game_state_field::rules),    now.turn,
                   now.seat, now.clock,   now.cause == Cause::fatigue ? types().fatigue : types().no_cause};
    TupleBuilder builder(types().game_state, game_state_field::count);
    GAME_STATE_FIELDS(MAKE_FIELD)
    return checked(builder.finish());
}

nb::object ConvertedState::to_python(Action action) const {
    const PythonTypes& t = types();
    switch (action.kind) {
        case Action::play: return make_action(t.play, {{t.card, make(action.source)}, {t.target, make(action.target)}});
        case Action::attack:
            return make_action(t.attack, {{t.attacker, make(action.source)}, {t.target, make(action.target)}});
        case Action::hero_power: return make_action(t.hero_power, {{t.target, make(action.target)}});
        case Action::trade: return make_action(t.trade, {{t.card, make(action.source)}});
        case Action::end_turn: break;
    }
    return nb::borrow(t.end_turn);
}

nb::list ConvertedState::to_python(std::span<const Action> actions) const {
    nb::list list;
    for (const Action& action : actions) list.append(to_python(action));
    return list;
}

nb::object ConvertedState::mulligan_to_python(std::span<const Id> replaced) const {
    TupleBuilder builder(&PyTuple_Type, std::ssize(replaced));
    for (const Id id : replaced) builder.add(make(id));
    return make_action(types().mulligan, {{types().cards, builder.finish()}});
}

nb::object ConvertedState::batch_to_python(std::span<const Action> actions) const {
    TupleBuilder builder(&PyTuple_Type, std::ssize(actions));
    for (const Action& action : actions) builder.add(to_python(action).release().ptr());
    return make_action(types().batch, {{types().actions, builder.finish()}});
}

// -- actions from Python

std::optional<Id> ConvertedState::find(nb::handle name) const {
    if (name.is_none()) return NO_ID;
    if (!PyUnicode_Check(name.ptr())) return {};
    if (PyUnicode_Compare(name.ptr(), types().my_hero) == 0) return MY_HERO;
    if (PyUnicode_Compare(name.ptr(), types().enemy_hero) == 0) return ENEMY_HERO;
    for (size_t index = 0; index < names_.size(); ++index)
        if (names_[index] == name.ptr() || PyUnicode_Compare(names_[index], name.ptr()) == 0)
            return static_cast<Id>(FIRST_CALLER_ID + index);
    const int32_t created = number_in_id(name.ptr()) - state.clock_at_start;
    if (created > 0 && created < FIRST_CREATED_ID) return static_cast<Id>(FIRST_CREATED_ID + created);
    return {};
}

std::optional<Action> ConvertedState::from_python(nb::handle action) const {
    const PythonTypes& t = types();
    const auto id = [&](PyObject* field) { return find(nb::getattr(action, nb::handle(field), nb::handle(Py_True))); };
    std::optional<Id> source = NO_ID, target = NO_ID;
    Action::Kind kind = Action::end_turn;
    if (const PyTypeObject* type = Py_TYPE(action.ptr()); type == t.play) {
        kind = Action::play;
        source = id(t.card), target = id(t.target);
    } else if (type == t.attack) {
        kind = Action::attack;
        source = id(t.attacker), target = id(t.target);
    } else if (type == t.hero_power) {
        kind = Action::hero_power;
        target = id(t.target);
    } else if (type == t.trade) {
        kind = Action::trade;
        source = id(t.card);
    } else if (type != t.end_turn_type) {
        return {};
    }
    if (!source || !target) return {};
    return Action{kind, *source, *target};
}

}  // namespace planner::binding
