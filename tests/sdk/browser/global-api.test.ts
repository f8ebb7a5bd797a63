import { context, type ContextManager, ROOT_CONTEXT, trace } from "@opentelemetry/api"
import { afterEach, expect, test } from "vitest"
import { registerGlobally } from "#otel/sdk/browser/global-api.ts"
import { CurrentRoot } from "#otel/sdk/browser/roots/current-root.ts"

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

test("what the app has registered stays, also when tracing stops", () => {
  trace.setGlobalTracerProvider(ofTheApp)
  context.setGlobalContextManager(managerOfTheApp)
  const lifetime = new AbortController()
  registerGlobally(ours, new CurrentRoot(), lifetime.signal)
  expect([registered(), isContextOfTheApp()]).toEqual([ofTheApp, true])
  lifetime.abort()
  expect([registered(), isContextOfTheApp()]).toEqual([ofTheApp, true])
})
