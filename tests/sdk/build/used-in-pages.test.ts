import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { type PagespanOptions, withPagespan } from "#otel/next.ts"
import { isUsedInPages } from "#otel/sdk/build/used-in-pages.ts"

let directory: string

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "pagespan-sentry-"))
})

afterEach(() => rmSync(directory, { recursive: true }))

function write(path: string, text: string): void {
  mkdirSync(dirname(join(directory, path)), { recursive: true })
  writeFileSync(join(directory, path), text)
}

const CALL = `import * as Sentry from "@sentry/nextjs"\n`
const CLIENT = `"use client"\n${CALL}`

test.each([
  ["instrumentation-client.ts", CALL],
  ["src/instrumentation-client.js", CALL],
  ["sentry.client.config.ts", CALL],
  ["app/error.tsx", CLIENT],
  ["src/app/(shop)/error.tsx", CLIENT],
  ["components/form.tsx", `import { captureException } from '@sentry/react'`],
  ["src/lib/report.ts", CALL],
  ["services/report.ts", CLIENT],
  ["design-system/forms/field.tsx", CLIENT],
  ["_components/field.tsx", CLIENT],
])("%s that imports Sentry's SDK runs in pages", (path, text) => {
  write(path, text)
  expect(isUsedInPages("sentry", directory)).toBe(true)
})

test("an app that uses it gets the module that joins it to the page's traces, before the tracer", () => {
  symlinkSync(join(import.meta.dirname, "../../../node_modules"), join(directory, "node_modules"))
  const injected = (options: PagespanOptions = {}) =>
    withPagespan({}, { projectDirectory: directory, ...options }).instrumentationClientInject
  expect(injected()).toEqual(["pagespan/browser"])
  expect(injected({ sentryInPages: true })).toEqual(["pagespan/sentry", "pagespan/browser"])
  write("instrumentation-client.ts", CALL)
  expect(injected()).toEqual(["pagespan/sentry", "pagespan/browser"])
  expect(injected({ sentryInPages: false })).toEqual(["pagespan/browser"])
})

test.each([
  ["instrumentation.ts", CALL],
  ["sentry.server.config.ts", CALL],
  ["next.config.ts", `import { withSentryConfig } from "@sentry/nextjs/config"`],
  ["app/api/things/route.ts", CALL],
  ["app/page.tsx", CALL],
  ["lib/actions.ts", `"use server"\n${CALL}`],
  ["lib/report.test.ts", CALL],
  ["node_modules/ui/error.js", CLIENT],
  ["services/report.ts", CALL],
  ["services/node_modules/ui/error.js", CLIENT],
  ["public/report.js", CLIENT],
  ["dist/report.js", CLIENT],
  [".next/static/report.js", CLIENT],
  ["app/error.tsx", `"use client"\n`],
])("%s does not", (path, text) => {
  write(path, text)
  expect(isUsedInPages("sentry", directory)).toBe(false)
})

test("a folder of very many files hides no file of the app", () => {
  for (let file = 0; file < 6_000; file += 1) write(`data/${file}.json`, "")
  write("services/report.ts", CLIENT)
  expect(isUsedInPages("sentry", directory)).toBe(true)
  rmSync(join(directory, "services"), { recursive: true })
  for (let file = 0; file < 6_000; file += 1) write(`data/${file}.js`, "")
  expect(isUsedInPages("sentry", directory)).toBe(false)
  write("components/report.ts", CALL)
  expect(isUsedInPages("sentry", directory)).toBe(true)
})

test("whether pages use OpenTelemetry's API is a constant of the build", () => {
  symlinkSync(join(import.meta.dirname, "../../../node_modules"), join(directory, "node_modules"))
  const constant = () =>
    withPagespan({}, { projectDirectory: directory }).compiler?.define?.["__PAGESPAN_API_IN_PAGES__"]
  expect(constant()).toBe("")
  write("app/page.tsx", `import { trace } from "@opentelemetry/api"\n`)
  expect(constant()).toBe("")
  write("components/cart.tsx", `"use client"\nimport { trace } from "@opentelemetry/api"\n`)
  expect(constant()).toBe("true")
})

test("a link that leads nowhere, by which an editor locks a file, stops no build", () => {
  mkdirSync(join(directory, "components"))
  symlinkSync("user@host.4711:1", join(directory, "components/.#button.tsx"))
  expect(isUsedInPages("sentry", directory)).toBe(false)
  write("components/form.tsx", CALL)
  expect(isUsedInPages("sentry", directory)).toBe(true)
})
