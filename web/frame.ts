import { readFile } from "node:fs/promises";
import { build, type Plugin } from "vite";

/**
 * Returns a plugin that builds the page in which outputs are shown, as one file with its script and styles inline. Each output
 * has its own frame, and separate files would be requested for each of them.
 */
export function frame(page: string, script: string): Plugin {
  return {
    name: "frame",
    apply: "build",
    async generateBundle() {
      const [html, { code, css }] = await Promise.all([readFile(page, "utf8"), made(script)]);
      const tag = `<script type="module" src="/${script}"></script>`;
      if (!html.includes(tag)) this.error(`${page} has no ${tag}`);
      const source = html
        .replace(tag, () => `<style>${css.trim()}</style>`)
        .replace("</body>", () => `<script>${code.trim().replaceAll("</script", "<\\/script")}</script></body>`);
      this.emitFile({ type: "asset", fileName: page, source });
    },
  };
}

/** Returns the bundled script and its styles. */
async function made(script: string): Promise<{ readonly code: string; readonly css: string }> {
  const built = await build({
    configFile: false,
    logLevel: "error",
    build: { write: false, cssCodeSplit: false, target: "es2023", modulePreload: false, rollupOptions: { input: script, output: { format: "iife" } } },
  });
  if (Array.isArray(built) || !("output" in built)) throw new Error(`${script} makes more than one program`);
  const code = built.output.flatMap((part) => (part.type === "chunk" ? [part.code] : []));
  const css = built.output.flatMap((part) => (part.type === "asset" && part.fileName.endsWith(".css") ? [String(part.source)] : []));
  return { code: code.join(""), css: css.join("") };
}
