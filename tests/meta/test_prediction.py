"""The three methods of prediction on examples worked by hand, and properties that hold for all inputs."""

from __future__ import annotations

import time
from random import Random
from statistics import median

import numpy as np
import pytest

from planner.errors import PlannerError
from planner.games.hearthstone.metagame import load_metagame
from planner.meta import ClusterTree, Metagame, Mixture, Seen, Stochastic
from planner.meta.deck_clusters import THRESHOLDS
from planner.meta.prediction import Predictor
from tests.meta.small import STUDY, deck, random_metagame

# Two decks of four cards; the first has three times as many games as the second.
TWO = Metagame([deck({"a": 2, "b": 1, "c": 1}, games=3, won=0.6), deck({"a": 1, "d": 2, "e": 1}, games=1, won=0.2)],
               {"a": 1, "b": 2, "c": 3, "d": 4, "e": 5})  # fmt: skip


def test_stochastic_method_on_a_worked_example() -> None:
    start = Stochastic(TWO).predict([])
    assert dict(start.top()) == pytest.approx({"a": 7 / 16, "b": 3 / 16, "c": 3 / 16, "d": 2 / 16, "e": 1 / 16})
    after = Stochastic(TWO).predict([Seen("a")])
    # 3/4 * 2/4 to 1/4 * 1/4 is six to one. Each deck has three cards left.
    assert after.decks == pytest.approx([6 / 7, 1 / 7])
    assert dict(after.top()) == pytest.approx(dict.fromkeys("abc", 6 / 21) | {"d": 2 / 21, "e": 1 / 21})
    assert after.win_rate == pytest.approx(0.6 * 6 / 7 + 0.2 / 7)
    cheap = Stochastic(TWO).predict([Seen("a")], mana=2)
    assert dict(cheap.top()) == pytest.approx({"a": 0.5, "b": 0.5})


def test_stochastic_method_predicts_nothing_without_a_matching_deck() -> None:
    for seen in (["b", "d"], ["a", "a", "a"], ["z"]):
        found = Stochastic(TWO).predict([Seen(card) for card in seen])
        assert not found.cards.any()
        assert not found.considered.any()
        assert found.top() == []
        assert found.win_rate == 0.5


def test_tree_on_a_worked_example() -> None:
    tree = ClusterTree.of(TWO, threshold=0.8)
    node, steps = tree.walk([])
    assert (node, [step.taken for step in steps]) == (tree.root, [False])
    assert steps[0].probability == pytest.approx(3 / 4)
    node, steps = tree.walk([Seen("a")])  # 3 * 2/4 to 1 * 1/4 is 6/7, above 0.8; a single deck has no children
    assert (node, steps[0].taken) == (0, True)
    assert steps[0].probability == pytest.approx(6 / 7)
    after = tree.predict([Seen("a")])
    assert dict(after.top()) == pytest.approx({"a": 1 / 3, "b": 1 / 3, "c": 1 / 3})
    assert after.considered.tolist() == [True, False]


def test_tree_ignores_unknown_cards() -> None:
    tree = ClusterTree.of(TWO, threshold=0.99)
    assert tree.walk([Seen("z")]) == tree.walk([])
    both = tree.predict([Seen("b"), Seen("d")])  # no deck has both: the walk stays at the root
    assert both.considered.all()
    assert both.cards.any()


@pytest.mark.parametrize("threshold", [-0.1, 1.5])
def test_threshold_must_be_a_probability(threshold: float) -> None:
    with pytest.raises(PlannerError, match="must be between 0 and 1"):
        ClusterTree.of(TWO, threshold=threshold)


def every_method(known: Metagame) -> list[Predictor]:
    own = known.classes[0]
    trees: list[Predictor] = [ClusterTree.of(known.of_class(own), threshold=threshold) for threshold in THRESHOLDS]
    return [Mixture(known, own), Stochastic(known.of_class(own)), *trees]


@pytest.mark.parametrize("seed", range(4))
def test_chances_are_valid_for_any_seen_cards(seed: int) -> None:
    rng = Random(seed)
    known = random_metagame(seed, classes=2)
    for predictor in every_method(known):
        for _ in range(15):
            cards = rng.choices([*known.cards, "unheard of", "other"], k=rng.randint(0, 25))
            seen = [Seen(card, rng.choice([None, 1, 5, 10])) for card in cards]
            mana = rng.choice([None, 0, 3, 10])
            forecast = predictor.predict(seen, mana)
            total = forecast.cards.sum() + forecast.other
            assert (forecast.cards >= 0).all()
            assert np.isfinite(forecast.cards).all()
            assert total == pytest.approx(1) or total == 0
            assert forecast.decks.sum() == pytest.approx(1) or forecast.decks.sum() == 0
            assert 0 <= forecast.win_rate <= 1
            assert not any(mana is not None and known.costs.get(card, 0) > mana for card, _ in forecast.top(50))


def test_mixture_always_predicts_something() -> None:
    known = random_metagame(7, classes=2)
    found = Mixture(known, "class 0").predict([Seen("never heard of"), *[Seen(card) for card in known.cards]])
    assert found.cards.sum() > 0.5
    assert (found.decks[[deck.player_class == "class 0" for deck in known.decks]] > 0).all()


def test_second_copy_of_an_unknown_card_is_expected_but_no_third() -> None:
    mixture = Mixture(random_metagame(7))
    once = mixture.predict([Seen("new")])
    assert once.chance("new") > 5 * once.chance(once.top(30)[-1][0]) > 0
    assert mixture.predict([Seen("new"), Seen("new")]).chance("new") == 0


def test_seen_cards_make_their_deck_more_likely() -> None:
    known = random_metagame(9)
    belief = Mixture(known).belief()
    likely = []
    for card, count in known.decks[3].cards:
        for _ in range(count):
            belief.see(Seen(card))
        archetypes: dict[str, float] = {}
        for one, chance in zip(known.decks, belief.forecast().decks, strict=True):
            archetypes[one.archetype] = archetypes.get(one.archetype, 0) + chance
        likely.append(archetypes[known.decks[3].archetype])
    assert likely[-1] > 0.95
    assert likely[-1] > likely[0]


def test_played_card_is_stronger_evidence_than_revealed_card() -> None:
    """The deck with fewer affordable cards is more likely to have played this one."""
    cheap = {f"cheap {number}": 1 for number in range(9)}
    expensive = {f"expensive {number}": 1 for number in range(9)}
    known = Metagame([deck({**cheap, "key": 1}), deck({**expensive, "key": 1})],
                     {**dict.fromkeys(cheap, 1), **dict.fromkeys(expensive, 9), "key": 1})  # fmt: skip
    mixture = Mixture(known)
    shown, played = (mixture.predict([Seen("key", mana)]).decks[1] for mana in (None, 1))
    assert shown == pytest.approx(0.5)
    assert played > 0.8


def test_mixture_of_several_classes_needs_the_class() -> None:
    with pytest.raises(PlannerError, match="the opponent's class is required"):
        Mixture(random_metagame(1, classes=2))
    with pytest.raises(PlannerError, match="no deck of class 'class 9'"):
        Mixture(random_metagame(1, classes=2), "class 9")


def test_samples_fit_the_seen_cards() -> None:
    known = random_metagame(4, size=15)
    belief = Mixture(known).belief()
    seen = [card for card, count in known.decks[0].cards for _ in range(count)][:8]
    for card in seen:
        belief.see(Seen(card))
    for seed in range(30):
        cards = belief.sample(10, Random(seed))
        assert len(cards) == 10
        assert cards == belief.sample(10, Random(seed))
        for card in set(cards):
            assert cards.count(card) + seen.count(card) <= 2
    assert len({tuple(belief.sample(5, Random(seed))) for seed in range(30)}) > 10
    assert belief.sample(10_000, Random(1))  # as many as there are


@pytest.mark.skipif(not STUDY.exists(), reason="the decks of Schwensfeier 2019 are not available")
def test_prediction_takes_less_than_five_milliseconds() -> None:
    known = load_metagame(STUDY)
    mixture = Mixture(known, "priest")  # the class with most decks
    priest = next(deck for deck in known.decks if deck.player_class == "priest")
    seen = [Seen(card, 10) for card, count in priest.cards for _ in range(count)][:20]
    times = []
    for _ in range(30):
        before = time.perf_counter()
        mixture.predict(seen, 10)
        times.append(time.perf_counter() - before)
    assert median(times) < 0.005
