import { constants } from "node:fs"
import { open, realpath } from "node:fs/promises"
import { join, sep } from "node:path"
import { AnyMap, type SourceMapInput, type TraceMap } from "@jridgewell/trace-mapping"

/** A larger map would hold up what else this process does for longer than a frame is worth: some 0.2 s. */
const MAP_BYTES = 16 * 1024 * 1024

/** The map at a path of the index. `undefined` where it is gone, too large, no map, or led out of the root by a link. */
export async function readMap(root: string, path: readonly string[]): Promise<TraceMap | undefined> {
  try {
    const file = join(root, ...path)
    // A directory on the way may have become a link since it was indexed.
    if (!(await realpath(file)).startsWith(root + sep)) return undefined
    const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW)
    try {
      const { size } = await handle.stat()
      if (size > MAP_BYTES) return undefined
      const told: unknown = JSON.parse(await handle.readFile("utf8"))
      return isMap(told) ? new AnyMap(told) : undefined
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
