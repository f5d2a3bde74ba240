import axe from "axe-core";
import type { Page } from "playwright-core";

/** Returns the serious and critical violations that axe finds on a page. */
export async function violations(page: Page): Promise<string[]> {
  // The page's policy forbids foreign scripts, and the protocol of the developer tools is exempt from it.
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Runtime.evaluate", { expression: axe.source });
  const run = "axe.run(document, { resultTypes: ['violations'], iframes: false }).then((r) => JSON.stringify(r.violations))";
  const { result } = await devtools.send("Runtime.evaluate", { expression: run, awaitPromise: true });
  const found: axe.Result[] = JSON.parse(String(result.value));
  return found
    .filter((violation) => violation.impact === "serious" || violation.impact === "critical")
    .map((violation) => `${violation.id}: ${violation.nodes.map((node) => node.html.slice(0, 200)).join(" | ")}`);
}
