"""Results folders are loaded as pandas tables; anything else gives one line."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from planner import PlannerError
from planner.arena.report.tournament_results import (
    Results,
    available_results,
    complete_matrix,
    guo_results,
    guo_table,
    load_results,
    rebuilt_games,
)
from planner.stats.games_table import matchup_matrix
from tests.arena.folders import PROFILES, made_up


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_up(tmp_path_factory.mktemp("results"), games=6)


def changed(results: Results, **columns: object) -> Results:
    return Results(
        results.name, results.games, results.matrix.assign(**columns), results.ratings, results.times, results.manifest
    )


def test_folder_is_loaded_as_tables(folder: Path) -> None:
    results = load_results(folder)
    assert (results.name, results.folder, results.from_counts) == ("made-up", folder, False)
    assert results.agents == list(PROFILES)  # the order of the experiment, not of the alphabet
    assert len(results.games) == 7 * 7 * 6
    assert len(results.matrix) == 49
    assert set(results.ratings["agent"]) == set(results.times["agent"]) == set(PROFILES)
    assert results.manifest["seed"] == 7


def test_square_tables_have_the_first_seat_as_rows(folder: Path) -> None:
    results = load_results(folder)
    games = results.games
    one = games[(games["p1"] == "keep_alive") & (games["p2"] == "aggro_face")]
    assert results.wins().loc["keep_alive", "aggro_face"] == (one["winner"] == 0).sum()
    assert results.scores().loc["keep_alive", "aggro_face"] == pytest.approx((one["winner"] == 0).mean(), abs=1e-4)
    assert results.turns().loc["keep_alive", "aggro_face"] == pytest.approx(one["rounds"].mean(), abs=1e-4)
    for square in (results.wins(), results.turns()):
        assert list(square.index) == list(square.columns) == list(PROFILES)


def test_table_of_guo_as_printed() -> None:
    guo = guo_results()
    assert list(guo_table().columns) == [
        "p1_profile",
        "p2_profile",
        "p1_wins",
        "p2_wins",
        "avg_turns",
    ]
    assert guo.wins().to_numpy().tolist()[0] == [822, 946, 779, 865, 1000, 703, 998]
    assert guo.turns().loc["author_favorite", "author_favorite"] == 27.87
    assert guo.agents == list(PROFILES)
    assert len(guo.games) == 49_000
    assert guo.ratings["agent"].iloc[0] == "keep_alive"
    assert guo.first_seat.score.estimate == pytest.approx(guo_table()["p1_wins"].sum() / 49_000)
    assert guo.by_seat().loc["keep_alive"].tolist() == pytest.approx([6113 / 7000, 3999 / 7000, 10112 / 14000])
    assert guo.nash(samples=0).set_index("agent")["mass"]["keep_alive"] == 1


def test_first_player_advantage_is_a_copy() -> None:
    guo = guo_results()
    mine = guo.first_player_advantage()
    mine["difference"] = 0.0
    table = guo.first_player_advantage().set_index("agent")
    assert table["difference"].min() > 0.1
    assert table.loc["aggro_face", "mirror_score"] == pytest.approx(0.437)


def test_games_rebuilt_from_counts_give_the_counts_again() -> None:
    matrix = complete_matrix(guo_table().head(9).assign(draws=3), "here")
    games = rebuilt_games(matrix)
    again = matchup_matrix(games, PROFILES)
    for column in ("p1_wins", "p2_wins", "draws", "games", "p1_score", "p1_low", "p1_high", "avg_turns"):
        assert again[column].tolist() == pytest.approx(matrix[column].tolist())


def test_games_are_rebuilt_if_the_table_is_missing(folder: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(folder, tmp_path / "copy"))
    for name in ("games.parquet", "ratings.csv", "decisions.csv"):
        (copy / name).unlink()
    results, whole = load_results(copy), load_results(folder)
    assert results.from_counts
    assert not len(results.ratings)
    assert results.first_seat.score.estimate == pytest.approx(whole.first_seat.score.estimate)
    assert results.seat_decks() is None
    assert whole.seat_decks() == ("Thesis paladin", "Thesis warrior")


def test_correlations_agree_with_scipy(folder: Path) -> None:
    ours, guo = load_results(folder), guo_results()
    both = ours.compare(guo)
    for correlation, column, other in ((both.wins, "p1_score", "p1_score"), (both.turns, "avg_turns", "avg_turns")):
        a, b = ours.matrix[column].to_numpy(), guo.matrix[other].to_numpy()
        assert correlation.spearman == pytest.approx(stats.spearmanr(a, b).statistic)
        assert correlation.pearson == pytest.approx(stats.pearsonr(a, b).statistic)
        assert correlation.mean_difference == pytest.approx(np.abs(a - b).mean())
    assert len(both.table) == 49
    assert both.table["score_difference"].abs().max() == abs(both.largest("score")["score_difference"].iloc[0])
    assert len(both.largest("turns", 3)) == 3


def test_comparison_with_itself_and_with_the_opposite() -> None:
    guo = guo_results()
    same = guo.compare(guo)
    assert (same.wins.spearman, same.turns.spearman) == pytest.approx((1, 1))
    assert (same.wins.mean_difference, same.favourites) == (0, 1)
    opposite = guo.compare(changed(guo, p1_score=1 - guo.matrix["p1_score"], avg_turns=20.0))
    assert opposite.wins.spearman == pytest.approx(-1)
    assert opposite.favourites == 0
    assert np.isnan(opposite.turns.spearman)  # a constant has no ranks


def test_results_without_common_pairings_cannot_be_compared(folder: Path, tmp_path: Path) -> None:
    other = load_results(made_up(tmp_path, "random", "greedy", name="other"))
    with pytest.raises(PlannerError, match="made-up and other have 0 pairings in common"):
        load_results(folder).compare(other)


def test_forfeits_name_the_loser(tmp_path: Path) -> None:
    results = load_results(made_up(tmp_path, "random", "greedy", games=2))
    assert not len(results.forfeits())
    games = pd.DataFrame(
        [("ann", "bob", 0, "crash: x"), ("bob", "ann", 1, "crash: y"), ("ann", "bob", 1, "time: no decision"),
         ("ann", "bob", 1, "damage"), ("ann", "bob", -1, "turn limit")],
        columns=["p1", "p2", "winner", "reason"],
    )  # fmt: skip
    lost = Results("made up", games, results.matrix, results.ratings, results.times).forfeits()
    assert lost.to_numpy().tolist() == [["bob", "crash", 2, "crash: x"], ["ann", "time", 1, "time: no decision"]]


def test_results_are_found_by_name(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(folder, tmp_path / "results" / "mine")
    monkeypatch.chdir(tmp_path)
    assert "mine" in available_results()
    assert load_results("mine").agents == list(PROFILES)
    shutil.copytree(Path(__file__).parents[1] / "results" / "spire", tmp_path / "results" / "alone")
    assert "alone" in available_results()
    with pytest.raises(PlannerError, match="alone: results of a game of one seat have no matrix"):
        load_results("alone")
    with pytest.raises(PlannerError, match="min: no such results; did you mean 'mine'"):
        load_results("min")
    with pytest.raises(PlannerError, match="no/such: no such folder"):
        load_results("no/such")


def _manifest(**changes: object) -> Callable[[Path], object]:
    def change(folder: Path) -> None:
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        (folder / "manifest.json").write_text(json.dumps(manifest | changes), encoding="utf-8")

    return change


def _table(name: str, **columns: object) -> Callable[[Path], object]:
    def change(folder: Path) -> None:
        table = pd.read_csv(folder / name)
        kept = [column for column in table if columns.get(column, "") is not None]
        table.assign(**columns)[kept].to_csv(folder / name, index=False)

    return change


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda folder: (folder / "manifest.json").unlink(), "is not a results folder: it has no manifest.json"),
        (lambda folder: (folder / "manifest.json").write_text("[]"), "is not the manifest of a run"),
        (lambda folder: (folder / "manifest.json").write_text("{"), "is not the manifest of a run"),
        (lambda folder: (folder / "manifest.json").write_text("[" * 10**5), "is not the manifest of a run"),
        (_manifest(finished=False), "contains an unfinished run"),
        (_manifest(seed=[]), "manifest.json: seed: must be an integer"),
        (_manifest(agents=[{}]), "manifest.json: agents: must be a"),
        (_manifest(seconds="x"), "manifest.json: seconds: must be a number"),
        (_table("matrix.csv", p1_wins="many"), "matrix.csv: p1_wins: must be a column of numbers"),
        (_table("matrix.csv", p1_wins=-1), "wins and draws of a pairing are not from 0 to its games"),
        (_table("ratings.csv", elo=None), "ratings.csv: missing column elo"),
        (_table("decisions.csv", p50="x"), "decisions.csv: p50: must be a column of numbers"),
        (lambda folder: (folder / "matrix.csv").unlink(), "matrix.csv: no such file"),
        (lambda folder: (folder / "matrix.csv").write_text(""), "matrix.csv: cannot be read"),
        (lambda folder: (folder / "matrix.csv").write_text("a,b\n1,2\n"), "matrix.csv: missing column p1_profile"),
        (lambda folder: (folder / "matrix.csv").write_bytes(b"\xff\xfe\x00"), "matrix.csv: cannot be read"),
        (lambda folder: (folder / "games.parquet").write_bytes(b"PAR1"), "games.parquet: cannot be read"),
        (lambda folder: pd.DataFrame({"a": [1]}).to_parquet(folder / "games.parquet"), "games.parquet: games: missing col"),
    ],
)  # fmt: skip
def test_damaged_results_give_one_line(
    folder: Path, tmp_path: Path, damage: Callable[[Path], object], message: str
) -> None:
    copy = Path(shutil.copytree(folder, tmp_path / "copy"))
    damage(copy)
    with pytest.raises(PlannerError) as refusal:
        load_results(copy)
    assert message in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_file_is_not_a_results_folder(folder: Path) -> None:
    with pytest.raises(PlannerError, match=r"matrix\.csv: is a file, not a results folder"):
        load_results(folder / "matrix.csv")
