import type { Tracer } from "@opentelemetry/api"
import { epochTime } from "../clock.ts"
import type { CurrentRoot } from "../roots/current-root.ts"
import type { PageRoot } from "../roots/page-root.ts"

/** Frames of one root, at most: later ones are noise of a page that janks all the time. */
const FRAME_LIMIT = 64

interface LongFrame extends PerformanceEntry {
  readonly blockingDuration: number
  readonly scripts?: readonly {
    readonly invoker: string
    readonly invokerType: string
    readonly sourceURL: string
    readonly sourceFunctionName: string
  }[]
}

/** Collects the long animation frames of the open root until its end: a frame does not extend the root. */
export class LongFrames {
  #frames: LongFrame[] = []

  add(entry: PerformanceEntry): void {
    if (this.#frames.push(entry as LongFrame) > FRAME_LIMIT) this.#frames.shift()
  }

  /** Records the frames that began within the root as its children. */
  record(tracer: Tracer, current: CurrentRoot, root: PageRoot, endedAt: number): void {
    for (const frame of this.#frames.splice(0)) {
      const startTime = epochTime(frame.startTime)
      if (startTime < root.startedAt || startTime >= endedAt) continue
      const span = tracer.startSpan("long animation frame", { startTime, attributes: describe(frame) }, current.context)
      span.end(Math.min(startTime + frame.duration, endedAt))
    }
  }
}

/** The attributes of a frame, with its first script, whose URL has no query. */
function describe({ blockingDuration, scripts }: LongFrame) {
  const [script] = scripts ?? []
  return {
    "sentry.op": "ui.long_animation_frame",
    "sentry.origin": "auto.ui.pagespan",
    "browser.long_animation_frame.blocking_duration": blockingDuration,
    ...(script && {
      "browser.script.invoker": withoutQuery(script.invoker),
      "browser.script.invoker_type": script.invokerType,
      "code.file.path": withoutQuery(script.sourceURL),
      "code.function.name": script.sourceFunctionName,
    }),
  }
}

export function withoutQuery(url: string | undefined): string | undefined {
  return url?.split(/[?#]/, 1)[0]
}
