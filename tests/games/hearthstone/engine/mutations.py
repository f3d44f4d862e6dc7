"""Remove what the proofs rest on, piece by piece, and check that a default test fails each time.

    python -m tests.games.hearthstone.engine.mutations [WORD ...]

Each mutation removes one field of the state key, one declaration of what an effect reads, or one fact that the bound or
the vanilla solver asks for. A mutation that no test notices is printed as a survivor. Words select the mutations whose
name contains one of them.

All mutations are compiled into one engine, in a copy of the checkout; the environment variable MUTATION selects one.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from tests.games.hearthstone.engine.builds import ROOT

GAME: Final = Path("planner/games/hearthstone")
KEY, READS = "engine/search/key.cpp", "engine/rules/effect_reads.hpp"
SEARCHER, BOUND = "engine/search/searcher.hpp", "engine/search/bound.cpp"
PRICES: Final = "engine/search/bound_prices.cpp"
UPSIDE, EFFECTS, VANILLA = (
    "engine/search/upside.cpp",
    "engine/search/upside_effects.cpp",
    "engine/vanilla/vanilla_plan.cpp",
)
MULTIPLIERS, REACTIONS = "engine/search/upside_multipliers.cpp", "engine/search/upside_reactions.cpp"
RETURNS: Final = "engine/search/upside_returns.cpp"
PYTHON_READS: Final = "cards/effect_reads.py"
TESTS: Final = (  # the aimed ones first
    *("engine/test_state_key.py", "engine/test_false_optima.py", "engine/test_effect_reads.py"),
    *("cards/test_effect_reads.py", "engine/test_truth_boards.py", "engine/test_bound_boards.py"),
    *(
        "engine/test_bound_effects.py",
        "engine/test_bound_reactions.py",
        "engine/test_reviewed_boards.py",
        "engine/test_bound.py",
        "engine/test_truth.py",
    ),
)
SWITCH: Final = """#ifndef MUTATION
#include <cstdlib>
inline const int selected_mutation = std::getenv("MUTATION") ? std::atoi(std::getenv("MUTATION")) : -1;
#define MUTATION selected_mutation
#endif
"""


class Mutation(NamedTuple):
    """A change of one expression. In `text`, which occurs once in the file, the expression is between « and »."""

    path: str
    text: str
    replacement: str = "0"
    in_python: tuple[str, str] | None = None  # the same declaration in PYTHON_READS, and what replaces it

    @property
    def name(self) -> str:
        """The file and the expression."""
        return f"{Path(self.path).name}: {self.text.partition('«')[2].partition('»')[0]}"


# The fields of the key.
FIELDS: Final = (
    *("Mixer::pair(«hero.health»,", ", «hero.max_health»)", "«hero.armor», static"),
    *("«static_cast<int32_t>(hero.keywords)»", "«hero.attack_this_turn», ", "«hero.attacks_left»"),
    *("«reinterpret_cast<uint64_t>(weapon.card)»", "«weapon.attack»", "«weapon.durability»"),
    *("«static_cast<int32_t>(weapon.keywords)»", "«static_cast<int32_t>(player.deck.size())»"),
    *("«player.mana»", "«player.crystals»", "«player.fatigue»", "«(player.cards_played > 0)»", "«player.power_used»"),
    *("«reinterpret_cast<uint64_t>(minion.card)»", "Mixer::pair(«minion.attack»,", ", «minion.health»)"),
    *("«minion.max_health»", "«static_cast<int32_t>(minion.keywords)»"),
    *("«static_cast<int32_t>(minion.keywords_this_turn)»", "«minion.attacks_left»", "«minion.attack_this_turn»"),
    *("«minion.aura_attack»", "«minion.aura_health»", "«mine ? turn.survival_health(minion.id) : 0»"),
    *("«rank» << 3", "«minion.fresh» << 2", "«minion.silenced» << 1"),
    *("«reinterpret_cast<uint64_t>(hand_card.card)»", "«static_cast<uint64_t>(hand_card.value)»"),
    *("«hand_card.cost»", "«hand_card.card->type == Type::minion ? turn.survival_health(hand_card.id) : 0»"),
    "«hand_card.echo»",
)
MUTATIONS: Final = (
    *(Mutation(KEY, field) for field in FIELDS),
    Mutation(KEY, "«by_position ? index : -1»", "-1"),
    # when the key of a minion of the state before is used again
    Mutation(KEY, "return «keys.ranks[side][index] == known->keys.ranks[side][found]» &&", "true"),
    Mutation(KEY, "&& («!by_position || index == found»);", "true"),
    Mutation(KEY, "for (const Card* created : «effect.created»)", "std::vector<const Card*>()"),
    Mutation(KEY, "|| «minion.keywords & REBORN» ||"),
    Mutation(SEARCHER, "every_id = «has_reserved_ids» ||"),
    Mutation(SEARCHER, "|| «!turn.hard_rules.banned.empty()»;"),
    # what an effect reads
    Mutation(
        READS,
        "return «effect.keywords & REBORN ? ARRIVAL_ORDER : NOTHING»;",
        "NOTHING",
        ("Reads.ARRIVAL_ORDER if effect.keywords & REBORN else Reads.NOTHING", "Reads.NOTHING"),
    ),
    Mutation(
        READS, "return «effect.target.select == Select::all» ||", in_python=('effect.to.select == "all"', "False")
    ),
    Mutation(READS, "|| «effect.target.count > 1» ?", in_python=("effect.to.count > 1", "False")),
    Mutation(
        READS,
        "return «std::ranges::any_of(effect.created, [](const Card* card) { return acts_in_arrival_order(*card); })»",
        in_python=("any(map(acts_in_arrival_order, effect.made))", "False"),
    ),
    Mutation(
        READS,
        "= «(card.keywords & MAGNETIC) && (card.keywords & REBORN)» ?",
        in_python=("card.keywords & MAGNETIC and card.keywords & REBORN", "False"),
    ),
    Mutation(READS, "return «card.keywords & REBORN» || !card", in_python=("bool(card.keywords & REBORN)", "False")),
    Mutation(READS, "«!card.effects(Trigger::death).empty()»", in_python=('("death", "turn_end", ', '("turn_end", ')),
    Mutation(READS, "«!card.effects(Trigger::turn_end).empty()»", in_python=('("death", "turn_end", ', '("death", ')),
    Mutation(READS, "|| «card.has_reactions»", in_python=(", *REACTIONS)", ")")),
    # what the bound asks of the cards
    Mutation(UPSIDE, "heroes_can_heal_ |= «card.keywords & LIFESTEAL»;"),
    Mutation(UPSIDE, "heroes_can_heal_ |= «granted_keywords_ & LIFESTEAL»;"),
    Mutation(UPSIDE, "heroes_can_heal_ |= «operation == Operation::heal»;"),
    Mutation(UPSIDE, "silence_possible_ |= «operation == Operation::silence»;"),
    Mutation(UPSIDE, "armor_can_be_bypassed_ |= «operation == Operation::buff && effect.health < 0»;"),
    Mutation(UPSIDE, "shields_can_be_bypassed_ |= «effect.health < 0» ||"),
    Mutation(UPSIDE, "|| «(is_aura && effect.health)»;"),
    Mutation(UPSIDE, "|| «random_target» ||"),
    Mutation(UPSIDE, "|| «effect.split» ||"),
    Mutation(UPSIDE, "|| «effect.created.size() > 1»)"),
    Mutation(UPSIDE, "if (card.keywords & MAGNETIC) granted_keywords_ |= «card.keywords»;"),
    Mutation(UPSIDE, "granted_keywords_ |= «effect.keywords»;"),
    Mutation(UPSIDE, "granted_keywords_ |= «minion.keywords & ~minion.card->keywords»;"),
    Mutation(UPSIDE, "removal_by_damage_possible_ |= «card.keywords & (POISONOUS | FREEZE)»;"),
    Mutation(UPSIDE, "attack_can_be_set_ |= «operation == Operation::set_attack»;"),
    Mutation(UPSIDE, "health_can_be_set_ |= «operation == Operation::set_health»;"),
    Mutation(UPSIDE, "upside.spells += «card.type == Type::spell»;"),
    Mutation(EFFECTS, "own_minion.returns = «1»;"),
    Mutation(EFFECTS, "if («effect.multiplier.present») {"),
    Mutation(EFFECTS, "all ? 2 * MAX_MINIONS : «count»);", "1"),
    Mutation(EFFECTS, "own_hero.hero_healing = «effect.amount»;"),
    Mutation(EFFECTS, "enemy_minion.most_damage = «amount»;"),
    Mutation(PRICES, "|| «!auras_are_current(turn)») bounded_"),
    Mutation(PRICES, "(int64_t{minion.attack} + «everything.enemy_attack»)"),
    Mutation(PRICES, "const bool can_heal = «everything.enemy_lifesteals» ||"),
    # which kills a bound rules out
    Mutation(BOUND, "if («everything.removals || everything.removals_of_all») return"),
    Mutation(BOUND, "if («everything.attacks && upsides_.removal_by_damage_possible()») return"),
    Mutation(BOUND, "if («upsides_.aura_attack_can_return() || upsides_.shields_can_be_bypassed()») return"),
    Mutation(BOUND, "if («minion.keywords & prices_.removing_keywords») return"),
    Mutation(BOUND, "+ «upside.most_damage_per_own * own_minions» +"),
    Mutation(BOUND, "+ «upside.attacks * strongest» +"),
    Mutation(BOUND, "«(upside.boosted_hits + upside.boosted_hits_on_all) * everything.spell_damage»;"),
    # what heals the heroes, and what ends the match
    Mutation(BOUND, "all_damage + «enemy.healing» +"),
    Mutation(BOUND, "const bool lifesteal = «everything.attacks» ||"),
    Mutation(BOUND, "|| «std::ranges::any_of(me.board, heals)» ||"),
    Mutation(BOUND, "if («everything.enemy_heals») return false;"),
    Mutation(BOUND, "(«everything.protects» || everything.enemy_summons"),
    Mutation(BOUND, "std::max(own.strongest, «most_of_a_card»)", "int64_t{0}"),
    Mutation(BOUND, "int64_t most_of_a_card = «of_card(table)»;"),
    Mutation(PRICES, "|| «upsides_.reactions_possible()»;"),
    Mutation(REACTIONS, "bool known = «!table.unbounded»;", "true"),
    Mutation(REACTIONS, "known &= «!purchase.upside->unbounded»;", "true"),
    # what can make a number larger that multiplies an effect
    Mutation(MULTIPLIERS, "case Operation::mana: return «!effect.created.empty()»;"),
    Mutation(MULTIPLIERS, "minion_attack |= «(card.keywords & MAGNETIC) != 0»;"),
    Mutation(MULTIPLIERS, "summons |= «effect.operation == Operation::summon»;"),
    Mutation(MULTIPLIERS, "crystals |= «effect.operation == Operation::mana && effect.crystals»;"),
    Mutation(MULTIPLIERS, "armor |= «effect.operation == Operation::armor»;"),
    Mutation(MULTIPLIERS, "hero_health |= «on_heroes && effect.health > 0»;"),
    Mutation(MULTIPLIERS, "hero_attack |= «on_heroes && effect.attack > 0»;"),
    Mutation(MULTIPLIERS, "weapons_improve |= «effect.operation == Operation::hone && effect.attack > 0»;"),
    Mutation(MULTIPLIERS, "minion_attack |= «buffs && effect.attack > 0»;"),
    # what leads to more actions, to which minions react, and to more plays of a returned minion
    Mutation(REACTIONS, "|= «trigger == Trigger::attack && effect.operation == Operation::transform»;"),
    Mutation(REACTIONS, "|= «upside.attacks» ||"),
    Mutation(REACTIONS, "|| «upside.mana» ||"),
    Mutation(REACTIONS, "|| «upside.returns» ||"),
    Mutation(REACTIONS, "|| («upside.spells && spells_have_reactions_»);"),
    Mutation(REACTIONS, "upside.unbounded = «!actions_known_»;"),
    Mutation(RETURNS, "upside.unbounded |= «upside.mana» ||"),
    # what a vanilla turn may contain
    Mutation(VANILLA, "if («!card.effects(Trigger::death).empty()» ||"),
    Mutation(VANILLA, "|| «!card.effects(Trigger::aura).empty()») return"),
    Mutation(VANILLA, "return !ours || («card.effects(Trigger::turn_end).empty()» &&", "true"),
    Mutation(VANILLA, "&& «!card.has_reactions»);", "true"),
    Mutation(VANILLA, "minion.silenced && «!(minion.keywords & REBORN)»", "true"),
    Mutation(VANILLA, "«!me.power_used && me.power->cost <= me.mana»", "false"),
)


def replace_once(path: Path, old: str, new: str) -> None:
    """Replace a text that occurs once in the file."""
    text = path.read_text()
    if text.count(old) != 1:
        sys.exit(f"{path.name} has {text.count(old)} times {old!r}; it should have it once")
    path.write_text(text.replace(old, new))


def insert_mutations(folder: Path) -> None:
    """Add all mutations to the sources, each of them behind the switch."""
    for number, (path, text, replacement, _) in enumerate(MUTATIONS):
        before, _, rest = text.partition("«")
        expression, _, after = rest.partition("»")
        mutated = f"{before}(MUTATION == {number} ? {replacement} : ({expression})){after}"
        replace_once(folder / GAME / path, before + expression + after, mutated)
    for path in {mutation.path for mutation in MUTATIONS}:
        source = folder / GAME / path
        source.write_text(SWITCH + source.read_text())


def run(folder: Path, number: int, *command: str) -> str:
    """Run a command in the copy with this mutation. Returns what it printed if it fails, and nothing if it succeeds."""
    environment = {**os.environ, "PYTHONPATH": str(folder), "MUTATION": str(number)}
    result = subprocess.run(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    return "" if result.returncode == 0 else result.stdout or "failed"


def first_failure(folder: Path, number: int) -> str:
    """Return the first test that fails with this mutation, or nothing."""
    tests = [f"tests/games/hearthstone/{test}" for test in TESTS]
    output = run(folder, number, sys.executable, "-m", "pytest", "-n0", "-qx", "--no-header", *tests)
    failures = [line for line in output.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return (failures or [output[-300:]])[0]


def verdicts(folder: Path, words: list[str]) -> Iterator[tuple[str, str]]:
    """Yield the mutations by name, each with the first test that fails."""
    for number, mutation in enumerate(MUTATIONS):
        if words and not any(word in mutation.name for word in words):
            continue
        declarations = folder / GAME / PYTHON_READS
        original = declarations.read_text()
        if mutation.in_python:
            replace_once(declarations, *mutation.in_python)
        yield mutation.name, first_failure(folder, number)
        declarations.write_text(original)


def main(words: list[str]) -> int:
    """Try the mutations, and return how many survive."""
    survivors = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "copy"
        ignored = shutil.ignore_patterns(".venv", ".git", "build", "results", "__pycache__", ".*_cache")
        shutil.copytree(ROOT, folder, ignore=ignored)
        insert_mutations(folder)
        if output := run(folder, -1, "make", "engine", f"PYTHON={sys.executable}"):
            sys.exit(output)
        if output := first_failure(folder, -1):
            sys.exit(f"without a mutation: {output}")
        for name, failure in verdicts(folder, words):
            survivors += not failure
            sys.stdout.write(f"{name}: {failure or 'SURVIVES'}\n")
            sys.stdout.flush()
    return survivors


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) > 0)
