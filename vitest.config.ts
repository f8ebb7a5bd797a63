import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"
import { LongestFirst } from "./tests/support/longest-first.ts"

export default defineConfig({
  resolve: { tsconfigPaths: true },
  test: {
    include: ["tests/**/*.test.{ts,tsx}"],
    exclude: ["tests/pages/**", "tests/package/apps/**"],
    // Most files wait for a browser or for another process more than they compute.
    maxWorkers: 2 * availableParallelism(),
    sequence: { sequencer: LongestFirst },
    globalSetup: ["tests/support/build-once.ts"],
    // What is waited for comes when the machine gets to it. These limits end what hangs: they are no promise.
    expect: { poll: { timeout: 30_000 } },
    testTimeout: 180_000,
    // A browser on a machine that others share is late now and then: there, what fails once is tried once more and listed.
    retry: process.env["CI"] === undefined ? 0 : 1,
    hookTimeout: 180_000,
  },
})
