"""`planner bench`: rules, battles, service and start-up. The commands that plan turns are in bench_turns.py."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import permutations
from random import Random
from statistics import fmean, median
from tempfile import TemporaryDirectory
from time import process_time
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from rich.text import Text

from planner.agents.agent_spec import AgentSpec, agent_names, agent_spec
from planner.arena.match.referee import agent_seed, chance, deal, play_match
from planner.bench.benchmark_positions import thesis_decks
from planner.bench.speed import percentile
from planner.cli.bench_turns import bench
from planner.cli.console import comma_words, console, counted, data_table, examples
from planner.errors import PlannerError
from planner.formats.documents import shipped_folder
from planner.game import AnyGame
from planner.games import game
from planner.games.hearthstone import engine
from planner.games.hearthstone.hearthstone_game import GAME
from planner.games.hearthstone.match_setup import MatchSetup
from planner.games.hearthstone.rules.ruleset import Ruleset

if TYPE_CHECKING:
    from planner.bench.server_load import LoadResult

_KILL_SECONDS: Final = 5.0  # between two killed workers
_STATE: Final = shipped_folder("experiments") / "states" / "lethal.json"
_CALLS: Final = (
    ("planner --help", ["--help"]),
    ("planner plan STATE", ["plan", str(_STATE)]),
    ("planner plan STATE --json", ["plan", str(_STATE), "--json"]),
)

# Cards that the compiled loop can play, and that some of the bots buy.
_SIMPLE_KINGDOM: Final = (
    "Council Room", "Festival", "Moat", "Village", "Workshop", "Militia", "Gardens", "Smithy", "Laboratory", "Witch",
)  # fmt: skip

commands = typer.Typer()
commands.add_typer(bench, name="bench")


@bench.callback(epilog=examples("planner bench turns", "planner bench rules"))
def _bench() -> None:
    """Measure how fast this machine is."""


@bench.command(epilog=examples("planner bench rules", "planner bench rules --seconds 20"))
def rules(
    seconds: Annotated[float, typer.Option(min=0.1, max=3600, help="How long to measure, in processor time.")] = 5.0,
    seed: Annotated[int, typer.Option(help="Seed of the first match; the next ones follow.")] = 1,
) -> None:
    """Measure matches and actions per second of random play on one core.

    Decks and rules are those of Guo 2025. First the rules alone, which list
    and apply legal actions: as tournaments use them, compiled where there was
    a compiler, and as the readable referee, which is the authority. Then
    whole matches between agents, which see only what a player sees, with
    every action verified.
    """
    ruleset = Ruleset.of("thesis")
    setups = [MatchSetup(decks, ruleset) for decks in permutations(thesis_decks(ruleset), 2)]
    methods: tuple[tuple[str, Callable[[MatchSetup, int], int]], ...] = (
        ("rules of tournaments", partial(_rules_alone, GAME)),
        ("readable referee", partial(_rules_alone, GAME.referee())),
        ("whole matches", _whole_match),
    )
    out = console()
    for title, play in methods:
        play(setups[0], seed)  # loads everything that is loaded once
        started = process_time()
        actions = [play(setups[number % 2], number) for number in seeds_for(seconds / len(methods), seed)]
        took = process_time() - started
        counted = f"{len(actions)} matches of {fmean(actions):.0f} actions in {took:.1f} s"
        rates = f"{len(actions) / took:.0f} matches/s, {sum(actions) / took:.0f} actions/s"
        out.print(f"{title}: {rates} ({counted})", soft_wrap=True)


def seeds_for(seconds: float, seed: int) -> Iterator[int]:
    """Yield one seed after the other until this processor time has passed."""
    began = process_time()
    while process_time() - began < seconds:
        yield seed
        seed += 1


def _rules_alone(rules_: AnyGame, setup: MatchSetup, seed: int) -> int:
    """Play a random match by the rules alone, and return the number of actions."""
    rng = Random(seed)
    state = rules_.start(setup, rng)
    outcome, legal_actions, apply = rules_.outcome, rules_.legal_actions, rules_.apply
    actions_played = 0
    while outcome(state) is None:
        actions = legal_actions(state)
        state = apply(state, actions[int(rng.random() * len(actions))], rng)
        actions_played += 1
    return actions_played


def _whole_match(setup: MatchSetup, seed: int) -> int:
    """Play a random match between agents, as the arena does, and return the number of actions."""
    record = play_match(("random", "random"), setup, seed)
    return sum(len(turn.moves) for turn in record.turns)


# -- matches


@bench.command(epilog=examples("planner bench matches", "planner bench matches --seconds 60 --seed 7"))
def matches(
    seconds: Annotated[float, typer.Option(min=0.1, max=3600, help="Processor time for each kind of match.")] = 5.0,
    seed: Annotated[int, typer.Option(help="Decides decks, agents and matches.")] = 1,
) -> None:
    """Compare the match runner with the compiled engine, in matches per second.

    Both play the same kinds of matches on one core. Where the engine
    declines a match, the match runner plays it, as in a tournament, and the
    time counts for the engine.
    """
    from planner.bench.match_speed import KINDS, measure_kind  # noqa: PLC0415  (reads all decks)

    if not engine.available():
        raise PlannerError("the engine is not compiled; compile it with: make engine")
    titles = ("matches between", "runner/s", "engine/s", "times faster", "matches", "declined")
    rows = []
    for kind in KINDS:
        speed = measure_kind(kind, seconds, seed)
        rates = speed.runner_rate, speed.engine_rate
        times = f"{rates[1] / rates[0]:.1f}"
        rows.append((kind.title, *(f"{rate:,.0f}" for rate in rates), times, f"{speed.by_engine:,}", speed.declined))
    console().print(data_table(titles, rows))


# -- battles


@bench.command(epilog=examples("planner bench battles", "planner bench battles --agents random,lookahead"))
def battles(
    agents: Annotated[str, typer.Option(help="Names, separated by commas; by default all of the game.")] = "",
    scenario: Annotated[str, typer.Option(help="A name or a file.")] = "starter",
    seconds: Annotated[float, typer.Option(min=0.1, max=3600, help="How long to measure each agent.")] = 2.0,
    seed: Annotated[int, typer.Option(help="Seed of the first battle; the next ones follow.")] = 1,
) -> None:
    """Measure battles per second on one core, with each agent.

    Measures the rules and the agent alone, in processor time: nothing is
    recorded or verified.
    """
    spire = game("spire")
    setup = spire.setup_from_words([scenario])
    rows = []
    for name in comma_words(agents, "--agents") or agent_names(spire):
        agent = agent_spec(name, spire)
        _fight(spire, setup, agent, seed)  # loads everything that is loaded once
        started = process_time()
        fights = [_fight(spire, setup, agent, number) for number in seeds_for(seconds, seed)]
        rate = len(fights) / (process_time() - started)
        won, health, actions = (fmean(each) for each in zip(*fights, strict=True))
        rows.append((name, f"{rate:,.0f}", f"{len(fights):,}", f"{actions:.1f}", f"{won:.1%}", f"{health:.1f}"))
    console().print(data_table(("agent", "battles/s", "battles", "actions each", "won", "health left"), rows))


def _fight(spire: AnyGame, setup: object, agent: AgentSpec, seed: int) -> tuple[float, float, int]:
    """Fight one battle; return points, remaining health and number of actions."""
    state, luck, steps = deal(spire, setup, seed), chance(seed), 0
    decide = agent.make(spire, agent_seed(seed, 0)).decide
    while (outcome := spire.outcome(state)) is None:
        state = spire.apply(state, decide(state), luck)
        steps += 1
    return outcome.points[0], spire.measures(state)["health"], steps


# -- deck-building games


@bench.command(epilog=examples("planner bench bots", "planner bench bots --agents bigmoney,bigmoney_smithy"))
def bots(
    agents: Annotated[str, typer.Option(help="Two bots of Dominion, separated by a comma.")] = "bigmoney,bigmoney",
    seconds: Annotated[float, typer.Option(min=0.1, max=3600, help="How long to measure, in processor time.")] = 2.0,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the first game; the next ones follow.")] = 1,
) -> None:
    """Measure games of Dominion per second between two bots, on one core.

    First the compiled loop, where there was a compiler, then the rules in
    Python. Both play the same games.
    """
    from planner.games.deckbuilder import bot_games, menu_bots  # noqa: PLC0415  (only here)
    from planner.games.deckbuilder.deckbuilder_game import DOMINION  # noqa: PLC0415

    definition = DOMINION.definition
    files = menu_bots.menu_files(definition.path.parent)
    names = comma_words(agents, "--agents")
    if len(names) != 2 or not set(names) <= set(files):
        raise PlannerError(f"--agents: must be two of {', '.join(files)}, got {agents!r}")
    menus = [menu_bots.read_menu(files[name], definition) for name in names]
    setup = DOMINION.setup_from_words(_SIMPLE_KINGDOM)
    compiled = bot_games.compile_games(definition, setup, menus)

    def in_python(seeds: Sequence[int]) -> list[bot_games.Result]:
        return [bot_games.play_in_python(definition, setup, menus, number) for number in seeds]

    rows: list[Sequence[object]] = []
    for label, play, batch in (("compiled", compiled, 1000), ("Python", in_python, 5)):
        if play is None:
            rows.append((label, "not available", "", "", "", ""))
            continue
        results: list[bot_games.Result] = []
        started, took = process_time(), 0.0
        while took < seconds:
            results += play(range(seed + len(results), seed + len(results) + batch))
            took = process_time() - started
        won = sum((one, -first) > (two, -second) for one, two, first, second in results)
        tied = sum((one, first) == (two, second) for one, two, first, second in results)
        turns = fmean(first for _, _, first, _ in results)
        number = len(results)
        numbers = f"{number / took:,.0f}", f"{number:,}", f"{turns:.1f}", f"{won / number:.1%}", f"{tied / number:.1%}"
        rows.append((label, *numbers))
    console().print(data_table(("rules", "games/s", "games", "turns each", f"{names[0]} won", "tied"), rows))


# -- the service under load


@bench.command(
    epilog=examples("planner bench serve", "planner bench serve --clients 8 --seconds 5", "planner bench serve --chaos")
)
def serve(
    clients: Annotated[int, typer.Option(min=1, max=1000, help="Clients at the same time.")] = 64,
    seconds: Annotated[float, typer.Option(min=1, max=3600, help="Duration of each run.")] = 60.0,
    workers: Annotated[
        int, typer.Option(min=1, max=256, help="Workers of the larger server; the smaller one has 1.")
    ] = 2,
    states: Annotated[int, typer.Option(min=2, max=100_000, help="Different turns, half of them random.")] = 400,
    chaos: Annotated[
        bool, typer.Option("--chaos", help="Kill workers, disconnect early, send invalid requests; larger server only.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Seed of the random turns and of the chaos.")] = 1,
) -> None:
    """Send requests from many clients at once, and check every answer.

    Recorded and random turns are planned in this process first, one after the
    other; then all clients at once request the same turns over HTTP, from a
    server with one worker and from one with more. Every answer must equal
    that of plan_turn. With --chaos a worker is killed every five seconds, and
    one request in a hundred each is abandoned or invalid: only requests on a
    killed worker may fail, with 503. The clients run on this machine too, and
    take their share of it.
    """
    import asyncio  # noqa: PLC0415  (takes a while to load)

    from planner.bench.load_server import LoadServer  # noqa: PLC0415
    from planner.bench.server_load import make_probes, run_load  # noqa: PLC0415

    out = console()
    probes = make_probes(states, seed)
    mean = fmean(probe.seconds for probe in probes)
    alone = _quantiles([probe.seconds for probe in probes])
    out.print(f"plan_turn alone: {1 / mean:.0f} turns/s; {_times(alone)}; {os.cpu_count()} cores", soft_wrap=True)
    results = {}
    for size in (workers,) if chaos else dict.fromkeys((1, workers)):
        with LoadServer(size) as server:
            kills = _KILL_SECONDS if chaos else None
            results[size] = result = asyncio.run(run_load(server, probes, clients, seconds, kills, seed))
        out.print(_load_line(size, result, mean, alone), soft_wrap=True)
        if not result.faultless:
            raise PlannerError(f"bench serve: {len(result.wrong)} wrong, {result.lost} lost; {result.wrong[:1]}")
    if len(results) == 2:
        out.print(f"{workers} workers answer {results[workers].rate / results[1].rate:.2f} times as many as one")


def _load_line(count: int, result: LoadResult, mean: float, alone: Sequence[float]) -> str:
    quantiles = _quantiles(result.seconds)
    ratios = ", ".join(f"{mine / theirs:.1f}" for mine, theirs in zip(quantiles, alone, strict=True))
    words = (
        f"{counted(count, 'worker')}: {result.rate:.0f} answers/s"
        f" ({result.rate * mean:.2f} times alone); {_times(quantiles)} ({ratios} times alone);"
        f" {result.right} answers, all correct, {result.lost} lost"
    )
    if result.killed:
        words += (
            f"; {result.killed} workers killed, {result.unavailable} of their requests failed with 503,"
            f" {result.disconnected} clients disconnected, {result.garbage} garbage requests rejected (422)"
        )
    return words


@bench.command(epilog=examples("planner bench tables", "planner bench tables --tables 10 --seconds 20 --chaos"))
def tables(
    tables: Annotated[int, typer.Option(min=1, max=2000, help="Tables at the same time.")] = 100,
    seconds: Annotated[float, typer.Option(min=5, max=3600, help="Duration.")] = 120.0,
    chaos: Annotated[
        bool, typer.Option("--chaos", help="Kill a worker every 5 s, and the server twice, which starts again.")
    ] = False,
    alone: Annotated[
        bool, typer.Option("--alone", help="Also tables of one person, against an agent or against enemies.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Seed of the moves.")] = 1,
) -> None:
    """Measure how long a move at a table takes to reach everybody.

    People sit at tables of all games, two at each, and make a random legal
    move every 2 s on average; when a match ends, they play a rematch. The
    server runs on one core and the people on the others. Measured is the time
    from sending a move until the last person at the table has received it.
    Afterwards the journal must contain every acknowledged move once. With
    --chaos, workers and the server are killed meanwhile, and every table must
    resume at its last acknowledged move.
    """
    import asyncio  # noqa: PLC0415  (takes a while to load)

    from planner.bench.table_load import run_table_load  # noqa: PLC0415

    result = asyncio.run(run_table_load(tables, seconds, chaos, seed, alone))
    out = console()
    if not (updates := result.update_seconds):
        raise PlannerError(f"bench tables: no move arrived; {dict(result.problems)}")
    out.print(
        f"{result.people} people at {tables} tables, {result.matches} matches in {result.duration:.0f} s:"
        f" {len(updates)} moves, {len(updates) / result.duration:.0f}/s;"
        f" from move to the last update {_times(_quantiles(updates))}, slowest {1000 * max(updates):.0f} ms",
        soft_wrap=True,
    )
    out.print(
        f"{len(result.acknowledged)} moves acknowledged, {len(result.lost)} lost, {len(result.doubled)} doubled;"
        f" {result.workers_killed} workers and {result.servers_killed} servers killed,"
        f" {result.reconnects} reconnections",
        soft_wrap=True,
    )
    sizes = [size / 1e6 for size in result.memory if size]
    middle = sizes[len(sizes) // 2]
    out.print(
        f"server process: {max(sizes):.0f} MB at most, {middle:.0f} MB after half of the time, {sizes[-1]:.0f} MB"
        f" at the end; {result.processor_seconds / result.duration:.0%} of one core,"
        f" {1000 * result.processor_seconds / max(1, result.journal_moves):.1f} ms per move",
        soft_wrap=True,
    )
    if not result.faultless:
        problems = [*result.lost[:2], *result.doubled[:2], *(f"{n} x {line}" for line, n in result.problems.items())]
        raise PlannerError(f"bench tables: {'; '.join(problems)[:500]}")


@bench.command(epilog=examples("planner bench views", "planner bench views --rate 10 --seconds 20"))
def views(
    rate: Annotated[float, typer.Option(min=1, max=1000, help="First visits in each second.")] = 50.0,
    seconds: Annotated[float, typer.Option(min=4, max=3600, help="Duration.")] = 60.0,
) -> None:
    """Measure what visits of the front page cost beside requests for plans.

    A client asks for a plan twenty times a second. In every second block of
    the time, visitors load the front page with all its files, each over a new
    connection without a cache. Measured are the answer times of plans with
    and without them, and the processor time of a visit in the server. The
    clients run on this machine too, and take their share of it.
    """
    from planner.bench.page_views import measure_views  # noqa: PLC0415  (asyncio takes a while to load)

    result = measure_views(rate, seconds)
    out = console()
    alone, beside = _quantiles(result.alone), _quantiles(result.beside)
    out.print(f"POST /plan alone: {_times(alone)}", soft_wrap=True)
    out.print(
        f"POST /plan beside {rate:g} visits a second: {_times(beside)};"
        f" p95 takes {beside[1] / alone[1]:.2f} times as long",
        soft_wrap=True,
    )
    out.print(
        f"a first visit: {result.files} files, {result.wire_bytes / 1000:.0f} KB,"
        f" {1000 * result.processor_seconds:.1f} ms of processor time in the server;"
        f" until all are there {_times(_quantiles(result.view_seconds))}",
        soft_wrap=True,
    )


def _times(quantiles: Sequence[float]) -> str:
    named = zip(("p50", "p95", "p99"), quantiles, strict=True)
    return ", ".join(f"{name} {1000 * value:.1f} ms" for name, value in named)


def _quantiles(seconds: Sequence[float]) -> list[float]:
    return [percentile(seconds, percent) for percent in (50, 95, 99)]


@bench.command(
    "deck-turns", epilog=examples("planner bench deck-turns", "planner bench deck-turns --profile dominion_money")
)
def deck_turns(
    profile: Annotated[str, typer.Option(help="A weight profile for Dominion.")] = "dominion_champion",
    opponent: Annotated[str, typer.Option(help="The agent that it plays against.")] = "bigmoney_smithy",
    seconds: Annotated[float, typer.Option(min=0.1, max=3600, help="How long to measure, in processor time.")] = 5.0,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the first kingdom and game; the next ones follow.")] = 1,
) -> None:
    """Measure the planner's decisions in Dominion, on random kingdoms.

    Counts the decisions that need a plan; further steps of the same plan take
    no time.
    """
    dominion = game("dominion")
    specs = [agent_spec(name, dominion) for name in (profile, opponent)]
    times: list[float] = []
    for number in seeds_for(seconds, seed):
        state, luck = deal(dominion, dominion.setup_from_words([f"random:{number}"]), number), chance(number)
        players: list[Any] = [spec.make(dominion, agent_seed(number, seat)) for seat, spec in enumerate(specs)]
        while dominion.outcome(state) is None:
            seat = dominion.to_move(state)
            view, started = dominion.observe(state, seat), process_time()
            action = players[seat].decide(view)
            if seat == 0 and getattr(players[0], "planned", True):
                times.append(process_time() - started)
            state = dominion.apply(state, action, luck)
    line = f"{profile} against {opponent}: {number - seed + 1} games, {len(times):,} plans, {_times(_quantiles(times))}"
    console().print(Text(line), soft_wrap=True)


# -- start-up


@bench.command(epilog=examples("planner bench start", "planner bench start --runs 20"))
def start(runs: Annotated[int, typer.Option(min=1, max=1000, help="How often each command is started.")] = 10) -> None:
    """Measure the processor time of whole commands, with their start.

    Each command is a new process. User and system time are counted, which
    other processes disturb less than wall time; still, measure on a quiet
    machine. All modules are compiled before, as for an installed program: it
    takes longer with PYTHONDONTWRITEBYTECODE.
    """
    out = console()
    with TemporaryDirectory() as compiled:
        # A folder of its own: it leaves nothing behind, and works where the package cannot be written.
        environment = os.environ | {"PYTHONPYCACHEPREFIX": compiled}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        for title, arguments in _CALLS:
            _processor_time(arguments, environment)  # compiles the modules
            times = [_processor_time(arguments, environment) for _ in range(runs)]
            out.print(f"{title}: {median(times):.3f} s, at best {min(times):.3f} s", soft_wrap=True, markup=False)


def _processor_time(arguments: list[str], environment: dict[str, str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    code = "import sys; from planner.cli import main; sys.exit(main())"
    subprocess.run([sys.executable, "-c", code, *arguments], stdout=subprocess.DEVNULL, check=True, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
