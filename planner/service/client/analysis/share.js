// The address of an analysis: board, weights, excluded actions, the line that is shown and all variations. It is behind
// the `#`, so the server never sees it.

export const MAX_LENGTH = 16000; // characters that browsers and chat programs accept

/** @typedef {{text: string, children: Variation[]}} Variation */
/**
 * @typedef {object} Shared
 * @property {string} state one line of text
 * @property {string | Record<string, number>} weights
 * @property {string[]} line texts of the actions that are shown
 * @property {number} at how many of them are played
 * @property {Variation[]} tree
 */

/** @param {Shared} shared */
export function toFragment(shared) {
  const fields = new URLSearchParams();
  fields.set("state", shared.state);
  fields.set("weights", weightsText(shared.weights));
  if (shared.line.length) fields.set("line", shared.line.join("; "));
  if (shared.at) fields.set("at", String(shared.at));
  if (shared.tree.length) fields.set("tree", JSON.stringify(shared.tree.map(pack)));
  return `#${fields}`;
}

/**
 * @param {string} fragment
 * @returns {Partial<Shared>}
 */
export function fromFragment(fragment) {
  const fields = new URLSearchParams(fragment.replace(/^[#?]/, ""));
  /** @type {Partial<Shared>} */
  const shared = {};
  const state = fields.get("state");
  if (state) shared.state = state;
  const weights = fields.get("weights");
  if (weights) shared.weights = weightsFromText(weights);
  shared.line = (fields.get("line") ?? "").split(";").map((text) => text.trim()).filter(Boolean);
  shared.at = Number.parseInt(fields.get("at") ?? "0", 10) || 0;
  shared.tree = [];
  try {
    const tree = JSON.parse(fields.get("tree") ?? "[]");
    if (Array.isArray(tree)) shared.tree = tree.map(unpack).filter((node) => node !== null);
  } catch {
    // a link that was cut: the board is still worth showing
  }
  return shared;
}

/** @param {Variation} node @returns {any} */
function pack(node) {
  return node.children.length ? [node.text, ...node.children.map(pack)] : node.text;
}

/** @param {any} data @returns {Variation | null} */
function unpack(data) {
  if (typeof data === "string") return { text: data, children: [] };
  if (!Array.isArray(data) || typeof data[0] !== "string") return null;
  return { text: data[0], children: data.slice(1).map(unpack).filter((node) => node !== null) };
}

/** @param {string | Record<string, number>} weights */
function weightsText(weights) {
  if (typeof weights === "string") return weights;
  return Object.entries(weights).map(([term, value]) => `${term}:${value}`).join(",");
}

/** @param {string} text @returns {string | Record<string, number>} */
function weightsFromText(text) {
  if (!text.includes(":")) return text;
  return Object.fromEntries(text.split(",").map((part) => {
    const [term, value] = part.split(":");
    return [term.trim(), Number(value)];
  }));
}
