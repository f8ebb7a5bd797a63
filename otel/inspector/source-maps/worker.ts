import { parentPort, workerData } from "node:worker_threads"
import { FrameMapper } from "./frame-mapper.ts"
import type { Answer, Question } from "./source-maps.ts"

/** The thread in which maps are read and decoded: a large one takes seconds, in which handlers and pages go on. */

const mapper = new FrameMapper((workerData as { root: string }).root)

parentPort?.on("message", ({ id, frames }: Question) => {
  void mapper.map(frames).then((mapped) => parentPort?.postMessage({ id, frames: mapped } satisfies Answer))
})
