/** What a page may have done to itself before anything else runs, or what its browser may lack. */
export interface Hostility {
  readonly what: string
  /** Runs in the page: a function that closes over nothing, or the source of an expression that makes one. */
  readonly before: string | (() => void)
  /** A content security policy for the document, beside its own. */
  readonly policy?: string
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
      // What drives the test asks for `requestIdleCallback` too.
      if (new Error("who asks").stack?.includes("/_next/")) throw new TypeError("not here")
    },
  })
}

const lacks = (path: string): Hostility => ({
  what: `without ${path}`,
  before: `(${missing})(${JSON.stringify(path)})`,
})
const throws = (path: string): Hostility => ({
  what: `whose ${path} throws`,
  before: `(${throwing})(${JSON.stringify(path)})`,
})

const deniedStorage = () => {
  for (const name of ["localStorage", "sessionStorage"])
    Object.defineProperty(window, name, {
      get() {
        throw new DOMException("denied", "SecurityError")
      },
    })
}

/** Under these the page is traced all the same. */
export const harmless: readonly Hostility[] = [
  { what: "whose storage throws", before: deniedStorage },
  {
    what: "whose storage is full",
    before: () => {
      Storage.prototype.setItem = () => {
        throw new DOMException("full", "QuotaExceededError")
      }
    },
  },
  {
    what: "without storage",
    before: () => {
      Object.defineProperty(window, "localStorage", { value: undefined })
      Object.defineProperty(window, "sessionStorage", { value: undefined })
    },
  },
  {
    what: "with frozen prototypes",
    // Not those that React and Next themselves write to: Object, Promise, History.
    before: () => {
      for (const owner of [Map, Set, Request, Response, Headers, Event, URL, Storage, AbortController, Performance])
        Object.freeze(owner.prototype)
    },
  },
  {
    what: "with a fetch that cannot be replaced",
    before: () => {
      Object.defineProperty(window, "fetch", { value: window.fetch, writable: false, configurable: false })
    },
  },
  {
    what: "with an XMLHttpRequest that cannot be patched",
    before: () => {
      Object.freeze(XMLHttpRequest.prototype)
    },
  },
  {
    what: "with a fetch that others have patched",
    before: () => {
      const native = window.fetch
      window.fetch = (...args) => native(...args)
    },
  },
  {
    what: "without crypto.randomUUID",
    before: () => {
      Object.defineProperty(crypto, "randomUUID", { value: undefined })
    },
  },
  {
    what: "without PerformanceObserver",
    before: () => {
      Object.defineProperty(window, "PerformanceObserver", { value: undefined })
    },
  },
  {
    what: "without requestIdleCallback, CompressionStream and the Navigation API",
    before: () => {
      for (const name of ["requestIdleCallback", "CompressionStream", "navigation"])
        Object.defineProperty(window, name, { value: undefined })
    },
  },
  {
    what: "with Trusted Types and a strict policy",
    // Turbopack's own loader of chunks knows no Trusted Types; an app that enforces them has a default policy.
    before: () => {
      const { trustedTypes } = window as unknown as {
        trustedTypes: { createPolicy(name: string, rules: object): void }
      }
      trustedTypes.createPolicy("default", { createScriptURL: (url: string) => url })
    },
    policy:
      "default-src 'self'; script-src 'self' 'unsafe-inline'; connect-src 'self'; require-trusted-types-for 'script'; trusted-types default nextjs#bundler nextjs",
  },
  {
    what: "whose objects all have a toJSON",
    before: () => {
      Reflect.defineProperty(Object.prototype, "toJSON", { value: undefined, writable: true })
    },
  },
]

/** Whether a page that did this to itself is traced is left open: it must not notice. `crypto` and `navigation` may be missing, but where asking for them throws, Next's router and React break by themselves. */
export const lacking: readonly Hostility[] = [
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
    // Next itself asks an error for its `digest`, and whether it has one: those two must not throw.
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
