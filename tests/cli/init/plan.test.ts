import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, test } from "vitest"
import { planInit } from "#otel/cli/init/plan.ts"
import { appOnDisk, LAYOUT } from "./app-on-disk.ts"

/** The files by path after the edits. A second plan for them must be empty. */
async function edited(files: Readonly<Record<string, string>>): Promise<Readonly<Record<string, string>>> {
  const directory = await appOnDisk(files)
  const plan = planInit(directory)!
  for (const { path, after } of plan.edits) {
    mkdirSync(dirname(join(directory, path)), { recursive: true })
    writeFileSync(join(directory, path), after)
  }
  expect(planInit(directory)!.edits, "a second run").toEqual([])
  return Object.fromEntries(plan.edits.map(({ path, after }) => [path, after]))
}

describe("a fresh app", () => {
  test("in TypeScript that was never built, so that it has no tsconfig.json, gets files in TypeScript", async () => {
    const after = await edited({ "app/layout.tsx": LAYOUT })
    expect(Object.keys(after).filter((path) => /\.jsx?$/.test(path))).toEqual([])
    expect(Object.keys(after)).toContain("instrumentation.ts")
  })

  test("in TypeScript in src/ gets six edits that keep its own code", async () => {
    const after = await edited({
      "tsconfig.json": "{}",
      "next.config.ts": `import type { NextConfig } from "next";\n\nconst nextConfig: NextConfig = {\n  // mine\n};\n\nexport default nextConfig;\n`,
      "src/app/layout.tsx": `import type { ReactNode } from "react"\nimport "./globals.css"\n\n${LAYOUT}`,
    })
    expect(after).toEqual({
      "next.config.ts": `import type { NextConfig } from "next";\nimport { withPagespan } from "pagespan/next";\n\nconst nextConfig: NextConfig = {\n  // mine\n};\n\nexport default withPagespan(nextConfig);\n`,
      "src/instrumentation.ts": `export { register, onRequestError } from "pagespan/server"\n`,
      "src/app/layout.tsx": `import type { ReactNode } from "react"
import "./globals.css"
import { Suspense } from "react"
import { RouteObserver } from "pagespan/react"

export default function Layout({ children }) {
  return (
    <html>
      <body>
        <Suspense fallback={null}>
          <RouteObserver />
        </Suspense>
        {children}
      </body>
    </html>
  )
}
`,
      "src/app/monitoring/route.ts": `export { POST } from "pagespan/tunnel"\n`,
      "src/app/error.tsx": `"use client"

import { useEffect } from "react"
import { reportError } from "pagespan/react"

export default function ErrorView({ error, reset }: { error: Error & { digest?: string }; reset: () => void }) {
  useEffect(() => reportError(error), [error])
  return (
    <main>
      <h1>Something went wrong</h1>
      <button type="button" onClick={() => reset()}>
        Try again
      </button>
    </main>
  )
}
`,
      "src/app/global-error.tsx": expect.stringMatching(/<html lang="en">\n {6}<body>\n {8}<main>/),
    })
  })

  test("in JavaScript without a configuration gets a configuration", async () => {
    const after = await edited({ "app/layout.js": LAYOUT })
    expect(after["next.config.mjs"]).toBe(
      `import { withPagespan } from "pagespan/next"\n\nexport default withPagespan({})\n`,
    )
    expect(Object.keys(after)).toContain("app/monitoring/route.js")
    expect(Object.keys(after)).toContain("instrumentation.js")
    expect(after["app/layout.js"]).toMatch(/^import \{ Suspense \} from "react"\nimport \{ RouteObserver \}/)
  })
})

describe("a configuration", () => {
  test.each([
    [
      "CommonJS",
      "next.config.js",
      `/** @type {import("next").NextConfig} */\nmodule.exports = { reactStrictMode: true }\n`,
      `const { withPagespan } = require("pagespan/next")\n\n/** @type {import("next").NextConfig} */\nmodule.exports = withPagespan({ reactStrictMode: true })\n`,
    ],
    [
      "with another wrapper",
      "next.config.mjs",
      `import { withSentryConfig } from "@sentry/nextjs/config"\nexport default withSentryConfig({}, { org: "o" })\n`,
      `import { withSentryConfig } from "@sentry/nextjs/config"\nimport { withPagespan } from "pagespan/next"\nexport default withPagespan(withSentryConfig({}, { org: "o" }))\n`,
    ],
  ])("in %s is wrapped", async (_, path, before, expected) => {
    expect((await edited({ [path]: before, "app/layout.js": LAYOUT }))[path]).toBe(expected)
  })

  test.each([
    [
      `export default (phase) => ({ distDir: phase })\n`,
      `export default withPagespan((phase) => ({ distDir: phase }))\n`,
    ],
    [
      `export default async function config() {\n  return {}\n}\n`,
      `export default withPagespan(async function config() {\n  return {}\n})\n`,
    ],
    [`const config = async () => ({})\nexport default config\n`, `export default withPagespan(config)\n`],
    [
      `export default withPlugin(async (phase) => ({ distDir: phase }))\n`,
      `export default withPagespan(withPlugin(async (phase) => ({ distDir: phase })))\n`,
    ],
  ])("that is a function is wrapped: %j", async (text, expected) => {
    const after = await edited({ "next.config.mjs": text, "app/layout.js": LAYOUT })
    expect(after["next.config.mjs"]).toContain(expected)
  })

  test.each([
    `export default makeConfig()\n`,
    `export default Promise.resolve({})\n`,
    `export default (async () => ({}))()\n`,
    `this is no script {\n`,
  ])("that only its author can change gets a note: %j", async (text) => {
    const plan = planInit(await appOnDisk({ "next.config.mjs": text, "app/layout.js": LAYOUT }))!
    expect(plan.edits.map(({ path }) => path)).not.toContain("next.config.mjs")
    expect(plan.notes.join()).toContain("next.config.mjs: wrap the exported configuration")
  })
})

describe("an existing instrumentation", () => {
  test("still runs, and Pagespan starts after it", async () => {
    const before = `export async function register() {\n  await import("./mine")\n}\n`
    const after = await edited({ "instrumentation.ts": before, "app/layout.js": LAYOUT })
    expect(after["instrumentation.ts"]).toBe(
      `import { register as registerPagespan } from "pagespan/server"\n\nexport async function register() {\n  await import("./mine")\n  await registerPagespan()\n}\n\nexport { onRequestError } from "pagespan/server"\n`,
    )
  })

  test("becomes asynchronous, as a function or a variable", async () => {
    const declared = await edited({ "instrumentation.js": `export function register() {}\n`, "app/layout.js": LAYOUT })
    expect(declared["instrumentation.js"]).toContain(
      "export async function register() {\n  await registerPagespan()\n}",
    )
    const assigned = await edited({
      "instrumentation.js": `export const register = () => {\n  start()\n}\n`,
      "app/layout.js": LAYOUT,
    })
    expect(assigned["instrumentation.js"]).toContain(
      "export const register = async () => {\n  start()\n  await registerPagespan()\n}",
    )
  })

  test.each([
    `if (process.env.NEXT_RUNTIME === "edge") {\n    edge()\n  } else {\n    return start()\n  }`,
    `if (process.env.NEXT_RUNTIME === "edge") return\n  else if (process.env.ON) return start()`,
    `if (!(process.env.NEXT_RUNTIME === "edge")) return start()`,
  ])("that may return in Node.js is left to its author: %j", async (body) => {
    const text = `export async function register() {\n  ${body}\n}\n`
    const plan = planInit(await appOnDisk({ "app/layout.tsx": LAYOUT, "instrumentation.ts": text }))
    expect(plan?.edits.map(({ path }) => path)).not.toContain("instrumentation.ts")
    expect(plan?.notes.join()).toContain("instrumentation.ts: call register from pagespan/server in your register")
  })

  test.each([
    `if (process.env.NEXT_RUNTIME === "edge") return\n  else start()`,
    `if (process.env.NEXT_RUNTIME === "edge") return edge()\n  else if (process.env.NEXT_RUNTIME !== "nodejs") return`,
  ])("that returns in other runtimes alone gets its call: %j", async (body) => {
    const text = `export async function register() {\n  ${body}\n}\n`
    const after = await edited({ "app/layout.tsx": LAYOUT, "instrumentation.ts": text })
    expect(after["instrumentation.ts"]).toContain(`  ${body}\n  await registerPagespan()\n}`)
  })

  test("keeps its onRequestError, and a note names the call to add", async () => {
    const text = `export async function onRequestError(error) {\n  log(error)\n}\n`
    const plan = planInit(await appOnDisk({ "instrumentation.js": text, "app/layout.js": LAYOUT }))!
    expect(plan.edits.find(({ path }) => path === "instrumentation.js")!.after).toContain("log(error)")
    expect(plan.notes.join()).toContain(
      "instrumentation.js: call onRequestError from pagespan/server in your onRequestError\n",
    )
  })
})

test("an app keeps @sentry/nextjs without its tracing", async () => {
  const files = {
    "package.json": `{ "dependencies": { "@sentry/nextjs": "11" } }`,
    "app/layout.js": LAYOUT,
    "instrumentation.ts": `import * as Sentry from "@sentry/nextjs"\n\nexport async function register() {\n  await import("./sentry.server.config")\n}\n\nexport const onRequestError = Sentry.captureRequestError\n`,
    "sentry.server.config.ts": `import * as Sentry from "@sentry/nextjs"\n\nSentry.init({\n  dsn: "https://key@sentry.test/1",\n  tracesSampleRate: 1,\n  debug: false,\n})\n`,
    "instrumentation-client.ts": `import * as Sentry from "@sentry/nextjs"\n\nSentry.init({ dsn: "https://key@sentry.test/1", tracesSampleRate: 1.0 })\n\nexport const onRouterTransitionStart = Sentry.captureRouterTransitionStart\n`,
  }
  const after = await edited(files)
  expect(after["sentry.server.config.ts"]).toBe(
    `import * as Sentry from "@sentry/nextjs"\n\nSentry.init({\n  dsn: "https://key@sentry.test/1",\n  debug: false,\n})\n`,
  )
  expect(after["instrumentation-client.ts"]).toBe(
    `import * as Sentry from "@sentry/nextjs"\n\nSentry.init({ dsn: "https://key@sentry.test/1" })\n\nexport const onRouterTransitionStart = Sentry.captureRouterTransitionStart\n`,
  )
  expect(after["instrumentation.ts"]).toContain(`export { onRequestError } from "pagespan/server"`)
  expect(after["instrumentation.ts"]).not.toMatch(/captureRequestError|@sentry/)
  expect(planInit(await appOnDisk(files))!.notes).toEqual([])
})

test("Sentry.init in instrumentation loses its tracing, also where only the author can add the call of register", async () => {
  const files = (body: string) => ({
    "package.json": `{ "dependencies": { "@sentry/nextjs": "11" } }`,
    "app/layout.js": LAYOUT,
    "instrumentation.ts": `import * as Sentry from "@sentry/nextjs"\n\nexport async function register() {\n${body}}\n`,
  })
  const call = `  Sentry.init({ tracesSampleRate: 1, debug: true })\n`
  const after = await edited(files(call))
  expect(after["instrumentation.ts"]).toContain("  Sentry.init({ debug: true })\n  await registerPagespan()\n")
  const early = files(`  if (!process.env.DSN) return\n${call}`)
  expect((await edited(early))["instrumentation.ts"]).toContain("return\n  Sentry.init({ debug: true })\n}")
  expect(planInit(await appOnDisk(early))!.notes.join()).toContain(
    "instrumentation.ts: call register from pagespan/server",
  )
})

test("a directory without an App Router app has no plan", async () => {
  expect(planInit(await appOnDisk({ "pages/index.js": "" }))).toBeUndefined()
})
