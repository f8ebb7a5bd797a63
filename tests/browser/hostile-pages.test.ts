import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { launchChromium } from "#tests/support/chromium.ts"
import { RecordingSentry } from "#tests/support/recording-sentry.ts"
import { type AppUnderTest, startApp } from "./app-under-test.ts"
import { hostilities as lacking } from "./hostilities.ts"
import { open, rootsOf, shows, storyOf } from "./visit.ts"

let browser: Browser
let sentry: RecordingSentry
let app: AppUnderTest

beforeAll(async () => {
  browser = await launchChromium()
  sentry = await new RecordingSentry().listen()
  app = await startApp("routes", { environment: { SENTRY_DSN: sentry.dsn } })
}, 240_000)

afterAll(async () => {
  await app?.stop()
  await browser?.close()
  await sentry?.close()
})

beforeEach(() => sentry.clear())

interface Hostility {
  readonly what: string
  /** Runs in the page before everything else. */
  readonly before: () => void
  /** Headers of the document that replace its own. */
  readonly headers?: Readonly<Record<string, string>>
}

const throwing = () => {
  for (const name of ["localStorage", "sessionStorage"])
    Object.defineProperty(window, name, {
      get() {
        throw new DOMException("denied", "SecurityError")
      },
    })
}

const hostilities: readonly Hostility[] = [
  { what: "whose storage throws", before: throwing },
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
    headers: {
      "content-security-policy":
        "default-src 'self'; script-src 'self' 'unsafe-inline'; connect-src 'self'; require-trusted-types-for 'script'; trusted-types default nextjs#bundler nextjs",
    },
  },
  {
    what: "whose objects all have a toJSON",
    before: () => {
      Reflect.defineProperty(Object.prototype, "toJSON", { value: undefined, writable: true })
    },
  },
]

async function openHostile(page: Page, { before, headers }: Hostility): Promise<string[]> {
  const noise: string[] = []
  page.on("pageerror", (error) => noise.push(String(error)))
  page.on("console", (message) => noise.push(`${message.type()}: ${message.text()}`))
  await page.addInitScript(before)
  if (headers !== undefined)
    await page.route(
      (url) => url.pathname === "/static",
      async (intercepted) => {
        const response = await intercepted.fetch()
        await intercepted.fulfill({ response, headers: { ...response.headers(), ...headers } })
      },
    )
  await open(page, `${app.origin}/static`)
  await page.waitForTimeout(800)
  await page.getByRole("link", { name: "/items/1", exact: true }).click()
  await shows(page, "item 1")
  return noise
}

test.each(hostilities)("a page $what works, hears nothing of the tracer, and is traced", async (hostility) => {
  const context = await browser.newContext()
  const page = await context.newPage()
  const noise = await openHostile(page, hostility)
  const roots = await rootsOf(page, sentry, 2)
  expect(noise).toEqual([])
  expect(storyOf(roots)).toEqual(["pageload /static", "navigation /items/[id] by push"])
})

/** Whether a page that did this to itself is traced is left open: it must not notice. */
test.concurrent.each(lacking)("a page $what works and hears nothing of the tracer", async (hostility) => {
  const context = await browser.newContext()
  const noise = await openHostile(await context.newPage(), hostility)
  await context.close()
  expect(noise).toEqual([])
})
