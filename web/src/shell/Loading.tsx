import { useEffect } from "react";
import { mayReload, remember, useOutdated } from "../session/outdated.js";

/** Stands for a page whose script is on its way. When the server has another build, the page becomes as new as that. */
export function Loading() {
  const outdated = useOutdated();
  useEffect(() => {
    if (outdated && mayReload() && remember(true)) location.reload();
  }, [outdated]);
  return <main aria-busy="true" />;
}
