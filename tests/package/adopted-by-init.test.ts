import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { launchChromium } from "#tests/support/chromium.ts"
import { freePort } from "#tests/support/free-port.ts"
import { RecordingCollector } from "#tests/support/recording-collector.ts"
import { type Payload, RecordingSentry } from "#tests/support/recording-sentry.ts"
import { ForeignApp, NEXT_PACKAGES, SENTRY_PACKAGES } from "./foreign-app.ts"

/**
 * An app with everything that `init` edits, as its author may have written it: tabs, CRLF, a byte order mark, single quotes,
 * a function as configuration, a proxy that redirects every path, a root layout below `[locale]`, an error view.
 */

const FILES: Readonly<Record<string, string>> = {
  "tsconfig.json": `{
  "compilerOptions": {
    "target": "ES2017", "lib": ["dom", "dom.iterable", "esnext"], "skipLibCheck": true, "strict": true, "noEmit": true,
    "noUnusedLocals": true, "esModuleInterop": true, "module": "esnext", "moduleResolution": "bundler",
    "resolveJsonModule": true, "isolatedModules": true, "jsx": "react-jsx", "plugins": [{ "name": "next" }]
  },
  "include": ["next-env.d.ts", "**/*.ts", "**/*.tsx", ".next/types/**/*.ts"], "exclude": ["node_modules"]
}
`,
  "next.config.ts": `export default async function config(phase: string) {
  return { poweredByHeader: false, env: { PHASE: phase } };
}
`,
  "instrumentation.ts": `export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return;
  console.log('my own code');
}

export const onRequestError = (error: unknown) => console.log('my own hook', String(error));
`,
  "proxy.ts": `import { type NextRequest, NextResponse } from 'next/server';

export function proxy(request: NextRequest) {
  if (request.nextUrl.pathname.startsWith('/en')) return NextResponse.next();
  return NextResponse.redirect(new URL('/en', request.url));
}

export const config = {
  matcher: '/((?!api|trpc|_next|_vercel|.*\\\\..*).*)',
};
`,
  "app/[locale]/layout.tsx": `import type { ReactNode } from 'react';

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <body>{children}</body>
    </html>
  );
}
`,
  "app/[locale]/error.tsx": `'use client';

export default function ErrorView({ reset }: { error: Error; reset: () => void }) {
  return <button onClick={reset}>Again</button>;
}
`,
  "app/[locale]/page.tsx": `import { Fail } from './fail';

export const dynamic = 'force-dynamic';

export default function Page() {
  return <Fail />;
}
`,
  "app/[locale]/fail.tsx": `'use client';

import { useState } from 'react';

export function Fail() {
  const [failed, fail] = useState(false);
  if (failed) throw new Error('a view failed');
  return <button onClick={() => fail(true)}>Fail</button>;
}
`,
}

let app: ForeignApp
let sentry: RecordingSentry
let collector: RecordingCollector
let browser: Browser
let origin: string

beforeAll(async () => {
  sentry = await new RecordingSentry().listen()
  collector = await new RecordingCollector().listen()
  browser = await launchChromium()
  app = await ForeignApp.create("empty", [...NEXT_PACKAGES, ...SENTRY_PACKAGES])
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(app.directory, path)), { recursive: true })
    const written = text.replaceAll(/^(?: {2})+/gm, (indent) => "\t".repeat(indent.length / 2)).replaceAll("\n", "\r\n")
    writeFileSync(join(app.directory, path), path.endsWith(".json") ? text : `\uFEFF${written}`)
  }
})

afterAll(async () => {
  await browser?.close()
  await app?.remove()
  await sentry?.close()
  await collector?.close()
})

test("init adopts the app: it asks for its hook, and for nothing in a second run but that", async () => {
  const output = await app.run("pagespan", ["init", "--yes", "--dsn", sentry.dsn])
  const left = output.split("\n").filter((line) => line.startsWith("Left to you"))
  expect(left).toEqual([
    "Left to you: instrumentation.ts: call onRequestError from pagespan/server in your onRequestError",
  ])
  const again = await app.run("pagespan", ["init", "--yes", "--dsn", sentry.dsn])
  expect(again).toContain("Nothing was changed")
})

test("the app builds with a strict type check, and doctor starts it, opens its page and finds nothing missing", async () => {
  await app.run("next", ["build"], { NODE_ENV: "production" })
  const output = await app.run("pagespan", ["doctor", ".", "--url", "http://127.0.0.1:9"])
  expect(output).not.toContain("missing")
  expect(output).toContain("ok       next start started the app")
  expect(output).toContain("note     left to you: instrumentation.ts: call onRequestError")
  expect(output).toContain("ok       the page sent the page load /[locale] to /monitoring")
  const [, eventId = ""] = /accepted the test error, event ([0-9a-f]{32})/.exec(output) ?? []
  const [, traceId = "", entries = ""] = /the collector has the trace ([0-9a-f]{32}): (.*)/.exec(output) ?? []
  // The page's root starts with the request, and the server's first span is that of its proxy.
  expect(entries).toMatch(/^\/\[locale\] of (\S+)-browser, middleware GET of \1$/)
  const event = await sentry.waitForError("of doctor", (each) => each["event_id"] === eventId)
  expect(event).toMatchObject({ transaction: "/[locale]", contexts: { trace: { trace_id: traceId } } })
}, 600_000)

test("doctor examines the running app without a browser", async () => {
  const port = await freePort()
  origin = `http://127.0.0.1:${port}`
  app.spawn("next", ["start", "--port", String(port), "--hostname", "127.0.0.1"], {
    NODE_ENV: "production",
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
  })
  await app.answers(`${origin}/en`)
  expect(app.output).toContain("my own code")
  const output = await app.run("pagespan", ["doctor", origin, "--no-browser", "--url", "http://127.0.0.1:9"])
  expect(output).not.toContain("missing")
  const event = await sentry.waitForError("of doctor", ({ transaction }) => transaction === "pagespan doctor")
  const span = await collector.waitForSpan("of doctor", ({ name }) => name === "pagespan doctor")
  expect(event["contexts"].trace.trace_id).toBe(span.traceId)
}, 600_000)

test("the error view reports what its boundary caught, once, on the trace of its page", async () => {
  const ofView = ({ exception }: Payload) => exception.values.at(-1).value === "a view failed"
  sentry.clear()
  const page = await browser.newPage()
  await page.goto(origin)
  await sentry.waitForTransaction("of the load", ({ contexts }) => contexts.trace.op === "pageload")
  await page.getByRole("button", { name: "Fail" }).click()
  await page.getByRole("button", { name: "Again" }).waitFor()
  const event = await sentry.waitForError("of the view", ofView)
  await page.close()
  const load = sentry.transactions().find(({ contexts }) => contexts.trace.op === "pageload")!
  expect(event["contexts"].trace.trace_id).toBe(load["contexts"].trace.trace_id)
  expect(sentry.errors().filter(ofView)).toHaveLength(1)
})
