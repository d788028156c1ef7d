"use strict";
// What a reader does in a page, the same in a kept copy as in the text of one. A page cannot do it by itself: only what
// a person did counts, which the browser says of each event, and scrolling only where a hand was there just before.
const watch = (tell) => {
  let touched = -1e9, told = -1e9, scrolled = 0;
  const here = () => {
    touched = performance.now();
    if (touched - told > 5000) { told = touched; tell("here"); }
  };
  for (const kind of ["wheel", "touchmove", "pointerdown", "pointermove", "keydown"])
    document.addEventListener(kind, (event) => { if (event.isTrusted) here(); }, { capture: true, passive: true });

  const place = () => {
    const all = document.documentElement.scrollHeight - window.innerHeight;
    return all > 0 ? Math.min(1, Math.max(0, window.scrollY / all)) : 0;
  };
  document.addEventListener("scroll", (event) => {
    if (!event.isTrusted || performance.now() - touched > 1500) return;
    clearTimeout(scrolled);
    scrolled = setTimeout(() => tell("scroll", place()), 300);
  }, { capture: true, passive: true });
  document.addEventListener("copy", (event) => { if (event.isTrusted) tell("copy"); }, true);
  // The second click of a double click is none.
  document.addEventListener("click", (event) => {
    if (event.isTrusted && event.detail < 2 && event.target instanceof Element && !event.target.closest("a, button, summary, input, select, label")) tell("click");
  }, true);
  const keys = { ArrowUp: "key_up", PageUp: "key_up", Home: "key_up", ArrowDown: "key_down", PageDown: "key_down", End: "key_down", " ": "key_down" };
  document.addEventListener("keydown", (event) => {
    if (!event.isTrusted || event.repeat || (event.target instanceof Element && event.target.closest("input, select, textarea"))) return;
    const command = event.ctrlKey || event.metaKey;
    if (command && event.key === "f") tell("find");
    else if (command && event.key === "s") tell("save");
    else if (!command && !event.altKey && keys[event.key]) tell(keys[event.key]);
  }, true);
  return { go: (share) => window.scrollTo({ top: share * (document.documentElement.scrollHeight - window.innerHeight), behavior: "instant" }) };
};
