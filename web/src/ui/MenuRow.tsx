import { CheckboxItem, Item, ItemIndicator, Separator } from "radix-ui/dropdown-menu";
import { Check } from "lucide-react";
import { assertNever } from "../lib/assert.js";
import { classes } from "../lib/classes.js";
import type { MenuItem } from "./Menu.js";
import styles from "./Menu.module.css";

/** A row of a menu. */
export function MenuRow({ item }: { readonly item: MenuItem }) {
  switch (item.kind) {
    case "separator":
      return <Separator className={styles.separator} />;
    case "link":
      return (
        <Item className={styles.item} asChild>
          <a href={item.href} download={item.download ? "" : undefined}>
            <span className={styles.icon}>{item.icon}</span>
            <span className={styles.label}>{item.label}</span>
          </a>
        </Item>
      );
    case "item":
      return <Choice item={item} />;
    default:
      return assertNever(item);
  }
}

function Choice({ item }: { readonly item: MenuItem & { kind: "item" } }) {
  const disabled = item.disabled ?? false;
  const className = classes(styles.item, item.danger && styles.danger);
  const words = (
    <>
      <span className={styles.label}>{item.label}</span>
      {item.shortcut !== undefined && <kbd className={styles.shortcut}>{item.shortcut}</kbd>}
    </>
  );
  if (item.checked === undefined) {
    return (
      <Item className={className} disabled={disabled} onSelect={item.onSelect}>
        <span className={styles.icon}>{item.icon}</span>
        {words}
      </Item>
    );
  }
  return (
    <CheckboxItem className={className} disabled={disabled} checked={item.checked} onSelect={item.onSelect}>
      <span className={styles.icon}>
        <ItemIndicator>
          <Check />
        </ItemIndicator>
      </span>
      {words}
    </CheckboxItem>
  );
}
