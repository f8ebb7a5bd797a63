/**
 * Every value of the SDK that a process (or a page) holds once. The values live on the global object because Next bundles
 * pages, route handlers and instrumentation separately, and each bundle has its own copy of every module.
 */
type StateName =
  | "counted-drop-reports"
  | "current-route"
  | "edge-clients"
  | "filter-failure-logged"
  | "filters"
  | "inspector-process"
  | "joining"
  | "local-inspector"
  | "next-steps"
  | "outer-requests"
  | "peers"
  | "recorded-headers"
  | "secret-paths"
  | "sentry-calls"
  | "server"
  | "server-flush"
  | "tunnel"
  | "unclaimed-actions"
  | "unlogged-drops"
  | "warned"

/**
 * A value shared by all copies of the SDK in this process. `undefined` until a copy sets it.
 *
 * @example
 * const warned = processState<Set<string>>("warned")
 * const subjects = (warned.value ??= new Set())
 */
export function processState<Value>(name: StateName): { value: Value | undefined } {
  const key = Symbol.for(`pagespan.${name}`)
  const globals = globalThis as { [key: symbol]: Value | undefined }
  return {
    get value() {
      return globals[key]
    },
    set value(value) {
      globals[key] = value
    },
  }
}
