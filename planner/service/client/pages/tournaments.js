// The results of tournaments: scores of all pairings, ratings, what was played, and links to single games.

import { setAddress } from "../app.js";
import { append, button, field, fill, h, lineOf, listTable, problem, select } from "../dom.js";
import { label, number, plural } from "../format.js";
import { Latest, get } from "../service.js";

export const title = "Tournaments";
const REFRESH = 2000; // ms, while a tournament runs

/** @param {HTMLElement} main @param {URL} url */
export function open(main, url) {
  const page = new TournamentsPage(main, url);
  page.start();
  return () => page.close();
}

class TournamentsPage {
  /** @type {any} */
  #standings = null;
  #drawn = "";
  #latest = new Latest();
  #gamesTask = new Latest();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #bar = h("div", { class: "row", style: { "align-items": "end" } });
  #head = h("div", { class: "stack tight" });
  #matrix = h("div", { class: "stack" });
  #side = h("div", { class: "stack" });

  /** @param {HTMLElement} main @param {URL} url */
  constructor(main, url) {
    const query = url.searchParams;
    this.name = query.get("results") ?? "";
    this.row = query.get("row");
    this.column = query.get("column");
    this.lengths = query.get("show") === "lengths";
    fill(this.#head, h("p", { class: "soft" }, "Loading …"));
    append(main, h("div", { class: "stack" }, h("h1", null, "Tournaments"), this.#bar, this.#head, h("div", { class: "two" }, this.#matrix, this.#side)));
  }

  close() {
    clearTimeout(this.#timer);
    this.#latest.stop();
    this.#gamesTask.stop();
  }

  async start() {
    try {
      const { results } = await get("/results");
      if (!results.length) return fill(this.#head, h("p", { class: "panel" }, "There are no results yet; `planner tournament` creates them."));
      if (!this.name) this.name = (results.find((/** @type {any} */ entry) => entry.name === "thesis") ?? results[0]).name;
      const options = results.map((/** @type {any} */ entry) => [entry.name, entry.finished ? entry.name : `${entry.name} (running)`]);
      if (!results.some((/** @type {any} */ entry) => entry.name === this.name)) {
        options.unshift([this.name, this.name]);
        fill(this.#head, problem(`${this.name}: no such results on this server`));
      }
      const choose = select(options, this.name, (name) => { [this.name, this.row, this.column, this.#standings, this.#drawn] = [name, null, null, null, ""]; fill(this.#matrix); fill(this.#side); this.#load(); }, { id: "results" });
      const toggle = button(this.lengths ? "Show scores" : "Show lengths", () => { this.lengths = !this.lengths; toggle.textContent = this.lengths ? "Show scores" : "Show lengths"; this.#draw(); });
      fill(this.#bar, field("Results", choose), toggle);
      await this.#load();
    } catch (error) {
      fill(this.#head, problem(lineOf(error)));
    }
    return undefined;
  }

  async #load() {
    clearTimeout(this.#timer);
    try {
      const standings = await this.#latest.run((signal) => get(`/results/${encodeURIComponent(this.name)}`, {}, signal));
      if (!standings) return;
      this.#standings = standings;
      const text = JSON.stringify(standings);
      if (text !== this.#drawn) {
        this.#drawn = text;
        this.#draw();
        await this.#loadGames();
      }
      if (!standings.finished) this.#timer = setTimeout(() => this.#load(), REFRESH);
    } catch (error) {
      fill(this.#head, problem(lineOf(error)));
    }
  }

  #draw() {
    const standings = this.#standings;
    if (!standings) return;
    this.#updateAddress();
    const line = standings.finished ? plural(standings.played, "game") : `Running: ${standings.played.toLocaleString("en")} of ${plural(standings.total, "game")}`;
    fill(this.#head, h("p", { class: "soft", id: "progress" }, line));
    const heading = this.lengths ? "Average length in rounds" : standings.one_seat ? "Games won, in percent" : "Row agent's score when moving first, in percent";
    fill(
      this.#matrix,
      h("section", { class: "panel stack tight" }, h("h2", null, heading), h("p", { class: "soft" }, "Click a cell to list its games."), h("div", { class: "scroll" }, this.#table())),
      standings.ratings.length ? h("section", { class: "panel stack tight" }, h("h2", null, "Ratings"), h("p", { class: "soft" }, "Elo with its 95 % interval."), ratings(standings.ratings)) : null,
      facts(standings),
    );
  }

  #table() {
    const { rows, columns, cells } = this.#standings;
    const byPair = new Map(cells.map((/** @type {any} */ cell) => [`${cell.row}\n${cell.column}`, cell]));
    const lengths = cells.map((/** @type {any} */ cell) => cell.rounds);
    const low = Math.min(...lengths), high = Math.max(...lengths);
    return h(
      "table",
      { class: "matrix" },
      h("thead", null, h("tr", null, h("td"), ...columns.map((/** @type {string} */ name) => h("th", { scope: "col" }, label(name))))),
      h("tbody", null, ...rows.map((/** @type {string} */ row) => h("tr", null, h("th", { scope: "row" }, label(row)), ...columns.map((/** @type {string} */ column) => h("td", null, this.#cell(byPair.get(`${row}\n${column}`), row, column, low, high)))))),
    );
  }

  /** @param {any} cell @param {string} row @param {string} column @param {number} low @param {number} high */
  #cell(cell, row, column, low, high) {
    if (!cell) return h("span", { class: "soft" }, "–");
    const share = this.lengths ? (cell.rounds - low) / (high - low || 1) : cell.score;
    const percent = (/** @type {number} */ value) => (100 * value).toFixed(1);
    const text = `${row} against ${column}: ${percent(cell.score)} % (${percent(cell.low)} to ${percent(cell.high)}), ${cell.rounds.toFixed(1)} rounds, ${plural(cell.games, "game")}`;
    const element = h("button", { "aria-label": text, title: text, "aria-pressed": String(row === this.row && column === this.column), "data-focus": `${row} ${column}`, onclick: () => this.#choose(row, column) }, this.lengths ? cell.rounds.toFixed(1) : (100 * cell.score).toFixed(0));
    element.style.background = colour(share);
    return element;
  }

  /** @param {string} row @param {string} column */
  async #choose(row, column) {
    [this.row, this.column] = [row, column];
    this.#draw();
    await this.#loadGames();
    document.getElementById("pairing")?.scrollIntoView({ block: "nearest" }); // on a narrow screen the list is far below
  }

  async #loadGames() {
    const { row, column } = this;
    if (row === null || column === null) return fill(this.#side, h("p", { class: "soft panel" }, "Choose a cell to see its games."));
    try {
      const answer = await this.#gamesTask.run((signal) => get(`/results/${encodeURIComponent(this.name)}/games`, { row, column }, signal));
      if (answer) this.#drawGames(row, column, answer.games);
    } catch (error) {
      fill(this.#side, problem(lineOf(error)));
    }
    return undefined;
  }

  /** @param {string} row @param {string} column @param {any[]} games */
  #drawGames(row, column, games) {
    const standings = this.#standings;
    const cell = standings.cells.find((/** @type {any} */ entry) => entry.row === row && entry.column === column);
    const winner = (/** @type {any} */ game) => (standings.one_seat ? (game.winner === 0 ? "won" : "lost") : game.winner === 0 ? row : game.winner === 1 ? column : "draw");
    const link = (/** @type {any} */ game) => `/review?${new URLSearchParams({ results: this.name, game: String(game.number) })}`;
    fill(
      this.#side,
      h(
        "section",
        { class: "panel stack tight" },
        h("h2", { id: "pairing" }, standings.one_seat ? `${label(column)} from ${label(row)}` : `${label(row)} against ${label(column)}`),
        cell && games.length < cell.games ? h("p", { class: "soft" }, `The first ${games.length} games.`) : null,
        h("div", { class: "tall" }, listTable(
          [h("th", { class: "num" }, "game"), "winner", "by", h("th", { class: "num" }, "rounds")],
          games.map((game) => h("tr", null, h("td", { class: "num" }, h("a", { href: link(game) }, game.number)), h("td", null, label(winner(game))), h("td", null, game.reason), h("td", { class: "num" }, game.rounds))),
        )),
      ),
    );
  }

  #updateAddress() {
    const query = new URLSearchParams({ results: this.name });
    if (this.row !== null && this.column !== null) { query.set("row", this.row); query.set("column", this.column); }
    if (this.lengths) query.set("show", "lengths");
    setAddress(`/tournaments?${query}`);
  }
}

/** @param {any} standings */
function facts(standings) {
  const { facts: known, name } = standings;
  const description = /^description:\s*(.+)$/m.exec(known.experiment ?? "")?.[1]?.replace(/^["']|["']$/g, "");
  /** @type {[string, any][]} */
  const lines = [
    ["About", description],
    ["Game", known.game],
    ["Rules", known.rules],
    ["Decks", known.decks?.join(", ")],
    ["Games per pairing", known.games_per_pairing?.toLocaleString("en")],
    ["Seed", known.seed],
    ["Date", known.date],
    ["Time", known.seconds ? `${number(Math.round(known.seconds))} s on ${plural(known.machine?.cores ?? 1, "core")}` : null],
  ];
  const files = known.files.map((/** @type {string} */ file) => {
    const isReport = file === "report.html";
    return h("a", { class: "button small", href: `/results/${encodeURIComponent(name)}/files/${file}`, target: isReport ? "_blank" : null, rel: "noopener", download: isReport ? null : `${name}-${file}` }, isReport ? "Report" : file);
  });
  return h(
    "section",
    { class: "panel stack tight" },
    h("h2", null, "What was played"),
    h("dl", { class: "facts" }, ...lines.filter(([, value]) => value !== undefined && value !== null && value !== "").flatMap(([key, value]) => [h("dt", null, key), h("dd", null, String(value))])),
    h("div", { class: "row" }, ...files),
    known.experiment ? h("details", null, h("summary", null, "Experiment file"), h("pre", { class: "code" }, known.experiment)) : null,
  );
}

/** @param {any[]} entries */
function ratings(entries) {
  const low = Math.min(...entries.map((entry) => entry.low)), width = Math.max(...entries.map((entry) => entry.high)) - low || 1;
  const percent = (/** @type {number} */ value) => `${(100 * (value - low)) / width}%`;
  return h("table", { class: "list" }, h("tbody", null, ...entries.map((entry) => h("tr", null, h("td", null, label(entry.agent)), h("td", { class: "num" }, (entry.elo > 0 ? "+" : "") + number(Math.round(entry.elo))), h("td", { style: { width: "55%" } }, h("div", { class: "interval", title: `${entry.low.toFixed(0)} to ${entry.high.toFixed(0)}` }, h("span", { style: { left: percent(entry.low), width: `${(100 * (entry.high - entry.low)) / width}%` } }), h("i", { style: { left: `calc(${percent(entry.elo)} - 2px)` } })))))));
}

/** Return a colour from orange over white to blue. @param {number} share */
function colour(share) {
  const [bad, middle, good] = [[232, 145, 90], [247, 244, 236], [112, 172, 214]];
  const [start, end, at] = share < 0.5 ? [bad, middle, 2 * share] : [middle, good, 2 * share - 1];
  const mixed = start.map((value, index) => Math.round(value + (end[index] - value) * Math.min(Math.max(at, 0), 1)));
  return `rgb(${mixed.join(" ")})`;
}
