"use strict";
// Keeps the moving part of the crawl room up to date. Without it, "Look again" does.
(() => {
  document.documentElement.classList.add("js");
  const live = document.getElementById("live");
  const announce = document.getElementById("announce");
  const state = () => live.querySelector("h2").textContent.trim();

  async function look() {
    if (!document.hidden && !busy()) {
      try {
        const answer = await fetch("/crawl/live");
        if (answer.ok) {
          const before = state();
          const open = Array.from(live.querySelectorAll("details"), (each) => each.open);
          const scrolled = Array.from(live.querySelectorAll(".scroll"), (each) => each.scrollTop);
          live.innerHTML = await answer.text();
          live.querySelectorAll("details").forEach((each, i) => { each.open = Boolean(open[i]); });
          live.querySelectorAll(".scroll").forEach((each, i) => { each.scrollTop = scrolled[i] || 0; });
          if (state() !== before) announce.textContent = state();
        }
      } catch {
        announce.textContent = "The server does not answer.";
      }
    }
    const running = live.querySelector("[data-running=yes]");
    setTimeout(look, running ? 1500 : 5000);
  }
  // Replacing what somebody stands on would throw them out of it.
  const busy = () => live.contains(document.activeElement) || String(getSelection());
  setTimeout(look, 1500);
})();
