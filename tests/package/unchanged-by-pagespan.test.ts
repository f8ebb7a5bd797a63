import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type Comparison, compare, SERVER_ERROR } from "./comparison/compare.ts"
import { type Visit, visit } from "./comparison/visit.ts"
import { launchChromium } from "#tests/support/chromium.ts"
import { freePort } from "#tests/support/free-port.ts"
import { RecordingCollector } from "#tests/support/recording-collector.ts"
import { RecordingSentry } from "#tests/support/recording-sentry.ts"
import { ForeignApp, NEXT_PACKAGES, SENTRY_PACKAGES } from "./foreign-app.ts"

/** One app, with Pagespan and without, in the same browser: the same pages, the same console, and a root for each view. */

const PLAN = { loads: ["/", "/team", "/items/7?from=mail", "/no-such-page"], links: 4 }

const FILES: Readonly<Record<string, string>> = {
  "tsconfig.json": `{
  "compilerOptions": {
    "target": "ES2017", "lib": ["dom", "dom.iterable", "esnext"], "skipLibCheck": true, "strict": true, "noEmit": true,
    "esModuleInterop": true, "module": "esnext", "moduleResolution": "bundler", "resolveJsonModule": true,
    "isolatedModules": true, "jsx": "react-jsx", "plugins": [{ "name": "next" }]
  },
  "include": ["next-env.d.ts", "**/*.ts", "**/*.tsx", ".next/types/**/*.ts"], "exclude": ["node_modules"]
}
`,
  "next.config.mjs": `export default { poweredByHeader: false };
`,
  "app/layout.tsx": `import Link from 'next/link';
import type { ReactNode } from 'react';

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <body>
        <nav>
          <Link href="/about">About</Link> <Link href="/items/7">Item</Link> <Link href="/team">Team</Link>{' '}
          <a href="/items/8">Item, loaded</a> <Link href="/">Home</Link>
        </nav>
        {children}
      </body>
    </html>
  );
}
`,
  "app/page.tsx": `export default function Home() {
  return <h1>Home</h1>;
}
`,
  "app/(info)/about/page.tsx": `import { Field } from './field';

export default function About() {
  return <Field name="About" />;
}
`,
  "app/(info)/about/field.tsx": `'use client';

import { useEffect, useId } from 'react';

export function Field({ name }: { name: string }) {
  const id = useId();
  useEffect(() => console.warn('a warning of the app'), []);
  return (
    <>
      <label htmlFor={id}>{name}</label>
      <input id={id} />
    </>
  );
}
`,
  "app/items/[id]/page.tsx": `import { Suspense } from 'react';

async function Stock() {
  await new Promise((resolve) => setTimeout(resolve, 100));
  return <p>In stock</p>;
}

export default async function Item({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  return (
    <main>
      <h1>Item {id}</h1>
      <Suspense fallback={<p>Loading</p>}>
        <Stock />
      </Suspense>
    </main>
  );
}
`,
  "app/team/layout.tsx": `import type { ReactNode } from 'react';

export default function Team({ children, side }: { children: ReactNode; side: ReactNode }) {
  return (
    <main>
      {children}
      <aside>{side}</aside>
    </main>
  );
}
`,
  "app/team/page.tsx": `export default function Page() {
  return <h1>Team</h1>;
}
`,
  "app/team/@side/page.tsx": `import { headers } from 'next/headers';

export default async function Side() {
  return <p>{(await headers()).get('accept-language')}</p>;
}
`,
  "app/api/comparison/route.ts": `import { headers } from 'next/headers';

export async function GET(): Promise<Response> {
  await headers();
  throw new Error('${SERVER_ERROR}');
}
`,
}

const apps: ForeignApp[] = []
let sentry: RecordingSentry
let collector: RecordingCollector
let browser: Browser

beforeAll(async () => {
  sentry = await new RecordingSentry().listen()
  collector = await new RecordingCollector().listen()
  browser = await launchChromium()
})

afterAll(async () => {
  await browser?.close()
  for (const app of apps) await app.remove()
  await sentry?.close()
  await collector?.close()
})

/** Builds and starts the app, and opens its pages once for each of `times`. */
async function visitsOf(isAdopted: boolean, times: number): Promise<Visit[]> {
  const app = await ForeignApp.create("empty", [...NEXT_PACKAGES, ...(isAdopted ? SENTRY_PACKAGES : [])])
  apps.push(app)
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(app.directory, path)), { recursive: true })
    writeFileSync(join(app.directory, path), text)
  }
  if (isAdopted) await app.run("pagespan", ["init", "--yes", "--no-install"])
  await app.run("next", ["build"], { NODE_ENV: "production" })
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const sending = { SENTRY_DSN: sentry.dsn, OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint }
  app.spawn("next", ["start", "--port", String(port), "--hostname", "127.0.0.1"], {
    NODE_ENV: "production",
    ...(isAdopted ? sending : {}),
  })
  await app.answers(`${origin}/about`)
  await fetch(`${origin}/api/comparison`)
  const visits: Visit[] = []
  for (let time = 0; time < times; time++) visits.push(await visit(browser, origin, PLAN))
  return visits
}

describe("an app that init adopted, beside the same app without Pagespan", () => {
  let comparison: Comparison

  beforeAll(async () => {
    const [first, second] = await visitsOf(false, 2)
    const [adopted] = await visitsOf(true, 1)
    comparison = await compare([first!, second!], adopted!, collector, sentry)
  }, 900_000)

  test("shows the same HTML and the same documents", () => {
    expect(comparison.html).toMatchObject({ wrong: [], right: comparison.html.of })
    expect(comparison.html.of).toBeGreaterThan(20)
  })

  test("says the same in the console", () => {
    expect(comparison.console.wrong).toEqual([])
    expect(comparison.console.of).toBeGreaterThan(1)
  })

  test("names each root by the route that Next's router shows", () => {
    expect(comparison.names.wrong).toEqual([])
    expect(comparison.names.of).toBeGreaterThan(10)
  })

  test("has one trace for each page and the server that rendered it", () => {
    expect(comparison.traces.wrong).toEqual([])
    expect(comparison.traces.of).toBeGreaterThan(5)
  })

  test("reports each error once, on the trace of its page or request", () => {
    expect(comparison.errors.wrong).toEqual([])
  })
})
