import { type Attributes, ROOT_CONTEXT, type Span, trace } from "@opentelemetry/api"
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base"
import { CurrentRoot } from "#otel/sdk/browser/roots/current-root.ts"
import { PageRoot, type RootSpan } from "#otel/sdk/browser/roots/page-root.ts"
import { FakeClock } from "../fake-clock.ts"
import { recorderOf } from "../recorder/recorder-of.ts"

export const milliseconds = ([seconds, nanos]: [number, number]) => seconds * 1e3 + nanos / 1e6

/** A root of a page, with a fake clock. */
export class RootUnderTest {
  readonly clock = new FakeClock()
  readonly startedAt = this.clock.now()
  readonly finished: ReadableSpan[] = []
  readonly current = new CurrentRoot()
  readonly #tracer = recorderOf(
    { onStart: () => {}, onEnd: (span) => void this.finished.push(span) },
    this.current,
  ).getTracer("test")
  readonly root: PageRoot

  constructor(startedAt = this.startedAt) {
    const { clock } = this
    const span = this.#tracer.startSpan("/page", { startTime: startedAt }, ROOT_CONTEXT) as RootSpan
    this.root = new PageRoot({ span, kind: "navigation", startedAt, clock, beforeEnd: () => {}, onEnded: () => {} })
    this.current.become(this.root)
  }

  wait(ms: number): this {
    this.clock.advance(ms)
    return this
  }

  child(name = "child", attributes: Attributes = {}): Span {
    const parent = trace.setSpan(ROOT_CONTEXT, this.root.span)
    return this.#tracer.startSpan(name, { startTime: this.clock.now(), attributes }, parent)
  }

  prefetch(): Span {
    return this.child("prefetch", { "http.request.prefetch": true })
  }

  poll(): Span {
    return this.child("poll", { "pagespan.polling": true })
  }

  finish(span: Span): void {
    span.end(this.clock.now())
  }

  /** The duration and the end reason of the root, once it has ended. */
  get end(): { ms: number; reason: unknown } | "open" {
    if (!this.root.ended) return "open"
    const { startTime, endTime, attributes } = this.root.span
    return { ms: milliseconds(endTime) - milliseconds(startTime), reason: attributes["pagespan.end_reason"] }
  }
}
