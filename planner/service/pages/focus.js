// Parts of a page are redrawn when something changes. The keyboard focus then moves to the button with the same name,
// or, if that was removed, to the main button of the page.
(() => {
  let last = null;
  const name = (element) => element.dataset.focus || element.getAttribute("aria-label") || element.textContent;
  const sameName = (wanted) => [...document.querySelectorAll("button")].filter((button) => name(button) === wanted);
  document.addEventListener("focusin", (event) => {
    const element = event.target;
    last = element.tagName === "BUTTON" ? { element, name: name(element), at: sameName(name(element)).indexOf(element) } : null;
  });
  const restore = () => {
    if (!last || last.element.isConnected || (document.activeElement && document.activeElement !== document.body)) return;
    const buttons = sameName(last.name);
    (buttons[last.at] || buttons[0] || document.querySelector("main .button.main:not(:disabled)"))?.focus();
  };
  document.addEventListener("DOMContentLoaded", () =>
    new MutationObserver(() => requestAnimationFrame(restore)).observe(document.body, { childList: true, subtree: true }));
})();
