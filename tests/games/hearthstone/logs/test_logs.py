"""States from logs against a second reading of the entity tree, real actions against our rules, and broken logs."""

from __future__ import annotations

import gzip
import io
import time
from pathlib import Path
from random import Random
from typing import Any

import pytest

pytest.importorskip("hslog")

from hearthstone.enums import CardType, GameTag, Step, Zone
from hslog import LogParser
from hslog.export import EntityTreeExporter

from planner.errors import PlannerError
from planner.games.hearthstone.logs.following import follow
from planner.games.hearthstone.logs.reading import LoggedMatch, parse_lines, read_log
from planner.games.hearthstone.logs.review import Review, review
from planner.games.hearthstone.logs.seen import sight
from planner.games.hearthstone.logs.sequences import logged_folds, played
from planner.games.hearthstone.logs.tracking import Tracker
from planner.games.hearthstone.metagame import load_metagame
from planner.games.hearthstone.turn.hearthstone_weights import Weights
from tests.games.hearthstone.logs.sample import LOGS, sample, text

REAL = sorted(LOGS.glob("*.gz"))
real = pytest.mark.parametrize("path", REAL, ids=lambda path: path.name.split(".")[0])


def own() -> LoggedMatch:
    return parse_lines(io.StringIO(text()))[0]


def of(match: LoggedMatch, profile: str = "true_balanced") -> Review:
    return review(match, Weights.of(profile))


# -- our own small log


def test_the_states_are_what_the_player_saw() -> None:
    first, second = Tracker(own()).run()
    state = sight(first.start).state
    assert (state.turn, state.seat, state.me.mana, state.me.crystals) == (1, 0, 4, 4)
    assert (state.me.hero.hero_class, state.enemy.hero.hero_class) == ("mage", "warrior")
    assert (state.enemy.hero.health, state.enemy.hero.armor) == (10, 1)
    assert [(held.card.name, held.cost) for held in state.me.hand] == [("Fireball", 4), ("Bloodfen Raptor", 2)]
    assert [(one.card.name, one.attack, one.health) for one in state.me.board] == [("Chillwind Yeti", 4, 4)]
    assert (len(state.enemy.hand), len(state.me.deck)) == (3, 2)
    assert state.me.power is not None
    later = sight(second.start).state
    ready = [(one.card.name, one.attacks_left) for one in later.me.board]
    assert ready == [("Chillwind Yeti", 1), ("Bloodfen Raptor", 1)]
    assert second.start.shown == (("CS2_108", 4),)


def test_a_missed_lethal_is_found_and_what_was_played_is_legal() -> None:
    found = of(own(), "aggro_face")
    first, second = found.turns
    assert [len(turn.moves) for turn in found.turns] == [2, 1]
    assert all(move.exact and not move.refused for turn in found.turns for move in turn.moves)
    assert not first.estimate
    assert second.missed_lethal
    assert second.best.lethal
    assert second.lost > 0
    assert found.illegal == []
    # The first turn could not win. What was played earns what the referee counts: 4 to the face, a card, two survivors.
    assert not first.missed_lethal
    assert first.earned <= first.best.objective


def test_the_best_turn_loses_nothing() -> None:
    """The same log with the winning fire in the place of the trade."""
    lines = sample()
    at = next(place for place, line in enumerate(lines) if "BlockType=ATTACK Entity=12" in line and "Target=13" in line)
    lines[at] = lines[at].replace("ATTACK Entity=12", "PLAY Entity=10").replace("Target=13", "Target=6")
    lines[at + 1 : at + 4] = [lines[at + 1].replace("Entity=12", "Entity=6").replace("value=5", "value=31")]
    last = of(parse_lines(lines)[0]).turns[-1]
    assert last.won
    assert not last.missed_lethal
    assert last.lost == 0


@pytest.mark.parametrize("seed", range(6))
def test_a_log_that_is_cut_anywhere_gives_what_stands_before(seed: int) -> None:
    lines = sample()
    cut = Random(seed).randrange(30, len(lines))
    found = parse_lines([*lines[:cut], lines[cut][: len(lines[cut]) // 2]])
    assert len(found) == 1
    assert len(of(found[0]).turns) <= 2


@pytest.mark.parametrize("seed", range(6))
def test_broken_lines_end_in_words_and_not_in_a_traceback(seed: int) -> None:
    chance = Random(seed)
    lines = sample()
    for _ in range(4):
        place = chance.randrange(len(lines))
        line = lines[place]
        lines[place] = chance.choice(
            [line.replace("=", "=="), line[: chance.randrange(len(line))], line.replace("value=", "value=-99"),
             line.replace("Entity=", "Entity=[entityName=x id="), line.replace("ID=", "ID=9"), "\x00\xff" * 9]
        )  # fmt: skip
    for match in parse_lines(lines):
        assert isinstance(of(match).to_dict(), dict)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "is empty"),
        (b"hello\nworld\n", "no match in it"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "no match in it"),
        (b"\x1f\x8b\x08\x00cut", "is empty"),
        (b"<html><body></body></html>", "not an HSReplay file"),
        (b"<HSReplay", "not an HSReplay file"),
        (b'<!DOCTYPE x [<!ENTITY a "b">]><HSReplay/>', "defines entities"),
    ],
)
def test_a_foreign_file_is_refused_in_one_line(tmp_path: Path, data: bytes, why: str) -> None:
    path = tmp_path / "Power.log"
    path.write_bytes(data)
    with pytest.raises(PlannerError, match=why) as refusal:
        read_log(path)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("mode", ["GT_BATTLEGROUNDS", "GT_MERCENARIES_PVP"])
def test_another_mode_is_refused(tmp_path: Path, mode: str) -> None:
    path = tmp_path / "Power.log"
    game = f"D 12:00:00.0000000 GameState.DebugPrintGame() - GameType={mode}\n"
    path.write_text(text() + game, encoding="utf-8")
    with pytest.raises(PlannerError, match="only matches of two players"):
        read_log(path)


def test_a_gzipped_log_and_a_replay_file_say_the_same(tmp_path: Path) -> None:
    hsreplay = pytest.importorskip("hsreplay.document")
    packed, replay = tmp_path / "a.power.log.gz", tmp_path / "a.xml"
    packed.write_bytes(gzip.compress(text().encode()))
    from datetime import datetime

    document = hsreplay.HSReplayDocument.from_log_file(io.StringIO(text()), date=datetime(2020, 1, 1))
    replay.write_text(document.to_xml(), encoding="utf-8")
    one, two = (of(read_log(path)[0]) for path in (packed, replay))
    assert [turn.seen.state for turn in one.turns] == [turn.seen.state for turn in two.turns]
    assert [turn.moves for turn in one.turns] == [turn.moves for turn in two.turns]


def test_a_packed_log_that_breaks_off_gives_what_stands_before(tmp_path: Path) -> None:
    path = tmp_path / "a.power.log.gz"
    noise = "\n".join(f"D 12:00:00.0000000 Other.Thing() - {Random(n).random()}" for n in range(500))
    packed = gzip.compress((text() + noise).encode())
    path.write_bytes(packed[:-2000])
    (match,) = read_log(path)
    found = of(match)
    assert len(found.turns) == 2
    assert found.problem == "the packed file breaks off"


def test_several_matches_in_one_file(tmp_path: Path) -> None:
    path = tmp_path / "Power.log"
    path.write_text(text() * 2, encoding="utf-8")
    assert [len(of(match).turns) for match in read_log(path)] == [2, 2]


def _game(words: str) -> str:
    return f"D 12:00:00.0000000 GameState.DebugPrintGame() - {words}\n"


def test_what_is_said_about_a_match_is_only_its_own(tmp_path: Path) -> None:
    """Names, the mode and what breaks: three matches of one file, the first of another mode, the second broken."""
    path = tmp_path / "Power.log"
    parts = [
        *(text(), _game("GameType=GT_BATTLEGROUNDS")),
        *(text(), _game("PlayerID=1, PlayerName=Ann#1"), "D 12:00:00.0000000 GameState.DebugPrintPower() - x==\n"),
        *(text(), _game("GameType=GT_RANKED"), _game("PlayerID=1, PlayerName=Eve#1")),
    ]
    path.write_text("".join(parts), encoding="utf-8")
    broken, last = map(of, read_log(path))
    assert "cannot be read" in broken.problem
    assert (broken.player, last.player, last.problem) == ("Ann#1", "Eve#1", "")
    assert [len(one.turns) for one in (broken, last)] == [2, 2]


def test_blocks_without_end_are_no_traceback(tmp_path: Path) -> None:
    lines = text().splitlines(keepends=True)
    deep = "D 12:00:00.0000000 GameState.DebugPrintPower() - BLOCK_START BlockType=TRIGGER Entity=4 EffectCardId= "
    at = next(place for place, line in enumerate(lines) if "MAIN_ACTION" in line)
    lines[at:at] = [deep + "EffectIndex=0 Target=0 SubOption=-1 \n"] * 3000
    (match,) = parse_lines(lines)
    assert "RecursionError" in of(match).problem
    path = tmp_path / "Power.log"
    path.write_text("".join(lines), encoding="utf-8")
    assert list(follow(path, idle=0.0)) == []


def test_a_log_that_the_client_begins_anew_is_followed(tmp_path: Path) -> None:
    """Also where the new file is longer than the old one, and where there is none for a while."""
    path, other = tmp_path / "Power.log", tmp_path / "new"
    lines = text().splitlines(keepends=True)
    at = next(place for place, line in enumerate(lines) if "MAIN_ACTION" in line) + 1
    path.write_text("".join(lines[:at]), encoding="utf-8")
    seen = follow(path, idle=0.5)
    assert next(seen).state.turn == 1
    other.write_text("".join([*lines[:at], *lines[at:-3]]), encoding="utf-8")
    other.replace(path)
    assert next(seen).state.turn == 3
    path.unlink()
    assert list(seen) == []


def test_what_both_played_of_their_decks() -> None:
    assert list(played(own())) == [("mage", [["Bloodfen Raptor"], []]), ("warrior", [["Execute"], []])]


def test_sequences_of_known_classes_are_evaluated(tmp_path: Path) -> None:
    path = tmp_path / "Power.log"
    path.write_text(text(), encoding="utf-8")
    known = load_metagame()
    assert [fold.player_class for fold in logged_folds([path], known)] == ["mage", "warrior"]
    assert [fold.player_class for fold in logged_folds([path], known.of_class("mage"))] == ["mage"]


# -- real logs


class Snapshots(EntityTreeExporter):  # type: ignore[misc]  # the package has no types
    """The table at the first MAIN_ACTION of each turn, read from the package's own entity tree."""

    def __init__(self, packets: Any, friendly: int) -> None:
        super().__init__(packets)
        self.friendly, self.turns = friendly, dict[int, Any]()

    def handle_tag_change(self, packet: Any) -> Any:
        found = super().handle_tag_change(packet)
        if packet.tag == GameTag.STEP and packet.value == Step.MAIN_ACTION and found is self.game:
            me = next(one for one in self.game.players if one.player_id == self.friendly)
            turn = self.game.tags.get(GameTag.TURN, 0)
            if me.tags.get(GameTag.CURRENT_PLAYER) and turn not in self.turns:
                self.turns[turn] = [self.side(one) for one in sorted(self.game.players, key=lambda one: one is not me)]
        return found

    def side(self, who: Any) -> dict[str, Any]:
        def tag(entity: Any, *names: GameTag) -> int:
            return next((int(entity.tags[name]) for name in names if name in entity.tags), 0)

        place = {Zone.PLAY: list[Any](), Zone.HAND: list[Any](), Zone.DECK: list[Any]()}
        for one in self.game.entities:
            if tag(one, GameTag.CONTROLLER) == who.player_id and one is not who and one.zone in place:
                place[one.zone].append(one)
        for cards in place.values():
            cards.sort(key=lambda one: (tag(one, GameTag.ZONE_POSITION), one.id))
        awake = [one for one in place[Zone.PLAY] if one.type == CardType.MINION and not tag(one, GameTag.DORMANT)]
        hero = self.game.find_entity_by_id(tag(who, GameTag.HERO_ENTITY))
        have = tag(who, GameTag.RESOURCES) + tag(who, GameTag.TEMP_RESOURCES)
        spent = tag(who, GameTag.RESOURCES_USED) + tag(who, GameTag.OVERLOAD_LOCKED)
        return {
            "health": tag(hero, GameTag.HEALTH) - tag(hero, GameTag.DAMAGE),
            "armor": tag(hero, GameTag.ARMOR),
            "mana": min(have - spent, 10),
            "hand": [(f"e{one.id}", tag(one, GameTag.COST)) for one in place[Zone.HAND]],
            "deck": len(place[Zone.DECK]),
            "board": [
                (f"e{one.id}", tag(one, GameTag.ATK), tag(one, GameTag.HEALTH) - tag(one, GameTag.DAMAGE))
                for one in awake
            ],
        }


@real
def test_states_equal_an_independent_reading_of_the_entity_tree(path: Path) -> None:
    parser = LogParser()
    with gzip.open(path, "rt", encoding="utf-8", errors="replace") as file:
        parser.read(file)
    parser.flush()
    for match, tree in zip(read_log(path), parser.games, strict=True):
        tracker = Tracker(match)
        turns = {turn.number: sight(turn.start).state for turn in tracker.run()}
        snapshots = Snapshots(tree, tracker.friendly).export()
        assert set(snapshots.turns) <= set(turns)
        assert len(set(turns) - set(snapshots.turns)) <= 1  # a log that begins in the middle of a turn
        assert turns
        for number, (mine, theirs) in snapshots.turns.items():
            state = turns[number]
            assert state.me.mana == mine["mana"]
            assert [(held.id, held.cost) for held in state.me.hand] == mine["hand"]
            assert len(state.enemy.hand) == len(theirs["hand"])
            for player, side in ((state.me, mine), (state.enemy, theirs)):
                assert (player.hero.health, player.hero.armor) == (side["health"], side["armor"])
                assert [(one.id, one.attack, one.health) for one in player.board] == side["board"]
                assert len(player.deck) == side["deck"]


@real
def test_real_matches_are_reviewed_and_exact_actions_are_legal(path: Path) -> None:
    for match in read_log(path):
        before = time.process_time()  # and not the clock, which runs on while others have the processor
        found = of(match)
        assert found.turns
        assert not found.problem
        assert found.illegal == []
        assert time.process_time() - before < 0.5 * len(found.turns)  # 0.1 on a quiet machine


@real
@pytest.mark.parametrize("seed", [1, 2])
def test_real_logs_that_are_cut_anywhere(path: Path, seed: int) -> None:
    with gzip.open(path, "rt", encoding="utf-8", errors="replace") as file:
        lines = file.readlines()
    cut = Random(seed).randrange(len(lines) // 4, len(lines) // 2)
    for match in parse_lines(lines[:cut]):
        Tracker(match).run()
