import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { planInit } from "#otel/cli/init/plan.ts"
import { read, readyApp, runInit } from "./app-on-disk.ts"

const EXPORT = 'export { onRouterTransitionStart } from "pagespan/browser"\n'
const SENTRY = `{ "dependencies": { "pagespan": "0.1.0", "@sentry/nextjs": "^11.0.0" } }`

/** An app with a version of Next that injects no module into pages, and with these files. */
const oldApp = (files: Readonly<Record<string, string>> = {}, version = "16.2.4") =>
  readyApp({ "node_modules/next/package.json": `{ "version": "${version}" }`, ...files })

describe("init with a Next that injects nothing into pages", () => {
  test.each(["15.3.0", "15.5.29", "16.0.0", "16.2.12", "16.2.0-canary.7"])(
    "starts the page's tracer in a new file: %s",
    async (version) => {
      const directory = await oldApp({}, version)
      const output = await runInit(directory)
      expect(read(directory, "instrumentation-client.js")).toBe(EXPORT)
      expect(output).not.toContain("Left to you: instrumentation-client")
      expect(planInit(directory)!.edits).toEqual([])
    },
  )

  test("names the file as Next looks for it, in TypeScript, whatever the extensions of its routes", async () => {
    const config = `import { withPagespan } from "pagespan/next"\nexport default withPagespan({ pageExtensions: ["page.tsx", "page.ts"] })\n`
    const directory = await oldApp({ "tsconfig.json": "{}", "next.config.mjs": config })
    const paths = planInit(directory)!.edits.map(({ path }) => path)
    expect(paths).toContain("instrumentation-client.ts")
  })

  test("keeps what the file has, without Sentry's tracing, and starts the tracer before Sentry's client", async () => {
    const own = `import { init } from "@sentry/nextjs"\n\ninit({ dsn: "https://key@sentry.test/1", tracesSampleRate: 1 })\n`
    const directory = await oldApp({ "package.json": SENTRY, "instrumentation-client.js": own })
    await runInit(directory)
    expect(read(directory, "instrumentation-client.js")).toBe(
      `import { init } from "@sentry/nextjs"\nimport "pagespan/sentry"\n\ninit({ dsn: "https://key@sentry.test/1" })\n\n${EXPORT}`,
    )
    expect(planInit(directory)!.edits).toEqual([])
  })

  test("joins a Sentry client that an imported file sets up, in a second run too, without that file's tracing", async () => {
    const own = `import { captureRouterTransitionStart } from "@sentry/nextjs"\nimport { setUp } from "@/lib/sentry"\n\nsetUp()\n\nexport const onRouterTransitionStart = captureRouterTransitionStart\n`
    const setUp = (option: string) =>
      `import * as Sentry from "@sentry/nextjs"\n\nexport const setUp = () => Sentry.init({ dsn: window.dsn${option} })\n`
    const view = `"use client"\nimport * as Sentry from "@sentry/nextjs"\nexport default function View({ error }) {\n  Sentry.captureException(error)\n  return null\n}\n`
    const files = { "package.json": SENTRY, "lib/sentry.js": setUp(", tracesSampleRate: 1"), "app/error.js": view }
    const directory = await oldApp({ ...files, "instrumentation-client.js": own })
    await runInit(directory)
    expect(read(directory, "lib/sentry.js")).toBe(setUp(""))
    expect(read(directory, "app/error.js")).toBe(view)
    const client = read(directory, "instrumentation-client.js")
    expect(client).toContain(`import "pagespan/sentry"\n`)
    writeFileSync(join(directory, "instrumentation-client.js"), client.replace(`import "pagespan/sentry"\n`, ""))
    await runInit(directory)
    expect(read(directory, "instrumentation-client.js")).toContain(`import "pagespan/sentry"\n`)
    expect(planInit(directory)!.edits).toEqual([])
  })

  test.each([
    ["js", ""],
    ["ts", ": string"],
  ])("calls both hooks where the file exports Sentry's: .%s", async (extension, type) => {
    const own = `// of the app\nimport * as Sentry from '@sentry/nextjs';\n\nSentry.init({ tracesSampleRate: 1, debug: true });\n\n// of Sentry\nexport const onRouterTransitionStart = Sentry.captureRouterTransitionStart;\n`
    const file = `instrumentation-client.${extension}`
    const directory = await oldApp({ "package.json": SENTRY, [file]: own })
    await runInit(directory)
    expect(read(directory, file)).toBe(`// of the app
import * as Sentry from '@sentry/nextjs';
import 'pagespan/sentry';
import { onRouterTransitionStart as startPagespanNavigation } from 'pagespan/browser';

Sentry.init({ debug: true });

// of Sentry
export function onRouterTransitionStart(url${type}, navigationType${type}) {
  startPagespanNavigation(url, navigationType);
  Sentry.captureRouterTransitionStart(url, navigationType);
}
`)
    const { edits } = planInit(directory)!
    expect(edits.map(({ path }) => path)).not.toContain(file)
  })

  test.each([
    "export const onRouterTransitionStart = () => {}\n",
    "export function onRouterTransitionStart(url) {\n  report(url)\n}\n",
    'export { onRouterTransitionStart } from "./transitions"\n',
  ])("leaves a file with a hook of its own to the author, with the lines to add: %s", async (own) => {
    const directory = await oldApp({ "instrumentation-client.js": own })
    const output = await runInit(directory)
    expect(read(directory, "instrumentation-client.js")).toBe(own)
    expect(output).toContain("Left to you: instrumentation-client.js: start the page's tracer")
    expect(output).toContain(
      `    import { onRouterTransitionStart as startPagespanNavigation } from "pagespan/browser"\n    startPagespanNavigation(url, navigationType)`,
    )
  })

  test("leaves a CommonJS file to the author", async () => {
    const own = "module.exports = {}\n"
    const directory = await oldApp({ "instrumentation-client.js": own })
    expect(await runInit(directory)).toContain(`start the page's tracer`)
    expect(read(directory, "instrumentation-client.js")).toBe(own)
  })

  test("changes nothing where the file reports navigations to the tracer", async () => {
    const own = `import { onRouterTransitionStart as started } from "pagespan/browser"\nexport const onRouterTransitionStart = (url, type) => started(url, type)\n`
    const { edits, notes } = planInit(await oldApp({ "instrumentation-client.js": own }))!
    expect(edits.map(({ path }) => path)).not.toContain("instrumentation-client.js")
    expect(notes).toEqual([])
  })
})

test.each(["16.3.0", "16.4.6", "17.0.0-canary.1"])(
  "init adds no such file with Next %s, which injects",
  async (version) => {
    const { edits } = planInit(await oldApp({}, version))!
    expect(edits.map(({ path }) => path)).not.toContain("instrumentation-client.js")
  },
)
