import "./go/wasm_exec.js";
import { retried } from "../lib/retry.js";
import type { StartCore } from "./core.js";
import coreURL from "./go/core.wasm?url";

/** GoProgram is the class defined by Go's wasm_exec.js. */
interface GoProgram {
  readonly importObject: WebAssembly.Imports;
  run(instance: WebAssembly.Instance): Promise<void>;
}

declare global {
  var Go: new () => GoProgram;
  var quireReady: (start: StartCore) => void;
}

/** The most attempts to compile a complete core: something on its way may have corrupted it. */
const mostUnreadable = 5;

/**
 * Loads the core and returns the function that starts it. While the core does not arrive complete it is requested again, and
 * troubled is called with the reason. Rejects when this browser cannot run the core.
 */
export async function loadCore(troubled: (reason: string) => void): Promise<StartCore> {
  const go = new globalThis.Go();
  let unreadable = 0;
  const instance = await retried(
    (failures) => instantiate(go, failures > 0),
    (error) => {
      if (error instanceof WebAssembly.CompileError && ++unreadable >= mostUnreadable) throw error;
      if (error instanceof WebAssembly.LinkError || error instanceof RangeError) throw error;
      troubled(error instanceof Error ? error.message : String(error));
    },
  );
  return new Promise((resolve, reject) => {
    globalThis.quireReady = resolve;
    go.run(instance).then(() => reject(new Error("the core ended")), reject);
  });
}

/** Fetches and compiles the core. The browser may have cached a corrupt one, so a second attempt bypasses its cache. */
async function instantiate(go: GoProgram, again: boolean): Promise<WebAssembly.Instance> {
  const answer = await fetch(coreURL, again ? { cache: "reload" } : {}).catch(() => undefined);
  if (!answer) throw new Error("the server does not answer");
  if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
  return (await WebAssembly.instantiateStreaming(answer, go.importObject)).instance;
}
