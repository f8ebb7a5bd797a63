import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

/**
 * Whether a test of this name is in one of the files below a directory. `…` stands for what the name leaves open.
 *
 * @param directory such as `tests/browser`.
 */
export function testsBelow(...directories: readonly string[]): (named: string) => boolean {
  const sources = directories
    .flatMap((directory) => readdirSync(directory, { recursive: true, withFileTypes: true }))
    .filter(({ name }) => name.endsWith(".ts"))
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), "utf8"))
  return (named) => {
    const parts = named.split("…").map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
    const text = String.raw`["'\`]${parts.join("[^\\n]*")}`
    // Its own name, that of a case in a table, or the first word of a row.
    const name = new RegExp(String.raw`(?:(?:test|describe)(?:\.\w+)*\(|what: |\]\)\(|\)\(|^ +\[)\s*${text}`, "m")
    return sources.some((source) => name.test(source))
  }
}
