import { defineConfig } from "vitest/config"

export default defineConfig({
  resolve: { tsconfigPaths: true },
  test: {
    include: ["tests/**/*.test.{ts,tsx}"],
    exclude: ["tests/pages/**", "tests/package/apps/**"],
    // Browser and store tests start processes; two at a time is what two cores carry.
    maxWorkers: 2,
    globalSetup: ["tests/support/build-once.ts"],
    testTimeout: 30_000,
    // A browser on a machine that others share is late now and then: there, what fails once is tried once more and listed.
    retry: process.env["CI"] === undefined ? 0 : 1,
    hookTimeout: 180_000,
  },
})
