#include "binding/bridge.hpp"

#include <cmath>
#include <cstring>

#include "binding/cardstore.hpp"

namespace planner::binding {

namespace {

// The Python classes that states and actions are made of.
struct Classes {
    PyTypeObject *minion, *weapon, *hero, *hand_card, *player, *state;
    PyTypeObject *play, *attack, *power, *trade, *end;
    PyObject *hidden, *card_name, *attacker_name, *target_name, *my_hero, *enemy_hero, *fatigue, *nothing, *end_turn;
};

PyTypeObject* imported_class(PyObject* module, const char* name) {
    return reinterpret_cast<PyTypeObject*>(PyObject_GetAttrString(module, name));
}

// Imported at the first use, when all modules of the game are there; null with a Python error where that fails.
const Classes* classes() {
    static Classes found;
    static bool complete = false;
    if (complete) return &found;
    PyObject* state = PyImport_ImportModule("planner.games.hearthstone.rules.state");
    PyObject* actions = state ? PyImport_ImportModule("planner.games.hearthstone.rules.actions") : nullptr;
    PyObject* card = actions ? PyImport_ImportModule("planner.games.hearthstone.cards.card") : nullptr;
    if (card) {
        found.minion = imported_class(state, "Minion");
        found.weapon = imported_class(state, "Weapon");
        found.hero = imported_class(state, "Hero");
        found.hand_card = imported_class(state, "HandCard");
        found.player = imported_class(state, "Player");
        found.state = imported_class(state, "GameState");
        found.play = imported_class(actions, "Play");
        found.attack = imported_class(actions, "Attack");
        found.power = imported_class(actions, "HeroPower");
        found.trade = imported_class(actions, "Trade");
        found.end = imported_class(actions, "EndTurn");
        found.hidden = PyObject_GetAttrString(card, "HIDDEN");
        found.card_name = PyUnicode_InternFromString("card");
        found.attacker_name = PyUnicode_InternFromString("attacker");
        found.target_name = PyUnicode_InternFromString("target");
        found.my_hero = PyUnicode_InternFromString("me.hero");
        found.enemy_hero = PyUnicode_InternFromString("enemy.hero");
        found.fatigue = PyUnicode_InternFromString("fatigue");
        found.nothing = PyUnicode_InternFromString("");
        found.end_turn = found.end ? PyObject_CallNoArgs(reinterpret_cast<PyObject*>(found.end)) : nullptr;
        complete = !PyErr_Occurred();
    }
    Py_XDECREF(state);
    Py_XDECREF(actions);
    Py_XDECREF(card);
    return complete ? &found : nullptr;
}

const Classes* loaded = nullptr;

bool is(PyObject* thing, PyTypeObject* type, Py_ssize_t size) {
    return Py_TYPE(thing) == type && PyTuple_GET_SIZE(thing) == size;
}

bool read_flag(PyObject* given, bool& flag) {
    flag = given == Py_True;
    return given == Py_True || given == Py_False;
}

bool read_keywords(PyObject* given, uint32_t& keywords) {
    int32_t number;
    if (!read_number(given, number) || number < 0) return false;
    keywords = static_cast<uint32_t>(number);
    return true;
}

// A card's value times the scale, which must be whole: the decimal that was written, not the float nearest to it.
bool read_value(PyObject* given, int64_t scale, int64_t& value) {
    constexpr int64_t LIMIT = int64_t{1} << 50;
    if (PyLong_CheckExact(given)) {
        int32_t number;
        if (!read_number(given, number)) return false;
        value = number * scale;
        return value <= LIMIT && value >= -LIMIT;
    }
    if (!PyFloat_CheckExact(given)) return false;
    const double number = PyFloat_AS_DOUBLE(given), scaled = std::nearbyint(number * static_cast<double>(scale));
    if (!(std::fabs(scaled) <= static_cast<double>(LIMIT)) || scaled / static_cast<double>(scale) != number) return false;
    value = static_cast<int64_t>(scaled);
    return true;
}

// Collects the items of a new tuple of this class; whatever fails to be made leaves null in the end.
class Maker {
  public:
    Maker(PyTypeObject* type, Py_ssize_t size) : made_(type->tp_alloc(type, size)) {}
    Maker& add(PyObject* owned) {
        if (!owned) failed_ = true;
        if (made_) PyTuple_SET_ITEM(made_, next_++, owned);
        else Py_XDECREF(owned);
        return *this;
    }
    Maker& share(PyObject* borrowed) {
        Py_INCREF(borrowed);
        return add(borrowed);
    }
    Maker& number(int64_t value) { return add(PyLong_FromLongLong(value)); }
    Maker& flag(bool value) { return share(value ? Py_True : Py_False); }
    PyObject* done() {
        if (failed_) Py_CLEAR(made_);
        return made_;
    }

  private:
    PyObject* made_;
    Py_ssize_t next_ = 0;
    bool failed_ = false;
};

// An instance of one of the frozen classes of actions, made without their slow `__init__`.
PyObject* make_action(PyTypeObject* type, PyObject* name, PyObject* value, PyObject* second_name, PyObject* second) {
    PyObject* made = value ? type->tp_alloc(type, 0) : nullptr;
    if (made && (PyObject_GenericSetAttr(made, name, value) < 0 ||
                 (second_name && PyObject_GenericSetAttr(made, second_name, second) < 0)))
        Py_CLEAR(made);
    Py_XDECREF(value);
    if (second_name) Py_XDECREF(second);
    return made;
}

PyObject* card_to_python(const Card* card) {
    PyObject* given = card ? static_cast<PyObject*>(card->python_card) : Py_None;
    Py_INCREF(given);
    return given;
}

PyObject* weapon_to_python(const Weapon& weapon) {
    if (!weapon.card) Py_RETURN_NONE;
    Maker made(loaded->weapon, 4);
    made.add(card_to_python(weapon.card)).number(weapon.attack).number(weapon.durability).number(weapon.keywords);
    return made.done();
}

PyObject* hero_to_python(const Hero& hero, PyObject* hero_class) {
    Maker made(loaded->hero, 8);
    made.number(hero.health).number(hero.max_health).number(hero.armor).number(hero.keywords);
    made.number(hero.attack_this_turn).number(hero.attacks_left).share(hero_class).number(hero.keywords_this_turn);
    return made.done();
}

}  // namespace

int32_t number_in_name(PyObject* name) {
    if (!PyUnicode_IS_COMPACT_ASCII(name)) return -1;
    const Py_ssize_t length = PyUnicode_GET_LENGTH(name);
    const auto* text = reinterpret_cast<const char*>(PyUnicode_1BYTE_DATA(name));
    if (length < 5 || length > 12 || std::memcmp(text, "new.", 4) != 0 || text[4] == '0') return -1;
    int64_t number = 0;
    for (Py_ssize_t place = 4; place < length; ++place) {
        if (text[place] < '0' || text[place] > '9') return -1;
        number = 10 * number + (text[place] - '0');
    }
    return number <= INT32_MAX ? static_cast<int32_t>(number) : -1;
}

// -- reading

std::unique_ptr<Reading> Reading::of(PyObject* game_state, int64_t value_scale) {
    loaded = classes();
    if (!loaded) return nullptr;
    std::unique_ptr<Reading> reading(new Reading);
    if (!reading->read(game_state, value_scale)) return nullptr;
    return reading;
}

Reading::~Reading() { Py_XDECREF(given_); }

bool Reading::read(PyObject* given, int64_t value_scale) {
    if (!is(given, loaded->state, 7) || value_scale < 1 || value_scale > (int64_t{1} << 40)) return false;
    Py_INCREF(given);
    given_ = given;
    cards_ = CardStore::current();
    const Rules* known = cards_->rules(PyTuple_GET_ITEM(given, 2));
    if (!known) return false;
    rules = *known;
    rules.hidden = cards_->card(loaded->hidden);
    rules.decks = &traded_;
    rules.value_scale = value_scale;
    if (!read_number(PyTuple_GET_ITEM(given, 3), state.turn) || !read_number(PyTuple_GET_ITEM(given, 4), state.seat) ||
        !read_number(PyTuple_GET_ITEM(given, 5), state.clock) || (state.seat & ~1))
        return false;
    PyObject* cause = PyTuple_GET_ITEM(given, 6);
    if (!PyUnicode_Check(cause)) return false;
    if (PyUnicode_GET_LENGTH(cause) != 0) {
        if (PyUnicode_CompareWithASCIIString(cause, "fatigue") != 0) return false;
        state.cause = Cause::fatigue;
    }
    state.clock_at_start = state.clock;
    names_.reserve(128);
    things_.reserve(128);
    if (!read_player(PyTuple_GET_ITEM(given, 0), state.me(), state.seat) ||
        !read_player(PyTuple_GET_ITEM(given, 1), state.enemy(), 1 - state.seat))
        return false;
    if (!ahead_.empty()) state.reserved_ids = &ahead_;
    return true;
}

bool Reading::add_id(PyObject* name, PyObject* thing, Id& id) {
    if (!PyUnicode_CheckExact(name) || ids() >= FIRST_CREATED_ID) return false;
    id = static_cast<Id>(ids());
    names_.push_back(name);
    things_.push_back(thing);
    const int32_t number = number_in_name(name);
    if (number > state.clock) ahead_.emplace_back(number, id);
    return true;
}

bool Reading::read_held(PyObject* given, HandCard& hand_card) {
    if (!is(given, loaded->hand_card, 5)) return false;
    hand_card.card = cards_->card(PyTuple_GET_ITEM(given, 1));
    return hand_card.card && add_id(PyTuple_GET_ITEM(given, 0), given, hand_card.id) &&
           read_number(PyTuple_GET_ITEM(given, 2), hand_card.cost) &&
           read_value(PyTuple_GET_ITEM(given, 3), rules.value_scale, hand_card.value) &&
           read_flag(PyTuple_GET_ITEM(given, 4), hand_card.echo);
}

bool Reading::read_player(PyObject* given, Player& player, int seat) {
    if (!is(given, loaded->player, 13)) return false;
    PyObject* const* fields = &PyTuple_GET_ITEM(given, 0);
    PyObject *hero = fields[0], *board = fields[1], *hand = fields[2], *deck = fields[3], *weapon = fields[9];
    if (!is(hero, loaded->hero, 8)) return false;
    Hero& read = player.hero;
    if (!read_number(PyTuple_GET_ITEM(hero, 0), read.health) || !read_number(PyTuple_GET_ITEM(hero, 1), read.max_health) ||
        !read_number(PyTuple_GET_ITEM(hero, 2), read.armor) || !read_keywords(PyTuple_GET_ITEM(hero, 3), read.keywords) ||
        !read_number(PyTuple_GET_ITEM(hero, 4), read.attack_this_turn) ||
        !read_number(PyTuple_GET_ITEM(hero, 5), read.attacks_left) ||
        !read_keywords(PyTuple_GET_ITEM(hero, 7), read.keywords_this_turn))
        return false;
    read.dead = false;
    hero_classes_[seat] = PyTuple_GET_ITEM(hero, 6);
    if (!PyTuple_CheckExact(board) || !PyTuple_CheckExact(hand) || !PyTuple_CheckExact(deck)) return false;
    const Py_ssize_t minions = PyTuple_GET_SIZE(board), cards = PyTuple_GET_SIZE(hand), left = PyTuple_GET_SIZE(deck);
    if (minions > MAX_MINIONS || cards > MAX_HAND_CARDS || left >= FIRST_CREATED_ID) return false;
    for (Py_ssize_t place = 0; place < minions; ++place) {
        PyObject* one = PyTuple_GET_ITEM(board, place);
        if (!is(one, loaded->minion, 14)) return false;
        PyObject* const* parts = &PyTuple_GET_ITEM(one, 0);
        Minion& minion = player.board[place];
        minion.card = cards_->card(parts[1]);
        minion.doomed = false;
        if (!minion.card || !add_id(parts[0], one, minion.id) || !read_number(parts[2], minion.attack) ||
            !read_number(parts[3], minion.health) || !read_number(parts[4], minion.max_health) ||
            !read_keywords(parts[5], minion.keywords) || !read_number(parts[6], minion.attacks_left) ||
            !read_flag(parts[7], minion.fresh) || !read_number(parts[8], minion.entered) ||
            !read_flag(parts[9], minion.silenced) || !read_number(parts[10], minion.attack_this_turn) ||
            !read_keywords(parts[11], minion.keywords_this_turn) || !read_number(parts[12], minion.aura_attack) ||
            !read_number(parts[13], minion.aura_health))
            return false;
    }
    player.board.resize(static_cast<int32_t>(minions));
    for (Py_ssize_t place = 0; place < cards; ++place)
        if (!read_held(PyTuple_GET_ITEM(hand, place), player.hand[place])) return false;
    player.hand.resize(static_cast<int32_t>(cards));
    auto& kept = decks_[seat];
    kept.resize(left);
    for (Py_ssize_t place = 0; place < left; ++place)
        if (!read_held(PyTuple_GET_ITEM(deck, place), kept[place])) return false;
    deck_tuples_[seat] = deck;
    player.deck = kept.data();
    player.deck_count = static_cast<int32_t>(left);
    if (weapon != Py_None) {
        if (!is(weapon, loaded->weapon, 4)) return false;
        player.weapon.card = cards_->card(PyTuple_GET_ITEM(weapon, 0));
        if (!player.weapon.card || !read_number(PyTuple_GET_ITEM(weapon, 1), player.weapon.attack) ||
            !read_number(PyTuple_GET_ITEM(weapon, 2), player.weapon.durability) ||
            !read_keywords(PyTuple_GET_ITEM(weapon, 3), player.weapon.keywords))
            return false;
    }
    if (fields[10] != Py_None && !(player.power = cards_->card(fields[10]))) return false;
    return read_number(fields[4], player.mana) && read_number(fields[5], player.crystals) &&
           read_number(fields[6], player.overload) && read_number(fields[7], player.locked) &&
           read_number(fields[8], player.fatigue) && read_flag(fields[11], player.power_used) &&
           read_number(fields[12], player.cards_played);
}

int32_t Reading::number_of_name(PyObject* name) const { return cards_->number_of_name(name); }

// -- answering

PyObject* Reading::name(Id id) const {
    PyObject* found = id == MY_HERO ? loaded->my_hero : id == ENEMY_HERO ? loaded->enemy_hero : Py_None;
    if (id >= FIRST_CREATED_ID) return PyUnicode_FromFormat("new.%d", id - FIRST_CREATED_ID + state.clock_at_start);
    if (id >= FIRST_CALLER_ID) found = names_[id - FIRST_CALLER_ID];
    Py_INCREF(found);
    return found;
}

PyObject* Reading::to_python(const HandCard& hand_card) const {
    bool made_here = hand_card.id >= FIRST_CREATED_ID || hand_card.returned;
    for (const auto& [number, id] : ahead_) made_here |= id == hand_card.id;
    if (!made_here) {  // what stays in a hand never changes
        PyObject* given = things_[hand_card.id - FIRST_CALLER_ID];
        Py_INCREF(given);
        return given;
    }
    const int64_t scale = rules.value_scale;
    Maker made(loaded->hand_card, 5);
    made.add(name(hand_card.id)).add(card_to_python(hand_card.card)).number(hand_card.cost);
    if (hand_card.value % scale == 0) made.number(hand_card.value / scale);
    else made.add(PyFloat_FromDouble(static_cast<double>(hand_card.value) / static_cast<double>(scale)));
    made.flag(hand_card.echo);
    return made.done();
}

PyObject* Reading::to_python(const Minion& minion) const {
    Maker made(loaded->minion, 14);
    made.add(name(minion.id)).add(card_to_python(minion.card)).number(minion.attack).number(minion.health);
    made.number(minion.max_health).number(minion.keywords).number(minion.attacks_left).flag(minion.fresh);
    made.number(minion.entered).flag(minion.silenced).number(minion.attack_this_turn);
    made.number(minion.keywords_this_turn).number(minion.aura_attack).number(minion.aura_health);
    return made.done();
}

PyObject* Reading::deck_to_python(const Player& player) const {
    for (const int seat : {0, 1}) {
        const HandCard *first = decks_[seat].data(), *last = first + decks_[seat].size();
        if (player.deck_count > 0 && player.deck >= first && player.deck + player.deck_count == last)
            return PyTuple_GetSlice(deck_tuples_[seat], player.deck - first, last - first);
    }
    Maker made(&PyTuple_Type, player.deck_count);
    for (int32_t place = 0; place < player.deck_count; ++place) made.add(to_python(player.deck[place]));
    return made.done();
}

PyObject* Reading::to_python(const Player& player, int seat) const {
    Maker board(&PyTuple_Type, player.board.size()), hand(&PyTuple_Type, player.hand.size());
    for (const Minion& minion : player.board) board.add(to_python(minion));
    for (const HandCard& hand_card : player.hand) hand.add(to_python(hand_card));
    Maker made(loaded->player, 13);
    made.add(hero_to_python(player.hero, hero_classes_[seat])).add(board.done()).add(hand.done());
    made.add(deck_to_python(player)).number(player.mana).number(player.crystals).number(player.overload);
    made.number(player.locked).number(player.fatigue).add(weapon_to_python(player.weapon));
    made.add(card_to_python(player.power)).flag(player.power_used).number(player.cards_played);
    return made.done();
}

PyObject* Reading::to_python(const State& now) const {
    Maker made(loaded->state, 7);
    made.add(to_python(now.me(), now.seat)).add(to_python(now.enemy(), 1 - now.seat));
    made.share(PyTuple_GET_ITEM(given_, 2)).number(now.turn).number(now.seat).number(now.clock);
    made.share(now.cause == Cause::fatigue ? loaded->fatigue : loaded->nothing);
    return made.done();
}

PyObject* Reading::to_python(Action action) const {
    switch (action.kind) {
        case Action::play:
            return make_action(loaded->play, loaded->card_name, name(action.source), loaded->target_name, name(action.target));
        case Action::attack:
            return make_action(loaded->attack, loaded->attacker_name, name(action.source), loaded->target_name,
                               name(action.target));
        case Action::hero_power:
            return make_action(loaded->power, loaded->target_name, name(action.target), nullptr, nullptr);
        case Action::trade: return make_action(loaded->trade, loaded->card_name, name(action.source), nullptr, nullptr);
        case Action::end_turn: break;
    }
    Py_INCREF(loaded->end_turn);
    return loaded->end_turn;
}

bool Reading::find(PyObject* wanted, Id& id) const {
    id = NO_ID;
    if (wanted == Py_None) return true;
    if (!wanted || !PyUnicode_Check(wanted)) return false;
    if (PyUnicode_Compare(wanted, loaded->my_hero) == 0) id = MY_HERO;
    else if (PyUnicode_Compare(wanted, loaded->enemy_hero) == 0) id = ENEMY_HERO;
    for (size_t place = 0; id == NO_ID && place < names_.size(); ++place)
        if (names_[place] == wanted || PyUnicode_Compare(names_[place], wanted) == 0)
            id = static_cast<Id>(FIRST_CALLER_ID + place);
    const int32_t made = id == NO_ID ? number_in_name(wanted) - state.clock_at_start : 0;
    if (made > 0 && made < FIRST_CREATED_ID) id = static_cast<Id>(FIRST_CREATED_ID + made);
    return id != NO_ID;
}

bool Reading::from_python(PyObject* action, Action& found) const {
    const PyTypeObject* type = Py_TYPE(action);
    found = {Action::end_turn, NO_ID, NO_ID};
    if (type == loaded->end) return true;
    const bool plays = type == loaded->play, attacks = type == loaded->attack, trades = type == loaded->trade;
    if (!plays && !attacks && !trades && type != loaded->power) return false;
    found.kind = plays ? Action::play : attacks ? Action::attack : trades ? Action::trade : Action::hero_power;
    bool understood = true;
    const auto look = [&](PyObject* field, Id& id) {
        PyObject* given = PyObject_GetAttr(action, field);
        if (!given) PyErr_Clear();
        understood = understood && given && find(given, id);
        Py_XDECREF(given);
    };
    if (found.kind != Action::hero_power) look(attacks ? loaded->attacker_name : loaded->card_name, found.source);
    if (!trades) look(loaded->target_name, found.target);
    return understood;
}

}  // namespace planner::binding
