// Who sits at this browser: a name and a secret that never leaves it except to the server. There are no accounts.

const SECRET = "planner.secret", NAME = "planner.name", BEFORE = "planner.before";

/** Return the secret of this browser; the first call makes one. */
export function secret() {
  let value = localStorage.getItem(SECRET);
  if (!value || !/^[A-Za-z0-9_-]{32,64}$/.test(value)) {
    const bytes = crypto.getRandomValues(new Uint8Array(32));
    value = btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
    localStorage.setItem(SECRET, value);
  }
  return value;
}

export function playerName() {
  return localStorage.getItem(NAME) ?? "";
}

/** @param {string} name */
export function setPlayerName(name) {
  localStorage.setItem(NAME, name.slice(0, 40));
}

/** Return a link that moves the player to another device. The part behind the `#` is not sent to any server. */
export function moveLink() {
  return `${location.origin}/play#${new URLSearchParams({ secret: secret(), name: playerName() })}`;
}

/** Return the secret and the name of a link that `moveLink` made, or null. @param {URL} url */
export function readMoveLink(url) {
  const fields = new URLSearchParams(url.hash.slice(1));
  const value = fields.get("secret");
  if (!value || !/^[A-Za-z0-9_-]{32,64}$/.test(value)) return null;
  const old = localStorage.getItem(SECRET);
  return { secret: value, name: (fields.get("name") ?? "").slice(0, 40), replaces: old !== null && old !== value };
}

/** Become the player of a link; who this browser was before is kept. @param {{secret: string, name: string, replaces: boolean}} link */
export function takeMoveLink(link) {
  if (link.replaces) localStorage.setItem(BEFORE, JSON.stringify({ secret: secret(), name: playerName() }));
  localStorage.setItem(SECRET, link.secret);
  if (link.name) setPlayerName(link.name);
}
