import { defineConfig } from "@playwright/test"

export default defineConfig({
  testDir: "e2e",
  workers: 2,
  retries: 1,
  reporter: [
    ["pagespan/testing/playwright-reporter"],
    ["html", { open: "never" }],
    ["json", { outputFile: "results.json" }],
  ],
  use: {
    baseURL: process.env["APP_URL"]!,
    launchOptions: { executablePath: process.env["CHROMIUM"]!, args: ["--no-sandbox"] },
  },
})
