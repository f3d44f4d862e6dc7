// Who sits at this browser: a name and a secret that never leaves it except to the server. There are no accounts.

const SECRET = "planner.secret", NAME = "planner.name";

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

/** Become the player of a link that `moveLink` made; return whether the address was one. @param {URL} url */
export function takeMoveLink(url) {
  const fields = new URLSearchParams(url.hash.slice(1));
  const value = fields.get("secret");
  if (!value || !/^[A-Za-z0-9_-]{32,64}$/.test(value)) return false;
  localStorage.setItem(SECRET, value);
  const name = fields.get("name");
  if (name) setPlayerName(name);
  return true;
}
