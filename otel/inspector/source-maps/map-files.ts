import { constants } from "node:fs"
import { open, opendir, realpath } from "node:fs/promises"
import { join, relative, sep } from "node:path"
import { AnyMap, type SourceMapInput, type TraceMap } from "@jridgewell/trace-mapping"

/**
 * The source map files below a directory: index, find, read. The file of a stack frame is only compared with indexed names,
 * so no path that arrived over the network reaches the file system.
 */

/** Entries and depth that are indexed. The output of a build is far smaller. */
const ENTRY_LIMIT = 50_000
const DEPTH_LIMIT = 16
/** Packages contain thousands of maps of code that is not the app's. */
const SKIPPED: ReadonlySet<string> = new Set(["node_modules", ".git", "cache"])

/** The name of a folder with an uploaded map. */
export const DEBUG_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Paths below the root, as segments. */
export interface MapIndex {
  /** By the name of the file that they map. */
  readonly byName: ReadonlyMap<string, readonly (readonly string[])[]>
  readonly byDebugId: ReadonlyMap<string, readonly string[]>
}

/** Does not follow links, which may lead out of the root. */
export async function indexMaps(root: string): Promise<MapIndex> {
  const byName = new Map<string, string[][]>()
  const byDebugId = new Map<string, string[]>()
  const index = { byName, byDebugId }
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
        const segments = relative(root, path).split(sep)
        byName.set(file, [...(byName.get(file) ?? []), segments])
        if (DEBUG_ID.test(segments[0] ?? "")) byDebugId.set(segments[0] ?? "", segments)
      }
    }
  }
  return index
}

/**
 * The map of a frame's file, as segments below the root: by its debug id, else by its name. Of several maps with the file's name, the one that shares the most
 * trailing directories with it; `undefined` when no map has the name, or when two share equally many.
 */
export function findMap(index: MapIndex, file: string, debugId?: string): readonly string[] | undefined {
  const identified = debugId === undefined ? undefined : index.byDebugId.get(debugId)
  if (identified !== undefined) return identified
  const segments = (file.split(/[?#]/, 1)[0] ?? "").split(/[/\\]/)
  const name = segments.at(-1) ?? ""
  const ranked = (index.byName.get(name) ?? [])
    .map((path) => ({ path, shared: sharedSegments(path.slice(0, -1), segments.slice(0, -1)) }))
    .toSorted((a, b) => b.shared - a.shared)
  const [best, second] = ranked
  return best === undefined || best.shared === second?.shared ? undefined : best.path
}

function sharedSegments(a: readonly string[], b: readonly string[]): number {
  let count = 0
  while (count < a.length && count < b.length && a.at(-1 - count) === b.at(-1 - count)) count++
  return count
}

/** A larger map takes about 0.3 GB of memory, too much for one frame. */
export const MAP_BYTES = 64 * 1024 * 1024

export interface ReadMap {
  readonly map: TraceMap
  /** Size on disk. */
  readonly bytes: number
}

/** Reads a map by its indexed path. `undefined` when the file is gone, too large, no source map, or outside the root. */
export async function readMap(root: string, path: readonly string[]): Promise<ReadMap | undefined> {
  try {
    const file = join(root, ...path)
    // A directory on the path may have become a link since it was indexed.
    if (!(await realpath(file)).startsWith(root + sep)) return undefined
    const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW)
    try {
      const { size } = await handle.stat()
      if (size > MAP_BYTES) return undefined
      const content: unknown = JSON.parse(await handle.readFile("utf8"))
      return isMap(content) ? { map: new AnyMap(content), bytes: size } : undefined
    } finally {
      await handle.close()
    }
  } catch {
    // The screen then shows the frame unmapped.
    return undefined
  }
}

/** Version 3 is the only one in use. The other fields are checked where they are used. */
function isMap(content: unknown): content is Exclude<SourceMapInput, string> {
  return typeof content === "object" && content !== null && "version" in content && content.version === 3
}
