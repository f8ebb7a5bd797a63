import { type Attributes, ROOT_CONTEXT, type Span, trace } from "@opentelemetry/api"
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base"
import { expect, test } from "vitest"
import { CurrentRoot } from "#otel/sdk/browser/roots/current-root.ts"
import { type EndReason, PageRoot, type RootSpan } from "#otel/sdk/browser/roots/page-root.ts"
import { FakeClock } from "../fake-clock.ts"

const milliseconds = ([seconds, nanos]: [number, number]) => seconds * 1e3 + nanos / 1e6

/** A root on a clock of its own, as a page has it. */
class Scene {
  readonly clock = new FakeClock()
  readonly startedAt = this.clock.now()
  readonly #exporter = new InMemorySpanExporter()
  readonly current = new CurrentRoot()
  readonly #tracer = new BasicTracerProvider({
    spanProcessors: [new SimpleSpanProcessor(this.#exporter), this.current],
  }).getTracer("test")
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

  /** How long the root lasted and why it ended, once it has. */
  get end(): { ms: number; reason: unknown } | "open" {
    if (!this.root.ended) return "open"
    const { startTime, endTime, attributes } = this.root.span
    return { ms: milliseconds(endTime) - milliseconds(startTime), reason: attributes["pagespan.end_reason"] }
  }

  get finished(): ReadableSpan[] {
    return this.#exporter.getFinishedSpans()
  }
}

interface Case {
  readonly what: string
  play(scene: Scene): void
  readonly end: { ms: number; reason: EndReason } | "open"
}

const cases: readonly Case[] = [
  { what: "nothing happens", play: (s) => s.wait(1_000), end: { ms: 0, reason: "idle_timeout" } },
  { what: "not yet quiet for a second", play: (s) => s.wait(999), end: "open" },
  {
    what: "a commit and nothing else: the end is the commit",
    play: (s) => {
      s.wait(40).root.committed(s.clock.now())
      s.wait(1_000)
    },
    end: { ms: 40, reason: "idle_timeout" },
  },
  {
    what: "a child: the end is the child's",
    play: (s) => {
      const child = s.wait(100).child()
      s.wait(300).finish(child)
      s.wait(1_000)
    },
    end: { ms: 400, reason: "idle_timeout" },
  },
  {
    what: "web vitals, told late and of later moments, neither keep it open nor move its end",
    play: (s) => {
      s.wait(40).root.committed(s.clock.now())
      for (const name of ["fcp", "lcp", "cls"]) s.finish(s.wait(300).child(`browser.web_vital.${name}`))
      s.wait(100)
    },
    end: { ms: 40, reason: "idle_timeout" },
  },
  {
    what: "prefetches neither keep it open nor move its end",
    play: (s) => {
      s.wait(40).root.committed(s.clock.now())
      s.prefetch()
      for (let index = 0; index < 3; index++) {
        const prefetch = s.prefetch()
        s.wait(300).finish(prefetch)
      }
      s.wait(100)
    },
    end: { ms: 40, reason: "idle_timeout" },
  },
  {
    what: "polling neither keeps it open nor moves its end",
    play: (s) => {
      const child = s.child()
      s.wait(40).finish(child)
      for (let index = 0; index < 3; index++) {
        const poll = s.poll()
        s.wait(300).finish(poll)
      }
      s.wait(100)
    },
    end: { ms: 40, reason: "idle_timeout" },
  },
  {
    what: "left while a prefetch is on its way: nobody has waited for it",
    play: (s) => {
      s.wait(40).root.committed(s.clock.now())
      s.prefetch()
      s.wait(300).root.end("page_left")
    },
    end: { ms: 40, reason: "page_left" },
  },
  {
    what: "a child that is open keeps it open",
    play: (s) => {
      s.child()
      s.wait(14_999)
    },
    end: "open",
  },
  {
    what: "a child that stays open for 15 s is given up",
    play: (s) => {
      const early = s.child()
      s.wait(200).finish(early)
      s.child()
      s.wait(16_000)
    },
    end: { ms: 200, reason: "child_timeout" },
  },
  {
    what: "children one after the other, each within the quiet second",
    play: (s) => {
      for (let index = 0; index < 5; index++) {
        const child = s.child()
        s.wait(500).finish(child)
        s.wait(900)
      }
      s.wait(1_000)
    },
    end: { ms: 4 * 1_400 + 500, reason: "idle_timeout" },
  },
  {
    what: "children without an end to them: 30 s and no more",
    play: (s) => {
      for (let index = 0; index < 40; index++) {
        const child = s.child()
        s.wait(900).finish(child)
      }
    },
    end: { ms: 29_700, reason: "final_timeout" },
  },
  {
    what: "a child that settles no longer keeps it open, and ends when it settled",
    play: (s) => {
      const stream = s.child("stream")
      s.wait(120).root.settleChild(stream, s.clock.now())
      s.wait(1_000)
    },
    end: { ms: 120, reason: "idle_timeout" },
  },
  {
    what: "a stranger's span ends",
    play: (s) => {
      s.wait(600)
      new Scene().child().end()
      s.wait(400)
    },
    end: { ms: 0, reason: "idle_timeout" },
  },
  {
    what: "a held document",
    play: (s) => {
      s.root.hold("document")
      s.wait(3_000).root.release("document")
      s.wait(1_000)
    },
    end: { ms: 3_000, reason: "idle_timeout" },
  },
  {
    what: "left in the middle of something: until now",
    play: (s) => {
      s.child()
      s.wait(700).root.end("page_left")
    },
    end: { ms: 700, reason: "page_left" },
  },
  {
    what: "left while quiet: the last thing that happened",
    play: (s) => {
      const child = s.child()
      s.wait(200).finish(child)
      s.wait(700).root.end("document_hidden")
    },
    end: { ms: 200, reason: "document_hidden" },
  },
  {
    what: "superseded before it was shown: the visitor waited until now",
    play: (s) => {
      s.child("transition")
      s.wait(150).root.end("superseded")
    },
    end: { ms: 150, reason: "superseded" },
  },
  {
    what: "superseded after it was shown: the last thing that happened",
    play: (s) => {
      s.wait(80).root.committed(s.clock.now())
      s.wait(400).root.end("superseded")
    },
    end: { ms: 80, reason: "superseded" },
  },
  {
    what: "ended twice: the first counts",
    play: (s) => {
      s.root.end("page_left")
      s.wait(500).root.end("superseded")
    },
    end: { ms: 0, reason: "page_left" },
  },
]

test.each(cases)("a root ends by the rule: $what", ({ play, end }) => {
  const scene = new Scene()
  play(scene)
  expect(scene.end).toEqual(end)
  expect(scene.clock.pendingTimers).toBe(end === "open" ? 1 : 0)
})

test("no child outlives its root", () => {
  const scene = new Scene()
  const stream = scene.child("stream")
  scene.wait(100).root.settleChild(stream, scene.clock.now())
  scene.child("open")
  scene.wait(300).root.end("page_left")
  const end = milliseconds(scene.root.span.endTime)
  expect(scene.finished.map(({ name }) => name)).toEqual(["stream", "open", "/page"])
  for (const span of scene.finished) expect(milliseconds(span.endTime)).toBeLessThanOrEqual(end)
  expect(milliseconds(scene.finished[0]!.endTime) - scene.startedAt).toBe(100)
})

test("a prefetch that is on its way when its root ends is ended too, and says so", () => {
  const scene = new Scene()
  const prefetch = scene.wait(40).prefetch()
  scene.wait(2_000)
  expect(scene.root.ended).toBe(true)
  expect(prefetch.isRecording()).toBe(false)
  expect(scene.finished.map(({ name, attributes }) => [name, attributes["pagespan.end_reason"]])).toEqual([
    ["prefetch", "idle_timeout"],
    ["/page", "idle_timeout"],
  ])
})

test("what started after the end of its root and is on its way when the page is left ends then, and says so", () => {
  const scene = new Scene().wait(1_000)
  const late = scene.child("late", { "sentry.segment.name": "/page" })
  const over = scene.child("over", { "sentry.segment.name": "/page" })
  scene.finish(over)
  scene.wait(400).current.end("page_left", scene.clock.now())
  expect(scene.finished.map(({ name, attributes }) => [name, attributes["pagespan.end_reason"]])).toEqual([
    ["/page", "idle_timeout"],
    ["over", undefined],
    ["late", "page_left"],
  ])
  expect(late.isRecording()).toBe(false)
  expect(milliseconds(scene.finished[2]!.endTime) - scene.startedAt).toBe(1_400)
})

test("whatever happens in it, a root lasts at most 30 s and its children lie within it", () => {
  // A generator with a fixed seed: the same histories in every run.
  let seed = 42
  const random = () => (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31
  for (let history = 0; history < 300; history++) {
    const scene = new Scene()
    const open: Span[] = []
    for (let step = 0; step < 80 && !scene.root.ended; step++) {
      const dice = random()
      if (dice < 0.4) open.push(scene.child())
      else if (dice < 0.7 && open.length > 0) scene.finish(open.splice(Math.floor(random() * open.length), 1)[0]!)
      else if (dice < 0.8 && open.length > 0) scene.root.settleChild(open[0]!, scene.clock.now())
      else if (dice < 0.85) scene.root.committed(scene.clock.now())
      scene.wait(random() * 900)
    }
    scene.wait(60_000)
    const { end } = scene
    expect(end === "open" ? Infinity : end.ms).toBeLessThanOrEqual(30_000)
    const { startTime, endTime } = scene.root.span
    for (const child of scene.finished.filter(({ name }) => name === "child")) {
      expect(milliseconds(child.startTime)).toBeGreaterThanOrEqual(milliseconds(startTime))
      const isZeroLength = milliseconds(child.endTime) === milliseconds(child.startTime)
      expect(milliseconds(child.endTime) <= milliseconds(endTime) || isZeroLength).toBe(true)
    }
    expect(scene.clock.pendingTimers).toBe(0)
  }
})
