"use strict";
// What this reader did, for readers who said yes: gathered here, kept in this browser until the server has it on its disk.
(() => {
  const PREFIX = "whimbrel-batch-", MOST = 200, IDLE = 60000, FRAME_MOST = 40, FRAME_SPAN = 10000;
  const body = document.body;
  const stored = () => Object.keys(localStorage).filter((name) => name.startsWith(PREFIX));
  try { localStorage.length; } catch { return; }
  if (!body.dataset.recorded) { stored().forEach((name) => localStorage.removeItem(name)); return; }

  const view = body.dataset.seal ? { url: body.dataset.url, v: Number(body.dataset.v), q: body.dataset.q, seal: body.dataset.seal } : null;
  let deeds = [], since = performance.now(), active = 0, touched = performance.now(), place = Number(body.dataset.place) || 0;

  const did = (what, amount = 1) => {
    if (!view) return;
    deeds.push([what, amount, Date.now()]);
    if (deeds.length >= 50) flush();
  };
  const name = () => crypto.randomUUID ? crypto.randomUUID() : Array.from(crypto.getRandomValues(new Uint8Array(16)), (one) => one.toString(16).padStart(2, "0")).join("");
  function keep(of, done, at) {
    const batch = Object.assign({ batch: name(), deeds: done }, of, at >= 0 ? { place: at } : {});
    const names = stored();
    if (names.length < MOST) try { localStorage.setItem(PREFIX + batch.batch, JSON.stringify(batch)); } catch { /* full */ }
    return batch;
  }
  const written = (batch) => JSON.stringify(Object.assign({ token: body.dataset.token, sent: Date.now() }, batch));
  async function send() {
    for (const name of stored()) {
      const text = localStorage.getItem(name);
      if (!text) continue;
      try {
        const answer = await fetch("/events", { method: "POST", headers: { "Content-Type": "application/json" }, body: written(JSON.parse(text)), keepalive: true });
        // Acknowledged, or refused for good. What cannot be answered now is sent again.
        if (answer.ok || [400, 403, 413, 415].includes(answer.status)) localStorage.removeItem(name);
        else return;
      } catch { return; }
    }
  }
  function gather() {
    const now = performance.now(), seconds = (now - since) / 1000;
    since = now;
    if (seconds >= 0.1) did("time", Math.min(86400, seconds));
    if (active > 0) { deeds.push(["active", active, Date.now()]); active = 0; }
    if (!view || !deeds.length) return null;
    const done = deeds;
    deeds = [];
    return keep(view, done, place);
  }
  const flush = () => { gather(); send(); };
  function leave() {
    const last = gather();
    // The answer will not be heard: the next page sends it again, and the server knows it by its name.
    if (last) navigator.sendBeacon("/events", new Blob([written(last)], { type: "application/json" }));
  }

  // Back and forward: also the browser's own, told by where we come from.
  const number = (key) => Number(sessionStorage.getItem(key)) || 0;
  function arrived(kind) {
    let step = history.state && history.state.whimbrel;
    if (!step) {
      step = number("whimbrel-step") + 1;
      sessionStorage.setItem("whimbrel-step", String(step));
      history.replaceState(Object.assign({}, history.state, { whimbrel: step }), "");
    }
    let last = null;
    try { last = JSON.parse(sessionStorage.getItem("whimbrel-last")); } catch { /* not ours */ }
    if (kind === "back_forward" && last && last.view && last.step !== step) {
      keep(last.view, [[step < last.step ? "back" : "forward", 1, Date.now()]], -1);
    }
    sessionStorage.setItem("whimbrel-last", JSON.stringify({ step, view }));
  }
  const entry = performance.getEntriesByType("navigation")[0];
  const kind = entry ? entry.type : "";
  arrived(kind);
  if (kind === "reload") did("refresh");
  if (kind === "navigate" && new URLSearchParams(location.search).has("typed")) did("open_url");
  window.addEventListener("pageshow", (event) => { if (event.persisted) { since = performance.now(); arrived("back_forward"); send(); } });

  if (view) {
    const heard = (what, at) => {
      touched = performance.now();
      if (typeof at === "number" && at >= 0 && at <= 1) place = at;
      if (what !== "here") did(what);
    };
    const frame = document.getElementById("copy");
    const watched = watch(heard);
    // The frame is another's page with our script in it: believed in these words alone, and not without end.
    const words = new Set(["here", "scroll", "copy", "click", "key_up", "key_down", "find", "save"]);
    let moments = [];
    window.addEventListener("message", (event) => {
      if (!frame || event.source !== frame.contentWindow || event.origin !== "null") return;
      const told = event.data;
      if (!told || typeof told !== "object" || told.token !== frame.dataset.token) return;
      if (told.kind === "ready") { go((at) => frame.contentWindow.postMessage({ token: frame.dataset.token, kind: "go", place: at }, "*")); return; }
      const now = performance.now();
      moments = moments.filter((moment) => now - moment < FRAME_SPAN);
      if (moments.length >= FRAME_MOST) return;
      moments.push(now);
      if (told.kind === "open") did("hyperlink");
      else if (told.kind === "did" && words.has(told.what)) heard(told.what, told.place);
    });
    const go = (scroll) => { const at = Number(body.dataset.place); if (at > 0 && at <= 1 && kind !== "reload") scroll(at); };
    if (!frame) go(watched.go);
    setInterval(() => {
      if (document.visibilityState === "visible" && performance.now() - touched < IDLE) active += 1;
    }, 1000);
    setInterval(flush, 15000);
    document.addEventListener("click", (event) => {
      if (!event.isTrusted || !(event.target instanceof Element)) return;
      touched = performance.now();
      const link = event.target.closest("a, button");
      if (!link) return;
      if (link.matches("[data-do=stop]")) did("stop");
      else if (link.matches("a[download]")) did("save");
      else if (link.matches("[data-original]")) did("open_url");
      else if (link.closest(".wordmark, .places") && link.getAttribute("href") === "/") did("home");
      else if (link.closest("article, .columns, .changes") && (link.getAttribute("href") || "").startsWith("/read")) did("hyperlink");
    }, true);
    const find = document.getElementById("find-text");
    let looking = 0;
    if (find) find.addEventListener("input", () => { clearTimeout(looking); if (find.value) looking = setTimeout(() => did("find"), 700); });
    window.addEventListener("beforeprint", () => did("print"));
    document.addEventListener("visibilitychange", () => { if (document.visibilityState === "hidden") leave(); });
    window.addEventListener("pagehide", leave);
  }
  send();
})();
