import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Plugin } from "vite";

const packed = /\.(js|css|html|wasm|svg|json|ttf)$/;

/** Returns a plugin that writes a .gz and a .br beside each compressible file. The server sends them as they are. */
export function compress(folder: string): Plugin {
  return {
    name: "compress",
    apply: "build",
    async closeBundle() {
      const files = await readdir(folder, { recursive: true });
      await Promise.all(files.filter((name) => packed.test(name)).map((name) => pack(join(folder, name))));
    },
  };
}

/** Files from this size on take seconds to compress. */
const large = 1 << 20;

async function pack(file: string): Promise<void> {
  const data = await readFile(file);
  const [br, gz] = await Promise.all([data.length > large ? kept(data, brotli) : brotli(data), promisify(gzip)(data, { level: 9 })]);
  if (br.length < data.length) await writeFile(`${file}.br`, br);
  if (gz.length < data.length) await writeFile(`${file}.gz`, gz);
}

/** Compresses at the highest quality. Large files get one step less: the last 2 % would take half as long again. */
function brotli(data: Buffer): Promise<Buffer> {
  const params = { [constants.BROTLI_PARAM_QUALITY]: data.length > large ? 10 : 11, [constants.BROTLI_PARAM_LGWIN]: 24 };
  return promisify(brotliCompress)(data, { params });
}

/** The cache of compressed large files: the core is the same in most builds of the page. */
const store = "node_modules/.cache/compress";

/** Returns f(data), from the cache if the same data was compressed before. */
async function kept(data: Buffer, f: (data: Buffer) => Promise<Buffer>): Promise<Buffer> {
  const name = join(store, `${createHash("sha256").update(data).digest("hex")}.br`);
  const before = await readFile(name).catch(() => undefined);
  if (before) return before;
  const made = await f(data);
  await mkdir(store, { recursive: true });
  const part = `${name}.${process.pid}`;
  await writeFile(part, made);
  await rename(part, name); // a partly written file never gets this name
  return made;
}
