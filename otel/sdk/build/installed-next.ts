import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { resolve as absolute } from "node:path"

/** The version of Next that the app in a directory has; empty if it is unknown. */
export function installedNext(directory: string): string {
  try {
    const { resolve } = createRequire(absolute(directory, "package.json"))
    return (JSON.parse(readFileSync(resolve("next/package.json"), "utf8")) as { version: string }).version
  } catch {
    // A standalone server reads its configuration without access to Next's package.json.
    return ""
  }
}
