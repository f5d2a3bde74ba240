// Runs before anything is painted, so that a page which somebody wants dark is never light.
// What it reads is written by app/theme.ts.
try {
  const theme = localStorage.getItem("quire.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // There is no storage: the system decides.
}
