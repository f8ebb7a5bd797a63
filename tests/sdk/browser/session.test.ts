import { BasicTracerProvider } from "@opentelemetry/sdk-trace-base"
import { expect, test, vi } from "vitest"
import type { RootSpan } from "#otel/sdk/browser/roots/page-root.ts"
import {
  randomSessionId,
  rootSession,
  SESSION_IDLE_MS,
  SESSION_LIMIT_MS,
  VisitorSession,
} from "#otel/sdk/browser/session.ts"
import { SESSION_KEY } from "#otel/sdk/browser/stored-data.ts"

/** The part of `Storage` that the session uses. */
class MemoryStorage {
  readonly items = new Map<string, string>()
  getItem(key: string): string | null {
    return this.items.get(key) ?? null
  }
  setItem(key: string, value: string): void {
    this.items.set(key, value)
  }
  removeItem(key: string): void {
    this.items.delete(key)
  }
}

function setUp(storage: () => Storage | undefined, clock = { now: 1_000 }) {
  return { clock, session: new VisitorSession({ storage, now: () => clock.now, randomId: randomSessionId }) }
}

const asStorage = (memory: MemoryStorage) => () => memory as unknown as Storage
const refusing = () => {
  throw new DOMException("denied", "SecurityError")
}

test("a session id is 128 random bits and stays while the visitor is active", () => {
  const { session, clock } = setUp(asStorage(new MemoryStorage()))
  const id = session.id()
  expect(id).toMatch(/^[0-9a-f]{32}$/)
  for (let page = 0; page < 10; page++) {
    clock.now += SESSION_IDLE_MS - 1
    expect(session.id()).toBe(id)
  }
})

test("a session is renewed after fifteen minutes without a page", () => {
  const { session, clock } = setUp(asStorage(new MemoryStorage()))
  const id = session.id()
  clock.now += SESSION_IDLE_MS
  expect(session.id()).not.toBe(id)
})

test("a session is renewed after four hours, even of activity", () => {
  const { session, clock } = setUp(asStorage(new MemoryStorage()))
  const id = session.id()
  const ids = new Set<string | undefined>()
  for (const end = clock.now + SESSION_LIMIT_MS; clock.now < end; clock.now += 60_000) ids.add(session.id())
  expect([...ids]).toEqual([id])
  expect(session.id()).not.toBe(id)
})

test("the tabs of an origin share a session", () => {
  const memory = new MemoryStorage()
  const clock = { now: 1_000 }
  expect(setUp(asStorage(memory), clock).session.id()).toBe(setUp(asStorage(memory), clock).session.id())
})

test("a session that was deleted, by the visitor or with consent in another tab, is over", () => {
  const memory = new MemoryStorage()
  const { session } = setUp(asStorage(memory))
  const id = session.id()
  expect(session.id()).toBe(id)
  memory.items.clear()
  expect(session.id()).not.toBe(id)
})

test.each([
  ["that throws", refusing],
  ["that is missing", () => undefined],
  [
    "that refuses to write",
    () => ({ getItem: () => null, setItem: refusing, removeItem: refusing }) as unknown as Storage,
  ],
])("with a storage %s the session lives in the document", (_what, storage) => {
  const { session } = setUp(storage)
  const id = session.id()
  expect(id).toMatch(/^[0-9a-f]{32}$/)
  expect(session.id()).toBe(id)
})

test.each(["", "null", "7", "[]", "{", '{"id":"<script>","startedAt":1,"usedAt":1}', '{"id":7}', "{}"])(
  "a stored value of someone else is ignored: %s",
  (text) => {
    const memory = new MemoryStorage()
    memory.setItem(SESSION_KEY, text)
    expect(setUp(asStorage(memory)).session.id()).toMatch(/^[0-9a-f]{32}$/)
  },
)

test("without a source of random numbers there is no session", () => {
  const session = new VisitorSession({ storage: () => undefined, now: () => 0, randomId: () => undefined })
  expect(session.id()).toBeUndefined()
})

function beginRoot(): { span: RootSpan } {
  return { span: new BasicTracerProvider().getTracer("test").startSpan("pageload") as RootSpan }
}

test("a page that starts reads no storage: its root has the session from when the page is idle, and keeps it", () => {
  const storage = vi.fn<() => Storage>(asStorage(new MemoryStorage()))
  const { session, clock } = setUp(storage)
  const { id, identify } = rootSession(new AbortController().signal, session)
  expect(id()).toBeUndefined()
  expect(storage).not.toHaveBeenCalled()
  const pageload = beginRoot()
  identify(pageload)
  const known = session.id()
  expect(pageload.span.attributes).toEqual({ "session.id": known })
  expect(id()).toBe(known)
  clock.now += SESSION_IDLE_MS
  identify(pageload)
  expect(pageload.span.attributes).toEqual({ "session.id": known })
})

test("a page whose visitor has withdrawn consent stores no session for the root that ends", () => {
  const memory = new MemoryStorage()
  const lifetime = new AbortController()
  const { identify } = rootSession(lifetime.signal, setUp(asStorage(memory)).session)
  lifetime.abort()
  const root = beginRoot()
  identify(root)
  expect([root.span.attributes, memory.items.size]).toEqual([{}, 0])
})
