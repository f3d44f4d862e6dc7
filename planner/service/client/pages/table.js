// One table: seats before the start, then the match, its log and chat, and what can be done after the end.

import { whichLine } from "../analysis/plan-panel.js";
import { go } from "../app.js";
import { CardTable } from "../card-table.js";
import { append, button, copyText, download, fill, h, isTyping, lineOf, problem, select, toast } from "../dom.js";
import { arrows, capital, clock, label, labelled, number, plural } from "../format.js";
import { isFree } from "../lobby-list.js";
import { logLines } from "../match-log.js";
import { ask, list, requestText } from "../service.js";
import { TableSocket } from "../table-socket.js";

export const title = "Table";
const LOW_TIME = 20; // s

/** @param {HTMLElement} main @param {URL} url */
export function open(main, url) {
  const page = new TablePage(main, decodeURIComponent(url.pathname.split("/")[2] ?? ""));
  return () => page.close();
}

class TablePage {
  /** @type {any} */
  #frame = null;
  #received = 0;
  /** @type {any[]} */
  #log = [];
  /** @type {any[]} */
  #chat = [];
  #sending = false;
  /** @type {any} */
  #suggestion = null;
  #weights = "";
  /** @type {string[]} */
  #profiles = [];

  #table = new CardTable();
  #head = h("div", { class: "row between" });
  #notice = h("div", { class: "stack tight" });
  #bar = h("div", { class: "actions-bar", id: "actions" });
  #seats = h("div", { class: "stack tight" });
  #setup = h("div");
  #setupBox = h("details", { id: "setup", hidden: true }, h("summary", null, "Set-up"), this.#setup);
  #advice = h("section", { class: "panel stack tight", id: "advice" });
  #logBox = h("div", { class: "log", role: "log" });
  #moves = h("section", { class: "panel" }, h("h2", null, "Moves"), this.#logBox);
  #chatBox = h("section", { class: "panel stack tight", id: "chat" });
  #chatLines = h("div", { class: "chat-lines", role: "log", "aria-label": "Chat" });
  #status = h("p", { class: "problem", role: "status", hidden: true });
  #say = /** @type {HTMLInputElement} */ (h("input", { maxlength: "300", "aria-label": "Say something", placeholder: "Say something", class: "grow" }));

  /** @param {HTMLElement} main @param {string} id */
  constructor(main, id) {
    this.id = id;
    this.main = main;
    append(
      main,
      h(
        "div",
        { class: "two table-page" },
        h("div", { class: "stack" }, this.#head, this.#status, this.#notice, this.#table, this.#bar),
        h("div", { class: "stack" }, h("section", { class: "panel" }, h("h2", null, "Players"), this.#seats, this.#setupBox), this.#advice, this.#moves, this.#chatBox),
      ),
    );
    this.#table.hidden = this.#advice.hidden = this.#bar.hidden = true;
    this.#table.onmove = (move) => this.#move({ action: move.action });
    this.#table.onchoose = (choice) => this.#move({ choice });
    this.#table.onselect = () => this.#drawBar();
    this.#table.sideNote = (side) => this.#sideNote(side);
    const form = h("form", { class: "row", onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); this.#speak(); } }, this.#say, h("button", { class: "button", type: "submit" }, "Send"));
    append(this.#chatBox, h("h2", null, "Chat"), this.#chatLines, form, h("div", { class: "row", id: "chat-switch" }));
    document.addEventListener("keydown", this.#key);
    this.timer = setInterval(() => this.#tick(), 250);
    this.socket = new TableSocket({
      onframe: (frame) => this.#receive(frame),
      onstatus: (line) => { this.#status.hidden = !line; this.#status.textContent = line; this.#sending = false; },
    });
    this.socket.keep({ type: "watch", table: id });
  }

  close() {
    clearInterval(this.timer);
    this.socket.close();
    document.removeEventListener("keydown", this.#key);
    document.title = "planner";
  }

  // -- frames

  /** @param {any} frame */
  #receive(frame) {
    if (frame.type === "error") {
      fill(this.main, problem(capital(frame.error)), h("p", null, h("a", { href: "/play" }, "Go to the tables")));
      return;
    }
    if (frame.table.id !== this.id || (this.#frame && frame.table.version < this.#frame.table.version)) return;
    const before = this.#frame;
    this.#frame = frame;
    this.#received = performance.now();
    this.#sending = false;
    this.#log = [...this.#log.slice(0, frame.log.from), ...frame.log.lines];
    this.#chat = [...this.#chat.filter((line) => line.number < frame.chat.from), ...frame.chat.lines.map((/** @type {any} */ line, /** @type {number} */ index) => ({ ...line, number: frame.chat.from + index }))];
    if (this.#suggestion && this.#suggestion.move !== frame.table.moves) this.#followSuggestion(frame);
    if (!before || before.table.game !== frame.table.game) this.#loadProfiles(frame.table.game);
    this.#draw();
  }

  /** Keep the rest of a suggested turn while its moves are played. @param {any} frame */
  #followSuggestion(frame) {
    const played = frame.table.moves - this.#suggestion.move;
    const isOwn = this.#log.slice(-played).every((line) => line.seat === frame.you.seat);
    if (played === 1 && isOwn && this.#suggestion.played && this.#suggestion.steps.length > 1) this.#suggestion = { ...this.#suggestion, move: frame.table.moves, steps: this.#suggestion.steps.slice(1), played: false };
    else this.#suggestion = null;
  }

  /** @param {string} game */
  async #loadProfiles(game) {
    try {
      const words = await ask("vocabulary", { game }); // an error where this game cannot be planned
      const profiles = await list("/weights", { game });
      this.#profiles = profiles.weights.map((/** @type {any} */ profile) => profile.name);
      this.#weights = words.strongest;
    } catch {
      this.#profiles = [];
    }
    this.#drawAdvice();
  }

  /** @param {any} fields */
  async #move(fields) {
    if (this.#sending) return;
    this.#sending = true;
    this.#table.moves = [];
    this.#drawBar();
    try {
      await this.socket.send({ type: "move", table: this.id, move: this.#frame.table.moves, ...fields });
    } catch (error) {
      this.#sending = false;
      toast(lineOf(error), "error");
      this.#draw();
    }
  }

  /** @param {any} message */
  async #send(message) {
    try {
      return await this.socket.send({ table: this.id, ...message });
    } catch (error) {
      toast(lineOf(error), "error");
      return null;
    }
  }

  // -- drawing

  #draw() {
    const { table, view, you } = this.#frame;
    document.title = `${this.#isMyTurn() ? "● " : ""}${table.title || capital(label(table.game))} · planner`;
    this.#drawHead();
    this.#drawNotice();
    this.#drawSeats();
    const element = this.#table;
    element.hidden = !view;
    if (view) {
      const last = this.#log.at(-1);
      element.view = view;
      element.moves = this.#sending ? [] : this.#frame.moves;
      element.names = Object.fromEntries(table.seats.map((/** @type {any} */ seat, /** @type {number} */ index) => [index, seatName(seat)]));
      element.highlights = last?.source && !this.#isMyTurn() ? { [last.source]: "acting", ...(last.target ? { [last.target]: "target" } : {}) } : {};
      const steps = this.#suggestion?.steps ?? [];
      element.arrows = steps.map((/** @type {any} */ step, /** @type {number} */ index) => ({ from: step.source, to: step.target ?? undefined, text: String(index + 1) })).filter((/** @type {any} */ arrow) => arrow.from);
      if (!steps.length && last && last.seat !== you.seat && last.source && last.target) element.arrows = [{ from: last.source, to: last.target, kind: "last" }];
      element.caption = view.prompt?.text ?? (last ? `${seatName(table.seats[last.seat])}: ${arrows(last.words)}` : "");
      element.draw();
    }
    this.#drawBar();
    this.#drawAdvice();
    this.#drawLog();
    this.#drawChat();
  }

  #drawHead() {
    const { table } = this.#frame;
    fill(
      this.#head,
      h("h1", null, table.title || capital(label(table.game))),
      h(
        "div",
        { class: "row" },
        table.title ? h("span", { class: "tag" }, capital(label(table.game))) : null,
        table.public ? null : h("span", { class: "tag" }, "by invitation"),
        table.status === "open" ? null : button("Copy link", () => copyText(this.#address(), "Link"), { class: "small", focus: "invite" }),
      ),
    );
  }

  #address() {
    return `${location.origin}/table/${this.id}`;
  }

  /** Who can come, and what will be played. */
  #drawWaiting() {
    const { table } = this.#frame;
    const missing = table.seats.filter(isFree).length;
    const unready = table.seats.filter((/** @type {any} */ seat) => seat.player && !seat.ready);
    const line = missing ? `Waiting for ${plural(missing, "player")}.` : unready.length ? `Waiting until ${unready.map(seatName).join(", ")} ${unready.length === 1 ? "is" : "are"} ready.` : "Starting …";
    const link = h("input", { readonly: true, value: this.#address(), class: "grow", "aria-label": "Invitation link", onfocus: (/** @type {any} */ event) => event.target.select() });
    return [
      h("p", { class: "notice", id: "status" }, line),
      missing ? h("section", { class: "panel stack tight" }, h("h2", null, "Invite"), h("p", { class: "soft" }, "Who opens this link can take a free seat, or watch."), h("div", { class: "row" }, link, button("Copy invitation", () => copyText(this.#address(), "Invitation link"), { class: "main", focus: "invite" }))) : null,
      h("section", { class: "panel stack tight" }, h("h2", null, "Set-up"), setup(table)),
    ];
  }

  #drawNotice() {
    const { table, you } = this.#frame;
    /** @type {(Node | null)[]} */
    const parts = [];
    if (table.status === "open") parts.push(...this.#drawWaiting());
    if (table.notice && !table.outcome) parts.push(h("p", { class: "notice" }, capital(table.notice)));
    if (table.status === "ended") parts.push(h("div", { class: "panel row between", id: "result" }, h("strong", null, outcomeLine(table, you.seat)), this.#afterEnd()));
    if (you.seat === null && table.status === "playing") parts.push(this.#viewChoice());
    fill(this.#notice, ...parts);
  }

  #afterEnd() {
    const { table, you } = this.#frame;
    const rematch = async () => { const answer = await this.#send({ type: "rematch" }); if (answer) go(`/table/${answer.table}`); };
    const save = async () => {
      try { download("match.json", await requestText(`/tables/${table.id}/log`)); } catch (error) { toast(lineOf(error), "error"); }
    };
    return h(
      "div",
      { class: "row" },
      table.outcome ? h("a", { class: "button main", href: `/review?${new URLSearchParams({ table: table.id, ...(this.#weights ? { weights: this.#weights } : {}) })}` }, "Review game") : null,
      table.outcome ? button("Save log", save) : null,
      table.next ? h("a", { class: "button", href: `/table/${table.next}` }, "Go to the rematch") : you.seat !== null ? button("Rematch", rematch) : null,
    );
  }

  #viewChoice() {
    const { table, view } = this.#frame;
    const shared = table.seats.map((/** @type {any} */ seat, /** @type {number} */ index) => ({ seat, index })).filter((/** @type {any} */ entry) => entry.seat.shares);
    const choose = (/** @type {string} */ value) => this.socket.keep({ type: "watch", table: this.id, ...(value === "" ? {} : { seat: Number(value) }) });
    return h("div", { class: "row" }, h("span", { class: "tag" }, "You are watching"), shared.length ? select([["", "what is open to all"], ...shared.map((/** @type {any} */ entry) => /** @type {[string, string]} */ ([String(entry.index), `as ${seatName(entry.seat)} sees it`]))], view?.seat === null || view?.seat === undefined ? "" : String(view.seat), choose, { "aria-label": "View" }) : null);
  }

  #isMyTurn() {
    const { table, view, you } = this.#frame;
    return table.status === "playing" && you.seat !== null && view?.to_move === you.seat;
  }

  #drawSeats() {
    const { table, you } = this.#frame;
    this.#setupBox.hidden = table.status === "open";
    fill(this.#setup, setup(table));
    const canJoin = table.status === "open" && you.seat === null;
    fill(
      this.#seats,
      ...table.seats.map((/** @type {any} */ seat, /** @type {number} */ index) => {
        const isMine = index === you.seat;
        const free = isFree(seat);
        const state = free ? "free" : seat.kind === "person" && !seat.connected ? "off" : "";
        return h(
          "div",
          { class: "seat-line", "data-seat": index },
          h("span", { class: `dot ${state}`, title: state === "off" ? "not connected" : free ? "free" : "here" }),
          h("span", { class: isMine ? "who" : "" }, free ? "free seat" : seatName(seat), isMine ? " (you)" : ""),
          seat.kind === "agent" ? h("span", { class: "soft" }, seat.was ? `plays for ${seat.was}` : "agent") : null,
          table.status === "open" && seat.player ? h("span", { class: "tag" }, seat.ready ? "ready" : "not ready") : null,
          seat.clock !== undefined ? h("span", { class: "side-clock", "data-clock": index }) : null,
          seat.leaves_in !== undefined ? h("span", { class: "tag warn", "data-leaves": index, role: "timer" }) : null,
          free && canJoin ? button("Join", () => this.#send({ type: "join", seat: index }), { class: "main small", focus: `join ${index}` }) : null,
        );
      }),
      you.seat !== null && table.status === "open" ? h("div", { class: "row" }, button(table.seats[you.seat].ready ? "Not ready" : "Ready", () => this.#send({ type: "ready", ready: !table.seats[you.seat].ready }), { class: table.seats[you.seat].ready ? "" : "main", focus: "ready" }), button("Leave", () => this.#leave(), { focus: "leave" })) : null,
      you.seat !== null && table.status === "playing" ? h("div", { class: "row" }, h("label", { class: "check" }, this.#shareBox(table.seats[you.seat]), "Spectators may see my cards"), button("Leave", () => this.#leave(), { class: "small", focus: "leave" })) : null,
      table.ends_in !== undefined && table.ends_in < 600 ? h("p", { class: "soft" }, `This table ends in ${clock(table.ends_in)} without a move.`) : null,
    );
    this.#tick();
  }

  /** @param {any} seat */
  #shareBox(seat) {
    return h("input", { type: "checkbox", checked: Boolean(seat.shares), "data-focus": "share", onchange: (/** @type {any} */ event) => this.#share(event.target) });
  }

  /** @param {HTMLInputElement} box */
  async #share(box) {
    const { table, you } = this.#frame;
    const opponents = table.seats.some((/** @type {any} */ seat, /** @type {number} */ index) => index !== you.seat && seat.player);
    // A spectator is anonymous.
    if (box.checked && opponents && !confirm("Show your cards to all who watch? An opponent who opens the table in another browser sees them too.")) {
      box.checked = false;
      return;
    }
    await this.#send({ type: "share", on: box.checked });
  }

  async #leave() {
    const { table } = this.#frame;
    if (table.status === "playing" && !confirm("Leave the table? The match counts as lost for you.")) return;
    await this.#send({ type: "leave" });
    if (table.status === "open") go("/play");
  }

  #drawBar() {
    const frame = this.#frame;
    if (!frame) return;
    const { table, view, you } = frame;
    this.#bar.hidden = table.status !== "playing" || you.seat === null;
    if (this.#bar.hidden) return;
    const mine = this.#isMyTurn();
    const mover = view?.to_move === null || view?.to_move === undefined ? null : table.seats[view.to_move];
    const line = mine ? (this.#sending ? "Sending …" : view.prompt ? view.prompt.text : "Your turn") : mover ? `${seatName(mover)} ${mover.kind === "agent" ? "is thinking …" : "to move"}` : "";
    fill(
      this.#bar,
      h("span", { class: "status", id: "whose", "aria-live": "polite" }, line),
      table.take_back ? button("Take back", () => this.#send({ type: "take_back" }), { focus: "take back", hint: "The match is not counted any more" }) : null,
      ...(mine && !this.#sending ? this.#table.actionButtons() : []),
    );
  }

  // -- advice

  #drawAdvice() {
    const frame = this.#frame;
    if (!frame) return;
    const { table, you } = frame;
    const others = table.seats.filter((/** @type {any} */ seat, /** @type {number} */ index) => index !== you.seat);
    this.#advice.hidden = table.status !== "playing" || you.seat === null || !this.#profiles.length || others.some((/** @type {any} */ seat) => seat.kind !== "agent" || seat.was);
    if (this.#advice.hidden) return;
    const suggestion = this.#suggestion;
    const steps = suggestion?.steps ?? [];
    const which = (/** @type {any} */ step) => { const line = whichLine(frame.view, step); return line ? h("small", { class: "soft" }, ` (${line})`) : null; };
    const play = () => { this.#suggestion.played = true; this.#move({ action: steps[0].action }); };
    fill(
      this.#advice,
      h("div", { class: "row between" }, h("h2", null, suggestion ? `Suggested turn${suggestion.score === null || suggestion.score === undefined ? "" : ` (score ${number(suggestion.score)})`}` : "Advice"), select(labelled(this.#profiles), this.#weights, (name) => { this.#weights = name; if (this.#suggestion) this.#suggest(); }, { "aria-label": "Weights of the advice" })),
      suggestion ? h("ol", { class: "steps", id: "suggestion" }, ...(steps.length ? steps.map((/** @type {any} */ step, /** @type {number} */ index) => h("li", null, h("div", { class: "step" }, h("span", { class: "at num" }, index + 1), h("span", null, arrows(step.words), which(step))))) : [h("li", null, "End the turn.")])) : null,
      h("div", { class: "row" }, button(suggestion ? "Suggest again" : "Suggest", () => this.#suggest(), { disabled: !this.#isMyTurn(), focus: "suggest" }), steps.length && this.#isMyTurn() ? button("Play this move", play, { class: "main", disabled: this.#sending, focus: "play move" }) : null),
    );
  }

  async #suggest() {
    const answer = await this.#send({ type: "suggest", weights: this.#weights });
    if (!answer || answer.move !== this.#frame.table.moves) return;
    this.#suggestion = answer;
    this.#draw();
  }

  // -- log and chat

  #drawLog() {
    const { table } = this.#frame;
    this.#moves.hidden = table.status === "open";
    const atEnd = this.#logBox.scrollTop + this.#logBox.clientHeight >= this.#logBox.scrollHeight - 40;
    fill(this.#logBox, ...logLines(this.#log, (seat) => seatName(table.seats[seat])), this.#log.length ? null : h("p", { class: "soft" }, "No moves yet."));
    if (atEnd) this.#logBox.scrollTop = this.#logBox.scrollHeight;
  }

  #drawChat() {
    const { table, you } = this.#frame;
    const others = table.seats.some((/** @type {any} */ seat, /** @type {number} */ index) => index !== you.seat && seat.kind === "person");
    this.#chatBox.hidden = !table.chat && !you.creator && !this.#chat.length ? true : !others && !this.#chat.length;
    fill(this.#chatLines, ...this.#chat.map((line) => h("div", null, h("b", null, line.name), line.seat === null ? h("small", { class: "soft" }, " (watching)") : null, `: ${line.text}`)), table.chat ? null : h("p", { class: "soft" }, "The chat is switched off."));
    this.#chatLines.scrollTop = this.#chatLines.scrollHeight;
    if (this.#say.form) this.#say.form.hidden = !table.chat;
    const box = this.#chatBox.querySelector("#chat-switch");
    if (box) fill(box, you.creator ? button(table.chat ? "Switch the chat off" : "Switch the chat on", () => this.#send({ type: "chat_on", on: !table.chat }), { class: "small", focus: "chat switch" }) : null);
  }

  #speak() {
    const text = this.#say.value.trim();
    if (!text) return;
    this.#say.value = "";
    this.#send({ type: "chat", text });
  }

  // -- time

  /** @param {import("../card-table.js").Side} side */
  #sideNote(side) {
    const seat = side.seat === undefined ? undefined : this.#frame?.table.seats[side.seat];
    return seat?.clock === undefined ? null : h("span", { class: "side-clock", "data-clock": side.seat, role: "timer" });
  }

  #tick() {
    const frame = this.#frame;
    if (!frame) return;
    const passed = (performance.now() - this.#received) / 1000;
    for (const element of this.main.querySelectorAll("[data-clock]")) {
      const index = Number(element.getAttribute("data-clock"));
      const running = frame.table.status === "playing" && frame.view?.to_move === index;
      const left = frame.table.seats[index].clock - (running ? passed : 0);
      element.textContent = clock(left);
      element.classList.toggle("low", left < LOW_TIME);
    }
    for (const element of this.main.querySelectorAll("[data-leaves]")) {
      const seat = frame.table.seats[Number(element.getAttribute("data-leaves"))];
      const then = frame.table.leave?.then === "remove" ? "removed" : "replaced";
      element.textContent = `gone; ${then} in ${clock(seat.leaves_in - passed)}`;
    }
  }

  /** @param {KeyboardEvent} event */
  #key = (event) => {
    if (isTyping(event) || event.ctrlKey || event.altKey || event.metaKey || !this.#frame) return;
    if (event.key === "e" && this.#isMyTurn()) {
      const ends = this.#frame.moves.filter((/** @type {any} */ move) => !move.source);
      if (ends.length === 1) this.#move({ action: ends[0].action });
    } else if (event.key === "s" && !this.#advice.hidden && this.#isMyTurn()) this.#suggest();
  };
}

/** @param {any} seat */
function seatName(seat) {
  if (seat.kind === "agent" && seat.name) return label(seat.name);
  return seat.name || (seat.agent ? label(seat.agent) : seat.kind === "removed" ? seat.was || "removed" : "free seat");
}

/** Return what the creator of the table chose. @param {any} table */
function setup(table) {
  const words = (/** @type {any} */ value) => label(String(value)).slice(0, 60);
  const options = Object.entries(table.options ?? {}).map(([name, value]) => [capital(label(name)), (Array.isArray(value) ? value : [value]).map(words).join(", ")]);
  const leave = table.leave;
  const then = leave.then === "remove" ? "the seat is removed" : "an agent plays on";
  const rest = [
    ["Clock", table.clock ? `${clock(table.clock.seconds)} and ${plural(table.clock.increment, "second")} for each move` : "none"],
    ["Who is gone", `is waited for ${clock(leave.wait)}; then ${then}`],
  ];
  const counted = table.counted === false ? [["Win rates", "not counted: moves were taken back, or the creator chose the deal"]] : [];
  return h("dl", { class: "facts" }, ...[...options, ...(table.seats.length > 1 ? rest : []), ...counted].flatMap(([name, value]) => [h("dt", null, name), h("dd", null, value)]));
}

/** @param {any} table @param {number | null} mine */
function outcomeLine(table, mine) {
  const outcome = table.outcome;
  if (!outcome) return "The table has ended.";
  const rounds = `after ${plural(outcome.rounds, "round")}`;
  const [kind, ...why] = outcome.reason.split(": ");
  const by = `by ${kind} ${rounds}${why.length ? `: ${why.join(": ")}` : ""}`;
  if (table.seats.length === 1) return `${outcome.winner === 0 ? "Won" : "Lost"} ${by}`;
  if (outcome.winner === null) {
    const best = Math.max(...outcome.points);
    const first = table.seats.filter((/** @type {any} */ seat, /** @type {number} */ index) => outcome.points[index] === best);
    return first.length === table.seats.length ? `A draw ${by}` : `${first.map(seatName).join(" and ")} share the first place ${by}`;
  }
  return outcome.winner === mine ? `You win ${by}` : `${seatName(table.seats[outcome.winner])} wins ${by}`;
}
