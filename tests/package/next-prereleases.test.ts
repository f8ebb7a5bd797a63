import { execFile } from "node:child_process"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect, test } from "vitest"
import { packageManifest } from "#otel/cli/package/manifest.ts"
import { temporaryDirectory } from "#tests/support/temporary-directory.ts"

const CANARY = "16.5.0-canary.38"
const INSTALL = ["install", "--package-lock-only", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"]
const { peerDependencies } = packageManifest(process.cwd(), new Set()) as {
  peerDependencies: Record<string, string>
}

/** Resolves an app with the canary and a package that has this peer. @returns the version of Next in the lockfile. */
async function installedBeside(range: string): Promise<string | undefined> {
  const directory = await temporaryDirectory()
  mkdirSync(join(directory, "peered"))
  const peered = {
    name: "peered",
    version: "1.0.0",
    peerDependencies: { next: range },
    peerDependenciesMeta: { next: { optional: true } },
  }
  writeFileSync(join(directory, "peered/package.json"), JSON.stringify(peered))
  const { stdout } = await promisify(execFile)("npm", ["pack", "./peered", "--silent"], { cwd: directory })
  const app = { private: true, dependencies: { next: CANARY, peered: `file:${stdout.trim()}` } }
  writeFileSync(join(directory, "package.json"), JSON.stringify(app))
  await promisify(execFile)("npm", INSTALL, { cwd: directory })
  const lock = JSON.parse(readFileSync(join(directory, "package-lock.json"), "utf8")) as {
    packages: Record<string, { version?: string }>
  }
  return lock.packages["node_modules/next"]?.version
}

test("npm installs the package beside a canary of Next, which a plain range refuses", async () => {
  expect(await installedBeside(peerDependencies["next"]!)).toBe(CANARY)
  await expect(installedBeside("^16.3.0")).rejects.toThrow("ERESOLVE")
})
