// rules/table.py: harm and help, things that come and go, auras.
#include "rules/table.hpp"

#include <algorithm>
#include <stdexcept>

namespace planner::rules {

namespace {

// How often a hero may attack in a turn: windfury is its own or its weapon's.
int swings(const Player& player) {
    return attacks_per_turn(player.hero.keywords | (player.weapon.card ? player.weapon.keywords : 0));
}

void gain(uint32_t& keywords, uint32_t& passing, uint32_t gift, bool this_turn) {
    passing = this_turn ? passing | (gift & ~keywords) : passing & ~gift;
    keywords |= gift;
}

bool under_aura(const Target& target, bool friendly, Id source, const Minion& minion) {
    if (target.select == Select::self) return source == minion.id && fits(target, minion);
    if (target.excludes_source && source == minion.id) return false;
    if (target.side != Side::any && (target.side == Side::friendly) != friendly) return false;
    return target.kind != TargetKind::hero && fits(target, minion);
}

}  // namespace

const HandCard* DeckStore::with(const HandCard* deck, int32_t count, int32_t index, const HandCard& card) {
    std::vector<HandCard> result(deck, deck + index);
    result.push_back(card);
    result.insert(result.end(), deck + index, deck + count);
    uint64_t hash = 1469598103934665603u;
    for (const HandCard& element : result) hash = (hash ^ element.id) * 1099511628211u;
    const auto [first, last] = decks_.equal_range(hash);
    for (auto known = first; known != last; ++known)
        if (known->second == result) return known->second.data();
    return decks_.emplace(hash, std::move(result))->second.data();
}

// -- chance

int Table::choose_at_random(int count, int times) {
    if (count == 1) return 0;
    const int choice = chance_.choose(count);
    if (choice < 0) throw Undecided{count, times};
    return choice;
}

// -- harm and help

int32_t Table::damage(int number, int place, int32_t amount, uint32_t source, int by) {
    if (amount <= 0) return 0;
    Player& owner = side(number);
    const bool counted = number == ENEMY && by == ME;
    if (place == HERO) {
        Hero& hero = owner.hero;
        if (hero.keywords & IMMUNE) return 0;
        if (counted) {
            account_.dealt_to_hero += amount;
            account_.overkill += std::max(0, amount - hero.armor - std::max(0, hero.health));
        }
        const int32_t absorbed = std::min(hero.armor, amount);
        if (source & FREEZE) hero.keywords |= FROZEN;
        hero.health = checked_int32(int64_t{hero.health} - amount + absorbed);
        hero.armor -= absorbed;
    } else {
        Minion& minion = owner.board[place];
        if (minion.keywords & IMMUNE) return 0;
        if (counted) account_.dealt_to_minions += amount;
        if (minion.keywords & DIVINE_SHIELD) {
            minion.keywords &= ~DIVINE_SHIELD;
            return 0;
        }
        if (counted) account_.overkill += std::max(0, amount - std::max(0, minion.health));
        if (source & FREEZE) minion.keywords |= FROZEN;
        if (source & POISONOUS) minion.doomed = true;
        minion.health -= amount;
    }
    if (source & LIFESTEAL) heal(by, HERO, amount);
    return amount;
}

void Table::heal(int number, int place, int32_t amount) {
    Player& owner = side(number);
    if (place == HERO) {
        Hero& hero = owner.hero;
        if (!hero.dead) hero.health = std::min(hero.max_health, hero.health + amount);
    } else {
        Minion& minion = owner.board[place];
        minion.health = std::min(minion.max_health, minion.health + amount);
    }
}

void Table::destroy(int number, int place) {
    if (place == HERO) side(number).hero.health = 0;
    else side(number).board[place].doomed = true;
}

void Table::set_attack(int number, int place, int32_t amount) {
    if (place == HERO) return;
    Minion& minion = side(number).board[place];
    minion.aura_attack = std::max(minion.aura_attack, -amount);
    minion.attack = amount + minion.aura_attack;
    minion.attack_this_turn = 0;
}

void Table::set_health(int number, int place, int32_t amount) {
    if (place == HERO) return;
    Minion& minion = side(number).board[place];
    minion.health = minion.max_health = amount + minion.aura_health;
}

void Table::transform(int number, int place, const Card& card) {
    if (place == HERO) return;
    Minion& minion = side(number).board[place];
    minion = {&card, card.attack, card.health, card.health, card.keywords, 0, attacks_per_turn(card.keywords),
              minion.entered, 0, 0, 0, minion.id, true, false, false};
}

void Table::to_hand(int number, Id id) {
    Player& owner = side(number);
    for (int place = 0; place < owner.board.size(); ++place) {
        Minion& minion = owner.board[place];
        if (minion.id != id) continue;
        if (owner.hand.size() >= rules_.hand_limit) {
            minion.doomed = true;
            return;
        }
        const Card& card = *minion.card;
        if (!card.value_known) throw std::overflow_error("a card's value beyond the engine's limits");
        owner.hand.push_back({&card, card.value * rules_.value_scale, card.cost, id, false, true});
        owner.board.erase(place);
        return;
    }
}

void Table::freeze(int number, int place) {
    Player& owner = side(number);
    (place == HERO ? owner.hero.keywords : owner.board[place].keywords) |= FROZEN;
}

void Table::buff(int number, int place, int32_t attack, int32_t health, uint32_t keywords, bool this_turn) {
    Player& owner = side(number);
    if (place == HERO) {
        Hero& hero = owner.hero;
        const int before = swings(owner);
        if (hero.dead) health = std::min(health, 0);
        gain(hero.keywords, hero.keywords_this_turn, keywords, this_turn);
        hero.attack_this_turn += attack;
        hero.health += health;
        hero.max_health += health;
        const int more = swings(owner) - before;
        if (more) hero.attacks_left = std::max(0, hero.attacks_left + more);
        return;
    }
    Minion& minion = owner.board[place];
    const int before = attacks_per_turn(minion.keywords);
    gain(minion.keywords, minion.keywords_this_turn, keywords, this_turn);
    attack = std::max(attack, -minion.attack);  // nobody has less than 0, and only what was taken comes back
    minion.attack += attack;
    minion.health += health;
    minion.max_health += health;
    minion.attacks_left += attacks_per_turn(minion.keywords) - before;
    if (this_turn) minion.attack_this_turn += attack;
}

void Table::silence(int number, int place) {
    if (place == HERO) return;
    Minion& minion = side(number).board[place];
    // What a windfury minion has used of its two attacks stays used.
    const int used = attacks_per_turn(minion.keywords) - minion.attacks_left;
    minion.attack = minion.card->attack + minion.aura_attack;
    minion.max_health = minion.card->health + minion.aura_health;
    minion.health = std::min(minion.health, minion.max_health);
    minion.keywords = minion.keywords_this_turn = 0;
    minion.attacks_left = std::max(0, 1 - used);
    minion.silenced = true;
    minion.attack_this_turn = 0;
}

// -- things that come and go

bool Table::in_use(Id id) const {
    for (const Id one : gone_)
        if (one == id) return true;
    for (const Player& player : state_.sides) {
        for (const Minion& minion : player.board)
            if (minion.id == id) return true;
        for (const HandCard& hand_card : player.hand)
            if (hand_card.id == id) return true;
        for (int32_t place = 0; place < player.deck_count; ++place)
            if (player.deck[place].id == id) return true;
    }
    return false;
}

Id Table::new_id() {
    for (;;) {
        ++state_.clock;
        Id given = NO_ID;
        if (state_.reserved_ids)
            for (const auto& [number, id] : *state_.reserved_ids)
                if (number == state_.clock) given = id;
        if (given != NO_ID) {
            if (in_use(given)) continue;
            return given;  // whoever had the name left in an earlier action, and the same name is the same id
        }
        const int32_t made = state_.clock - state_.clock_at_start;
        if (made >= FIRST_CREATED_ID) throw std::overflow_error("more made ids than the engine has numbers");
        return static_cast<Id>(FIRST_CREATED_ID + made);
    }
}

bool Table::summon(int number, const Card& card, Id id) {
    auto& board = side(number).board;
    if (board.size() >= rules_.board_limit) return false;
    if (id == NO_ID) id = new_id();
    ++state_.clock;
    board.push_back({&card, card.attack, card.health, card.health, card.keywords, 0, attacks_per_turn(card.keywords),
               state_.clock, 0, 0, 0, id, true, false, false});
    return true;
}

// Change the weapon; swings that the hero has used stay used.
void Table::rearm(Player& owner, const Weapon& weapon) {
    const int before = swings(owner);
    owner.weapon = weapon;
    const int more = swings(owner) - before;
    if (more) owner.hero.attacks_left = std::max(0, owner.hero.attacks_left + more);
}

void Table::equip(int number, const Card& card) {
    rearm(side(number), {&card, card.attack, card.health, card.keywords});
}

void Table::wear_weapon(int number) {
    Player& owner = side(number);
    if (!owner.weapon.card) return;
    if (owner.weapon.durability > 1) --owner.weapon.durability;
    else rearm(owner, {});
}

void Table::draw(int number) {
    Player& owner = side(number);
    if (owner.deck_count > 0) {
        if (owner.hand.size() < rules_.hand_limit) {
            owner.hand.push_back(*owner.deck);
            account_.drawn += number == ME;
        }
        ++owner.deck;
        --owner.deck_count;
        return;
    }
    const int32_t amount = checked_int32(rules_.fatigue_start + int64_t{rules_.fatigue_growth} * owner.fatigue);
    ++owner.fatigue;
    const int32_t before = owner.hero.health;
    damage(number, HERO, amount, 0, number);
    if (before > 0 && owner.hero.health <= 0) state_.cause = Cause::fatigue;
}

// -- auras

void Table::refresh_auras() {
    struct Aura {
        int owner;
        Id source;
        const Effect* effect;
    };
    constexpr int MOST = 2 * MAX_MINIONS;
    Aura few[MOST];
    std::vector<Aura> many;  // only where cards have several auras each
    int count = 0;
    bool leftover = false;
    for (int number = ME; number <= ENEMY; ++number)
        for (const Minion& minion : side(number).board) {
            const auto& effects = minion.card->effects(Trigger::aura);
            if (!effects.empty() && !minion.silenced) {
                leftover = true;  // what one of them asks for may be so no more
                for (const Effect& effect : effects) {
                    if (!condition_holds(effect.condition, side(number), side(1 - number), number == ME, nullptr, {minion.id}))
                        continue;
                    if (count < MOST) few[count] = {number, minion.id, &effect};
                    else many.push_back({number, minion.id, &effect});
                    ++count;
                }
            } else if (minion.aura_attack || minion.aura_health) {
                leftover = true;
            }
        }
    if (!count && !leftover) return;
    for (int number = ME; number <= ENEMY; ++number)
        for (Minion& minion : side(number).board) {
            int32_t attack = 0, health = 0;
            for (int place = 0; place < count; ++place) {
                const Aura& aura = place < MOST ? few[place] : many[place - MOST];
                if (aura.effect->has_target && under_aura(aura.effect->target, aura.owner == number, aura.source, minion)) {
                    attack += aura.effect->attack;
                    health += aura.effect->health;
                }
            }
            const int32_t own = minion.attack - minion.aura_attack;
            attack = std::max(attack, -own);  // nobody has less than 0
            if (attack == minion.aura_attack && health == minion.aura_health) continue;
            const int32_t more = health - minion.aura_health;
            minion.attack = own + attack;
            minion.max_health += more;
            minion.health = more > 0 ? minion.health + more : std::min(minion.health, minion.max_health);
            minion.aura_attack = attack;
            minion.aura_health = health;
        }
}

}  // namespace planner::rules
