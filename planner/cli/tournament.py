"""`planner tournament`: play an experiment, show how it goes, say where the tables are."""

from __future__ import annotations

import json
from pathlib import Path
from time import monotonic
from typing import Annotated, Any, Final

import typer
from rich import box
from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar
from rich.table import Table
from rich.text import Text

from planner.arena.tournament.experiment import MAX_GAMES, Experiment
from planner.arena.tournament.experiment_file import load_experiment
from planner.arena.tournament.run_store import STDERR, SUMMARY
from planner.arena.tournament.runner import Progress, run_tournament
from planner.cli.common import EXIT_INTERRUPTED, NoColor, console, examples, interruptible
from planner.cli.reporting import show_matrix, show_ratings, show_summary, show_test

_LINE_SECONDS: Final = 10.0  # between two lines where there is no terminal
_KNOWN_SECONDS: Final = 5.0  # after these, and this many games, the speed is known well enough
_KNOWN_GAMES: Final = 20
_SHOWN_AGENTS: Final = 20


def register(app: typer.Typer) -> None:
    """Add this module's command."""
    app.command(
        epilog=examples(
            "planner tournament quick",
            "planner tournament experiments/thesis.yaml --workers 8",
            "planner tournament experiments/thesis.yaml --resume",
            "planner tournament my_experiment.yaml --games 20",
            "planner tournament thesis --dask tcp://127.0.0.1:8786",
        )
    )(tournament)


def tournament(
    experiment: Annotated[
        str, typer.Argument(metavar="EXPERIMENT", help="A YAML file, or the name of an experiment that comes with us.")
    ],
    workers: Annotated[
        int | None, typer.Option(min=1, max=1024, help="Processes that play; as many as there are cores, unless given.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with a run that was interrupted.")] = False,
    dask: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Let the workers of this Dask cluster play instead.")
    ] = None,
    out: Annotated[Path, typer.Option(help="The folder that gets a folder with the experiment's name.")] = Path(
        "results"
    ),
    games: Annotated[
        int | None,
        typer.Option(min=1, max=MAX_GAMES, help="Games per pairing, for a quick look; the folder is then NAME-GAMES."),
    ] = None,
    no_color: NoColor = False,
) -> None:
    """Play all games of an experiment file and write the tables.

    The file names agents, decks, rules, the number of games and a seed. The
    seed decides every game, so the tables are the same whatever the number
    of workers, and after any interruption. Finished games are on the disk
    within seconds: --resume continues.

    An agent given as module:Class is a program, and it is run: do not play
    experiments of people whom you do not trust.
    """
    loaded = load_experiment(experiment)
    if games is not None:
        loaded = loaded.with_games(games)
    screen = console(no_color)
    try:
        with interruptible(), _Watcher(screen, loaded, resume) as watch:
            folder = run_tournament(loaded, out, workers, resume, dask, watch.update)
    except KeyboardInterrupt:
        typer.echo("interrupted; the finished games are kept, and --resume continues", err=True)
        raise typer.Exit(EXIT_INTERRUPTED) from None
    show_result(screen, folder)


class _Watcher:
    """The progress bar with the standings below it; without a terminal, a line now and then."""

    def __init__(self, screen: Console, experiment: Experiment, resume: bool) -> None:
        self.screen, self.experiment, self.resume = screen, experiment, resume
        self.bar = Bar(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[speed]}"),
            TimeElapsedColumn(),
            TextColumn("{task.fields[left]}"),
            console=screen,
        )
        self.task = self.bar.add_task(experiment.name, total=None, speed="", left="")
        self.live = Live(console=screen, refresh_per_second=4, transient=True) if screen.is_terminal else None
        self.told = monotonic()
        self.begun = self.foretold = False
        self.first: tuple[float, int] | None = None  # seconds and games when the first ones of this run had come in

    def __enter__(self) -> _Watcher:
        if self.live is not None:
            self.live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self.live is not None:
            self.live.stop()

    def update(self, progress: Progress) -> None:
        """Show how far it is."""
        if not self.begun:
            self.begun = True
            self._say(what_lies_ahead(self.experiment.name, progress, self.resume))
        self._foretell(progress)
        speed, left = f"{progress.games_per_second:.1f} games/s", _time_left(progress)
        if self.live is not None:
            self.bar.update(self.task, completed=progress.done, total=progress.total, speed=speed, left=left)
            test = Text(_test(progress))
            self.live.update(Group(self.bar, standings(self.experiment.names, progress), test))
        elif monotonic() - self.told >= _LINE_SECONDS:
            self.told = monotonic()
            best = _ranking(self.experiment.names, progress)[:3]
            shown = "".join(f"; {name} {score:.1%} ({low:.1%} to {high:.1%})" for name, score, low, high, _ in best)
            lines = f"{progress.done}/{progress.total} games, {speed}, {left}{shown}", _test(progress)
            self._say("; ".join(filter(None, lines)))

    def _foretell(self, progress: Progress) -> None:
        """Once the speed is known: from the first games that came in, since processes take a while to start."""
        if self.first is None and progress.done > progress.before:
            self.first = progress.seconds, progress.done
        elif self.first is not None and not self.foretold:
            seconds, games = progress.seconds - self.first[0], progress.done - self.first[1]
            if seconds >= _KNOWN_SECONDS and games >= _KNOWN_GAMES:
                self.foretold = True
                how_long = seconds_in_words(progress.left * seconds / games)
                self._say(f"about {how_long} for the {progress.left:,} games that are left")

    def _say(self, line: str) -> None:
        self.screen.print(Text(line), soft_wrap=True)


def what_lies_ahead(name: str, progress: Progress, resume: bool) -> str:
    """The first line: how many games there are to play, and what an earlier run has left of them."""
    to_play = f"{'at most ' if progress.sprt else ''}{progress.left:,} games to play"
    if not resume:
        return f"{name}: {to_play}"
    lines = f"{progress.repaired:,} half-written line{'s' * (progress.repaired != 1)} of the journal"
    dropped = f"; dropped {lines}, whose games are played again" if progress.repaired else "; nothing was damaged"
    if not progress.left or (progress.sprt and progress.sprt["decision"] != "continue"):
        to_play = "nothing is left to play, and the tables are written anew"
    return f"{name}: found {progress.before:,} finished games of {progress.total:,}{dropped}; {to_play}"


def _test(progress: Progress) -> str:
    test = progress.sprt
    if test is None:
        return ""
    return f"LLR {test['llr']:.2f} ({test['lower']:.2f} to {test['upper']:.2f}) after {test['games']:,} games"


def _time_left(progress: Progress) -> str:
    if not progress.games_per_second:
        return ""
    seconds = round(progress.left / progress.games_per_second)
    hours, minutes = seconds // 3600, seconds // 60 % 60
    return f"{hours}:{minutes:02}:{seconds % 60:02} left" if hours else f"{minutes}:{seconds % 60:02} left"


def seconds_in_words(seconds: float) -> str:
    """A time to come, as far as one can know it."""
    if seconds < 120:
        return f"{seconds:.0f} seconds"
    if seconds < 7200:
        return f"{seconds / 60:.0f} minutes"
    days = f" ({seconds / 86400:,.0f} days)" if seconds >= 2 * 86400 else ""
    return f"{seconds / 3600:,.{0 if days else 1}f} hours{days}"


def _ranking(names: list[str], progress: Progress) -> list[tuple[str, float, float, float, int]]:
    """Name, score with its interval, and games of those who have met somebody else, best first."""
    from planner.stats.intervals import wilson  # noqa: PLC0415  (numpy and scipy, when games come in)

    rows = zip(names, progress.points, progress.games, strict=True)
    scored = [(name, *wilson(points, games), games) for name, points, games in rows if games]
    return sorted(scored, key=lambda row: -row[1])


def standings(names: list[str], progress: Progress) -> Table:
    """The scores so far with their intervals, best first, without matches of an agent against itself."""
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("standings")
    for header in ("score", "95 % interval", "games"):
        table.add_column(header, justify="right", no_wrap=True)
    for name, score, low, high, games in _ranking(names, progress)[:_SHOWN_AGENTS]:
        table.add_row(Text(name), f"{score:.1%}", f"{low:.1%} to {high:.1%}", str(games))
    return table


def show_result(screen: Console, folder: Path) -> None:
    """What the finished run found, its length, and where everything is."""
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    alone = (folder / SUMMARY).exists()
    if alone:
        from planner.arena.report.solo_report import write_solo_report  # noqa: PLC0415  (loads the plotting library)

        show_summary(screen, folder / SUMMARY)
        page = write_solo_report(folder)[0]
    else:
        from planner.arena.report.tournament_report import write_report  # noqa: PLC0415  (see above)
        from planner.arena.report.tournament_results import load_results  # noqa: PLC0415  (half a second that other commands need not spend)

        found = load_results(folder)
        show_matrix(screen, found)
        show_ratings(screen, found)
        show_test(screen, found)
        page = write_report(folder)
    screen.print(speed_line(manifest))
    tables = sorted(path.name for path in folder.iterdir() if path.suffix in (".csv", ".parquet"))
    screen.print(f"tables: {folder}/ ({', '.join(tables)})", soft_wrap=True)
    if (folder / STDERR).exists():
        screen.print(f"what agents wrote to stderr: {folder / STDERR}", soft_wrap=True)
    screen.print(f"report: {page} (opens in a browser, needs no network)", soft_wrap=True)


def speed_line(manifest: dict[str, Any]) -> str:
    """How many games were played, how long that took, and how many of them count."""
    played = manifest.get("played", manifest["games"])
    speed = manifest["games_per_second"]
    often = f", {speed:.1f} a second" if speed else ""
    counted = f"; the first {manifest['games']:,} count" if played != manifest["games"] else ""
    return f"{played} games in {manifest['seconds']:.1f} s{often}{counted}"
