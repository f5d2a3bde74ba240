import { defineConfig } from "vitest/config";

// The paths through the real program in a real Chromium, one after the other: two cores are not enough for more.
export default defineConfig({
  test: {
    environment: "node",
    include: ["e2e/**/*.e2e.ts"],
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
  },
});
