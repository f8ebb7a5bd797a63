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

/** Resolves an app with this version of a package, and a package that has it as a peer. @returns its version in the lockfile. */
async function installedBeside(range: string, name = "next", version = CANARY): Promise<string | undefined> {
  const directory = await temporaryDirectory()
  mkdirSync(join(directory, "peered"))
  const peered = {
    name: "peered",
    version: "1.0.0",
    peerDependencies: { [name]: range },
    peerDependenciesMeta: { [name]: { optional: true } },
  }
  writeFileSync(join(directory, "peered/package.json"), JSON.stringify(peered))
  const { stdout } = await promisify(execFile)("npm", ["pack", "./peered", "--silent"], { cwd: directory })
  const app = { private: true, dependencies: { [name]: version, peered: `file:${stdout.trim()}` } }
  writeFileSync(join(directory, "package.json"), JSON.stringify(app))
  await promisify(execFile)("npm", INSTALL, { cwd: directory })
  const lock = JSON.parse(readFileSync(join(directory, "package-lock.json"), "utf8")) as {
    packages: Record<string, { version?: string }>
  }
  return lock.packages[`node_modules/${name}`]?.version
}

test("npm installs the package beside a canary of Next, which a plain range refuses", async () => {
  expect(await installedBeside(peerDependencies["next"]!)).toBe(CANARY)
  await expect(installedBeside("^16.3.0")).rejects.toThrow("ERESOLVE")
})

test.each([
  ["@playwright/test", "1.59.1", "^1.65.0"],
  ["vitest", "3.2.4", "^4.1.0"],
])(
  "npm installs the package in an app that tests with an older %s, which a range refuses",
  async (name, version, range) => {
    expect(await installedBeside(peerDependencies[name]!, name, version)).toBe(version)
    await expect(installedBeside(range, name, version)).rejects.toThrow("npm error")
  },
)
