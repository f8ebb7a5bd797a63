import { type Hostility, lacks, throws } from "./hostility.ts"

/**
 * Such a page may be traced or not, but the tracer must not throw or log. `crypto` and `navigation` may be missing. Getters
 * that throw are not tested for them, since they break Next's router and React.
 */
export const harmful: readonly Hostility[] = [
  ...[
    "indexedDB",
    "BroadcastChannel",
    "ReportingObserver",
    "PerformanceEventTiming",
    "LargestContentfulPaint",
    "PerformanceLongAnimationFrameTiming",
    "requestIdleCallback",
    "CompressionStream",
    "navigation",
    "crypto",
    "PerformanceObserver",
    "localStorage",
    "sessionStorage",
    "XMLHttpRequest",
    "Worker",
    "navigator.sendBeacon",
    "navigator.locks",
    "navigator.onLine",
    "navigator.globalPrivacyControl",
    "performance.getEntriesByType",
    "performance.timeOrigin",
    "document.prerendering",
    "document.visibilityState",
  ].map(lacks),
  ...[
    "window.indexedDB",
    "window.PerformanceObserver",
    "window.CompressionStream",
    "navigator.locks",
    "navigator.onLine",
    "navigator.language",
    "navigator.globalPrivacyControl",
    "performance.getEntriesByType",
    "document.prerendering",
    "document.visibilityState",
    "performance.timeOrigin",
    "window.requestIdleCallback",
    "window.XMLHttpRequest",
  ].map(throws),
  {
    what: "whose indexedDB refuses to open",
    before: () => {
      IDBFactory.prototype.open = () => {
        throw new DOMException("denied", "SecurityError")
      }
    },
  },
  {
    what: "whose observers throw when they observe",
    before: () => {
      PerformanceObserver.prototype.observe = () => {
        throw new TypeError("no such type")
      }
    },
  },
  {
    what: "whose clock stands still",
    before: () => {
      performance.now = () => 5
    },
  },
  {
    what: "whose Date is another",
    before: () => {
      Date.now = () => 0
    },
  },
  {
    what: "whose random numbers are always the same",
    before: () => {
      Math.random = () => 0
    },
  },
  {
    what: "whose fetch throws at once",
    before: () => {
      const native = window.fetch
      window.fetch = (input, init) => {
        if (String(input).includes("/monitoring")) throw new TypeError("blocked")
        return native(input, init)
      }
    },
  },
  {
    what: "whose fetch rejects what is not its own",
    before: () => {
      const native = window.fetch
      window.fetch = (input, init) =>
        String(input).includes("/monitoring") ? Promise.reject(new TypeError("blocked")) : native(input, init)
    },
  },
  {
    what: "whose fetch answers nonsense to the tracer",
    before: () => {
      const native = window.fetch
      window.fetch = (input, init) =>
        String(input).includes("/monitoring") ? Promise.resolve(new Response("<html>")) : native(input, init)
    },
  },
  {
    what: "with frozen collections and requests",
    before: () => {
      for (const owner of [Map, Set, WeakMap, WeakSet, Request, Response, Headers, URL, AbortController])
        Object.freeze(owner.prototype)
    },
  },
  {
    what: "with a frozen performance and navigator",
    before: () => {
      Object.freeze(performance)
      Object.freeze(navigator)
      Object.freeze(Performance.prototype)
    },
  },
  {
    what: "with a frozen JSON, Math and Reflect",
    before: () => {
      for (const owner of [JSON, Math, Reflect]) Object.freeze(owner)
    },
  },
  {
    what: "with meta elements that somebody garbled",
    before: () => {
      document.addEventListener("DOMContentLoaded", () => undefined)
      const meta = document.createElement("meta")
      meta.name = "pagespan"
      meta.content = "{"
      document.documentElement?.append(meta)
    },
  },
  {
    what: "that throws a thousand errors in a loop",
    before: () => {
      window.addEventListener("error", (event) => event.preventDefault())
      for (let index = 0; index < 1_000; index++)
        window.dispatchEvent(new ErrorEvent("error", { error: new Error(`again ${index}`), cancelable: true }))
      document.addEventListener("click", () => {
        for (let index = 0; index < 1_000; index++)
          window.dispatchEvent(new ErrorEvent("error", { error: new Error("again"), cancelable: true }))
      })
    },
  },
  {
    what: "with a storage that holds what somebody else wrote",
    before: () => {
      localStorage.setItem("pagespan.session", '{"id":1,"startedAt":"x"')
    },
  },
  {
    what: "that throws errors nobody can read",
    // Next itself reads the `digest` of an error, so that must not throw.
    before: () => {
      const refuse = () => {
        throw new Error("not for you")
      }
      const rude = new Error("rude")
      for (const name of ["name", "message", "stack", "cause", "toString"])
        Object.defineProperty(rude, name, { get: refuse })
      const sealed = new Proxy({}, { get: refuse, getPrototypeOf: refuse, ownKeys: refuse })
      document.addEventListener("click", () => {
        for (const error of [rude, sealed]) {
          window.dispatchEvent(new ErrorEvent("error", { error, cancelable: true }))
          const promise = Promise.resolve()
          window.dispatchEvent(new PromiseRejectionEvent("unhandledrejection", { promise, reason: error }))
        }
      })
    },
  },
  {
    what: "in which another copy of the tracer has left its mark",
    before: () => {
      Object.assign(window, { __PAGESPAN__: {}, Sentry: null, __SENTRY__: undefined })
    },
  },
]
