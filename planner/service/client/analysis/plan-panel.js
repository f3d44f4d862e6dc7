// What the service found: the score, its proof, the steps, the alternatives and the score breakdown.

import { button, fill, h, problem } from "../dom.js";
import { arrows, label, number, signed } from "../format.js";
import { bars } from "./weights-panel.js";

/** @type {Record<string, string>} */
const PROOFS = {
  exhaustive: "every reachable state was searched",
  bound: "every unsearched line is bounded below this score",
  program: "an integer program was solved to optimality",
};

/** @param {Record<string, number>} earned */
export function termsLine(earned) {
  return Object.entries(earned).map(([term, points]) => `${signed(points)} ${label(term)}`).join(", ") || "no points";
}

/** Return score and status of a plan. @param {any} plan */
export function head(plan) {
  return h(
    "div",
    { class: "row" },
    h("span", { class: "score num", id: "score" }, number(plan.objective)),
    h("span", { class: "tag" }, plan.status === "optimal" ? "proved best" : "not proved"),
    plan.lethal ? h("span", { class: "tag win" }, "lethal") : null,
    plan.outcome === "draw" || plan.outcome === "loss" ? h("span", { class: "tag" }, plan.outcome) : null,
  );
}

/** Return the score of another turn, and what it loses against the plan. @param {any} plan @param {number} score @param {string | null} outcome */
export function headOfOther(plan, score, outcome) {
  const loss = plan.objective - score;
  return h(
    "div",
    { class: "row" },
    h("span", { class: "score num", id: "score" }, number(score)),
    h("span", { class: `tag ${loss > 1e-9 ? "warn" : ""}` }, loss > 1e-9 ? `−${number(loss)} against the best turn` : "as good as the best turn"),
    outcome === "win" ? h("span", { class: "tag win" }, "lethal") : null,
  );
}

/** @param {any} plan @param {boolean} excluded @param {boolean} takesWins */
export function proofLine(plan, excluded, takesWins) {
  const time = `${(1000 * plan.seconds).toFixed(1)} ms`;
  const which = `${plan.lethal && takesWins ? " that wins" : ""}${excluded ? " without the excluded actions" : ""}`;
  if (plan.status === "optimal") return `Proved: no legal turn${which} scores more; ${PROOFS[plan.proof]} (${time}).`;
  if (plan.ignored?.length) return `Not proved: the effects of these cards are not fully known: ${plan.ignored.join(", ")} (${time}).`;
  const bound = plan.bound === null ? "the best possible score is not known" : `no legal turn${which} scores more than ${number(plan.bound)}`;
  return `Not proved: the ${plan.stopped} ended the search; ${bound}.`;
}

/** @param {any} plan @param {number | null} missedBy @param {boolean} excluded */
export function lethalLine(plan, missedBy, excluded) {
  if (missedBy === 0) {
    if (plan.lethal) return "Lethal: this turn wins.";
    return excluded ? "Lethal exists, but not without the excluded actions under these weights." : "Lethal exists, but these weights prefer this turn.";
  }
  if (missedBy === null) return "Lethal: unknown, because the search did not finish or the effect of a card is not known.";
  return `No lethal: the most damaging turn leaves the enemy hero ${missedBy} health and armor.`;
}

/**
 * Return which of several cards with the same name an action means, such as ` (2nd from the left)`.
 * @param {import("../card-table.js").View} view
 * @param {string | null | undefined} id
 */
export function whichOf(view, id) {
  for (const side of view.sides)
    for (const zone of side.zones ?? []) {
      const cards = zone.cards ?? [];
      const card = cards.find((entry) => entry.id === id);
      if (!card) continue;
      const alike = cards.filter((entry) => entry.name === card.name);
      return alike.length > 1 ? ordinal(alike.indexOf(card) + 1) : "";
    }
  return "";
}

/** @param {number} count */
function ordinal(count) {
  return `${count}${["th", "st", "nd", "rd"][count] ?? "th"}`;
}

/** Say which of several equal cards act. @param {import("../card-table.js").View} view @param {any} step */
export function whichLine(view, step) {
  const source = whichOf(view, step.source), target = whichOf(view, step.target);
  const parts = [source ? `the ${source} from the left acts` : "", target ? `the ${target} from the left is the target` : ""];
  return parts.filter(Boolean).join(", ");
}

/** @param {Record<string, number>} terms */
export function breakdown(terms) {
  const values = Object.entries(terms).filter(([, points]) => points).map(([term, points]) => /** @type {[string, number]} */ ([label(term), points]));
  return bars(values.length ? values : [["no points", 0]]);
}

/**
 * Draw the steps of a line.
 * @param {HTMLElement} container
 * @param {any} answer the service's answer for the whole line, or null
 * @param {{at: number, losses: any[], go: (at: number) => void, exclude: ((index: number) => void) | null}} more
 */
export function drawSteps(container, answer, more) {
  if (!answer) return fill(container);
  let before = answer.view;
  const rows = answer.steps.map((/** @type {any} */ step, /** @type {number} */ index) => {
    const which = whichLine(before, step);
    before = step.view;
    const loss = more.losses[index]?.loss;
    const without = loss === undefined || loss === null ? "" : ` · ${loss > 1e-9 ? `${signed(-loss)} if excluded` : "same score if excluded"}`;
    return h(
      "li",
      null,
      h(
        "button",
        { class: `step ${index + 1 === more.at ? "now" : ""}`, "data-focus": `step ${index}`, onclick: () => more.go(index + 1) },
        h("span", { class: "at num" }, index + 1),
        h("span", null, arrows(step.words), which ? h("span", { class: "which" }, ` (${which})`) : null),
        h("span", { class: "earned num" }, termsLine(step.earned) + without),
      ),
      more.exclude ? button("Exclude", () => more.exclude?.(index), { class: "small", label: "Exclude: find the best turn without it" }) : null,
    );
  });
  const ending = h("li", null, h("div", { class: "step" }, h("span"), h("span", null, rows.length ? "at the end of the turn" : "End the turn."), h("span", { class: "earned num" }, termsLine(answer.ending))));
  return fill(container, ...rows, ending);
}

/** @param {HTMLElement} container @param {string} line */
export function showProblem(container, line) {
  fill(container, problem(line));
}
