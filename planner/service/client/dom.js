// Elements, dialogs and messages. Text becomes text nodes, never markup.

/** @typedef {Node | string | number | null | undefined | false} Child */
/** @typedef {Record<string, any>} Props */

/**
 * Replace invisible characters: one that reverses the direction of writing would reverse our own text too.
 * @param {string} text
 */
export function visible(text) {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}]/gu, (char) => (char === "\n" ? char : "\ufffd"));
}

/**
 * Return a new element. `on...` props are listeners, `class` and `data-...`, `aria-...` are attributes, others are
 * attributes too; `false`, `null` and `undefined` leave an attribute out.
 * @param {string} tag
 * @param {Props | null} [props]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElement}
 */
export function h(tag, props, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") for (const [key, setting] of Object.entries(value)) element.style.setProperty(key, setting);
    else if (name === "value" || name === "checked") /** @type {any} */ (element)[name] = value;
    else element.setAttribute(name, value === true ? "" : visible(String(value)));
  }
  append(element, ...children);
  if (tag === "button" && !element.hasAttribute("type")) element.setAttribute("type", "button");
  return element;
}

/**
 * Append children; texts become text nodes.
 * @param {Element | DocumentFragment} parent
 * @param {...(Child | Child[])} children
 */
export function append(parent, ...children) {
  for (const child of children.flat()) {
    if (child === null || child === undefined || child === false) continue;
    parent.append(child instanceof Node ? child : visible(String(child)));
  }
}

/**
 * Replace the content of an element; the focus stays on the element with the same id or `data-focus`.
 * @param {Element} parent
 * @param {...(Child | Child[])} children
 */
export function fill(parent, ...children) {
  const active = document.activeElement;
  const key = active && parent.contains(active) ? active.id || active.getAttribute("data-focus") : null;
  parent.textContent = "";
  append(parent, ...children);
  if (!key) return;
  const again = [...parent.querySelectorAll("[id], [data-focus]")].find(
    (element) => element.id === key || element.getAttribute("data-focus") === key,
  );
  if (again instanceof HTMLElement) again.focus({ preventScroll: true });
}

/**
 * Return a button. `label` is its tooltip and what a screen reader says instead of the text; `hint` is only a tooltip.
 * @param {string} text
 * @param {(event: Event) => void} onclick
 * @param {{class?: string, label?: string, hint?: string, disabled?: boolean, id?: string, pressed?: boolean, focus?: string}} [more]
 */
export function button(text, onclick, more = {}) {
  return h(
    "button",
    {
      class: `button ${more.class ?? ""}`,
      id: more.id,
      "aria-label": more.label,
      title: more.hint ?? more.label,
      disabled: more.disabled,
      "aria-pressed": more.pressed === undefined ? null : String(more.pressed),
      "data-focus": more.focus,
      onclick,
    },
    text,
  );
}

/**
 * Return a labelled field.
 * @param {string} label
 * @param {HTMLElement} control
 * @param {string} [hint]
 */
export function field(label, control, hint) {
  if (!control.hasAttribute("aria-label")) control.setAttribute("aria-label", label);
  return h("label", { class: "field" }, h("span", null, label), control, hint ? h("small", { class: "soft" }, hint) : null);
}

/**
 * Return a drop-down list; an option is a value, or a pair of value and text.
 * @param {(string | [string, string])[]} options
 * @param {string} value
 * @param {(value: string) => void} [onchange]
 * @param {Props} [props]
 */
export function select(options, value, onchange, props = {}) {
  const element = /** @type {HTMLSelectElement} */ (
    h(
      "select",
      props,
      ...options.map((option) => {
        const [key, text] = Array.isArray(option) ? option : [option, option];
        return h("option", { value: key }, text);
      }),
    )
  );
  element.value = value;
  if (onchange) element.addEventListener("change", () => onchange(element.value));
  return element;
}

/** Return the message of what was thrown. @param {unknown} error */
export function lineOf(error) {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Return a list with a heading for each column; a heading of numbers is an element of its own.
 * @param {(string | Node)[]} heads
 * @param {Child[]} rows
 */
export function listTable(heads, rows) {
  const cells = heads.map((head) => (head instanceof Node ? head : h("th", null, head)));
  const head = heads.length ? h("thead", null, h("tr", null, ...cells)) : null;
  return h("div", { class: "scroll" }, h("table", { class: "list" }, head, h("tbody", null, ...rows)));
}

/** @param {string} line */
export function problem(line) {
  return h("p", { class: "problem", role: "alert" }, line);
}

/**
 * Show a message at the top of the page for a while.
 * @param {string} line
 * @param {"info" | "error"} [kind]
 */
export function toast(line, kind = "info") {
  let stack = document.getElementById("toasts");
  if (!stack) {
    stack = h("div", { id: "toasts", "aria-live": "polite" });
    document.body.append(stack);
  }
  const message = h(
    "div",
    { class: `toast ${kind}`, role: kind === "error" ? "alert" : "status" },
    h("span", null, line),
    button("OK", () => message.remove(), { class: "small" }),
  );
  while (stack.children.length > 2) stack.firstElementChild?.remove();
  stack.append(message);
  setTimeout(() => message.remove(), kind === "error" ? 12000 : 5000);
}

/**
 * Open a modal dialog; return a function that closes it.
 * @param {string} title
 * @param {(close: () => void) => Child[]} content
 * @param {{wide?: boolean, onclose?: () => void}} [more]
 */
export function dialog(title, content, more = {}) {
  const element = /** @type {HTMLDialogElement} */ (
    h("dialog", { class: more.wide ? "wide" : "", "aria-label": title })
  );
  const close = () => element.close();
  append(
    element,
    h("div", { class: "dialog-head" }, h("h2", null, title), button("✕", close, { class: "small", label: "Close" })),
    ...content(close),
  );
  element.addEventListener("close", () => {
    element.remove();
    more.onclose?.();
  });
  element.addEventListener("click", (event) => {
    if (event.target === element) close(); // outside of its content
  });
  document.body.append(element);
  element.showModal();
  /** @type {HTMLElement | null} */ (element.querySelector("[autofocus]"))?.focus();
  return close;
}

/** @param {string} text @param {string} what */
export async function copyText(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    toast(`${what} copied.`);
  } catch {
    dialog(what, () => [h("textarea", { readonly: true, rows: "4", value: text, "aria-label": what })]);
  }
}

/** @param {string} name @param {string} content @param {string} [type] */
export function download(name, content, type = "application/json") {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = h("a", { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

/** Return whether a key event belongs to a field, a slider or a dialog rather than to the page. @param {KeyboardEvent} event */
export function isTyping(event) {
  const target = event.target;
  return (
    document.querySelector("dialog[open]") !== null ||
    (target instanceof HTMLElement && target.matches("input, select, textarea, [contenteditable]"))
  );
}

/**
 * Return an SVG element.
 * @param {string} tag
 * @param {Record<string, string | number>} attributes
 * @param {...(SVGElement | string)} children
 */
export function svg(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}
