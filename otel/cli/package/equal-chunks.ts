import { readFileSync, writeFileSync } from "node:fs"
import { basename, dirname } from "node:path"
import { filesBelow } from "./library.ts"

/** Begins the last line, which names the chunk's own source map. The package has no source maps. */
const SOURCE_MAP = "//# sourceMappingURL="

/**
 * Replaces chunks of the server that equal another one of their folder by a line that loads that one. Turbopack writes a chunk
 * anew for each route that needs it with other chunks: a third of the tarball, and memory for each copy that is loaded.
 *
 * @param directory `.next/server/chunks` of the package.
 */
export function shareEqualChunks(directory: string): void {
  const firsts = new Map<string, string>()
  for (const file of filesBelow(directory)
    .filter((name) => name.endsWith(".js"))
    .toSorted()) {
    const text = readFileSync(file, "utf8")
    const end = text.lastIndexOf(SOURCE_MAP)
    const code = end === -1 ? text : text.slice(0, end)
    const key = `${dirname(file)}\n${code}`
    const first = firsts.get(key)
    if (first === undefined) firsts.set(key, file)
    else writeFileSync(file, `module.exports=require(${JSON.stringify(`./${basename(first)}`)})\n`)
  }
}
