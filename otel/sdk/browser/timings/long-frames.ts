import type { Tracer } from "@opentelemetry/api"
import { epochTime } from "../clock.ts"
import type { CurrentRoot } from "../roots/current-root.ts"
import type { PageRoot } from "../roots/page-root.ts"

/** Of one root; later ones are noise of a page that janks all the time. */
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

/** Long animation frames of the open root, kept until it has its end: a frame is no reason for it to last longer. */
export class LongFrames {
  #frames: LongFrame[] = []

  add(entry: PerformanceEntry): void {
    if (this.#frames.length < FRAME_LIMIT) this.#frames.push(entry as LongFrame)
  }

  /** Makes child spans of those that began within the root. */
  record(tracer: Tracer, current: CurrentRoot, root: PageRoot, endedAt: number): void {
    for (const frame of this.#frames.splice(0)) {
      const startTime = epochTime(frame.startTime)
      if (startTime < root.startedAt || startTime >= endedAt) continue
      const span = tracer.startSpan("long animation frame", { startTime, attributes: describe(frame) }, current.context)
      span.end(Math.min(startTime + frame.duration, endedAt))
    }
  }
}

/** The frame's first script stands for it, without the query of its address. */
function describe({ blockingDuration, scripts }: LongFrame) {
  const [script] = scripts ?? []
  return {
    "sentry.op": "ui.long_animation_frame",
    "sentry.origin": "auto.ui.pagespan",
    "browser.long_animation_frame.blocking_duration": blockingDuration,
    ...(script === undefined
      ? {}
      : {
          "browser.script.invoker": withoutQuery(script.invoker),
          "browser.script.invoker_type": script.invokerType,
          "code.file.path": withoutQuery(script.sourceURL),
          "code.function.name": script.sourceFunctionName,
        }),
  }
}

function withoutQuery(text: string): string {
  return text.split(/[?#]/, 1)[0] ?? text
}
