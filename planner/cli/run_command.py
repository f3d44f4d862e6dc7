"""`planner run`: chains of battles with health carried over and rewards to choose from."""

from __future__ import annotations

from functools import partial
from statistics import fmean
from typing import Annotated

import typer

from planner.agents.agent_spec import agent_spec
from planner.cli.console import SPIRE, BattleGame, battle_game, comma_words, console, data_table, examples
from planner.errors import PlannerError, did_you_mean, quote

commands = typer.Typer()


@commands.command(
    epilog=examples(
        "planner run act",
        "planner run act --agents first,spire_balanced --rewards none,measured --runs 50",
        "planner run my_chain.yaml --agents lookahead",
        "planner run my_chain.yaml --game ./thorns.py",
    )
)
def run(
    chain_name: Annotated[str, typer.Argument(metavar="CHAIN", help="act, or a YAML file with battles and rewards.")],
    agents: Annotated[str, typer.Option(help="Who fights: names, separated by commas.")] = "first,lookahead",
    rewards: Annotated[
        str, typer.Option(help="How a card is chosen after a victory: none, first, random, measured, or several.")
    ] = "none,measured",
    runs: Annotated[int, typer.Option(min=1, max=100_000, help="Runs of each agent.")] = 20,
    game_name: BattleGame = SPIRE,
    seed: Annotated[int, typer.Option(min=0, help="The same seed plays the same runs.")] = 1,
) -> None:
    """Play chains of battles: health carries over, and the deck grows.

    After each victory, the player may add one of a few cards to the deck.
    The table shows, for each agent and each way to choose, the share of runs
    in which all battles were won with its 95 % interval, the mean number of
    battles won and of health left, and the cards that were taken most often.
    """
    from planner.games.spire.battle_chain import CHOOSERS, play_chain  # noqa: PLC0415  (games load lazily)
    from planner.stats.intervals import wilson  # noqa: PLC0415  (scipy)

    spire = battle_game(game_name)
    chain = spire.chain(chain_name)
    specs = {name: agent_spec(name, spire) for name in comma_words(agents, "--agents")}
    choosers = comma_words(rewards, "--rewards")
    for name in choosers:
        if name not in CHOOSERS:
            hint = did_you_mean(name, CHOOSERS) or f"; must be one of {', '.join(CHOOSERS)}"
            raise PlannerError(f"--rewards: {quote(name)} is not a way to choose{hint}")
    out = console()
    titles = ("agent", "rewards", "all won", "95 % interval", "battles", "health", "taken most often")
    rows = []
    with out.status("playing") as status:
        for agent, spec in specs.items():
            for chooser in choosers:
                results = []
                for number in range(runs):
                    status.update(f"{agent}, {chooser}: {number} of {runs} runs")
                    results.append(play_chain(chain, partial(spec.make, spire), CHOOSERS[chooser], seed + number))
                won = sum(result.won == len(chain.battles) for result in results)
                share, low, high = wilson(won, runs)
                taken = [card for result in results for card in result.taken if card is not None]
                most = sorted(set(taken), key=lambda card: (-taken.count(card), card))[:3]
                battles, health = (fmean(each) for each in zip(*((r.won, r.health[-1]) for r in results), strict=True))
                numbers = f"{share:.0%}", f"{low:.0%} to {high:.0%}", f"{battles:.1f}", f"{health:.0f}"
                rows.append((agent, chooser, *numbers, ", ".join(f"{card} {taken.count(card)}" for card in most)))
    out.print(f"{len(chain.battles)} battles, {runs} runs of each row")
    out.print(data_table(titles, rows))
