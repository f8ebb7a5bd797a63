import { readFileSync } from "node:fs"
import { join } from "node:path"

/** The version in the manifest, which is two directories up in the package and in the repository. */
export function version(): string {
  const manifest = readFileSync(join(import.meta.dirname, "../../package.json"), "utf8")
  return (JSON.parse(manifest) as { version: string }).version
}
