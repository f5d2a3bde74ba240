import { useEffect } from "react";
import type { Page } from "./state/page.js";

/** Tells the others in which cell one is. Where the caret is, the editor tells itself. */
export function usePresence({ client, ui }: Page): void {
  useEffect(() => {
    let told: string | undefined;
    const tell = (): void => {
      const { active, mode } = ui.state;
      if (mode === "edit") told = undefined;
      else if (active !== told) client.present(active === undefined ? {} : { cell: active });
      if (mode === "command") told = active;
    };
    tell();
    return ui.listen(tell);
  }, [client, ui]);
}
