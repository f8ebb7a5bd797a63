import { parentPort, workerData } from "node:worker_threads"
import type { StackFrame } from "../../protocol/records/error.ts"
import { type DebugIds, FrameMapper, type MappedFrame } from "./frame-mapper.ts"
import type { MapRequest, MapResponse } from "./source-maps.ts"

/** The thread that reads and decodes maps. A large map takes seconds, which must not block handlers and pages. */

const mappers = (workerData as { directories: readonly string[] }).directories.map((each) => new FrameMapper(each))

parentPort?.on("message", ({ id, frames, debugIds }: MapRequest) => {
  void mapped(frames, debugIds).then((result) => parentPort?.postMessage({ id, frames: result } satisfies MapResponse))
})

/** The frames by the first directory that maps each. */
async function mapped(frames: readonly StackFrame[], debugIds: DebugIds): Promise<readonly MappedFrame[]> {
  let result: readonly MappedFrame[] = frames
  for (const mapper of mappers) {
    const found = await mapper.map(frames, debugIds)
    result = result.map((frame, index) => (frame.compiled === undefined ? (found[index] ?? frame) : frame))
  }
  return result
}
