import type { Context } from "@opentelemetry/api"

/** Registers another SDK in a page before Pagespan starts, as OpenTelemetry's SDK for pages does, with the root context of its API as the active one. */
export function registerAnother(): void {
  const contextOf = (values: ReadonlyMap<symbol, unknown>): Context => ({
    getValue: (key) => values.get(key),
    setValue: (key, value) => contextOf(new Map([...values, [key, value]])),
    deleteValue: (key) => contextOf(new Map([...values].filter(([known]) => known !== key))),
  })
  const active = contextOf(new Map())
  const context = { active: () => active, with: (_: unknown, work: () => unknown) => work() }
  const trace = { getTracer: () => ({}) }
  Object.assign(window, { another: context })
  Reflect.set(window, Symbol.for("opentelemetry.js.api.1"), { version: "1.9.1", context, trace })
}
