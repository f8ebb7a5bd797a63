import { readFileSync } from "node:fs"
import { join } from "node:path"

/** Of the manifest beside `lib` in the package, beside `otel` in the sources. */
export function version(): string {
  const manifest = readFileSync(join(import.meta.dirname, "../../../package.json"), "utf8")
  return (JSON.parse(manifest) as { version: string }).version
}
