// Tables as a list, for the front page and the lobby.

import { h } from "./dom.js";
import { capital, label } from "./format.js";

/** @param {any[]} tables @param {string} empty */
export function tableRows(tables, empty) {
  if (!tables.length) return h("p", { class: "soft" }, empty, " ", h("a", { href: "/play" }, "Create one"));
  return h(
    "div",
    { class: "scroll" },
    h(
      "table",
      { class: "list" },
      h("thead", null, h("tr", null, ...["Table", "Game", "Players", "Status", ""].map((text) => h("th", null, text)))),
      h("tbody", null, ...tables.map(row)),
    ),
  );
}

/** @param {any} table */
function row(table) {
  const free = table.seats.some((/** @type {any} */ seat) => isFree(seat));
  const names = table.seats.map((/** @type {any} */ seat) => (isFree(seat) ? "free seat" : seat.kind === "agent" ? label(seat.name || seat.agent) : seat.name ?? "?"));
  return h(
    "tr",
    null,
    h("td", null, h("a", { href: `/table/${table.id}` }, table.title || "Table")),
    h("td", null, capital(table.game)),
    h("td", null, names.join(", ")),
    h("td", null, table.status === "open" ? "waiting" : `move ${table.moves ?? 0}`),
    h("td", null, h("a", { class: "button small", href: `/table/${table.id}` }, table.status === "open" && free ? "Join" : "Watch")),
  );
}

/** Return whether a person can still take this seat. @param {any} seat */
export function isFree(seat) {
  return seat.kind === "person" && !seat.player;
}
