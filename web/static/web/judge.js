// The page works without this. It says that work is going on, and keeps the line about embedding fresh.
"use strict";

for (const form of document.querySelectorAll("form[data-ask]")) {
  form.addEventListener("submit", () => {
    const working = form.querySelector("[data-working]") || document.querySelector("[data-working]");
    if (working) working.hidden = false;
    // Disabled a moment later: a disabled button's own value would not be sent.
    setTimeout(() => { for (const button of document.querySelectorAll("form[data-ask] button")) button.disabled = true; });
  });
}

// Back to a page kept in memory: its buttons must work again.
addEventListener("pageshow", () => {
  for (const button of document.querySelectorAll("form[data-ask] button")) button.disabled = false;
  for (const working of document.querySelectorAll("[data-working]")) working.hidden = true;
});

// Enter asks, Shift+Enter makes a new line.
const box = document.getElementById("question");
if (box) {
  box.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      box.form.requestSubmit();
    }
  });
}

const line = document.getElementById("embedding");
const EVERY = 5000; // milliseconds

async function refresh() {
  try {
    const answer = await fetch("/api/health", { cache: "no-store" });
    const { embedding } = await answer.json();
    if (!embedding || embedding.done >= embedding.total) { line.hidden = true; return; }
    const percent = Math.floor((100 * embedding.done) / embedding.total);
    line.textContent = line.textContent.replace(/\d+%/, `${percent}%`);
  } catch {
    // The next round may work; the line stays as it is.
  }
  setTimeout(refresh, EVERY);
}
if (line && !line.hidden) setTimeout(refresh, EVERY);
