// The API for programs: what can be asked, with a form that sends a request.

import { append, button, field, fill, h, lineOf, listTable, problem } from "../dom.js";
import { get, request } from "../service.js";

export const title = "API";
const EXAMPLE = { state: { mana: 3, me: { hero: { health: 30 }, hand: ["Wolfrider"] }, enemy: { hero: { health: 3 } } }, weights: "aggro_face" };

/** @param {HTMLElement} main */
export function open(main) {
  const body = /** @type {HTMLTextAreaElement} */ (h("textarea", { rows: "9", value: JSON.stringify(EXAMPLE, null, 1), "aria-label": "Body", spellcheck: "false" }));
  const answer = h("div", { "aria-live": "polite" });
  const send = async () => {
    try {
      const start = performance.now();
      const result = await request("/plan", { method: "POST", body: body.value, headers: { "content-type": "application/json" } });
      fill(answer, h("p", { class: "soft" }, `200 in ${(performance.now() - start).toFixed(1)} ms`), h("pre", { class: "code" }, JSON.stringify(result, null, 1)));
    } catch (error) {
      fill(answer, problem(lineOf(error)));
    }
  };
  const operations = h("div", { class: "stack" }, h("p", { class: "soft" }, "Loading the description …"));
  append(
    main,
    h(
      "div",
      { class: "stack" },
      h("h1", null, "API"),
      h("p", null, "JSON in, JSON out. The same requests work over standard input with ", h("code", null, "planner engine"), ". Programs read ", h("a", { href: "/openapi.json" }, "openapi.json"), "."),
      h("div", { class: "two" }, operations, h("section", { class: "panel stack tight" }, h("h2", null, "Try POST /plan"), field("Body", body), h("div", { class: "row" }, button("Send", send, { class: "main" })), answer)),
    ),
  );
  get("/openapi.json").then(
    (description) => fill(
      operations,
      ...Object.entries(description.paths).flatMap(([path, methods]) => Object.entries(/** @type {any} */ (methods)).map(([method, operation]) => drawOperation(method, path, operation))),
      h("section", { class: "panel stack tight", id: "schemas" }, h("h2", null, "Schemas"), ...Object.entries(description.components.schemas).map(([name, schema]) => folded(h("code", null, name), schema))),
    ),
    (error) => fill(operations, problem(error.message)),
  );
}

/** @param {string} method @param {string} path @param {any} operation */
function drawOperation(method, path, operation) {
  const parameters = (operation.parameters ?? []).map((/** @type {any} */ parameter) => h("code", null, parameter.in === "query" ? `?${parameter.name}=` : parameter.in === "path" ? `{${parameter.name}}` : parameter.name));
  const requests = Object.entries(operation.requestBody?.content ?? {}).flatMap(([kind, content]) => {
    const { schema, example } = /** @type {any} */ (content);
    const command = () => `curl ${location.origin}${path} -d '${JSON.stringify(example).replaceAll("'", "'\\''")}'`;
    return [folded(`Body: ${kind}`, schema), example === undefined ? null : h("details", null, h("summary", null, "Example"), h("pre", { class: "code" }, command()))];
  });
  const answers = Object.entries(operation.responses ?? {}).map(([status, response]) => h("tr", null, h("td", { class: "num" }, status), h("td", null, /** @type {any} */ (response).description)));
  return h(
    "section",
    { class: "panel stack tight" },
    h("h2", null, h("code", null, `${method.toUpperCase()} ${path}`)),
    h("p", null, operation.description ?? operation.summary ?? ""),
    parameters.length ? h("p", { class: "row" }, ...parameters) : null,
    ...requests,
    answers.length ? h("details", null, h("summary", null, "Answers"), listTable([], answers)) : null,
  );
}

/** @param {Node | string} title @param {any} schema */
function folded(title, schema) {
  return h("details", null, h("summary", null, title), h("pre", { class: "code" }, JSON.stringify(schema, null, 1)));
}
