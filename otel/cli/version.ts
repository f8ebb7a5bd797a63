import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"

/** The version in the manifest of the package, or of the checkout. */
export function version(): string {
  return (JSON.parse(readFileSync(findManifest(), "utf8")) as { version: string }).version
}

/** Path of the nearest manifest above this module, which may be bundled. */
export function findManifest(directory = import.meta.dirname): string {
  const manifest = join(directory, "package.json")
  return existsSync(manifest) || dirname(directory) === directory ? manifest : findManifest(dirname(directory))
}
