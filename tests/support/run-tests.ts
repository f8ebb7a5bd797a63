import { spawnSync } from "node:child_process"
import { chromiumPath } from "./chromium.ts"

/**
 * `npm test`: makes sure that what the tests need is there, then runs them. A browser test is never skipped: without
 * Chromium this installs Debian's, and where it cannot, it says so and fails.
 */

const MISSING =
  "The tests drive Chromium, and there is none: install it (apt-get install chromium) or set CHROMIUM_PATH."

function run(command: string, parameters: readonly string[]): number {
  return (
    spawnSync(command, parameters, { stdio: "inherit", env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } })
      .status ?? 1
  )
}

function installChromium(): boolean {
  if (process.getuid?.() !== 0) return false
  console.log("No Chromium found: installing Debian's.")
  return run("apt-get", ["update", "-qq"]) === 0 && run("apt-get", ["install", "-y", "-qq", "chromium"]) === 0
}

if (chromiumPath() === undefined && !(installChromium() && chromiumPath() !== undefined)) {
  console.error(MISSING)
  process.exit(1)
}
process.exit(run(process.execPath, ["node_modules/vitest/vitest.mjs", "run", ...process.argv.slice(2)]))
