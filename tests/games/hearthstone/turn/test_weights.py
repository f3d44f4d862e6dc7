"""Weights: the shipped profiles, `Weights.of`, exact scaling, and the search path of profiles."""

from __future__ import annotations

import dataclasses
import math
import pickle
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from planner.errors import PlannerError, quote
from planner.formats import documents
from planner.formats.documents import load_yaml, shipped_folder
from planner.games.hearthstone.turn import hearthstone_weights as module
from planner.games.hearthstone.turn.hearthstone_weights import KEYWORDS, TERMS, Rule, Weights
from planner.planning import profiles as planning_profiles

ROOT = Path(__file__).resolve().parents[4]

# Section 7.4.1 of the thesis: W1 to W8.
THESIS = {
    "keep_alive": (2, 4, 1, 6, 20, 8, 5, 6),
    "board_clear": (1, 20, 1, 15, 5, 15, 10, 8),
    "aggro_face": (20, 2, 18, 3, 1, 3, 1, 10),
    "value_trade": (3, 8, 2, 18, 10, 16, 16, 12),
    "aggro_tempo": (15, 8, 6, 8, 1, 10, 1, 3),
    "true_balanced": (5, 5, 5, 5, 5, 5, 5, 5),
    "author_favorite": (24, 20, 10, 20, 4, 24, 4, 8),
}

EIGHT = "weights:\n" + "".join(f"  {term}: {number}\n" for number, term in enumerate(TERMS, start=1))


def write(folder: Path, text: str) -> Path:
    path = folder / "x.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def refusal(source: Any) -> str:
    with pytest.raises(PlannerError) as caught:
        Weights.of(source)
    message = str(caught.value)
    assert "\n" not in message
    return message


class TestProfiles:
    def test_the_thesis_profiles_are_shipped(self) -> None:
        assert set(THESIS) <= set(Weights.names())

    @pytest.mark.parametrize("name", THESIS)
    def test_numbers_are_those_of_the_thesis(self, name: str) -> None:
        profile = Weights.of(name)
        assert profile.name == name
        assert tuple(profile.terms()[term] for term in TERMS) == THESIS[name]
        assert (profile.forbid, profile.require, profile.has_further_terms) == ((), (), False)

    @pytest.mark.parametrize("name", THESIS)
    def test_files_list_the_terms_in_order_with_one_line_of_description(self, name: str) -> None:
        data = load_yaml(shipped_folder("weights") / f"{name}.yaml")
        assert list(data) == ["description", "weights"]
        assert tuple(data["weights"]) == TERMS
        assert data["description"]

    def test_unknown_name_suggests_the_nearest_or_lists_all(self) -> None:
        assert refusal("agro_face") == "weights: 'agro_face' is not a profile; did you mean 'aggro_face'?"
        assert refusal("qqq").startswith("weights: 'qqq' is not a profile; there are aggro_face, ")
        assert refusal("").startswith("weights: '' is not a profile")


class TestSources:
    def test_weights_pass_through(self) -> None:
        profile = Weights(lethal=3)
        assert Weights.of(profile) is profile

    def test_mapping_counts_missing_terms_as_zero(self) -> None:
        assert Weights.of({"face_damage": 2}) == Weights(face_damage=2)
        assert Weights.of({}) == Weights()

    def test_both_spellings(self) -> None:
        thesis = {f"W{number}": number for number in range(1, 9)}
        named = {term: number for number, term in enumerate(TERMS, start=1)}
        assert Weights.of(thesis) == Weights.of(named)
        assert Weights.of({"W1": 1, "face_damage": 2}) == Weights(lethal=1, face_damage=2)

    def test_one_term_in_both_spellings_is_refused(self) -> None:
        assert refusal({"W3": 1, "face_damage": 1}) == "weights: face_damage: face_damage is given twice"

    @pytest.mark.parametrize("suffix", [".yaml", ".yml"])
    def test_paths(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str) -> None:
        path = tmp_path / f"mine{suffix}"
        path.write_text(EIGHT)
        monkeypatch.chdir(tmp_path)
        for source in (path, str(path), f"mine{suffix}", f"./mine{suffix}"):
            assert Weights.of(source) == Weights.load(path)
        assert Weights.of(path).name == "mine"

    def test_a_separator_makes_a_path_of_any_name(self, tmp_path: Path) -> None:
        path = tmp_path / "profile"
        path.write_text(EIGHT)
        assert Weights.of(str(path)).terms()["card_value"] == 8
        assert refusal("./aggro_face") == "aggro_face: no such file"
        assert refusal(tmp_path / "none.yaml") == f"{tmp_path}/none.yaml: no such file"

    def test_file_in_thesis_spelling(self, tmp_path: Path) -> None:
        text = "weights: {" + ", ".join(f"{short}: 1" for short in Weights.spellings) + "}\n"
        assert set(Weights.of(write(tmp_path, text)).terms().values()) == {1}

    @pytest.mark.parametrize("source", [None, 3, ["lethal"], {1: 2}, {None: 1}])
    def test_other_types_are_refused(self, source: object) -> None:
        assert refusal(source).startswith("weights: ")


class TestNumbers:
    @pytest.mark.parametrize("value", [True, "high", "5", None, [1], {}, 1j, Fraction(1, 2)])
    def test_values_that_are_not_numbers_are_refused(self, value: object) -> None:
        message = f"weights: lethal: must be a number, got {quote(value)}"
        assert refusal({"lethal": value}) == message
        with pytest.raises(PlannerError) as caught:
            Weights(lethal=value)
        assert str(caught.value) == message

    @pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
    def test_values_that_are_not_finite_are_refused(self, value: float) -> None:
        assert refusal({"W1": value}) == f"weights: W1: must be a finite number, got {quote(value)}"

    def test_negative_weights_are_allowed(self) -> None:
        assert Weights.of({"lethal": -2.5}).scaled()["lethal"] == -5

    def test_array_numbers_become_python_numbers(self) -> None:
        values: dict[str, Any] = {"lethal": np.int64(3), "card_value": np.float64(0.1)}
        terms = Weights.of(values).terms()
        assert (type(terms["lethal"]), type(terms["card_value"])) == (int, float)

    def test_integers_need_no_scale(self) -> None:
        profile = Weights.of("aggro_face")
        assert profile.integer_scale() == 1
        assert profile.scaled() == profile.terms()
        assert Weights(lethal=2.0).integer_scale() == 1

    def test_decimals_are_exact(self) -> None:
        profile = Weights.of({"lethal": 0.1, "face_damage": 0.25, "card_value": 3})
        assert profile.integer_scale() == 20
        assert profile.scaled() == dict.fromkeys(TERMS, 0) | {"lethal": 2, "face_damage": 5, "card_value": 60}
        assert all(type(value) is int for value in profile.scaled().values())

    def test_scaled_is_a_copy(self) -> None:
        profile = Weights(lethal=1)
        profile.scaled()["lethal"] = 9
        assert profile.scaled()["lethal"] == 1

    def test_limits(self) -> None:
        assert Weights(lethal=10**6, face_damage=-(10**6), card_value=0.000001).integer_scale() == 10**6
        assert refusal({"lethal": 10**6 + 1}) == ("weights: lethal: must be between -1000000 and 1000000, got 1000001")
        assert "must be between" in refusal({"lethal": -1e300})
        assert "must be between" in refusal({"lethal": 10**400})
        assert refusal({"lethal": 5e-324}) == (
            "weights: lethal: 5e-324 needs a scale factor above 1000000; round it to six decimals"
        )
        assert refusal({"lethal": 0.1 + 0.2}) == (
            "weights: lethal: 0.30000000000000004 needs a scale factor above 1000000; round it to six decimals"
        )
        # Each scale alone is within the limit, 2**19 and 5**8, but their common scale is not.
        assert refusal({"lethal": 2.0**-19, "face_damage": 0.00000256}) == (
            "weights: together they need a scale factor above 1000000; round them"
        )

    @given(st.lists(st.decimals(-1000, 1000, places=4), min_size=8, max_size=8))
    def test_scaling_is_exact_and_smallest(self, values: list[Any]) -> None:
        profile = Weights.of(dict(zip(TERMS, map(float, values), strict=True)))
        scale = profile.integer_scale()
        assert list(profile.scaled().values()) == [Fraction(value) * scale for value in values]
        assert math.gcd(scale, *profile.scaled().values()) == 1


class TestValue:
    def test_equal_weights_have_equal_hashes(self) -> None:
        assert len({Weights(lethal=1), Weights(lethal=1.0), Weights.of({"W1": 1})}) == 1
        assert Weights(lethal=1) != Weights(lethal=2)
        assert Weights(forbid=(Rule("own_hero_death"),)) != Weights()

    def test_frozen(self) -> None:
        with pytest.raises(dataclasses.FrozenInstanceError):
            Weights().weights = ()  # type: ignore[misc]

    def test_pickle(self) -> None:
        profile = Weights(lethal=0.5, forbid=(Rule("play", word="Wisp"),), require=(Rule("keep_mana", 2),))
        again = pickle.loads(pickle.dumps(profile))
        assert again == profile
        assert hash(again) == hash(profile)
        assert (again.scaled(), again.integer_scale()) == (profile.scaled(), 2)

    def test_replace_scales_again(self) -> None:
        assert dataclasses.replace(Weights.of("aggro_face"), lethal=0.5).integer_scale() == 2

    def test_rules_in_a_list_are_hashable(self) -> None:
        rules: Any = [Rule("own_hero_death")]
        assert hash(Weights(forbid=rules)) == hash(Weights(forbid=tuple(rules)))


class TestFurtherTerms:
    def test_zero_unless_set(self, tmp_path: Path) -> None:
        assert "own_health" not in Weights(lethal=1).terms()
        assert tuple(Weights.load(write(tmp_path, EIGHT)).scaled()) == TERMS

    def test_set_by_mapping_or_file(self, tmp_path: Path) -> None:
        assert Weights.of({"own_health": 0.5}).scaled()["own_health"] == 1
        assert Weights.load(write(tmp_path, EIGHT + "  own_health: 3\n")).terms()["own_health"] == 3

    def test_equal_weights_have_one_canonical_form(self) -> None:
        weights = Weights.of({"cards_drawn": 1, "own_health": 2})
        assert weights == Weights.of({"own_health": 2, "cards_drawn": 1})
        assert Weights.of({"cards_drawn": 0}) == Weights()

    def test_names_are_checked(self) -> None:
        values: dict[str, Any]
        for values in ({"nonsense": 1}, {"W1": 1, "lethal": 1}):
            with pytest.raises(PlannerError, match=r"is not a term|is given twice"):
                Weights(**values)


class TestShipped:
    def test_a_checkout_has_the_profiles_at_the_top_level(self) -> None:
        assert shipped_folder("weights") == ROOT / "weights"

    def test_a_wheel_has_the_profiles_inside_the_package(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "planner/_shipped/weights").mkdir(parents=True)
        (tmp_path / "experiments").mkdir()  # another package
        monkeypatch.setattr(documents, "__file__", str(tmp_path / "planner/formats/documents.py"))
        assert shipped_folder("weights") == tmp_path / "planner/_shipped/weights"
        assert shipped_folder("experiments") == tmp_path / "planner/_shipped/experiments"

    def test_only_the_named_profile_is_read(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "named_alone.yaml").write_text(EIGHT)
        (tmp_path / "broken.yaml").write_text("[")
        monkeypatch.setattr(planning_profiles, "shipped_folder", lambda _: tmp_path)
        assert Weights.named("named_alone").name == "named_alone"
        with pytest.raises(PlannerError, match=r"broken\.yaml"):  # an unknown name reads all profiles
            Weights.named("named_nowhere")


def test_the_page_lists_every_term_rule_and_profile() -> None:
    page = (ROOT / "docs/reference/weights.md").read_text(encoding="utf-8")
    for word in (*TERMS, *module.EXTRA_TERMS, *Weights.spellings, *module.RULES, *KEYWORDS, *Weights.names()):
        assert f"`{word}`" in page or f"`{word}: " in page, word


def test_the_example_of_the_page_is_a_valid_profile(tmp_path: Path) -> None:
    page = (ROOT / "docs/reference/weights.md").read_text(encoding="utf-8")
    example = page.split("```yaml\n")[1].split("```")[0]
    assert yaml.safe_load(example)
    assert Weights.load(write(tmp_path, example)).forbid


def test_the_weight_of_a_term_is_an_attribute() -> None:
    weights = Weights(lethal=3, own_attack=0.5)
    assert (weights.lethal, weights.own_attack, weights.own_health, weights.face_damage) == (3, 0.5, 0, 0)
    assert pickle.loads(pickle.dumps(weights)).lethal == 3
    with pytest.raises(AttributeError, match="'Weights' has no attribute 'letal'"):
        _ = weights.letal
