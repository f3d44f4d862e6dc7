// The weights of a plan: a profile or numbers of one's own, each with the range in which the turn stays best.

import { append, button, dialog, field, fill, h, select } from "../dom.js";
import { arrows, label, number } from "../format.js";

const CUSTOM = "custom";
const MIN_SCALE = 20;

/** @typedef {{name: string, cost: boolean, required: boolean}} Term */

export class WeightsPanel {
  /** @type {Map<string, {slider: HTMLInputElement, field: HTMLInputElement, bar: HTMLElement, lane: HTMLElement, text: HTMLElement}>} */
  #rows = new Map();
  /** @type {Record<string, number>} */
  #values = {};
  /** @type {HTMLSelectElement} */
  #profile;
  #description = h("p", { class: "soft" });
  /** @type {HTMLElement} */
  #further;

  /**
   * @param {Term[]} terms
   * @param {any[]} profiles
   * @param {string | Record<string, number>} weights
   * @param {() => void} onchange
   */
  constructor(terms, profiles, weights, onchange) {
    this.terms = terms;
    this.profiles = profiles;
    this.onchange = onchange;
    const names = profiles.map((profile) => profile.name);
    this.#profile = select([...names, CUSTOM], CUSTOM, (name) => this.#choose(name), { "aria-label": "Profile", id: "profile" });
    const required = h("div", { class: "weights" }, ...terms.filter((term) => term.required).map((term) => this.#row(term)));
    const further = h("div", { class: "weights" }, ...terms.filter((term) => !term.required).map((term) => this.#row(term)));
    this.element = h(
      "section",
      { class: "panel stack tight", id: "weights" },
      h("h2", null, "Weights"),
      field("Profile", this.#profile),
      this.#description,
      required,
      (this.#further = h("details", null, h("summary", null, "More terms"), further)),
    );
    this.set(weights);
  }

  /** @param {string | Record<string, number>} weights */
  set(weights) {
    const profile = typeof weights === "string" ? this.profiles.find((entry) => entry.name === weights) : null;
    const values = profile ? profile.weights : typeof weights === "string" ? {} : weights;
    for (const term of this.terms) this.#show(term.name, values[term.name] ?? 0);
    this.#profile.value = profile ? profile.name : CUSTOM;
    if (this.terms.some((term) => !term.required && values[term.name])) this.#further.setAttribute("open", "");
    this.#describe();
  }

  /** Return the weights as a request contains them. */
  value() {
    if (this.#profile.value !== CUSTOM) return this.#profile.value;
    const required = new Set(this.terms.filter((term) => term.required).map((term) => term.name));
    return Object.fromEntries(Object.entries(this.#values).filter(([term, value]) => value || required.has(term)));
  }

  /** Return whether the chosen profile takes a certain win whatever it scores. */
  takesWins() {
    return Boolean(this.profiles.find((profile) => profile.name === this.#profile.value)?.take_lethal);
  }

  /** Show how far each weight can move; null clears. @param {Record<string, any> | null} ranges */
  showRanges(ranges) {
    for (const [term, row] of this.#rows) {
      const limits = ranges?.[term];
      row.lane.hidden = !limits;
      fill(row.text);
      if (!limits) continue;
      const low = Number(row.slider.min), high = Number(row.slider.max);
      const clamp = (/** @type {number} */ value) => Math.min(Math.max(value, low), high);
      const left = clamp(limits.low ?? -Infinity), right = clamp(limits.high ?? Infinity);
      row.bar.style.left = `${(100 * (left - low)) / (high - low)}%`;
      row.bar.style.width = `${(100 * (right - left)) / (high - low)}%`;
      append(row.text, h("span", { "data-range": term }, rangeText(limits)));
      for (const side of ["below", "above"]) {
        const beyond = limits[side];
        if (!beyond) continue;
        const words = arrows((beyond.words ?? []).join("; ")) || "end the turn";
        const show = () => dialog(`The best turn ${side} that`, () => [h("p", null, `${label(term)}: ${words}.`)]);
        append(row.text, button(side, show, { class: "link small", label: `The best turn ${side}: ${words}` }));
      }
    }
  }

  /** @param {string} name */
  #choose(name) {
    if (name !== CUSTOM) this.set(name);
    this.#describe();
    this.onchange();
  }

  #describe() {
    const profile = this.profiles.find((entry) => entry.name === this.#profile.value);
    this.#description.textContent = profile ? profile.description : "Custom weights.";
  }

  /** @param {Term} term */
  #row(term) {
    const name = label(term.name);
    const slider = /** @type {HTMLInputElement} */ (h("input", { type: "range", step: "0.5", min: "0", max: MIN_SCALE, "aria-label": `Weight of ${name}` }));
    const input = /** @type {HTMLInputElement} */ (h("input", { type: "number", step: "any", "aria-label": `Weight of ${name}, as a number`, "data-term": term.name }));
    const bar = h("span"), lane = h("div", { class: "range", hidden: true }, bar), text = h("div", { class: "range-text" });
    slider.addEventListener("input", () => this.#change(term.name, Number(slider.value)));
    input.addEventListener("change", () => { if (input.value !== "") this.#change(term.name, Number(input.value)); });
    this.#rows.set(term.name, { slider, field: input, bar, lane, text });
    return h("div", { class: "weight" }, h("div", { class: "title" }, h("span", null, term.cost ? `${name} (cost)` : name)), slider, input, lane, text);
  }

  /** @param {string} term @param {number} value */
  #change(term, value) {
    if (!Number.isFinite(value) || this.#values[term] === value) return;
    this.#show(term, value);
    this.#profile.value = CUSTOM;
    this.#describe();
    this.onchange();
  }

  /** @param {string} term @param {number} value */
  #show(term, value) {
    const row = this.#rows.get(term);
    if (!row) return;
    this.#values[term] = value;
    const scale = Math.max(MIN_SCALE, 10 * Math.ceil((Math.abs(value) * 1.5) / 10));
    if (value > Number(row.slider.max) || value < Number(row.slider.min)) {
      row.slider.max = String(scale);
      row.slider.min = value < 0 ? String(-scale) : "0";
    }
    row.slider.value = String(value);
    row.field.value = String(value);
  }
}

/** @param {any} limits */
function rangeText(limits) {
  const low = limits.low_exact?.replace("-", "−"), high = limits.high_exact?.replace("-", "−");
  if (low === undefined || high === undefined || low === null || high === null) return "range not known";
  if (low === "−inf" && high === "inf") return "best for any value";
  if (low === "−inf") return `best for ${high} and below`;
  return high === "inf" ? `best for ${low} and above` : `best from ${low} to ${high}`;
}

/**
 * Return labelled horizontal bars from a common zero.
 * @param {[string, number][]} values
 */
export function bars(values) {
  const low = Math.min(0, ...values.map(([, value]) => value)), high = Math.max(0, ...values.map(([, value]) => value));
  const width = high - low || 1;
  const percent = (/** @type {number} */ share) => `${(100 * share) / width}%`;
  return h(
    "div",
    { class: "bars" },
    ...values.flatMap(([name, value]) => {
      const left = Math.min(value, 0) - low, right = Math.max(value, 0) - low;
      return [
        h("span", null, name),
        h("div", { class: "lane" }, h("span", { class: value >= 0 ? "plus" : "minus", style: { left: percent(left), width: percent(right - left) } }), h("i", { class: "zero", style: { left: percent(-low) } })),
        h("span", { class: "num" }, value > 0 ? `+${number(value)}` : number(value)),
      ];
    }),
  );
}
