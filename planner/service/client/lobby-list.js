// Tables as a list, for the front page and the lobby.

import { h, listTable } from "./dom.js";
import { ago, capital, label, plural } from "./format.js";

/** @param {any[]} tables @param {{mine?: boolean}} [more] */
export function tableRows(tables, { mine = false } = {}) {
  if (!tables.length) return h("p", { class: "soft" }, "No table is open now.");
  return listTable(["Table", "Game", "Players", "Status", ""], tables.map((table) => row(table, mine)));
}

/** Return the matches of a player that are over. @param {any[]} tables @param {string} player */
export function endedRows(tables, player) {
  const rows = tables.filter((table) => table.moves).map((table) => {
    const own = table.seats.findIndex((/** @type {any} */ seat) => seat.player === player);
    return h(
      "tr",
      null,
      h("td", null, h("a", { href: `/table/${table.id}` }, table.title || capital(label(table.game)))),
      h("td", null, names(table).filter((_, seat) => seat !== own).join(", ") || "alone"),
      h("td", null, resultOf(table.points, own)),
      h("td", null, plural(table.moves, "move")),
      h("td", null, ago(table.changed)),
      h("td", null, h("a", { class: "button small", href: `/review?table=${table.id}` }, "Review")),
    );
  });
  return rows.length ? listTable(["Match", "Against", "Result", "Length", "Ended", ""], rows) : null;
}

/** @param {number[] | null} points @param {number} own */
function resultOf(points, own) {
  if (!points) return "not finished";
  return points[own] === 1 ? "won" : points[own] === 0 ? "lost" : "draw";
}

/** @param {any} table @returns {string[]} */
function names(table) {
  return table.seats.map((/** @type {any} */ seat) => (isFree(seat) ? "free seat" : seat.kind === "agent" ? label(seat.name || seat.agent) : seat.name ?? "?"));
}

/** @param {any} table @param {boolean} mine */
function row(table, mine) {
  const free = table.seats.some((/** @type {any} */ seat) => isFree(seat));
  return h(
    "tr",
    null,
    h("td", null, h("a", { href: `/table/${table.id}` }, table.title || "Table")),
    h("td", null, capital(label(table.game))),
    h("td", null, names(table).join(", ")),
    h("td", null, table.status === "open" ? "waiting" : `move ${table.moves ?? 0}`),
    h("td", null, h("a", { class: "button small", href: `/table/${table.id}` }, mine ? "Continue" : table.status === "open" && free ? "Join" : "Watch")),
  );
}

/** Return whether a person can still take this seat, of a frame or of a list. @param {any} seat */
export function isFree(seat) {
  return seat.kind === "person" && (seat.free ?? !seat.player);
}
