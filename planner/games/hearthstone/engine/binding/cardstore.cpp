#include "binding/cardstore.hpp"

#include <cmath>
#include <cstring>
#include <string>

namespace planner::binding {

namespace {

constexpr size_t MOST_CARDS_KEPT = 20000;

// A Python reference that is given back at the end of its scope.
struct Owned {
    PyObject* object;
    explicit Owned(PyObject* owned) : object(owned) {}
    ~Owned() { Py_XDECREF(object); }
    Owned(const Owned&) = delete;
    Owned& operator=(const Owned&) = delete;
};

// Whatever goes wrong while a card is read means that it is declined, never an error.
PyObject* attribute(PyObject* thing, const char* name) {
    PyObject* found = PyObject_GetAttrString(thing, name);
    if (!found) PyErr_Clear();
    return found;
}

bool attribute_number(PyObject* thing, const char* name, int32_t& number) {
    const Owned found(attribute(thing, name));
    return found.object && read_number(found.object, number);
}

bool attribute_flag(PyObject* thing, const char* name, bool& flag) {
    const Owned found(attribute(thing, name));
    flag = found.object == Py_True;
    return found.object == Py_True || found.object == Py_False;
}

bool attribute_keywords(PyObject* thing, const char* name, uint32_t& keywords) {
    int32_t number;
    if (!attribute_number(thing, name, number) || number < 0) return false;
    keywords = static_cast<uint32_t>(number);
    return true;
}

// None, true or false as -1, 1 and 0.
bool attribute_maybe(PyObject* thing, const char* name, int8_t& maybe) {
    const Owned found(attribute(thing, name));
    maybe = found.object == Py_True ? 1 : found.object == Py_False ? 0 : -1;
    return found.object == Py_True || found.object == Py_False || found.object == Py_None;
}

template <size_t count>
int place_of(PyObject* word, const char* const (&words)[count]) {
    if (!word || !PyUnicode_Check(word)) return -1;
    for (size_t place = 0; place < count; ++place)
        if (PyUnicode_CompareWithASCIIString(word, words[place]) == 0) return static_cast<int>(place);
    return -1;
}

template <size_t count>
int attribute_word(PyObject* thing, const char* name, const char* const (&words)[count]) {
    const Owned found(attribute(thing, name));
    return place_of(found.object, words);
}

// In the orders of the enumerations in cards.hpp.
const char* const TYPES[] = {"minion", "spell", "weapon", "hero_power", "hidden"};
const char* const EFFECTS[] = {"damage", "heal",   "armor",   "buff", "summon", "destroy", "set_attack", "set_health", "return", "transform", "silence", "freeze",
                               "draw",   "discard", "add",    "equip", "hone",  "disarm",  "mana",    "hook"};
const char* const TRIGGER_WORDS[] = {"play",       "death",       "turn_start",  "turn_end", "aura",        "cast",
                                     "after_cast", "after_power", "after_swing", "attack",   "after_attack"};
const char* const SELECTORS[] = {"chosen", "all", "random", "self"};
const char* const SIDES[] = {"any", "friendly", "enemy"};
const char* const KINDS[] = {"minion", "hero", "character"};
const char* const TRIBES[] = {"beast", "demon",  "dragon",   "elemental", "mech",  "murloc",
                              "naga",  "pirate", "quilboar", "totem",     "undead"};

const char* const NUMBER_WORDS[] = {"health",        "armor",       "hand",   "crystals",
                                    "weapon_attack", "hero_attack", "attack", "count"};
const char* const ASKED_WORDS[] = {"weapon", "turn", "holding", "controlling", "target", "quantity"};
const char* const OF_WORDS[] = {"", "alive", "friendly"};
const char* const KEYWORD_WORDS[] = {"taunt",   "charge", "rush",   "windfury", "mega_windfury", "divine_shield",
                                     "poisonous", "lifesteal", "stealth", "reborn", "frozen", "freeze",
                                     "immune",  "elusive", "cannot_attack", "echo", "magnetic", "tradeable"};

// None or a number.
bool attribute_limit(PyObject* thing, const char* name, int32_t& limit) {
    const Owned found(attribute(thing, name));
    return found.object == Py_None || (found.object && read_number(found.object, limit));
}

bool attribute_tribe(PyObject* thing, const char* name, int8_t& tribe) {
    const Owned found(attribute(thing, name));
    tribe = found.object == Py_None ? -1 : static_cast<int8_t>(place_of(found.object, TRIBES));
    return found.object == Py_None || tribe >= 0;
}

bool read_target(PyObject* given, Target& target) {
    const int select = attribute_word(given, "select", SELECTORS), side = attribute_word(given, "side", SIDES);
    const int what = attribute_word(given, "what", KINDS);
    if (select < 0 || side < 0 || what < 0) return false;
    target.select = static_cast<Select>(select);
    target.side = static_cast<Side>(side);
    target.kind = static_cast<TargetKind>(what);
    if (!attribute_flag(given, "other", target.excludes_source) || !attribute_maybe(given, "damaged", target.damaged) ||
        !attribute_limit(given, "least", target.min_attack) || !attribute_limit(given, "most", target.max_attack))
        return false;
    const Owned keyword(attribute(given, "keyword"));
    if (keyword.object != Py_None) {
        const int place = place_of(keyword.object, KEYWORD_WORDS);
        if (place < 0) return false;
        target.keyword = 1u << place;
    }
    return attribute_tribe(given, "tribe", target.tribe) && attribute_tribe(given, "without", target.excluded_tribe) &&
           attribute_number(given, "count", target.count);
}

// None, or a Quantity of cards/conditions.py.
bool read_quantity(PyObject* thing, Quantity& quantity) {
    const Owned found(attribute(thing, "quantity"));
    if (!found.object || found.object == Py_None) return found.object != nullptr;
    const int what = attribute_word(found.object, "what", NUMBER_WORDS);
    const Owned of(attribute(found.object, "of"));
    if (what < 0 || !of.object || !attribute_flag(found.object, "enemy", quantity.enemy)) return false;
    quantity.present = true;
    quantity.kind = static_cast<QuantityKind>(what);
    return of.object == Py_None ? quantity.kind != QuantityKind::count : read_target(of.object, quantity.counted);
}

// None, or a Condition of cards/conditions.py.
bool read_condition(PyObject* thing, Condition& given) {
    const Owned found(attribute(thing, "condition")), text(attribute(thing, "given"));
    if (!found.object || found.object == Py_None) return found.object != nullptr;
    const char* words = text.object && PyUnicode_Check(text.object) ? PyUnicode_AsUTF8(text.object) : nullptr;
    if (!words) {
        PyErr_Clear();
        return false;
    }
    const int asked = attribute_word(found.object, "asked", ASKED_WORDS);
    if (asked < 0 || !attribute_flag(found.object, "negated", given.negated) ||
        !attribute_limit(found.object, "least", given.min) || !attribute_limit(found.object, "most", given.max) ||
        !read_quantity(found.object, given.quantity))
        return false;
    given.kind = static_cast<ConditionKind>(asked);
    given.text = std::string(words).substr(given.negated ? std::strlen("not ") : 0);
    const Owned word(attribute(found.object, "word"));
    const int of = place_of(word.object, OF_WORDS);
    given.of_target = of < 0 ? TargetCondition::tribe : static_cast<TargetCondition>(of);
    if (of < 0) given.tribe = static_cast<int8_t>(place_of(word.object, TRIBES));
    return of >= 0 || given.tribe >= 0;
}

// Every field of an effect but the cards that it makes.
bool read_effect(PyObject* given, Effect& effect, int& trigger) {
    const int what = attribute_word(given, "do", EFFECTS);
    trigger = attribute_word(given, "on", TRIGGER_WORDS);
    if (what < 0 || trigger < 0) return false;
    effect.operation = static_cast<Operation>(what);
    if (effect.operation == Operation::hook) return false;
    const Owned to(attribute(given, "to"));
    if (!to.object) return false;
    effect.has_target = to.object != Py_None;
    if (effect.has_target && !read_target(to.object, effect.target)) return false;
    const bool aims = effect.operation == Operation::damage || effect.operation == Operation::heal || effect.operation == Operation::buff ||
                      effect.operation == Operation::destroy || effect.operation == Operation::silence || effect.operation == Operation::freeze ||
                      effect.operation == Operation::set_attack || effect.operation == Operation::set_health || effect.operation == Operation::to_hand ||
                      effect.operation == Operation::transform;
    if (aims && !effect.has_target) return false;
    if (!read_condition(given, effect.condition) || !read_quantity(given, effect.multiplier)) return false;
    const int side = attribute_word(given, "side", SIDES);
    effect.for_enemy = side != static_cast<int>(Side::friendly);
    if (!attribute_number(given, "amount", effect.amount) || !attribute_number(given, "attack", effect.attack) ||
        !attribute_number(given, "health", effect.health) || !attribute_number(given, "count", effect.count) ||
        !attribute_keywords(given, "keywords", effect.keywords) || !attribute_flag(given, "split", effect.split) ||
        !attribute_flag(given, "this_turn", effect.this_turn) || !attribute_flag(given, "crystals", effect.crystals) ||
        !attribute_flag(given, "empty", effect.empty) || !attribute_maybe(given, "combo", effect.combo))
        return false;
    return effect.count <= MAX_REPEATS && (!effect.split || effect.amount <= MAX_REPEATS);
}

}  // namespace

bool read_number(PyObject* given, int32_t& number) {
    if (!PyLong_CheckExact(given)) return false;
    int overflow = 0;
    const long value = PyLong_AsLongAndOverflow(given, &overflow);
    if (overflow || value > LARGEST_NUMBER || value < -LARGEST_NUMBER) return false;
    number = static_cast<int32_t>(value);
    return true;
}

// Cards that are read together, since they make each other: all of them are taken, or none.
struct CardStore::Batch {
    std::vector<std::pair<PyObject*, std::unique_ptr<Card>>> cards;
    Card* find(PyObject* given) const {
        for (const auto& [known, card] : cards)
            if (known == given) return card.get();
        return nullptr;
    }
};

std::shared_ptr<CardStore> CardStore::current() {
    static auto& store = *new std::shared_ptr<CardStore>;  // never given back: the interpreter may end before us
    if (!store || store->cards_.size() + store->rules_.size() > MOST_CARDS_KEPT) store = std::make_shared<CardStore>();
    return store;
}

CardStore::~CardStore() {
    for (const auto& [given, card] : cards_) Py_DECREF(given);
    for (const auto& [given, rules] : rules_) Py_DECREF(given);
}

int32_t CardStore::number_of_name(PyObject* name) {
    const char* text = PyUnicode_AsUTF8(name);
    if (!text) {
        PyErr_Clear();  // no card that was read has such a name
        return -1;
    }
    return names_.emplace(text, static_cast<int32_t>(names_.size())).first->second;
}

const Card* CardStore::card(PyObject* given) {
    const auto known = cards_.find(given);
    if (known != cards_.end()) return known->second.get();
    Batch batch;
    batch.cards.emplace_back(given, std::make_unique<Card>());
    bool understood = true;
    for (size_t next = 0; understood && next < batch.cards.size(); ++next) {  // grows by what they make
        PyObject* one = batch.cards[next].first;
        understood = read(one, *batch.cards[next].second, batch);
    }
    if (!understood) {
        batch.cards.resize(1);
        batch.cards[0].second = nullptr;
    }
    for (auto& [one, card] : batch.cards) {
        Py_INCREF(one);
        cards_.emplace(one, std::move(card));
    }
    return cards_.find(given)->second.get();
}

bool CardStore::read(PyObject* given, Card& card, Batch& batch) {
    const Owned name(attribute(given, "name"));
    const int type = attribute_word(given, "type", TYPES);
    if (!name.object || !PyUnicode_Check(name.object) || type < 0) return false;
    card.name = number_of_name(name.object);
    card.type = static_cast<Type>(type);
    card.python_card = given;
    if (card.name < 0 || !attribute_number(given, "cost", card.cost) || !attribute_number(given, "attack", card.attack) ||
        !attribute_number(given, "health", card.health) || !attribute_number(given, "overload", card.overload) ||
        !attribute_number(given, "spell_damage", card.spell_damage) ||
        !attribute_keywords(given, "keywords", card.keywords))
        return false;
    card.value_known = attribute_number(given, "value", card.value);
    const Owned tribes(attribute(given, "tribes"));
    if (!tribes.object || !PyTuple_CheckExact(tribes.object)) return false;
    for (Py_ssize_t place = 0; place < PyTuple_GET_SIZE(tribes.object); ++place) {
        const int tribe = place_of(PyTuple_GET_ITEM(tribes.object, place), TRIBES);
        if (tribe < 0) return false;
        card.tribes |= 1u << tribe;
    }
    if (!read_effects(given, card, batch)) return false;
    for (int trigger = FIRST_REACTION; trigger < TRIGGERS; ++trigger) card.has_reactions |= !card.effects_by_trigger[trigger].empty();
    // One that asks for nothing goes before one that does, and of two that ask for the opposite one always comes: then
    // there is always a target to choose.
    for (const bool combo : {false, true}) {
        std::vector<const Effect*> aimed;
        for (const Effect& effect : card.effects(Trigger::play))
            if (effect.has_target && effect.target.select == Select::chosen && (effect.combo < 0 || (effect.combo == 1) == combo))
                aimed.push_back(&effect);
        if (aimed.empty()) continue;
        card.chosen_target[combo] = &aimed[0]->target;
        card.chosen_condition[combo] = aimed[0]->condition;
        for (const Effect* one : aimed)
            for (const Effect* other : aimed) {
                const bool opposite = one->condition.text == other->condition.text && one->condition.negated != other->condition.negated;
                if (one->condition.kind == ConditionKind::none || opposite) card.chosen_condition[combo] = {};
            }
    }
    const bool choice = card.keywords & (MAGNETIC | TRADEABLE) || card.chosen_target[false] || card.chosen_target[true];
    card.needs_no_target = card.type == Type::minion && !choice;
    card.only_summons = !card.effects(Trigger::play).empty();
    for (const Effect& effect : card.effects(Trigger::play)) {
        card.only_summons &= effect.operation == Operation::summon && !effect.for_enemy;
        card.improves_weapon |= effect.operation == Operation::hone;
    }
    return true;
}

bool CardStore::read_effects(PyObject* given, Card& card, Batch& batch) {
    const Owned effects(attribute(given, "effects"));
    if (!effects.object || !PyTuple_CheckExact(effects.object)) return false;
    card.has_effects = PyTuple_GET_SIZE(effects.object) > 0;
    for (Py_ssize_t place = 0; place < PyTuple_GET_SIZE(effects.object); ++place) {
        PyObject* one = PyTuple_GET_ITEM(effects.object, place);
        Effect effect;
        int trigger;
        if (!read_effect(one, effect, trigger)) return false;
        const Owned names(attribute(one, "card")), made(attribute(one, "made"));
        if (!names.object || !made.object || !PyTuple_CheckExact(names.object) || !PyTuple_CheckExact(made.object))
            return false;
        const Py_ssize_t count = PyTuple_GET_SIZE(made.object);
        const bool makes = effect.operation == Operation::summon || effect.operation == Operation::equip || effect.operation == Operation::add ||
                           effect.operation == Operation::transform;
        if (count != PyTuple_GET_SIZE(names.object) || (makes && count == 0)) return false;
        for (Py_ssize_t number = 0; number < count; ++number) {
            PyObject* result = PyTuple_GET_ITEM(made.object, number);
            const auto known = cards_.find(result);
            if (known != cards_.end() && !known->second) return false;
            Card* known_card = known != cards_.end() ? known->second.get() : batch.find(result);
            if (!known_card) {
                batch.cards.emplace_back(result, std::make_unique<Card>());
                known_card = batch.cards.back().second.get();
            }
            // It comes into a hand, where its value counts.
            int32_t value;
            if ((effect.operation == Operation::mana || effect.operation == Operation::add) && !attribute_number(result, "value", value)) return false;
            effect.created.push_back(known_card);
        }
        card.effects_by_trigger[trigger].push_back(std::move(effect));
    }
    return true;
}

const Rules* CardStore::rules(PyObject* given) {
    const auto known = rules_.find(given);
    if (known != rules_.end()) return known->second.get();
    auto rules = std::make_unique<Rules>();
    const bool understood =
        attribute_number(given, "board_limit", rules->board_limit) && attribute_number(given, "hand_limit", rules->hand_limit) &&
        attribute_number(given, "mana_limit", rules->mana_limit) && attribute_number(given, "mana_growth", rules->mana_growth) &&
        attribute_number(given, "draws_per_turn", rules->draws_per_turn) &&
        attribute_number(given, "fatigue_start", rules->fatigue_start) &&
        attribute_number(given, "fatigue_growth", rules->fatigue_growth) &&
        attribute_number(given, "turn_limit", rules->turn_limit) && rules->board_limit <= MAX_MINIONS &&
        rules->hand_limit <= MAX_HAND_CARDS && rules->draws_per_turn <= MAX_REPEATS;
    if (!understood) rules = nullptr;
    Py_INCREF(given);
    return rules_.emplace(given, std::move(rules)).first->second.get();
}

}  // namespace planner::binding
