import type { OutputBundle, OutputChunk } from "rolldown";
import type { HtmlTagDescriptor, Plugin } from "vite";

/**
 * Returns a plugin that has the browser load modules together with the page, and not only after a script
 * has found that it needs them. Their styles are loaded as well. They are loaded as scripts and not as modules,
 * which the browser would compile before it paints what the page has already.
 */
export function preload(...modules: string[]): Plugin {
  return {
    name: "preload",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler(_html, { bundle, filename }) {
        if (!bundle || !filename.endsWith("index.html")) return [];
        const chunks = modules.flatMap((module) => chunksOf(bundle, module));
        const styles = chunks.flatMap((chunk) => [...(chunk.viteMetadata?.importedCss ?? [])]);
        return [...unique(chunks.map((chunk) => chunk.fileName)).map(script), ...unique(styles).map(style)];
      },
    },
  };
}

function script(file: string): HtmlTagDescriptor {
  return { tag: "link", attrs: { rel: "preload", as: "script", href: `/${file}`, crossorigin: true }, injectTo: "head" };
}

function style(file: string): HtmlTagDescriptor {
  return { tag: "link", attrs: { rel: "preload", as: "style", href: `/${file}`, crossorigin: true }, injectTo: "head" };
}

function unique(files: readonly string[]): string[] {
  return [...new Set(files)];
}

/** Returns the chunk of a module and those of all that it imports at once. */
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
