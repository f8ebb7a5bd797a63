/** What a page may have done to itself before anything else runs, or what its browser may lack. Each runs in the page. */
export interface Hostility {
  readonly what: string
  readonly before: () => void
}

const missing = (path: string) => (): void => {
  const [owner, name] = path.includes(".") ? path.split(".") : ["window", path]
  const target = owner === "window" ? window : (window as unknown as Record<string, object>)[owner ?? ""]
  Object.defineProperty(target, name ?? "", { value: undefined, configurable: true, writable: true })
}

const throwing = (path: string) => (): void => {
  const [owner, ...names] = path.split(".")
  let target = window as unknown as Record<string, never>
  for (const name of [owner ?? "", ...names.slice(0, -1)]) if (name !== "window") target = target[name] as never
  Object.defineProperty(target, names.at(-1) ?? "", {
    configurable: true,
    get() {
      throw new TypeError("not here")
    },
  })
}

/** Init scripts travel as text, so that what they close over travels with them. */
function scripted(make: (path: string) => () => void, path: string): () => void {
  return `(${String(make)})(${JSON.stringify(path)})()` as unknown as () => void
}

const lacks = (path: string): Hostility => ({ what: `without ${path}`, before: scripted(missing, path) })
const throws = (path: string): Hostility => ({ what: `whose ${path} throws`, before: scripted(throwing, path) })

export const hostilities: readonly Hostility[] = [
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
    what: "in which another copy of the tracer has left its mark",
    before: () => {
      Object.assign(window, { __PAGESPAN__: {}, Sentry: null, __SENTRY__: undefined })
    },
  },
]
