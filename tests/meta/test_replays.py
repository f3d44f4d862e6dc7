"""Replays: reading and preparing them, the study, and an independent calculation of its numbers."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from planner.cli import app
from planner.errors import PlannerError
from planner.games.hearthstone.cards import real_card_index
from planner.games.hearthstone.created_cards import created_cards, may_change_cards
from planner.games.hearthstone.metagame import load_metagame
from planner.games.hearthstone.replays import _printed, prepare_replays, read_replays
from planner.meta.deck_clusters import ClusterTree, cluster_metagame
from planner.meta.known_decks import CreatedCards, Metagame
from planner.meta.prediction import Mixture, Seen, Stochastic
from planner.meta.prediction_study import Fold, evaluate, methods
from planner.meta.replay_study import TREE, Preparation, filtered, run_study, study_tables
from tests.meta.small import STUDY, deck, random_metagame

pytest.importorskip("hearthstone_data")
_POWERS = {"with hero powers": True, "without hero powers": False}
REPLAYS = STUDY.parent / "replays.json"
needs_study = pytest.mark.skipif(not REPLAYS.exists(), reason="the replays of 2019 are not available")

CARDS = {  # name: (id, mana in 2019)
    "The Coin": ("GAME_005", 0),
    "Life Tap": ("CS2_056", 2),
    "Fire Fly": ("UNG_809", 1),
    "Flame Elemental": ("UNG_809t1", 1),
    "Consecration": ("CS2_093", 4),
    "Tar Creeper": ("UNG_928", 3),
    "Jasper Spellstone": ("LOOT_051t1", 1),
    "Newest Card": ("ZZZ_999", 2),
    "Siphon Life": ("ICC_831p", 2),
}


def played(player: str, turn: int, card: str) -> dict[str, Any]:
    card_id, mana = CARDS[card]
    return {"player": player, "turn": turn, "card": {"id": card_id, "name": card, "mana": mana}}


def game(hero: str, opponent: str, *history: tuple[str, int, str]) -> dict[str, Any]:
    return {"id": 1, "hero": hero, "opponent": opponent, "card_history": [played(*entry) for entry in history]}


def write(folder: Path, *games: Any) -> Path:
    path = folder / "replays.json"
    path.write_text(json.dumps({"source": "a test", "games": list(games)}), encoding="utf-8")
    return path


KNOWN = Metagame(
    [deck({"Fire Fly": 2, "Tar Creeper": 2}, "warlock"), deck({"Consecration": 2, "Tar Creeper": 1}, "paladin")],
    {"Fire Fly": 1, "Tar Creeper": 3, "Consecration": 3},
    created_cards(["Fire Fly"])[0],
)
MATCH = game(
    "Warlock", "Paladin",
    ("me", 1, "The Coin"), ("me", 1, "Fire Fly"), ("me", 3, "Life Tap"), ("me", 3, "Flame Elemental"),
    ("opponent", 2, "Tar Creeper"), ("opponent", 4, "Consecration"),
)  # fmt: skip


def test_preparation_follows_schwensfeier(tmp_path: Path) -> None:
    replays, _ = read_replays(write(tmp_path, MATCH))
    players, known = prepare_replays(replays, KNOWN, hero_powers=True)
    assert [player.sequence.turns for player in players] == [
        (("Fire Fly",), (), ("Life Tap", "Flame Elemental")),
        ((), ("Tar Creeper",), (), ("Consecration",)),
    ]
    assert [player.match for player in players] == [0, 0]
    assert [player.filtered for player in players] == [True, False]  # "add a 1/2 Elemental to your hand"
    assert known.costs["Consecration"] == 4  # as in 2019; it costs 3 today
    assert known.created.outside == {"Life Tap", "Flame Elemental"}
    without, _ = prepare_replays(replays, KNOWN, hero_powers=False)
    assert without[0].sequence.turns == (("Fire Fly",), (), ("Flame Elemental",))


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        ("<b>Battlecry:</b> Add a 1/2 Elemental to_your hand.", True),
        ("[x]<b>Discover</b>\na spell.", True),
        ("Summon two {0} Silver Hand Recruits.", True),  # the word, not its meaning
        ("Deal 3 damage. Draw 3 cards from a handful of additions.", False),
        ("<b>Taunt</b>", False),
    ],
)
def test_filter_looks_for_whole_words(text: str, changes: bool) -> None:
    assert may_change_cards(text) is changes


@pytest.mark.parametrize(
    ("games", "why"),
    [
        ([3], r"games\[0\]: must be an object, got 3"),
        ([{"hero": "Mage"}], r"games\[0\].opponent: is missing"),
        ([{**MATCH, "card_history": 3}], r"games\[0\].card_history: must be a list"),
        ([{**MATCH, "card_history": [{"player": "you"}]}], r"card_history\[0\].card: is missing"),
        (
            [{**MATCH, "card_history": [played("you", 1, "Fire Fly")]}],
            r"player: must be one of me, opponent; got 'you'",
        ),
        ([{**MATCH, "card_history": [played("me", 0, "Fire Fly")]}], r"turn: must be between 1 and 1,?000, got 0"),
    ],
)
def test_invalid_replays_are_refused_in_one_line(tmp_path: Path, games: list[Any], why: str) -> None:
    with pytest.raises(PlannerError, match=why) as caught:
        read_replays(write(tmp_path, *games))
    assert "\n" not in str(caught.value)


def test_unreadable_matches_are_skipped(tmp_path: Path) -> None:
    nameless = {**MATCH, "hero": None}
    path = write(tmp_path, nameless, MATCH, {**MATCH, "card_history": [{"player": "me"}]})
    replays, problems = read_replays(path)
    assert [replay.classes for replay in replays] == [("warlock", "paladin")]
    assert [problem.removeprefix(f"{path}: ") for problem in problems] == [
        "games[0].hero: must be a name, got null",
        "games[2].card_history[0].card: is missing",
    ]
    result = CliRunner(env={"COLUMNS": "200"}).invoke(app, ["meta", "replays", str(path), "--sequences", "1"])
    assert result.stderr.splitlines() == [f"match skipped: {problem}" for problem in problems]
    assert "Matches: 1." in result.stdout


def test_replays_of_unknown_classes_are_refused(tmp_path: Path) -> None:
    replays, _ = read_replays(write(tmp_path, game("Mage", "Druid", ("me", 1, "Fire Fly"))))
    with pytest.raises(PlannerError, match="no replay has a card of a known class"):
        prepare_replays(replays, KNOWN, hero_powers=True)


# -- an independent calculation, from the text of Schwensfeier 2019


def stochastic_chances(decks: Metagame, seen: list[str], mana: int) -> dict[str, float]:
    """Return the chance of each card by equations 3.3, 3.9 and 3.10, with plain Counters."""
    chance: Counter[str] = Counter()
    for one in decks.decks:
        left, weight = Counter(dict(one.cards)), float(one.games)
        for card in seen:
            weight *= left[card] / max(left.total(), 1)
            left[card] = max(left[card] - 1, 0)
        for card, count in left.items():
            if decks.costs.get(card, 0) <= mana:
                chance[card] += weight * count / left.total()  # type: ignore[assignment]  # Counters of floats work
    return _shares(chance)


def tree_chances(decks: Metagame, seen: list[str], mana: int, threshold: float) -> dict[str, float]:
    """Return the chance of each card by single linkage on Jaccard distances and equations 3.12 to 3.22."""
    tree: Any = _single_linkage([Counter(dict(one.cards)) for one in decks.decks])
    while isinstance(tree, tuple):
        weights = []
        for child in tree:
            members = _leaves(child)
            weight = sum(decks.decks[leaf].games for leaf in members)
            total = sum(_count(decks, members, name, 0) for name in decks.cards)
            for index, card in enumerate(seen):
                earlier = seen[:index].count(card)
                if _count(decks, _leaves(tree), card, earlier) > 0:  # "not in the cluster: it can be ignored"
                    weight *= _count(decks, members, card, earlier) / total
            weights.append(weight)
        if sum(weights) <= 0 or max(weights) / sum(weights) < threshold:
            break
        tree = tree[weights.index(max(weights))]
    payable = [card for card in decks.cards if decks.costs.get(card, 0) <= mana]
    return _shares({card: _count(decks, _leaves(tree), card, seen.count(card)) for card in payable})


def _shares(weights: Mapping[str, float]) -> dict[str, float]:
    total = sum(weights.values())
    return {card: weight / total for card, weight in weights.items() if weight > 0}


def _count(decks: Metagame, members: list[int], card: str, seen: int) -> float:
    return sum(decks.decks[leaf].games * max(dict(decks.decks[leaf].cards).get(card, 0) - seen, 0) for leaf in members)


def _leaves(tree: Any) -> list[int]:
    return [tree] if isinstance(tree, int) else [leaf for child in tree for leaf in _leaves(child)]


def _single_linkage(decks: list[Counter[str]]) -> Any:
    def distance(one: int, other: int) -> float:
        return 1 - (decks[one] & decks[other]).total() / (decks[one] | decks[other]).total()

    clusters: list[Any] = list(range(len(decks)))
    while len(clusters) > 1:
        pairs = [(a, b) for index, a in enumerate(clusters) for b in clusters[index + 1 :]]
        first, second = min(
            pairs, key=lambda pair: min(distance(a, b) for a in _leaves(pair[0]) for b in _leaves(pair[1]))
        )
        clusters = [one for one in clusters if one is not first and one is not second] + [(first, second)]
    return clusters[0]


def test_document_methods_agree_with_a_second_calculation() -> None:
    known = random_metagame(1, decks=8, cards=60, size=30)
    games = [100.0 + 17.3 * index**1.5 for index in range(len(known))]
    known = Metagame([one._replace(games=count) for one, count in zip(known.decks, games, strict=True)], known.costs)
    clustering = cluster_metagame(known)
    heights = clustering.merges[:, 2].round(9)
    assert len(np.unique(heights)) == len(heights)  # tied merges could come in any order
    ends = set()
    for first in known.decks:
        cards = [card for card, count in first.cards for _ in range(count)]
        single = next(card for card in cards if known.counts[:, known.columns[card]].max() == 1)
        for length in (0, 1, 3, 6, 9):
            # No cluster has two copies of `single`, nor the last card: the tree ignores them.
            seen = cards[:length] + [single, single] * (length == 6) + ["card of no deck"] * (length == 9)
            for mana in (3, 8):
                evidence = [Seen(card, mana) for card in seen]
                ours = dict(Stochastic(known).predict(evidence, mana).top(1000))
                assert ours == pytest.approx(stochastic_chances(known, seen, mana))
                for threshold in (0.75, 0.99):
                    tree = ClusterTree(clustering, threshold)
                    ends.add(tree.walk(evidence)[0])
                    ours = dict(tree.predict(evidence, mana).top(1000))
                    assert ours == pytest.approx(tree_chances(known, seen, mana, threshold))
    assert len(ends) >= 5  # the walks end in different clusters


# -- created cards


def test_created_cards_of_real_cards() -> None:
    created, costs = created_cards(["Fire Fly", "Lesser Jasper Spellstone", "Stonehill Defender", "Tar Creeper"])
    assert created.by_card == {"Fire Fly": ("Flame Elemental",)}
    assert created.forms == {"Lesser Jasper Spellstone": ("Jasper Spellstone", "Greater Jasper Spellstone")}
    assert created.generators == {"Stonehill Defender"}
    assert costs["Flame Elemental"] == 1


TWO_DECKS = [deck({"maker": 2, "a": 2, "b": 2, "c": 1}, games=10), deck({"maker": 2, "d": 2, "e": 2, "f": 1}, games=10)]
EFFECTS = CreatedCards(by_card={"maker": ("made",)}, forms={"a": ("a upgraded",)}, generators=frozenset({"e"}))


def beliefs(created: CreatedCards | None, *cards: str) -> Any:
    belief = Mixture(Metagame(TWO_DECKS, {}, created)).belief()
    for card in cards:
        belief.see(Seen(card, 5))
    return belief.forecast(5)


def test_a_created_card_says_nothing_about_the_deck() -> None:
    before, after = beliefs(EFFECTS, "maker"), beliefs(EFFECTS, "maker", "made")
    assert list(before.decks) == pytest.approx(list(after.decks))
    assert before.chance("made") > before.chance("a")  # it is certainly in hand
    assert after.chance("made") == 0
    assert after.other == pytest.approx(beliefs(EFFECTS, "maker").other / (1 - before.chance("made")), rel=1e-6)


def test_a_form_is_evidence_for_the_card_of_the_deck() -> None:
    assert beliefs(EFFECTS, "a upgraded").decks[0] > 0.8
    assert beliefs(None, "a upgraded").decks[0] == pytest.approx(0.5)
    assert beliefs(EFFECTS).chance("a upgraded") == pytest.approx(beliefs(EFFECTS).chance("a"))


def test_a_generator_makes_later_cards_weaker_evidence() -> None:
    sure, unsure = beliefs(EFFECTS._replace(generators=frozenset()), "e", "a"), beliefs(EFFECTS, "e", "a")
    assert unsure.decks[1] > sure.decks[1]
    strange, ignored = beliefs(EFFECTS._replace(generators=frozenset()), "e", "new"), beliefs(EFFECTS, "e", "new")
    assert strange.other > ignored.other  # the generator explains the card


def test_a_hero_power_is_not_a_card_of_the_deck() -> None:
    powers = CreatedCards(outside=frozenset({"power"}))
    assert list(beliefs(powers, "a", "power").cards) == pytest.approx(list(beliefs(powers, "a").cards))
    assert beliefs(None, "a", "power").other > beliefs(None, "a").other


def test_chances_still_sum_to_one() -> None:
    for cards in ((), ("maker",), ("maker", "maker", "made"), ("a upgraded", "e", "new")):
        forecast = beliefs(EFFECTS, *cards)
        assert float(forecast.cards.sum()) + forecast.other == pytest.approx(1)


# -- the study


def test_study_of_a_small_file(tmp_path: Path) -> None:
    other = game("Paladin", "Warlock", ("me", 3, "Tar Creeper"), ("opponent", 2, "Life Tap"))
    replays, _ = read_replays(write(tmp_path, MATCH, other))
    prepared = {name: prepare_replays(replays, KNOWN, power) for name, power in _POWERS.items()}
    study = run_study(prepared, KNOWN, 2, 1)
    whole, few = (study.preparation(f"{name}, with hero powers") for name in ("unfiltered", "filtered"))
    assert len(whole.evaluations["mixture"].rank) == 6
    assert len(few.evaluations["mixture"].rank) == 4  # without the player of Fire Fly
    assert whole.success("stochastic", 10).estimate == pytest.approx(
        3 / 6
    )  # not Flame Elemental, Tar Creeper for 2, Tap
    assert len(study.preparation("unfiltered, without hero powers").evaluations["mixture"].rank) == 5
    assert whole.success("mixture", 10).low < whole.success("mixture", 10).estimate
    tables = study_tables(study)
    assert tables["success.csv"].count("\n") == 1 + 10 * (4 * 17 + 3)
    assert "without created cards" in tables["parts.csv"]


def test_a_lone_surrogate_is_an_unknown_card(tmp_path: Path) -> None:
    match = game("Warlock", "Paladin", ("me", 1, "Fire Fly"))
    match["card_history"][0]["card"]["id"] = "\ud800"
    replays, _ = read_replays(write(tmp_path, match))
    players, _ = prepare_replays(replays, KNOWN, hero_powers=True)
    assert players[0].filtered
    assert created_cards(["\ud800"])[0].by_card == {}


def test_unknown_card_is_not_a_hero_power(tmp_path: Path) -> None:
    history = [
        ("me", turn, card) for turn, card in enumerate(("Life Tap", "Siphon Life", "Newest Card", "Tar Creeper"), 1)
    ]
    replays, _ = read_replays(write(tmp_path, game("Warlock", "Paladin", *history)))
    for hero_powers, turns in ((False, [(), (), ("Newest Card",), ("Tar Creeper",)]),
                               (True, [("Life Tap",), ("Siphon Life",), ("Newest Card",), ("Tar Creeper",)])):  # fmt: skip
        (player,), known = prepare_replays(replays, KNOWN, hero_powers)
        assert [*player.sequence.turns] == turns
        assert player.filtered  # its text may say anything
        assert "Newest Card" in known.created.outside


@needs_study
def test_every_unknown_id_of_the_real_replays_is_a_hero_power() -> None:
    cards = {card for replay in read_replays(REPLAYS)[0] for card in replay.cards}
    unknown = {card for card in cards if real_card_index.index().by_id(card.id) is None}
    assert len({card.id for card in unknown}) == 20
    assert all(_printed(card).is_power for card in unknown)


@needs_study
def test_real_replays_agree_with_the_document_and_the_mixture_is_better() -> None:
    known = load_metagame(STUDY)
    replays, _ = read_replays(REPLAYS)
    players, metagame = prepare_replays(replays, known, hero_powers=True)
    cases = [Fold("", player.sequence.player_class, metagame, [player.sequence]) for player in players]
    makers = methods(("single",), (0.99,))
    whole = Preparation("", players, {name: evaluate(make, name, cases) for name, make in makers.items()})
    few = filtered("", players, whole.evaluations)
    assert few.success(TREE, 10).estimate == pytest.approx(0.40, abs=0.08)
    assert few.success("stochastic", 10).estimate == pytest.approx(0.20, abs=0.08)
    assert whole.difference("mixture", TREE, 10).low > 0
    assert few.success("mixture", 10).estimate > few.success(TREE, 10).estimate
