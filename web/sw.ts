import { createHash } from "node:crypto";
import { build, type Plugin } from "vite";

/** The files that a page needs at first. Fonts of formulas have three formats, of which browsers load one. */
const kept = /\.(?:js|css|wasm|woff2)$/;

/** Returns a plugin that builds the service worker which caches the page: one file with a fixed name that lists all files of this build. */
export function serviceWorker(name: string, script: string, beside: readonly string[]): Plugin {
  return {
    name: "service-worker",
    apply: "build",
    enforce: "post",
    async generateBundle(_, bundle) {
      const files = [
        ...beside,
        ...Object.keys(bundle)
          .filter((file) => file.startsWith("assets/") && kept.test(file))
          .map((file) => `/${file}`),
      ].sort();
      const entry =
        Object.values(bundle).find((file) => file.type === "chunk" && file.isEntry && file.name === "index")?.fileName ??
        this.error("the page has no first script");
      const rules = { files, entry, build: createHash("sha256").update(files.join("\n")).digest("hex").slice(0, 16) };
      this.emitFile({ type: "asset", fileName: name, source: await made(script, JSON.stringify(rules)) });
    },
  };
}

async function made(script: string, rules: string): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: "error",
    define: { __RULES__: rules },
    build: { write: false, target: "es2023", modulePreload: false, rollupOptions: { input: script, output: { format: "iife" } } },
  });
  if (Array.isArray(built) || !("output" in built)) throw new Error(`${script} makes more than one program`);
  return built.output.flatMap((part) => (part.type === "chunk" ? [part.code] : [])).join("");
}
