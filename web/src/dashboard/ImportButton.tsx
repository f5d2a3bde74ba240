import { type ChangeEvent, useRef } from "react";
import { Upload } from "lucide-react";
import { Button } from "../ui/Button.js";
import { endings } from "./imports.js";

/** Asks for the files to import. */
export function ImportButton({ onFiles }: { onFiles(files: readonly File[]): void }) {
  const input = useRef<HTMLInputElement>(null);
  const take = (event: ChangeEvent<HTMLInputElement>) => {
    const files = [...(event.target.files ?? [])];
    event.target.value = ""; // so the same file can be chosen again
    if (files.length > 0) onFiles(files);
  };
  return (
    <>
      <Button icon={<Upload />} title="Import .ipynb, .py or .md files" onClick={() => input.current?.click()}>
        Import
      </Button>
      <input ref={input} type="file" multiple hidden accept={endings} aria-label="Files to import" onChange={take} />
    </>
  );
}
