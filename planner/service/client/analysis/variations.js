// Turns of one's own as a tree: lines that begin with the same actions share them.

import { button, h } from "../dom.js";
import { arrows, number } from "../format.js";

/** @typedef {import("./share.js").Variation} Variation */

/** Add a line to the tree. @param {Variation[]} tree @param {string[]} line */
export function addLine(tree, line) {
  let level = tree;
  for (const text of line) {
    let node = level.find((entry) => entry.text === text);
    if (!node) level.push((node = { text, children: [] }));
    level = node.children;
  }
}

/** Remove what follows from the last action of a line, and that action. @param {Variation[]} tree @param {string[]} line */
export function removeLine(tree, line) {
  let level = tree;
  for (const text of line.slice(0, -1)) level = level.find((entry) => entry.text === text)?.children ?? [];
  const index = level.findIndex((entry) => entry.text === line.at(-1));
  if (index >= 0) level.splice(index, 1);
}

/** Return all complete lines. @param {Variation[]} tree @param {string[]} [before] @returns {string[][]} */
export function leaves(tree, before = []) {
  return tree.flatMap((node) => {
    const line = [...before, node.text];
    return node.children.length ? leaves(node.children, line) : [line];
  });
}

/**
 * Draw the tree. `answers` has the service's answer for each complete line, by its texts.
 * @param {Variation[]} tree
 * @param {Map<string, any>} answers
 * @param {number | null} best score of the best turn
 * @param {{line: string[], at: number}} shown
 * @param {(line: string[]) => void} open
 * @param {(line: string[]) => void} remove
 */
export function drawTree(tree, answers, best, shown, open, remove) {
  const current = JSON.stringify(shown.line.slice(0, shown.at));

  /** @param {Variation[]} level @param {string[]} before @returns {HTMLElement} */
  const draw = (level, before) =>
    h("ul", null, ...level.map((first) => {
      const item = h("li");
      /** @type {Variation} */
      let node = first;
      const line = [...before, node.text];
      for (;;) {
        const path = [...line];
        const words = wordsOf(answers, path);
        item.append(h("button", { "aria-current": JSON.stringify(path) === current ? "step" : null, "data-focus": `node ${path.join(";")}`, onclick: () => open(path) }, `${path.length}. ${words}`));
        if (node.children.length !== 1) break;
        node = node.children[0];
        line.push(node.text);
      }
      if (node.children.length) item.append(draw(node.children, line));
      else {
        const answer = answers.get(JSON.stringify(line));
        if (answer && best !== null) item.append(h("span", { class: "num soft" }, lossText(best - answer.score)));
        item.append(button("✕", () => remove(line), { class: "small link", label: `Delete the variation ${line.length} actions long` }));
      }
      return item;
    }));
  return h("div", { class: "tree" }, draw(tree, []));
}

/** @param {number} loss */
export function lossText(loss) {
  return loss > 1e-9 ? ` −${number(loss)} ` : loss < -1e-9 ? ` +${number(-loss)} ` : " as good ";
}

/** @param {Map<string, any>} answers @param {string[]} path */
function wordsOf(answers, path) {
  const key = JSON.stringify(path).slice(0, -1);
  for (const [line, answer] of answers) {
    if (line.startsWith(key)) {
      const step = answer.steps[path.length - 1];
      if (step) return arrows(step.words.split(";")[0]);
    }
  }
  return path.at(-1) ?? "";
}
