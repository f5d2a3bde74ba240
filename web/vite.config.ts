import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";
import { compress } from "./compress.js";
import { frame } from "./frame.js";
import { preload } from "./preload.js";
import { Slowest } from "./slowest.js";
import { serviceWorker } from "./sw.js";

export default defineConfig({
  plugins: [
    react(),
    preload("/src/main.tsx", "/notebook/NotebookPage.tsx", "preload.html"),
    frame("frame.html", "src/frame/main.ts"),
    serviceWorker("sw.js", "src/offline/sw.ts", ["/theme.js", "/icon.svg"]),
    compress("dist"),
  ],
  base: "/",
  build: {
    target: "es2023",
    sourcemap: false,
    assetsInlineLimit: 0,
    rollupOptions: { input: { index: "index.html" } },
  },
  worker: { format: "es" },
  test: {
    environment: "jsdom",
    include: ["{src,test}/**/*.test.{ts,tsx}"],
    globals: false,
    testTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
    setupFiles: ["./vitest.setup.ts"],
    reporters: ["default", new Slowest()],
  },
});
