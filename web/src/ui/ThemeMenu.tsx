import { IconButton } from "./IconButton.js";
import { Menu } from "./Menu.js";
import { useTheme } from "./theme.js";
import { themeIcon, themeItems } from "./themeItems.js";

/** The button with which one chooses what the page looks like. */
export function ThemeMenu() {
  const theme = useTheme();
  return <Menu label="Theme" trigger={<IconButton label="Theme" icon={themeIcon(theme)} />} items={themeItems(theme)} />;
}
