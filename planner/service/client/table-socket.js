// The WebSocket of a page (docs/reference/tables.md). A lost connection is opened again, and a move that was not
// acknowledged is sent again: the server recognises one that it already has. Other messages are reported as lost.

import { capital } from "./format.js";
import { playerName, secret } from "./identity.js";

const FIRST_DELAY = 500, MAX_DELAY = 8000, PING = 25000; // ms

export class TableSocket {
  /** @type {WebSocket | null} */
  #socket = null;
  #number = 0;
  #delay = FIRST_DELAY;
  #closed = false;
  #ready = false;
  #refusal = "";
  /** @type {Map<number, {message: any, resolve: (answer: any) => void, reject: (error: Error) => void, sent: boolean}>} */
  #pending = new Map();
  /** Messages that are sent after every connection: the lobby, the watched table. @type {any[]} */
  #standing = [];
  /** @type {ReturnType<typeof setInterval>} */
  #timer;

  /** @param {{onframe?: (frame: any) => void, onlobby?: (tables: any[]) => void, onhello?: (answer: any) => void, onstatus?: (problem: string) => void}} handlers */
  constructor(handlers) {
    this.handlers = handlers;
    this.#timer = setInterval(() => { if (this.#ready) this.send({ type: "ping" }).catch(() => {}); }, PING);
    this.#connect();
    addEventListener("online", this.#wake);
    document.addEventListener("visibilitychange", this.#wake);
  }

  close() {
    this.#closed = true;
    clearInterval(this.#timer);
    removeEventListener("online", this.#wake);
    document.removeEventListener("visibilitychange", this.#wake);
    this.#socket?.close();
  }

  /** Send a message; the promise has the answer, or raises the server's error. @param {any} message @returns {Promise<any>} */
  send(message) {
    return new Promise((resolve, reject) => {
      const id = ++this.#number;
      const sent = this.#ready && this.#write({ ...message, id });
      this.#pending.set(id, { message, resolve, reject, sent });
    });
  }

  /** Send a message now and after every new connection. @param {any} message */
  keep(message) {
    this.#standing = [...this.#standing.filter((other) => other.type !== message.type), message];
    return this.#ready ? this.send(message) : Promise.resolve();
  }

  /** Greet the server again, with another name. */
  rename() {
    this.#socket?.close();
  }

  #wake = () => {
    if (!this.#closed && !this.#socket && document.visibilityState === "visible") {
      this.#delay = FIRST_DELAY;
      this.#connect();
    }
  };

  #connect() {
    if (this.#closed || this.#socket) return;
    const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/tables/socket`);
    this.#socket = socket;
    socket.addEventListener("open", () => {
      const name = playerName();
      socket.send(JSON.stringify({ type: "hello", id: 0, secret: secret(), ...(name ? { name } : {}) }));
    });
    socket.addEventListener("message", (event) => this.#receive(JSON.parse(event.data)));
    socket.addEventListener("close", () => this.#lost(socket));
  }

  /** @param {WebSocket} socket */
  #lost(socket) {
    if (this.#socket !== socket) return;
    this.#socket = null;
    this.#ready = false;
    if (this.#closed) return;
    for (const [id, { message, resolve, reject, sent }] of this.#pending) {
      if (!sent || message.type === "move") continue;
      this.#pending.delete(id);
      if (message.type === "ping" || this.#standing.includes(message)) resolve(null);
      else reject(new Error("The connection was lost before the server answered. Look whether it was done before you try again."));
    }
    this.handlers.onstatus?.(`${capital(this.#refusal || "the connection is lost")}; trying again …`);
    this.#refusal = "";
    setTimeout(() => this.#connect(), this.#delay);
    this.#delay = Math.min(2 * this.#delay, MAX_DELAY);
  }

  /** @param {any} message */
  #receive(message) {
    if (message.type === "table") return this.handlers.onframe?.(message);
    if (message.type === "lobby") return this.handlers.onlobby?.(message.tables);
    if (message.id === 0) return this.#greeted(message);
    const waiting = this.#pending.get(message.id);
    if (!waiting) return undefined;
    this.#pending.delete(message.id);
    if (message.type === "error") waiting.reject(new Error(message.error));
    else waiting.resolve(message);
    return undefined;
  }

  /** @param {any} answer */
  #greeted(answer) {
    if (answer.type === "error") {
      this.#refusal = answer.error; // the server closes the connection
      return;
    }
    this.#ready = true;
    this.#delay = FIRST_DELAY;
    this.handlers.onstatus?.("");
    this.handlers.onhello?.(answer);
    for (const message of this.#standing) this.send(message).catch((error) => this.handlers.onframe?.({ type: "error", error: error.message }));
    for (const [id, waiting] of this.#pending) if (!this.#standing.includes(waiting.message)) waiting.sent = this.#write({ ...waiting.message, id });
  }

  /** Return whether the message was handed to the connection. @param {any} message */
  #write(message) {
    if (this.#socket?.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(JSON.stringify(message));
    return true;
  }
}
