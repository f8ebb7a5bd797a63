import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

/**
 * Returns a function that finds whether the files below some directories contain a test with a title. `…` in a title matches any
 * text.
 *
 * @param directories such as `tests/sdk/browser`.
 */
export function testsBelow(...directories: readonly string[]): (named: string) => boolean {
  const sources = directories
    .flatMap((directory) => readdirSync(directory, { recursive: true, withFileTypes: true }))
    .filter(({ name }) => name.endsWith(".ts"))
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), "utf8"))
  return (named) => {
    const parts = named.split("…").map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
    const text = String.raw`["'\`]${parts.join("[^\\n]*")}`
    // The title of a test, of a case in a table, or the first cell of a row.
    const name = new RegExp(String.raw`(?:(?:test|describe)(?:\.\w+)*\(|what: |\]\)\(|\)\(|^ +\[)\s*${text}`, "m")
    return sources.some((source) => name.test(source))
  }
}
