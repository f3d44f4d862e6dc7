"""The play page: play one seat of a game against an agent."""

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
from planner.game import HasPrompts
from planner.games import game as game_named
from planner.games import game_names
from planner.games.hearthstone.cards.decks import deck_names
from planner.games.hearthstone.rules.actions import Action, Attack, EndTurn, HeroPower, Mulligan, Play, Trade
from planner.games.hearthstone.rules.ruleset import ruleset_names
from planner.games.hearthstone.rules.state import GameState
from planner.games.spire.scenario_files import scenario_names
from planner.protocol.match_requests import PICTURE_WIDTH
from planner.service.pages.elements import arrows, box, button, format_number, plural, text
from planner.service.pages.human_match import HumanMatch
from planner.service.pages.match_page import keep_log
from planner.service.pages.page_tasks import LatestTask, send_request
from planner.service.pages.table_view import HERO_POWER, Spot, TableView
from planner.service.plan_pool import PlanPool

_SEATS: Final = ("first", "second")
_PAUSE: Final = 0.25  # seconds between the agent's actions, so that a person can follow them


def play_page(pool: PlanPool) -> None:
    """Build the page for one visitor."""
    PlayPage(pool)


class PlayPage:
    """A form for a new game, then the game."""

    def __init__(self, pool: PlanPool) -> None:
        self._pool = pool
        self._match: HumanMatch | None = None
        self._selected: str | None = None  # the card or hero that waits for a target
        self._replaced: set[str] = set()  # cards of the starting hand to replace
        self._suggestion: Any = None
        self._log_lines: list[tuple[str, str]] = []  # what happened, and its style
        with box("page two", "main") as self._page:
            self._left = box("stack")
            self._right = box("stack")
        self._task = LatestTask(ui.context.client)
        self._show_form("hearthstone")

    # -- a new game

    def _show_form(self, name: str) -> None:
        game = game_named(name)
        self._left.clear()
        self._right.clear()
        with self._left, box("panel stack", "section"):
            text("New game", tag="h2")
            games = ui.select(
                game_names(), label="Game", value=name, on_change=lambda event: self._show_form(event.value)
            )
            games.props("outlined dense")
            choices: list[ui.select] = []
            rules = seat = None
            if name == "hearthstone":
                choices = [_select("Your deck", deck_names(), "mage"), _select("Enemy deck", deck_names(), "warrior")]
                rules = _select("Rules", ruleset_names(), "standard")
                seat = _select("You move", list(_SEATS), "first")
            else:
                choices = [_select("Scenario", list(scenario_names()), "starter")]
            agent = _select("Opponent", agent_names(game), "greedy") if seat is not None else None
            seed = ui.number("Seed", value=secrets.randbelow(10**6), format="%d")
            seed.props("outlined dense")

            def begin() -> None:
                my_seat = 0 if seat is None or seat.value == "first" else 1
                words = [str(choice.value) for choice in choices]
                try:
                    setup = game.setup_from_words(words[::-1] if my_seat else words, str(rules.value) if rules else "")
                    opponent = str(agent.value) if agent is not None else ""
                    self._begin(HumanMatch(game, setup, my_seat, opponent, _read_seed(seed.value)))
                except PlannerError as error:
                    ui.notify(str(error), type="negative", position="top")

            button("Start", begin, "main")
        with self._right, box("panel stack", "section"):
            text("How to play", tag="h2")
            text(
                "Legal cards are highlighted. Click a card, then its target. An illegal move is refused with the "
                "reason.",
                tag="p",
            )
            text("Press Suggest for the planner's turn. You can save the log and review the game afterwards.", tag="p")

    def _begin(self, match: HumanMatch) -> None:
        self._match, self._selected, self._suggestion = match, None, None
        self._replaced.clear()
        self._log_lines.clear()
        self._continue()

    # -- the match

    def _continue(self) -> None:
        """Draw the match, and let the agent move if it is its turn."""
        self._draw()
        match = self._match
        if match is not None and match.outcome is None and not match.is_my_turn:
            self._task.begin(partial(self._agent_moves, match))

    async def _agent_moves(self, match: HumanMatch) -> None:
        while match.outcome is None and not match.is_my_turn:
            await asyncio.sleep(_PAUSE)
            game, seat = match.game, 1 - match.seat
            try:
                state = {"game": game.name, **game.state_to_json(match.observed(seat))}
                answer = await send_request(
                    self._pool, "decide", agent=match.agent, seed=match.agent_seed(), state=state
                )
                self._add_line(match.act(game.action_from_json(answer["action"])), "other")
            except PlannerError as error:
                self._add_line(f"{match.agent} fails: {error}", "bad")
                self._add_line(match.act(game.default_action(match.state)), "other")
            self._draw()

    def _act(self, action: Any) -> None:
        match = self._match
        if match is None or not match.is_my_turn:
            return
        try:
            self._add_line(match.act(action), "mine")
        except PlannerError as error:
            self._refuse(str(error))
            return
        self._selected = None
        self._replaced.clear()
        self._advance_suggestion(action)
        self._continue()

    def _refuse(self, line: str) -> None:
        with self._page:
            ui.notify(line, type="negative", position="top", timeout=4000)

    def _add_line(self, line: str, style: str) -> None:
        self._log_lines.append((arrows(line), style))

    # -- drawing

    def _draw(self) -> None:
        match = self._match
        assert match is not None
        self._left.clear()
        with self._left:
            if isinstance(match.state, GameState):
                self._draw_table(match)
            else:
                self._draw_picture(match)
        self._right.clear()
        with self._right:
            with box("panel stack", "section"):
                self._draw_controls(match)
            with box("panel", "section"):
                text("Game log", tag="h2")
                with box("log") as log:
                    log.props["aria-live"] = "polite"
                    for line, style in reversed(self._log_lines[-200:]):
                        text(line, "soft" if style == "other" else "bad" if style == "bad" else "", "div")

    def _draw_controls(self, match: HumanMatch) -> None:
        outcome = match.outcome
        if outcome is not None:
            won = outcome.winner == match.seat
            draw = outcome.winner is None and len(outcome.points) > 1
            text("You win" if won else "Draw" if draw else "You lose", "score")
            text(f"by {outcome.reason}, after {plural(outcome.rounds, 'round')}", tag="p").props["id"] = "over"
        else:
            text("Your turn" if match.is_my_turn else f"{match.agent} is thinking …", tag="h2").props["id"] = "whose"
        with box("row"):
            if match.is_my_turn and isinstance(match.state, GameState):
                if match.state.turn < 1:
                    count = len(self._replaced)
                    label = f"Replace {plural(count, 'card')}" if count else "Keep all cards"
                    button(label, lambda: self._act(Mulligan(tuple(sorted(self._replaced)))), "main")
                else:
                    button("End turn", lambda: self._act(EndTurn()), "main")
                if self._selected is not None:
                    self._draw_untargeted_actions(match)
            if match.is_my_turn:
                button("Suggest", self._request_suggestion)
            button("Save log", self._save_log)
            button("Review game", self._review)
            button("New game", lambda: self._show_form(match.game.name))
        if self._suggestion is not None and match.is_my_turn:
            self._draw_suggestion(match)

    def _draw_untargeted_actions(self, match: HumanMatch) -> None:
        for action in match.game.legal_actions(match.state):
            if isinstance(action, Trade) and action.card == self._selected:
                button("Trade it", lambda action=action: self._act(action))
            elif isinstance(action, Play) and action.card == self._selected and action.target is None:
                button("Play without a target", lambda action=action: self._act(action))
        button("Cancel", self._deselect)

    def _draw_table(self, match: HumanMatch) -> None:
        view = match.view()
        names = match.game.seat_names(match.state)
        marks: dict[str, str] = {}
        if match.is_my_turn:
            legal = match.game.legal_actions(match.state)
            if view.turn < 1:
                marks = {card.id: "chosen" if card.id in self._replaced else "legal" for card in view.me.hand}
            elif self._selected is None:
                marks = {_source(action): "legal" for action in legal if _source(action)}
            else:
                marks = {str(_target(action)): "legal" for action in legal if _source(action) == self._selected}
                marks[self._selected] = "chosen"
        titles = (f"{names[match.seat]} (you)", f"{names[1 - match.seat]} ({match.agent})")
        TableView(self._pick, marks=marks, titles=titles, read_only=not match.is_my_turn).draw(view)

    def _draw_picture(self, match: HumanMatch) -> None:
        """Draw a game that has no table: its text picture, and a button for each legal action."""
        state = match.observed(match.seat)
        with box("panel stack", "section"):
            text(match.game.show(state, PICTURE_WIDTH), "picture", "pre")
            if match.is_my_turn:
                with box("row"):
                    for action in match.game.legal_actions(match.state):
                        button(match.game.describe_action(state, action), lambda action=action: self._act(action))

    # -- clicks on the table

    def _pick(self, spot: Spot) -> None:
        match = self._match
        if match is None or not match.is_my_turn:
            return
        state = match.state
        if state.turn < 1:
            if spot.zone == "me.hand":
                self._replaced ^= {spot.id}
                self._draw()
            return
        legal = match.game.legal_actions(state)
        if self._selected is not None and spot.id != self._selected:
            action = next((a for a in legal if _source(a) == self._selected and _target(a) == spot.id), None)
            if action is not None:
                self._act(action)
            else:
                self._refuse(self._illegal_reason(match, _attempt(state, self._selected, spot.id)))
            return
        if self._selected == spot.id:
            self._deselect()
            return
        actions = [action for action in legal if _source(action) == spot.id]
        if not actions:
            mine = spot.zone in ("me.board", "me.hand", "me.hero", HERO_POWER)
            reason = self._illegal_reason(match, _attempt(state, spot.id, None))
            self._refuse(reason if mine else "click your own card first, then its target")
        elif len(actions) == 1 and _target(actions[0]) is None:
            self._act(actions[0])
        else:
            self._selected = spot.id
            self._draw()

    @staticmethod
    def _illegal_reason(match: HumanMatch, action: Action) -> str:
        return match.game.illegal_reason(match.state, action) or "this is not legal now"

    def _deselect(self) -> None:
        self._selected = None
        self._draw()

    # -- suggestions and the log

    def _request_suggestion(self) -> None:
        match = self._match
        if match is not None and match.is_my_turn:
            self._task.begin(partial(self._suggest, match))

    async def _suggest(self, match: HumanMatch) -> None:
        game, state = match.game, match.observed(match.seat)
        prompt = game.decide_prompt(state) if isinstance(game, HasPrompts) else None
        if prompt is not None:  # such as a mulligan: not a turn that could be planned
            self._suggestion = {
                "actions": [game.action_to_json(prompt)],
                "words": [game.describe_action(state, prompt)],
                "score": None,
            }
        else:
            try:
                request = {"game": game.name, **game.state_to_json(state)}
                plan = await send_request(self._pool, "plan", state=request)
            except PlannerError as error:
                self._refuse(str(error))
                return
            actions = [game.action_from_json(action) for action in plan["actions"]]
            words = game.describe_turn(state, actions, briefly=True)
            self._suggestion = {"actions": plan["actions"], "words": words, "score": plan["objective"]}
        self._draw()

    def _draw_suggestion(self, match: HumanMatch) -> None:
        suggestion = self._suggestion
        with box("stack").props("id=suggestion"):
            score = suggestion["score"]
            text(f"Suggested turn{'' if score is None else f' (score {format_number(score)})'}", tag="h3")
            with box("steps", "ol"):
                for line in suggestion["words"] or ["end the turn"]:
                    text(arrows(line), tag="li")
            first = suggestion["actions"][0] if suggestion["actions"] else None
            action = match.game.action_from_json(first) if first else match.game.default_action(match.state)
            button("Play this move", lambda: self._act(action))

    def _advance_suggestion(self, action: Any) -> None:
        """Keep the rest of a suggestion that the person follows; drop any other one."""
        match, suggestion = self._match, self._suggestion
        self._suggestion = None
        if match is None or not suggestion or not match.is_my_turn:
            return
        first, *rest = suggestion["actions"] or [None]
        if rest and match.game.action_to_json(action) == first:
            self._suggestion = {"actions": rest, "words": suggestion["words"][1:], "score": None}

    def _log_text(self) -> str:
        assert self._match is not None
        return json.dumps(self._match.record().to_dict(), ensure_ascii=False)

    def _save_log(self) -> None:
        ui.download.content(self._log_text(), "match.json")

    def _review(self) -> None:
        ui.navigate.to(f"/match?log={keep_log(self._log_text())}")


def _read_seed(value: float | None) -> int:
    if value is None or not math.isfinite(value):
        raise PlannerError("the seed must be an integer")
    return int(value) % 2**64


def _select(label: str, names: list[str], value: str) -> ui.select:
    chosen = value if value in names else names[0]
    return ui.select(names, label=label, value=chosen).props("outlined dense options-dense")


def _source(action: Action) -> str:
    """Return the id of the card or hero that acts."""
    match action:
        case Play(card) | Trade(card):
            return card
        case Attack(attacker):
            return attacker
        case HeroPower():
            return HERO_POWER
    return ""


def _target(action: Action) -> str | None:
    return action.target if isinstance(action, Play | Attack | HeroPower) else None


def _attempt(state: GameState, source: str, target: str | None) -> Action:
    """Return the action that a click seems to mean, so that the rules can say why it is illegal."""
    if source == HERO_POWER:
        return HeroPower(target)
    if source in {card.id for card in state.me.hand}:
        return Play(source, target)
    return Attack(source, target or "enemy.hero")
