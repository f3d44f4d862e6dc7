"""`planner tournament`: play an experiment, show how it goes, say where the tables are."""

from __future__ import annotations

import json
from pathlib import Path
from time import monotonic
from typing import Annotated, Final

import typer
from rich import box
from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar
from rich.table import Table

from planner.arena.experiment import Experiment
from planner.arena.experiment_file import load_experiment
from planner.arena.run import Progress, run_tournament
from planner.arena.store import SUMMARY
from planner.cli.common import EXIT_INTERRUPTED, NoColor, console, examples
from planner.cli.reporting import show_matrix, show_summary

_LINE_SECONDS: Final = 10.0  # between two lines where there is no terminal
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
        int | None, typer.Option(min=1, help="Games per pairing, for a quick look; the folder is then NAME-GAMES.")
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
        with _Watcher(screen, loaded) as watch:
            folder = run_tournament(loaded, out, workers, resume, dask, watch.update)
    except KeyboardInterrupt:
        typer.echo("interrupted; the finished games are kept, and --resume continues", err=True)
        raise typer.Exit(EXIT_INTERRUPTED) from None
    show_result(screen, folder)


class _Watcher:
    """The progress bar with the standings below it; without a terminal, a line now and then."""

    def __init__(self, screen: Console, experiment: Experiment) -> None:
        self.screen, self.experiment = screen, experiment
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

    def __enter__(self) -> _Watcher:
        if self.live is not None:
            self.live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self.live is not None:
            self.live.stop()

    def update(self, progress: Progress) -> None:
        """Show how far it is."""
        if progress.repaired:
            self.screen.print(f"removed {progress.repaired} half-written line(s) from the journal", soft_wrap=True)
            progress.repaired = 0
        speed, left = f"{progress.games_per_second:.1f} games/s", _time_left(progress)
        if self.live is not None:
            self.bar.update(self.task, completed=progress.done, total=progress.total, speed=speed, left=left)
            self.live.update(Group(self.bar, standings(self.experiment.names, progress)))
        elif monotonic() - self.told >= _LINE_SECONDS:
            self.told = monotonic()
            best = ", ".join(f"{name} {score:.1%}" for name, score, _ in _ranking(self.experiment.names, progress)[:3])
            self.screen.print(f"{progress.done}/{progress.total} games, {speed}, {left}; {best}", soft_wrap=True)


def _time_left(progress: Progress) -> str:
    if not progress.games_per_second:
        return ""
    seconds = round((progress.total - progress.done) / progress.games_per_second)
    hours, minutes = seconds // 3600, seconds // 60 % 60
    return f"{hours}:{minutes:02}:{seconds % 60:02} left" if hours else f"{minutes}:{seconds % 60:02} left"


def _ranking(names: list[str], progress: Progress) -> list[tuple[str, float, int]]:
    """Name, score and games of those who have met somebody else, best first."""
    rows = zip(names, progress.points, progress.games, strict=True)
    return sorted(((name, points / games, games) for name, points, games in rows if games), key=lambda row: -row[1])


def standings(names: list[str], progress: Progress) -> Table:
    """The scores so far, best first, without matches of an agent against itself."""
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("standings")
    table.add_column("score", justify="right")
    table.add_column("games", justify="right")
    for name, score, games in _ranking(names, progress)[:_SHOWN_AGENTS]:
        table.add_row(name, f"{score:.1%}", str(games))
    return table


def show_result(screen: Console, folder: Path) -> None:
    """What the finished run found, its length, and where everything is."""
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    alone = (folder / SUMMARY).exists()
    if alone:
        show_summary(screen, folder / SUMMARY)
    else:
        from planner.results import load  # noqa: PLC0415  (half a second that other commands need not spend)

        show_matrix(screen, load(folder))
    speed = manifest["games_per_second"]
    often = f", {speed:.1f} a second" if speed else ""
    screen.print(f"{manifest['games']} games in {manifest['seconds']:.1f} s{often}")
    if "sprt" in manifest:
        screen.print(f"SPRT: {manifest['sprt']['decision']} (LLR {manifest['sprt']['llr']:.2f})")
    tables = sorted(path.name for path in folder.iterdir() if path.suffix in (".csv", ".parquet"))
    screen.print(f"tables: {folder}/ ({', '.join(tables)})", soft_wrap=True)
    if alone:
        from planner.arena.solo_report import write_solo_report  # noqa: PLC0415  (loads the plotting library)

        page = write_solo_report(folder)[0]
    else:
        from planner.arena.report import write_report  # noqa: PLC0415  (see above)

        page = write_report(folder)
    screen.print(f"report: {page} (opens in a browser, needs no network)", soft_wrap=True)
