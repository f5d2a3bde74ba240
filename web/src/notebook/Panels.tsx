import { lazy, Suspense } from "react";
import { useDesk } from "./page.js";

const FindPanel = lazy(async () => ({ default: (await import("./FindPanel.js")).FindPanel }));
const KeySheet = lazy(async () => ({ default: (await import("./KeySheet.js")).KeySheet }));

/** What is opened now and then, and loaded when it is. */
export function Panels() {
  const panel = useDesk((state) => state.panel);
  return (
    <Suspense>
      {panel === "find" && <FindPanel />}
      {panel === "keys" && <KeySheet />}
    </Suspense>
  );
}
