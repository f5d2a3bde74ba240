import type { OutputBundle, OutputChunk } from "rolldown";
import type { Plugin } from "vite";

/**
 * Returns a plugin that has the browser load a page's script together with the shell's, and not after
 * the shell has found that it needs it.
 */
export function preload(module: string): Plugin {
  return {
    name: "preload",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler(_html, { bundle, filename }) {
        if (!bundle || !filename.endsWith("index.html")) return [];
        return filesOf(bundle, module).map((file) => ({ tag: "link", attrs: { rel: "modulepreload", href: `/${file}`, crossorigin: true }, injectTo: "head" as const }));
      },
    },
  };
}

/** Returns the files of a module and of all that it imports at once. */
function filesOf(bundle: OutputBundle, module: string): string[] {
  const chunks = Object.values(bundle).filter((file): file is OutputChunk => file.type === "chunk");
  const found = new Set<string>();
  const add = (chunk: OutputChunk | undefined): void => {
    if (!chunk || found.has(chunk.fileName)) return;
    found.add(chunk.fileName);
    for (const name of chunk.imports) add(chunks.find((other) => other.fileName === name));
  };
  add(chunks.find((chunk) => chunk.facadeModuleId?.endsWith(module)));
  return [...found];
}
