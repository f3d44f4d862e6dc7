// Cards and decks: search, full texts, and deck codes in and out.

import { setAddress } from "../app.js";
import { append, button, copyText, field, fill, h, lineOf, listTable, problem, select } from "../dom.js";
import { label, labelled, plural } from "../format.js";
import { get, list, post } from "../service.js";
import { searchCards } from "../analysis/editor.js";
import { cardFace } from "../card-preview.js";

export const title = "Cards and decks";
const SHOWN = 60;

/** @param {HTMLElement} main @param {URL} url */
export function open(main, url) {
  const page = new LibraryPage(main, url);
  page.start();
}

class LibraryPage {
  /** @type {any[]} */
  #cards = [];
  /** @type {any[]} */
  #decks = [];
  #shown = SHOWN;
  #results = h("div", { class: "stack tight" });
  #deck = h("div", { class: "stack tight" });
  #query = /** @type {HTMLInputElement} */ (h("input", { type: "search", placeholder: "Name, keyword, tribe or text", id: "search" }));
  #tokens = /** @type {HTMLInputElement} */ (h("input", { type: "checkbox" }));

  /** @param {HTMLElement} main @param {URL} url */
  constructor(main, url) {
    this.query = url.searchParams;
    this.#query.value = this.query.get("q") ?? "";
    this.main = main;
  }

  async start() {
    try {
      const [cards, decks] = await Promise.all([list("/cards", { tokens: true }), list("/decks")]);
      this.#cards = cards.cards;
      this.#decks = decks.decks;
    } catch (error) {
      return append(this.main, problem(lineOf(error)));
    }
    const classes = [...new Set(this.#cards.map((card) => card.class))].sort();
    const types = [...new Set(this.#cards.map((card) => card.type))].sort();
    const again = () => { this.#shown = SHOWN; this.#draw(); };
    const any = (/** @type {string[]} */ names, /** @type {string} */ text) => select([["", text], ...labelled(names)], "", again);
    this.classes = any(classes, "all classes");
    this.types = any(types, "all types");
    this.classes.value = this.query.get("class") ?? "";
    this.types.value = this.query.get("type") ?? "";
    this.costs = any(["0", "1", "2", "3", "4", "5", "6", "7+"], "any cost");
    this.#query.addEventListener("input", again);
    this.#tokens.addEventListener("change", again);
    const filters = h("div", { class: "fields" }, field("Search cards", this.#query), field("Class", this.classes), field("Type", this.types), field("Cost", this.costs));
    append(
      this.main,
      h(
        "div",
        { class: "stack" },
        h("h1", null, "Cards and decks"),
        h("div", { class: "two" }, h("section", { class: "panel stack", id: "cards" }, h("h2", null, "Cards"), filters, h("label", { class: "check" }, this.#tokens, "Also cards that only other cards create"), this.#results), this.#deckPanel()),
      ),
    );
    this.#draw();
    return undefined;
  }

  #draw() {
    const cost = this.costs?.value ?? "";
    const matching = searchCards(this.#cards, this.#query.value).filter((card) =>
      (this.#tokens.checked || !(card.token || card.type === "hero_power") || this.types?.value === card.type) &&
      (!this.classes?.value || card.class === this.classes.value) && (!this.types?.value || card.type === this.types.value) &&
      (!cost || (cost === "7+" ? card.cost >= 7 : card.cost === Number(cost))));
    matching.sort((a, b) => a.cost - b.cost || a.name.localeCompare(b.name));
    fill(
      this.#results,
      h("p", { class: "soft", id: "count", "aria-live": "polite" }, plural(matching.length, "card")),
      h("div", { class: "gallery" }, ...matching.slice(0, this.#shown).map((card) => h("article", { class: "card-face", "aria-label": card.name }, ...cardFace(faceOf(card))))),
      matching.length > this.#shown ? button("Show more", () => { this.#shown += 2 * SHOWN; this.#draw(); }) : null,
    );
    const query = new URLSearchParams(Object.entries({ q: this.#query.value, class: this.classes?.value ?? "", type: this.types?.value ?? "" }).filter(([, value]) => value));
    if (location.pathname === "/library") setAddress(`/library${query.size ? `?${query}` : ""}`);
  }

  // -- decks

  #deckPanel() {
    const names = this.#decks.map((deck) => deck.name);
    const code = /** @type {HTMLTextAreaElement} */ (h("textarea", { rows: "3", "aria-label": "Deck code", placeholder: "AAEC…", spellcheck: "false" }));
    const read = async () => {
      try {
        const answer = await get("/decks/code", { code: code.value.trim() });
        this.#showDeck(answer.deck ?? answer, code.value.trim());
      } catch (error) {
        fill(this.#deck, problem(lineOf(error)));
      }
    };
    const choose = select([["", "Choose a deck"], ...labelled(names)], "", (name) => { const deck = this.#decks.find((entry) => entry.name === name); if (deck) this.#showDeck(deck, null); }, { id: "deck" });
    const first = this.query.get("deck");
    if (first && names.includes(first)) { choose.value = first; this.#showDeck(this.#decks.find((entry) => entry.name === first), null); }
    return h("section", { class: "panel stack", id: "decks" }, h("h2", null, "Decks"), field("Deck", choose), field("Deck code", code, "Paste a code from the game or a deck site."), h("div", { class: "row" }, button("Import", read, { class: "main" })), this.#deck);
  }

  /** @param {any} deck @param {string | null} code */
  #showDeck(deck, code) {
    /** @type {Map<string, number>} */
    const counts = new Map();
    for (const name of deck.cards) counts.set(name, (counts.get(name) ?? 0) + 1);
    const rows = [...counts].map(([name, count]) => ({ name, count, card: this.#cards.find((card) => card.name === name) })).sort((a, b) => (a.card?.cost ?? 99) - (b.card?.cost ?? 99) || a.name.localeCompare(b.name));
    const find = (/** @type {string} */ name) => { this.#query.value = name; if (this.classes && this.types && this.costs) this.classes.value = this.types.value = this.costs.value = ""; this.#draw(); };
    const copy = async () => {
      try {
        const text = code ?? (await post("/decks/code", { name: deck.name })).code;
        copyText(text, "Deck code");
      } catch (error) {
        append(this.#deck, problem(lineOf(error)));
      }
    };
    fill(
      this.#deck,
      h("h3", null, `${label(deck.name ?? "deck")} · ${label(deck.class ?? "")} · ${plural(deck.cards.length, "card")}`),
      curve(rows),
      listTable([], rows.map((row) => h("tr", null, h("td", { class: "num" }, row.card ? row.card.cost : "?"), h("td", null, row.card ? button(row.name, () => find(row.name), { class: "link" }) : row.name), h("td", { class: "num" }, `×${row.count}`)))),
      h("div", { class: "row" }, button("Copy deck code", copy), h("a", { class: "button", href: `/play?deck=${encodeURIComponent(deck.name ?? "")}` }, "Play with it")),
    );
  }
}

/** How many cards cost how much. @param {{card: any, count: number}[]} rows */
function curve(rows) {
  const counts = Array(8).fill(0);
  for (const row of rows) if (row.card) counts[Math.min(7, row.card.cost)] += row.count;
  const most = Math.max(1, ...counts);
  return h("div", { class: "mana-curve", role: "img", "aria-label": `Cards by cost: ${counts.map((count, cost) => `${count} for ${cost}`).join(", ")}` }, ...counts.map((count, cost) => h("span", null, h("small", null, count || ""), h("i", { style: { height: `${(54 * count) / most}px` } }), h("small", { class: "soft" }, cost === 7 ? "7+" : cost))));
}

/** Return a card of the list as a table shows it. @param {any} card @returns {import("../card-table.js").Card} */
function faceOf(card) {
  const counters = ["minion", "weapon"].includes(card.type) ? [{ name: "attack", value: card.attack }, { name: card.type === "weapon" ? "durability" : "health", value: card.health }] : [];
  if (card.spell_damage) counters.push({ name: "spell damage", value: card.spell_damage });
  if (card.overload) counters.push({ name: "overload", value: card.overload });
  return { id: card.name, name: card.name, kind: `${label(card.class)} ${label(card.type)}${card.token ? ", token" : ""}`, cost: card.cost, counters, keywords: [...card.keywords, ...card.tribes], text: card.text };
}
