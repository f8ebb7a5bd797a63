import { context, type ContextManager, createContextKey, ROOT_CONTEXT, trace } from "@opentelemetry/api"
import { isTracingSuppressed, suppressTracing } from "@opentelemetry/core"
import { afterEach, expect, test } from "vitest"
import { registerGlobally, registerThrough } from "#otel/sdk/browser/api/register.ts"
import { registrations, setRegistrations } from "#otel/sdk/browser/api/registrations.ts"
import { CurrentRoot } from "#otel/sdk/browser/roots/current-root.ts"
import { RootUnderTest } from "../roots/root-under-test.ts"

const ours = { getTracer: () => trace.wrapSpanContext as never }
const ofTheApp = { getTracer: () => trace.wrapSpanContext as never }
const managerOfTheApp: ContextManager = {
  active: () => ROOT_CONTEXT.setValue(Symbol.for("of the app"), true),
  with: (_, work, self, ...given) => work.apply(self, given),
  bind: (_, target) => target,
  enable: () => managerOfTheApp,
  disable: () => managerOfTheApp,
}
const registered = () => (trace.getTracerProvider() as unknown as { getDelegate(): unknown }).getDelegate()
const isContextOfTheApp = () => context.active().getValue(Symbol.for("of the app")) === true

afterEach(() => {
  trace.disable()
  context.disable()
})

test("the page's provider is registered until tracing stops", () => {
  const lifetime = new AbortController()
  registerGlobally(ours, new CurrentRoot(), lifetime.signal)
  expect(registered()).toBe(ours)
  lifetime.abort()
  expect(registered()).not.toBe(ours)
})

test("a context of the app keeps its own values in synchronous code, beside the span of the page's root", () => {
  const { root, current } = new RootUnderTest()
  const lifetime = new AbortController()
  registerGlobally(ours, current, lifetime.signal)
  const key = createContextKey("tenant")
  const seen = context.with(ROOT_CONTEXT.setValue(key, "acme"), () => {
    const active = context.active()
    return [active.getValue(key), trace.getSpan(active), isTracingSuppressed(active)]
  })
  expect(seen).toEqual(["acme", root.span, false])
  expect(context.with(suppressTracing(ROOT_CONTEXT), () => isTracingSuppressed(context.active()))).toBe(true)
  lifetime.abort()
})

test("what the app has registered stays, also when tracing stops", () => {
  trace.setGlobalTracerProvider(ofTheApp)
  context.setGlobalContextManager(managerOfTheApp)
  const lifetime = new AbortController()
  registerGlobally(ours, new CurrentRoot(), lifetime.signal)
  expect([registered(), isContextOfTheApp()]).toEqual([ofTheApp, true])
  lifetime.abort()
  expect([registered(), isContextOfTheApp()]).toEqual([ofTheApp, true])
})

test("a tracer that the app requested before tracing started makes spans once OpenTelemetry's API is there", () => {
  for (const isInPages of [true, false]) {
    const started: string[] = []
    const provider = { getTracer: () => ({ startSpan: (name: string) => started.push(name) }) } as never
    const tracer = trace.getTracer("of a module")
    const lifetime = new AbortController()
    registerGlobally(provider, new CurrentRoot(), lifetime.signal, isInPages ? trace : undefined)
    tracer.startSpan("at the start")
    registerThrough(trace, provider, lifetime.signal)
    tracer.startSpan("late")
    expect(started).toEqual(isInPages ? ["at the start", "late"] : ["late"])
    lifetime.abort()
    trace.getTracer("after").startSpan("after")
    expect(started).not.toContain("after")
  }
})

test("what the app registers while the page is traced is not replaced when OpenTelemetry's API is there", () => {
  const lifetime = new AbortController()
  registerGlobally(ours, new CurrentRoot(), lifetime.signal)
  trace.disable()
  trace.setGlobalTracerProvider(ofTheApp)
  registerThrough(trace, ours, lifetime.signal)
  expect(registered()).toBe(ofTheApp)
  lifetime.abort()
})

test("beside another version of OpenTelemetry's API the page's provider stays registered", () => {
  const lifetime = new AbortController()
  const before = registrations()
  setRegistrations({ version: "1.8.0" })
  registerGlobally(ours, new CurrentRoot(), lifetime.signal)
  registerThrough(trace, ours, lifetime.signal)
  expect((registrations()?.trace as { getDelegate?(): unknown } | undefined)?.getDelegate?.()).toBe(ours)
  lifetime.abort()
  expect(registrations()).toEqual({ version: "1.8.0" })
  setRegistrations(before ?? {})
})
