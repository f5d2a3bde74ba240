// Runs before anything is painted, so that a page which somebody wants dark is never light.
// What it reads is written by app/theme.ts.
try {
  const theme = localStorage.getItem("quire.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // There is no storage: the system decides.
}

// The page's first script and its styles may not come, as while the server restarts. They are asked for again until
// they are here; from then on the page itself does so for its other parts.
addEventListener("error", ({ target }) => {
  if (target instanceof HTMLScriptElement && target.type === "module") again(() => import(target.src));
  if (target instanceof HTMLLinkElement && target.rel === "stylesheet") again(() => restyle(target));
}, true);

async function again(load, pause = 250) {
  await new Promise((resolve) => setTimeout(resolve, pause));
  load().catch(() => again(load, Math.min(2 * pause, 5000)));
}

function restyle(link) {
  const copy = document.createElement("link");
  copy.rel = "stylesheet";
  copy.crossOrigin = link.crossOrigin;
  copy.href = link.href;
  link.remove();
  document.head.append(copy); // an error of it comes here as well
  return Promise.resolve();
}
