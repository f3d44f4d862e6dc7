// The elementary changes of a state.
#include "rules/table.hpp"

#include <algorithm>
#include <stdexcept>

namespace planner::rules {

namespace {

// How often a hero may attack in a turn. Windfury may come from the hero or from its weapon.
int hero_attacks_per_turn(const Player& player) {
    return attacks_per_turn(player.hero.keywords | (player.weapon.card ? player.weapon.keywords : 0));
}

void add_keywords(uint32_t& keywords, uint32_t& until_end_of_turn, uint32_t added, bool this_turn) {
    until_end_of_turn = this_turn ? until_end_of_turn | (added & ~keywords) : until_end_of_turn & ~added;
    keywords |= added;
}

bool under_aura(const Target& target, bool friendly, Id source, const Minion& minion) {
    if (target.select == Select::self) return source == minion.id && matches(target, minion);
    if (target.excludes_source && source == minion.id) return false;
    if (target.side != Side::any && (target.side == Side::friendly) != friendly) return false;
    return target.kind != TargetKind::hero && matches(target, minion);
}

}  // namespace

Minion new_minion(const Card& card, Id id, int32_t entered) {
    return {.card = &card,
            .attack = card.attack,
            .health = card.health,
            .max_health = card.health,
            .keywords = card.keywords,
            .keywords_this_turn = 0,
            .attacks_left = attacks_per_turn(card.keywords),
            .entered = entered,
            .attack_this_turn = 0,
            .aura_attack = 0,
            .aura_health = 0,
            .id = id,
            .fresh = true,
            .silenced = false,
            .doomed = false};
}

std::span<const HandCard> DeckStore::insert(std::span<const HandCard> deck, int32_t index, const HandCard& card) {
    std::vector<HandCard> result(deck.begin(), deck.end());
    result.insert(result.begin() + index, card);
    uint64_t hash = 1469598103934665603u;
    for (const HandCard& element : result) hash = (hash ^ element.id) * 1099511628211u;
    const auto [first, last] = decks_.equal_range(hash);
    for (auto known = first; known != last; ++known)
        if (known->second == result) return known->second;
    return decks_.emplace(hash, std::move(result))->second;
}

int Table::choose_at_random(int count, int times) {
    if (count == 1) return 0;
    const int choice = chance_.choose(count);
    if (choice < 0) throw Undecided{count, times, {}, {}};
    return choice;
}

void Table::checkpoint(std::vector<int64_t> memory, std::span<const Dead> dead) {
    // With reserved ids, `removed_ids_` also decides how the action goes on.
    if (!keeps_checkpoints() || (state_.reserved_ids && !state_.reserved_ids->empty())) return;
    Checkpoint& last = *chance_.last_checkpoint;
    last = {chance_.choices_made(),     last.passed + 1, 0,       std::move(memory),
            {dead.begin(), dead.end()}, state_,          account_};
}

void Table::repetition(int left) {
    if (!keeps_checkpoints() || chance_.last_checkpoint->passed == 0) return;
    Checkpoint& last = *chance_.last_checkpoint;
    last.choices = chance_.choices_made();
    last.within = left;
    last.state = state_;
    last.account = account_;
}

// -- damage, healing and changes

int32_t Table::damage(int side, int index, int32_t amount, uint32_t keywords, int by) {
    if (amount <= 0) return 0;
    Player& owner = player(side);
    const bool counted = side == ENEMY && by == ME;
    if (index == HERO) {
        Hero& hero = owner.hero;
        if (hero.keywords & IMMUNE) return 0;
        if (counted) {
            account_.dealt_to_hero += amount;
            account_.overkill += std::max(0, amount - hero.armor - std::max(0, hero.health));
        }
        const int32_t absorbed = std::min(hero.armor, amount);
        if (keywords & FREEZE) hero.keywords |= FROZEN;
        hero.health = checked_number(int64_t{hero.health} - amount + absorbed);
        hero.armor -= absorbed;
    } else {
        Minion& minion = owner.board[index];
        if (minion.keywords & IMMUNE) return 0;
        if (counted) account_.dealt_to_minions += amount;
        if (minion.keywords & DIVINE_SHIELD) {
            minion.keywords &= ~DIVINE_SHIELD;
            return 0;
        }
        if (counted) account_.overkill += std::max(0, amount - std::max(0, minion.health));
        if (keywords & FREEZE) minion.keywords |= FROZEN;
        if (keywords & POISONOUS) minion.doomed = true;
        minion.health = checked_number(minion.health - amount);
    }
    if (keywords & LIFESTEAL) heal(by, HERO, amount);
    return amount;
}

void Table::heal(int side, int index, int32_t amount) {
    Player& owner = player(side);
    if (index == HERO) {
        Hero& hero = owner.hero;
        if (!hero.dead) hero.health = std::min(hero.max_health, hero.health + amount);
    } else {
        Minion& minion = owner.board[index];
        minion.health = std::min(minion.max_health, minion.health + amount);
    }
}

void Table::destroy(int side, int index) {
    if (index != HERO) {
        player(side).board[index].doomed = true;
        return;
    }
    Hero& hero = player(side).hero;
    hero.health = 0;
    hero.dead = true;  // no later effect of the same action saves it
}

void Table::set_attack(int side, int index, int32_t amount) {
    if (index == HERO) return;
    Minion& minion = player(side).board[index];
    minion.aura_attack = std::max(minion.aura_attack, -amount);
    minion.attack = amount + minion.aura_attack;
    minion.attack_this_turn = 0;
}

void Table::set_health(int side, int index, int32_t amount) {
    if (index == HERO) return;
    Minion& minion = player(side).board[index];
    minion.health = minion.max_health = amount + minion.aura_health;
}

void Table::transform(int side, int index, const Card& card) {
    if (index == HERO) return;
    Minion& minion = player(side).board[index];
    minion = new_minion(card, minion.id, minion.entered);
}

void Table::return_to_hand(int side, Id id) {
    Player& owner = player(side);
    const auto minion = std::ranges::find(owner.board, id, &Minion::id);
    if (minion == owner.board.end()) return;
    if (owner.hand.size() >= rules_.hand_limit) {
        minion->doomed = true;
        return;
    }
    const Card& card = *minion->card;
    owner.hand.push_back({&card, scaled_value(card), card.cost, id, false, true});
    owner.board.erase(static_cast<int32_t>(minion - owner.board.begin()));
}

void Table::freeze(int side, int index) {
    Player& owner = player(side);
    (index == HERO ? owner.hero.keywords : owner.board[index].keywords) |= FROZEN;
}

void Table::buff(int side, int index, int32_t attack, int32_t health, uint32_t keywords, bool this_turn) {
    Player& owner = player(side);
    if (index == HERO) {
        Hero& hero = owner.hero;
        const int before = hero_attacks_per_turn(owner);
        if (hero.dead) health = std::min(health, 0);
        add_keywords(hero.keywords, hero.keywords_this_turn, keywords, this_turn);
        hero.attack_this_turn = checked_number(hero.attack_this_turn + attack);
        hero.health = checked_number(hero.health + health);
        hero.max_health = checked_number(hero.max_health + health);
        const int more = hero_attacks_per_turn(owner) - before;
        if (more) hero.attacks_left = std::max(0, hero.attacks_left + more);
        return;
    }
    Minion& minion = owner.board[index];
    const int before = attacks_per_turn(minion.keywords);
    add_keywords(minion.keywords, minion.keywords_this_turn, keywords, this_turn);
    attack =
        std::max(attack, -minion.attack);  // attack does not fall below 0, and only the part that was lost comes back
    minion.attack = checked_number(minion.attack + attack);
    minion.health = checked_number(minion.health + health);
    minion.max_health = checked_number(minion.max_health + health);
    minion.attacks_left += attacks_per_turn(minion.keywords) - before;
    if (this_turn) minion.attack_this_turn += attack;
}

void Table::silence(int side, int index) {
    if (index == HERO) return;
    Minion& minion = player(side).board[index];
    // Attacks that a windfury minion has already made still count.
    const int used = attacks_per_turn(minion.keywords) - minion.attacks_left;
    minion.aura_attack = std::max(minion.aura_attack, -minion.card->attack);  // attack does not fall below 0
    minion.attack = minion.card->attack + minion.aura_attack;
    const int32_t max_health = minion.card->health + minion.aura_health;
    const int32_t restored = std::max(0, max_health - minion.max_health);  // what "set health to 1" had taken
    minion.health = std::min(minion.health + restored, max_health);
    minion.max_health = max_health;
    minion.keywords = minion.keywords_this_turn = 0;
    minion.attacks_left = std::max(0, 1 - used);
    minion.silenced = true;
    minion.attack_this_turn = 0;
}

// -- minions, weapons and cards that come and go

bool Table::in_use(Id id) const {
    if (std::ranges::find(removed_ids_, id) != removed_ids_.end()) return true;
    return std::ranges::any_of(state_.sides, [id](const Player& player) {
        return std::ranges::find(player.board, id, &Minion::id) != player.board.end() ||
               std::ranges::find(player.hand, id, &HandCard::id) != player.hand.end() ||
               std::ranges::find(player.deck, id, &HandCard::id) != player.deck.end();
    });
}

int64_t Table::scaled_value(const Card& card) const {
    int64_t value;
    if (!card.value_known || __builtin_mul_overflow(card.value, rules_.value_scale, &value))
        throw std::overflow_error("card value beyond the engine's limits");
    return value;
}

Id Table::new_id() {
    for (;;) {
        ++state_.clock;
        Id reserved = NO_ID;
        if (state_.reserved_ids)
            for (const auto& [number, id] : *state_.reserved_ids)
                if (number == state_.clock) reserved = id;
        if (reserved == NO_ID) {
            const int32_t created = state_.clock - state_.clock_at_start;
            if (created >= FIRST_CREATED_ID) throw std::overflow_error("too many created ids");
            return static_cast<Id>(FIRST_CREATED_ID + created);
        }
        // An id whose minion left the board in an earlier action is free again.
        if (!in_use(reserved)) return reserved;
    }
}

bool Table::summon(int side, const Card& card, Id id) {
    auto& board = player(side).board;
    if (board.size() >= rules_.board_limit) return false;
    if (id == NO_ID) id = new_id();
    ++state_.clock;
    board.push_back(new_minion(card, id, state_.clock));
    return true;
}

// Changes the weapon. Attacks that the hero has already made still count.
void Table::set_weapon(Player& owner, const Weapon& weapon) {
    const int before = hero_attacks_per_turn(owner);
    owner.weapon = weapon;
    const int more = hero_attacks_per_turn(owner) - before;
    if (more) owner.hero.attacks_left = std::max(0, owner.hero.attacks_left + more);
}

void Table::equip(int side, const Card& card) {
    set_weapon(player(side), {&card, card.attack, card.health, card.keywords});
}

void Table::use_weapon(int side) {
    Player& owner = player(side);
    if (!owner.weapon.card) return;
    if (owner.weapon.durability > 1) --owner.weapon.durability;
    else set_weapon(owner, {});
}

void Table::draw(int side) {
    Player& owner = player(side);
    if (!owner.deck.empty()) {
        if (owner.hand.size() < rules_.hand_limit) {
            owner.hand.push_back(owner.deck.front());
            account_.drawn += side == ME;
        }
        owner.deck = owner.deck.subspan(1);
        return;
    }
    const int32_t amount = checked_number(rules_.fatigue_start + int64_t{rules_.fatigue_growth} * owner.fatigue);
    ++owner.fatigue;
    const int32_t before = owner.hero.health;
    damage(side, HERO, amount, 0, side);
    if (before > 0 && owner.hero.health <= 0) state_.cause = Cause::fatigue;
}

// -- auras

void Table::refresh_auras() {
    struct Aura {
        int side;
        Id source;
        const Effect* effect;
    };
    std::vector<Aura> auras;
    bool changed = false;
    for (const int side : {ME, ENEMY})
        for (const Minion& minion : player(side).board) {
            const auto& effects = minion.card->effects(Trigger::aura);
            const bool active = !effects.empty() && !minion.silenced;
            changed |= active || minion.aura_attack || minion.aura_health;
            if (!active) continue;
            for (const Effect& effect : effects)
                if (effect.has_target &&
                    condition_holds(effect.condition, player(side), player(1 - side), side == ME, nullptr, {minion.id}))
                    auras.push_back({side, minion.id, &effect});
        }
    if (!changed) return;
    for (const int side : {ME, ENEMY})
        for (Minion& minion : player(side).board) {
            int64_t attack = 0, health = 0;
            for (const Aura& aura : auras)
                if (under_aura(aura.effect->target, aura.side == side, aura.source, minion)) {
                    attack += aura.effect->attack;
                    health += aura.effect->health;
                }
            int64_t own = minion.attack - minion.aura_attack;
            // A loss for this turn takes no more attack than there is, so less is lost where an aura takes attack away.
            const int64_t kept = std::max<int64_t>(0, std::min(-own - attack, -int64_t{minion.attack_this_turn}));
            own += kept;
            attack = std::max(attack, -own);  // attack does not fall below 0
            if (attack == minion.aura_attack && health == minion.aura_health) continue;
            const int64_t more = health - minion.aura_health;
            minion.attack = checked_number(own + attack);
            minion.attack_this_turn += static_cast<int32_t>(kept);
            minion.max_health = checked_number(minion.max_health + more);
            minion.health =
                more > 0 ? checked_number(minion.health + more) : std::min(minion.health, minion.max_health);
            minion.aura_attack = checked_number(attack);
            minion.aura_health = checked_number(health);
        }
}

}  // namespace planner::rules
