"""`planner tune`: weights found by search, against a league."""

from __future__ import annotations

from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Final

import typer

from planner.cli.common import EXIT_INTERRUPTED, NoColor, console, examples

if TYPE_CHECKING:
    from rich.console import Console

    from planner.arena.tournament.runner import Progress
    from planner.tuning.weight_search import TuneProgress

_LINE_SECONDS: Final = 10.0  # between two lines where there is no terminal


def register(app: typer.Typer) -> None:
    """Add this module's command."""
    app.command(
        epilog=examples(
            "planner tune experiments/tune_small.yaml",
            "planner tune my_search.yaml --workers 8 --save weights/mine.yaml",
            "planner tune my_search.yaml --resume",
        )
    )(tune)


def tune(
    search: Annotated[str, typer.Argument(metavar="FILE", help="A YAML file: an experiment with a section `tune`.")],
    workers: Annotated[
        int | None, typer.Option(min=1, max=1024, help="Processes that play; as many as there are cores, unless given.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with a search that was interrupted.")] = False,
    out: Annotated[Path, typer.Option(help="The folder that gets a folder with the search's name.")] = Path("results"),
    save: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where the profile goes; weights/NAME.yaml unless given.")
    ] = None,
    no_color: NoColor = False,
) -> None:
    """Look for weights that win: CMA-ES, scored by games against a league.

    The file is an experiment whose agents are the league, with a section
    that says where the search begins and which weights it may move:

      tune: {start: true_balanced, terms: [own_attack, enemy_attack, own_health]}

    Every candidate plays every member from both seats, all with the same
    luck. What the search believes to be best at its end is played on seeds,
    and where the file names some on decks, that it never saw, and written
    down with that score. Killed at any moment and resumed, it ends with the
    same file.

    A weights/NAME.yaml that is there already is replaced only if its first
    line names this very command; --save overwrites whatever it names.
    """
    from planner.arena.tournament.run_store import locked_folder  # noqa: PLC0415  (the command line starts sooner)
    from planner.errors import PlannerError  # noqa: PLC0415
    from planner.tuning.tuning_outcome import (  # noqa: PLC0415
        PLOT,
        TABLE,
        check_free,
        play_test,
        words,
        write_profile,
        write_table,
    )
    from planner.tuning.tuning_task import load_tuning  # noqa: PLC0415
    from planner.tuning.weight_search import HISTORY, TuneSearch  # noqa: PLC0415

    tuning = load_tuning(search)
    screen = console(no_color)
    folder = out / tuning.name
    if (folder / HISTORY).exists() and not resume:
        raise PlannerError(f"{folder}: holds a search; --resume continues it")
    path, command = save or Path("weights") / f"{tuning.name}.yaml", f"planner tune {search}"
    if save is None:
        check_free(path, command)  # before hours are spent on it
    with locked_folder(folder):
        looking = TuneSearch(tuning, folder)
        line = _Line(screen)
        try:
            looking.run(workers, line.searching)
            write_table(looking)
            found = tuning.profile(looking.favourite, tuning.name)
            scores = play_test(tuning, found, folder, workers, line.testing)
        except KeyboardInterrupt:
            typer.echo("interrupted; what is finished is kept, and --resume continues", err=True)
            raise typer.Exit(EXIT_INTERRUPTED) from None
        finally:
            line.close()
        write_profile(path, tuning, found, scores, command)
    screen.print("on seeds that the search never saw:")
    for name, score in scores.items():
        screen.print(f"  {words(score)} against {name}", markup=False)
    screen.print(f"profile: {path}", soft_wrap=True)
    screen.print(f"how it went: {folder}/ ({TABLE}, {PLOT})", soft_wrap=True)


class _Line:
    """One line of progress that changes in its place; without a terminal, a line now and then."""

    def __init__(self, screen: Console) -> None:
        self.screen = screen
        self.status = screen.status("") if screen.is_terminal else None
        self.told = monotonic()
        if self.status is not None:
            self.status.start()

    def close(self) -> None:
        """Leave the line."""
        if self.status is not None:
            self.status.stop()

    def searching(self, progress: TuneProgress) -> None:
        """How far the search is."""
        words = f"generation {progress.generation}/{progress.generations}"
        if progress.games:
            mean = progress.mean
            words += f", best {progress.best:.1%}, mean {mean.estimate:.1%} ({mean.low:.1%} to {mean.high:.1%})"
        if progress.seconds_left is not None:
            minutes, seconds = divmod(round(progress.seconds_left), 60)
            words += f", {minutes}:{seconds:02} left"
        self._show(words, f" [{progress.within:.0%}]" if progress.within else "")

    def testing(self, progress: Progress) -> None:
        """How far the test is."""
        self._show(f"test: {progress.done}/{progress.total} games", "")

    def _show(self, words: str, detail: str) -> None:
        if self.status is not None:
            self.status.update(words + detail)
        elif monotonic() - self.told >= _LINE_SECONDS:
            self.told = monotonic()
            self.screen.print(words, markup=False, soft_wrap=True)
