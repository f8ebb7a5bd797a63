import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"
import TestTraces from "./otel/testing/vitest-reporter.ts"
import { LongestFirst } from "./tests/suite/longest-first.ts"
import { SlowestFiles } from "./tests/suite/slowest-files.ts"
import { testProjects } from "./tests/suite/test-projects.ts"

export default defineConfig({
  resolve: { tsconfigPaths: true },
  test: {
    projects: testProjects().map(({ name, include, globalSetup, isolate }) => ({
      extends: true,
      test: { name, isolate, include: [...include], globalSetup: [...globalSetup] },
    })),
    // Most files wait for a browser or another process as much as they compute.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
    // A trace of every test, in an inspector that runs, else in `pagespan-traces/`. No set-up file: tests of propagation send
    // requests without a trace.
    reporters: ["default", new SlowestFiles(), new TestTraces()],
    // These limits end a test that hangs. They promise no speed.
    expect: { poll: { timeout: 30_000 } },
    testTimeout: 300_000,
    hookTimeout: 600_000,
  },
})
