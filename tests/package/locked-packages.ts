import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { oneAtATime } from "#tests/support/one-at-a-time.ts"

const DONE = "installed"
/** By the lockfile, which has the binaries of one platform alone, so that `npm ci` would refuse it. Peers are the app's. */
const INSTALL = [
  "install",
  "--no-save",
  "--ignore-scripts",
  "--legacy-peer-deps",
  "--prefer-offline",
  "--no-audit",
  "--no-fund",
]

/**
 * Packages in other versions than the repository's own, from the registry that npm is set to, by their lockfile. Installed
 * once on a machine. Resolves with their `node_modules`.
 *
 * @param name folder beside this file, with a manifest and its lockfile.
 */
export async function lockedPackages(name: string): Promise<string> {
  const source = join(import.meta.dirname, name)
  const digest = createHash("sha256")
    .update(readFileSync(join(source, "package-lock.json")))
    .digest("hex")
  const directory = join(tmpdir(), `pagespan-${name}-${digest.slice(0, 16)}`)
  await oneAtATime(directory, async () => {
    if (existsSync(join(directory, DONE))) return
    mkdirSync(directory, { recursive: true })
    cpSync(source, directory, { recursive: true })
    await promisify(execFile)("npm", INSTALL, { cwd: directory })
    writeFileSync(join(directory, DONE), "")
  })
  return join(directory, "node_modules")
}
