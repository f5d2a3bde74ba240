import type { OutputBundle, OutputChunk } from "rolldown";
import type { Plugin } from "vite";

/**
 * Returns a plugin that makes the browser load modules together with the page, instead of after a script has requested
 * them, and their styles too. They are preloaded as scripts and not as modules: the browser would compile modules before
 * it paints the server's first screen.
 *
 * The preloads of every page stand in the page. Those that only a notebook's page needs are in a file of their own, which
 * the server adds to notebooks' pages: elsewhere they would be loaded for nothing, and browsers warn about that.
 */
export function preload(everywhere: string, notebook: string, file: string): Plugin {
  return {
    name: "preload",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler(html, { bundle, filename }) {
        if (!bundle || !filename.endsWith("index.html")) return html;
        const links = linksOf(chunksOf(bundle, everywhere)).filter((link) => !html.includes(addressIn(link)));
        return html.replace("</head>", () => `${links.join("")}</head>`);
      },
    },
    generateBundle: {
      order: "post",
      handler(_, bundle) {
        const there = linksOf(chunksOf(bundle, everywhere));
        const links = linksOf(chunksOf(bundle, notebook)).filter((link) => !there.includes(link));
        this.emitFile({ type: "asset", fileName: file, source: links.join("") });
      },
    },
  };
}

function linksOf(chunks: readonly OutputChunk[]): readonly string[] {
  const styles = chunks.flatMap((chunk) => [...(chunk.viteMetadata?.importedCss ?? [])]);
  return [...unique(chunks.map((chunk) => chunk.fileName)).map((name) => link(name, "script")), ...unique(styles).map((name) => link(name, "style"))];
}

function link(name: string, as: "script" | "style"): string {
  return `<link rel="preload" as="${as}" href="/${name}" crossorigin>`;
}

function addressIn(text: string): string {
  return /href="[^"]+"/.exec(text)?.[0] ?? text;
}

function unique(files: readonly string[]): string[] {
  return [...new Set(files)];
}

/** Returns the chunk of a module and the chunks of its static imports, transitively. */
function chunksOf(bundle: OutputBundle, module: string): OutputChunk[] {
  const chunks = Object.values(bundle).filter((file): file is OutputChunk => file.type === "chunk");
  const found = new Set<OutputChunk>();
  const add = (chunk: OutputChunk | undefined): void => {
    if (!chunk || found.has(chunk)) return;
    found.add(chunk);
    for (const name of chunk.imports) add(chunks.find((other) => other.fileName === name));
  };
  add(chunks.find((chunk) => chunk.moduleIds.some((id) => id.endsWith(module))));
  return [...found];
}
