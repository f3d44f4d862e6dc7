"""Cards drawn and played in matches: reported by games, stored with results, counted in tables and reports."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import pytest

from planner.arena.match.record import MatchRecord
from planner.arena.match.referee import play_match
from planner.arena.match.replay import walk
from planner.arena.report.run_report import card_parts
from planner.arena.report.tournament_report import DuelReport
from planner.arena.report.tournament_results import load_results
from planner.arena.tournament import result_tables
from planner.arena.tournament.game_result import Result, ThinkingTime, result_of
from planner.arena.tournament.journal import Journal
from planner.arena.tournament.result_tables import FinishedGames, card_table, deck_matrix, deck_scores
from planner.arena.tournament.runner import run_tournament
from planner.arena.tournament.schedule import Fixture, schedule
from planner.cli import main
from planner.game import DRAWN, PLAYED, UNSEEN
from planner.games import game
from planner.games.hearthstone import MatchSetup
from planner.games.hearthstone.rules.actions import Mulligan, Play
from planner.stats.card_scores import CardScores, use_table
from planner.stats.intervals import clustered_wilson, wilson
from tests.arena.tournaments import small


def seen_by_walking(record: MatchRecord) -> list[dict[str, str]]:
    """Return the stage of each card by seat, computed only from the sequence of states."""
    found: list[dict[str, str]] = [{}, {}]

    def look(state: Any) -> None:
        for seat, player in ((state.seat, state.me), (1 - state.seat, state.enemy)):
            deck = {held.id for held in player.deck}
            for name, card in cards[seat].items():
                if name not in deck and found[seat].get(card, UNSEEN) == UNSEEN:
                    found[seat][card] = DRAWN

    first = record.initial
    cards = [{held.id: held.card.name for held in (*one.hand, *one.deck)} for one in (first.me, first.enemy)]
    for seat, own in enumerate(cards):
        found[seat] = dict.fromkeys(own.values(), UNSEEN)
    mulligan = sum(isinstance(move.action, Mulligan) for turn in record.turns for move in turn.moves)
    for number, (before, move, after) in enumerate(walk(record), 1):
        if isinstance(move.action, Play) and move.action.card in cards[before.seat]:
            found[before.seat][cards[before.seat][move.action.card]] = PLAYED
        if number >= mulligan:  # what is put back before the first turn is not drawn
            look(after)
    return found


@pytest.mark.parametrize("decks", [("mage", "warrior"), ("rogue", "rogue"), ("druid", "priest"), ("hunter", "shaman")])
@pytest.mark.parametrize("seed", range(3))
def test_match_reports_the_stage_of_each_card(decks: tuple[str, str], seed: int) -> None:
    setup = MatchSetup.of(*decks)
    record = play_match(("random", "greedy"), setup, seed)
    expected = seen_by_walking(record)
    of = game("hearthstone")
    for listed, stages, own in zip(of.cards_of(setup), record.cards_used(), expected, strict=True):
        assert dict(zip(listed.cards, stages, strict=True)) == own
    assert set("".join(record.cards_used())) == {UNSEEN, DRAWN, PLAYED}  # nothing is trivially one of them


@pytest.mark.parametrize("seed", range(4))
def test_battle_reports_the_stage_of_each_card(seed: int) -> None:
    of = game("spire")
    deck = [*["Strike"] * 9, *["Defend+"] * 9, "Bash"]
    setup = of.setup_from_json({"deck": deck, "enemies": ["Goblin"], "health": 9})
    record = play_match(("random",), setup, seed, of)
    played, drawn = set(), {card.name for card in record.initial.hand}
    for before, move, after in walk(record):
        if move.action.type == "play":
            played.add(before.hand[move.action.position].name)
        drawn |= {card.name for card in after.hand}
    ((name, cards),) = of.cards_of(setup)
    assert (name, cards) == ("", ("Strike", "Defend", "Bash"))
    expected = "".join(PLAYED if card in played else DRAWN if card in drawn else UNSEEN for card in cards)
    assert record.cards_used() == (expected,)


def test_card_that_was_never_drawn_in_a_battle() -> None:
    setup = game("spire").setup_from_json({"deck": [*["Strike"] * 60, "Bash"], "enemies": ["Goblin"]})
    found = {play_match(("first",), setup, seed, "spire").cards_used() for seed in range(20)}
    assert ("20",) in found


def test_card_stages_are_in_the_journal_and_old_journals_are_readable(tmp_path: Path) -> None:
    record = play_match(("random", "random"), MatchSetup.of("mage", "warrior"), 1)
    plain = Result(1, 0, "damage", 3, 5, (2, 3), (ThinkingTime(0.5, 0.25, "1:2"),) * 2, 1.0)
    results = [result_of(0, record, 1.0), plain, plain._replace(position=2, measures={"health": 3})]
    journal = Journal(tmp_path / "journal")
    journal.append(results, 1.0)
    journal.close()
    again = Journal(tmp_path / "journal")
    assert [again[place].cards for place in range(3)] == [record.cards_used(), (), ()]
    assert again[1] == plain
    assert again[2].measures == {"health": 3}


# -- tables


def brute_force(
    experiment: Any, played: list[tuple[Fixture, Result]]
) -> dict[tuple[str, str], list[tuple[int, float]]]:
    """Count games and mean points, when drawn and when played, by deck and card, without optimisation."""
    of = game("hearthstone")
    found: dict[tuple[str, str], list[tuple[int, float]]] = {}
    for stage in (DRAWN + PLAYED, PLAYED):
        points: dict[tuple[str, str], list[float]] = {}
        for fixture, result in played:
            lists = of.cards_of(experiment.setups[fixture.setup])
            for seat, listed in enumerate(lists):
                for place, card in enumerate(listed.cards):
                    points.setdefault((listed.name, card), [])
                    both = lists[0] == lists[1] and result.cards[1 - seat][place] in stage
                    if result.cards[seat][place] in stage and not both:
                        score = 0.5 if result.winner < 0 else float(result.winner == seat)
                        points[listed.name, card].append(score)
        for key, scores in points.items():
            found.setdefault(key, []).append((len(scores), float(np.mean(scores)) if scores else float("nan")))
    return found


def made_up(experiment: Any, seed: int = 1) -> list[tuple[Fixture, Result]]:
    """Return made-up games with random winners and cards, including draws."""
    rng, of = Random(seed), game("hearthstone")
    played = []
    for fixture in schedule(experiment):
        lists = of.cards_of(experiment.setups[fixture.setup])
        cards = tuple("".join(rng.choice("0122") for _ in listed.cards) for listed in lists)
        result = Result(fixture.position, rng.choice((0, 0, 1, -1)), "damage", 9, 18, (1, 1), cards=cards)
        played.append((fixture, result))
    return played


def test_card_table_agrees_with_brute_force() -> None:
    experiment = small("random", "greedy", games=6, deck_pairs=((0, 1), (1, 0), (0, 0)))
    played = made_up(experiment)
    found = card_table(experiment, played)
    assert found is not None
    expected = brute_force(experiment, played)
    assert {(row["deck"], row["card"]) for row in found.to_dict("records")} == set(expected)
    for row in found.to_dict("records"):
        for stage, (games, mean) in zip(("drawn", "played"), expected[row["deck"], row["card"]], strict=True):
            assert row[stage] == games
            assert row[f"{stage}_score"] == pytest.approx(mean, nan_ok=True)
            assert 0 <= row[f"{stage}_low"] <= row[f"{stage}_high"] <= 1


def test_mirror_games_count_only_if_one_side_had_the_card() -> None:
    used = np.array([[2], [2], [1], [0], [0], [0]], np.uint8)  # both played it; one drew it; none drew it
    points, games = np.array([1.0, 0, 1, 0, 1, 0]), np.array([0, 0, 1, 1, 2, 2])
    scores = CardScores(["x"])
    scores.add(used, points, games, games)
    row = scores.table().iloc[0]
    assert (row["games"], row["score"]) == (6, 0.5)
    assert (row["drawn"], row["drawn_score"], row["played"]) == (1, 1.0, 0)
    assert np.isnan(row["played_score"])
    assert (row["played_low"], row["played_high"]) == (0, 1)


@pytest.mark.parametrize("seed", range(5))
def test_blocks_add_up_to_the_interval_of_all_samples(seed: int) -> None:
    rng = np.random.default_rng(seed)
    used, points = rng.integers(0, 3, (60, 1)).astype(np.uint8), rng.choice([0, 0.5, 1], 60)
    games, cluster = np.arange(60), np.sort(rng.integers(0, 20, 60))
    whole, parts = CardScores(["x"]), CardScores(["x"])
    whole.add(used, points, games, rng.permutation(20)[cluster])
    edge = int(np.searchsorted(cluster, 10))
    for part in (slice(0, edge), slice(edge, 60)):
        parts.add(used[part], points[part], games[part], cluster[part])
    assert whole.table().equals(parts.table())
    row, drawn = whole.table().iloc[0], used[:, 0] > 0
    ends = [row[f"drawn_{end}"] for end in ("score", "low", "high")]
    assert ends == pytest.approx(list(clustered_wilson(points[drawn], cluster[drawn])))


def test_games_of_a_pair_are_one_sample() -> None:
    points = np.array([1.0, 1, 0, 0, 1, 1, 0, 0])
    alone, paired = np.arange(8), np.arange(8) // 2
    assert clustered_wilson(points, alone) == pytest.approx(wilson(4, 8))
    assert clustered_wilson(points, paired) == pytest.approx(wilson(2, 4))  # twice the same is once
    assert clustered_wilson([], []).low == 0


def test_forfeits_without_a_record_do_not_count() -> None:
    experiment = small("random", "greedy", games=1)
    played = [(fixture, result._replace(cards=())) for fixture, result in made_up(experiment)]
    assert card_table(experiment, played) is None


def test_decks_against_decks() -> None:
    games = pd.DataFrame(
        [("a", "b", 0), ("a", "b", 0), ("a", "b", 1), ("b", "a", -1), ("c", "a", 0), ("a", "a", 1)],
        columns=["p1_deck", "p2_deck", "winner"],
    ).assign(p1="x", p2="y", rounds=7, pair=-1)
    matrix = deck_matrix(games)
    assert matrix is not None
    assert matrix[["p1_deck", "p2_deck", "games", "p1_score"]].to_numpy().tolist() == [
        ["a", "a", 1, 0.0], ["a", "b", 3, pytest.approx(2 / 3)], ["b", "a", 1, 0.5], ["c", "a", 1, 1.0],
    ]  # fmt: skip
    scores = deck_scores(games).set_index("deck")
    assert scores["score"].to_dict() == pytest.approx({"c": 1.0, "a": 0.5, "b": 0.375})
    assert scores["games"].to_dict() == {"c": 1, "a": 5, "b": 4}
    assert deck_matrix(games[games["p1_deck"] == games["p2_deck"]]) is None  # each only met itself
    assert deck_matrix(games.head(3)) is None  # one deck for each seat
    assert deck_matrix(games.drop(columns="p1_deck")) is None


def test_run_writes_both_tables_and_the_report_shows_them(tmp_path: Path) -> None:
    experiment = small("random", "greedy", games=4, deck_pairs=((0, 1), (1, 0)))
    folder = run_tournament(experiment, tmp_path, workers=1)
    cards, decks = pd.read_csv(folder / "cards.csv"), pd.read_csv(folder / "decks.csv")
    assert set(cards["deck"]) == {"Thesis paladin", "Thesis warrior"}
    assert (cards["played"] <= cards["drawn"]).all()
    assert cards["drawn"].max() > 0
    assert decks["games"].tolist() == [8, 8]
    page = DuelReport(load_results(folder)).page()
    assert 'id="decks"' in page
    assert 'id="card-scores"' in page
    assert "Thesis paladin: score " in page


def test_section_is_empty_without_cards(tmp_path: Path) -> None:
    assert list(card_parts(tmp_path)) == []
    assert list(card_parts(None)) == []


def test_use_of_cards_and_pairs() -> None:
    used = np.array([[2, 2], [2, 1], [0, 2], [2, 2]], np.uint8)
    rows = use_table(("A", "B"), used, np.array([1.0, 0.0, 0.0, 1.0])).to_dict("records")
    counts = [(row["card"], row["with"], row["games"], row["played"], row["share"], row["score"]) for row in rows]
    assert counts == [
        ("A", "", 4, 3, 0.75, pytest.approx(2 / 3)), ("B", "", 4, 3, 0.75, pytest.approx(2 / 3)), ("A", "B", 4, 2, 0.5, 1.0),
    ]  # fmt: skip
    assert [row["score_without"] for row in rows] == [0, 0, 0]


def test_battles_have_a_table_of_cards_by_agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = "game: spire\nagents: [first, random]\nscenarios: [band]\ngames: 4\nseed: 1\n"
    (tmp_path / "small.yaml").write_text(text, encoding="utf-8")
    assert main(["tournament", str(tmp_path / "small.yaml"), "--workers", "1"]) == 0
    table = pd.read_csv(tmp_path / "results" / "small" / "card_use.csv", keep_default_na=False)
    assert set(table["agent"]) == {"first", "random"}
    assert len(table) == 2 * (8 + 8 * 7 // 2)
    assert (table["games"] == 4).all()


def test_intervals_do_not_depend_on_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The two games of an agent against itself with swapped decks are a pair, in rounds that follow each other."""
    experiment = small("random", "greedy", games=6, deck_pairs=((0, 1), (1, 0)), swap="seats_and_decks")
    folder = run_tournament(experiment, tmp_path, workers=1)
    with closing(Journal(folder / "journal.jsonl")) as journal:
        monkeypatch.setattr(result_tables, "_CARD_BLOCK", 1)
        table = card_table(experiment, FinishedGames(experiment, journal, range(len(journal))))
    assert table is not None
    pd.testing.assert_frame_equal(table.round(4), pd.read_csv(folder / "cards.csv"), check_dtype=False)


def test_damaged_table_of_cards_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = run_tournament(small(games=1), tmp_path, workers=1)
    pd.read_csv(folder / "cards.csv").drop(columns="drawn_low").to_csv(folder / "cards.csv", index=False)
    assert main(["report", str(folder)]) == 2
    assert capsys.readouterr().err.endswith("cards.csv: missing column drawn_low\n")
