"""The page on which one plays: a seat of any game of the house, against any agent that has a name."""

from __future__ import annotations

import asyncio
import json
import math
import secrets
from functools import partial
from typing import Any, Final

from nicegui import ui

from planner.agents.agent_spec import agent_names
from planner.errors import PlannerError
from planner.game import require
from planner.games import game, game_names
from planner.games.hearthstone.cards.decks import deck_names
from planner.games.hearthstone.rules.actions import Action, Attack, EndTurn, HeroPower, Mulligan, Play, Trade
from planner.games.hearthstone.rules.ruleset import ruleset_names
from planner.games.hearthstone.rules.state import GameState
from planner.games.spire.scenario_files import scenario_names
from planner.planning.capabilities import PlansTurns
from planner.service.pages.asking import Errand, ask
from planner.service.pages.drawing import POWER, Drawing, Spot
from planner.service.pages.match import keep_log
from planner.service.pages.parts import box, counted, number, press, words
from planner.service.pages.sitting import PICTURE, Sitting
from planner.service.pool import Pool

_SEATS: Final = {0: "first", 1: "second"}
_PAUSE: Final = 0.25  # seconds between the other one's actions, to be followed


def play_page(pool: Pool) -> None:
    """One visitor's match."""
    PlayPage(pool)


class PlayPage:
    """First what to play, then the table."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._sitting: Sitting | None = None
        self._chosen: str | None = None  # who is to act, where a target is awaited
        self._away: set[str] = set()  # cards of the starting hand that go back
        self._advice: Any = None
        self._lines: list[tuple[str, str]] = []  # what happened, and how it is marked
        with box("page two", "main") as self._page:
            self._left = box("stack")
            self._right = box("stack")
        self._errand = Errand(ui.context.client)
        self._offer("hearthstone")

    # -- what to play

    def _offer(self, name: str) -> None:
        of = game(name)
        self._left.clear()
        self._right.clear()
        with self._left, box("panel stack", "section"):
            words("Sit down and play", tag="h2")
            kinds = ui.select(game_names(), label="Game", value=name, on_change=lambda event: self._offer(event.value))
            kinds.props("outlined dense")
            names: list[ui.select] = []
            rules = seat = None
            if name == "hearthstone":
                names = [_select("Your deck", deck_names(), "mage"), _select("Enemy deck", deck_names(), "warrior")]
                rules = _select("Rules", ruleset_names(), "standard")
                seat = _select("You move", list(_SEATS.values()), "first")
            else:
                names = [_select("Scenario", list(scenario_names()), "starter")]
            agent = _select("Against", agent_names(of), "greedy") if seat is not None else None
            seed = ui.number("Seed, which decides all luck", value=secrets.randbelow(10**6), format="%d")
            seed.props("outlined dense")

            def begin() -> None:
                mine = 0 if seat is None or seat.value == "first" else 1
                chosen = [str(one.value) for one in names]
                try:
                    setup = of.setup_from_words(chosen[::-1] if mine else chosen, str(rules.value) if rules else "")
                    against = str(agent.value) if agent is not None else ""
                    self._begin(Sitting(of, setup, mine, against, _seed(seed.value)))
                except PlannerError as error:
                    ui.notify(str(error), type="negative", position="top")

            press("Begin", begin, "main")
        with self._right, box("panel stack", "section"):
            words("How it goes", tag="h2")
            words("What you may do lights up. A click says who acts, the next one whom it is about; what the rules do "
                  "not allow, they say why.", tag="p")  # fmt: skip
            words("The planner's advice is there when you ask for it. The log can be saved and judged.", tag="p")

    def _begin(self, sitting: Sitting) -> None:
        self._sitting, self._chosen, self._advice = sitting, None, None
        self._away.clear()
        self._lines.clear()
        self._go_on()

    # -- the match

    def _go_on(self) -> None:
        """Draw what there is, and let the other one move if it is to."""
        self._draw()
        sitting = self._sitting
        if sitting is not None and sitting.outcome is None and not sitting.mine:
            self._errand.begin(partial(self._other_moves, sitting))

    async def _other_moves(self, sitting: Sitting) -> None:
        while sitting.outcome is None and not sitting.mine:
            await asyncio.sleep(_PAUSE)
            of, seat = sitting.game, 1 - sitting.seat
            try:
                state = of.state_to_json(sitting.seen(seat))
                about = {"of": of.name, "agent": sitting.agent, "seed": sitting.agent_seed(), "state": state}
                found = await ask(self._pool, "decide", **about)
                self._tell(sitting.act(of.action_from_json(found["action"])), "other")
            except PlannerError as error:
                self._tell(f"{sitting.agent} does nothing: {error}", "bad")
                self._tell(sitting.act(of.default_action(sitting.state)), "other")
            self._draw()

    def _act(self, action: Any) -> None:
        sitting = self._sitting
        if sitting is None or not sitting.mine:
            return
        try:
            self._tell(sitting.act(action), "mine")
        except PlannerError as error:
            self._refuse(str(error))
            return
        self._chosen = None
        self._away.clear()
        self._follow_advice(action)
        self._go_on()

    def _refuse(self, line: str) -> None:
        with self._page:
            ui.notify(line, type="negative", position="top", timeout=4000)

    def _tell(self, line: str, mark: str) -> None:
        self._lines.append((line.replace("->", "→"), mark))

    # -- drawing

    def _draw(self) -> None:
        sitting = self._sitting
        assert sitting is not None
        self._left.clear()
        with self._left:
            if isinstance(sitting.state, GameState):
                self._draw_table(sitting)
            else:
                self._draw_picture(sitting)
        self._right.clear()
        with self._right:
            with box("panel stack", "section"):
                self._draw_state(sitting)
            with box("panel", "section"):
                words("What happened", tag="h2")
                with box("log") as log:
                    log.props["aria-live"] = "polite"
                    for line, mark in reversed(self._lines[-200:]):
                        words(line, "soft" if mark == "other" else "bad" if mark == "bad" else "", "div")

    def _draw_state(self, sitting: Sitting) -> None:
        end = sitting.outcome
        if end is not None:
            won = end.winner == sitting.seat
            words("You win" if won else "A draw" if end.winner is None and len(end.points) > 1 else "You lose", "worth")
            words(f"by {end.reason}, after {counted(end.rounds, 'round')}", tag="p").props["id"] = "over"
        else:
            words("Your turn" if sitting.mine else f"{sitting.agent} is thinking …", tag="h2").props["id"] = "whose"
        with box("row"):
            if sitting.mine and isinstance(sitting.state, GameState):
                if sitting.state.turn < 1:
                    line = f"Put {len(self._away)} back" if self._away else "Keep this hand"
                    press(line, lambda: self._act(Mulligan(tuple(sorted(self._away)))), "main")
                else:
                    press("End turn", lambda: self._act(EndTurn()), "main")
                if self._chosen is not None:
                    self._draw_choice(sitting)
            if sitting.mine:
                press("Advice", self._ask_advice)
            press("Save the log", self._save)
            press("Look at the match", self._look)
            press("Another match", lambda: self._offer(sitting.game.name))
        if self._advice is not None and sitting.mine:
            self._draw_advice(sitting)

    def _draw_choice(self, sitting: Sitting) -> None:
        held = self._chosen
        for action in sitting.game.legal_actions(sitting.state):
            if isinstance(action, Trade) and action.card == held:
                press("Trade it", lambda action=action: self._act(action))
            elif isinstance(action, Play) and action.card == held and action.target is None:
                press("Play it without a target", lambda action=action: self._act(action))
        press("Never mind", self._let_go)

    def _draw_table(self, sitting: Sitting) -> None:
        view = sitting.view()
        names = sitting.game.seat_names(sitting.state)
        marks: dict[str, str] = {}
        if sitting.mine:
            legal = sitting.game.legal_actions(sitting.state)
            if view.turn < 1:
                marks = {held.id: "chosen" if held.id in self._away else "legal" for held in view.me.hand}
            elif self._chosen is None:
                marks = {_who(action): "legal" for action in legal if _who(action)}
            else:
                marks = {str(_target(action)): "legal" for action in legal if _who(action) == self._chosen}
                marks[self._chosen] = "chosen"
        titles = (f"{names[sitting.seat]} (you)", f"{names[1 - sitting.seat]} ({sitting.agent})")
        Drawing(self._pick, marks=marks, titles=titles, flat=not sitting.mine).draw(view)

    def _draw_picture(self, sitting: Sitting) -> None:
        """Any other game: its own picture, and what may be done as buttons."""
        seen = sitting.seen(sitting.seat)
        with box("panel stack", "section"):
            words(sitting.game.show(seen, PICTURE), "picture", "pre")
            if sitting.mine:
                with box("row"):
                    for action in sitting.game.legal_actions(sitting.state):
                        press(sitting.game.describe_action(seen, action), lambda action=action: self._act(action))

    # -- clicks on the table

    def _pick(self, spot: Spot) -> None:
        sitting = self._sitting
        if sitting is None or not sitting.mine:
            return
        state = sitting.state
        if state.turn < 1:
            if spot.zone == "me.hand":
                self._away ^= {spot.id}
                self._draw()
            return
        legal = sitting.game.legal_actions(state)
        if self._chosen is not None and spot.id != self._chosen:
            action = next((a for a in legal if _who(a) == self._chosen and _target(a) == spot.id), None)
            if action is not None:
                self._act(action)
            else:
                self._refuse(sitting.game.illegal_reason(state, _tried(state, self._chosen, spot.id)) or "not now")
            return
        if self._chosen == spot.id:
            self._let_go()
            return
        mine = [action for action in legal if _who(action) == spot.id]
        if not mine:
            ours = spot.zone in ("me.board", "me.hand", "me.hero", POWER)
            tried = _tried(state, spot.id, None)
            self._refuse((sitting.game.illegal_reason(state, tried) or "not now") if ours else "first say who acts")
        elif len(mine) == 1 and _target(mine[0]) is None:
            self._act(mine[0])
        else:
            self._chosen = spot.id
            self._draw()

    def _let_go(self) -> None:
        self._chosen = None
        self._draw()

    # -- advice, and the log

    def _ask_advice(self) -> None:
        sitting = self._sitting
        if sitting is not None and sitting.mine:
            self._errand.begin(partial(self._advise, sitting))

    async def _advise(self, sitting: Sitting) -> None:
        of = sitting.game
        state = of.state_to_json(sitting.seen(sitting.seat))
        try:
            profiles = require(of, PlansTurns, "planning").profiles
            self._advice = await ask(self._pool, "advise", of=of.name, state=state, weights=profiles.default)
        except PlannerError as error:
            self._refuse(str(error))
            return
        self._draw()

    def _draw_advice(self, sitting: Sitting) -> None:
        told = [line.replace("->", "→") for line in self._advice["words"]]
        with box("stack").props("id=advice"):
            worth = self._advice["objective"]
            words(f"The planner would{'' if worth is None else f' (worth {number(worth)})'}", tag="h3")
            with box("steps", "ol"):
                for line in told or ["end the turn"]:
                    words(line, tag="li")
            first = self._advice["actions"][0] if self._advice["actions"] else None
            action = sitting.game.action_from_json(first) if first else sitting.game.default_action(sitting.state)
            press("Do the first of it", lambda: self._act(action))

    def _follow_advice(self, action: Any) -> None:
        """What is left of the advice, if it was followed."""
        sitting, advice = self._sitting, self._advice
        if sitting is None or not advice or not advice["actions"]:
            self._advice = None
            return
        followed = sitting.game.action_to_json(action) == advice["actions"][0] and sitting.mine
        rest = {"actions": advice["actions"][1:], "words": advice["words"][1:], "objective": None}
        self._advice = rest if followed and rest["actions"] else None

    def _log(self) -> str:
        assert self._sitting is not None
        return json.dumps(self._sitting.record().to_dict(), ensure_ascii=False)

    def _save(self) -> None:
        ui.download.content(self._log(), "match.json")

    def _look(self) -> None:
        ui.navigate.to(f"/match?log={keep_log(self._log())}")


def _seed(given: float | None) -> int:
    """As a log takes it."""
    if given is None or not math.isfinite(given):
        raise PlannerError("the seed is a whole number")
    return int(given) % 2**64


def _select(label: str, names: list[str], value: str) -> ui.select:
    chosen = value if value in names else names[0]
    return ui.select(names, label=label, value=chosen).props("outlined dense options-dense")


def _who(action: Action) -> str:
    match action:
        case Play(card) | Trade(card):
            return card
        case Attack(attacker):
            return attacker
        case HeroPower():
            return POWER
    return ""


def _target(action: Action) -> str | None:
    return action.target if isinstance(action, Play | Attack | HeroPower) else None


def _tried(state: GameState, who: str, target: str | None) -> Action:
    """What somebody seems to want who clicks there: asked about, it says why not."""
    if who == POWER:
        return HeroPower(target)
    if who in {held.id for held in state.me.hand}:
        return Play(who, target)
    return Attack(who, target or "enemy.hero")
