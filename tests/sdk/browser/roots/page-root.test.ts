import type { Span } from "@opentelemetry/api"
import { expect, test } from "vitest"
import type { EndReason } from "#otel/sdk/browser/roots/page-root.ts"
import { milliseconds, RootUnderTest } from "./root-under-test.ts"

interface Case {
  readonly what: string
  play(scene: RootUnderTest): void
  readonly end: { ms: number; reason: EndReason } | "open"
}

const cases: readonly Case[] = [
  { what: "nothing happens", play: (s) => s.wait(1_000), end: { ms: 0, reason: "idle_timeout" } },
  { what: "less than a second without activity", play: (s) => s.wait(999), end: "open" },
  {
    what: "a commit only: it ends at the commit",
    play: (s) => {
      s.wait(40).root.committed(s.clock.now())
      s.wait(1_000)
    },
    end: { ms: 40, reason: "idle_timeout" },
  },
  {
    what: "a child: it ends with the child",
    play: (s) => {
      const child = s.wait(100).child()
      s.wait(300).finish(child)
      s.wait(1_000)
    },
    end: { ms: 400, reason: "idle_timeout" },
  },
  {
    what: "late web vitals neither keep it open nor move its end",
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
    what: "unload during a prefetch: it ends with the last activity",
    play: (s) => {
      s.wait(40).root.committed(s.clock.now())
      s.prefetch()
      s.wait(300).root.end("page_left")
    },
    end: { ms: 40, reason: "page_left" },
  },
  {
    what: "an open child keeps it open",
    play: (s) => {
      s.child()
      s.wait(14_999)
    },
    end: "open",
  },
  {
    what: "it stops waiting for a child after 15 s",
    play: (s) => {
      const early = s.child()
      s.wait(200).finish(early)
      s.child()
      s.wait(16_000)
    },
    end: { ms: 200, reason: "child_timeout" },
  },
  {
    what: "consecutive children, each within the idle second",
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
    what: "endless children: it ends after 30 s",
    play: (s) => {
      for (let index = 0; index < 40; index++) {
        const child = s.child()
        s.wait(900).finish(child)
      }
    },
    end: { ms: 29_700, reason: "final_timeout" },
  },
  {
    what: "a settled child does not keep it open, and ends when it settled",
    play: (s) => {
      const stream = s.child("stream")
      s.wait(120).root.settleChild(stream, s.clock.now())
      s.wait(1_000)
    },
    end: { ms: 120, reason: "idle_timeout" },
  },
  {
    what: "the end of a span of another trace has no effect",
    play: (s) => {
      s.wait(600)
      new RootUnderTest().child().end()
      s.wait(400)
    },
    end: { ms: 0, reason: "idle_timeout" },
  },
  {
    what: "a held document keeps it open",
    play: (s) => {
      s.root.hold("document")
      s.wait(3_000).root.release("document")
      s.wait(1_000)
    },
    end: { ms: 3_000, reason: "idle_timeout" },
  },
  {
    what: "unload during activity: it ends now",
    play: (s) => {
      s.child()
      s.wait(700).root.end("page_left")
    },
    end: { ms: 700, reason: "page_left" },
  },
  {
    what: "unload without activity: it ends with the last activity",
    play: (s) => {
      const child = s.child()
      s.wait(200).finish(child)
      s.wait(700).root.end("document_hidden")
    },
    end: { ms: 200, reason: "document_hidden" },
  },
  {
    what: "superseded before its commit: it ends now",
    play: (s) => {
      s.child("transition")
      s.wait(150).root.end("superseded")
    },
    end: { ms: 150, reason: "superseded" },
  },
  {
    what: "superseded after its commit: it ends with the last activity",
    play: (s) => {
      s.wait(80).root.committed(s.clock.now())
      s.wait(400).root.end("superseded")
    },
    end: { ms: 80, reason: "superseded" },
  },
  {
    what: "ended twice: the first end counts",
    play: (s) => {
      s.root.end("page_left")
      s.wait(500).root.end("superseded")
    },
    end: { ms: 0, reason: "page_left" },
  },
]

test.each(cases)("a root ends by the idle rule: $what", ({ play, end }) => {
  const scene = new RootUnderTest()
  play(scene)
  expect(scene.end).toEqual(end)
  expect(scene.clock.pendingTimers).toBe(end === "open" ? 1 : 0)
})

test("no child outlives its root", () => {
  const scene = new RootUnderTest()
  const stream = scene.child("stream")
  scene.wait(100).root.settleChild(stream, scene.clock.now())
  scene.child("open")
  scene.wait(300).root.end("page_left")
  const end = milliseconds(scene.root.span.endTime)
  expect(scene.finished.map(({ name }) => name)).toEqual(["stream", "open", "/page"])
  for (const span of scene.finished) expect(milliseconds(span.endTime)).toBeLessThanOrEqual(end)
  expect(milliseconds(scene.finished[0]!.endTime) - scene.startedAt).toBe(100)
})

test("a prefetch in flight ends with its root, with its end reason", () => {
  const scene = new RootUnderTest()
  const prefetch = scene.wait(40).prefetch()
  scene.wait(2_000)
  expect(scene.root.ended).toBe(true)
  expect(prefetch.isRecording()).toBe(false)
  expect(scene.finished.map(({ name, attributes }) => [name, attributes["pagespan.end_reason"]])).toEqual([
    ["prefetch", "idle_timeout"],
    ["/page", "idle_timeout"],
  ])
})

test("a late request in flight ends on unload, with this end reason", () => {
  const scene = new RootUnderTest().wait(1_000)
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

test("a root lasts at most 30 s and contains its children, whatever happens", () => {
  // The fixed seed makes the same histories in every run.
  let seed = 42
  const random = () => (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31
  for (let history = 0; history < 300; history++) {
    const scene = new RootUnderTest()
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
