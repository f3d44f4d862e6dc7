"""`planner tournament` and `planner tune`: run an experiment file, show its progress, and write its results."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from planner.arena.tournament.experiment import MAX_GAMES, Experiment
from planner.arena.tournament.experiment_file import experiment_of_words, load_experiment
from planner.arena.tournament.run_store import STDERR, locked_folder
from planner.arena.tournament.runner import Progress, run_tournament
from planner.cli.console import (
    EXIT_INTERRUPTED,
    AsCsv,
    AsJson,
    ProgressView,
    Workers,
    comma_words,
    console,
    counted,
    data_table,
    examples,
    format_duration,
)
from planner.cli.report_command import print_results, show_tables
from planner.errors import PlannerError
from planner.formats.values import MAX_INTEGER
from planner.games import DEFAULT

if TYPE_CHECKING:
    from planner.tuning.weight_search import TuneProgress

commands = typer.Typer()

_SHOWN_AGENTS: Final = 20
_QUICK_GAMES: Final = 20  # per pairing, where neither a file nor --games says how many


# -- tournaments


@commands.command(
    epilog=examples(
        "planner tournament quick",
        "planner tournament --agents champion,greedy --decks mage,hunter --games 100",
        "planner tournament --agents champion,greedy --positions states.txt --max-turns 60",
        "planner tournament experiments/thesis.yaml --workers 8",
        "planner tournament experiments/thesis.yaml --resume",
        "planner tournament my_experiment.yaml --games 20",
        "planner tournament thesis --dask tcp://127.0.0.1:8786",
    )
)
def tournament(
    experiment: Annotated[
        str, typer.Argument(metavar="[EXPERIMENT]", help="A YAML file, or the name of one of our experiments.")
    ] = "",
    agents: Annotated[str, typer.Option(metavar="A,B", help="Without a file: the agents, separated by commas.")] = "",
    decks: Annotated[
        str, typer.Option(metavar="A,B", help="Without a file: decks, scenarios or kingdoms, separated by commas.")
    ] = "",
    positions: Annotated[
        str, typer.Option(metavar="FILE", help="Without a file: start from the states in FILE, one a line.")
    ] = "",
    rules: Annotated[str, typer.Option(help="Without a file: the rules, as for `planner play`.")] = "",
    game_name: Annotated[str, typer.Option("--game", metavar="GAME", help="Without a file: the game.")] = DEFAULT,
    workers: Workers = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue an interrupted run.")] = False,
    dask: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Let the workers of this Dask cluster play instead.")
    ] = None,
    out: Annotated[Path, typer.Option(help="The folder in which a folder with the experiment's name is made.")] = Path(
        "results"
    ),
    games: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=MAX_GAMES,
            help="Games per pairing; of a file, the folder is then NAME-GAMES. Without a file: 20.",
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, max=MAX_INTEGER, help="Another seed than that of the file: other games.")
    ] = None,
    max_turns: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Without a file: a game is a draw after N turns.")
    ] = None,
    resign: Annotated[
        str,
        typer.Option(metavar="OPTIONS", help="Without a file: end lost games, such as '{turns: 4, score: 0.9}'."),
    ] = "",
    sprt: Annotated[
        str,
        typer.Option(metavar="OPTIONS", help="Without a file: stop when decided, such as '{elo0: 0, elo1: 20}'."),
    ] = "",
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Play all games of an experiment file and write the tables.

    The file names agents, decks, rules, the number of games and a seed. The
    seed decides every game, so the tables do not depend on the number of
    workers or on interruptions. Finished games are saved within seconds:
    --resume continues.

    Without a file, --agents and --decks say what to play; the other options
    are optional. The results are in a folder with the names of the agents.
    --positions replaces --decks: agents play each state from both seats.
    --max-turns and --resign adjudicate; --sprt tests the first agent against
    the second, or with `base: FIRST` each other agent against the first.

    An agent given as module:Class is a program that runs on your machine: do
    not play experiments from people you do not trust.
    """
    if bool(experiment) == bool(agents):
        raise PlannerError("give an EXPERIMENT, or --agents and --decks such as champion,greedy and mage,hunter")
    options = {"rules": rules, "positions": positions, "max_turns": max_turns, "resign": resign, "sprt": sprt}
    given = {"decks": decks, **options, "game": "" if game_name == DEFAULT else game_name}
    if experiment and (named := [f"--{key.replace('_', '-')}" for key, value in given.items() if value]):
        raise PlannerError(f"{', '.join(named)}: write it into the experiment file")
    if experiment:
        loaded = load_experiment(experiment)
        loaded = loaded if seed is None else replace(loaded, seed=seed)
    else:
        loaded = experiment_of_words(
            comma_words(agents, "--agents"),
            comma_words(decks, "--decks"),
            games or _QUICK_GAMES,
            seed,
            game_name,
            options,
        )
    if games is not None:
        loaded = loaded.with_games(games)
    screen = console(stderr=as_json or as_csv)
    if (notice := loaded.unequal_setups()) is not None:
        screen.print(Text(notice), soft_wrap=True)
    try:
        shown = _TournamentView(screen, loaded, resume)
        with shown.view:
            folder = run_tournament(loaded, out, workers, resume, dask, shown.update)
        show_results(screen, folder, as_json, as_csv)
    except KeyboardInterrupt:
        typer.echo("interrupted; the finished games are saved, and --resume continues", err=True)
        raise typer.Exit(EXIT_INTERRUPTED) from None


class _TournamentView:
    """Shows what there is to play, then the progress with the standings."""

    def __init__(self, screen: Console, experiment: Experiment, resume: bool) -> None:
        self.screen, self.experiment, self.resume = screen, experiment, resume
        self.view = ProgressView(screen)
        self.started = False

    def update(self, progress: Progress) -> None:
        """Show the progress."""
        if not self.started:
            self.started = True
            self.screen.print(Text(run_summary(self.experiment.name, progress, self.resume)), soft_wrap=True)
        names, sprt = self.experiment.names, _sprt_text(progress)
        share = progress.done / max(1, progress.total)
        line = f"{progress.done}/{progress.total} games, {progress.games_per_second:.1f} games/s"
        if progress.games_per_second:
            line += f", about {format_duration(progress.left / progress.games_per_second)} left"
        if self.view.live is not None:
            below = Group(standings_table(names, progress), Text(sprt))
            self.view.show(line, share, below=below)
        elif self.view.is_due:
            best = _ranking(names, progress)[:3]
            leaders = [f"{name} {score:.1%} ({low:.1%} to {high:.1%})" for name, score, low, high, _ in best]
            self.view.show(line, share, more="".join(f"; {part}" for part in (*leaders, sprt) if part))


def run_summary(name: str, progress: Progress, resume: bool) -> str:
    """Return the first line: how many games there are to play, and what an earlier run has finished."""
    to_play = f"{'at most ' if progress.sprt else ''}{progress.left:,} games to play"
    if not resume:
        return f"{name}: {to_play}"
    if not progress.before and not progress.repaired:
        return f"{name}: no finished game of an earlier run was found; {to_play}"
    lines = f"{counted(progress.repaired, 'incomplete line')} of the journal"
    damage = f"; dropped {lines}, whose games are played again" if progress.repaired else "; nothing was damaged"
    if not progress.left or (progress.sprt and all(test["decision"] != "continue" for test in progress.sprt)):
        to_play = "no games are left to play, and the tables are written again"
    return f"{name}: found {progress.before:,} finished games of {progress.total:,}{damage}; {to_play}"


def _sprt_text(progress: Progress) -> str:
    several = len(progress.sprt) > 1
    return "; ".join(
        f"{test['agent'] + ' ' if several else ''}LLR {test['llr']:.2f} ({test['lower']:.2f} to {test['upper']:.2f}) "
        f"after {test['games']:,} games"
        for test in progress.sprt
    )


def _ranking(names: list[str], progress: Progress) -> list[tuple[str, float, float, float, int]]:
    """Return name, score with its interval, and games of every agent that has met another one, best first."""
    from planner.stats.intervals import wilson  # noqa: PLC0415  (numpy and scipy, when games come in)

    rows = zip(names, progress.points, progress.games, strict=True)
    scored = [(name, *wilson(points, games), games) for name, points, games in rows if games]
    return sorted(scored, key=lambda row: -row[1])


def standings_table(names: list[str], progress: Progress) -> Table:
    """Return the scores so far with their intervals, best first; games of an agent against itself do not count."""
    rows = [
        (name, f"{score:.1%}", f"{low:.1%} to {high:.1%}", games)
        for name, score, low, high, games in _ranking(names, progress)[:_SHOWN_AGENTS]
    ]
    return data_table(("standings", "score", "95 % interval", "games"), rows, whole_numbers=True)


def show_results(screen: Console, folder: Path, as_json: bool, as_csv: bool) -> None:
    """Print the results of a finished run, its speed, and where its files are; for other programs only the tables."""
    from planner.arena.report.tournament_results import results_of  # noqa: PLC0415  (pandas)

    results = results_of(folder)
    if as_json or as_csv:
        print_results(results, as_csv)
        return
    show_tables(screen, results)
    manifest = results.manifest
    if (line := adjudication_line(manifest)) is not None:
        screen.print(Text(line), soft_wrap=True)
    screen.print(speed_line(manifest))
    tables = sorted(path.name for path in folder.iterdir() if path.suffix in (".csv", ".parquet"))
    screen.print(f"tables: {folder}/ ({', '.join(tables)})", soft_wrap=True)
    if (folder / STDERR).exists():
        screen.print(f"output of the agents on stderr: {folder / STDERR}", soft_wrap=True)
    screen.print(f"plots and a page for the browser: planner report {folder}", soft_wrap=True)


def adjudication_line(manifest: dict[str, Any]) -> str | None:
    """Return how many games were adjudicated and why, or None if the experiment adjudicates none."""
    if "adjudicated" not in manifest:
        return None
    counts = manifest["adjudicated"]
    reasons = "; ".join(f"{count:,} by {reason.partition(': ')[2]}" for reason, count in counts.items())
    return f"adjudicated: {sum(counts.values()):,} of {manifest['games']:,} games{f' ({reasons})' if reasons else ''}"


def speed_line(manifest: dict[str, Any]) -> str:
    """Return how many games were played, how long that took, and how many of them count."""
    played = manifest.get("played", manifest["games"])
    speed = manifest["games_per_second"]
    rate = f", {speed:.1f} a second" if speed else ""
    of_these = f"; {manifest['games']:,} of them count" if played != manifest["games"] else ""
    return f"{counted(played, 'game')} in {manifest['seconds']:.1f} s{rate}{of_these}"


# -- tuning


@commands.command(
    epilog=examples(
        "planner tune experiments/tune_small.yaml",
        "planner tune my_search.yaml --workers 8 --save weights/mine.yaml",
        "planner tune my_search.yaml --resume",
    )
)
def tune(
    search: Annotated[str, typer.Argument(metavar="FILE", help="A YAML file: an experiment with a section `tune`.")],
    workers: Workers = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue an interrupted search.")] = False,
    out: Annotated[Path, typer.Option(help="The folder in which a folder with the search's name is made.")] = Path(
        "results"
    ),
    save: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where to write the profile; by default weights/NAME.yaml.")
    ] = None,
) -> None:
    """Search for weights that win: CMA-ES, scored by games against a league.

    The file is an experiment whose agents are the league, with a section
    that says where the search starts and which weights it may change:

      tune: {start: true_balanced, terms: [own_attack, enemy_attack, own_health]}

    Every candidate plays every member of the league from both seats, all with
    the same random numbers. At the end the best candidate is tested on seeds,
    and where the file names some on decks, that the search never used, and
    written with that score. An interrupted and resumed search ends with the
    same file.

    An existing weights/NAME.yaml is replaced only if its first line names
    this very command; --save overwrites any file.
    """
    from planner.tuning.tuning_outcome import (  # noqa: PLC0415  (tournaments need none of this)
        PLOT,
        TABLE,
        check_free,
        play_test,
        score_text,
        write_profile,
        write_table,
    )
    from planner.tuning.tuning_task import load_tuning  # noqa: PLC0415
    from planner.tuning.weight_search import HISTORY, TuneSearch  # noqa: PLC0415

    tuning = load_tuning(search)
    screen = console()
    folder = out / tuning.name
    if (folder / HISTORY).exists() and not resume:
        raise PlannerError(f"{folder}: contains a search; --resume continues it")
    path, command = save or Path("weights") / f"{tuning.name}.yaml", f"planner tune {search}"
    if save is None:
        check_free(path, command)  # before hours are spent on it
    with locked_folder(folder), ProgressView(screen) as view:
        weight_search = TuneSearch(tuning, folder)

        def show_search(progress: TuneProgress) -> None:
            view.show(_search_line(progress), (progress.generation + progress.within) / progress.generations)

        def show_test(progress: Progress) -> None:
            view.show(f"test: {progress.done}/{progress.total} games", progress.done / max(1, progress.total))

        try:
            weight_search.run(workers, show_search)
            write_table(weight_search)
            profile = tuning.profile(weight_search.favourite, tuning.name)
            scores = play_test(tuning, profile, folder, workers, show_test)
        except KeyboardInterrupt:
            typer.echo("interrupted; the finished generations are saved, and --resume continues", err=True)
            raise typer.Exit(EXIT_INTERRUPTED) from None
        write_profile(path, tuning, profile, scores, command)
    screen.print("on seeds that the search never used:")
    for name, score in scores.items():
        screen.print(f"  {score_text(score)} against {name}", markup=False)
    screen.print(f"profile: {path}", soft_wrap=True)
    screen.print(f"history: {folder}/ ({TABLE}, {PLOT})", soft_wrap=True)


def _search_line(progress: TuneProgress) -> str:
    line = f"generation {progress.generation}/{progress.generations}"
    if progress.games:
        mean = progress.mean
        line += f", best {progress.best:.1%}, mean {mean.estimate:.1%} ({mean.low:.1%} to {mean.high:.1%})"
    if progress.seconds_left is not None:
        line += f", about {format_duration(progress.seconds_left)} left"
    return line
