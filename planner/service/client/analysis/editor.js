// The dialogs of the board editor. Only this module knows the fields of a Hearthstone state; the service checks them.

import { append, button, dialog, field, fill, h, select } from "../dom.js";
import { label, labelled } from "../format.js";
import { list } from "../service.js";

/** @typedef {any} State a state in JSON form (docs/reference/state.md) */
/** @typedef {{side: "me" | "enemy", pile: "board" | "hand"}} Place */
/** Makes a change of the state; returns whether it was valid. @typedef {(edit: (state: State) => void) => Promise<boolean>} Apply */

const NONE = "none";
const GENERATED_ID = /^(me|enemy)\.(board|hand|deck)\.\d+$/;
const BOARD_FIELDS = ["name", "card", "attack", "health", "keywords"];
const HAND_FIELDS = ["name", "card", "cost", "attack", "health", "keywords", "value"];

/** Return a copy for an edit; ids that only say a position are left out, since the reader assigns new ones. @param {State} state */
export function editable(state) {
  const copy = structuredClone(state);
  for (const side of ["me", "enemy"])
    for (const pile of ["board", "hand", "deck"])
      for (const entry of Array.isArray(copy[side][pile]) ? copy[side][pile] : [])
        if (typeof entry === "object" && GENERATED_ID.test(entry.id ?? "")) delete entry.id;
  return copy;
}

/** @param {State} state @param {Place} place @returns {any[]} */
export function pileOf(state, place) {
  const cards = state[place.side][place.pile];
  if (Array.isArray(cards)) return cards;
  return (state[place.side][place.pile] = typeof cards === "number" ? Array(cards).fill("?") : []);
}

/** Return where a card is. @param {State} state @param {string} id @returns {(Place & {index: number}) | null} */
export function find(state, id) {
  for (const place of /** @type {Place[]} */ ([{ side: "me", pile: "board" }, { side: "me", pile: "hand" }, { side: "enemy", pile: "board" }])) {
    const cards = state[place.side][place.pile];
    const index = Array.isArray(cards) ? cards.findIndex((card) => card.id === id) : -1;
    if (index >= 0) return { ...place, index };
  }
  return null;
}

/**
 * Move a card before the one at `index` of another place, or of its own.
 * @param {State} state @param {Place & {index: number}} from @param {Place} to @param {number} index @param {any[]} cards
 */
export function moveCard(state, from, to, index, cards) {
  const [entry] = pileOf(state, from).splice(from.index, 1);
  const same = from.side === to.side && from.pile === to.pile;
  const target = pileOf(state, to);
  target.splice(Math.min(same && from.index < index ? index - 1 : index, target.length), 0, same || from.pile === to.pile ? entry : changePile(entry, to, cards));
}

/** Turn a hand card into a minion, or a minion into a hand card. @param {any} entry @param {Place} to @param {any[]} cards */
function changePile(entry, to, cards) {
  if (typeof entry === "string") return entry;
  const known = cards.find((card) => card.name === entry.name);
  const keep = (/** @type {string[]} */ names) => Object.fromEntries(Object.entries(entry).filter(([key]) => names.includes(key)));
  if (to.pile === "board") {
    if (known && known.type !== "minion") throw new Error(`${known.name} is a ${known.type}: a board holds only minions`);
    return keep(BOARD_FIELDS);
  }
  return known ? { name: known.name } : { cost: 0, ...keep(HAND_FIELDS) };
}

export const allCards = () => list("/cards", { tokens: true }).then((answer) => /** @type {any[]} */ (answer.cards));

// -- adding a card

/** @param {Place} place @param {string} title @param {any} words @param {Apply} apply */
export async function addCard(place, title, words, apply) {
  const types = place.pile === "board" ? ["minion"] : ["minion", "spell", "weapon"];
  const cards = (await allCards()).filter((card) => types.includes(card.type));
  dialog(title, (close) => {
    const results = h("div", { class: "results" });
    const query = /** @type {HTMLInputElement} */ (h("input", { type: "search", autofocus: true, "aria-label": "Search cards", autocomplete: "off", placeholder: "Name, keyword, class or text" }));
    const take = async (/** @type {any} */ entry) => { if (await apply((state) => pileOf(state, place).push(entry))) close(); };
    const search = () => {
      const found = searchCards(cards, query.value).slice(0, 30);
      fill(results, ...found.map((card) => cardRow(card, () => take(card.name))), found.length ? null : h("p", { class: "soft" }, "No card matches. Create a custom card below."));
      return found;
    };
    query.addEventListener("input", search);
    query.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      const [first] = search();
      if (first) take(first.name);
    });
    search();
    return [field("Search cards", query), results, customCard(place, words, take)];
  });
}

/** Return the cards that contain all words; names that begin with the query come first. @param {any[]} cards @param {string} query */
export function searchCards(cards, query) {
  const text = query.trim().toLowerCase();
  const words = text.split(/\s+/).filter(Boolean);
  const rank = (/** @type {any} */ card) => {
    const name = card.name.toLowerCase();
    return name.startsWith(text) ? 0 : name.includes(text) ? 1 : 2;
  };
  const matching = cards.filter((card) => {
    const all = [card.name, card.class, card.type, ...card.keywords.map(label), ...card.tribes, card.text].join(" ").toLowerCase();
    return words.every((word) => all.includes(word));
  });
  return matching.sort((a, b) => rank(a) - rank(b) || Number(a.token) - Number(b.token) || a.name.localeCompare(b.name));
}

/** @param {any} card @param {() => void} onclick */
function cardRow(card, onclick) {
  const numbers = ["minion", "weapon"].includes(card.type) ? `${card.attack}/${card.health}` : label(card.type);
  const more = [...card.keywords.map(label), card.spell_damage ? `spell damage +${card.spell_damage}` : "", card.text].filter(Boolean).join(". ");
  return h("button", { onclick }, h("span", { class: "num" }, card.cost), h("span", null, card.name), h("span", { class: "num soft" }, numbers), more ? h("small", null, more) : null);
}

/** @param {Place} place @param {any} words @param {(entry: any) => void} take */
function customCard(place, words, take) {
  const name = /** @type {HTMLInputElement} */ (h("input", { value: "Minion" }));
  const cost = numberInput(1), attack = numberInput(2), health = numberInput(2);
  const keywords = keywordButtons(keywordsFor(place, words), []);
  const add = () => {
    const printed = keywords.chosen().filter((word) => !words.statuses.includes(word));
    const card = { name: name.value || "Minion", cost: place.pile === "hand" ? value(cost) : 0, attack: value(attack), health: value(health), keywords: printed };
    take({ card, keywords: keywords.chosen() });
  };
  return h(
    "details",
    null,
    h("summary", null, "Custom card"),
    h("div", { class: "stack tight" }, h("div", { class: "fields" }, field("Name", name), place.pile === "hand" ? field("Cost", cost) : null, field("Attack", attack), field("Health", health)), keywords.element, button("Add card", add, { class: "main" })),
  );
}

// -- editing a card

/** @param {State} state @param {Place & {index: number}} place @param {any} shown the card as the table shows it @param {any} words @param {Apply} apply @param {() => void} pickUp */
export function editCard(state, place, shown, words, apply, pickUp) {
  const entry = pileOf(state, place)[place.index];
  const data = typeof entry === "string" ? { name: entry } : entry;
  const isMinion = place.pile === "board";
  dialog(shown?.name ?? data.name ?? "Card", (close) => {
    /** @type {Record<string, HTMLInputElement>} */
    const inputs = {};
    const fields = h("div", { class: "fields" });
    const add = (/** @type {string} */ key, /** @type {string} */ title, /** @type {any} */ number) => { inputs[key] = numberInput(number); append(fields, field(title, inputs[key])); };
    if (place.pile === "hand") {
      add("cost", "Cost", data.cost ?? shown?.cost);
      add("value", "Value", data.value ?? 1);
    }
    if (data.attack !== undefined) {
      add("attack", "Attack", data.attack);
      add("health", shown?.kind === "weapon" ? "Durability" : "Health", data.health);
    }
    if (isMinion) {
      add("max_health", "Max health", data.max_health ?? data.health);
      add("attacks_left", "Attacks left", data.attacks_left ?? 1);
    }
    const keywords = data.keywords ? keywordButtons(keywordsFor(place, words), data.keywords) : null;
    const fresh = /** @type {HTMLInputElement} */ (h("input", { type: "checkbox", checked: Boolean(data.summoned_this_turn) }));
    const old = Object.fromEntries(Object.entries(inputs).map(([key, input]) => [key, input.value]));
    const save = async () => {
      const done = await apply((copy) => {
        const card = pileOf(copy, place)[place.index];
        for (const [key, input] of Object.entries(inputs)) if (input.value !== old[key]) card[key] = value(input);
        if (inputs.health && inputs.health.value !== old.health && isMinion && inputs.max_health.value === old.max_health)
          card.max_health = Math.max(Number(old.max_health), Number(inputs.health.value));
        if (keywords) card.keywords = keywords.chosen();
        if (isMinion && fresh.checked !== Boolean(data.summoned_this_turn)) card.summoned_this_turn = fresh.checked;
      });
      if (done) close();
    };
    const and = (/** @type {(copy: State) => void} */ edit) => async () => { if (await apply(edit)) close(); };
    const copyCard = (/** @type {State} */ copy) => {
      const { id: _, ...card } = pileOf(copy, place)[place.index];
      pileOf(copy, place).splice(place.index + 1, 0, card);
    };
    const details = [shown?.text, ...(shown?.counters ?? []).filter((/** @type {any} */ c) => c.name === "spell damage").map((/** @type {any} */ c) => `Spell damage +${c.value}.`)];
    return [
      ...details.filter(Boolean).map((line) => h("p", { class: "soft" }, line)),
      fields,
      keywords?.element,
      isMinion ? h("label", { class: "check" }, fresh, "Summoned this turn") : null,
      h(
        "div",
        { class: "row" },
        button("Save", save, { class: "main" }),
        button("Remove", and((copy) => pileOf(copy, place).splice(place.index, 1))),
        button("Copy", and(copyCard)),
        button("Move", () => { close(); pickUp(); }),
      ),
    ];
  });
}

// -- editing a hero

/** @param {State} state @param {"me" | "enemy"} side @param {any} words @param {Apply} apply */
export async function editHero(state, side, words, apply) {
  const cards = await allCards();
  const mine = side === "me", player = state[side], hero = player.hero;
  const names = (/** @type {string} */ type, /** @type {string | null} */ now) => [NONE, ...new Set([...cards.filter((card) => card.type === type).map((card) => card.name), ...(now ? [now] : [])])].sort((a, b) => (a === NONE ? -1 : b === NONE ? 1 : a.localeCompare(b)));
  const nameOf = (/** @type {any} */ entry) => (typeof entry === "string" ? entry : entry?.name ?? null);
  dialog(mine ? "Your hero" : "The enemy hero", (close) => {
    const count = (/** @type {any} */ pile) => (Array.isArray(pile) ? pile.length : pile ?? 0);
    const inputs = {
      health: numberInput(hero.health), armor: numberInput(hero.armor ?? 0), attack: numberInput(hero.attack_this_turn ?? 0), attacks: numberInput(hero.attacks_left ?? 1),
      mana: numberInput(state.mana), crystals: numberInput(player.crystals ?? state.mana), hand: numberInput(count(player.hand)), deck: numberInput(count(player.deck)),
    };
    const weaponNow = nameOf(player.weapon), powerNow = nameOf(player.hero_power);
    const weapon = select(names("weapon", weaponNow), weaponNow ?? NONE);
    const power = select(names("hero_power", powerNow), powerNow ?? NONE);
    const heroClass = select(labelled(words.classes), hero.class ?? "neutral");
    const used = /** @type {HTMLInputElement} */ (h("input", { type: "checkbox", checked: Boolean(player.hero_power_used) }));
    const weaponAttack = numberInput(player.weapon?.attack ?? null), durability = numberInput(player.weapon?.durability ?? null);
    const keywords = keywordButtons(["frozen", "immune", "windfury", "stealth"], hero.keywords ?? []);
    const save = async () => {
      const done = await apply((copy) => {
        const entry = copy[side];
        Object.assign(entry.hero, { health: value(inputs.health), armor: value(inputs.armor), class: heroClass.value, keywords: keywords.chosen() });
        if (inputs.attack.value !== String(hero.attack_this_turn ?? 0)) entry.hero.attack_this_turn = value(inputs.attack);
        if (inputs.attacks.value !== String(hero.attacks_left ?? 1)) entry.hero.attacks_left = value(inputs.attacks);
        if (hero.max_health !== undefined) entry.hero.max_health = Math.max(hero.max_health, Number(inputs.health.value));
        if (mine) {
          copy.mana = value(inputs.mana);
          if (inputs.crystals.value !== String(player.crystals ?? state.mana) || Number(inputs.mana.value) > Number(inputs.crystals.value)) entry.crystals = Math.max(Number(inputs.crystals.value), Number(inputs.mana.value));
        } else if (Number(inputs.hand.value) !== count(player.hand)) entry.hand = value(inputs.hand);
        if (Number(inputs.deck.value) !== count(player.deck)) entry.deck = value(inputs.deck);
        entry.hero_power_used = used.checked;
        if (power.value !== (powerNow ?? NONE)) power.value === NONE ? delete entry.hero_power : (entry.hero_power = power.value);
        if (weapon.value === NONE) delete entry.weapon;
        else entry.weapon = { name: weapon.value, ...(weapon.value === weaponNow ? { attack: value(weaponAttack), durability: value(durability) } : {}) };
      });
      if (done) close();
    };
    return [
      h("div", { class: "fields" }, field("Health", inputs.health), field("Armor", inputs.armor), field("Attack this turn", inputs.attack), field("Attacks left", inputs.attacks),
        ...(mine ? [field("Mana", inputs.mana), field("Crystals", inputs.crystals)] : [field("Cards in hand", inputs.hand)]), field("Cards in deck", inputs.deck)),
      h("div", { class: "fields" }, field("Class", heroClass), field("Hero power", power), field("Weapon", weapon), weaponNow ? field("Weapon attack", weaponAttack) : null, weaponNow ? field("Weapon durability", durability) : null),
      h("label", { class: "check" }, used, "Hero power used this turn"),
      keywords.element,
      h("div", { class: "row" }, button("Save", save, { class: "main" })),
    ];
  });
}

// -- parts of forms

/** @param {Place} place @param {any} words */
function keywordsFor(place, words) {
  const without = place.pile === "board" ? ["echo", "magnetic", "tradeable"] : words.statuses;
  return words.keywords.filter((/** @type {string} */ name) => !without.includes(name));
}

/** @param {number | null | undefined} number */
function numberInput(number) {
  return /** @type {HTMLInputElement} */ (h("input", { type: "number", step: "any", value: number ?? "" }));
}

/** Return the content of a field, unchecked: the reader of states checks it. @param {HTMLInputElement} input */
function value(input) {
  return input.value === "" ? null : Number(input.value);
}

/** @param {string[]} names @param {string[]} selected */
function keywordButtons(names, selected) {
  const chosen = new Set(selected);
  const element = h("div", { class: "chips", role: "group", "aria-label": "Keywords" });
  for (const name of new Set([...names, ...selected])) {
    const toggle = button(label(name), () => {
      if (!chosen.delete(name)) chosen.add(name);
      toggle.setAttribute("aria-pressed", String(chosen.has(name)));
    }, { class: "small", pressed: chosen.has(name) });
    element.append(toggle);
  }
  return { element, chosen: () => [...chosen] };
}
