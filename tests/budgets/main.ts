import { spawnSync } from "node:child_process"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { setup } from "../support/build-inspector.ts"
import { PACKAGED_COMMAND } from "../support/packaged.ts"
import { RUN } from "./run.ts"

/**
 * `npm run budgets`: records a browser that opens every screen of the built inspector, and checks `pagespan.budgets.json`. The
 * limits are counts and sizes, which no busy machine changes. Recording and reports are in `dist/budgets`.
 */

const OUTPUT = "dist/budgets"
const RECORDING = join(OUTPUT, "recording.otlp.jsonl.gz")
const WALK = ["node_modules/@playwright/test/cli.js", "test", "--config", "tests/budgets/playwright.config.ts"]
const REPORTS = ["--junit", "junit.xml", "--sarif", "budgets.sarif", "--markdown", "summary.md"].map((part) =>
  part.startsWith("--") ? part : join(OUTPUT, part),
)

function pagespan(...parameters: readonly string[]): void {
  const { status } = spawnSync(process.execPath, [PACKAGED_COMMAND, ...parameters], { stdio: "inherit" })
  if (status !== 0) process.exit(status ?? 1)
}

await setup()
mkdirSync(OUTPUT, { recursive: true })
pagespan("record", "--name", RUN, "--output", RECORDING, "--", process.execPath, ...WALK)
// An undecided limit is one whose screen was not measured.
pagespan("assert", `run:${RUN}`, "--budgets", "--strict", "--file", RECORDING, ...REPORTS)
