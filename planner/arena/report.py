"""`report.html`: everything that a tournament found, on one page that opens without a network."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from matplotlib.figure import Figure

from planner.arena import plots
from planner.arena.journal import write_bytes
from planner.arena.loaded import Results, read_results
from planner.arena.page import (
    Html,
    folded,
    interval_bar,
    note,
    number,
    page,
    paragraph,
    percent,
    picture,
    seconds,
    section,
    span,
    table,
    text,
    tiles,
)
from planner.files import PlannerError
from planner.stats.frame import UNPAIRED, pair_ids
from planner.stats.length import length_by_agent, length_distribution
from planner.stats.paired import paired_table

REPORT: Final = "report.html"
HEATMAPS: Final = ("wins.png", "turns.png")
NASH_SAMPLES = 200  # of the bootstrap: small tournaments have many equilibria, and each new one takes a while
_SUMMARY: Final = ("name", "seed", "rules", "decks", "games_per_pairing", "pairs", "swap", "workers", "digest")


def write_report(folder: str | os.PathLike[str]) -> Path:
    """Write the report and the heatmaps of a finished run into its folder; the path of the report."""
    found = read_results(Path(folder))
    wins, turns = plots.wins_heatmap(found.scores()), plots.turns_heatmap(found.turns())
    files = {
        "wins.png": plots.png(wins),
        "turns.png": plots.png(turns),
        REPORT: report_page(found, (wins, turns)).encode(),
    }
    for name, content in files.items():
        try:
            write_bytes(Path(folder) / name, content)
        except OSError as error:
            raise PlannerError(f"{Path(folder) / name}: {error.strerror}") from None
    return Path(folder) / REPORT


def report_page(found: Results, heatmaps: tuple[Figure, Figure] | None = None) -> str:
    """The page; the same results give the same bytes. `heatmaps` are those of scores and turns, if drawn already."""
    wins, turns = heatmaps or (plots.wins_heatmap(found.scores()), plots.turns_heatmap(found.turns()))
    sections = [
        ("matrix", "Who beats whom", list(_matrix(wins, turns))),
        ("ratings", "Ratings", list(_ratings(found))),
        ("nash", "Nash averaging", list(_nash(found))),
        ("seats", "The first seat", list(_seats(found))),
        ("length", "Length of matches", list(_length(found))),
        ("times", "Time per decision", list(_times(found))),
        ("forfeits", "Forfeits", list(_forfeits(found))),
        ("matchups", "All pairings", list(_matchups(found))),
        ("run", "The run", list(_run(found))),
    ]
    shown = [entry for entry in sections if entry[2]]
    links = "".join(f'<a href="#{anchor}">{title}</a>' for anchor, title, _ in shown)
    parts: list[str] = [*_head(found), f"<nav>{links}</nav>"]
    parts += [section(anchor, title, *content, warning=anchor == "forfeits") for anchor, title, content in shown]
    return page(f"{found.name}: tournament report", parts)


def _head(found: Results) -> Iterator[Html]:
    manifest, games = found.manifest, found.games
    yield Html(f"<h1>{text(found.name)}</h1>")
    rules = f" under the rules “{manifest['rules']}”" if manifest.get("rules") else ""
    seed = f", seed {manifest['seed']}" if "seed" in manifest else ""
    yield note(f"Tournament of {len(found.agents)} agents{rules}{seed}.")
    seat = found.first_seat.score
    numbers: list[tuple[object, object]] = [(f"{len(games):,}", "games")]
    if len(found.ratings):
        best = found.ratings.iloc[0]
        numbers.append(
            (best["agent"], f"best by Elo: {best['elo']:+.0f}\u00a0±\u00a0{(best['high'] - best['low']) / 2:.0f}")
        )
    numbers.append((percent(seat.estimate), f"score of the first seat ({span(seat.low, seat.high)})"))
    numbers.append((number(float(games["rounds"].mean())), "rounds a match, on average"))
    if manifest.get("seconds"):
        speed = manifest.get("games_per_second")
        numbers.append((seconds(manifest["seconds"]), f"of play, {speed:g} games a second" if speed else "of play"))
    yield tiles(numbers)
    if "sprt" in manifest:
        test = manifest["sprt"]
        yield section("sprt", "Sequential test", paragraph(f"{test['decision']}, LLR {test['llr']:.2f}"))


def _matrix(wins: Figure, turns: Figure) -> Iterator[Html]:
    yield note(
        "Score of the agent in the first seat (rows) against the one in the second seat (columns): wins "
        "plus half the draws. Blue above 50 %, orange below; grey where two did not meet."
    )
    words = "Heatmap of the first seat's score; the numbers stand in the table of all pairings"
    yield picture(plots.svg(wins), words)
    yield note("Average length of a match in rounds, darker is longer.")
    words = "Heatmap of the average number of rounds; the numbers stand in the table of all pairings"
    yield picture(plots.svg(turns), words)


def _ratings(found: Results) -> Iterator[Html]:
    if not len(found.ratings):
        return
    ratings, fitted = found.ratings, found.fitted
    worth = fitted.first_seat
    yield note(
        "Bradley-Terry with draws and a seat advantage (Davidson 1970), fitted to all games at once. 400 "
        "points are a factor of ten in the odds of a win to a loss."
    )
    yield picture(plots.svg(plots.elo_plot(ratings)), "Elo of every agent with its interval; the table follows")
    yield table(
        ["agent", "Elo", "95 % interval", "score", "games"],
        [(row["agent"], number(row["elo"], "+.1f"), _reach(row), percent(row["score"]),
          f"{row['games']:,}") for row in ratings.to_dict("records")],
    )  # fmt: skip
    yield note(
        f"The first seat is worth {number(worth.estimate, '+.1f')} Elo ({_reach(worth._asdict())}). "
        "Score and games leave out matches of an agent against itself."
    )
    sure = fitted.superiority()
    rows = [
        (agent, *("" if agent == other else percent(float(sure.loc[agent, other])) for other in sure.columns))
        for agent in sure.index
    ]
    caption = note("How sure it is that the agent on the left is stronger than the one above.")
    yield folded("Likelihood of superiority", caption, table(["", *map(str, sure.columns)], rows))
    if (pair_ids(found.games) != UNPAIRED).any():
        yield folded("Paired results", *_pairs(found))


def _pairs(found: Results) -> Iterator[Html]:
    yield note(
        "The two games of a pair share a seed with the seats swapped, so most luck cancels; a pair gives "
        "0 to 2 points to the agent on the left."
    )
    rows = [
        (row["agent"], row["opponent"], *(row[f"points_{points}"] for points in ("0", "0.5", "1", "1.5", "2")),
         percent(row["score"]), span(row["score_low"], row["score_high"]), _elo(row["elo"]), percent(row["los"]))
        for row in paired_table(found.games, found.agents).to_dict("records")
    ]  # fmt: skip
    yield table(
        ["agent", "opponent", "0", "½", "1", "1½", "2", "score", "95 % interval", "Elo", "superior"], rows, words=2
    )


def _reach(row: dict[Any, Any], factor: float = 1) -> str:
    return f"{number(factor * row['low'], '+.1f')} to {number(factor * row['high'], '+.1f')}"


def _elo(value: float) -> str:
    return number(value, "+.0f") if math.isfinite(value) else ("∞" if value > 0 else "−∞" if value < 0 else "–")


def _nash(found: Results) -> Iterator[Html]:
    if len(found.agents) < 2:
        return
    try:
        ranked = found.nash(NASH_SAMPLES)
    except PlannerError as error:
        yield note(f"Not available: {error}.")
        return
    yield note(
        "A ranking that does not depend on who was entered: opponents weigh as much as they do in the "
        "equilibrium of “name an agent”, so entering a weak agent twice changes nothing. The share is an agent's "
        "part in that mixture, the skill its expected score against it; intervals by bootstrap."
    )
    yield table(
        ["agent", "skill", "95 % interval", "", "share", "95 % interval", "in the mixture"],
        [(row["agent"], percent(row["skill"]), span(row["skill_low"], row["skill_high"]),
          interval_bar(row["skill"], row["skill_low"], row["skill_high"]), percent(row["mass"]),
          span(row["mass_low"], row["mass_high"]), percent(row["in_mixture"], 0)) for row in ranked.to_dict("records")],
    )  # fmt: skip


def _seats(found: Results) -> Iterator[Html]:
    by_agent, seat, decks = found.first_player_advantage(), found.first_seat, found.seat_decks()
    yield paragraph(
        f"The first seat scored {percent(seat.score.estimate)} of all games ({span(seat.score.low, seat.score.high)})."
    )
    if decks:
        yield paragraph(
            f"The first seat always held the deck {decks[0]}, the second {decks[1]}: these numbers are "
            "the worth of seat and deck together."
        )
    if by_agent["difference"].notna().any():
        words = "Each agent's score from both seats against the same opponents; the table follows"
        yield picture(plots.svg(plots.seat_plot(by_agent)), words, "At the right: first minus second seat, in points.")
    yield table(
        ["agent", "first seat", "second seat", "difference", "95 % interval", "mirror: first seat", "95 % interval"],
        [(row["agent"], percent(row["first_score"]), percent(row["second_score"]),
          number(100 * row["difference"], "+.1f"),
          _reach(row, 100),
          percent(row["mirror_score"]), span(row["mirror_low"], row["mirror_high"]))
         for row in by_agent.to_dict("records")],
    )  # fmt: skip


def _length(found: Results) -> Iterator[Html]:
    if found.from_counts:
        yield note("Only averages are known: the games themselves are not in this folder.")
        return
    by_agent = length_by_agent(found.games, found.agents)
    words = "Histogram of the rounds of all matches, and quantiles for each agent; the table follows"
    yield picture(plots.svg(plots.length_plot(length_distribution(found.games), by_agent)), words)
    columns = ("mean", "deviation", "min", "p10", "q25", "median", "q75", "p90", "max")
    rows = [(row["agent"], f"{row['games']:,}", *(number(row[column]) for column in columns))
            for row in by_agent.to_dict("records")]  # fmt: skip
    yield folded("Numbers", table(["agent", "games", *columns], rows))


def _times(found: Results) -> Iterator[Html]:
    columns = ("mean", "p50", "p90", "p95", "p99", "max")
    if not {"agent", "decisions", *columns} <= set(found.times):
        return
    yield note(
        "Seconds on the wall clock, from the question to the answer. Percentiles come from bins, ten to "
        "a factor of ten; mean and longest are exact."
    )
    rows = [(row["agent"], f"{row['decisions']:,}", *(seconds(row[column]) for column in columns))
            for row in found.times.to_dict("records")]  # fmt: skip
    yield table(["agent", "decisions", "mean", "median", "90 %", "95 %", "99 %", "longest"], rows)


def _forfeits(found: Results) -> Iterator[Html]:
    lost = found.forfeits()
    if not len(lost):
        return
    total = int(lost["games"].sum())
    yield paragraph(
        f"{total:,} of {len(found.games):,} games ended because an agent crashed, answered with an "
        "illegal action or ran out of time. The opponent won them."
    )
    rows = [(row["agent"], row["kind"], f"{row['games']:,}", row["example"]) for row in lost.to_dict("records")]
    yield table(["agent", "kind", "games", "for example"], rows, words=2, long=3)


def _matchups(found: Results) -> Iterator[Html]:
    yield note("The first seat's view; the interval of its score is Wilson's for 95 %.")
    matrix = found.matrix.reindex(columns=[*found.matrix.columns, *({"turns_low", "turns_high"} - set(found.matrix))])
    rows = [
        (row["p1_profile"], row["p2_profile"], f"{row['games']:,}", row["p1_wins"], row["p2_wins"], row["draws"],
         percent(row["p1_score"]), span(row["p1_low"], row["p1_high"]),
         interval_bar(row["p1_score"], row["p1_low"], row["p1_high"]), number(row["avg_turns"], ".2f"),
         f"± {(row['turns_high'] - row['turns_low']) / 2:.2f}" if math.isfinite(row["turns_high"]) else "")
        for row in matrix.to_dict("records")
    ]  # fmt: skip
    yield table(
        ["first seat", "second seat", "games", "wins", "losses", "draws", "score", "95 % interval", "", "rounds", ""],
        rows, words=2,
    )  # fmt: skip


def _run(found: Results) -> Iterator[Html]:
    manifest = found.manifest
    rows = [(key.replace("_", " "), _words(manifest[key])) for key in _SUMMARY if manifest.get(key) is not None]
    rows += [(key, _words(manifest[key])) for key in ("machine", "versions") if manifest.get(key)]
    yield table(["", ""], rows, words=2, long=1)
    if manifest.get("experiment"):
        yield folded("Experiment file", Html(f"<pre>{text(str(manifest['experiment']).rstrip())}</pre>"))
    rest = {key: value for key, value in manifest.items() if key != "experiment"}
    yield folded("Manifest", Html(f"<pre>{text(json.dumps(rest, indent=2, ensure_ascii=False))}</pre>"))


def _words(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {entry}" for key, entry in value.items() if entry is not None)
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
