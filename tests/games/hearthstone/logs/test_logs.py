"""States from logs compared with a second reader, real actions checked by our rules, and broken logs."""

from __future__ import annotations

import gzip
import io
import time
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

pytest.importorskip("hslog")

from hearthstone.enums import CardType, GameTag, Step, Zone
from hslog import LogParser
from hslog.export import EntityTreeExporter

from planner.errors import PlannerError
from planner.games.hearthstone.cards.keywords import LIFESTEAL
from planner.games.hearthstone.logs.entity_tracker import EntityTracker, LoggedEntity
from planner.games.hearthstone.logs.match_review import MatchReview, best_turn, logged_folds, played_cards, review_match
from planner.games.hearthstone.logs.power_log import LoggedMatch, parse_lines, read_log
from planner.games.hearthstone.logs.snapshots import Snapshot, follow, take_snapshot
from planner.games.hearthstone.metagame import load_metagame
from planner.games.hearthstone.rules.actions import Attack
from planner.games.hearthstone.rules.legal import illegal_reason
from planner.games.hearthstone.rules.state_text import state_from_text
from planner.games.hearthstone.turn.hearthstone_weights import Weights
from tests.games.hearthstone.logs.sample import LOGS, sample, text

REAL = sorted(LOGS.glob("*.gz"))
real = pytest.mark.parametrize("path", REAL, ids=lambda path: path.name.split(".")[0])


def sample_match() -> LoggedMatch:
    return parse_lines(io.StringIO(text()))[0]


def review(match: LoggedMatch, profile: str = "true_balanced") -> MatchReview:
    return review_match(match, Weights.of(profile))


# -- the sample log


def test_snapshots_are_what_the_player_saw() -> None:
    first, second = EntityTracker(sample_match()).run()
    state = take_snapshot(first.start).state
    assert (state.turn, state.seat, state.me.mana, state.me.crystals) == (1, 0, 4, 4)
    assert (state.me.hero.hero_class, state.enemy.hero.hero_class) == ("mage", "warrior")
    assert (state.enemy.hero.health, state.enemy.hero.armor) == (10, 1)
    assert [(held.card.name, held.cost) for held in state.me.hand] == [("Fireball", 4), ("Bloodfen Raptor", 2)]
    assert [(one.card.name, one.attack, one.health) for one in state.me.board] == [("Chillwind Yeti", 4, 4)]
    assert (len(state.enemy.hand), len(state.me.deck)) == (3, 2)
    assert state.me.power is not None
    later = take_snapshot(second.start).state
    ready = [(one.card.name, one.attacks_left) for one in later.me.board]
    assert ready == [("Chillwind Yeti", 1), ("Bloodfen Raptor", 1)]
    assert second.start.shown == (("CS2_108", 4),)


def test_locked_crystals_are_not_subtracted_twice() -> None:
    """As in upload_warrior_paladin.power.log: 5 crystals, 2 of them locked, then a card for 3, and nothing is left."""
    board = EntityTracker(sample_match()).run()[0].start
    board.players()[0].tags.update(RESOURCES=5, RESOURCES_USED=2, OVERLOAD_LOCKED=2)
    me = take_snapshot(board).state.me
    assert (me.mana, me.crystals, me.locked) == (3, 5, 2)
    board.players()[0].tags.update(RESOURCES_USED=5)
    assert take_snapshot(board).state.me.mana == 0


def test_the_tag_of_an_effect_that_freezes_is_not_a_keyword() -> None:
    """Frost Elemental has it for its battlecry, Water Elemental because it freezes what it damages."""
    board = EntityTracker(sample_match()).run()[1].start
    raptor = next(entity for entity in board.entities.values() if entity.card_id == "CS2_172")
    for card_id, keywords in (("EX1_283", ()), ("CS2_033", ("freeze",))):
        frozen = replace(raptor, card_id=card_id, tags=raptor.tags | {"FREEZE": 1})
        state = take_snapshot(board._replace(entities=board.entities | {raptor.id: frozen})).state
        assert next(one for one in state.me.board if one.id == f"e{raptor.id}").keyword_names == keywords


def test_keywords_that_a_weapon_gained_are_read() -> None:
    board = EntityTracker(sample_match()).run()[1].start
    tags = {"CARDTYPE": 7, "ZONE": 1, "CONTROLLER": board.friendly, "ATK": 3, "HEALTH": 2, "LIFESTEAL": 1}
    axe = LoggedEntity(99, "CS2_106", tags)
    weapon = take_snapshot(board._replace(entities=board.entities | {99: axe})).state.me.weapon
    assert weapon is not None
    assert weapon.keywords == LIFESTEAL


def test_a_new_minion_with_rush_cannot_attack_the_hero() -> None:
    """The client does not call it exhausted: it has a tag of its own."""
    board = EntityTracker(sample_match()).run()[1].start
    raptor = next(entity for entity in board.entities.values() if entity.card_id == "CS2_172")
    raptor.tags.update(RUSH=1, ATTACKABLE_BY_RUSH=1, EXHAUSTED=0)
    state = take_snapshot(board).state
    assert illegal_reason(state, Attack(f"e{raptor.id}", "e13")) is None
    assert "rush" in str(illegal_reason(state, Attack(f"e{raptor.id}", "enemy.hero")))


def test_review_finds_the_missed_lethal_and_legal_moves() -> None:
    result = review(sample_match(), "aggro_face")
    first, second = result.turns
    assert [len(turn.moves) for turn in result.turns] == [2, 1]
    assert all(move.exact and not move.illegal_reason for turn in result.turns for move in turn.moves)
    assert not first.estimate
    assert second.missed_lethal
    assert second.best.lethal
    assert second.lost > 0
    assert result.illegal == []
    # The first turn could not win. The played actions earn 4 face damage, a card and two survivors.
    assert not first.missed_lethal
    assert first.earned <= first.best.objective


def test_winning_turn_loses_no_points() -> None:
    """In this log the player casts the winning Fireball instead of the trade."""
    lines = sample()
    at = next(index for index, line in enumerate(lines) if "BlockType=ATTACK Entity=12" in line and "Target=13" in line)
    lines[at] = lines[at].replace("ATTACK Entity=12", "PLAY Entity=10").replace("Target=13", "Target=6")
    lines[at + 1 : at + 4] = [lines[at + 1].replace("Entity=12", "Entity=6").replace("value=5", "value=31")]
    last = review(parse_lines(lines)[0]).turns[-1]
    assert last.won
    assert not last.missed_lethal
    assert last.lost == 0


def test_a_draw_is_not_a_missed_lethal() -> None:
    cards = (
        'cards: {"name": "Blast", "type": "spell", "effects": [{"do": "damage", "amount": 3, "to": "all characters"}]}'
    )
    weights = Weights.of("aggro_face")
    draw = Snapshot(state_from_text(f"0 mana | me 3hp | hand: Blast | enemy 3hp | {cards}"), ())
    best, lethal_plan = best_turn(draw, weights)
    assert best.outcome == "draw"
    assert lethal_plan is None
    win = Snapshot(state_from_text(f"0 mana | me 4hp | hand: Blast | enemy 3hp | {cards}"), ())
    assert best_turn(win, weights)[1] is not None


@pytest.mark.parametrize("seed", range(6))
def test_truncated_log_gives_the_turns_before_the_cut(seed: int) -> None:
    lines = sample()
    cut = Random(seed).randrange(30, len(lines))
    matches = parse_lines([*lines[:cut], lines[cut][: len(lines[cut]) // 2]])
    assert len(matches) == 1
    assert len(review(matches[0]).turns) <= 2


@pytest.mark.parametrize("seed", range(6))
def test_broken_lines_do_not_raise(seed: int) -> None:
    rng = Random(seed)
    lines = sample()
    for _ in range(4):
        index = rng.randrange(len(lines))
        line = lines[index]
        lines[index] = rng.choice(
            [line.replace("=", "=="), line[: rng.randrange(len(line))], line.replace("value=", "value=-99"),
             line.replace("Entity=", "Entity=[entityName=x id="), line.replace("ID=", "ID=9"), "\x00\xff" * 9]
        )  # fmt: skip
    for match in parse_lines(lines):
        assert isinstance(review(match).to_dict(), dict)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "is empty"),
        (b"hello\nworld\n", "contains no match"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "contains no match"),
        (b"\x1f\x8b\x08\x00cut", "is empty"),
        (b"<html><body></body></html>", "not an HSReplay file"),
        (b"<HSReplay", "not an HSReplay file"),
        (b'<!DOCTYPE x [<!ENTITY a "b">]><HSReplay/>', "defines entities"),
    ],
)
def test_other_file_is_rejected_in_one_line(tmp_path: Path, data: bytes, why: str) -> None:
    path = tmp_path / "Power.log"
    path.write_bytes(data)
    with pytest.raises(PlannerError, match=why) as caught:
        read_log(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("mode", ["GT_BATTLEGROUNDS", "GT_MERCENARIES_PVP"])
def test_other_mode_is_rejected(tmp_path: Path, mode: str) -> None:
    path = tmp_path / "Power.log"
    game = f"D 12:00:00.0000000 GameState.DebugPrintGame() - GameType={mode}\n"
    path.write_text(text() + game, encoding="utf-8")
    with pytest.raises(PlannerError, match="only matches of two players"):
        read_log(path)


def test_compressed_log_and_replay_file_give_the_same_review(tmp_path: Path) -> None:
    hsreplay = pytest.importorskip("hsreplay.document")
    compressed, replay = tmp_path / "a.power.log.gz", tmp_path / "a.xml"
    compressed.write_bytes(gzip.compress(text().encode()))
    from datetime import datetime

    document = hsreplay.HSReplayDocument.from_log_file(io.StringIO(text()), date=datetime(2020, 1, 1))
    replay.write_text(document.to_xml(), encoding="utf-8")
    one, two = (review(read_log(path)[0]) for path in (compressed, replay))
    assert [turn.snapshot.state for turn in one.turns] == [turn.snapshot.state for turn in two.turns]
    assert [turn.moves for turn in one.turns] == [turn.moves for turn in two.turns]


def test_truncated_compressed_log_gives_the_turns_before_the_cut(tmp_path: Path) -> None:
    path = tmp_path / "a.power.log.gz"
    noise = "\n".join(f"D 12:00:00.0000000 Other.Thing() - {Random(n).random()}" for n in range(500))
    compressed = gzip.compress((text() + noise).encode())
    path.write_bytes(compressed[:-2000])
    (match,) = read_log(path)
    result = review(match)
    assert len(result.turns) == 2
    assert result.problem == "the compressed file is truncated"


def test_file_with_several_matches(tmp_path: Path) -> None:
    path = tmp_path / "Power.log"
    path.write_text(text() * 2, encoding="utf-8")
    assert [len(review(match).turns) for match in read_log(path)] == [2, 2]


def _game_line(content: str) -> str:
    return f"D 12:00:00.0000000 GameState.DebugPrintGame() - {content}\n"


def test_mode_names_and_problems_belong_to_one_match(tmp_path: Path) -> None:
    """The file has three matches: the first of another mode, the second broken, the third valid."""
    path = tmp_path / "Power.log"
    parts = [
        *(text(), _game_line("GameType=GT_BATTLEGROUNDS")),
        *(text(), _game_line("PlayerID=1, PlayerName=Ann#1"), "D 12:00:00.0000000 GameState.DebugPrintPower() - x==\n"),
        *(text(), _game_line("GameType=GT_RANKED"), _game_line("PlayerID=1, PlayerName=Eve#1")),
    ]
    path.write_text("".join(parts), encoding="utf-8")
    broken, last = map(review, read_log(path))
    assert "cannot be read" in broken.problem
    assert (broken.player, last.player, last.problem) == ("Ann#1", "Eve#1", "")
    assert [len(one.turns) for one in (broken, last)] == [2, 2]


def test_deeply_nested_blocks_do_not_raise(tmp_path: Path) -> None:
    lines = text().splitlines(keepends=True)
    deep = "D 12:00:00.0000000 GameState.DebugPrintPower() - BLOCK_START BlockType=TRIGGER Entity=4 EffectCardId= "
    at = next(index for index, line in enumerate(lines) if "MAIN_ACTION" in line)
    lines[at:at] = [deep + "EffectIndex=0 Target=0 SubOption=-1 \n"] * 3000
    (match,) = parse_lines(lines)
    assert "RecursionError" in review(match).problem
    path = tmp_path / "Power.log"
    path.write_text("".join(lines), encoding="utf-8")
    assert list(follow(path, idle=0.0)) == []


def test_follow_continues_when_the_client_starts_a_new_file(tmp_path: Path) -> None:
    """The new file may be longer than the old one, and there may be no file for a while."""
    path, other = tmp_path / "Power.log", tmp_path / "new"
    lines = text().splitlines(keepends=True)
    at = next(index for index, line in enumerate(lines) if "MAIN_ACTION" in line) + 1
    path.write_text("".join(lines[:at]), encoding="utf-8")
    snapshots = follow(path, idle=0.5)
    assert next(snapshots).state.turn == 1
    other.write_text("".join([*lines[:at], *lines[at:-3]]), encoding="utf-8")
    other.replace(path)
    assert next(snapshots).state.turn == 3
    path.unlink()
    assert list(snapshots) == []


def test_played_cards_of_both_players() -> None:
    assert list(played_cards(sample_match())) == [("mage", [["Bloodfen Raptor"], []]), ("warrior", [["Execute"], []])]


def test_logged_folds_have_the_known_classes(tmp_path: Path) -> None:
    path = tmp_path / "Power.log"
    path.write_text(text(), encoding="utf-8")
    known = load_metagame()
    assert [fold.player_class for fold in logged_folds([path], known)] == ["mage", "warrior"]
    assert [fold.player_class for fold in logged_folds([path], known.of_class("mage"))] == ["mage"]


# -- real logs


class TreeReader(EntityTreeExporter):  # type: ignore[misc]  # the package has no types
    """Reads the board at the first MAIN_ACTION of each turn from the entity tree of the package."""

    def __init__(self, packets: Any, friendly: int) -> None:
        super().__init__(packets)
        self.friendly, self.turns = friendly, dict[int, Any]()

    def handle_tag_change(self, packet: Any) -> Any:
        entity = super().handle_tag_change(packet)
        if packet.tag == GameTag.STEP and packet.value == Step.MAIN_ACTION and entity is self.game:
            me = next(player for player in self.game.players if player.player_id == self.friendly)
            turn = self.game.tags.get(GameTag.TURN, 0)
            if me.tags.get(GameTag.CURRENT_PLAYER) and turn not in self.turns:
                players = sorted(self.game.players, key=lambda player: player is not me)
                self.turns[turn] = [self.side(player) for player in players]
        return entity

    def side(self, player: Any) -> dict[str, Any]:
        def tag(entity: Any, *names: GameTag) -> int:
            return next((int(entity.tags[name]) for name in names if name in entity.tags), 0)

        zones = {Zone.PLAY: list[Any](), Zone.HAND: list[Any](), Zone.DECK: list[Any]()}
        for entity in self.game.entities:
            if tag(entity, GameTag.CONTROLLER) == player.player_id and entity is not player and entity.zone in zones:
                zones[entity.zone].append(entity)
        for cards in zones.values():
            cards.sort(key=lambda card: (tag(card, GameTag.ZONE_POSITION), card.id))
        play = zones[Zone.PLAY]
        minions = [card for card in play if card.type == CardType.MINION and not tag(card, GameTag.DORMANT)]
        hero = self.game.find_entity_by_id(tag(player, GameTag.HERO_ENTITY))
        total = tag(player, GameTag.RESOURCES) + tag(player, GameTag.TEMP_RESOURCES)
        return {
            "health": tag(hero, GameTag.HEALTH) - tag(hero, GameTag.DAMAGE),
            "armor": tag(hero, GameTag.ARMOR),
            "mana": min(total - tag(player, GameTag.RESOURCES_USED), 10),
            "hand": [(f"e{card.id}", tag(card, GameTag.COST)) for card in zones[Zone.HAND]],
            "deck": len(zones[Zone.DECK]),
            "board": [
                (f"e{card.id}", tag(card, GameTag.ATK), tag(card, GameTag.HEALTH) - tag(card, GameTag.DAMAGE))
                for card in minions
            ],
        }


@real
def test_snapshots_equal_an_independent_reading_of_the_entity_tree(path: Path) -> None:
    parser = LogParser()
    with gzip.open(path, "rt", encoding="utf-8", errors="replace") as file:
        parser.read(file)
    parser.flush()
    for match, tree in zip(read_log(path), parser.games, strict=True):
        tracker = EntityTracker(match)
        turns = {turn.number: take_snapshot(turn.start).state for turn in tracker.run()}
        expected = TreeReader(tree, tracker.friendly).export()
        assert set(expected.turns) <= set(turns)
        assert len(set(turns) - set(expected.turns)) <= 1  # the log may begin in the middle of a turn
        assert turns
        for number, (mine, theirs) in expected.turns.items():
            state = turns[number]
            assert state.me.mana == mine["mana"]
            assert [(held.id, held.cost) for held in state.me.hand] == mine["hand"]
            assert len(state.enemy.hand) == len(theirs["hand"])
            for player, side in ((state.me, mine), (state.enemy, theirs)):
                assert (player.hero.health, player.hero.armor) == (side["health"], side["armor"])
                assert [(one.id, one.attack, one.health) for one in player.board] == side["board"]
                assert len(player.deck) == side["deck"]


@real
def test_review_of_real_matches_finds_exact_actions_legal(path: Path) -> None:
    for match in read_log(path):
        before = time.process_time()  # other processes do not count
        result = review(match)
        assert result.turns
        assert not result.problem
        assert result.illegal == []
        assert time.process_time() - before < 0.5 * len(result.turns)  # 0.1 on an idle machine


@real
@pytest.mark.parametrize("seed", [1, 2])
def test_truncated_real_logs_do_not_raise(path: Path, seed: int) -> None:
    with gzip.open(path, "rt", encoding="utf-8", errors="replace") as file:
        lines = file.readlines()
    cut = Random(seed).randrange(len(lines) // 4, len(lines) // 2)
    for match in parse_lines(lines[:cut]):
        EntityTracker(match).run()


def test_log_that_does_not_describe_a_player_says_so() -> None:
    lines = [line for line in sample() if "tag=PLAYER_ID value=2" not in line]
    result = review(parse_lines(io.StringIO("\n".join(lines)))[0])
    assert result.turns == ()
    assert "the log does not describe player 2" in str(result.problem)
