"""A small Power.log: two turns of a mage that misses lethal in the second."""

from __future__ import annotations

from pathlib import Path

LOGS = Path(__file__).resolve().parents[5] / "shared" / "data" / "logs"
_HEAD = "D 12:00:00.0000000 GameState.DebugPrintPower() - "


def entity(number: int, card: str, **tags: object) -> list[str]:
    lines = [f"FULL_ENTITY - Creating ID={number} CardID={card}"]
    all_tags = {"ENTITY_ID": number, **tags}
    return lines + [f"    tag={tag} value={value}" for tag, value in all_tags.items()]


def change(entity_number: int, tag: str, value: object, depth: int = 0) -> str:
    return f"{'    ' * depth}TAG_CHANGE Entity={entity_number} tag={tag} value={value} "


def player(number: int, **tags: object) -> list[str]:
    all_tags = {"PLAYER_ID": number, "CARDTYPE": "PLAYER", "ZONE": "PLAY", "CONTROLLER": number, **tags}
    account = f"[hi={number} lo={number}]"
    lines = [f"    Player EntityID={number + 1} PlayerID={number} GameAccountId={account}"]
    return lines + [f"        tag={tag} value={value}" for tag, value in all_tags.items()]


def block(kind: str, entity_number: int, target: int, inner: list[str]) -> list[str]:
    head = f"BLOCK_START BlockType={kind} Entity={entity_number} EffectCardId= EffectIndex=0 Target={target}"
    return [f"{head} SubOption=-1 ", *inner, "BLOCK_END"]


def sample() -> list[str]:
    """Return the lines of the log."""
    hero = {"CARDTYPE": "HERO", "ZONE": "PLAY", "HEALTH": 30}
    minion = {"CARDTYPE": "MINION", "ZONE": "PLAY", "ZONE_POSITION": 1}
    lines = [
        "CREATE_GAME",
        "    GameEntity EntityID=1",
        *[f"        tag={tag} value={value}" for tag, value in (("CARDTYPE", "GAME"), ("ZONE", "PLAY"), ("TURN", 1))],
        *player(1, HERO_ENTITY=4, RESOURCES=4, CURRENT_PLAYER=1, FIRST_PLAYER=1),
        *player(2, HERO_ENTITY=6, RESOURCES=4),
        *entity(4, "HERO_08", CONTROLLER=1, **hero),
        *entity(5, "HERO_08bp", CONTROLLER=1, CARDTYPE="HERO_POWER", ZONE="PLAY", COST=2),
        *entity(6, "HERO_01", CONTROLLER=2, DAMAGE=20, ARMOR=1, **hero),
        *entity(7, "HERO_01bp", CONTROLLER=2, CARDTYPE="HERO_POWER", ZONE="PLAY", COST=2),
        *entity(10, "CS2_029", CONTROLLER=1, CARDTYPE="SPELL", ZONE="HAND", ZONE_POSITION=1, COST=4),
        *entity(11, "CS2_172", CONTROLLER=1, CARDTYPE="MINION", ZONE="HAND", ZONE_POSITION=2, COST=2, ATK=3, HEALTH=2),
        *entity(12, "CS2_182", CONTROLLER=1, ATK=4, HEALTH=5, DAMAGE=1, **minion),
        *entity(13, "CS2_182", CONTROLLER=2, ATK=4, HEALTH=5, **minion),
        *[line for number in (20, 21, 22) for line in entity(number, "", CONTROLLER=2, ZONE="HAND")],
        *[line for number in (30, 31) for line in entity(number, "", CONTROLLER=1, ZONE="DECK")],
        change(1, "STEP", "MAIN_ACTION"),
        *block("PLAY", 11, 0, [change(2, "RESOURCES_USED", 2, 1), change(11, "ZONE", "PLAY", 1),
                               change(11, "ZONE_POSITION", 2, 1), change(11, "EXHAUSTED", 1, 1)]),
        *block("ATTACK", 12, 6, [change(6, "ARMOR", 0, 1), change(6, "DAMAGE", 23, 1),
                                 change(12, "NUM_ATTACKS_THIS_TURN", 1, 1), change(12, "EXHAUSTED", 1, 1)]),
        change(1, "STEP", "MAIN_END"),
        change(2, "CURRENT_PLAYER", 0),
        change(3, "CURRENT_PLAYER", 1),
        change(1, "TURN", 2),
        change(1, "STEP", "MAIN_ACTION"),
        *block("PLAY", 20, 0, ["    SHOW_ENTITY - Updating Entity=20 CardID=CS2_108",
                               "        tag=CARDTYPE value=SPELL", "        tag=ZONE value=PLAY",
                               change(20, "ZONE", "GRAVEYARD", 1)]),
        change(1, "STEP", "MAIN_END"),
        change(3, "CURRENT_PLAYER", 0),
        change(2, "CURRENT_PLAYER", 1),
        change(2, "RESOURCES", 6),
        change(2, "RESOURCES_USED", 0),
        change(12, "EXHAUSTED", 0),
        change(12, "NUM_ATTACKS_THIS_TURN", 0),
        change(11, "EXHAUSTED", 0),
        change(1, "TURN", 3),
        change(1, "STEP", "MAIN_ACTION"),  # the enemy has 7 health; lethal with the Yeti on the board and Fireball in hand
        *block("ATTACK", 12, 13, [change(12, "DAMAGE", 5, 1), change(13, "DAMAGE", 4, 1),
                                  change(12, "ZONE", "GRAVEYARD", 1)]),
        change(1, "STEP", "MAIN_END"),
    ]  # fmt: skip
    return [_HEAD + line for line in lines]


def text() -> str:
    return "\n".join(sample()) + "\n"
