"""The cards of Ascension that look at more than one place at once, or copy other cards."""
# ruff: noqa: ARG001

FACTIONS = ["Enlightened", "Lifebound", "Mechana", "Void"]


def name_faction(game, player, chosen):
    """Temple of Immortality: name a faction for this turn."""
    if chosen is None:
        game.ask_option(player, FACTIONS, "name a faction")
        return
    game.memo["faction"] = chosen[0]
    game.listen("gained", "immortality")


def immortality(game, player, chosen):
    """Acquire the card that took the place of an acquired card, if both are of the named faction."""
    faction, new = game.memo["faction"], game.refilled()
    if game.event_player != player or game.faction(chosen[0]) != faction or not new:
        return
    if game.faction(new) == faction and chosen[0] not in ("Mystic", "Heavy Infantry"):
        game.gain(player, new)


def keeper_of_secrets(game, player, chosen):
    """Death keystone once both a Mystic and a Heavy Infantry have been played this turn."""
    if not _played_both(game, player):
        game.listen("played", "keeper_waits")
    else:
        game.run(player, "death_keystone")


def keeper_waits(game, player, chosen):
    """Give the keystone as soon as the second of the two cards is played."""
    if _played_both(game, player):
        game.run(player, "death_keystone")
        return True
    return False


def _played_both(game, player):
    played = game.zone(player, "played")
    return "Mystic" in played and "Heavy Infantry" in played


def fist_of_the_dragon(game, player, chosen):
    """Banish a card of the row; defeat the monster that takes its place."""
    if chosen is None:
        game.ask_row(player, 1, "banish a card of the row")
        return
    new = game.banish(chosen[0])
    if new and game.has(new, type="monster"):
        game.gain(player, new)


def flanking_askara(game, player, chosen):
    """Wait for the next cheap hero."""
    game.listen("played", "askara_copies")


def askara_copies(game, player, chosen):
    """Carry out the effects of the hero once more."""
    hero = chosen[0]
    if game.event_player != player or not game.has(hero, type="hero") or game.cost(player, hero) > 3:
        return False
    game.perform(player, hero)
    return True


def brother_marius(game, player, chosen):
    """1 rune, and 1 for each faction among the own constructs."""
    constructs = [card for card in game.zone(player, "in_play") if game.has(card, type="construct")]
    game.add("runes", 1 + len({game.faction(card) for card in constructs}))


def deaths_widow(game, player, chosen):
    """Draw a card because this opponent has no construct."""
    game.draw(game.active)


def grave_golem(game, player, chosen):
    """Opponents discard their top cards; copy a hero among them."""
    if chosen is not None:
        game.perform(player, chosen[0])
        return
    tops = [game.top(other, "discard") for other in game.opponents(player)]
    heroes = sorted({card for card in tops if card and game.has(card, type="hero")})
    if heroes:
        game.ask_option(player, heroes, "copy a hero")


def kanzir(game, player, chosen):
    """Opponents lose their temples and constructs."""
    for other in game.opponents(player):
        for card in game.zone(other, "in_play"):
            if game.has(card, type="temple"):
                game.give_back(other, card, "in_play")
            else:
                game.move(other, card, "in_play", "discard")
