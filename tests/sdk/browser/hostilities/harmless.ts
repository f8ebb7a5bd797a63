import type { Hostility } from "./hostility.ts"

const deniedStorage = () => {
  for (const name of ["localStorage", "sessionStorage"])
    Object.defineProperty(window, name, {
      get() {
        throw new DOMException("denied", "SecurityError")
      },
    })
}

/** A page with one of these is traced. */
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
    // Without those that React and Next write to: Object, Promise, History.
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
    what: "whose lists cannot be copied in another order, as in Firefox 111",
    before: () => {
      for (const name of ["toReversed", "toSorted", "toSpliced", "with"]) Reflect.deleteProperty(Array.prototype, name)
    },
  },
  {
    what: "with Trusted Types and a strict policy",
    // Turbopack's chunk loader does not support Trusted Types. An app that enforces them needs a default policy.
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
