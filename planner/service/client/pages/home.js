// The front page: what this is, three things to try, and the open tables.

import { go } from "../app.js";
import { append, fill, h } from "../dom.js";
import { tableRows } from "../lobby-list.js";
import { get } from "../service.js";

export const title = "Home";

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
      h(
        "div",
        { class: "grid-list" },
        tile("/analysis", "Analyse a board", "Build a board, see the best turn with arrows, try a turn of your own and see what it loses."),
        tile("/play", "Play", "Join a table with friends and agents. Tables survive reloads, lost connections and restarts."),
        tile("/review", "Review a match", "Drop a log, or open a tournament game: every turn is compared with the best one."),
      ),
      h("section", { class: "panel" }, h("h2", null, "Open tables"), tables),
    ),
  );
  get("/tables").then(
    (answer) => fill(tables, tableRows(answer.tables), h("p", null, h("a", { href: "/play" }, "Play or create a table"))),
    () => fill(tables, h("p", { class: "soft" }, "The tables cannot be listed at the moment.")),
  );
  return undefined;
}

/** @param {string} href @param {string} title @param {string} text */
function tile(href, title, text) {
  return h("a", { class: "panel tile", href }, h("h2", null, title), h("p", { class: "soft" }, text));
}
