"use strict";
// Keeps the moving part of a page up to date: of the crawl room, of a wish. Without it, "Look again" does.
(() => {
  document.documentElement.classList.add("js");
  const live = document.getElementById("live");
  const announce = document.getElementById("announce");
  const unheard = document.getElementById("unheard");
  const state = () => live.querySelector("h2").textContent.trim();

  async function look() {
    if (!document.hidden && !busy()) {
      try {
        const answer = await fetch(live.dataset.from);
        const html = await answer.text();
        unheard.hidden = true;
        // Somebody may have stepped in while the answer was on its way.
        if (answer.ok && !busy()) {
          const before = state();
          const open = Array.from(live.querySelectorAll("details"), (each) => each.open);
          const scrolled = Array.from(live.querySelectorAll(".scroll"), (each) => each.scrollTop);
          live.innerHTML = html;
          live.querySelectorAll("details").forEach((each, i) => { each.open = Boolean(open[i]); });
          live.querySelectorAll(".scroll").forEach((each, i) => { each.scrollTop = scrolled[i] || 0; });
          if (state() !== before) announce.textContent = state();
        }
      } catch {
        unheard.hidden = false;
      }
    }
    const running = live.querySelector("[data-running=yes]");
    setTimeout(look, running ? 1500 : 5000);
  }
  // Replacing what somebody stands on would throw them out of it. Where a mouse clicked, nobody stands.
  const busy = () => live.querySelector(":focus-visible") || String(getSelection());
  setTimeout(look, 1500);
})();
