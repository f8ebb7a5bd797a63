import { execFileSync } from "node:child_process"
import { chmodSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, test } from "vitest"
import { planInit } from "#otel/cli/init/plan.ts"
import { appOnDisk, LAYOUT, read, READY, readyApp, runInit } from "./app-on-disk.ts"

const DSN = "https://publickey@sentry.test/1"
const SENTRY_READY = `{ "dependencies": { "pagespan": "0.1.0", "@sentry/nextjs": "^11.0.0" } }`
const WITH_BOUNDARIES = `{ "dependencies": { "pagespan": "0.1.0", "react-error-boundary": "^6.0.0" } }`
const CONFIG = "export default {}\n"

function sampled(option: string): string {
  return `import * as Sentry from "@sentry/nextjs"\nSentry.init({ dsn: "${DSN}", ${option} })\n`
}

describe("SENTRY_DSN in .env", () => {
  test.each([
    ["", `SENTRY_DSN=${DSN}\n`],
    ["SECRET=1", `SECRET=1\nSENTRY_DSN=${DSN}\n`],
    ["SECRET=1\r\n", `SECRET=1\r\nSENTRY_DSN=${DSN}\r\n`],
    ["# SENTRY_DSN=old\nSECRET=1\n", `# SENTRY_DSN=old\nSECRET=1\nSENTRY_DSN=${DSN}\n`],
  ])("is added below %j, which the output does not show", async (before, after) => {
    const directory = await readyApp({ ".env": before })
    const output = await runInit(directory, { dsn: DSN })
    expect(read(directory, ".env")).toBe(after)
    expect(output).toContain("SENTRY_DSN=… in .env")
    expect(output).not.toMatch(/SECRET|publickey/)
    expect(planInit(directory, DSN)!.edits).toEqual([])
  })

  test.each([".env", ".env.local", ".env.production"])("of another project in %s is kept", async (file) => {
    const directory = await readyApp({ [file]: "export SENTRY_DSN='https://key@other.test/2'\n" })
    const output = await runInit(directory, { dsn: DSN })
    expect(read(directory, file)).toBe("export SENTRY_DSN='https://key@other.test/2'\n")
    expect(output).toContain(`Left to you: ${file}: SENTRY_DSN is set to another DSN`)
  })

  test("gets a warning while git tracks .env or would, and none while git ignores it", async () => {
    const directory = await readyApp({ ".gitignore": "node_modules\n" })
    const git = (...words: string[]) => execFileSync("git", ["-C", directory, ...words], { stdio: "ignore" })
    git("init")
    const notes = () => planInit(directory, DSN)!.notes.join("\n")
    expect(notes()).toContain(".env is not ignored by git")
    writeFileSync(join(directory, ".env"), "A=1\n")
    git("add", ".env")
    expect(notes()).toContain(".env is tracked by git")
    git("rm", "--cached", ".env")
    writeFileSync(join(directory, ".gitignore"), ".env*\n")
    expect(notes()).not.toContain(".env is")
  })

  test("is asked for while Sentry.init has a DSN in pages alone, where the server cannot see it", async () => {
    const init = `import { init } from "@sentry/nextjs"\ninit({ dsn: "${DSN}" })\n`
    const files = { "package.json": SENTRY_READY, "instrumentation-client.js": init }
    const onServer = { ...files, "sentry.server.config.js": init }
    expect(planInit(await readyApp(onServer))!.notes.join()).not.toContain("SENTRY_DSN")
    expect(planInit(await readyApp(files))!.notes.join()).toContain("Set SENTRY_DSN to the DSN of your Sentry.init")
    expect(planInit(await readyApp({ ...files, ".env.local": `SENTRY_DSN=${DSN}\n` }))!.notes.join()).not.toContain(
      "SENTRY_DSN",
    )
  })

  test("must be a DSN", async () => {
    await expect(runInit(await readyApp({}), { dsn: "sentry.test" })).rejects.toThrow(
      "--dsn must look like https://key@host/1",
    )
  })
})

test("new routes have an extension that pageExtensions lists, and the configuration is the one that Next reads", async () => {
  const directory = await readyApp({
    "tsconfig.json": "{}",
    "next.config.js": `module.exports = { pageExtensions: ["page.tsx", "page.ts"] }\n`,
    "next.config.ts": CONFIG,
  })
  expect(planInit(directory)!.edits.map(({ path }) => path)).toEqual([
    "next.config.js",
    "instrumentation.page.ts",
    "app/layout.js",
    "app/monitoring/route.page.ts",
    "app/error.page.tsx",
    "app/global-error.page.tsx",
  ])
})

test("a changed file keeps its mode and stays a symbolic link", async () => {
  const directory = await readyApp({ "config/real.mjs": CONFIG })
  chmodSync(join(directory, "config/real.mjs"), 0o640)
  symlinkSync("config/real.mjs", join(directory, "next.config.mjs"))
  await runInit(directory)
  expect(read(directory, "config/real.mjs")).toContain("withPagespan")
  expect((statSync(join(directory, "config/real.mjs")).mode & 0o777).toString(8)).toBe("640")
})

describe("in words, until it is done, init names", () => {
  const NOTICES: readonly (readonly [
    what: string,
    open: Record<string, string>,
    done: Record<string, string>,
    words: string,
  ])[] = [
    [
      "registerOTel of @vercel/otel",
      {
        "instrumentation.js": `import { registerOTel } from "@vercel/otel"\nexport function register() {\n  registerOTel("shop")\n}\n`,
      },
      {
        "instrumentation.js": `import { registerOTel } from "@vercel/otel"\nimport { PagespanSpanProcessor } from "pagespan/server"\nexport function register() {\n  registerOTel({ spanProcessors: ["auto", new PagespanSpanProcessor()] })\n}\n`,
      },
      `spanProcessors: ["auto", new PagespanSpanProcessor({ exportToCollector: false })]`,
    ],
    [
      "@vercel/otel of OpenTelemetry's SDK 1",
      {
        "package.json": `{ "dependencies": { "pagespan": "*", "@vercel/otel": "^1.12.0" } }`,
        "instrumentation.js": `import { registerOTel } from "@vercel/otel"\nexport function register() {\n  registerOTel("shop")\n}\n`,
      },
      { "instrumentation.js": `export function register() {\n}\n` },
      "upgrade @vercel/otel from 1 to 2: registerOTel of @vercel/otel",
    ],
    [
      "NodeSDK",
      {
        "instrumentation.js": `import { NodeSDK } from "@opentelemetry/sdk-node"\nexport function register() {\n  new NodeSDK().start()\n}\n`,
      },
      { "instrumentation.js": `export function register() {\n}\n` },
      "spanProcessors: [new PagespanSpanProcessor()]",
    ],
    [
      "registerOTel in a file that register imports",
      {
        "instrumentation.js": `export async function register() {\n  await import("./otel")\n}\n`,
        "otel.js": `import { registerOTel } from "@vercel/otel"\nregisterOTel("shop")\n`,
      },
      { "instrumentation.js": `export async function register() {\n  await import("./otel")\n}\n`, "otel.js": "" },
      "otel.js: registerOTel of @vercel/otel",
    ],
    [
      "tunnelRoute of Sentry",
      {
        "next.config.mjs": `import { withSentryConfig } from "@sentry/nextjs"\nexport default withSentryConfig({}, { tunnelRoute: "/monitoring" })\n`,
      },
      {
        "next.config.mjs": `import { withSentryConfig } from "@sentry/nextjs"\nexport default withSentryConfig({}, {})\n`,
      },
      "tunnelRoute of withSentryConfig",
    ],
    [
      "Next 15.2",
      { "node_modules/next/package.json": `{ "version": "15.2.0" }` },
      { "node_modules/next/package.json": `{ "version": "15.3.0" }` },
      "Next 15.2.0 is not supported: upgrade to 15.3 or later",
    ],
    [
      "a Next that hides errors of route handlers",
      { "node_modules/next/package.json": `{ "version": "15.5.3" }` },
      { "node_modules/next/package.json": `{ "version": "15.5.4" }` },
      "Next 15.5.3 does not report errors of route handlers while a tracer is active",
    ],
    [
      "variables that Turborepo hides",
      { "turbo.json": `{ "globalEnv": ["SENTRY_DSN"] }` },
      { "turbo.json": `{ "globalPassThroughEnv": ["OTEL_*", "PAGESPAN_*"] }` },
      `turbo.json: Turborepo hides variables of the shell`,
    ],
    [
      "boundaries of react-error-boundary that report nothing",
      {
        "package.json": WITH_BOUNDARIES,
        "components/guard.jsx": `import { ErrorBoundary } from "react-error-boundary"\n`,
        "components/button.jsx": `import { useErrorBoundary } from "react-error-boundary"\n`,
      },
      {
        "package.json": WITH_BOUNDARIES,
        "components/guard.jsx": `import { ErrorBoundary } from "react-error-boundary"\nimport { reportError } from "pagespan/react"\n`,
        "components/button.jsx": `import { useErrorBoundary } from "react-error-boundary"\n`,
      },
      "components/guard.jsx: nobody reports what an ErrorBoundary of react-error-boundary catches",
    ],
    [
      "a route of the app at the tunnel's path",
      { "app/monitoring/route.js": "export const GET = () => new Response()\n" },
      {
        "app/monitoring/route.js": "export const GET = () => new Response()\n",
        "next.config.mjs": `import { withPagespan } from "pagespan/next"\nexport default withPagespan({}, { tunnelRoute: "/telemetry" })\n`,
      },
      "is not Pagespan's tunnel",
    ],
  ]

  test.each(NOTICES)("%s", async (_, open, done, words) => {
    expect(planInit(await readyApp(open))!.notes.join("\n")).toContain(words)
    expect(planInit(await readyApp(done))!.notes.join("\n")).not.toContain(words)
  })

  test("a boundary of react-error-boundary that has an onError is advised to report in it", async () => {
    const guard = `import { ErrorBoundary } from "react-error-boundary"\nexport const guard = <ErrorBoundary onError={log} />\n`
    const app = await readyApp({ "package.json": WITH_BOUNDARIES, "components/guard.jsx": guard })
    const note = planInit(app)!.notes.find((each) => each.startsWith("components/guard.jsx"))
    expect(note?.split("\n").slice(2)).toEqual(["    reportError(error) // in the onError that a boundary has"])
  })

  test("variables that Turborepo hides, in an app of a monorepo", async () => {
    const workspace = await readyApp({
      "turbo.json": `{ "tasks": {} }`,
      "apps/web/turbo.json": `{ "extends": ["//"] }`,
    })
    const web = { "package.json": READY, "app/layout.js": LAYOUT }
    for (const [path, text] of Object.entries(web)) {
      mkdirSync(join(workspace, "apps/web", dirname(path)), { recursive: true })
      writeFileSync(join(workspace, "apps/web", path), text)
    }
    const notes = () => planInit(join(workspace, "apps/web"))!.notes.join("\n")
    expect(notes()).toContain(`"globalPassThroughEnv": ["OTEL_*", "PAGESPAN_*", "SENTRY_*"],`)
    writeFileSync(join(workspace, "apps/web/turbo.json"), `{ "tasks": { "start": { "passThroughEnv": ["OTEL_*"] } } }`)
    expect(notes()).not.toContain("Turborepo")
  })

  test(`output: "export", and changes nothing`, async () => {
    const config = `const nextConfig = {\n  output: 'export',\n}\nexport default nextConfig\n`
    const directory = await readyApp({ "next.config.mjs": config })
    expect(await runInit(directory)).toContain(`output: "export" has no server`)
    expect(read(directory, "next.config.mjs")).toBe(config)
    expect(planInit(directory)).toMatchObject({ edits: [], installation: undefined })
  })
})

describe("the share of traces that a Sentry.init selected is named when init removes it", () => {
  const app = (option: string, file = "sentry.server.config.js") =>
    readyApp({ "package.json": SENTRY_READY, [file]: sampled(option) })

  test.each([
    ["tracesSampleRate: 0.2", "where tracesSampleRate was 0.2", "OTEL_TRACES_SAMPLER_ARG=0.2"],
    ["tracesSampleRate: 0", "where tracesSampleRate was 0", "OTEL_TRACES_SAMPLER_ARG=0"],
    ["tracesSampleRate: RATE", "in place of the share RATE", "OTEL_TRACES_SAMPLER_ARG=RATE"],
    ["tracesSampler: () => 0.1", "in place of those that tracesSampler selects", "OTEL_TRACES_SAMPLER_ARG=0.1"],
  ])("%s", async (option, before, variable) => {
    for (const file of ["sentry.server.config.js", "instrumentation-client.js", "src/instrumentation.js"]) {
      const directory = await app(option, file)
      const output = await runInit(directory)
      expect(output).toContain(`Note: ${file}: Pagespan sends all traces, to Sentry too, ${before}`)
      expect(output).toContain(`    OTEL_TRACES_SAMPLER=traceidratio\n    ${variable}`)
      expect(await runInit(directory)).not.toContain("OTEL_TRACES_SAMPLER")
    }
  })

  test("with another one of pages, since page and server have one", async () => {
    const directory = await readyApp({
      "package.json": SENTRY_READY,
      "sentry.server.config.js": sampled("tracesSampleRate: 0.2"),
      "instrumentation-client.js": sampled("tracesSampleRate: 0.5"),
    })
    expect(await runInit(directory)).toContain(
      "where tracesSampleRate was 0.2 (in instrumentation-client.js: 0.5; page and server have one share now). The variables",
    )
  })

  test("but not if it was all of them, or the app has the variable", async () => {
    expect(await runInit(await app("tracesSampleRate: 1.0"))).not.toContain("OTEL_TRACES_SAMPLER")
    const directory = await app("tracesSampleRate: 0.2")
    writeFileSync(join(directory, ".env.production"), "OTEL_TRACES_SAMPLER=always_on\n")
    expect(await runInit(directory)).not.toContain("OTEL_TRACES_SAMPLER")
  })
})

describe("error views", () => {
  test("of every folder are edited, and missing ones written beside the root layout", async () => {
    const view = `"use client"\nexport default function View({ error }) {\n  return error.message\n}\n`
    const directory = await appOnDisk({
      "package.json": READY,
      "app/[locale]/layout.js": LAYOUT,
      "app/[locale]/shop/error.js": view,
      "app/_private/error.js": view,
    })
    const paths = planInit(directory)!.edits.map(({ path }) => path)
    expect(paths.filter((path) => path.includes("error"))).toEqual([
      "app/[locale]/shop/error.js",
      "app/[locale]/error.js",
      "app/global-error.js",
    ])
  })

  test("of the root are not written if the app has a global one, which visitors see until then", async () => {
    const view = `"use client"\nexport default function GlobalError({ error }) {\n  return error.message\n}\n`
    const files = { "package.json": READY, "app/layout.js": LAYOUT, "app/global-error.js": view }
    const paths = planInit(await appOnDisk(files))!.edits.map(({ path }) => path)
    expect(paths.filter((path) => path.includes("error"))).toEqual(["app/global-error.js"])
  })

  test("that report to Sentry's client of the app stay as they are", async () => {
    const view = `"use client"\nimport * as Sentry from "@sentry/nextjs"\nexport default function View({ error }) {\n  Sentry.captureException(error)\n  return null\n}\n`
    const files = { "package.json": SENTRY_READY, "app/layout.js": LAYOUT, "app/error.js": view }
    const client = { "instrumentation-client.js": `import * as Sentry from "@sentry/nextjs"\nSentry.init({})\n` }
    const paths = (directory: string) => planInit(directory)!.edits.map(({ path }) => path)
    expect(paths(await appOnDisk({ ...files, ...client }))).not.toContain("app/error.js")
    expect(paths(await appOnDisk(files))).toContain("app/error.js")
  })
})
