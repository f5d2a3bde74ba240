import "./go/wasm_exec.js";
import coreURL from "./go/core.wasm?url";
import type { StartCore } from "./core.js";

/** GoProgram is what wasm_exec.js, which comes with Go, defines. */
interface GoProgram {
  readonly importObject: WebAssembly.Imports;
  run(instance: WebAssembly.Instance): Promise<void>;
}

declare global {
  var Go: new () => GoProgram;
  var quireReady: (start: StartCore) => void;
}

/** Loads the core and returns the function that starts it. */
export async function loadCore(): Promise<StartCore> {
  const go = new globalThis.Go();
  const { instance } = await WebAssembly.instantiateStreaming(fetch(coreURL), go.importObject);
  return new Promise((resolve, reject) => {
    globalThis.quireReady = resolve;
    go.run(instance).then(() => reject(new Error("the core ended")), reject);
  });
}
