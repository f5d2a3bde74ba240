import { useEffect, useState } from "react";
import type { ToFrame } from "../../frame/messages.js";

const names = [
  "--ink",
  "--ink-2",
  "--ink-3",
  "--line",
  "--line-strong",
  "--surface",
  "--surface-2",
  "--accent",
  "--error",
  "--focus",
  "--font-ui",
  "--font-mono",
] as const;

type Theme = Extract<ToFrame, { kind: "theme" }>;

function currentTheme(): Theme {
  const style = getComputedStyle(document.documentElement);
  const variables = names.map((name) => `${name}:${style.getPropertyValue(name).trim()}`);
  return { kind: "theme", css: [`color-scheme:${isDark(style.colorScheme) ? "dark" : "light"}`, ...variables].join(";") };
}

/** Whether the page is dark: "light dark" follows the system's setting, which a frame cannot know by itself. */
function isDark(scheme: string): boolean {
  return scheme === "dark" || (scheme === "light dark" && window.matchMedia?.("(prefers-color-scheme: dark)").matches);
}

/** Returns the page's theme for frames, which do not share its styles. */
export function useFrameTheme(): Theme {
  const [theme, setTheme] = useState(currentTheme);
  useEffect(() => {
    const take = () => {
      const next = currentTheme();
      setTheme((old) => (old.css === next.css ? old : next));
    };
    const observer = new MutationObserver(take);
    observer.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
    const queries = ["(prefers-color-scheme: dark)", "(prefers-contrast: more)", "(forced-colors: active)"].map((query) => window.matchMedia?.(query));
    for (const query of queries) query?.addEventListener("change", take);
    take();
    return () => {
      observer.disconnect();
      for (const query of queries) query?.removeEventListener("change", take);
    };
  }, []);
  return theme;
}
