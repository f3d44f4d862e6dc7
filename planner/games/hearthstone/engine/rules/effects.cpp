// The effects of cards, and the deaths that they cause.
#include <algorithm>

#include "rules/table.hpp"

namespace planner::rules {

// -- targets

bool Table::alive(Position position) const {
    const Player& owner = state_.sides[position.side];
    if (position.index == HERO) return owner.hero.health > 0;
    const Minion& minion = owner.board[position.index];
    return minion.health > 0 && !minion.doomed;
}

void Table::find(int side, Id id, Positions& result) const {
    if (id == NO_ID) return;
    if (id == MY_HERO) return result.push_back({side, HERO});
    if (id == ENEMY_HERO) return result.push_back({1 - side, HERO});
    for (const int owner : {side, 1 - side}) {
        const auto& board = state_.sides[owner].board;
        for (int index = 0; index < board.size(); ++index)
            if (board[index].id == id) return result.push_back({owner, index});
    }
}

// The characters that match the target, the side of the owner first. Minions that are about to die still count.
void Table::matching(int side, const Target& target, Source source, Id chosen, Positions& result) const {
    if (target.select == Select::chosen) return find(side, chosen, result);
    if (target.select == Select::self) {
        find(side, source.id, result);
        if (!result.empty() && !matches(target, state_.sides[result[0].side].board[result[0].index])) result.clear();
        return;
    }
    for (const int owner : {side, 1 - side}) {
        if (target.side != Side::any && (target.side == Side::friendly) != (owner == side)) continue;
        const Player& player = state_.sides[owner];
        if (target.kind != TargetKind::minion && matches(target, player.hero)) result.push_back({owner, HERO});
        if (target.kind == TargetKind::hero) continue;
        for (int index = 0; index < player.board.size(); ++index) {
            const Minion& minion = player.board[index];
            if (matches(target, minion) && !(target.excludes_source && minion.id == source.id))
                result.push_back({owner, index});
        }
    }
}

void Table::select_targets(int side, const Effect& effect, Source source, Id chosen, Positions& result) {
    matching(side, effect.target, source, chosen, result);
    if (effect.target.select != Select::random) return;
    Positions living;
    for (const Position position : result)
        if (alive(position)) living.push_back(position);
    result.clear();
    for (int left = effect.target.count; left > 0 && !living.empty(); --left) {
        const int drawn = choose_at_random(living.size(), left);
        result.push_back(living[drawn]);
        living.erase(drawn);
    }
}

template <class Change>
void Table::for_each_target(int side, const Effect& effect, Source source, Id chosen, Change change) {
    Positions targets;
    select_targets(side, effect, source, chosen, targets);
    for (const Position target : targets) change(target.side, target.index);
}

bool Table::effect_condition_holds(int side, const Effect& effect, Source source, Id chosen) const {
    const Condition& condition = effect.condition;
    if (condition.kind != ConditionKind::target)
        return condition_holds(condition, state_.sides[side], state_.sides[1 - side], side == ME, nullptr, source);
    if (chosen == NO_ID) return false;
    Positions found;  // empty if the target has left the board
    find(side, chosen, found);
    bool holds = condition.of_target == TargetCondition::none;
    if (!holds && !found.empty()) {
        const auto [owner, index] = found[0];
        if (condition.of_target == TargetCondition::alive) holds = alive(found[0]);
        else if (condition.of_target == TargetCondition::friendly) holds = owner == side;
        else holds = index != HERO && state_.sides[owner].board[index].card->tribes >> condition.tribe & 1;
    }
    return holds != condition.negated;
}

// -- effects

// The effect with its numbers multiplied by its quantity.
Effect Table::multiplied(int side, const Effect& effect, Source source) {
    const int64_t times = quantity_value(effect.multiplier, player(side), player(1 - side), source, nullptr);
    Effect result = effect;
    result.multiplier.present = false;
    result.condition = {};
    result.amount = checked_number(effect.amount * times);
    if (effect.split) result.amount = std::min(MAX_REPEATS, result.amount);
    result.attack = checked_number(effect.attack * times);
    result.health = checked_number(effect.health * times);
    result.count = static_cast<int32_t>(std::min<int64_t>(MAX_REPEATS, effect.count * times));
    return result;
}

// Deals the damage one point at a time, each to a random living target.
void Table::deal_split_damage(int side, const Effect& effect, Source source, Id chosen, int32_t amount,
                              uint32_t keywords) {
    const auto find_living = [&](const Table& table, Positions& living) {
        Positions all;
        table.matching(side, effect.target, source, chosen, all);
        for (const Position position : all)
            if (table.alive(position)) living.push_back(position);
    };
    // Whether a target can be hit again depends only on how often it was hit, so only these numbers matter, not their
    // order. Lifesteal is the exception: it heals a hero between the hits.
    Positions targets;
    if (chance_.splits_at_once && amount > 0 && !(keywords & LIFESTEAL)) find_living(*this, targets);
    if (targets.size() > 1) {
        const auto hits = chance_.choose_several(targets.size());
        if (hits.empty()) {
            Undecided undecided{targets.size(), amount, {}, {}};
            for (const Position target : targets) {
                undecided.targets.push_back({target.side, target.index});
                State copy = state_;
                Account ignored;
                Table table(copy, rules_, chance_, ignored);
                int room = 0;
                for (Positions living; room < amount; ++room, living.clear()) {
                    find_living(table, living);
                    if (std::ranges::find(living, target) == living.end()) break;
                    table.damage(target.side, target.index, 1, keywords, side);
                }
                undecided.room.push_back(room);
            }
            throw undecided;
        }
        for (int index = 0; index < targets.size(); ++index)
            for (int hit = 0; hit < hits[index]; ++hit)
                damage(targets[index].side, targets[index].index, 1, keywords, side);
        return;
    }
    for (int32_t left = amount; left > 0; --left) {
        Positions living;
        find_living(*this, living);
        if (living.empty()) return;
        repetition(left);
        const Position target = living[choose_at_random(living.size(), left)];
        damage(target.side, target.index, 1, keywords, side);
    }
}

void Table::return_targets_to_hand(int side, const Effect& effect, Source source, Id chosen) {
    struct Leaving {
        int side;
        Id id;
    };
    StaticVector<Leaving, 2 * MAX_MINIONS> leaving;  // by id, because indices change
    for_each_target(side, effect, source, chosen, [&](int owner, int index) {
        if (index != HERO) leaving.push_back({owner, player(owner).board[index].id});
    });
    for (const Leaving& minion : leaving) return_to_hand(minion.side, minion.id);
}

void Table::discard(int side, int32_t count) {
    auto& hand = player(side).hand;
    if (count >= hand.size()) return hand.clear();  // no random choice
    for (; count > 0; --count) {
        repetition(count);
        hand.erase(choose_at_random(hand.size()));
    }
}

// Adds one of the cards at random.
void Table::add_to_hand(int side, const std::vector<const Card*>& cards) {
    const Card& card = *cards[choose_at_random(static_cast<int>(cards.size()))];
    player(side).hand.push_back({&card, scaled_value(card), card.cost, new_id(), false});
}

void Table::gain_mana(int side, const Effect& effect) {
    Player& owner = player(side);
    int32_t amount = effect.amount;
    if (effect.crystals) {
        const int32_t before = owner.crystals;
        owner.crystals = std::max(0, std::min(rules_.mana_limit, before + amount));
        const bool at_limit = amount > 0 && owner.crystals == before;
        if (!effect.created.empty() && at_limit && owner.hand.size() < rules_.hand_limit)
            add_to_hand(side, effect.created);
        amount = effect.empty ? 0 : owner.crystals - before;
    }
    owner.mana = std::max(0, std::min(rules_.mana_limit, owner.mana + amount));
}

void Table::resolve(int side, const Effect& effect, Source source, Id chosen, int32_t bonus, uint32_t keywords,
                    const std::vector<const Card*>* created) {
    if (effect.condition.kind != ConditionKind::none && !effect_condition_holds(side, effect, source, chosen)) return;
    if (effect.multiplier.present)
        return resolve(side, multiplied(side, effect, source), source, chosen, bonus, keywords, created);
    // To catch an exception and to throw it again would take as long as a state of the search.
    if (!chance_.certain_only) return carry_out(side, effect, source, chosen, bonus, keywords, created);
    try {
        carry_out(side, effect, source, chosen, bonus, keywords, created);
    } catch (const Undecided&) {
    }
}

void Table::carry_out(int side, const Effect& effect, Source source, Id chosen, int32_t bonus, uint32_t keywords,
                      const std::vector<const Card*>* created) {
    const auto& cards = created ? *created : effect.created;
    const int card_count = static_cast<int>(cards.size());
    const int owner = effect.for_enemy ? 1 - side : side;
    const auto for_each = [&](auto change) { for_each_target(side, effect, source, chosen, change); };
    switch (effect.operation) {
        case Operation::damage:
            keywords |= source.keywords;
            if (effect.split) deal_split_damage(side, effect, source, chosen, effect.amount + bonus, keywords);
            else for_each([&](int at, int index) { damage(at, index, effect.amount + bonus, keywords, side); });
            break;
        case Operation::heal: for_each([&](int at, int index) { heal(at, index, effect.amount); }); break;
        case Operation::armor: {
            int32_t& armor = player(side).hero.armor;
            armor = checked_number(armor + effect.amount);
            break;
        }
        case Operation::buff:
            for_each([&](int at, int index) {
                buff(at, index, effect.attack, effect.health, effect.keywords, effect.this_turn);
            });
            break;
        case Operation::summon:
            for (int32_t left = effect.count; left > 0 && player(owner).board.size() < rules_.board_limit; --left)
                summon(owner, *cards[choose_at_random(card_count)]);
            break;
        case Operation::destroy: for_each([&](int at, int index) { destroy(at, index); }); break;
        case Operation::set_attack: for_each([&](int at, int index) { set_attack(at, index, effect.amount); }); break;
        case Operation::set_health: for_each([&](int at, int index) { set_health(at, index, effect.amount); }); break;
        case Operation::transform:
            for_each([&](int at, int index) { transform(at, index, *cards[choose_at_random(card_count)]); });
            break;
        case Operation::to_hand: return_targets_to_hand(side, effect, source, chosen); break;
        case Operation::silence: for_each([&](int at, int index) { silence(at, index); }); break;
        case Operation::freeze: for_each([&](int at, int index) { freeze(at, index); }); break;
        case Operation::draw:
            for (int32_t left = effect.count; left > 0; --left) draw(owner);
            break;
        case Operation::discard: discard(side, effect.count); break;
        case Operation::add:
            for (int32_t left = effect.count; left > 0 && player(owner).hand.size() < rules_.hand_limit; --left)
                add_to_hand(owner, cards);
            break;
        case Operation::hone: {
            Weapon weapon = player(side).weapon;
            if (!weapon.card) break;
            weapon.attack = checked_number(weapon.attack + effect.attack);
            weapon.durability = checked_number(weapon.durability + effect.health);
            weapon.keywords |= effect.keywords;
            set_weapon(player(side), weapon);
            break;
        }
        case Operation::disarm: set_weapon(player(owner), {}); break;
        case Operation::equip: equip(side, *cards[0]); break;
        case Operation::mana: gain_mana(side, effect); break;
        case Operation::hook: break;  // the engine declines cards with Python functions
    }
}

// -- deaths

void Table::revive(int side, const Minion& minion) {
    if (!(minion.keywords & REBORN) || !summon(side, *minion.card, minion.id)) return;
    Minion& revived = player(side).board.back();
    revived.health = 1;
    revived.keywords &= ~REBORN;
}

void Table::resolve_deaths(int phase) {
    for (;;) {
        bool dying = false, auras = false;
        for (const Player& player : state_.sides)
            for (const Minion& minion : player.board) {
                dying |= minion.health <= 0 || minion.doomed;
                auras |= !minion.card->effects(Trigger::aura).empty() || minion.aura_attack || minion.aura_health;
            }
        if (auras) refresh_auras();
        else if (!dying) return;
        for (Player& player : state_.sides) player.hero.dead |= player.hero.health <= 0;

        StaticVector<Dead, 2 * MAX_MINIONS> dead;
        bool removed = false;
        for (const int side : {ME, ENEMY}) {
            auto& board = player(side).board;
            int kept = 0;
            for (int index = 0; index < board.size(); ++index) {
                const Minion& minion = board[index];
                if (minion.health > 0 && !minion.doomed) {
                    if (kept != index) board[kept] = minion;
                    ++kept;
                    continue;
                }
                removed = true;
                if (state_.reserved_ids) removed_ids_.push_back(minion.id);
                if (minion.card->has_effects || minion.keywords & REBORN) dead.push_back({side, minion});
            }
            board.resize(kept);
        }
        if (!removed) return;
        std::ranges::stable_sort(dead, {}, [](const Dead& entry) { return entry.minion.entered; });
        for (int number = 0; number < dead.size(); ++number) {
            const auto& [side, minion] = dead[number];
            if (minion.silenced) continue;
            int64_t index = 0;
            for (const Effect& effect : minion.card->effects(Trigger::death)) {
                if (keeps_checkpoints()) checkpoint({DEATH_EFFECTS, phase, number, index++}, dead);
                resolve(side, effect, {minion.id, minion.keywords, minion.attack});
            }
        }
        for (const auto& [side, minion] : dead) revive(side, minion);
    }
}

void Table::finish() {
    for (Player& player : state_.sides) player.hero.dead = false;
    if (!over()) state_.cause = Cause::none;  // a hero that was healed again did not die
    const auto& [to_hero, to_minions, drawn, overkill] = account_;
    if (std::max({to_hero, to_minions, drawn, overkill}) > MAX_AMOUNT)
        throw std::overflow_error("amount beyond the engine's limits");
}

}  // namespace planner::rules
