// The review of a log of the Hearthstone client: what each turn lost, and the wins that were missed.

import { button, fill, h, listTable, problem } from "./dom.js";
import { capital, label, number, plural } from "./format.js";

/** @param {HTMLElement} main @param {string} name @param {any} answer @param {HTMLElement} profiles the choice of weights @param {() => void} back */
export function drawClientReview(main, name, answer, profiles, back) {
  const matches = answer.matches ?? [];
  fill(
    main,
    h(
      "div",
      { class: "stack" },
      h("div", { class: "row between" }, h("h1", null, name), button("Open another", back)),
      profiles,
      matches.length ? null : h("p", { class: "panel" }, "The log contains no match."),
      ...matches.map(drawMatch),
    ),
  );
}

/** @param {any} match */
function drawMatch(match) {
  const lost = match.turns.reduce((/** @type {number} */ sum, /** @type {any} */ turn) => sum + Math.max(0, turn.lost ?? 0), 0);
  const most = Math.max(1e-9, ...match.turns.map((/** @type {any} */ turn) => turn.lost ?? 0));
  const missed = match.missed_lethals.length;
  return h(
    "section",
    { class: "panel stack tight" },
    h("h2", null, `${match.player} (${label(match.classes[0] || "?")}) against ${match.opponent} (${label(match.classes[1] || "?")})`),
    h("p", { class: "soft" }, `${number(lost)} points lost over ${plural(match.turns.length, "turn")} under ${label(match.weights)}.`, missed ? h("strong", { class: "bad" }, ` ${capital(plural(missed, "missed win"))}: turn ${match.missed_lethals.join(", ")}.`) : " No win was missed."),
    match.problem ? problem(`Read up to here: ${match.problem}`) : null,
    listTable(["Turn", "Played", "Points lost", ""], match.turns.map((/** @type {any} */ turn) => drawTurn(turn, match.weights, most))),
  );
}

/** @param {any} turn @param {string} weights @param {number} most */
function drawTurn(turn, weights, most) {
  const lost = Math.max(0, turn.lost ?? 0);
  const link = `/analysis#${new URLSearchParams({ state: JSON.stringify(turn.state), weights })}`;
  return h(
    "tr",
    null,
    h("td", { class: "num" }, turn.turn),
    h("td", null, ...turn.played.map((/** @type {any} */ move) => h("div", null, move.words)), turn.played.length ? null : h("span", { class: "soft" }, "ended the turn")),
    h("td", null, h("div", { class: "num" }, number(lost), turn.estimate ? h("span", { class: "soft" }, " (estimate)") : null, turn.missed_lethal ? h("strong", { class: "bad" }, " missed win") : null), h("div", { class: "lane" }, h("span", { class: "minus", style: { left: "0%", width: `${(100 * lost) / most}%` } }))),
    h("td", null, h("a", { class: "button small", href: link }, "Analyse")),
  );
}
