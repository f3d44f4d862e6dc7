// The frame of all pages: the links, dark and light, and which page an address shows.

import { button, fill, h, lineOf, problem } from "./dom.js";

/**
 * @typedef {object} Page
 * @property {string} title
 * @property {(main: HTMLElement, url: URL) => (void | (() => void))} open builds the page; may return what to do when it closes
 */

/** @type {[string, string, string][]} address, text of the link, module */
const PAGES = [
  ["/", "Home", "home"],
  ["/analysis", "Analysis", "analysis"],
  ["/play", "Play", "lobby"],
  ["/review", "Review", "review"],
  ["/tournaments", "Tournaments", "tournaments"],
  ["/library", "Cards", "library"],
  ["/api", "API", "api"],
];
const TABLE = "/table/";

/** @type {(() => void) | void} */
let leave;
let visit = 0;

/** @param {string} path */
function moduleOf(path) {
  if (path.startsWith(TABLE)) return { name: "table", link: "/play" };
  const address = path === "/docs" ? "/api" : path; // where programs for other services expect it
  const page = PAGES.find((entry) => entry[0] === address) ?? PAGES[0];
  return { name: page[2], link: page[0] };
}

async function show() {
  const url = new URL(location.href);
  const { name, link } = moduleOf(url.pathname);
  const number = ++visit;
  leave?.();
  leave = undefined;
  for (const anchor of document.querySelectorAll("header nav a")) {
    if (anchor.getAttribute("href") === link) {
      anchor.setAttribute("aria-current", "page");
      anchor.scrollIntoView({ block: "nearest", inline: "center" }); // on a phone the links scroll
    } else anchor.removeAttribute("aria-current");
  }
  const main = h("main", { id: "main", tabindex: "-1" });
  try {
    /** @type {Page} */
    const page = await import(`./pages/${name}.js`);
    if (number !== visit) return;
    document.title = `${page.title} · planner`;
    document.getElementById("main")?.replaceWith(main);
    leave = page.open(main, url);
  } catch (error) {
    if (number !== visit) return;
    document.getElementById("main")?.replaceWith(main);
    fill(main, problem(`This page could not be opened: ${lineOf(error)}`));
    console.error(error);
  }
}

/**
 * Go to another page without loading the client again.
 * @param {string} address
 * @param {{replace?: boolean}} [more]
 */
export function go(address, more = {}) {
  if (more.replace) history.replaceState(null, "", address);
  else history.pushState(null, "", address);
  scrollTo(0, 0);
  show();
}

/** Change the address of the page that is open, without opening it again. @param {string} address */
export function setAddress(address) {
  history.replaceState(null, "", address);
}

// -- dark and light

const THEME = "planner.theme";

/** @param {string | null} theme */
function setTheme(theme) {
  document.documentElement.style.colorScheme = theme ?? "light dark";
}

function toggleTheme() {
  const dark = getComputedStyle(document.documentElement).colorScheme;
  const isDark = dark === "dark" || (dark !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  const theme = isDark ? "light" : "dark";
  localStorage.setItem(THEME, theme);
  setTheme(theme);
}

// -- the frame

function start() {
  setTheme(localStorage.getItem(THEME));
  const links = PAGES.slice(1).map(([address, text]) => h("a", { href: address }, text));
  fill(
    /** @type {Element} */ (document.querySelector("header")),
    h("a", { class: "skip", href: "#main" }, "Skip to content"),
    h("a", { class: "brand", href: "/" }, "planner"),
    h("nav", { "aria-label": "Pages" }, links),
    button("◐", toggleTheme, { class: "small theme", label: "Dark or light" }),
  );
  document.addEventListener("click", (event) => {
    const anchor = event.target instanceof Element ? event.target.closest("a") : null;
    if (!anchor || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    if (anchor.origin !== location.origin || anchor.target || anchor.hasAttribute("download")) return;
    const isPage = PAGES.some(([address]) => address === anchor.pathname) || anchor.pathname.startsWith(TABLE);
    if (anchor.getAttribute("href") === "#main") {
      event.preventDefault();
      document.getElementById("main")?.focus();
    } else if (isPage) {
      event.preventDefault();
      go(anchor.href);
    }
  });
  addEventListener("popstate", show);
  show();
}

start();
