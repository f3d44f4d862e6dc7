"""Deck-building games that are defined by data: a folder with one YAML file and, where needed, one function file.

- `definition`: what a game is, as values: cards, piles, phases, and the effects as a table of steps.
- `definition_fields`: how the fields of these values are declared, read from YAML and described in a JSON schema.
- `amounts`: numbers, conditions and filters that a definition writes as text, such as `cost + 2`.
- `effects`: the vocabulary of effects: the steps and the words for them; `effect_reader` reads blocks of steps.
- `definition_reader`: reads the YAML file; every mistake has file, line and what would be right.
- `table_state`: `State`, `Player`, `Action`, `Decision` and `Setup`, the values of a match.
- `table`: a state that is being changed: zones, draws, gains, events.
- `steps`: carries out the steps of effects; a decision inside one becomes a `Decision` of the state.
- `function_file`, `functions`: the function file of a game, and what its functions can do.
- `rules`: the start, legal actions, turns, and the end; `observation`: what a seat sees of a state.
- `codec`, `deckbuilder_state_codec`: actions and setups, and states, as JSON.
- `deckbuilder_text`: tables and actions in words.
- `deckbuilder_table`: the table as a client shows it.
- `game_files`: what `planner check` and `planner schema` know of these files.
- `menu_bots`: the agents that are data files: what to buy, in order, under conditions.
- `bot_games`, `engine`: many games between two bots, in C++ where the cards allow it.
- `deckbuilder_game`: the game for matches and tournaments, with all its capabilities.
- `library`: the folders of the games that come with the package.
"""
