// The full text of a card beside it: while the mouse rests on it, while it has the focus, or after a long touch.

import { h } from "./dom.js";
import { label } from "./format.js";

const DELAY = 350; // ms

/** @type {HTMLElement | null} */
let shown = null;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

export function hidePreview() {
  clearTimeout(timer);
  shown?.remove();
  shown = null;
}

/**
 * Show the preview of a card when a person looks at this element.
 * @param {HTMLElement} element
 * @param {() => import("./card-table.js").Card} card
 */
export function previewOn(element, card) {
  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(() => show(element, card()), DELAY);
  };
  element.addEventListener("pointerenter", (event) => { if (event.pointerType === "mouse") later(); });
  element.addEventListener("pointerleave", hidePreview);
  element.addEventListener("pointerdown", (event) => { if (event.pointerType === "touch") later(); });
  element.addEventListener("pointerup", (event) => {
    clearTimeout(timer);
    // On a touch screen a tap on a card without a move shows its text.
    if (event.pointerType === "touch" && element.tagName !== "BUTTON") {
      if (shown) hidePreview();
      else show(element, card());
    }
  });
  element.addEventListener("focus", () => { if (element.matches(":focus-visible")) later(); });
  element.addEventListener("blur", hidePreview);
}

/** @param {import("./card-table.js").Card} card */
export function cardFace(card) {
  const counters = (card.counters ?? []).map((counter) =>
    h("span", { class: "preview-counter", "data-counter": counter.name },
      `${label(counter.name)} ${counter.value}${counter.of === undefined ? "" : ` of ${counter.of}`}`,
      counter.printed === undefined ? null : h("small", { class: "soft" }, ` (printed ${counter.printed})`)),
  );
  return [
    h("div", { class: "preview-head" }, h("strong", null, card.name ?? ""), card.cost === undefined ? null : h("span", { class: "cost" }, card.cost)),
    card.kind ? h("div", { class: "soft" }, label(card.kind)) : null,
    counters.length ? h("div", { class: "preview-counters" }, ...counters) : null,
    card.keywords?.length ? h("div", { class: "preview-keywords" }, card.keywords.map(label).join(", ")) : null,
    card.text ? h("p", null, card.text) : null,
    card.marks?.length ? h("div", { class: "soft" }, card.marks.map(label).join(", ")) : null,
  ];
}

/** @param {HTMLElement} element @param {import("./card-table.js").Card} card */
function show(element, card) {
  if (!element.isConnected) return;
  hidePreview();
  const preview = h("div", { class: "preview", role: "tooltip" }, ...cardFace(card));
  document.body.append(preview);
  const place = element.getBoundingClientRect();
  const right = place.right + 10 + preview.offsetWidth < innerWidth;
  const x = right ? place.right + 10 : place.left - 10 - preview.offsetWidth;
  preview.style.left = `${Math.min(Math.max(6, x), innerWidth - preview.offsetWidth - 6)}px`;
  preview.style.top = `${Math.min(Math.max(6, place.top), innerHeight - preview.offsetHeight - 6)}px`;
  shown = preview;
}

addEventListener("scroll", hidePreview, { passive: true });
