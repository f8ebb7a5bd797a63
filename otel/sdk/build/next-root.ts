import { realpathSync } from "node:fs"
import { createRequire } from "node:module"
import { resolve as absolute } from "node:path"
import type { NextConfig } from "next"

interface FindRoot {
  readonly findRootDirAndLockFiles: (directory: string) => { readonly rootDir: string }
}

/**
 * The folder above which Turbopack resolves nothing, by the rules of the installed Next: what the configuration says, else the
 * workspace or lockfile that Next finds.
 *
 * @param directory the app's directory.
 * @returns a real path. `undefined` if this Next has no such rules.
 */
export function rootOf(directory: string, { outputFileTracingRoot, turbopack }: NextConfig): string | undefined {
  const root = outputFileTracingRoot ?? turbopack?.root ?? process.env["NEXT_PRIVATE_OUTPUT_TRACE_ROOT"]
  try {
    return realpathSync(root === undefined ? foundByNext(absolute(directory)) : absolute(root))
  } catch {
    // Private to Next, or a folder that does not exist, which Next reports.
    return undefined
  }
}

/** @throws if this Next has no such function. */
function foundByNext(directory: string): string {
  const require = createRequire(absolute(directory, "package.json"))
  const { findRootDirAndLockFiles } = require("next/dist/lib/find-root") as FindRoot
  return findRootDirAndLockFiles(directory).rootDir
}
