import { defineConfig } from "@playwright/test"
import { browserOptions } from "../support/chromium.ts"
import { RUN } from "./run.ts"

/** The browser walk whose traces `npm run budgets` judges. Its limits end a walk that hangs. They promise no speed. */
export default defineConfig({
  testDir: ".",
  globalSetup: "./start-inspector.ts",
  outputDir: "../../dist/budgets/failed",
  timeout: 180_000,
  reporter: [["../../otel/testing/playwright-reporter.ts", { run: RUN }], ["dot"]],
  use: { viewport: { width: 1_440, height: 900 }, launchOptions: browserOptions() },
})
