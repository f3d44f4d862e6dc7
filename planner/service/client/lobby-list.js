// Tables as a list, for the front page and the lobby.

import { h } from "./dom.js";
import { capital, label } from "./format.js";

/** @param {any[]} tables @param {{mine?: boolean}} [more] */
export function tableRows(tables, { mine = false } = {}) {
  if (!tables.length) return h("p", { class: "soft" }, "No table is open now.");
  return h(
    "div",
    { class: "scroll" },
    h(
      "table",
      { class: "list" },
      h("thead", null, h("tr", null, ...["Table", "Game", "Players", "Status", ""].map((text) => h("th", null, text)))),
      h("tbody", null, ...tables.map((table) => row(table, mine))),
    ),
  );
}

/** @param {any} table @param {boolean} mine */
function row(table, mine) {
  const free = table.seats.some((/** @type {any} */ seat) => isFree(seat));
  const names = table.seats.map((/** @type {any} */ seat) => (isFree(seat) ? "free seat" : seat.kind === "agent" ? label(seat.name || seat.agent) : seat.name ?? "?"));
  return h(
    "tr",
    null,
    h("td", null, h("a", { href: `/table/${table.id}` }, table.title || "Table")),
    h("td", null, capital(label(table.game))),
    h("td", null, names.join(", ")),
    h("td", null, table.status === "open" ? "waiting" : `move ${table.moves ?? 0}`),
    h("td", null, h("a", { class: "button small", href: `/table/${table.id}` }, mine ? "Continue" : table.status === "open" && free ? "Join" : "Watch")),
  );
}

/** Return whether a person can still take this seat, of a frame or of a list. @param {any} seat */
export function isFree(seat) {
  return seat.kind === "person" && (seat.free ?? !seat.player);
}
