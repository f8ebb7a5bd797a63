import { constants } from "node:fs"
import { open, realpath } from "node:fs/promises"
import { join, sep } from "node:path"
import { AnyMap, type SourceMapInput, type TraceMap } from "@jridgewell/trace-mapping"

/** A larger map takes more memory than a frame is worth: some 0.3 GB. */
const MAP_BYTES = 64 * 1024 * 1024

export interface ReadMap {
  readonly map: TraceMap
  /** Its size on disk. */
  readonly bytes: number
}

/** The map at a path of the index. `undefined` where it is gone, too large, no map, or led out of the root by a link. */
export async function readMap(root: string, path: readonly string[]): Promise<ReadMap | undefined> {
  try {
    const file = join(root, ...path)
    // A directory on the way may have become a link since it was indexed.
    if (!(await realpath(file)).startsWith(root + sep)) return undefined
    const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW)
    try {
      const { size } = await handle.stat()
      if (size > MAP_BYTES) return undefined
      const told: unknown = JSON.parse(await handle.readFile("utf8"))
      return isMap(told) ? { map: new AnyMap(told), bytes: size } : undefined
    } finally {
      await handle.close()
    }
  } catch {
    // Whatever is wrong with it: the frame is then shown as it came.
    return undefined
  }
}

/** The format has had one version for as long as anybody remembers. Its parts are looked at where they are used. */
function isMap(told: unknown): told is Exclude<SourceMapInput, string> {
  return typeof told === "object" && told !== null && "version" in told && told.version === 3
}
