import { IconButton } from "./IconButton.js";
import { Menu } from "./Menu.js";
import { useTheme } from "./theme.js";
import { themeIcon, themeItems } from "./themeItems.js";

/** The button with the menu of themes. */
export function ThemeMenu() {
  const theme = useTheme();
  return <Menu label="Theme" trigger={<IconButton label="Theme" icon={themeIcon(theme)} />} items={themeItems(theme)} />;
}
