(function (token, origin) {
  "use strict";
  const home = window.parent;
  const tell = (what) => home.postMessage(Object.assign({ token }, what), origin);

  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a,area") : null;
    if (!link) return;
    const kind = link.getAttribute("data-whimbrel");
    if (kind) {
      event.preventDefault();
      tell({ kind: "open", url: link.getAttribute("data-whimbrel-to") });
    }
  }, true);

  const watched = watch((what, place) => tell({ kind: "did", what, place }));

  // Keys of the reader's page, pressed while its reader is in here.
  document.addEventListener("keydown", (event) => {
    const free = !event.ctrlKey && !event.metaKey && !event.altKey;
    if (free && (event.key === "/" || event.key === "Escape")) {
      event.preventDefault();
      tell({ kind: "key", key: event.key });
    }
  }, true);

  let found = [], at = -1;
  const show = (text, step) => {
    if (step && found.length) {
      at = (at + step + found.length) % found.length;
    } else {
      found = ranges(text);
      at = found.length ? 0 : -1;
    }
    const marks = CSS.highlights;
    if (marks) {
      marks.set("found", new Highlight(...found));
      marks.set("here", at < 0 ? new Highlight() : new Highlight(found[at]));
    }
    if (at >= 0) {
      const box = found[at].getBoundingClientRect();
      window.scrollBy({ top: box.top - window.innerHeight / 3 });
    }
    tell({ kind: "found", count: found.length, at: at + 1 });
  };
  const ranges = (text) => {
    const wanted = text.toLowerCase(), all = [];
    if (!wanted) return all;
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walk.nextNode(); node && all.length < 2000; node = walk.nextNode()) {
      const hay = node.data.toLowerCase();
      for (let i = hay.indexOf(wanted); i >= 0 && all.length < 2000; i = hay.indexOf(wanted, i + wanted.length)) {
        if (i + wanted.length > node.data.length) break;
        const range = document.createRange();
        range.setStart(node, i);
        range.setEnd(node, i + wanted.length);
        all.push(range);
      }
    }
    return all;
  };

  window.addEventListener("message", (event) => {
    if (event.source !== home || event.origin !== origin) return;
    const asked = event.data;
    if (!asked || asked.token !== token) return;
    if (asked.kind === "find") show(String(asked.text), Number(asked.step) || 0);
    else if (asked.kind === "go") watched.go(Math.min(1, Math.max(0, Number(asked.place) || 0)));
  });
  document.addEventListener("DOMContentLoaded", () => tell({ kind: "ready" }));
})
