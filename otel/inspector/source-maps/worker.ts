import { parentPort, workerData } from "node:worker_threads"
import { FrameMapper } from "./frame-mapper.ts"
import type { MapRequest, MapResponse } from "./source-maps.ts"

/** The thread that reads and decodes maps. A large map takes seconds, which must not block handlers and pages. */

const mapper = new FrameMapper((workerData as { root: string }).root)

parentPort?.on("message", ({ id, frames }: MapRequest) => {
  void mapper.map(frames).then((mapped) => parentPort?.postMessage({ id, frames: mapped } satisfies MapResponse))
})
