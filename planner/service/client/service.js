// Requests to the service. An answer other than 200 becomes a ServiceError with the service's own line.

export class ServiceError extends Error {
  /** @param {string} line @param {number} status */
  constructor(line, status) {
    super(line);
    this.status = status;
  }
}

const RETRIES = 3;

/**
 * Send a request; a busy service is asked again.
 * @param {string} path
 * @param {RequestInit} [options]
 * @returns {Promise<any>}
 */
export async function request(path, options = {}) {
  const text = await requestText(path, options);
  return text ? JSON.parse(text) : null;
}

/**
 * The same, with the answer as text.
 * @param {string} path
 * @param {RequestInit} [options]
 * @returns {Promise<string>}
 */
export async function requestText(path, options = {}) {
  for (let attempt = 1; ; attempt++) {
    let response;
    try {
      response = await fetch(path, options);
    } catch (error) {
      if (options.signal?.aborted) throw error;
      throw new ServiceError("the server does not answer", 0);
    }
    const text = await response.text();
    if (response.ok) return text;
    if (response.status === 503 && attempt < RETRIES) {
      await new Promise((resolve) => setTimeout(resolve, 400 * attempt));
      continue;
    }
    let line = `the server answered with status ${response.status}`;
    try {
      line = JSON.parse(text).error ?? line;
    } catch {
      // not JSON: an answer of a proxy
    }
    throw new ServiceError(line, response.status);
  }
}

/**
 * @param {string} path
 * @param {Record<string, string | number | boolean | null | undefined>} [query]
 * @param {AbortSignal} [signal]
 */
export function get(path, query = {}, signal) {
  const entries = Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const text = new URLSearchParams(entries.map(([key, value]) => [key, String(value)])).toString();
  return request(text ? `${path}?${text}` : path, { signal });
}

/** @param {string} path @param {unknown} body @param {AbortSignal} [signal] */
export function post(path, body, signal) {
  const headers = { "content-type": "application/json" };
  return request(path, { method: "POST", body: JSON.stringify(body), headers, signal });
}

/**
 * Send a request of the protocol that has no address of its own (docs/reference/protocol.md).
 * @param {string} kind
 * @param {Record<string, unknown>} fields
 * @param {AbortSignal} [signal]
 */
export async function ask(kind, fields, signal) {
  const answer = await post("/plan/batch", { request: kind, ...fields }, signal);
  if (answer.error) throw new ServiceError(answer.error, 422);
  return answer;
}

/** Remembers answers of lists, which do not change while a page is open. @type {Map<string, Promise<any>>} */
const lists = new Map();

/** @param {string} path @param {Record<string, string | boolean>} [query] */
export function list(path, query = {}) {
  const key = path + JSON.stringify(query);
  let answer = lists.get(key);
  if (!answer) {
    answer = get(path, query);
    lists.set(key, answer);
    answer.catch(() => lists.delete(key));
  }
  return answer;
}

/** Runs one task at a time: a new one aborts the old one. */
export class Latest {
  #controller = new AbortController();

  /**
   * @template Value
   * @param {(signal: AbortSignal) => Promise<Value>} work
   * @returns {Promise<Value | undefined>} undefined where a later task took over
   */
  async run(work) {
    this.#controller.abort();
    const controller = (this.#controller = new AbortController());
    try {
      const value = await work(controller.signal);
      return controller.signal.aborted ? undefined : value;
    } catch (error) {
      if (controller.signal.aborted) return undefined;
      throw error;
    }
  }

  stop() {
    this.#controller.abort();
  }
}
