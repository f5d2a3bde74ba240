import type { Reporter, TestModule } from "vitest/node";

/** Prints the ten tests that took longest, once all have ended. */
export class Slowest implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) =>
      [...module.children.allTests()].map((test) => ({ name: `${module.relativeModuleId} > ${test.fullName}`, took: test.diagnostic()?.duration ?? 0 })),
    );
    const slowest = tests.sort((one, other) => other.took - one.took).slice(0, 10);
    console.log(["\nThe ten slowest tests:", ...slowest.map(({ name, took }) => `${(took / 1000).toFixed(1).padStart(7)} s  ${name}`)].join("\n"));
  }
}
