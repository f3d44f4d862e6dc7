// rules/effects.py: the effects of cards, and the deaths that follow.
#include <algorithm>

#include "rules/table.hpp"

namespace planner::rules {

bool Table::alive(Spot spot) const {
    const Player& owner = state_.sides[spot.side];
    if (spot.place == HERO) return owner.hero.health > 0;
    const Minion& minion = owner.board[spot.place];
    return minion.health > 0 && !minion.doomed;
}

void Table::find(int number, Id id, Spots& found) const {
    if (id == NO_ID) return;
    if (id == MY_HERO) return found.add(number, HERO);
    if (id == ENEMY_HERO) return found.add(1 - number, HERO);
    for (const int owner : {number, 1 - number}) {
        const auto& board = state_.sides[owner].board;
        for (int place = 0; place < board.size(); ++place)
            if (board[place].id == id) return found.add(owner, place);
    }
}

// The characters that the target names, own side first; those already doomed to die still count.
void Table::spots(int number, const Target& target, Source source, Id chosen, Spots& found) const {
    if (target.select == Select::chosen) return find(number, chosen, found);
    if (target.select == Select::self) {
        find(number, source.id, found);
        for (const Spot spot : found)
            if (!fits(target, state_.sides[spot.side].board[spot.place])) found.count = 0;
        return;
    }
    for (const int owner : {number, 1 - number}) {
        if (target.side != Side::any && (target.side == Side::friendly) != (owner == number)) continue;
        const Player& player = state_.sides[owner];
        if (target.kind != TargetKind::minion && fits(target, player.hero)) found.add(owner, HERO);
        if (target.kind == TargetKind::hero) continue;
        for (int place = 0; place < player.board.size(); ++place) {
            const Minion& minion = player.board[place];
            if (fits(target, minion) && !(target.excludes_source && minion.id == source.id)) found.add(owner, place);
        }
    }
}

void Table::targets(int number, const Effect& effect, Source source, Id chosen, Spots& found) {
    spots(number, effect.target, source, chosen, found);
    if (effect.target.select != Select::random) return;
    Spots living;
    for (const Spot spot : found)
        if (alive(spot)) living.add(spot.side, spot.place);
    found.count = 0;
    for (int left = effect.target.count; left > 0 && living.count > 0; --left) {
        const int drawn = choose_at_random(living.count, left);
        found.add(living.list[drawn].side, living.list[drawn].place);
        living.remove(drawn);
    }
}

bool Table::may_happen(int number, const Effect& effect, Source source, Id chosen) const {
    const Condition& given = effect.condition;
    if (given.kind != ConditionKind::target)
        return condition_holds(given, state_.sides[number], state_.sides[1 - number], number == ME, nullptr, source);
    if (chosen == NO_ID) return false;  // of nobody anything is so, or not so
    Spots found;
    find(number, chosen, found);
    bool so = given.of_target == TargetCondition::none;
    if (!so && found.count) {  // it may have left the table by now
        const Spot spot = found.list[0];
        if (given.of_target == TargetCondition::alive) so = alive(spot);
        else if (given.of_target == TargetCondition::friendly) so = spot.side == number;
        else so = spot.place != HERO && state_.sides[spot.side].board[spot.place].card->tribes >> given.tribe & 1;
    }
    return so != given.negated;
}

// Damage one at a time, each on a random living target.
void Table::split(int number, const Effect& effect, Source source, Id chosen, int32_t amount, uint32_t kept) {
    for (int32_t hits = amount; hits > 0; --hits) {
        Spots all, living;
        spots(number, effect.target, source, chosen, all);
        for (const Spot spot : all)
            if (alive(spot)) living.add(spot.side, spot.place);
        if (living.count == 0) return;
        const Spot one = living.list[choose_at_random(living.count, hits)];
        damage(one.side, one.place, 1, kept, number);
    }
}

void Table::mana(int number, const Effect& effect) {
    Player& owner = side(number);
    int32_t amount = effect.amount;
    if (effect.crystals) {
        const int32_t before = owner.crystals;
        owner.crystals = std::max(0, std::min(rules_.mana_limit, before + amount));
        if (!effect.created.empty() && amount > 0 && owner.crystals == before && owner.hand.size() < rules_.hand_limit) {
            const Card& card = *effect.created[choose_at_random(static_cast<int>(effect.created.size()))];
            owner.hand.push_back({&card, card.value * rules_.value_scale, card.cost, new_id(), false});
        }
        amount = effect.empty ? 0 : owner.crystals - before;
    }
    owner.mana = std::max(0, std::min(rules_.mana_limit, owner.mana + amount));
}

void Table::carry_out(int number, const Effect& effect, Source source, Id chosen, int32_t bonus, uint32_t kept,
                      const std::vector<const Card*>* instead) {
    if (effect.condition.kind != ConditionKind::none && !may_happen(number, effect, source, chosen)) return;
    if (effect.multiplier.present) {
        const int64_t times = quantity_value(effect.multiplier, side(number), side(1 - number), source, nullptr);
        Effect multiplied = effect;
        multiplied.multiplier.present = false;
        multiplied.condition = {};
        multiplied.amount = checked_int32(effect.amount * times);
        if (effect.split) multiplied.amount = std::min(MAX_REPEATS, multiplied.amount);
        multiplied.attack = checked_int32(effect.attack * times);
        multiplied.health = checked_int32(effect.health * times);
        multiplied.count = static_cast<int32_t>(std::min<int64_t>(MAX_REPEATS, effect.count * times));
        return carry_out(number, multiplied, source, chosen, bonus, kept, instead);
    }
    const auto& made = instead ? *instead : effect.created;
    const int owner = effect.for_enemy ? 1 - number : number;
    Spots found;
    try {
        switch (effect.operation) {
            case Operation::damage:
                kept |= source.keywords;
                if (effect.split) {
                    split(number, effect, source, chosen, effect.amount + bonus, kept);
                    break;
                }
                targets(number, effect, source, chosen, found);
                for (const Spot spot : found) damage(spot.side, spot.place, effect.amount + bonus, kept, number);
                break;
            case Operation::heal:
                targets(number, effect, source, chosen, found);
                for (const Spot spot : found) heal(spot.side, spot.place, effect.amount);
                break;
            case Operation::armor: side(number).hero.armor += effect.amount; break;
            case Operation::buff:
                targets(number, effect, source, chosen, found);
                for (const Spot spot : found)
                    buff(spot.side, spot.place, effect.attack, effect.health, effect.keywords, effect.this_turn);
                break;
            case Operation::summon:
                for (int32_t times = effect.count; times > 0 && side(owner).board.size() < rules_.board_limit; --times)
                    summon(owner, *made[choose_at_random(static_cast<int>(made.size()))]);
                break;
            case Operation::destroy:
                targets(number, effect, source, chosen, found);
                for (const Spot spot : found) destroy(spot.side, spot.place);
                break;
            case Operation::set_attack:
                targets(number, effect, source, chosen, found);
                for (const Spot spot : found) set_attack(spot.side, spot.place, effect.amount);
                break;
            case Operation::set_health:
                targets(number, effect, source, chosen, found);
                for (const Spot spot : found) set_health(spot.side, spot.place, effect.amount);
                break;
            case Operation::transform:
                targets(number, effect, source, chosen, found);
                for (const Spot spot : found)
                    transform(spot.side, spot.place, *made[choose_at_random(static_cast<int>(made.size()))]);
                break;
            case Operation::to_hand: {
                targets(number, effect, source, chosen, found);
                Id leaving[2 * MAX_MINIONS + 2];  // places change as they leave
                for (int place = 0; place < found.count; ++place) {
                    const Spot spot = found.list[place];
                    leaving[place] = spot.place == HERO ? NO_ID : side(spot.side).board[spot.place].id;
                }
                for (int place = 0; place < found.count; ++place)
                    if (leaving[place] != NO_ID) to_hand(found.list[place].side, leaving[place]);
                break;
            }
            case Operation::silence:
                targets(number, effect, source, chosen, found);
                for (const Spot spot : found) silence(spot.side, spot.place);
                break;
            case Operation::freeze:
                targets(number, effect, source, chosen, found);
                for (const Spot spot : found) freeze(spot.side, spot.place);
                break;
            case Operation::draw:
                for (int32_t times = effect.count; times > 0; --times) draw(owner);
                break;
            case Operation::discard:
                if (effect.count >= side(number).hand.size()) {  // all of them: nobody chooses
                    side(number).hand.clear();
                    break;
                }
                for (int32_t times = effect.count; times > 0 && side(number).hand.size() > 0; --times)
                    side(number).hand.erase(choose_at_random(side(number).hand.size()));
                break;
            case Operation::add:
                for (int32_t times = effect.count; times > 0 && side(owner).hand.size() < rules_.hand_limit; --times) {
                    const Card& card = *made[choose_at_random(static_cast<int>(made.size()))];
                    side(owner).hand.push_back({&card, card.value * rules_.value_scale, card.cost, new_id(), false});
                }
                break;
            case Operation::hone: {
                Weapon weapon = side(number).weapon;
                if (!weapon.card) break;
                weapon.attack += effect.attack;
                weapon.durability += effect.health;
                weapon.keywords |= effect.keywords;
                rearm(side(number), weapon);
                break;
            }
            case Operation::disarm: rearm(side(owner), {}); break;
            case Operation::equip: equip(number, *made[0]); break;
            case Operation::mana: mana(number, effect); break;
            case Operation::hook: break;  // cards with one are declined before anything is carried out
        }
    } catch (const Undecided&) {
        if (!chance_.certain_only) throw;
    }
}

// -- death

void Table::rebirth(int number, const Minion& minion) {
    if (!(minion.keywords & REBORN) || !summon(number, *minion.card, minion.id)) return;
    auto& board = side(number).board;
    Minion& back = board[board.size() - 1];
    back.health = 1;
    back.keywords &= ~REBORN;
}

void Table::settle() {
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

        struct Dead {
            int side;
            Minion minion;
        } dead[2 * MAX_MINIONS];
        int count = 0;
        for (int number = ME; number <= ENEMY; ++number) {
            auto& board = side(number).board;
            int kept = 0;
            for (int place = 0; place < board.size(); ++place) {
                const Minion& minion = board[place];
                if (minion.health > 0 && !minion.doomed) {
                    if (kept != place) board[kept] = minion;
                    ++kept;
                    continue;
                }
                if (state_.reserved_ids) gone_.push_back(minion.id);
                if (minion.card->has_effects || minion.keywords & REBORN) {  // of other deaths nothing comes
                    dead[count++] = {number, minion};
                }
            }
            board.resize(kept);
        }
        if (count == 0) return;
        std::stable_sort(dead, dead + count,
                         [](const Dead& one, const Dead& other) { return one.minion.entered < other.minion.entered; });
        for (int place = 0; place < count; ++place) {
            const auto& [owner, minion] = dead[place];
            if (minion.silenced) continue;
            for (const Effect& effect : minion.card->effects(Trigger::death))
                carry_out(owner, effect, {minion.id, minion.keywords, minion.attack});
        }
        for (int place = 0; place < count; ++place) rebirth(dead[place].side, dead[place].minion);
    }
}

void Table::finish() {
    for (Player& player : state_.sides) player.hero.dead = false;
    if (!over()) state_.cause = Cause::none;  // a hero that was healed again did not die of it
}

}  // namespace planner::rules
