// Parts of a page are drawn anew when something changes. Whoever works with the keyboard stays where they were: on the
// button of the same name, or, where that is gone, on the page's main one.
(() => {
  let last = null;
  const name = (element) => element.dataset.focus || element.getAttribute("aria-label") || element.textContent;
  const alike = (wanted) => [...document.querySelectorAll("button")].filter((button) => name(button) === wanted);
  document.addEventListener("focusin", (event) => {
    const element = event.target;
    last = element.tagName === "BUTTON" ? { element, name: name(element), at: alike(name(element)).indexOf(element) } : null;
  });
  const restore = () => {
    if (!last || last.element.isConnected || (document.activeElement && document.activeElement !== document.body)) return;
    const found = alike(last.name);
    (found[last.at] || found[0] || document.querySelector("main .press.main:not(:disabled)"))?.focus();
  };
  document.addEventListener("DOMContentLoaded", () =>
    new MutationObserver(() => requestAnimationFrame(restore)).observe(document.body, { childList: true, subtree: true }));
})();
