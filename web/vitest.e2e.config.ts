import { defineConfig } from "vitest/config";
import { Slowest } from "./slowest.js";

// The tests of the page with the real program in a real Chromium, two files side by side.
export default defineConfig({
  test: {
    environment: "node",
    include: ["e2e/**/*.e2e.ts"],
    reporters: ["default", new Slowest()],
    maxWorkers: 2,
    isolate: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
  },
});
