import { opendir } from "node:fs/promises"
import { join, relative, sep } from "node:path"

/**
 * The source maps beneath a directory, by name. What a frame says of its file is only ever compared with these names: no
 * path that arrived reaches the file system.
 */

/** Entries that are looked at, and how deep: a build's output is smaller by far. */
const ENTRY_LIMIT = 50_000
const DEPTH_LIMIT = 16
/** Packages bring maps by the thousand, of code that is not the application's. */
const SKIPPED: ReadonlySet<string> = new Set(["node_modules", ".git", "cache"])

/** Paths below the root, their segments in order, by the name of the file that they are a map of. */
export type MapIndex = ReadonlyMap<string, readonly (readonly string[])[]>

/** Links are not followed: what they lead to may lie elsewhere. */
export async function indexMaps(root: string): Promise<MapIndex> {
  const index = new Map<string, string[][]>()
  const directories = [{ path: root, depth: 0 }]
  let entries = 0
  for (let at = directories.shift(); at !== undefined; at = directories.shift()) {
    for await (const entry of await opendir(at.path)) {
      if (++entries > ENTRY_LIMIT) return index
      const path = join(at.path, entry.name)
      if (entry.isDirectory()) {
        if (!SKIPPED.has(entry.name) && at.depth < DEPTH_LIMIT) directories.push({ path, depth: at.depth + 1 })
      } else if (entry.isFile() && entry.name.endsWith(".map")) {
        const file = entry.name.slice(0, -".map".length)
        index.set(file, [...(index.get(file) ?? []), relative(root, path).split(sep)])
      }
    }
  }
  return index
}

/**
 * The map of a frame's file, as segments below the root: of those with its name, the one whose directories agree furthest
 * with the frame's, from the end. `undefined` where none has the name, or two agree equally.
 */
export function findMap(index: MapIndex, file: string): readonly string[] | undefined {
  const segments = (file.split(/[?#]/, 1)[0] ?? "").split(/[/\\]/)
  const name = segments.at(-1) ?? ""
  const ranked = (index.get(name) ?? [])
    .map((path) => ({ path, agreement: agreement(path.slice(0, -1), segments.slice(0, -1)) }))
    .toSorted((a, b) => b.agreement - a.agreement)
  const [best, second] = ranked
  return best === undefined || best.agreement === second?.agreement ? undefined : best.path
}

function agreement(a: readonly string[], b: readonly string[]): number {
  let count = 0
  while (count < a.length && count < b.length && a.at(-1 - count) === b.at(-1 - count)) count++
  return count
}
