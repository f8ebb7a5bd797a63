import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { oneAtATime } from "#tests/support/one-at-a-time.ts"

const DONE = "installed"
/** `npm ci` would refuse the lockfile, which has the binaries of one platform only. The app provides peer dependencies. */
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
 * Installs packages in other versions than the repository's, by a lockfile, once per machine.
 *
 * @param name a folder beside this file with a manifest and its lockfile.
 * @returns the path of their `node_modules`.
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
