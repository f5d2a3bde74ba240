import { useEffect, useSyncExternalStore } from "react";

/** What the page looks like: as the system says, or as somebody chose. */
export type Theme = "system" | "light" | "dark";

const key = "quire.theme"; // public/theme.js reads it before the first paint
const changed = "quire-theme";

function parse(value: unknown): Theme {
  return value === "light" || value === "dark" ? value : "system";
}

/** Returns the theme that the page has now. */
export function currentTheme(): Theme {
  return parse(document.documentElement.dataset["theme"]);
}

function show(theme: Theme): void {
  const { dataset } = document.documentElement;
  if (theme === "system") delete dataset["theme"];
  else dataset["theme"] = theme;
  window.dispatchEvent(new Event(changed));
}

/** Gives the page a theme, and keeps it for the next time where the browser has storage for us. */
export function setTheme(theme: Theme): void {
  show(theme);
  try {
    if (theme === "system") localStorage.removeItem(key);
    else localStorage.setItem(key, theme);
  } catch {
    // It holds until the page is closed.
  }
}

function listen(f: () => void): () => void {
  window.addEventListener(changed, f);
  return () => window.removeEventListener(changed, f);
}

/** Returns the theme that the page has. */
export function useTheme(): Theme {
  return useSyncExternalStore(listen, currentTheme);
}

/** Takes over what is chosen in another tab. */
export function useThemeOfOtherTabs(): void {
  useEffect(() => {
    const take = (event: StorageEvent) => {
      if (event.key === key) show(parse(event.newValue));
    };
    window.addEventListener("storage", take);
    return () => window.removeEventListener("storage", take);
  }, []);
}
