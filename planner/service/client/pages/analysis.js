// The analysis board: a position to edit, its best turn, alternatives, turns of one's own and what they lose.

import { setAddress } from "../app.js";
import { CardTable } from "../card-table.js";
import { append, button, copyText, dialog, download, field, fill, h, isTyping, lineOf, problem, select, toast } from "../dom.js";
import { arrows, number } from "../format.js";
import { Latest, ask, list, post } from "../service.js";
import { EMPTY, EXAMPLES, FIRST } from "../analysis/examples.js";
import { addCard, allCards, editCard, editHero, editable, find, moveCard, pileOf } from "../analysis/editor.js";
import { breakdown, drawSteps, head, headOfOther, lethalLine, proofLine } from "../analysis/plan-panel.js";
import { MAX_LENGTH, fromFragment, toFragment } from "../analysis/share.js";
import { addLine, drawTree, leaves, removeLine } from "../analysis/variations.js";
import { WeightsPanel } from "../analysis/weights-panel.js";

export const title = "Analysis";
const DELAY = 80; // ms before a search starts: a slider moves often
const MAX_UNDO = 200;
const BEST = "best", OWN = "own";

/** @param {HTMLElement} main @param {URL} url */
export function open(main, url) {
  const page = new AnalysisPage(main);
  page.start(url);
  return () => page.close();
}

/** @param {number} ms */
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

class AnalysisPage {
  /** @type {any} */
  #state = null;
  #text = "";
  /** @type {any} the service's answer for the board before the turn */
  #root = null;
  /** @type {any[]} */
  #undo = [];
  /** @type {any[]} */
  #redo = [];
  /** @type {string[]} texts of the actions of the line that is shown */
  #line = [];
  #at = 0;
  #kind = BEST;
  /** @type {import("../analysis/share.js").Variation[]} */
  #tree = [];
  /** Answers for lines from the current board under the current weights. @type {Map<string, Promise<any>>} */
  #answers = new Map();
  /** @type {Map<string, any>} answers of complete variations */
  #variations = new Map();
  /** @type {any} */
  #plan = null;
  /** @type {any} */
  #explanation = null;
  /** Which of the next best turns is shown. @type {any} */
  #alternativeShown = null;
  /** @type {{actions: any[], words: string}[]} */
  #excluded = [];
  #mode = "try";
  #search = new Latest();
  #shown = 0;
  /** @type {any} */
  #words = null;
  /** @type {string | null} */
  #pickedUp = null;

  #table = new CardTable();
  #problem = h("div");
  #toolbar = h("div", { class: "row" });
  #modes = h("div", { class: "row", role: "group", "aria-label": "What a click does" });
  #head = h("div", { class: "stack tight", "aria-live": "polite" });
  #spinner = h("span", { class: "spin", role: "status", "aria-label": "Searching" });
  #buttons = h("div", { class: "row" });
  #steps = h("ol", { class: "steps" });
  #chips = h("div", { class: "chips" });
  #verdict = h("div", { class: "stack tight" });
  #alternatives = h("div", { class: "line-choice" });
  #treePanel = h("section", { class: "panel", id: "variations" });
  #terms = h("div");
  #weightsSlot = h("div", { id: "weights-slot" });
  /** @type {WeightsPanel | null} */
  #weights = null;

  /** @param {HTMLElement} main */
  constructor(main) {
    append(
      main,
      h("h1", { class: "visually-hidden" }, "Analysis"),
      h(
        "div",
        { class: "two" },
        h("div", { class: "stack" }, h("div", { class: "stack", id: "board" }, h("div", { class: "row between" }, this.#toolbar, this.#modes), this.#problem, this.#table), this.#weightsSlot),
        h(
          "div",
          { class: "stack" },
          h("section", { class: "panel stack tight", id: "best" }, h("div", { class: "row" }, h("h2", { id: "line-title" }, "Suggested turn"), this.#spinner), this.#head, this.#buttons, this.#steps, this.#chips, this.#verdict),
          h("section", { class: "panel", id: "next-best" }, h("h2", null, "Next best turns"), this.#alternatives),
          this.#treePanel,
          h("section", { class: "panel", id: "breakdown" }, h("h2", null, "Score breakdown"), this.#terms),
        ),
      ),
    );
    main.classList.add("analysis");
    document.addEventListener("keydown", this.#key);
    this.#table.plainNames = true;
    this.#table.onmove = (move) => this.#play(/** @type {any} */ (move).text);
    this.#table.onselect = () => this.#drawButtons();
  }

  close() {
    this.#search.stop();
    document.removeEventListener("keydown", this.#key);
  }

  // -- opening a board

  /** @param {URL} url */
  async start(url) {
    const shared = fromFragment(url.hash || url.search);
    try {
      const [words, profiles] = await Promise.all([ask("vocabulary", {}), list("/weights")]);
      this.#words = words;
      const weights = shared.weights ?? words.strongest;
      const isKnown = typeof weights !== "string" || profiles.weights.some((/** @type {any} */ profile) => profile.name === weights);
      if (!isKnown) append(this.#problem, problem(`The link has an unknown profile: ${weights}`));
      this.#weights = new WeightsPanel(words.terms, profiles.weights, isKnown ? weights : words.strongest, () => this.#weightsChanged());
      fill(this.#weightsSlot, this.#weights.element);
    } catch (error) {
      return append(this.#problem, problem(lineOf(error)));
    }
    this.#tree = shared.tree ?? [];
    try {
      await this.#load(shared.state ? parseState(shared.state) : EXAMPLES[FIRST]);
    } catch (error) {
      append(this.#problem, problem(`The link has an invalid state: ${lineOf(error)}`));
      this.#tree = [];
      await this.#load(EXAMPLES[FIRST]).catch((reason) => append(this.#problem, problem(lineOf(reason))));
      shared.line = [];
    }
    if (shared.line?.length) {
      const line = shared.line;
      try {
        await this.#turn(line);
        this.#kind = leaves(this.#tree).some((leaf) => line.every((text, index) => leaf[index] === text)) ? OWN : BEST;
        [this.#line, this.#at] = [line, Math.min(shared.at ?? 0, line.length)];
        this.#show();
      } catch (error) {
        append(this.#problem, problem(`The link has an invalid turn: ${lineOf(error)}`));
      }
    }
    for (const line of leaves(this.#tree).slice(0, 60)) this.#rememberVariation(line);
    return undefined;
  }

  /** Show another board; raises what the service says about an invalid one. @param {any} source JSON or text */
  async #load(source) {
    const answer = await ask("turn", { state: source, weights: this.#weights?.value() });
    this.#root = answer;
    this.#state = answer.state;
    this.#text = answer.text;
    this.#answers = new Map([["[]", Promise.resolve(answer)]]);
    this.#variations.clear();
    [this.#line, this.#at, this.#kind, this.#excluded] = [[], 0, BEST, []];
    this.#find();
  }

  /** Make a change of the board; return whether it was valid. @param {(state: any) => void} edit @param {string} [focus] */
  async #apply(edit, focus) {
    const before = this.#state;
    const copy = editable(before);
    try {
      edit(copy);
      this.#pickedUp = null;
      await this.#load(copy);
    } catch (error) {
      toast(lineOf(error), "error");
      this.#show();
      return false;
    }
    this.#undo = [...this.#undo, before].slice(-MAX_UNDO);
    this.#redo = [];
    this.#tree = [];
    this.#drawToolbar();
    if (focus) this.#table.elementOf(focus)?.focus();
    return true;
  }

  /** @param {any[]} from @param {any[]} to */
  async #back(from, to) {
    const state = from.pop();
    if (!state) return;
    to.push(this.#state);
    this.#tree = [];
    await this.#load(state);
  }

  // -- searching

  #weightsChanged() {
    this.#answers.clear();
    this.#variations.clear();
    for (const line of leaves(this.#tree)) this.#rememberVariation(line);
    if (this.#kind === BEST) [this.#line, this.#at] = [[], 0];
    this.#find();
  }

  #find() {
    this.#plan = this.#explanation = null;
    this.#weights?.showRanges(null);
    this.#show();
    this.#drawPlan();
    this.#search.run((signal) => this.#searchPlan(signal)).catch((error) => {
      this.#spinner.classList.remove("on");
      const container = this.#plan ? this.#alternatives : this.#head;
      fill(container, problem(lineOf(error)));
    });
  }

  /** @param {AbortSignal} signal */
  async #searchPlan(signal) {
    await wait(DELAY);
    if (signal.aborted) return;
    this.#spinner.classList.add("on");
    const body = { state: this.#state, weights: this.#weights?.value(), exclude: this.#excluded.flatMap((entry) => entry.actions) };
    const plan = await post("/plan", body, signal);
    const answer = await ask("turn", { state: this.#state, weights: body.weights, actions: plan.actions }, signal);
    if (signal.aborted) return;
    this.#plan = plan;
    this.#plan.texts = answer.steps.map((/** @type {any} */ step) => step.text);
    this.#answers.set(JSON.stringify(this.#plan.texts), Promise.resolve(answer));
    if (this.#kind === BEST && !(this.#line.length && this.#at)) [this.#line, this.#at] = [this.#plan.texts, 0];
    this.#show();
    this.#drawPlan();
    const more = await post("/plan", { ...body, explain: true, ranges: !this.#excluded.length }, signal);
    if (signal.aborted) return;
    this.#spinner.classList.remove("on");
    this.#explanation = more.explanation;
    this.#weights?.showRanges(more.ranges ?? null);
    this.#drawPlan();
    this.#show();
  }

  /** Return the service's answer for a line from the current board. @param {string[]} line */
  #turn(line) {
    const key = JSON.stringify(line);
    let answer = this.#answers.get(key);
    if (!answer) {
      answer = ask("turn", { state: this.#state, weights: this.#weights?.value(), actions: line });
      this.#answers.set(key, answer);
      answer.catch(() => this.#answers.delete(key));
    }
    return answer;
  }

  // -- lines

  /** @param {string} kind @param {string[]} line @param {number} at @param {any} [alternative] */
  #openLine(kind, line, at, alternative = null) {
    [this.#kind, this.#line, this.#at, this.#alternativeShown] = [kind, line, at, alternative];
    this.#show();
    this.#drawPlan();
  }

  /** @param {number} at */
  #go(at) {
    const next = Math.min(Math.max(at, 0), this.#line.length);
    if (next === this.#at) return;
    this.#at = next;
    this.#show();
  }

  /** Play an action on the board. @param {string} text */
  #play(text) {
    if (this.#line[this.#at] === text) return this.#go(this.#at + 1);
    const line = [...this.#line.slice(0, this.#at), text];
    addLine(this.#tree, line);
    this.#openLine(OWN, line, line.length);
    this.#rememberVariation(line);
    return undefined;
  }

  /** @param {string[]} line */
  async #rememberVariation(line) {
    try {
      const answer = await this.#turn(line);
      this.#variations.set(JSON.stringify(line), answer);
      this.#drawTree();
    } catch {
      removeLine(this.#tree, line); // not legal on this board
      this.#drawTree();
    }
  }

  /** @param {number} index of an action of the best turn */
  #exclude(index) {
    const action = this.#plan.actions[index];
    const entry = this.#explanation?.loss_without[index];
    this.#turn(this.#plan.texts).then((answer) => {
      this.#excluded.push({ actions: [action, ...(entry?.equal ?? [])], words: answer.steps[index].words.split(";")[0] });
      this.#again();
    });
  }

  #again() {
    [this.#kind, this.#line, this.#at] = [BEST, [], 0];
    this.#find();
  }

  // -- drawing

  /** Draw the table after the actions that are shown. */
  async #show() {
    const number = ++this.#shown;
    const line = this.#line.slice(0, this.#at);
    let answer, whole;
    try {
      [answer, whole] = await Promise.all([this.#turn(line), this.#turn(this.#line)]);
    } catch (error) {
      if (number === this.#shown) toast(lineOf(error), "error");
      return;
    }
    if (number !== this.#shown) return;
    const step = answer.steps.at(-1);
    const isEditing = this.#mode === "edit" && !this.#at;
    const table = this.#table;
    table.view = /** @type {import("../card-table.js").View} */ (step ? step.view : answer.view);
    table.names = { [this.#seat()]: "You", [1 - this.#seat()]: "Enemy" };
    table.moves = isEditing ? [] : answer.moves;
    table.editing = isEditing ? this.#editing() : null;
    table.pickedUp = this.#pickedUp;
    table.zoneLabels = zoneLabels(table.view);
    table.highlights = step ? { [step.source]: "acting", ...(step.target ? { [step.target]: "target" } : {}) } : {};
    table.arrows = isEditing && this.#pickedUp ? [] : whole.steps.slice(this.#at).map((/** @type {any} */ next, /** @type {number} */ index) => ({ from: next.source, to: next.target ?? undefined, kind: this.#kind === OWN ? "own" : "best", text: String(this.#at + index + 1) }));
    table.caption = this.#pickedUp
      ? "Click where to put the card: before another card or at the end. Click the card to cancel."
      : step ? `After action ${this.#at} of ${this.#line.length}: ${arrows(step.words)}` : isEditing ? "Click a card to edit it, + to add one." : "";
    table.draw();
    this.#drawToolbar();
    this.#drawButtons();
    drawSteps(this.#steps, this.#plan || this.#line.length ? whole : null, {
      at: this.#at,
      losses: this.#isBest() ? this.#explanation?.loss_without ?? [] : [],
      go: (at) => this.#go(at),
      exclude: this.#isBest() ? (index) => this.#exclude(index) : null,
    });
    this.#drawVerdict(whole, answer);
    fill(this.#terms, breakdown(this.#kind === OWN ? answer.terms : whole.terms));
    this.#drawTree();
    this.#updateAddress();
  }

  #isBest() {
    return this.#plan !== null && JSON.stringify(this.#line) === JSON.stringify(this.#plan.texts);
  }

  #drawPlan() {
    const plan = this.#plan;
    const name = document.getElementById("line-title");
    if (name) name.textContent = this.#kind === OWN ? "Your turn" : this.#isBest() || !plan ? "Suggested turn" : "Another turn";
    if (!plan) fill(this.#head, h("p", { class: "soft" }, "Searching …"));
    fill(this.#chips, ...this.#excluded.map((entry) => button(`excluded: ${arrows(entry.words)} ✕`, () => { this.#excluded = this.#excluded.filter((other) => other !== entry); this.#again(); }, { class: "small", label: `Allow it again: ${entry.words}` })));
    if (!plan) return fill(this.#alternatives, h("p", { class: "soft" }, "Searching …"));
    const others = this.#explanation?.next_best ?? [];
    const rows = [this.#alternative(number(plan.objective), "Suggested turn", () => this.#openLine(BEST, plan.texts, 0), this.#isBest())];
    for (const other of others) {
      const loss = plan.objective - other.objective;
      const text = arrows(other.words.join("; ")) || "End the turn.";
      rows.push(this.#alternative(loss > 1e-9 ? `−${number(loss)}` : "same", text, () => this.#openAlternative(other), other === this.#alternativeShown));
    }
    if (this.#explanation && !others.length) rows.push(h("p", { class: "soft" }, "No other turn was found."));
    if (!this.#explanation) rows.push(h("p", { class: "soft" }, "Searching …"));
    return fill(this.#alternatives, ...rows);
  }

  /** @param {string} score @param {string} text @param {() => void} open @param {boolean} isShown */
  #alternative(score, text, open, isShown) {
    return h("button", { class: `step ${isShown ? "now" : ""}`, "aria-current": isShown ? "true" : null, "data-focus": `line ${text}`, onclick: open }, h("span", { class: "at num" }, score), h("span", null, text));
  }

  /** @param {any} other one of the next best turns */
  async #openAlternative(other) {
    try {
      const answer = await ask("turn", { state: this.#state, weights: this.#weights?.value(), actions: other.actions });
      const texts = answer.steps.map((/** @type {any} */ step) => step.text);
      this.#answers.set(JSON.stringify(texts), Promise.resolve(answer));
      this.#openLine(BEST, texts, 0, other);
    } catch (error) {
      toast(lineOf(error), "error");
    }
  }

  /** @param {any} whole @param {any} answer */
  #drawVerdict(whole, answer) {
    const plan = this.#plan;
    if (!plan) return fill(this.#verdict);
    const shown = this.#kind === OWN ? answer : whole;
    fill(this.#head, this.#isBest() ? head(plan) : headOfOther(plan, shown.score, shown.outcome));
    if (this.#kind === OWN) {
      const loss = plan.objective - answer.score;
      const end = this.#at < this.#line.length ? ` after action ${this.#at}` : "";
      return fill(
        this.#verdict,
        h("p", { id: "own-turn" }, `If the turn ends here${end}: `, h("strong", { class: loss > 1e-9 ? "bad" : "good" }, loss > 1e-9 ? `${number(loss)} points lost.` : "as good as the best turn.")),
        answer.steps.at(-1)?.chance ? h("p", { class: "soft" }, "Chance decides about the last action: the score is an expectation, and the turn is shown up to here.") : null,
        h("div", { class: "row" }, button("Back to the suggested turn", () => this.#openLine(BEST, plan.texts, 0), { class: "small" })),
      );
    }
    if (!this.#isBest()) {
      return fill(this.#verdict, h("div", { class: "row" }, button("Back to the suggested turn", () => this.#openLine(BEST, plan.texts, 0), { class: "small" })));
    }
    const excluded = this.#excluded.length > 0;
    return fill(
      this.#verdict,
      this.#explanation ? h("p", { id: "lethal" }, lethalLine(plan, this.#explanation.lethal_missed_by, excluded)) : null,
      h("p", { class: "soft", id: "proof" }, proofLine(plan, excluded, this.#weights?.takesWins() ?? false)),
      plan.reveals !== null && plan.reveals !== undefined ? h("p", { class: "soft" }, `Plan again after action ${plan.reveals + 1}: it reveals hidden information.`) : null,
    );
  }

  #drawTree() {
    this.#treePanel.hidden = !this.#tree.length;
    const remove = (/** @type {string[]} */ line) => {
      removeLine(this.#tree, line);
      if (this.#kind === OWN && this.#plan) this.#openLine(BEST, this.#plan.texts, 0);
      else this.#show();
    };
    const tree = drawTree(this.#tree, this.#variations, this.#plan?.objective ?? null, { line: this.#line, at: this.#kind === OWN ? this.#at : -1 }, (line) => this.#openLine(OWN, line, line.length), remove);
    fill(this.#treePanel, h("h2", null, "Your variations"), tree);
  }

  #drawButtons() {
    const at = this.#at, last = this.#line.length;
    fill(
      this.#buttons,
      button("|◀", () => this.#go(0), { label: "Before the turn", disabled: !at, focus: "first" }),
      button("◀", () => this.#go(at - 1), { label: "Previous action", disabled: !at, focus: "previous" }),
      button("▶", () => this.#go(at + 1), { label: "Next action", class: "main", disabled: at >= last, focus: "next" }),
      button("▶|", () => this.#go(last), { label: "After the turn", disabled: at >= last, focus: "last" }),
    );
  }

  #drawToolbar() {
    const examples = select([["", "Examples"], ...Object.keys(EXAMPLES)], "", (name) => { if (name) this.#replace(EXAMPLES[name]); }, { "aria-label": "Examples", class: "toolbar-select" });
    fill(
      this.#toolbar,
      button("↶", () => this.#back(this.#undo, this.#redo), { label: "Undo (Ctrl+Z)", disabled: !this.#undo.length, focus: "undo" }),
      button("↷", () => this.#back(this.#redo, this.#undo), { label: "Redo (Ctrl+Y)", disabled: !this.#redo.length, focus: "redo" }),
      examples,
      button("Clear", () => this.#replace(EMPTY), { focus: "clear" }),
      button("Import or export", () => this.#importOrExport(), { focus: "import" }),
      button("Share", () => this.#share(), { focus: "share" }),
    );
    const mode = (/** @type {string} */ name, /** @type {string} */ text) => button(text, () => { this.#mode = name; this.#pickedUp = null; if (name === "edit") this.#at = 0; this.#show(); }, { pressed: this.#mode === name, focus: `mode ${name}` });
    fill(this.#modes, mode("try", "Try a turn"), mode("edit", "Edit board"));
  }

  /** @param {any} source */
  async #replace(source) {
    const before = this.#state;
    try {
      await this.#load(source);
    } catch (error) {
      toast(lineOf(error), "error");
      return false;
    }
    this.#undo = [...this.#undo, before].slice(-MAX_UNDO);
    this.#redo = [];
    this.#tree = [];
    this.#show();
    return true;
  }

  // -- editing

  /** @returns {import("../card-table.js").Editing} */
  #editing() {
    const places = new Map([[`seat.${this.#seat()}.board`, { side: "me", pile: "board" }], [`seat.${this.#seat()}.hand`, { side: "me", pile: "hand" }], [`seat.${1 - this.#seat()}.board`, { side: "enemy", pile: "board" }]]);
    const placeOf = (/** @type {string} */ zone) => /** @type {any} */ (places.get(zone));
    const apply = (/** @type {(state: any) => void} */ edit) => this.#apply(edit);
    return {
      accepts: (zone) => places.has(zone),
      add: (zone) => addCard(placeOf(zone), `Add to ${zoneLabels(this.#root.view)[zone]?.toLowerCase() ?? "the board"}`, this.#words, apply),
      open: (id) => {
        const place = find(this.#state, id);
        if (place) editCard(this.#state, place, cardOf(this.#root.view, id), this.#words, apply, () => { this.#pickedUp = id; this.#show(); });
        else editHero(this.#state, id.startsWith(`seat.${this.#seat()}`) ? "me" : "enemy", this.#words, apply);
      },
      move: async (id, zone, index) => {
        const from = find(this.#state, id), to = placeOf(zone), cards = await allCards();
        if (!from || !to) return;
        const isSame = from.side === to.side && from.pile === to.pile;
        if (isSame && (from.index === index || (index === from.index + 1 && this.#pickedUp))) { this.#pickedUp = null; this.#show(); return; }
        const end = isSame && from.index < index ? index - 1 : Math.min(index, pileOf(structuredClone(this.#state), to).length);
        if (isSame && end === from.index) return;
        await this.#apply((copy) => moveCard(copy, from, to, index, cards));
        setTimeout(() => this.#table.elementOf(`${to.side}.${to.pile}.${end}`)?.focus({ preventScroll: true }), 30);
      },
      remove: (id) => {
        const place = find(this.#state, id);
        if (place) this.#apply((copy) => pileOf(copy, place).splice(place.index, 1)).then(() => setTimeout(() => this.#table.elementOf(`${place.side}.${place.pile}.${Math.max(0, place.index - 1)}`)?.focus({ preventScroll: true }), 30));
      },
    };
  }

  #seat() {
    return this.#root?.view.seat ?? 0;
  }

  /** @param {KeyboardEvent} event */
  #key = (event) => {
    if (isTyping(event)) return;
    const key = event.key.toLowerCase();
    if (event.ctrlKey || event.metaKey) {
      if (key === "z") event.shiftKey ? this.#back(this.#redo, this.#undo) : this.#back(this.#undo, this.#redo);
      else if (key === "y") this.#back(this.#redo, this.#undo);
      else return;
    } else if (event.shiftKey || event.altKey) return;
    else if (key === "arrowright") this.#go(this.#at + 1);
    else if (key === "arrowleft") this.#go(this.#at - 1);
    else if (key === "home") this.#go(0);
    else if (key === "end") this.#go(this.#line.length);
    else if (key === "escape" && this.#pickedUp) { this.#pickedUp = null; this.#show(); }
    else return;
    event.preventDefault();
  };

  // -- import, export and links

  #importOrExport() {
    const json = JSON.stringify(this.#state, null, 1);
    dialog("Import or export", (close) => {
      const text = /** @type {HTMLTextAreaElement} */ (h("textarea", { rows: "12", value: json, "aria-label": "JSON or text", spellcheck: "false" }));
      const trouble = h("div");
      const read = async () => {
        try {
          const source = parseState(text.value);
          const before = this.#state;
          await this.#load(source);
          this.#undo = [...this.#undo, before];
          this.#tree = [];
          close();
        } catch (error) {
          fill(trouble, problem(lineOf(error)));
        }
      };
      return [
        h("p", { class: "soft" }, "JSON or one line of text. Paste another state and import it, or copy this one."),
        text,
        trouble,
        h("div", { class: "row" }, button("Import", read, { class: "main" }), button("As JSON", () => { text.value = json; }), button("As one line of text", () => { text.value = this.#text; }), button("Copy", () => copyText(text.value, "State")), button("Download", () => download("state.json", json))),
      ];
    }, { wide: true });
  }

  #fragment() {
    return toFragment({ state: this.#text, weights: this.#weights?.value() ?? "", line: this.#kind === OWN || this.#at ? this.#line : [], at: this.#at, tree: this.#tree });
  }

  #updateAddress() {
    const address = `/analysis${this.#fragment()}`;
    if (address.length <= MAX_LENGTH && location.pathname === "/analysis") setAddress(address);
  }

  #share() {
    const link = `${location.origin}/analysis${this.#fragment()}`;
    if (link.length > MAX_LENGTH) return toast("This board is too large for a link; use Import or export to save it as a file.", "error");
    return dialog("Share this analysis", () => [
      h("p", { class: "soft" }, "The link contains the board, the weights, the turn that is shown and all your variations. It works on any planner server."),
      field("Link", h("textarea", { id: "link", readonly: true, rows: "5", value: link })),
      h("div", { class: "row" }, button("Copy", () => copyText(link, "Link"), { class: "main" })),
    ]);
  }
}

/** Read what a person pasted: JSON where it begins with a brace, else one line of text. @param {string} text */
function parseState(text) {
  const line = text.trim();
  if (!/^[{[]/.test(line)) return line;
  try {
    return JSON.parse(line);
  } catch (error) {
    throw new Error(`this is not JSON: ${lineOf(error)}`);
  }
}

/** @param {import("../card-table.js").View} view @returns {Record<string, string>} */
function zoneLabels(view) {
  const mine = view.seat ?? 0;
  return { [`seat.${mine}.board`]: "Your board", [`seat.${mine}.hand`]: "Your hand", [`seat.${1 - mine}.board`]: "Enemy board", [`seat.${1 - mine}.hand`]: "Enemy hand" };
}

/** @param {import("../card-table.js").View} view @param {string} id */
function cardOf(view, id) {
  return view.sides.flatMap((side) => side.zones ?? []).flatMap((zone) => zone.cards ?? []).find((card) => card.id === id);
}
