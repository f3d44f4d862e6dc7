// A table of any game, drawn from the view that the service sends (docs/reference/tables.md), and its moves.

import { button, fill, h, svg } from "./dom.js";
import { capital, label, plural } from "./format.js";
import { hidePreview, previewOn } from "./card-preview.js";

/** @typedef {{name: string, value: number, of?: number, printed?: number}} Counter */
/**
 * @typedef {{id: string, name?: string, kind?: string, cost?: number, counters?: Counter[], keywords?: string[],
 *   text?: string, marks?: string[], count?: number, face_down?: boolean}} Card
 */
/** @typedef {{id: string, label: string, layout?: string, cards?: Card[], count?: number, limit?: number}} Zone */
/** @typedef {{id: string, name: string, seat?: number, counters?: Counter[], marks?: string[], zones?: Zone[]}} Side */
/** @typedef {{text: string, choice?: {cards: string[], least: number, most: number}}} Prompt */
/** @typedef {{seat: number | null, turn: number, to_move: number | null, sides: Side[], text?: string, prompt?: Prompt}} View */
/** @typedef {{action: any, label: string, source?: string, target?: string}} Move */
/** @typedef {{from: string, to?: string, kind?: "best" | "own" | "last", text?: string}} Arrow */
/**
 * @typedef {object} Editing handlers of a table whose cards can be changed
 * @property {(zone: string) => void} add
 * @property {(id: string) => void} open
 * @property {(id: string, zone: string, index: number) => void} move puts a card before the one at `index`
 * @property {(id: string) => void} remove
 * @property {(zone: string) => boolean} accepts
 */

const LONG = [[/\S{13}/, "longest"], [/\S{10}/, "long"]]; // words that do not fit into a card, or into a narrow one
const KEYWORD_STYLES = ["taunt", "divine shield", "frozen", "stealth", "immune", "reborn"];

export class CardTable extends HTMLElement {
  /** @type {View | null} */
  view = null;
  /** Legal moves of the person at the page. @type {Move[]} */
  moves = [];
  /** @type {(move: Move) => void} */
  onmove = () => {};
  /** Called with the chosen ids where the prompt is a choice of cards. @type {(ids: string[]) => void} */
  onchoose = () => {};
  /** @type {Editing | null} */
  editing = null;
  /** The card that the next click drops. @type {string | null} */
  pickedUp = null;
  /** @type {Arrow[]} */
  arrows = [];
  /** Classes by id: acting, target. @type {Record<string, string>} */
  highlights = {};
  /** Names of the players by seat. @type {Record<number, string>} */
  names = {};
  /** Show only the names of the players, not those of their sides. */
  plainNames = false;
  /** Other labels of zones by id. @type {Record<string, string>} */
  zoneLabels = {};
  caption = "";
  /** More text of a side, such as its clock. @type {(side: Side) => (Node | null)} */
  sideNote = () => null;
  /** @type {string | null} */
  #source = null;
  /** @type {Set<string>} */
  #chosen = new Set();
  #choiceKey = "";
  #drawn = "";
  /** @type {Map<string, HTMLElement>} */
  #elements = new Map();
  #observer = new ResizeObserver(() => this.#drawArrows());
  /** @type {SVGElement | null} */
  #overlay = null;

  connectedCallback() {
    this.classList.add("card-table");
    this.addEventListener("keydown", this.#key);
    this.#observer.observe(this);
    if (this.view) this.draw();
  }

  disconnectedCallback() {
    this.#observer.disconnect();
    hidePreview();
  }

  /** Draw the table again after its properties have changed. */
  draw() {
    const view = this.view;
    if (!view) return undefined;
    if (this.#source && !this.moves.some((move) => move.source === this.#source)) this.#source = null;
    const choice = view.prompt?.choice;
    const key = JSON.stringify(choice ?? null);
    if (key !== this.#choiceKey) this.#chosen.clear();
    this.#choiceKey = key;
    // What stays the same keeps its elements: a card may be dragged, and the focus may be on it.
    const drawn = JSON.stringify([view, this.moves, this.editing !== null, this.pickedUp, this.highlights, this.names, this.zoneLabels, this.caption, this.#source, [...this.#chosen]]);
    if (drawn === this.#drawn && this.#overlay?.isConnected) return this.#drawArrows();
    this.#drawn = drawn;
    this.#elements.clear();
    hidePreview();
    const sides = view.sides;
    const bottom = sides.findLast((side) => side.seat !== undefined);
    this.#overlay = svg("svg", { class: "arrows", "aria-hidden": "true" });
    const parts = sides.map((side) => this.#drawSide(side, side === bottom));
    const middle = h("p", { class: "caption", "aria-live": "polite" }, this.caption);
    const at = bottom ? sides.indexOf(bottom) : parts.length;
    parts.splice(at, 0, middle);
    fill(this, ...(view.text ? [h("pre", { class: "picture" }, view.text), this.caption ? middle : null] : parts), this.#overlay);
    return this.#drawArrows();
  }

  /** Return the buttons of moves that need no card, and of the choice that a prompt asks for. */
  actionButtons() {
    /** @type {HTMLElement[]} */
    const buttons = [];
    const prompt = this.view?.prompt;
    if (prompt?.choice && this.onchoose) {
      const { least, most } = prompt.choice;
      const count = this.#chosen.size;
      const valid = count >= least && count <= most;
      const text = count ? `Confirm ${plural(count, "card")}` : least === 0 ? "Confirm none" : "Confirm";
      buttons.push(button(text, () => this.onchoose([...this.#chosen]), { class: "main", disabled: !valid, focus: "confirm" }));
    }
    if (this.#source) {
      for (const move of this.moves.filter((move) => move.source === this.#source && !move.target)) {
        buttons.push(button(capital(move.label), () => this.#make(move), { class: "main", focus: `move ${move.label}` }));
      }
      buttons.push(button("Cancel", () => this.#select(null), { label: "Cancel (Esc)", focus: "cancel" }));
    }
    for (const move of this.moves.filter((move) => !move.source)) {
      buttons.push(button(capital(move.label), () => this.#make(move), { class: "main", focus: `move ${move.label}` }));
    }
    return buttons;
  }

  /** Called when the selection changes, so that the page can draw the buttons again. */
  onselect = () => {};

  /** @param {string} id */
  elementOf(id) {
    return this.#elements.get(id) ?? null;
  }

  // -- drawing

  /** @param {Side} side @param {boolean} atBottom */
  #drawSide(side, atBottom) {
    const zones = (side.zones ?? []).filter((zone) => zone.cards?.length || zone.count !== undefined || (zone.limit !== undefined && (zone.layout !== "hand" || this.editing?.accepts(zone.id))));
    const panel = side.seat === undefined && !side.counters?.length ? null : this.#drawPanel(side);
    // The fixtures of a side, such as piles and powers, stand beside its name.
    const beside = zones.filter((zone) => zone.layout === "pile" || zone.layout === "beside" || isFolded(zone));
    const rows = zones.filter((zone) => !beside.includes(zone));
    const bar = h("div", { class: "side-bar" }, panel, ...beside.map((zone) => this.#drawZone(zone)));
    const hands = rows.filter((zone) => zone.layout === "hand").map((zone) => this.#drawZone(zone));
    const others = rows.filter((zone) => zone.layout !== "hand").map((zone) => this.#drawZone(zone));
    const isTurn = side.seat !== undefined && side.seat === this.view?.to_move;
    return h(
      "section",
      { class: `side ${atBottom ? "bottom" : "top"} ${isTurn ? "to-move" : ""} ${side.seat === undefined ? "shared" : ""}`, "aria-label": this.#nameOf(side) },
      ...(atBottom ? [...others, bar, ...hands] : [bar, ...hands, ...others]),
    );
  }

  /** @param {Side} side */
  #nameOf(side) {
    const name = side.seat === undefined ? undefined : this.names[side.seat];
    const isAlone = this.view?.sides.filter((other) => other.seat !== undefined).length === 1;
    if (name && (this.plainNames || isAlone)) return name;
    return name ? (name.toLowerCase() === side.name.toLowerCase() ? name : `${name} · ${side.name}`) : side.name;
  }

  /** @param {Side} side */
  #drawPanel(side) {
    const counters = side.counters ?? [];
    // Health is the one number that everybody looks at; all others have their names beside them.
    const life = counters.find((counter) => counter.name === "health");
    const others = counters.filter((counter) => counter !== life);
    const name = this.#nameOf(side);
    const words = [...counters.map((counter) => `${counter.value} ${label(counter.name)}`), ...(side.marks ?? [])];
    const element = this.#thing(
      side.id,
      `player ${(side.marks ?? []).map((mark) => `is-${mark.replaceAll(" ", "-")}`).join(" ")}`,
      `${name}: ${words.join(", ")}`,
      life ? h("span", { class: `life ${life.value <= 0 ? "dead" : ""}`, "data-counter": life.name }, life.value) : null,
      h(
        "span",
        { class: "what" },
        h("span", { class: "player-name" }, name),
        h("span", { class: "details" }, ...others.filter((counter) => counter.of === undefined).map(counterText), ...(side.marks ?? []).map((mark) => h("span", { class: "mark" }, label(mark)))),
      ),
    );
    const meters = others.filter((counter) => counter.of !== undefined).map(meter);
    const note = this.sideNote(side);
    return h("div", { class: "panel-group" }, element, ...meters, note);
  }

  /** @param {Zone} zone */
  #drawZone(zone) {
    const cards = zone.cards ?? [];
    const editable = this.editing?.accepts(zone.id) ?? false;
    const folded = isFolded(zone);
    const isPile = zone.layout === "pile" || folded;
    const count = zone.count ?? cards.length;
    const title = this.zoneLabels[zone.id] ?? zone.label;
    const isTarget = this.#source !== null && this.moves.some((move) => move.source === this.#source && move.target === zone.id);
    const classes = `zone ${isPile ? "pile" : zone.layout ?? "row"} ${cards.length ? "" : "empty"} ${editable ? "editable" : ""} ${isTarget ? "legal-target" : ""}`;
    const element = isTarget
      ? h("button", { class: classes, "aria-label": title, "data-zone": zone.id, onclick: () => this.#click(zone.id) })
      : h("div", { class: classes, role: "group", "aria-label": title, "data-zone": zone.id });
    this.#elements.set(zone.id, element);
    if (isPile) {
      element.append(h("span", { class: "zone-label" }, zone.label));
      if (!folded) for (const card of this.#stacked(cards)) element.append(this.#drawCard(card));
      if (folded || !cards.length || zone.count !== undefined) element.append(h("span", { class: "pile-count", title: `${zone.label}: ${count}` }, count));
    } else {
      if (zone.layout === "grid" || (!editable && !cards.length)) element.append(h("span", { class: "zone-label" }, zone.label));
      cards.forEach((card, index) => element.append(this.#drawCard(card, editable ? { zone: zone.id, index } : null)));
    }
    if (editable && this.editing) this.#drawSlot(element, zone, cards.length);
    return element;
  }

  /** Show neighbours that are alike as one card with a count, unless one of them can be chosen. @param {Card[]} cards */
  #stacked(cards) {
    const choices = new Set([...this.moves.flatMap((move) => [move.source, move.target]), ...(this.view?.prompt?.choice?.cards ?? [])]);
    const face = (/** @type {Card} */ card) => (choices.has(card.id) ? card.id : JSON.stringify({ ...card, id: "", count: 1 }));
    /** @type {Card[]} */
    const stacks = [];
    for (const card of cards) {
      const last = stacks.at(-1);
      if (last && face(last) === face(card)) stacks[stacks.length - 1] = { ...last, count: (last.count ?? 1) + (card.count ?? 1) };
      else stacks.push(card);
    }
    return stacks;
  }

  /** @param {HTMLElement} element @param {Zone} zone @param {number} count */
  #drawSlot(element, zone, count) {
    const editing = /** @type {Editing} */ (this.editing);
    const name = (this.zoneLabels[zone.id] ?? zone.label).toLowerCase();
    if (this.pickedUp) {
      const drop = () => editing.move(/** @type {string} */ (this.pickedUp), zone.id, count);
      element.append(h("button", { class: "card slot", "aria-label": `Drop at the end of ${name}`, onclick: drop }, h("span", null, "↓"), h("span", { class: "name" }, "here")));
    } else if (zone.limit === undefined || count < zone.limit) {
      element.append(h("button", { class: "card slot", "aria-label": `Add a card to ${name}`, "data-focus": `add ${zone.id}`, onclick: () => editing.add(zone.id) }, h("span", null, "+"), h("span", { class: "name" }, "add")));
    }
    this.#acceptDrops(element, zone.id, count);
  }

  /** @param {Card} card @param {{zone: string, index: number} | null} [slot] */
  #drawCard(card, slot) {
    const counters = card.counters ?? [];
    const marks = card.marks ?? [];
    const keywords = (card.keywords ?? []).map(label);
    const name = card.face_down ? "face down" : card.name || "?";
    const classes = [
      "card",
      card.face_down ? "back" : "",
      card.cost !== undefined ? "has-cost" : "",
      card.kind ? `kind-${card.kind.replaceAll(/[^a-z]+/gi, "-").toLowerCase()}` : "",
      ...marks.map((mark) => `is-${mark.replaceAll(/[^a-z]+/gi, "-").toLowerCase()}`),
      ...KEYWORD_STYLES.filter((word) => keywords.includes(word)).map((word) => `has-${word.replaceAll(" ", "-")}`),
    ];
    const words = [
      name,
      card.cost !== undefined ? `costs ${card.cost}` : "",
      ...counters.map((counter) => `${counter.value} ${label(counter.name)}`),
      ...keywords,
      card.text ?? "",
      ...marks,
      (card.count ?? 1) > 1 ? `${card.count} copies` : "",
    ];
    const body = [keywords.join(", "), card.text].filter(Boolean).join(". ");
    const element = this.#thing(
      card.id,
      classes.filter(Boolean).join(" "),
      words.filter(Boolean).join(", "),
      card.cost !== undefined ? h("span", { class: "cost", title: "cost" }, card.cost) : null,
      h("span", { class: `name ${LONG.find(([words]) => name.search(words) >= 0)?.[1] ?? ""}` }, card.face_down ? "" : name),
      card.face_down ? null : h("span", { class: "words" }, body),
      (card.count ?? 1) === 1 ? null : h("span", { class: "count" }, `×${card.count}`),
      counters.length ? h("span", { class: "counters" }, ...counters.map((counter) => cardCounter(counter))) : null,
    );
    if (!card.face_down) previewOn(element, () => card);
    if (slot && this.editing) this.#makeEditable(element, card.id, slot);
    return element;
  }

  /**
   * Return a card or player: a button where a click does something.
   * @param {string} id
   * @param {string} classes
   * @param {string} words
   * @param {...(Node | string | null)} children
   */
  #thing(id, classes, words, ...children) {
    const choice = this.view?.prompt?.choice;
    const states = [classes, this.highlights[id] ?? ""];
    let action = null;
    if (choice?.cards.includes(id)) {
      states.push(this.#chosen.has(id) ? "chosen" : "legal");
      action = () => this.#toggle(id);
    } else if (this.editing) {
      action = () => this.#edit(id);
      if (this.pickedUp === id) states.push("chosen");
    } else if (this.#source && this.#source !== id && this.moves.some((move) => move.source === this.#source && move.target === id)) {
      states.push("legal-target");
      action = () => this.#click(id);
    } else if (this.moves.some((move) => move.source === id)) {
      states.push(this.#source === id ? "chosen" : this.#source ? "" : "legal");
      action = () => this.#click(id);
    }
    const props = { class: states.filter(Boolean).join(" "), "data-id": id, "data-focus": `thing ${id}`, "aria-label": words };
    const element = action
      ? h("button", { ...props, onclick: action, "aria-pressed": states.includes("chosen") ? "true" : null }, ...children)
      : h("div", { ...props, role: "img", tabindex: classes.startsWith("card") ? "0" : null }, ...children);
    this.#elements.set(id, element);
    return element;
  }

  // -- arrows

  #drawArrows() {
    const overlay = this.#overlay;
    if (!overlay?.isConnected) return undefined;
    overlay.textContent = "";
    const frame = this.getBoundingClientRect();
    overlay.setAttribute("viewBox", `0 0 ${frame.width} ${frame.height}`);
    /** @type {Map<string, number>} */
    const arrivals = new Map();
    for (const arrow of this.arrows) {
      const start = this.#elements.get(arrow.from)?.getBoundingClientRect();
      const end = arrow.to ? this.#elements.get(arrow.to)?.getBoundingClientRect() : undefined;
      if (!start) continue;
      const kind = arrow.kind ?? "best";
      const from = { x: start.x + start.width / 2 - frame.x, y: start.y + start.height / 2 - frame.y };
      const group = svg("g", { class: `arrow ${kind}`, "data-from": arrow.from, "data-to": arrow.to ?? "" });
      let label = { x: start.right - frame.x - 16, y: start.y - frame.y + 3 };
      if (end) {
        const arrived = arrivals.get(/** @type {string} */ (arrow.to)) ?? 0;
        arrivals.set(/** @type {string} */ (arrow.to), arrived + 1);
        const spread = Math.min(end.width * 0.3, 46) * (arrived % 2 ? -1 : 1) * Math.ceil(arrived / 2) * 0.6;
        const to = { x: end.x + end.width / 2 - frame.x + spread, y: end.y + end.height / 2 - frame.y };
        const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
        const unit = { x: (to.x - from.x) / length, y: (to.y - from.y) / length };
        // From the edge of one card to just inside the other, so that names and numbers stay readable.
        const leave = edge(unit, start), arrive = edge(unit, end) - 14;
        const near = leave + Math.max(arrive, 0) + 30 > length;
        const first = { x: from.x + unit.x * (near ? 12 : leave), y: from.y + unit.y * (near ? 12 : leave) };
        const tip = { x: to.x - unit.x * (near ? 6 : Math.max(arrive, 4)), y: to.y - unit.y * (near ? 6 : Math.max(arrive, 4)) };
        label = first;
        const neck = { x: tip.x - unit.x * 18, y: tip.y - unit.y * 18 };
        const side = { x: -unit.y * 10, y: unit.x * 10 };
        group.append(
          svg("line", { x1: first.x, y1: first.y, x2: neck.x, y2: neck.y }),
          svg("polygon", { points: `${tip.x},${tip.y} ${neck.x + side.x},${neck.y + side.y} ${neck.x - side.x},${neck.y - side.y}` }),
        );
      }
      if (arrow.text) {
        group.append(svg("circle", { cx: label.x, cy: label.y, r: 10.5 }), svg("text", { x: label.x, y: label.y + 4.5 }, arrow.text));
      }
      overlay.append(group);
    }
    return undefined;
  }

  // -- moves

  /** @param {string} id */
  #click(id) {
    if (this.#source && this.#source !== id) {
      const matching = this.moves.filter((move) => move.source === this.#source && move.target === id);
      if (matching.length === 1) return this.#make(matching[0]);
      if (matching.length > 1) return this.#offer(id, matching);
    }
    if (this.#source === id) {
      const plain = this.moves.filter((move) => move.source === id && !move.target);
      return plain.length === 1 ? this.#make(plain[0]) : this.#select(null);
    }
    const own = this.moves.filter((move) => move.source === id);
    if (own.length === 1 && !own[0].target) return this.#make(own[0]);
    if (own.length > 1 && own.every((move) => !move.target)) return this.#offer(id, own);
    return this.#select(id);
  }

  /** Let the person choose one of several moves with the same card. @param {string} id @param {Move[]} moves */
  #offer(id, moves) {
    const menu = h("div", { class: "menu", role: "menu", popover: "auto" });
    for (const move of moves) {
      menu.append(h("button", { class: "button", role: "menuitem", onclick: () => { menu.remove(); this.#make(move); } }, capital(move.label)));
    }
    document.body.append(menu);
    menu.addEventListener("toggle", (event) => { if (/** @type {any} */ (event).newState === "closed") menu.remove(); });
    menu.showPopover();
    const place = this.#elements.get(id)?.getBoundingClientRect();
    if (place) {
      menu.style.left = `${Math.min(Math.max(8, place.x), innerWidth - menu.offsetWidth - 8)}px`;
      menu.style.top = `${Math.min(place.bottom + 4, innerHeight - menu.offsetHeight - 8)}px`;
    }
    /** @type {HTMLElement | null} */ (menu.firstElementChild)?.focus();
  }

  /** @param {Move} move */
  #make(move) {
    this.#source = null;
    this.onmove(move);
  }

  /** @param {string | null} id */
  #select(id) {
    this.#source = id;
    this.draw();
    this.onselect();
  }

  /** @param {string} id */
  #toggle(id) {
    const choice = this.view?.prompt?.choice;
    if (!choice) return;
    if (this.#chosen.has(id)) this.#chosen.delete(id);
    else if (choice.most === 1) this.#chosen = new Set([id]);
    else if (this.#chosen.size < choice.most) this.#chosen.add(id);
    this.draw();
    this.onselect();
  }

  /** @param {KeyboardEvent} event */
  #key = (event) => {
    if (event.key === "Escape" && this.#source) {
      event.stopPropagation();
      this.#select(null);
    }
  };

  // -- editing

  /** @param {string} id */
  #edit(id) {
    const editing = this.editing;
    if (!editing) return;
    if (!this.pickedUp) return editing.open(id);
    const zone = this.#elements.get(id)?.closest("[data-zone]");
    const cards = zone ? [...zone.querySelectorAll("[data-id]")] : [];
    const index = cards.findIndex((element) => element.getAttribute("data-id") === id);
    if (zone && index >= 0) editing.move(this.pickedUp, zone.getAttribute("data-zone") ?? "", index);
  }

  /** @param {HTMLElement} element @param {string} id @param {{zone: string, index: number}} slot */
  #makeEditable(element, id, slot) {
    const editing = /** @type {Editing} */ (this.editing);
    element.setAttribute("draggable", "true");
    element.addEventListener("dragstart", (event) => {
      event.dataTransfer?.setData("text/plain", id);
      hidePreview();
    });
    element.addEventListener("keydown", (event) => {
      if (event.key === "Delete") editing.remove(id);
      else if (event.shiftKey && event.key === "ArrowLeft" && slot.index) editing.move(id, slot.zone, slot.index - 1);
      else if (event.shiftKey && event.key === "ArrowRight") editing.move(id, slot.zone, slot.index + 2);
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
    this.#acceptDrops(element, slot.zone, slot.index);
  }

  /** @param {HTMLElement} element @param {string} zone @param {number} index */
  #acceptDrops(element, zone, index) {
    element.addEventListener("dragover", (event) => event.preventDefault());
    element.addEventListener("drop", (event) => {
      event.preventDefault();
      event.stopPropagation();
      const id = event.dataTransfer?.getData("text/plain");
      if (id) this.editing?.move(id, zone, index);
    });
  }
}

customElements.define("card-table", CardTable);

/** Return whether the reader sees no card of a hand: then its size is enough. @param {Zone} zone */
function isFolded(zone) {
  return zone.layout === "hand" && (zone.cards?.length ?? 0) > 0 && (zone.cards ?? []).every((card) => card.face_down);
}

/** Return how far the edge of a box is from its middle in this direction. @param {{x: number, y: number}} unit @param {DOMRect} box */
function edge(unit, box) {
  return Math.min(Math.abs(box.width / 2 / (unit.x || 1e-9)), Math.abs(box.height / 2 / (unit.y || 1e-9)));
}

/** @param {Counter} counter */
function counterText(counter) {
  return h("span", { class: "counter-text", "data-counter": counter.name }, `${label(counter.name)} ${counter.value}`);
}

/** A counter with a maximum: gems where there are few, else a number. @param {Counter} counter */
function meter(counter) {
  const of = /** @type {number} */ (counter.of);
  const text = `${counter.value} of ${of} ${label(counter.name)}`;
  const gems = of <= 12 ? Array.from({ length: Math.max(of, counter.value) }, (_, index) => h("i", { class: index < counter.value ? "" : "spent" })) : [];
  return h("span", { class: "meter", "data-counter": counter.name, title: text }, h("small", null, text), h("span", { class: "gems", "aria-hidden": "true" }, ...gems));
}

/** @param {Counter} counter */
function cardCounter(counter) {
  const damaged = counter.of !== undefined && counter.value < counter.of;
  const change = counter.printed === undefined ? "" : counter.value > counter.printed ? "raised" : counter.value < counter.printed ? "lowered" : "";
  const title = `${label(counter.name)}${counter.of === undefined ? "" : ` (of ${counter.of})`}${counter.printed === undefined ? "" : `, printed ${counter.printed}`}`;
  return h("span", { class: `counter ${damaged ? "damaged" : ""} ${change}`, "data-counter": counter.name, title }, counter.value);
}
