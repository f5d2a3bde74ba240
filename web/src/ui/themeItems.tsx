import { Monitor, Moon, Sun } from "lucide-react";
import type { MenuItem } from "./Menu.js";
import { setTheme, type Theme } from "./theme.js";

const choices = [
  { theme: "system", label: "Theme: System", icon: <Monitor /> },
  { theme: "light", label: "Theme: Light", icon: <Sun /> },
  { theme: "dark", label: "Theme: Dark", icon: <Moon /> },
] as const;

/** Returns the icon of a theme. */
export function themeIcon(theme: Theme) {
  return choices.find((choice) => choice.theme === theme)?.icon;
}

/** Returns the menu items that choose a theme. */
export function themeItems(current: Theme): readonly MenuItem[] {
  return choices.map(({ theme, label, icon }) => ({
    kind: "item",
    label,
    icon,
    checked: theme === current,
    onSelect: () => setTheme(theme),
  }));
}
