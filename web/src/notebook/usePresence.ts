import { useEffect } from "react";
import type { Page } from "./state/page.js";

/** Publishes the active cell. The editor itself publishes the caret. */
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
