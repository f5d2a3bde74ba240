import { useEffect, useSyncExternalStore } from "react";

/** The theme of the page: the system's, or the user's choice. */
export type Theme = "system" | "light" | "dark";

const key = "quire.theme"; // public/theme.js reads it before the first paint
const changed = "quire-theme";

function parse(value: unknown): Theme {
  return value === "light" || value === "dark" ? value : "system";
}

/** Returns the present theme. */
export function currentTheme(): Theme {
  return parse(document.documentElement.dataset["theme"]);
}

function show(theme: Theme): void {
  const { dataset } = document.documentElement;
  if (theme === "system") delete dataset["theme"];
  else dataset["theme"] = theme;
  window.dispatchEvent(new Event(changed));
}

/** Sets the theme, and stores it if the browser permits that. */
export function setTheme(theme: Theme): void {
  show(theme);
  try {
    if (theme === "system") localStorage.removeItem(key);
    else localStorage.setItem(key, theme);
  } catch {
    // It lasts as long as the page.
  }
}

function listen(f: () => void): () => void {
  window.addEventListener(changed, f);
  return () => window.removeEventListener(changed, f);
}

/** Returns the present theme. */
export function useTheme(): Theme {
  return useSyncExternalStore(listen, currentTheme);
}

/** Follows a choice in another tab. */
export function useThemeOfOtherTabs(): void {
  useEffect(() => {
    const take = (event: StorageEvent) => {
      if (event.key === key) show(parse(event.newValue));
    };
    window.addEventListener("storage", take);
    return () => window.removeEventListener("storage", take);
  }, []);
}
