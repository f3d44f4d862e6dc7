// A match step by step: the table, the course of the match, and what each turn lost against the best one.

import { setAddress } from "../app.js";
import { CardTable } from "../card-table.js";
import { button, download, field, fill, h, isTyping, lineOf, problem, select } from "../dom.js";
import { evaluationCurve, worstTurns } from "../evaluation-curve.js";
import { arrows, capital, label, labelled, number, plural } from "../format.js";
import { logLines } from "../match-log.js";
import { Latest, ask, get, list, request, requestText } from "../service.js";

export const title = "Review";
const MAX_BYTES = 950_000; // of a log; with the request around it, this is what the service accepts
const TURNS_PER_REQUEST = 4;

/** @param {HTMLElement} main @param {URL} url */
export function open(main, url) {
  const page = new ReviewPage(main, url);
  page.start();
  return () => page.close();
}

class ReviewPage {
  /** @type {any} */
  #match = null;
  #at = 0;
  #flipped = false;
  /** @type {Map<number, any>} */
  #judged = new Map();
  #problem = "";
  #profile = "";
  #load = new Latest();
  #judge = new Latest();
  #table = new CardTable();
  #title = h("div", { class: "stack" });
  #controls = h("div", { class: "row" });
  #curve = h("div", { class: "stack tight" });
  #verdict = h("div", { class: "verdict" });
  #log = h("div", { class: "log" });
  #slider = /** @type {HTMLInputElement} */ (h("input", { type: "range", min: "0", max: "0", value: "0", "aria-label": "Timeline" }));

  /** @param {HTMLElement} main @param {URL} url */
  constructor(main, url) {
    this.main = main;
    this.query = url.searchParams;
    this.#slider.addEventListener("input", () => this.#go(Number(this.#slider.value)));
    document.addEventListener("keydown", this.#key);
    document.addEventListener("dragover", this.#over);
    document.addEventListener("drop", this.#drop);
  }

  close() {
    this.#load.stop();
    this.#judge.stop();
    document.removeEventListener("keydown", this.#key);
    document.removeEventListener("dragover", this.#over);
    document.removeEventListener("drop", this.#drop);
  }

  // A file is accepted anywhere on the page: beside the box the browser would open it instead.

  /** @param {DragEvent} event */
  #over = (event) => event.preventDefault();

  /** @param {DragEvent} event */
  #drop = (event) => {
    event.preventDefault();
    const file = event.dataTransfer?.files[0];
    if (file) this.#read(file);
  };

  start() {
    const results = this.query.get("results"), table = this.query.get("table");
    if (results) this.#open("Replaying the game …", (signal) => get(`/results/${encodeURIComponent(results)}/games/${encodeURIComponent(this.query.get("game") ?? "")}`, {}, signal));
    else if (table) this.#open("Loading the match …", async (signal) => ask("replay", { log: await requestText(`/tables/${encodeURIComponent(table)}/log`, { signal }), views: true }, signal));
    else this.#form("");
  }

  // -- opening a match

  /** @param {string} trouble */
  #form(trouble) {
    const input = /** @type {HTMLInputElement} */ (h("input", { type: "file", "aria-label": "Choose a log", id: "file" }));
    input.addEventListener("change", () => { if (input.files?.[0]) this.#read(input.files[0]); });
    const drop = h("div", { class: "drop stack tight" }, h("p", null, "Drop a log here, or choose a file:"), h("div", null, input), h("p", { class: "soft" }, "A log that a table, planner play --json or the Hearthstone client (Power.log) wrote."));
    const others = h("div", { class: "row" }, h("span", null, "Or open"), h("a", { class: "button", href: "/play" }, "one of your matches"), h("a", { class: "button", href: "/tournaments" }, "a game of a tournament"));
    drop.addEventListener("dragover", () => drop.classList.add("over"));
    drop.addEventListener("dragleave", () => drop.classList.remove("over"));
    fill(this.main, h("div", { class: "stack" }, h("h1", null, "Review a match"), trouble ? problem(trouble) : null, drop, others));
  }

  /** @param {File} file */
  async #read(file) {
    const text = await file.text();
    if (!text.trimStart().startsWith("{")) return this.#readClientLog(file.name, text);
    if (file.size > MAX_BYTES) return this.#form(`The file exceeds the size limit of ${MAX_BYTES.toLocaleString("en")} bytes.`);
    // The log stays text: its seeds have more digits than a number of JavaScript.
    return this.#open("Checking the log …", (signal) => ask("replay", { log: text, views: true }, signal));
  }

  /** Let the service review a log of the Hearthstone client. @param {string} name @param {string} text */
  async #readClientLog(name, text) {
    // Only these lines describe the matches; the others double the size.
    const lines = text.split("\n").filter((line) => line.includes("GameState."));
    if (!lines.length) return this.#form(`${name}: is neither a match log nor a Power.log`);
    return this.#reviewClientLog(name, lines.join("\n"), this.query.get("weights") ?? "");
  }

  /** @param {string} name @param {string} body @param {string} wanted a profile, or empty for the strongest one */
  async #reviewClientLog(name, body, wanted) {
    fill(this.main, h("p", { class: "panel" }, "Reviewing the log …"));
    try {
      const [{ strongest }, { weights }] = await Promise.all([ask("vocabulary", {}), list("/weights")]);
      const profiles = weights.map((/** @type {any} */ profile) => profile.name);
      const profile = profiles.includes(wanted) ? wanted : strongest;
      const answer = await request(`/review?weights=${encodeURIComponent(profile)}`, { method: "POST", body, headers: { "content-type": "text/plain" } });
      const { drawClientReview } = await import("../client-review.js");
      const choose = field("Weights", select(labelled(profiles), profile, (chosen) => this.#reviewClientLog(name, body, chosen), { id: "weights" }));
      drawClientReview(this.main, name, answer, choose, () => this.#form(""));
    } catch (error) {
      this.#form(lineOf(error));
    }
    return undefined;
  }

  /** @param {string} progress @param {(signal: AbortSignal) => Promise<any>} load */
  async #open(progress, load) {
    fill(this.main, h("p", { class: "panel" }, progress));
    try {
      const match = await this.#load.run(load);
      if (!match) return;
      this.#match = match;
    } catch (error) {
      return this.#form(lineOf(error));
    }
    const turn = this.query.get("turn");
    this.#at = Math.min(Number.parseInt(this.query.get("at") ?? "", 10) || 0, this.#match.frames.length - 1);
    if (!this.query.has("at") && turn) this.#at = this.#firstFrame(this.#match.turns.findIndex((/** @type {any} */ entry) => String(entry.number) === turn));
    this.#flipped = this.query.get("side") === "1";
    const { profiles, profile } = this.#match;
    const wanted = this.query.get("weights");
    this.#profile = wanted && profiles.includes(wanted) ? wanted : profile;
    this.#build();
    if (profiles.length) this.#judgeAll();
    return undefined;
  }

  #build() {
    const match = this.#match;
    this.#slider.max = String(match.frames.length - 1);
    fill(
      this.main,
      h("h1", { class: "visually-hidden" }, "Review"),
      h(
        "div",
        { class: "two" },
        h("div", { class: "stack" }, this.#title, this.#table, this.#controls, this.#slider),
        h(
          "div",
          { class: "stack" },
          h(
            "section",
            { class: "panel stack tight" },
            h("h2", null, "Course of the match"),
            match.profiles.length ? field("Weights", select(labelled(match.profiles), this.#profile, (name) => { this.#profile = name; this.#judgeAll(); }, { id: "weights" })) : h("p", { class: "soft", id: "unjudged" }, `Turns of ${match.game} cannot be planned, so there is no best turn to compare with.`),
            this.#curve,
            this.#verdict,
          ),
          h("section", { class: "panel" }, h("h2", null, "Moves"), this.#log),
        ),
      ),
    );
    const names = match.seats.map((/** @type {string} */ seat, /** @type {number} */ index) => `${seat} (${label(match.agents[index] ?? "?")})`);
    const outcome = match.winner === null || match.seats.length < 2 ? capital(match.outcome) : match.outcome.replace(/^player \d+/, names[match.winner]);
    fill(
      this.#title,
      h(
        "section",
        { class: "panel stack tight" },
        h("h2", { id: "who" }, names.join(" against ")),
        h("p", { class: "soft" }, `${outcome} after ${plural(match.rounds, "round")}.`),
        match.problem ? problem(`Shown up to the first move that breaks the rules: ${match.problem}`) : null,
      ),
    );
    this.#draw();
  }

  // -- the position

  /** @param {number} at */
  #go(at) {
    const next = Math.min(Math.max(at, 0), this.#match.frames.length - 1);
    if (next === this.#at) return;
    this.#at = next;
    this.#draw();
  }

  /** @param {KeyboardEvent} event */
  #key = (event) => {
    if (!this.#match || (isTyping(event) && event.target !== this.#slider) || event.target === this.#slider || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === "ArrowRight") this.#go(this.#at + 1);
    else if (event.key === "ArrowLeft") this.#go(this.#at - 1);
    else if (event.key === "ArrowDown" && event.shiftKey) this.#go(this.#firstFrame(this.#turn() + 1));
    else if (event.key === "ArrowUp" && event.shiftKey) this.#go(this.#firstFrame(Math.max(0, this.#turn() - 1)));
    else if (event.key === "Home") this.#go(0);
    else if (event.key === "End") this.#go(1e9);
    else return;
    event.preventDefault();
  };

  /** Return the index of the turn of the next action, or of the last one. */
  #turn() {
    const frames = this.#match.frames;
    return frames[Math.min(this.#at + 1, frames.length - 1)].turn;
  }

  /** Return the frame before the first action of a turn. @param {number} turn */
  #firstFrame(turn) {
    let first = 0;
    for (const entry of this.#match.turns.slice(0, Math.max(0, turn))) first += entry.moves;
    return first;
  }

  #draw() {
    const match = this.#match, last = match.frames.length - 1;
    const frame = match.frames[this.#at], next = match.frames[this.#at + 1];
    const table = this.#table;
    table.view = this.#flipped && frame.view.sides.length > 1 ? flip(frame.view) : frame.view;
    table.names = Object.fromEntries(match.seats.map((/** @type {string} */ name, /** @type {number} */ seat) => [seat, `${name} (${label(match.agents[seat] ?? "?")})`]));
    table.plainNames = true;
    table.highlights = frame.source ? { [frame.source]: "acting", ...(frame.target ? { [frame.target]: "target" } : {}) } : {};
    table.arrows = next?.source && next.target ? [{ from: next.source, to: next.target, kind: "own" }] : [];
    table.caption = frame.words ? `${this.#at} of ${last}: ${arrows(frame.words)}` : "Before the first action";
    table.draw();
    this.#slider.value = String(this.#at);
    fill(
      this.#controls,
      button("|◀", () => this.#go(0), { label: "To the start", disabled: !this.#at, focus: "first" }),
      button("◀", () => this.#go(this.#at - 1), { label: "Previous action", disabled: !this.#at, focus: "previous" }),
      button("▶", () => this.#go(this.#at + 1), { label: "Next action", class: "main", disabled: this.#at >= last, focus: "next" }),
      button("▶|", () => this.#go(last), { label: "To the end", disabled: this.#at >= last, focus: "last" }),
      button("Flip board", () => { this.#flipped = !this.#flipped; this.#draw(); }, { focus: "flip" }),
      this.#analysisLink(this.#at, this.#turn(), "Analyse this position"),
      button("Save log", () => download("match.json", match.log), { focus: "save" }),
      button("Open another", () => { setAddress("/review"); this.#match = null; this.#form(""); }, { focus: "another" }),
    );
    this.#drawSide();
    this.#updateAddress();
  }

  #drawSide() {
    const match = this.#match, current = this.#turn();
    const turnLabel = (/** @type {number} */ index) => `Turn ${match.turns[index].number}, ${match.seats[match.turns[index].seat]}`;
    if (match.profiles.length) {
      fill(
        this.#curve,
        evaluationCurve(match.turns, this.#judged, current, turnLabel, (turn) => this.#go(this.#firstFrame(turn))),
        h("p", { class: "soft" }, `The curve is the advantage of ${match.seats[0]}: the score of its latest turn less the opponent's. Bars are points lost${match.seats.length > 1 ? " (solid: first seat, striped: second)" : ""}.`),
      );
      this.#drawVerdict(current, turnLabel);
    }
    const lines = match.frames.slice(1).map((/** @type {any} */ frame) => ({ turn: match.turns[frame.turn].number, seat: match.turns[frame.turn].seat, words: frame.words }));
    const note = (/** @type {number} */ index) => { const entry = this.#judged.get(match.frames[index + 1].turn); return entry ? lossText(entry) : null; };
    fill(this.#log, ...logLines(lines, (seat) => match.seats[seat], { now: this.#at - 1, open: (index) => this.#go(index + 1), note }));
    const now = this.#log.querySelector(".now");
    if (now instanceof HTMLElement) this.#log.scrollTop = now.offsetTop - this.#log.offsetTop - this.#log.clientHeight / 2;
  }

  /** @param {number} current @param {(turn: number) => string} turnLabel */
  #drawVerdict(current, turnLabel) {
    const match = this.#match, judged = this.#judged.get(current);
    const totals = match.seats.map((/** @type {string} */ name, /** @type {number} */ seat) => {
      const entries = [...this.#judged.values()].filter((entry) => entry.seat === seat && entry.points_lost !== undefined);
      const total = entries.reduce((sum, entry) => sum + entry.points_lost, 0);
      return h("p", { class: "soft" }, `${name}: ${number(total)} points lost over ${plural(entries.length, "turn")}`);
    });
    const worst = worstTurns(this.#judged).map((entry) => button(`${turnLabel(entry.index)}: −${number(entry.points_lost)}`, () => this.#go(this.#firstFrame(entry.index)), { class: "small" }));
    fill(
      this.#verdict,
      this.#problem ? problem(this.#problem) : null,
      ...totals,
      worst.length ? h("div", { class: "row", id: "worst" }, h("span", { class: "soft" }, "Worst turns:"), ...worst) : null,
      judged ? h("h3", null, turnLabel(current)) : null,
      ...(judged ? verdictOf(judged) : []),
      judged && !judged.problem ? this.#analysisLink(this.#firstFrame(current), current, "Step through the best turn") : null,
    );
  }

  /** Return a link to the analysis board, which shows the turns of one game. @param {number} at @param {number} turn @param {string} text */
  #analysisLink(at, turn, text) {
    const match = this.#match;
    if (match.game !== "hearthstone" || !match.turns[turn]?.number) return null;
    return h("a", { class: "button", href: `/analysis#${new URLSearchParams({ state: match.frames[at].text, weights: this.#profile ?? "" })}` }, text);
  }

  // -- the points lost

  async #judgeAll() {
    this.#judged.clear();
    this.#problem = "";
    this.#drawSide();
    const match = this.#match;
    const turns = match.turns.map((/** @type {any} */ turn, /** @type {number} */ index) => ({ ...turn, index })).filter((/** @type {any} */ turn) => turn.number && turn.complete).map((/** @type {any} */ turn) => turn.index);
    try {
      await this.#judge.run(async (signal) => {
        for (let start = 0; start < turns.length; start += TURNS_PER_REQUEST) {
          const answer = await ask("judge", { log: match.log, turns: turns.slice(start, start + TURNS_PER_REQUEST), weights: this.#profile }, signal);
          if (signal.aborted) return;
          for (const entry of answer.turns) this.#judged.set(entry.index, entry);
          this.#drawSide();
        }
      });
    } catch (error) {
      this.#problem = lineOf(error);
      this.#drawSide();
    }
    this.#updateAddress();
  }

  #updateAddress() {
    if (location.pathname !== "/review") return;
    const query = new URLSearchParams();
    for (const key of ["results", "game", "table"]) { const value = this.query.get(key); if (value) query.set(key, value); }
    if (![...query].length) return; // a dropped file has no address
    if (this.#at) query.set("at", String(this.#at));
    const turn = this.#match.turns[this.#turn()]?.number;
    if (turn) query.set("turn", String(turn));
    if (this.#flipped) query.set("side", "1");
    if (this.#profile && this.#profile !== this.#match.profile) query.set("weights", this.#profile);
    setAddress(`/review?${query}`);
  }
}

/** Put the other player at the bottom. @param {import("../card-table.js").View} view */
function flip(view) {
  return { ...view, sides: [...view.sides].reverse() };
}

/** @param {any} judged */
function verdictOf(judged) {
  if (judged.problem) return [h("p", { class: "soft" }, `Not judged: ${judged.problem}.`)];
  return [
    h("p", null, `Score ${number(judged.score)}, best turn ${number(judged.best_score)}: `, h("strong", { class: judged.points_lost > 1e-9 ? "bad" : "good" }, `${number(judged.points_lost)} points lost.`)),
    judged.estimate ? h("p", { class: "soft" }, ESTIMATES[judged.estimate] ?? ESTIMATES.unproved) : null,
    judged.missed_win ? h("p", { class: "soft" }, "A certain win was missed; this profile prefers a win to any score.") : null,
    h("p", { class: "soft" }, "Best turn:"),
    h("ol", { class: "steps", id: "planned" }, ...(judged.best_turn?.length ? judged.best_turn : ["end the turn"]).map((/** @type {string} */ line, /** @type {number} */ index) => h("li", null, h("span", { class: "step" }, h("span", { class: "at num" }, index + 1), h("span", null, arrows(line)))))),
  ];
}

/** @type {Record<string, string>} */
const ESTIMATES = {
  luck: "An estimate: the turn used cards that it drew or results that it rolled itself.",
  barred: "An estimate: the profile's rules forbid the turn that was played.",
  unproved: "An estimate: the search for the best turn was ended by its limit.",
};

/** @param {any} judged */
function lossText(judged) {
  if (judged.problem) return "not judged";
  return `${number(judged.points_lost)} points lost${judged.estimate ? " (estimate)" : ""}`;
}
