// Numbers and words as a reader expects them.

/** Format a number as short as possible, such as `214` or `−1.5`. @param {number} value */
export function number(value) {
  return String(Number((value + 0).toPrecision(6))).replace("-", "−");
}

/** Format a number with its sign. @param {number} value */
export function signed(value) {
  return value > 0 ? `+${number(value)}` : value < 0 ? number(value) : "0";
}

/** @param {number} count @param {string} noun */
export function plural(count, noun) {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

/** Return the name of a term, agent or keyword for a reader. @param {string} name */
export function label(name) {
  return name.replaceAll("_", " ");
}

/** Return the values and texts of a drop-down list of names. @param {string[]} names @returns {[string, string][]} */
export function labelled(names) {
  return names.map((name) => [name, label(name)]);
}

/** Replace `->` by an arrow. @param {string} line */
export function arrows(line) {
  return line.replaceAll("->", "→");
}

/** @param {string} text */
export function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Return a time such as `1:05`. @param {number} seconds */
export function clock(seconds) {
  const whole = Math.max(0, Math.ceil(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

/** Return how long ago a time was, from seconds since 1970. @param {number} time */
export function ago(time) {
  const seconds = Math.max(0, Date.now() / 1000 - time);
  if (seconds < 60) return "just now";
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)} h ago`;
  return new Date(time * 1000).toISOString().slice(0, 10);
}
