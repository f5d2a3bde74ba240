import { Download, Maximize2, Search } from "lucide-react";
import { save } from "../lib/save.js";
import { CopyButton } from "../ui/CopyButton.js";
import { IconButton } from "../ui/IconButton.js";
import { blobOf } from "./bundle/bytes.js";
import { prefer } from "./bundle/prefer.js";
import type { ShownRow } from "./joined.js";
import styles from "./OutputView.module.css";
import { fileOf, plainOf } from "./plainOf.js";
import { useWhole } from "./useWhole.js";

interface Props {
  readonly row: ShownRow;
  /** Opens the search, if the output can be searched. */
  onSearch: (() => void) | undefined;
  onOpen: (() => void) | undefined;
}

// Created once: a growing output would create them each time.
const [find, open, saved] = [<Search />, <Maximize2 />, <Download />];

/** The tools of an output. They are visible under the pointer and with the focus. */
export function OutputTools({ row, onSearch, onOpen }: Props) {
  const whole = useWhole(row);
  const download = () => {
    if (whole) return whole.download();
    const file = fileOf(row);
    if (file) save(file.blob, file.name);
  };
  const shown = prefer(row.value.data);
  const isImage = shown?.look === "image";
  const hasText = row.log !== undefined || row.value.error !== undefined || (shown !== undefined && !isImage);
  const copy = whole?.copy ?? (shown?.type === "image/png" ? () => copyPicture(shown.type, shown.value) : undefined);
  return (
    <div className={styles.tools} role="group" aria-label="Output actions">
      {onSearch && <IconButton label="Find in output" icon={find} onClick={onSearch} />}
      {(hasText || copy) && <CopyButton label="Copy output" text={() => plainOf(row)} copy={copy} />}
      {onOpen && <IconButton label="Full screen" icon={open} onClick={onOpen} />}
      {(hasText || isImage) && <IconButton label="Download output" icon={saved} onClick={download} />}
    </div>
  );
}

function copyPicture(type: string, value: unknown): Promise<void> {
  return navigator.clipboard.write([new ClipboardItem({ [type]: blobOf(type, value) })]);
}
