"use strict";
// Instant results and keys. Everything here also works without: the form is an ordinary form.
(() => {
  const root = document.documentElement;
  root.classList.add("js");
  const field = document.getElementById("q");
  const place = document.getElementById("results");
  const announce = document.getElementById("announce");
  const help = document.getElementById("help");
  const welcome = document.getElementById("welcome");
  const token = document.body.dataset.token;
  let waiting = 0, settling = 0, asked = null, shown = field.value, typed = false;

  const address = (text) => "/?" + new URLSearchParams({ q: text });
  const hits = () => Array.from(place.querySelectorAll(".hit"));
  const here = () => place.querySelector(".hit.here");

  async function ask() {
    const text = field.value;
    if (text === shown) return;
    if (asked) asked.abort();
    asked = new AbortController();
    document.body.classList.toggle("typed", text.trim() !== "");
    if (!text.trim()) {
      // Where there is nothing to show instead, the old results stay.
      if (!welcome) return;
      place.replaceChildren();
      shown = text;
      history.replaceState(history.state, "", "/");
      document.title = "Whimbrel";
      return;
    }
    try {
      const answer = await fetch(address(text) + "&fragment=1", { signal: asked.signal });
      if (!answer.ok) return;
      const html = await answer.text();
      if (field.value !== text) return;
      // Made by our own templates, which escape everything; the policy of the page allows no script in it.
      place.innerHTML = html;
      shown = text;
      typed = true;
      history.replaceState(history.state, "", address(text));
      document.title = text + " · Whimbrel";
      document.querySelector("h1").textContent = "Results for " + text;
      clearTimeout(settling);
      settling = setTimeout(settled, 900);
    } catch (error) {
      if (error.name !== "AbortError") place.replaceChildren(unheard());
    }
  }

  function unheard() {
    const note = document.createElement("p");
    note.className = "note trouble";
    note.setAttribute("role", "alert");
    note.textContent = "The server does not answer. Start it again, then type on.";
    return note;
  }

  function settled() {
    const answer = place.querySelector(".answer");
    if (!answer) return;
    announce.textContent = answer.querySelector(".count").firstChild.textContent.trim();
    enough();
    seen(answer);
  }

  // Results that were typed for count when the typing has stopped, or when one of them is opened; for readers who said yes.
  function seen(answer) {
    clearTimeout(settling);
    if (!document.body.dataset.recorded || !answer.dataset.query || answer.dataset.seen) return;
    answer.dataset.seen = "yes";
    const body = new URLSearchParams({ token, q: answer.dataset.query });
    fetch("/seen", { method: "POST", body, keepalive: true }).catch(() => {});
  }
  place.addEventListener("click", (event) => {
    const answer = place.querySelector(".answer");
    if (answer && typed && event.target.closest("a.open, .section a")) seen(answer);
  });

  // "Was this enough?" is asked of a search that is typed anew, and of one whose result was left within a quarter of a minute.
  // What was asked before is known to this tab alone.
  const SOON = 15000, LATELY = 600000;
  const words = (text) => new Set(text.toLowerCase().split(/\s+/).filter((word) => word.length > 1));
  function enough() {
    const line = place.querySelector(".enough");
    if (!line) return;
    let last = null;
    try { last = JSON.parse(sessionStorage.getItem("whimbrel-asked")); } catch { /* not ours */ }
    const now = Date.now(), text = field.value.trim();
    const again = last && last.text !== text && now - last.at < LATELY && [...words(last.text)].some((word) => words(text).has(word));
    const back = last && last.text === text && last.opened && now - last.opened < SOON;
    if (again || back) line.classList.add("asked");
    try { sessionStorage.setItem("whimbrel-asked", JSON.stringify({ text, at: now })); } catch { /* full */ }
  }
  place.addEventListener("click", (event) => {
    if (event.target.closest("a.open, .section a")) sessionStorage.setItem("whimbrel-asked", JSON.stringify({ text: field.value.trim(), at: Date.now(), opened: Date.now() }));
  });
  window.addEventListener("pageshow", enough);

  function move(step) {
    const all = hits();
    if (!all.length) return;
    const at = all.indexOf(here());
    const next = all[Math.min(all.length - 1, Math.max(0, at < 0 ? (step > 0 ? 0 : all.length - 1) : at + step))];
    all.forEach((hit) => hit.classList.toggle("here", hit === next));
    const link = next.querySelector("a.open");
    link.focus({ preventScroll: true });
    next.scrollIntoView({ block: "nearest" });
  }

  const asking = document.querySelector("[data-help]");
  if (asking && help) asking.addEventListener("click", () => help.showModal());
  field.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(ask, 90);
  });
  field.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") { event.preventDefault(); move(1); }
    if (event.key === "Escape") field.blur();
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || (help && help.open)) return;
    if (event.target.closest("input, textarea, select")) return;
    const key = event.key;
    if (key === "/") { event.preventDefault(); field.focus(); field.select(); }
    else if (key === "?" && help) { event.preventDefault(); help.showModal(); }
    else if (key === "j" || key === "ArrowDown") { if (hits().length) { event.preventDefault(); move(1); } }
    else if (key === "k" || key === "ArrowUp") {
      if (!hits().length) return;
      event.preventDefault();
      if (here() === hits()[0]) { here().classList.remove("here"); field.focus(); } else move(-1);
    }
  });
})();
