"""The report page: complete, self-contained, the same bytes for the same results, and safe with any name."""

from __future__ import annotations

import base64
import re
import shutil
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from planner.arena.report import html_page, report_plots, tournament_report
from planner.arena.report.report_files import report_of, write_report
from planner.arena.report.tournament_results import Results, guo_results, load_results
from planner.arena.tournament.result_tables import write_csv
from planner.cli import app, main
from planner.stats import figure_style
from planner.stats.games_table import matchup_matrix
from planner.stats.intervals import wilson
from tests.arena.folders import PROFILES, made_up

VOID = {"meta", "img", "br"}


class Checker(HTMLParser):
    """Checks that tags are closed in order, and that the page loads nothing and runs no script."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.pictures: list[dict[str, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        assert tag not in {"script", "link", "iframe", "object"}
        assert not any(name.startswith("on") for name in given)
        for name in ("src", "href"):
            assert (given.get(name) or "data:").startswith(("data:", "#"))
        if tag == "img":
            self.pictures.append(given)
        if given.get("id"):
            self.ids.append(str(given["id"]))
        if tag == "a":
            self.links.append(str(given["href"]))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def checked(text: str) -> Checker:
    checker = Checker()
    checker.feed(text)
    checker.close()
    assert checker.open == []
    assert len(set(checker.ids)) == len(checker.ids)
    assert {link[1:] for link in checker.links} <= set(checker.ids)
    assert "url(" not in text
    assert "@import" not in text
    return checker


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_up(tmp_path_factory.mktemp("results"), games=6, draws=0.05, crashes=0.1)


@pytest.fixture(autouse=True)
def few_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tournament_report, "NASH_SAMPLES", 10)


@pytest.fixture
def copy(folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(folder, tmp_path / "copy"))


def test_page_contains_everything(folder: Path) -> None:
    text = report_page(load_results(folder))
    checker = checked(text)
    sections = ["matrix", "ratings", "nash", "seats", "length", "times", "forfeits", "matchups", "run"]
    assert checker.ids == sections
    assert len(checker.pictures) == 5
    assert all(picture["alt"] for picture in checker.pictures)
    drawings = [base64.b64decode(str(picture["src"]).split(",", 1)[1]).decode() for picture in checker.pictures]
    assert all(drawing.rstrip().endswith("</svg>") for drawing in drawings)
    assert all(f">{agent}</text>" in drawings[0] for agent in PROFILES)
    assert not any("<dc:date>" in drawing for drawing in drawings)
    assert all(agent in text for agent in PROFILES)
    assert text.count('<td class="text">keep_alive</td><td class="text">aggro_face</td>') == 2  # pairs, pairings
    assert "always had the deck Thesis paladin, the second Thesis warrior" in text
    assert "ValueError: &lt;made up&gt;" in text
    assert "Likelihood of superiority" in text
    assert "Paired results" in text


def test_same_results_give_the_same_bytes(copy: Path, folder: Path) -> None:
    names = ("report.html", "wins.png", "turns.png")
    assert write_report(load_results(copy), copy) == [copy / name for name in names]
    first = [(copy / name).read_bytes() for name in names]
    write_report(load_results(copy), copy)
    assert [(copy / name).read_bytes() for name in names] == first
    assert all(content.startswith(b"\x89PNG") for content in first[1:])
    assert not list(copy.glob("*.tmp*"))


def test_names_are_escaped(folder: Path) -> None:
    name = '<b onclick="x">$\\alpha_{&'
    results = load_results(folder)
    games, matrix, ratings, times = (
        table.replace("keep_alive", name) for table in (results.games, results.matrix, results.ratings, results.times)
    )
    manifest = results.manifest | {"agents": [name, *PROFILES[1:]], "experiment": "</pre><script>"}
    strange = replace(
        results, name="</title>", games=games, matrix=matrix, ratings=ratings, times=times, manifest=manifest
    )
    text = report_page(strange)
    drawing = base64.b64decode(str(checked(text).pictures[0]["src"]).split(",", 1)[1]).decode()
    assert "&lt;b onclick=&quot;x&quot;&gt;$\\alpha_{&amp;" in text
    assert ">&lt;b onclick=" in drawing
    assert "$\\alpha_{&amp;" in drawing


def test_page_from_counts_alone() -> None:
    checker = checked(report_page(guo_results()))
    assert "times" not in checker.ids
    assert "forfeits" not in checker.ids
    assert len(checker.pictures) == 4


def test_missing_pairings_omit_only_nash_averaging(tmp_path: Path) -> None:
    folder = made_up(tmp_path, "random", "greedy", "aggro_face", pairs="first", games=3)
    text = report_page(load_results(folder))
    checked(text)
    assert "have not met" in text
    assert "nan" not in re.sub('base64,[^"]*', "", text)


def test_mirror_matches_alone(tmp_path: Path) -> None:
    text = report_page(load_results(made_up(tmp_path, "random", games=3)))
    checker = checked(text)
    assert "ratings" not in checker.ids
    assert "nash" not in checker.ids
    assert "nan" not in re.sub('base64,[^"]*', "", text)


def test_heatmaps_grow_with_the_agents_and_leave_gaps() -> None:
    names = [f"agent {k}" for k in range(30)]
    square = pd.DataFrame(np.random.default_rng(1).random((30, 30)), names, names)
    square.iloc[3, 4] = np.nan
    drawing = figure_style.svg(report_plots.wins_heatmap(square)).decode()
    assert ">agent 29</text>" in drawing
    numbered = figure_style.svg(report_plots.wins_heatmap(square.iloc[:6, :6])).decode()
    assert len(re.findall(r">\d+\.\d</text>", numbered)) == 35
    assert not re.findall(r">\d+\.\d</text>", drawing)
    empty = pd.DataFrame(np.nan, ["a"], ["b"])
    assert figure_style.svg(report_plots.turns_heatmap(empty))


def test_one_half_is_white_and_text_is_readable() -> None:
    assert min(figure_style.DIVERGING(0.5)[:3]) > 0.95
    for colours in (figure_style.DIVERGING, figure_style.SEQUENTIAL):
        for share in np.linspace(0, 1, 101):
            assert contrast(colours(float(share))) >= 4.5


def contrast(background: tuple[float, float, float, float]) -> float:
    """Return the WCAG contrast of the text on this colour."""
    written = report_plots._readable(background)
    colour = {"white": (1.0, 1.0, 1.0), "black": (0.0, 0.0, 0.0)}[written]
    light, dark = sorted((luminance(colour), luminance(background[:3])), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: tuple[float, ...]) -> float:
    parts = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), parts, strict=True))


def report_page(results: Results) -> str:
    return report_of(results).page()


def visible(text: str) -> str:
    """Return the visible text of a page in one line."""
    return " ".join(re.sub(r"<[^>]+>", " ", re.sub(r"<style>.*?</style>", "", text, flags=re.DOTALL)).split())


def test_tie_for_the_best_agent(tmp_path: Path) -> None:
    results = load_results(made_up(tmp_path, "random", "greedy", "aggro_face", games=2))
    level = results.ratings.assign(elo=[0.04, 0.0, -0.04])
    text = visible(report_page(replace(results, ratings=level)))
    assert re.search(r"a tie of all 3 agents by Elo: \+0\.0 ± \d", text)
    two = visible(report_page(replace(results, ratings=results.ratings.assign(elo=[10.0, 10.0, -20.0]))))
    assert "a tie of the best 2 agents by Elo: +10.0" in two
    small_lead = visible(report_page(replace(results, ratings=results.ratings.assign(elo=[0.3, 0.0, -0.3]))))
    assert re.search(rf"{results.ratings['agent'].iloc[0]} best by Elo: \+0\.3 ±", small_lead)


def test_speed_has_three_digits_and_counts_all_played_games(folder: Path) -> None:
    results = load_results(folder)
    text = visible(report_page(replace(results, manifest=results.manifest | {"games_per_second": 64.399})))
    assert "of play, 64.4 games per second Matchups" in text
    more = results.manifest | {"games_per_second": 1234.5, "played": len(results.games) + 32}
    text = visible(report_page(replace(results, manifest=more)))
    assert "1.23e+03" not in text
    assert "of play, 1,234 games per second; 32 games finished after the decision" in text


def test_interval_has_the_same_digits_everywhere(tmp_path: Path) -> None:
    """Tables have four digits; rounding them again turned 64.249 into 64.3 in one place and 64.2 in another."""

    def twice(won: int, games: int) -> bool:
        ends = wilson(won, games)
        return any(html_page.percent(end) != html_page.percent(round(end, 4)) for end in ends)

    games, won = next((n, k) for n in range(20, 400) for k in range(n) if twice(k, n))
    name = "greedy"
    folder = made_up(tmp_path, name, "random", games=games)
    results = load_results(folder)
    mirrors = results.games.index[(results.games["p1"] == name) & (results.games["p2"] == name)]
    results.games.loc[mirrors, "winner"] = np.array([0] * won + [1] * (games - won), np.int8)
    results.games.to_parquet(folder / "games.parquet")
    matrix = matchup_matrix(results.games, results.agents).rename(columns={"p1": "p1_profile", "p2": "p2_profile"})
    write_csv(folder / "matrix.csv", matrix)
    score, low, high = wilson(won, games)
    shown = f"{html_page.percent(score)} {html_page.span(low, high)}"
    text = visible(report_page(load_results(folder)))
    assert text.count(shown) == 2  # all pairings, and the mirror in the table of seats


def test_times_count_decisions_that_took_thought(folder: Path) -> None:
    results = load_results(folder)
    assert "Only decisions that took thought count" in visible(report_page(results))
    old = results.times.drop(columns="thought")
    assert "the median of a planner is that of such a step" in visible(report_page(replace(results, times=old)))


def test_names_are_not_broken_in_tiles() -> None:
    tile = next(line for line in html_page.STYLE.splitlines() if line.startswith(".tiles b"))
    assert "anywhere" not in tile  # that would let a tile be narrower than a name


@pytest.mark.parametrize(
    ("value", "words"),
    [(2.5e-6, "2.5 µs"), (0.0009997, "1 ms"), (0.9997, "1.0 s"), (0.00123, "1.23 ms"), (1.5, "1.5 s"), (125, "2 min 05 s"), (7260, "2 h 01 min"),
     (float("nan"), "–")],
)  # fmt: skip
def test_format_of_times(value: float, words: str) -> None:
    assert html_page.seconds(value) == words


def test_report_command_prints_and_writes(copy: Path) -> None:
    result = CliRunner(env={"COLUMNS": "80", "TERM": "dumb", "NO_COLOR": "1"}).invoke(
        app, ["report", str(copy), "--thesis"]
    )
    assert result.exit_code == 0, result.output
    text = result.stdout
    assert re.search(r"1 keep_alive +\d+\.\d", text)
    assert re.search(r"keep_alive +[+-]\d+ +[+-]\d+ to [+-]\d+ +\d+\.\d% +72", text)
    assert re.search(r"wins +0\.\d{3} +0\.\d{3} +\d+\.\d points", text)
    assert "The first seat scores " in text
    assert str(copy / "report.html") in text
    assert (copy / "report.html").exists()
    assert (copy / "wins.png").exists()
    tables = [line for line in text.splitlines() if str(copy) not in line]
    assert max(map(len, tables)) <= 80


def test_report_command_colours_wins_and_losses(copy: Path) -> None:
    coloured = CliRunner(env={"FORCE_COLOR": "1", "NO_COLOR": None, "TERM": "xterm-256color"})
    text = coloured.invoke(app, ["report", str(copy)]).stdout
    assert re.search(r"\x1b\[1;32m100\.0", text)
    assert re.search(r"\x1b\[(1;)?31m", text)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["report", "none"], "none: no such results"),
        (["report", "no/where"], "no/where: no such folder"),
        (["report", "."], "is not a results folder"),
        (["report", "unrelated", "--thesis"], "0 pairings in common"),
    ],
)
def test_errors_are_one_line(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    made_up(tmp_path, "random", "greedy", games=1, name="unrelated")
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert message in err
    assert len(err.splitlines()) == 1
    assert not (tmp_path / "unrelated" / "report.html").exists()
