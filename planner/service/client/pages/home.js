// The front page: what this is, three things to try, and the open tables.

import { go } from "../app.js";
import { append, fill, h } from "../dom.js";
import { tableRows } from "../lobby-list.js";
import { get } from "../service.js";

export const title = "Home";
const PUZZLE = "3 mana | me 30hp: Bloodfen Raptor | hand: Windfury, Blessing of Might | enemy 12hp";

/** @param {HTMLElement} main @param {URL} url */
export function open(main, url) {
  if (url.searchParams.has("state")) return go(`/analysis#${url.searchParams}`, { replace: true }); // a link to the board of earlier versions
  const tables = h("div", null, h("p", { class: "soft" }, "Looking for tables …"));
  append(
    main,
    h(
      "div",
      { class: "stack" },
      h(
        "div",
        { class: "hero-line" },
        h("h1", null, "The best turn of a card game, proved"),
        h("p", { class: "lead" }, "planner searches every legal turn and shows the best one under your weights, with a proof that no turn is better. Analyse a board, play against people and agents, and find the turns that cost you a match."),
      ),
      h("h2", null, "Three things to try"),
      h(
        "div",
        { class: "grid-list" },
        tile("Find the win", "Three mana, one Bloodfen Raptor, two spells: 12 damage this turn? Try it on the board, then look at the arrows.", `/analysis#${new URLSearchParams({ state: PUZZLE })}`, "Analyse this board"),
        tile("Play a match", "Against an agent at once, or with friends by a link. A table survives reloads, lost connections and restarts.", "/play", "Choose a game"),
        tile("See where a match was lost", "Drop a log, or open a tournament game: each turn is compared with the best one.", "/review", "Review a match"),
      ),
      h("section", { class: "panel" }, h("h2", null, "Open tables"), tables),
      h("p", { class: "soft" }, "Also here: ", h("a", { href: "/tournaments" }, "results of tournaments"), ", ", h("a", { href: "/library" }, "cards and decks"), ", and ", h("a", { href: "/api" }, "the API for programs"), "."),
    ),
  );
  get("/tables").then(
    (answer) => fill(tables, tableRows(answer.tables), h("p", null, h("a", { href: "/play" }, "Play or create a table"))),
    () => fill(tables, h("p", { class: "soft" }, "The tables cannot be listed at the moment.")),
  );
  return undefined;
}

/** @param {string} title @param {string} text @param {string} href @param {string} link */
function tile(title, text, href, link) {
  return h("a", { class: "panel tile", href }, h("h2", null, title), h("p", { class: "soft" }, text), h("span", { class: "button main" }, link));
}
