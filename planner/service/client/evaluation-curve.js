// The course of a match: the advantage after each turn as a curve, and the points that each turn lost.

import { svg } from "./dom.js";
import { number } from "./format.js";

const WIDTH = 600, HEIGHT = 170, MARGIN = 10, WORST = 3;

/**
 * The advantage of the first seat is the score of its latest turn less that of the other seat's latest turn.
 * @param {any[]} turns turns of the match
 * @param {Map<number, any>} judged by index of the turn
 * @param {number} current index of the turn that is shown
 * @param {(turn: number) => string} label
 * @param {(turn: number) => void} open
 */
export function evaluationCurve(turns, judged, current, label, open) {
  const played = turns.map((turn, index) => ({ ...turn, index })).filter((turn) => turn.number);
  /** @type {(number | null)[]} */
  const latest = [null, null];
  const points = played.map((turn) => {
    const entry = judged.get(turn.index);
    if (entry?.score !== undefined && turn.seat < 2) latest[turn.seat] = entry.score;
    const value = (latest[0] ?? 0) - (latest[1] ?? 0);
    return { turn, value: latest[0] === null && latest[1] === null ? null : value, lost: entry?.points_lost ?? 0, entry };
  });
  const highest = Math.max(1e-9, ...points.map((point) => Math.abs(point.value ?? 0)));
  const mostLost = Math.max(1e-9, ...points.map((point) => point.lost));
  const step = (WIDTH - 2 * MARGIN) / Math.max(1, points.length);
  const x = (/** @type {number} */ index) => MARGIN + step * (index + 0.5);
  const y = (/** @type {number} */ value) => HEIGHT / 2 - (value / highest) * (HEIGHT / 2 - MARGIN);
  const worst = new Set([...points].filter((point) => point.lost > 1e-9).sort((a, b) => b.lost - a.lost).slice(0, WORST));
  const element = svg("svg", { class: "curve", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "group", "aria-label": "Advantage after each turn, and points lost", preserveAspectRatio: "none" });
  const stripes = svg("pattern", { id: "stripes", width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" });
  stripes.append(svg("rect", { width: 3.4, height: 6, class: "bar" }));
  element.append(svg("defs", {}, stripes), svg("line", { class: "zero", x1: 0, x2: WIDTH, y1: HEIGHT / 2, y2: HEIGHT / 2 }));
  const known = points.map((point, index) => ({ ...point, index })).filter((point) => point.value !== null);
  if (known.length) {
    const path = known.map((point) => `${x(point.index)},${y(/** @type {number} */ (point.value))}`).join(" ");
    element.append(svg("polygon", { class: "area", points: `${x(known[0].index)},${HEIGHT / 2} ${path} ${x(/** @type {any} */ (known.at(-1)).index)},${HEIGHT / 2}` }), svg("polyline", { class: "value", points: path }));
  }
  points.forEach((point, index) => {
    if (point.lost > 1e-9) {
      const size = (point.lost / mostLost) * (HEIGHT / 2.6);
      element.append(svg("rect", { class: `bar ${point.turn.seat ? "second" : "first"}`, x: x(index) - step * 0.3, width: step * 0.6, y: HEIGHT - size, height: size, rx: 2 }));
    }
    if (worst.has(point)) element.append(svg("circle", { class: "worst", cx: x(index), cy: y(point.value ?? 0), r: 5 }));
    if (point.turn.index === current) element.append(svg("line", { class: "here", x1: x(index), x2: x(index), y1: 0, y2: HEIGHT }));
  });
  points.forEach((point, index) => {
    const words = `${label(point.turn.index)}: ${point.entry ? `${number(point.lost)} points lost` : "not judged"}${worst.has(point) ? ", among the worst turns" : ""}`;
    const hit = svg("rect", { class: "hit", x: x(index) - step / 2, width: step, y: 0, height: HEIGHT, role: "button", tabindex: 0, "aria-label": words, "data-turn": point.turn.index }, svg("title", {}, words));
    hit.addEventListener("click", () => open(point.turn.index));
    hit.addEventListener("keydown", (event) => { if (/** @type {KeyboardEvent} */ (event).key === "Enter") open(point.turn.index); });
    element.append(hit);
  });
  return element;
}

/** Return the indices of the turns that lost most, worst first. @param {Map<number, any>} judged */
export function worstTurns(judged) {
  return [...judged.values()].filter((entry) => (entry.points_lost ?? 0) > 1e-9).sort((a, b) => b.points_lost - a.points_lost).slice(0, WORST);
}
