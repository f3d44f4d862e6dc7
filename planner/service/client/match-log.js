// The moves of a match in words, with a line between turns.

import { h } from "./dom.js";
import { arrows } from "./format.js";

/**
 * @param {{turn: number, seat: number, words: string, note?: string}[]} lines
 * @param {(seat: number) => string} nameOf
 * @param {{now?: number, open?: (index: number) => void, note?: (index: number) => (string | null)}} [more] `note` is shown beside the first line of a turn
 */
export function logLines(lines, nameOf, more = {}) {
  /** @type {HTMLElement[]} */
  const elements = [];
  lines.forEach((line, index) => {
    const before = lines[index - 1];
    if (!before || before.turn !== line.turn || before.seat !== line.seat) {
      const title = line.turn ? `Turn ${line.turn}` : "Before the first turn";
      const note = more.note?.(index);
      elements.push(h("div", { class: "turn" }, h("span", null, `${title} · `, h("span", { class: "who" }, nameOf(line.seat))), note ? h("span", null, note) : null));
    }
    const text = arrows(line.words);
    const isNow = index === more.now;
    elements.push(
      more.open
        ? h("button", { class: isNow ? "now" : "", "aria-current": isNow ? "step" : null, "data-focus": `log ${index}`, onclick: () => more.open?.(index) }, text)
        : h("div", { class: "line" }, text, line.note ? h("small", { class: "soft" }, ` (${line.note})`) : null),
    );
  });
  return elements;
}
