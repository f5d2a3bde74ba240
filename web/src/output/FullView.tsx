import { Search, X } from "lucide-react";
import { Content, Portal, Root, Title } from "radix-ui/dialog";
import { useState } from "react";
import { useNotebook } from "../core/hooks.js";
import { IconButton } from "../ui/IconButton.js";
import styles from "./FullView.module.css";
import type { ShownRow } from "./joined.js";
import { OutputBody } from "./OutputBody.js";

interface Props {
  readonly row: ShownRow;
  readonly canSearch: boolean;
  onClose(): void;
}

/** An output in the whole window. */
export function FullView({ row, canSearch, onClose }: Props) {
  const [searching, setSearching] = useState(false);
  const place = (useNotebook()?.cells.indexOf(row.cell) ?? -1) + 1;
  return (
    <Root open onOpenChange={(open) => !open && onClose()}>
      <Portal>
        <Content className={styles.view} data-output={row.id} data-of={row.cell} aria-describedby={undefined} onKeyDown={(event) => event.stopPropagation()}>
          <header className={styles.header}>
            <Title className={styles.title}>{place > 0 ? `Output of cell ${place}` : "Output of a deleted cell"}</Title>
            {canSearch && <IconButton label="Find in output" icon={<Search />} pressed={searching} onClick={() => setSearching(!searching)} />}
            <IconButton label="Close" shortcut="Esc" icon={<X />} onClick={onClose} />
          </header>
          <div className={styles.body}>
            <OutputBody row={row} size="full" searching={searching} onSearchEnd={() => setSearching(false)} />
          </div>
        </Content>
      </Portal>
    </Root>
  );
}
