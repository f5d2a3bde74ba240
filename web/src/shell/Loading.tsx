import { useEffect } from "react";
import { mayReload, remember, useOutdated } from "../session/outdated.js";

/** The placeholder of a page whose script is being loaded. If the server has another build, the page reloads. */
export function Loading() {
  const outdated = useOutdated();
  useEffect(() => {
    if (outdated && mayReload() && remember(true)) location.reload();
  }, [outdated]);
  return <main aria-busy="true" />;
}
