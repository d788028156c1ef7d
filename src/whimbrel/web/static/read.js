"use strict";
// The reader's bar. The kept copy is another origin's: it is asked and heard by messages alone, each with the token.
(() => {
  document.documentElement.classList.add("js");
  const frame = document.getElementById("copy");
  const token = frame ? frame.dataset.token : "";
  const find = document.getElementById("find");
  const text = document.getElementById("find-text");
  const count = document.getElementById("find-count");
  const article = document.querySelector("article.text, section.changes, .columns");
  let ranges = [], at = -1;

  const ask = (what) => frame.contentWindow.postMessage(Object.assign({ token }, what), "*");

  window.addEventListener("message", (event) => {
    if (!frame || event.source !== frame.contentWindow || event.origin !== "null") return;
    const told = event.data;
    if (!told || typeof told !== "object" || told.token !== token) return;
    if (told.kind === "open" && typeof told.url === "string" && /^https?:\/\//.test(told.url)) {
      location.assign("/read?" + new URLSearchParams({ url: told.url }));
    } else if (told.kind === "found") {
      say(Number(told.at), Number(told.count));
    } else if (told.kind === "key") {
      press(told.key);
    }
  });

  function say(place, all) {
    count.textContent = !text.value ? "" : all ? place + " of " + all : "not found";
  }

  function look(step) {
    if (frame) { ask({ kind: "find", text: text.value, step }); return; }
    if (!step || !ranges.length) { ranges = all(text.value.toLowerCase()); at = ranges.length ? 0 : -1; }
    else at = (at + step + ranges.length) % ranges.length;
    if (CSS.highlights) {
      CSS.highlights.set("found", new Highlight(...ranges));
      CSS.highlights.set("here", new Highlight(...ranges.slice(at, at + 1)));
    }
    if (at >= 0) ranges[at].startContainer.parentElement.scrollIntoView({ block: "center" });
    say(at + 1, ranges.length);
  }

  function all(wanted) {
    const found = [];
    if (!wanted || !article) return found;
    const walk = document.createTreeWalker(article, NodeFilter.SHOW_TEXT);
    for (let node = walk.nextNode(); node && found.length < 2000; node = walk.nextNode()) {
      const hay = node.data.toLowerCase();
      for (let i = hay.indexOf(wanted); i >= 0 && i + wanted.length <= node.data.length; i = hay.indexOf(wanted, i + 1)) {
        const range = document.createRange();
        range.setStart(node, i);
        range.setEnd(node, i + wanted.length);
        found.push(range);
      }
    }
    return found;
  }

  // Folded where there is little room. A click into the copy is none to us, but takes the focus away.
  const about = document.getElementById("about");
  const fold = () => { if (about.hidePopover && about.matches(":popover-open")) about.hidePopover(); };
  window.addEventListener("blur", fold);

  const button = document.querySelector("[data-do=find]");
  function show(open) {
    fold();
    find.hidden = !open;
    button.setAttribute("aria-expanded", String(open));
    if (open) { text.focus(); text.select(); } else { text.value = ""; look(0); (button.checkVisibility() ? button : document.querySelector(".fold")).focus(); }
  }

  const deeds = {
    back: () => history.back(),
    forward: () => history.forward(),
    stop: () => window.stop(),
    find: () => show(find.hidden),
    "find-previous": () => look(-1),
    "find-close": () => show(false),
  };
  document.addEventListener("click", (event) => {
    const asked = event.target.closest("[data-do]");
    if (asked) deeds[asked.dataset.do]();
  });
  text.addEventListener("input", () => look(0));
  find.addEventListener("submit", (event) => { event.preventDefault(); look(1); });
  function press(key) {
    if (key === "Escape" && !find.hidden) show(false);
    else if (key === "/" && button) show(true);
  }
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "/" && event.target.closest("input, select")) return;
    if (event.key === "/" && button) event.preventDefault();
    press(event.key);
  });
  if (document.body.classList.contains("printing")) window.print();
})();
