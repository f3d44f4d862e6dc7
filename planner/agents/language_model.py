"""`llm:FILE.yaml`: a language model as an agent, for every game.

The prompts are the templates in `prompts/`. After an unusable reply the model is asked again, with what was wrong.
After the last attempt, or a timeout, the agent plays the game's default action, and counts it in `fallbacks`.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from string import Template
from typing import Any, Final

from planner.agents.chat_endpoint import (
    ANONYMOUS,
    TIMED_OUT,
    ChatEndpoint,
    ChatSettings,
    Message,
    RecordedChat,
    append_line,
)
from planner.game import AnyGame, ListsCards

LANGUAGE_MODEL: Final = "llm:"
_PROMPTS: Final = Path(__file__).parent / "prompts"
_WIDTH: Final = 160  # columns of a board in a prompt: names are not cut off
_MAX_QUOTED: Final = 2000  # characters of a reply that are sent back to the model
_MAX_REPLY: Final = 100_000
_NUMBER: Final = re.compile(r"[0-9]{1,6}")
_LAST_LINE: Final = re.compile(r"ACTION: ([0-9]{1,6})")


def names_language_model(name: str) -> bool:
    """Return whether this names the file of a language model."""
    return name.startswith(LANGUAGE_MODEL) and name.endswith((".yaml", ".yml"))


def settings_file(name: str) -> Path:
    """Return the file that `llm:FILE.yaml` names."""
    return Path(name.removeprefix(LANGUAGE_MODEL))


@cache
def _template(name: str) -> Template:
    return Template((_PROMPTS / f"{name}.txt").read_text(encoding="utf-8").rstrip("\n"))


class LanguageModelAgent:
    """Asks a language model for the number of a legal action."""

    def __init__(self, path: Path, game: AnyGame, seed: int) -> None:
        self.settings = ChatSettings.of_file(path)
        self.name = path.stem
        self.decisions = 0  # those with a choice; the others are not asked
        self.fallbacks = 0  # of these, the ones that the default action decided
        self._game, self._seed = game, seed
        replay = self.settings.replay
        self._chat = ChatEndpoint(self.settings) if replay is None else RecordedChat(replay, seed)
        self._request = _template("reasoning" if self.settings.reasoning else "answer").template

    def decide(self, state: Any) -> Any:
        """Return the action that the model chose, or the default action."""
        actions = self._game.legal_actions(state)
        if len(actions) == 1:
            return actions[0]
        self.decisions += 1
        messages: list[Message] = self._prompt(state, actions)
        calls: list[dict[str, Any]] = []
        chosen = None
        for _ in range(self.settings.retries + 1):
            reply = self._chat.ask(messages)
            problem = reply.error
            if reply.text is not None:
                chosen, problem = read_choice(reply.text, len(actions), self.settings.reasoning)
            calls.append({"messages": list(messages), **reply.to_json(), "problem": problem})
            if chosen is not None or (reply.error or "").startswith(TIMED_OUT):
                break
            if reply.text is not None:
                messages = [
                    *messages[:2],
                    {"role": "assistant", "content": reply.text[:_MAX_QUOTED]},
                    {"role": "user", "content": _template("retry").substitute(problem=problem, request=self._request)},
                ]
        self.fallbacks += chosen is None
        action = self._game.default_action(state) if chosen is None else actions[chosen]
        if self.settings.record is not None:
            entry = {
                "seed": self._seed,
                "model": self.settings.model,
                "turn": self._game.turn(state),
                "action": self._game.action_to_text(action),
                "fallback": chosen is None,
                "calls": calls,
            }
            append_line(self.settings.record, entry)
        return action

    def _prompt(self, state: Any, actions: Any) -> list[Message]:
        game = self._game
        shown = game.show(state, _WIDTH)
        described = [game.describe_action(state, action) for action in actions]
        numbered = "\n".join(f"{number}. {words}" for number, words in enumerate(described, 1))
        cards = _texts_of_cards(game, f"{shown}\n{numbered}")
        user = _template("decision").substitute(state=shown, cards=cards, actions=numbered, request=self._request)
        system = _template("system").substitute(game=game.name, rules=game.rules_text())
        if self.settings.names == ANONYMOUS:
            hide = _Anonymous(game, state)
            system, user = hide.text(system.replace(game.name, "a card game")), hide.text(user)
        return [{"role": "system", "content": system}, {"role": "user", "content": user}]


def read_choice(reply: str, actions: int, reasoning: bool) -> tuple[int | None, str | None]:
    """Return the index of the chosen action, or what is wrong with the reply."""
    if len(reply) > _MAX_REPLY:
        return None, f"it is longer than {_MAX_REPLY:,} characters"
    lines = reply.strip().splitlines()
    if not lines:
        return None, "it is empty"
    match = _LAST_LINE.fullmatch(lines[-1].strip()) if reasoning else _NUMBER.fullmatch(reply.strip())
    if match is None:
        return None, "its last line is not of the form ACTION: NUMBER" if reasoning else "it is not a number"
    number = int(match[1] if reasoning else match[0])
    if not 1 <= number <= actions:
        return None, f"{number} is not the number of an action; they go from 1 to {actions}"
    return number - 1, None


def _texts_of_cards(game: AnyGame, text: str) -> str:
    """Return the texts of the cards that are named in this text."""
    if not isinstance(game, ListsCards):
        return ""
    entries = [entry for entry in game.card_entries() if entry.text and entry.name in text]
    if not entries:
        return ""
    return "\nCards:\n" + "\n".join(f"{entry.name} ({entry.kind}): {entry.text}" for entry in entries) + "\n"


class _Anonymous:
    """Replaces the names of cards and opponents, which a model may know from elsewhere, by numbers."""

    def __init__(self, game: AnyGame, state: Any) -> None:
        names = {entry.name for entry in game.card_entries()} if isinstance(game, ListsCards) else set()
        names |= _named(game.state_to_json(state))
        self._numbers = {name: f"Card{number}" for number, name in enumerate(sorted(names), 1)}
        longest_first = sorted(map(re.escape, names), key=len, reverse=True)
        self._pattern = re.compile(rf"\b(?:{'|'.join(longest_first)})(?!\w)") if names else None

    def text(self, words: str) -> str:
        """Return the text with numbers in place of names."""
        if self._pattern is None:
            return words
        return self._pattern.sub(lambda match: self._numbers[match[0]], words)


def _named(data: Any) -> set[str]:
    """Return the values of all fields `name`."""
    if isinstance(data, dict):
        own = {data["name"]} if isinstance(data.get("name"), str) and data["name"] else set()
        return own.union(*map(_named, data.values()))
    return set().union(*map(_named, data)) if isinstance(data, list | tuple) else set()
