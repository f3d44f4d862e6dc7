// The lobby: who I am, my tables, open tables, a new table, and how often people and agents win.

import { go, setAddress } from "../app.js";
import { append, button, copyText, dialog, field, fill, h, lineOf, listTable, problem, select, toast } from "../dom.js";
import { capital, label, labelled } from "../format.js";
import { moveLink, playerName, readMoveLink, setPlayerName, takeMoveLink } from "../identity.js";
import { endedRows, tableRows } from "../lobby-list.js";
import { ask, get, list } from "../service.js";
import { TableSocket } from "../table-socket.js";

export const title = "Play";

/** @param {HTMLElement} main @param {URL} url */
export function open(main, url) {
  const link = readMoveLink(url);
  if (link) {
    setAddress("/play");
    // Who made the link sees the hands of its player: a link from someone else must not replace anybody unasked.
    if (!link.replaces || confirm(`Become the player ${link.name ? `“${link.name}” ` : ""}of this link? This browser is ${playerName() ? `“${playerName()}”` : "another player"} now. Agree only if you made the link yourself.`)) {
      takeMoveLink(link);
      toast("You are now this player on this device.");
    }
  }
  const page = new LobbyPage(main, url);
  return () => page.close();
}

class LobbyPage {
  #mine = h("div");
  #open = h("div", null, h("p", { class: "soft" }, "Looking for tables …"));
  #ended = h("div");
  #players = h("div");
  #status = h("p", { class: "soft", role: "status" });
  /** @type {any[]} */
  games = [];
  #name = /** @type {HTMLInputElement} */ (h("input", { id: "name", maxlength: "40", autocomplete: "nickname", placeholder: "Guest" }));

  /** @param {HTMLElement} main @param {URL} url */
  constructor(main, url) {
    this.deck = url.searchParams.get("deck");
    this.#name.value = playerName();
    this.#name.addEventListener("change", () => { setPlayerName(this.#name.value.trim()); this.socket.rename(); });
    append(
      main,
      h(
        "div",
        { class: "stack" },
        h("h1", null, "Play"),
        this.#status,
        h(
          "div",
          { class: "two" },
          h(
            "div",
            { class: "stack" },
            h("section", { class: "panel stack tight" }, h("h2", null, "New table"), h("p", { class: "soft" }, "Play against an agent at once, or set up a table for friends."), h("div", { class: "row", id: "quick" })),
            this.#mine,
            h("section", { class: "panel" }, h("h2", null, "Open tables"), this.#open),
            this.#ended,
          ),
          h(
            "div",
            { class: "stack" },
            h(
              "section",
              { class: "panel stack tight" },
              h("h2", null, "You"),
              field("Your name", this.#name),
              h("p", { class: "soft" }, "There are no accounts: your browser keeps a secret that is you. Take it along to another device with a private link."),
              h("div", { class: "row" }, button("Link for another device", () => this.#moveDialog())),
            ),
            this.#players,
          ),
        ),
      ),
    );
    this.socket = new TableSocket({
      onlobby: (tables) => fill(this.#open, tableRows(tables)),
      onhello: (answer) => this.#drawMine(answer),
      onstatus: (line) => { this.#status.textContent = line; },
    });
    this.socket.keep({ type: "lobby", on: true });
    this.#start();
  }

  close() {
    this.socket.close();
  }

  async #start() {
    try {
      const [{ games }, { game }] = await Promise.all([list("/games"), ask("vocabulary", {})]);
      // The default game of the service comes first.
      this.games = [...games].sort((a, b) => Number(b.name === game) - Number(a.name === game));
    } catch (error) {
      return fill(this.#open, problem(lineOf(error)));
    }
    const quick = document.getElementById("quick");
    if (quick) fill(quick, ...this.games.map((/** @type {any} */ game) => button(game.seats[0] > 1 ? `${capital(label(game.name))} against ${label(game.agent)}` : capital(label(game.name)), () => this.#quick(game), { class: "large" })), button("Create a table …", () => this.#createDialog(), { class: "main large", focus: "create" }));
    if (this.deck) this.#createDialog();
    get("/players").then((answer) => this.#drawPlayers(answer.players), () => {});
    return undefined;
  }

  /** @param {any} answer */
  #drawMine(answer) {
    if (!this.#name.value) this.#name.placeholder = answer.name;
    fill(this.#mine, answer.tables?.length ? h("section", { class: "panel", id: "mine" }, h("h2", null, "Your tables"), tableRows(answer.tables, { mine: true })) : null);
    const ended = endedRows(answer.ended, answer.player);
    fill(this.#ended, ended ? h("section", { class: "panel", id: "ended" }, h("h2", null, "Your latest matches"), ended) : null);
  }

  /** @param {any[]} players */
  #drawPlayers(players) {
    if (!players.length) return;
    const rows = players.slice(0, 12).map((player) => h("tr", null, h("td", null, player.agent ? label(player.name) : player.name, player.agent ? h("span", { class: "soft" }, " (agent)") : null), h("td", { class: "num" }, player.games), h("td", { class: "num" }, player.wins), h("td", { class: "num" }, `${Math.round(100 * player.rate)} %`)));
    fill(this.#players, h("section", { class: "panel" }, h("h2", null, "Win rates"), listTable(["Name", ...["Games", "Won"].map((text) => h("th", { class: "num" }, text)), h("th", { class: "num", title: "A draw is half a win" }, "Score")], rows)));
  }

  #moveDialog() {
    const link = moveLink();
    dialog("Link for another device", () => [h("p", { class: "problem" }, "Who opens this link is you. Do not share it."), h("textarea", { readonly: true, rows: "3", value: link, "aria-label": "Link" }), h("div", { class: "row" }, button("Copy", () => copyText(link, "Link"), { class: "main" }))]);
  }

  /** @param {any} game */
  #quick(game) {
    const most = game.seats[0];
    const seats = [{ kind: "person" }, ...Array.from({ length: most - 1 }, () => ({ kind: "agent", agent: game.agent }))];
    this.#create({ game: game.name, seats, public: false });
  }

  /** @param {any} request */
  async #create(request) {
    try {
      const answer = await this.socket.send({ type: "create", ...request });
      if (request.seats.filter((/** @type {any} */ seat) => seat.kind === "person").length === 1 && request.sit !== false) await this.socket.send({ type: "ready", table: answer.table, ready: true });
      go(`/table/${answer.table}`);
      return true;
    } catch (error) {
      toast(lineOf(error), "error");
      return false;
    }
  }

  // -- a new table

  #createDialog() {
    const games = this.games;
    dialog("Create a table", (close) => {
      const body = h("div", { class: "stack" });
      const choose = select(games.map((/** @type {any} */ game) => /** @type {[string, string]} */ ([game.name, capital(label(game.name))])), games[0].name, () => draw(), { "aria-label": "Game" });
      const draw = () => {
        const game = games.find((/** @type {any} */ entry) => entry.name === choose.value);
        fill(body, ...this.#createForm(game, close));
      };
      draw();
      return [field("Game", choose), body];
    }, { wide: true });
  }

  /** @param {any} game @param {() => void} close */
  #createForm(game, close) {
    const [least, most] = game.seats;
    let count = Math.max(least, Math.min(2, most));
    const seatsBox = h("div", { class: "stack tight" });
    /** @type {HTMLSelectElement[]} */
    let kinds = [];
    const perSeat = game.options.filter((/** @type {any} */ option) => option.per_seat);
    /** @type {Map<string, (HTMLInputElement | HTMLSelectElement)[]>} */
    const seatOptions = new Map();
    const agents = game.agents.map((/** @type {any} */ agent) => /** @type {[string, string]} */ ([`agent ${agent.name}`, `agent: ${label(agent.name)}`]));
    const drawSeats = () => {
      const old = kinds.map((kind) => kind.value);
      kinds = [];
      for (const option of perSeat) seatOptions.set(option.name, []);
      fill(seatsBox, ...Array.from({ length: count }, (_, seat) => {
        const kind = select([["person", "person"], ...agents], old[seat] ?? (seat ? `agent ${game.agent}` : "person"), undefined, { "aria-label": `Seat ${seat + 1}` });
        kinds.push(kind);
        const options = perSeat.map((/** @type {any} */ option) => {
          const initial = Array.isArray(option.default) ? option.default[seat % option.default.length] : option.default;
          const control = optionControl(option, option.name === "decks" && seat === 0 && this.deck && option.choices.includes(this.deck) ? this.deck : initial, `${option.label} of seat ${seat + 1}`);
          seatOptions.get(option.name)?.push(control);
          return field(option.label, control);
        });
        return h("div", { class: "fields seat-form" }, field(`Seat ${seat + 1}`, kind), ...options);
      }));
    };
    drawSeats();
    const counts = most > least ? select(Array.from({ length: most - least + 1 }, (_, index) => String(least + index)), String(count), (value) => { count = Number(value); drawSeats(); }) : null;
    const others = game.options.filter((/** @type {any} */ option) => !option.per_seat).map((/** @type {any} */ option) => ({ option, control: option.count ? listControl(option) : optionControl(option, option.default, option.label) }));
    const titleInput = /** @type {HTMLInputElement} */ (h("input", { maxlength: "60", placeholder: "Friday" }));
    const isPublic = check(true), chat = check(true);
    const clock = select([["", "no clock"], ["180 2", "3 min + 2 s"], ["300 5", "5 min + 5 s"], ["600 5", "10 min + 5 s"], ["1800 10", "30 min + 10 s"]], "");
    const waitTime = select([["30", "30 s"], ["60", "1 min"], ["300", "5 min"], ["3600", "1 h"]], "60");
    const then = select([...agents, /** @type {[string, string]} */ (["remove", "the seat is removed"])], `agent ${game.agent}`);
    const create = async () => {
      const seats = kinds.map((kind) => (kind.value === "person" ? { kind: "person" } : { kind: "agent", agent: kind.value.slice(6) }));
      /** @type {Record<string, any>} */
      const options = {};
      for (const [name, controls] of seatOptions) options[name] = controls.map((control) => control.value);
      for (const { option, control } of others) options[option.name] = "values" in control ? control.values() : control.value;
      const [seconds, increment] = clock.value.split(" ").map(Number);
      const leave = then.value === "remove" ? { wait: Number(waitTime.value), then: "remove" } : { wait: Number(waitTime.value), then: "agent", agent: then.value.slice(6) };
      const request = { game: game.name, options, seats, public: isPublic.checked, chat: chat.checked, leave, ...(titleInput.value ? { title: titleInput.value } : {}), ...(clock.value ? { clock: { seconds, increment } } : {}), ...(seats.some((seat) => seat.kind === "person") ? {} : { sit: false }) };
      if (await this.#create(request)) close();
    };
    return [
      field("Title", titleInput),
      counts ? field("Players", counts) : null,
      h("h3", null, "Seats"),
      seatsBox,
      ...others.map((/** @type {{option: any, control: any}} */ { option, control }) => ("values" in control ? control.element : field(option.label, control))),
      h("div", { class: "fields" }, field("Clock", clock), field("Player gone: wait", waitTime), field("Player gone: then", then)),
      h("div", { class: "row" }, h("label", { class: "check" }, isPublic, "Public: in the list of tables"), h("label", { class: "check" }, chat, "Chat")),
      h("div", { class: "row" }, button("Create table", create, { class: "main large" })),
    ];
  }
}

/** @param {boolean} checked */
function check(checked) {
  return /** @type {HTMLInputElement} */ (h("input", { type: "checkbox", checked }));
}

/** @param {any} option @param {string} value @param {string} name */
function optionControl(option, value, name) {
  if (!option.free) return select(labelled(option.choices), value, undefined, { "aria-label": name });
  const id = `choices-${Math.random().toString(36).slice(2)}`;
  const input = /** @type {HTMLInputElement} */ (h("input", { value, list: id, "aria-label": name, title: `One of the list, or ${option.free}`, maxlength: "500" }));
  queueMicrotask(() => input.after(h("datalist", { id }, ...option.choices.map((/** @type {string} */ choice) => h("option", { value: choice })))));
  return input;
}

/** A list of so many different choices. @param {any} option */
function listControl(option) {
  const chosen = new Set(option.default);
  const status = h("span", { class: "soft" });
  const chips = h("div", { class: "chips", role: "group", "aria-label": option.label });
  const say = () => { status.textContent = `${chosen.size} of ${option.count}`; };
  for (const choice of option.choices) {
    const toggle = button(label(choice), () => {
      if (!chosen.delete(choice) && chosen.size < option.count) chosen.add(choice);
      toggle.setAttribute("aria-pressed", String(chosen.has(choice)));
      say();
    }, { class: "small", pressed: chosen.has(choice) });
    chips.append(toggle);
  }
  say();
  return { element: h("div", { class: "stack tight" }, h("div", { class: "row" }, h("h3", null, option.label), status), chips), values: () => [...chosen] };
}
