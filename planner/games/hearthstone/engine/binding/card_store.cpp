#include "binding/card_store.hpp"

#include <nanobind/stl/string.h>

#include <cstring>
#include <exception>
#include <iterator>
#include <unordered_map>

namespace planner::binding {

namespace {

constexpr size_t MAX_ENTRIES = 20000;

// Thrown when the engine does not support a card or a ruleset. Every other exception during the conversion, such as a
// missing attribute, means the same.
struct Unsupported : std::exception {};

void require(bool supported) {
    if (!supported) throw Unsupported{};
}

// The words of Python, in the order of the enumerations in rules/cards.hpp.
constexpr const char* TYPES[] = {"minion", "spell", "weapon", "hero_power", "hidden"};
constexpr const char* OPERATIONS[] = {"damage",     "heal",   "armor",     "buff",    "summon", "destroy", "set_attack",
                                      "set_health", "return", "transform", "silence", "freeze", "draw",    "discard",
                                      "add",        "equip",  "hone",      "disarm",  "mana",   "hook"};
constexpr const char* TRIGGER_WORDS[] = {"play",       "death",       "turn_start",  "turn_end", "aura",        "cast",
                                         "after_cast", "after_power", "after_swing", "attack",   "after_attack"};
constexpr const char* SELECTORS[] = {"chosen", "all", "random", "self"};
constexpr const char* SIDES[] = {"any", "friendly", "enemy"};
constexpr const char* TARGET_KINDS[] = {"minion", "hero", "character"};
constexpr const char* QUANTITIES[] = {"health",        "armor",       "hand",   "crystals",
                                      "weapon_attack", "hero_attack", "attack", "count"};
constexpr const char* CONDITIONS[] = {"weapon", "turn", "holding", "controlling", "target", "quantity"};
constexpr const char* TARGET_CONDITIONS[] = {"", "alive", "friendly"};
constexpr const char* TRIBES[] = {"beast", "demon",  "dragon",   "elemental", "mech",  "murloc",
                                  "naga",  "pirate", "quilboar", "totem",     "undead"};
constexpr const char* KEYWORDS[] = {
    "taunt",  "charge", "rush",   "windfury", "mega_windfury", "divine_shield", "poisonous", "lifesteal", "stealth",
    "reborn", "frozen", "freeze", "immune",   "elusive",       "cannot_attack", "echo",      "magnetic",  "tradeable"};

template <class Enum>
constexpr size_t count_up_to(Enum last) {
    return static_cast<size_t>(last) + 1;
}
static_assert(std::size(TYPES) == count_up_to(Type::hidden));
static_assert(std::size(OPERATIONS) == count_up_to(Operation::hook));
static_assert(std::size(TRIGGER_WORDS) == TRIGGERS);
static_assert(std::size(SELECTORS) == count_up_to(Select::self));
static_assert(std::size(SIDES) == count_up_to(Side::enemy));
static_assert(std::size(TARGET_KINDS) == count_up_to(TargetKind::character));
static_assert(std::size(QUANTITIES) == count_up_to(QuantityKind::count));
static_assert(std::size(CONDITIONS) == count_up_to(ConditionKind::quantity));
static_assert(std::size(TARGET_CONDITIONS) == count_up_to(TargetCondition::friendly));
static_assert(1u << (std::size(KEYWORDS) - 1) == TRADEABLE);

// Returns -1 if the object is not one of the words.
template <size_t count>
int index_of(nb::handle object, const char* const (&words)[count]) {
    if (!PyUnicode_Check(object.ptr())) return -1;
    for (size_t index = 0; index < count; ++index)
        if (PyUnicode_CompareWithASCIIString(object.ptr(), words[index]) == 0) return static_cast<int>(index);
    return -1;
}

// Returns an attribute. The names are literals. Each becomes a Python string once: in mixed turns, creating the strings
// again took a quarter of the time of the engine.
nb::object attribute(nb::handle object, const char* name) {
    static auto& names = *new std::unordered_map<const char*, PyObject*>;  // never freed, like the types of states
    PyObject*& interned = names[name];
    if (!interned) interned = PyUnicode_InternFromString(name);
    PyObject* value = PyObject_GetAttr(object.ptr(), interned);
    if (!value) nb::raise_python_error();
    return nb::steal(value);
}

template <class Enum, size_t count>
void read_word(nb::handle object, const char* name, const char* const (&words)[count], Enum& value) {
    const int index = index_of(attribute(object, name), words);
    require(index >= 0);
    value = static_cast<Enum>(index);
}

void read_attribute(nb::handle object, const char* name, int32_t& number) {
    require(read_number(attribute(object, name).ptr(), number));
}

void read_attribute(nb::handle object, const char* name, uint32_t& keywords) {
    int32_t number;
    read_attribute(object, name, number);
    require(number >= 0);
    keywords = static_cast<uint32_t>(number);
}

void read_attribute(nb::handle object, const char* name, bool& flag) {
    const nb::object value = attribute(object, name);
    require(value.ptr() == Py_True || value.ptr() == Py_False);
    flag = value.ptr() == Py_True;
}

// None, False and True become -1, 0 and 1.
void read_optional_flag(nb::handle object, const char* name, int8_t& flag) {
    const nb::object value = attribute(object, name);
    require(value.is_none() || value.ptr() == Py_True || value.ptr() == Py_False);
    flag = value.is_none() ? -1 : value.ptr() == Py_True;
}

// None leaves the limit as it is.
void read_limit(nb::handle object, const char* name, int32_t& limit) {
    const nb::object value = attribute(object, name);
    require(value.is_none() || read_number(value.ptr(), limit));
}

void read_tribe(nb::handle object, const char* name, int8_t& tribe) {
    const nb::object value = attribute(object, name);
    tribe = value.is_none() ? ANY_TRIBE : static_cast<int8_t>(index_of(value, TRIBES));
    require(value.is_none() || tribe != ANY_TRIBE);
}

void read_target(nb::handle object, Target& target) {
    read_word(object, "select", SELECTORS, target.select);
    read_word(object, "side", SIDES, target.side);
    read_word(object, "what", TARGET_KINDS, target.kind);
    read_attribute(object, "other", target.excludes_source);
    read_optional_flag(object, "damaged", target.damaged);
    read_limit(object, "min_attack", target.min_attack);
    read_limit(object, "max_attack", target.max_attack);
    read_tribe(object, "tribe", target.tribe);
    read_tribe(object, "without", target.excluded_tribe);
    read_attribute(object, "count", target.count);
    const nb::object keyword = attribute(object, "keyword");
    if (keyword.is_none()) return;
    const int index = index_of(keyword, KEYWORDS);
    require(index >= 0);
    target.keyword = 1u << index;
}

// The attribute `quantity` of an effect or a condition.
void read_quantity(nb::handle object, Quantity& quantity) {
    const nb::object value = attribute(object, "quantity");
    if (value.is_none()) return;
    quantity.present = true;
    read_word(value, "what", QUANTITIES, quantity.kind);
    read_attribute(value, "enemy", quantity.enemy);
    const nb::object counted = attribute(value, "of");
    if (counted.is_none()) require(quantity.kind != QuantityKind::count);
    else read_target(counted, quantity.counted);
}

void read_condition(nb::handle effect, Condition& condition) {
    const nb::object value = attribute(effect, "condition");
    if (value.is_none()) return;
    read_word(value, "kind", CONDITIONS, condition.kind);
    read_attribute(value, "negated", condition.negated);
    read_limit(value, "minimum", condition.min);
    read_limit(value, "maximum", condition.max);
    read_quantity(value, condition.quantity);
    const auto text = nb::cast<std::string>(attribute(effect, "given"));
    condition.text = text.substr(condition.negated ? std::strlen("not ") : 0);
    const nb::object word = attribute(value, "word");
    const int of_target = index_of(word, TARGET_CONDITIONS);
    condition.of_target = of_target < 0 ? TargetCondition::tribe : static_cast<TargetCondition>(of_target);
    if (of_target < 0) read_tribe(value, "word", condition.tribe);
}

bool needs_target(Operation operation) {
    switch (operation) {
        case Operation::damage:
        case Operation::heal:
        case Operation::buff:
        case Operation::destroy:
        case Operation::silence:
        case Operation::freeze:
        case Operation::set_attack:
        case Operation::set_health:
        case Operation::to_hand:
        case Operation::transform: return true;
        default: return false;
    }
}

bool creates_cards(Operation operation) {
    return operation == Operation::summon || operation == Operation::equip || operation == Operation::add ||
           operation == Operation::transform;
}

// Reads every field except the created cards.
void read_effect(nb::handle object, Effect& effect, Trigger& trigger) {
    read_word(object, "do", OPERATIONS, effect.operation);
    read_word(object, "on", TRIGGER_WORDS, trigger);
    require(effect.operation != Operation::hook);
    const nb::object target = attribute(object, "to");
    effect.has_target = !target.is_none();
    require(effect.has_target || !needs_target(effect.operation));
    if (effect.has_target) read_target(target, effect.target);
    read_condition(object, effect.condition);
    read_quantity(object, effect.multiplier);
    effect.for_enemy = index_of(attribute(object, "side"), SIDES) != static_cast<int>(Side::friendly);
    read_attribute(object, "amount", effect.amount);
    read_attribute(object, "attack", effect.attack);
    read_attribute(object, "health", effect.health);
    read_attribute(object, "count", effect.count);
    read_attribute(object, "keywords", effect.keywords);
    read_attribute(object, "split", effect.split);
    read_attribute(object, "this_turn", effect.this_turn);
    read_attribute(object, "crystals", effect.crystals);
    read_attribute(object, "empty", effect.empty);
    read_optional_flag(object, "combo", effect.combo);
    require(effect.count <= MAX_REPEATS && (!effect.split || effect.amount <= MAX_REPEATS));
}

// Which target the player chooses, without or with combo.
void set_chosen_target(Card& card, bool combo) {
    std::vector<const Effect*> chosen;
    for (const Effect& effect : card.effects(Trigger::play))
        if (effect.has_target && effect.target.select == Select::chosen &&
            (effect.combo < 0 || (effect.combo == 1) == combo))
            chosen.push_back(&effect);
    if (chosen.empty()) return;
    card.chosen_target[combo] = &chosen[0]->target;
    card.chosen_condition[combo] = chosen[0]->condition;
    // There is always a target to choose if one effect has no condition or if two have opposite conditions.
    for (const Effect* one : chosen)
        for (const Effect* other : chosen) {
            const bool opposite =
                one->condition.text == other->condition.text && one->condition.negated != other->condition.negated;
            if (one->condition.kind == ConditionKind::none || opposite) card.chosen_condition[combo] = {};
        }
}

}  // namespace

bool read_number(PyObject* object, int32_t& number) {
    if (!PyLong_CheckExact(object)) return false;
    int overflow = 0;
    const long value = PyLong_AsLongAndOverflow(object, &overflow);
    if (overflow || value > MAX_NUMBER || value < -MAX_NUMBER) return false;
    number = static_cast<int32_t>(value);
    return true;
}

std::shared_ptr<CardStore> CardStore::current() {
    static auto& store = *new std::shared_ptr<CardStore>;  // never freed: the interpreter may be gone by then
    if (!store || store->cards_.size() + store->rules_.size() > MAX_ENTRIES) store = std::make_shared<CardStore>();
    return store;
}

int32_t CardStore::name_number(nb::handle name) {
    const char* text = PyUnicode_AsUTF8(name.ptr());
    if (!text) {
        PyErr_Clear();
        return NO_NAME;
    }
    return names_.emplace(text, static_cast<int32_t>(names_.size())).first->second;
}

// Reads a card together with all cards that it can create: either all of them are supported or the card is not.
const Card* CardStore::card(PyObject* python_card) {
    if (const auto known = cards_.find(python_card); known != cards_.end()) return known->second.converted.get();
    Batch batch;
    std::vector<PyObject*> unread{python_card};
    batch[python_card] = {nb::borrow(python_card), std::make_unique<Card>()};
    try {
        while (!unread.empty()) {
            PyObject* next = unread.back();
            unread.pop_back();
            read(next, *batch.at(next).converted, batch, unread);
        }
        cards_.merge(batch);
    } catch (const std::exception&) {
        cards_[python_card] = {nb::borrow(python_card), nullptr};
    }
    return cards_.at(python_card).converted.get();
}

void CardStore::read(nb::handle python_card, Card& card, Batch& batch, std::vector<PyObject*>& unread) {
    card.python_card = python_card.ptr();
    card.name = name_number(attribute(python_card, "name"));
    require(card.name != NO_NAME);
    read_word(python_card, "type", TYPES, card.type);
    read_attribute(python_card, "cost", card.cost);
    read_attribute(python_card, "attack", card.attack);
    read_attribute(python_card, "health", card.health);
    read_attribute(python_card, "overload", card.overload);
    read_attribute(python_card, "spell_damage", card.spell_damage);
    read_attribute(python_card, "keywords", card.keywords);
    card.value_known = read_number(attribute(python_card, "value").ptr(), card.value);
    for (const nb::handle word : nb::cast<nb::tuple>(attribute(python_card, "tribes"))) {
        const int tribe = index_of(word, TRIBES);
        require(tribe >= 0);
        card.tribes |= 1u << tribe;
    }
    read_effects(python_card, card, batch, unread);
    for (int trigger = FIRST_REACTION; trigger < TRIGGERS; ++trigger)
        card.has_reactions |= !card.effects_by_trigger[trigger].empty();
    for (const bool combo : {false, true}) set_chosen_target(card, combo);
    const bool has_choice =
        card.keywords & (MAGNETIC | TRADEABLE) || card.chosen_target[false] || card.chosen_target[true];
    card.needs_no_target = card.type == Type::minion && !has_choice;
    card.only_summons = !card.effects(Trigger::play).empty();
    for (const Effect& effect : card.effects(Trigger::play)) {
        card.only_summons &= effect.operation == Operation::summon && !effect.for_enemy;
        card.improves_weapon |= effect.operation == Operation::hone;
    }
}

void CardStore::read_effects(nb::handle python_card, Card& card, Batch& batch, std::vector<PyObject*>& unread) {
    const auto effects = nb::cast<nb::tuple>(attribute(python_card, "effects"));
    card.has_effects = effects.size() > 0;
    for (const nb::handle object : effects) {
        Effect effect;
        Trigger trigger;
        read_effect(object, effect, trigger);
        const auto names = nb::cast<nb::tuple>(attribute(object, "card")),
                   created = nb::cast<nb::tuple>(attribute(object, "made"));
        require(created.size() == names.size() && (created.size() > 0 || !creates_cards(effect.operation)));
        for (const nb::handle python_created : created) {
            const auto known = cards_.find(python_created.ptr());
            require(known == cards_.end() || known->second.converted);
            Card* created_card = known == cards_.end() ? nullptr : known->second.converted.get();
            if (!created_card) {
                auto& entry = batch[python_created.ptr()];
                if (!entry.converted) {
                    entry = {nb::borrow(python_created), std::make_unique<Card>()};
                    unread.push_back(python_created.ptr());
                }
                created_card = entry.converted.get();
            }
            int32_t value;  // it counts when the card enters a hand
            if (effect.operation == Operation::mana || effect.operation == Operation::add)
                read_attribute(python_created, "value", value);
            effect.created.push_back(created_card);
        }
        card.effects_by_trigger[static_cast<int>(trigger)].push_back(std::move(effect));
    }
}

const Rules* CardStore::rules(PyObject* ruleset) {
    if (const auto known = rules_.find(ruleset); known != rules_.end()) return known->second.converted.get();
    auto& entry = rules_[ruleset] = {nb::borrow(ruleset), nullptr};
    try {
        Rules rules;
        read_attribute(ruleset, "board_limit", rules.board_limit);
        read_attribute(ruleset, "hand_limit", rules.hand_limit);
        read_attribute(ruleset, "mana_limit", rules.mana_limit);
        read_attribute(ruleset, "mana_growth", rules.mana_growth);
        read_attribute(ruleset, "draws_per_turn", rules.draws_per_turn);
        read_attribute(ruleset, "fatigue_start", rules.fatigue_start);
        read_attribute(ruleset, "fatigue_growth", rules.fatigue_growth);
        read_attribute(ruleset, "turn_limit", rules.turn_limit);
        read_attribute(ruleset, "summoning_sickness", rules.summoning_sickness);
        read_attribute(ruleset, "attack_required", rules.attack_required);
        read_attribute(ruleset, "first_turn_draw", rules.first_turn_draw);
        const nb::object execution = attribute(ruleset, "execution");
        rules.printed = PyUnicode_CompareWithASCIIString(execution.ptr(), "printed") == 0;
        require(rules.board_limit <= MAX_MINIONS && rules.hand_limit <= MAX_HAND_CARDS &&
                rules.draws_per_turn <= MAX_REPEATS);
        entry.converted = std::make_unique<Rules>(rules);
    } catch (const std::exception&) {  // the entry stays empty
    }
    return entry.converted.get();
}

}  // namespace planner::binding
