import { createRequire } from "node:module"
import { context, createContextKey, createTraceState, ROOT_CONTEXT, trace } from "@opentelemetry/api"
import type { Scope } from "@sentry/core"
import { afterEach, describe, expect, test, vi } from "vitest"
import { UNSAMPLED_KEY } from "#otel/sdk/server/trace-state.ts"

/** The functions of Sentry's SDK that scopes are seen through. */
interface SentryCore {
  getCurrentScope(): Scope
  getIsolationScope(): Scope
  withScope<Result>(work: (scope: Scope) => Result): Result
  readonly SDK_VERSION: string
}

const require = createRequire(import.meta.url)
/** Version 10 brings the two packages that belong to it. */
const ofVersion10 = createRequire(require.resolve("sentry-node-10"))

const NEXT_SPAN_ID = createContextKey("next.rootSpanId")
const FORK_ISOLATION_SCOPE = createContextKey("sentry_fork_isolation_scope")
let spans = 0

afterEach(() => {
  context.disable()
  vi.doUnmock("@sentry/opentelemetry")
  vi.resetModules()
})

/** As Next runs a request: in a context of its own, then in one for its root span. */
function request<Result>(isSampled: boolean, work: () => Result): Result {
  const traceState = isSampled ? createTraceState() : createTraceState().set(UNSAMPLED_KEY, "1")
  const ids = { traceId: "a".repeat(32), spanId: "1".repeat(16), traceFlags: isSampled ? 1 : 0, traceState }
  return context.with(ROOT_CONTEXT.setValue(FORK_ISOLATION_SCOPE, true), () =>
    context.with(trace.setSpan(context.active(), trace.wrapSpanContext(ids)), work),
  )
}

/** As Next's tracer runs the work of one of its own spans. */
function nextSpan<Result>(work: () => Result): Result {
  return context.with(context.active().setValue(NEXT_SPAN_ID, ++spans), work)
}

describe.each(["11.0.0", "10.78.0"])("Sentry's scopes, with version %s", (version) => {
  async function sentry(): Promise<SentryCore> {
    const isVersion10 = version === "10.78.0"
    if (isVersion10) vi.doMock("@sentry/opentelemetry", () => ofVersion10("@sentry/opentelemetry") as object)
    const core = (isVersion10 ? ofVersion10 : require)("@sentry/core") as SentryCore
    expect(core.SDK_VERSION).toBe(version)
    const { useSentryContexts } = await import("#otel/sdk/server/existing-sdk.ts")
    useSentryContexts()
    return core
  }

  test("are not forked for Next's spans in a request that is not recorded", async () => {
    const { getCurrentScope } = await sentry()
    const [own, inner] = request(false, () => [getCurrentScope(), nextSpan(() => nextSpan(getCurrentScope))])
    expect(inner).toBe(own)
  })

  test("are forked for Next's spans in a request that is recorded", async () => {
    const { getCurrentScope } = await sentry()
    const [own, inner] = request(true, () => [getCurrentScope(), nextSpan(getCurrentScope)])
    expect(inner).not.toBe(own)
  })

  test.each([true, false])("are each request's own, and forked by withScope: sampled %s", async (isSampled) => {
    const { getCurrentScope, getIsolationScope, withScope } = await sentry()
    const run = () =>
      request(isSampled, () =>
        nextSpan(() => ({
          isolation: getIsolationScope(),
          current: getCurrentScope(),
          forked: withScope((scope) => scope),
        })),
      )
    const [first, second] = [run(), run()]
    expect(first.isolation).not.toBe(second.isolation)
    expect(first.current).not.toBe(second.current)
    expect(first.forked).not.toBe(first.current)
  })

  test("survive what the work awaits", async () => {
    const { getIsolationScope } = await sentry()
    const scopes = await request(false, () =>
      nextSpan(async () => {
        const before = getIsolationScope()
        await new Promise((resolve) => setTimeout(resolve, 1))
        return [before, getIsolationScope()]
      }),
    )
    expect(scopes[0]).toBe(scopes[1])
  })
})
