import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, onTestFinished, test, vi } from "vitest"
import { init } from "#otel/cli/commands/init.ts"
import { planInit } from "#otel/cli/init/plan.ts"
import { appOnDisk, LAYOUT } from "./app-on-disk.ts"

/** Runs `pagespan init --yes` on an app with this file and returns the file's bytes and the output. */
async function runInit(path: string, before: string | Buffer): Promise<{ after: Buffer; output: string }> {
  const directory = await appOnDisk({
    "package.json": `{ "dependencies": { "@sentry/nextjs": "11", "pagespan": "0.1.0" } }`,
    "app/layout.tsx": LAYOUT,
    [path]: before,
  })
  const lines: string[] = []
  const print = vi.spyOn(console, "log").mockImplementation((line: string) => void lines.push(line))
  const write = vi.spyOn(process.stdout, "write").mockImplementation(() => true)
  onTestFinished(() => [print, write].forEach((spy) => spy.mockRestore()))
  await init({ directory, yes: true, dryRun: false })
  return { after: readFileSync(join(directory, path)), output: lines.join("\n") }
}

/** A file of each kind before and after `init`, in the plainest form: LF, two spaces, no byte order mark. */
const EDITED: readonly (readonly [path: string, before: string, after: string])[] = [
  [
    "next.config.ts",
    `import type { NextConfig } from "next" // typed\n\nconst nextConfig: NextConfig = {\n  // mine\n  images: {\n    unoptimized: true,\n  },\n}\n\nexport default nextConfig\n`,
    `import type { NextConfig } from "next" // typed\nimport { withPagespan } from "pagespan/next"\n\nconst nextConfig: NextConfig = {\n  // mine\n  images: {\n    unoptimized: true,\n  },\n}\n\nexport default withPagespan(nextConfig)\n`,
  ],
  [
    "next.config.js",
    `// @ts-check\n/** @type {import("next").NextConfig} */\nconst nextConfig = {\n  text: \`\n  a\tb\n\`,\n}\n\nmodule.exports = nextConfig\n`,
    `// @ts-check\nconst { withPagespan } = require("pagespan/next")\n\n/** @type {import("next").NextConfig} */\nconst nextConfig = {\n  text: \`\n  a\tb\n\`,\n}\n\nmodule.exports = withPagespan(nextConfig)\n`,
  ],
  [
    "instrumentation.ts",
    `export function register() {\n  if (process.env.NEXT_RUNTIME === "nodejs") {\n    start()\n  }\n}\n`,
    `import { register as registerPagespan } from "pagespan/server"\n\nexport async function register() {\n  if (process.env.NEXT_RUNTIME === "nodejs") {\n    start()\n  }\n  await registerPagespan()\n}\n\nexport { onRequestError } from "pagespan/server"\n`,
  ],
  [
    "app/layout.tsx",
    `import "./globals.css"\n\nexport default function Layout({ children }) {\n  return (\n    <html>\n      <body className={mono}>\n        {children}\n      </body>\n    </html>\n  )\n}\n`,
    `import "./globals.css"\nimport { Suspense } from "react"\nimport { RouteObserver } from "pagespan/react"\n\nexport default function Layout({ children }) {\n  return (\n    <html>\n      <body className={mono}>\n        <Suspense fallback={null}>\n          <RouteObserver />\n        </Suspense>\n        {children}\n      </body>\n    </html>\n  )\n}\n`,
  ],
  [
    "app/layout.tsx",
    `export default function Layout({ children }) {\n  if (off) return <html><body></body></html>\n  return (\n    <html>\n      <body>\n        {children}\n      </body>\n    </html>\n  )\n}\n`,
    `import { Suspense } from "react"\nimport { RouteObserver } from "pagespan/react"\n\nexport default function Layout({ children }) {\n  if (off) return <html><body></body></html>\n  return (\n    <html>\n      <body>\n        <Suspense fallback={null}>\n          <RouteObserver />\n        </Suspense>\n        {children}\n      </body>\n    </html>\n  )\n}\n`,
  ],
  [
    "sentry.server.config.ts",
    `import * as Sentry from "@sentry/nextjs"\n\nSentry.init({\n  dsn: "https://key@sentry.test/1",\n  tracesSampleRate: 1,\n  debug: false,\n})\n`,
    `import * as Sentry from "@sentry/nextjs"\n\nSentry.init({\n  dsn: "https://key@sentry.test/1",\n  debug: false,\n})\n`,
  ],
  [
    // As Sentry's wizard writes it: each option has its comment.
    "sentry.edge.config.ts",
    `import * as Sentry from "@sentry/nextjs"\n\nSentry.init({\n  dsn: "https://key@sentry.test/1",\n\n  // Define how likely traces are sampled.\n  // Adjust this in production.\n  tracesSampleRate: 1,\n\n  // Enable logs\n  enableLogs: true,\n})\n`,
    `import * as Sentry from "@sentry/nextjs"\n\nSentry.init({\n  dsn: "https://key@sentry.test/1",\n\n  // Enable logs\n  enableLogs: true,\n})\n`,
  ],
  [
    // The comment may be that of both options.
    "sentry.client.config.ts",
    `import * as Sentry from "@sentry/nextjs"\n\nSentry.init({\n  // In production\n  tracesSampleRate: 1,\n  debug: false,\n})\n`,
    `import * as Sentry from "@sentry/nextjs"\n\nSentry.init({\n  // In production\n  debug: false,\n})\n`,
  ],
  [
    "instrumentation-client.ts",
    `import * as Sentry from "@sentry/nextjs"\n\nSentry.init({ tracesSampler: () => 1, debug: true })\n\nexport const onRouterTransitionStart = Sentry.captureRouterTransitionStart\n`,
    `import * as Sentry from "@sentry/nextjs"\n\nSentry.init({ debug: true })\n\nexport const onRouterTransitionStart = Sentry.captureRouterTransitionStart\n`,
  ],
]

const tabs = (text: string) => text.replaceAll(/^(?: {2})+/gm, (indent) => "\t".repeat(indent.length / 2))
const crlf = (text: string) => text.replaceAll("\n", "\r\n")
const bom = (text: string) => `\uFEFF${text}`
/** Adds characters that are not ASCII, one of which has two UTF-16 code units. */
const words = (text: string) => `// žluťoučký 🐎\n\n${text}`

const FORMS: readonly (readonly [name: string, form: (text: string) => string])[] = [
  ["tabs", tabs],
  ["CRLF", crlf],
  ["a byte order mark", bom],
  ["tabs and CRLF", (text) => crlf(tabs(text))],
  ["tabs, CRLF and a byte order mark", (text) => bom(crlf(tabs(text)))],
  ["other scripts than Latin", words],
]

describe.each(EDITED)("init edits %s", (path, before, expected) => {
  test.each(FORMS)("with %s and keeps every other byte", async (_, form) => {
    const { after, output } = await runInit(path, form(before))
    expect(after.toString()).toBe(form(expected))
    expect(output).not.toContain(`Left to you: ${path}`)
  })

  test("with mixed indents and line endings and keeps those of every line", async () => {
    const lines = before.split("\n").slice(0, -1)
    const mixed = lines
      .map((line, index) => [tabs(`${line}\n`), crlf(`${line}\n`), `${line}\n`][index % 3] ?? "")
      .join("")
    const { after } = await runInit(path, mixed)
    expect(plain(after.toString())).toBe(plain(expected))
    expect(removedLines(mixed, after.toString()).map(plain)).toEqual(removedLines(before, expected).map(plain))
  })
})

function plain(text: string): string {
  return text.replaceAll("\r\n", "\n").replaceAll(/^[ \t]+/gm, "")
}

/** Lines, including their indent and line ending, that the edit removed: of equal ones, the last. */
function removedLines(before: string, after: string): string[] {
  const left = after.split(/(?<=\n)/)
  return before.split(/(?<=\n)/).filter((line) => {
    const index = left.indexOf(line)
    if (index !== -1) left.splice(index, 1)
    return index === -1
  })
}

/** Files that only their author can change, and a line to paste. */
const LEFT: readonly (readonly [why: string, path: string, text: string | Buffer, line: string])[] = [
  [
    "has a function whose result has no type",
    "next.config.ts",
    `const config = () => ({ output: "standalone" })\nexport default config\n`,
    "export default withPagespan(config)",
  ],
  [
    "has a comment within the line of an option",
    "sentry.server.config.ts",
    `import * as Sentry from "@sentry/nextjs"\n\nSentry.init({ debug: false, /* all */ tracesSampleRate: 1 })\n`,
    "tracesSampleRate",
  ],
  [
    "exports a promise",
    "next.config.mjs",
    `const load = async (config) => config\nexport default load({})\n`,
    "export default withPagespan(load({}))",
  ],
  [
    "exports a value of another file",
    "next.config.mjs",
    `import config from "./base.mjs"\nexport default config\n`,
    "export default withPagespan(config)",
  ],
  [
    "exports what a call made",
    "next.config.mjs",
    `export default makeConfig()\n`,
    "export default withPagespan(makeConfig())",
  ],
  [
    "chooses its export at run time",
    "next.config.js",
    `module.exports = {}\nif (process.env.CI) module.exports = () => ({})\n`,
    "module.exports = withPagespan({})",
  ],
  [
    "exports by name",
    "next.config.mjs",
    `const config = {}\nexport { config as default }\n`,
    "export default withPagespan(nextConfig)",
  ],
  [
    "defines its own withPagespan",
    "next.config.mjs",
    `const withPagespan = 1\nexport default {}\n`,
    "export default withPagespan({})",
  ],
  [
    "would change its meaning with a statement above",
    "next.config.js",
    `(() => prepare())()\nmodule.exports = {}\n`,
    "module.exports = withPagespan({})",
  ],
  ["is no script", "next.config.mjs", `this is no script {\n`, "export default withPagespan(nextConfig)"],
  [
    "is UTF-16",
    "next.config.js",
    Buffer.from("\uFEFFmodule.exports = {}\n", "utf16le"),
    "export default withPagespan(nextConfig)",
  ],
  [
    "is Latin-1",
    "next.config.mjs",
    Buffer.from("// caf\xe9\nexport default {}\n", "latin1"),
    "export default withPagespan(nextConfig)",
  ],
  [
    "re-exports both",
    "instrumentation.ts",
    `export { register, onRequestError } from "./otel"\n`,
    `import { register as registerApp } from "./otel"`,
  ],
  [
    "re-exports everything of another file",
    "instrumentation.ts",
    `export * from "./otel"\n`,
    "await reportToPagespan(error, request, context)",
  ],
  [
    "registers by a reference",
    "instrumentation.ts",
    `import { start } from "./otel"\nexport const register = start\n`,
    "await registerPagespan()",
  ],
  [
    "registers by an expression",
    "instrumentation.ts",
    `export const register = () => start("app")\n`,
    "await registerPagespan()",
  ],
  [
    "registers and returns",
    "instrumentation.ts",
    `export function register() {\n\treturn start("app")\n}\n`,
    "await registerPagespan()",
  ],
  [
    "may return before its end",
    "instrumentation.ts",
    `export async function register() {\n\tif (!process.env.ON) return\n\tstart()\n}\n`,
    "await registerPagespan()",
  ],
  [
    "registers as void",
    "instrumentation.ts",
    `export function register(): void {\n\tstart()\n}\n`,
    "await registerPagespan()",
  ],
  [
    "is CommonJS",
    "instrumentation.js",
    `exports.register = () => {}\n`,
    `export { register, onRequestError } from "pagespan/server"`,
  ],
  [
    "has two bodies",
    "app/layout.tsx",
    `export default () => a ? <body>{b}</body> : <body>{c}</body>\n`,
    "<RouteObserver />",
  ],
  ["has an empty body", "app/layout.tsx", `export default () => <body />\n`, "<RouteObserver />"],
  [
    "defines its own Suspense",
    "app/layout.tsx",
    `import { Suspense } from "./mine"\nexport default () => <body>{b}</body>\n`,
    "<RouteObserver />",
  ],
  ["has no body", "app/layout.tsx", `export { default } from "./shell"\n`, "<RouteObserver />"],
]

describe("init changes no byte, and prints the lines to paste, for a file that", () => {
  test.each(LEFT)("%s (%s)", async (_, path, before, line) => {
    for (const form of [Buffer.from(before), ...(typeof before === "string" ? [Buffer.from(bom(crlf(before)))] : [])]) {
      const { after, output } = await runInit(path, form)
      expect(after.equals(form)).toBe(true)
      expect(output).toContain(`Left to you: ${path}: `)
      expect(output.split("\n").map((each) => each.trim())).toContainEqual(expect.stringContaining(line))
    }
  })
})

/** Each beside a `register` that `init` extends. */
const HOOKS = [
  `export const onRequestError = report\n`,
  `export const onRequestError = async (error) => {\n  log(error)\n}\n`,
  `export const onRequestError = handlers.onRequestError\n`,
  `export const onRequestError = Sentry.captureRequestError, other = 1\n`,
  `const hook = () => {}\nexport { hook as onRequestError }\n`,
  `export { onRequestError } from "./otel"\n`,
  `export * from "./otel"\n`,
  `export const { onRequestError } = hooks\n`,
]

test.each(HOOKS)(
  "init keeps an existing onRequestError, exports no second one, and prints the call to add: %j",
  async (hook) => {
    const register = `import * as Sentry from "@sentry/nextjs"\nexport async function register() {\n}\n`
    const { after, output } = await runInit("instrumentation.ts", crlf(register + hook))
    expect(after.toString()).toContain(crlf(hook))
    expect(after.toString()).toContain("await registerPagespan()")
    expect(after.toString()).not.toContain('export { onRequestError } from "pagespan/server"')
    expect(output).toContain(
      "Left to you: instrumentation.ts: call onRequestError from pagespan/server in your onRequestError",
    )
    expect(output).toContain("    await reportToPagespan(error, request, context)")
  },
)

test("init reads a package.json with a byte order mark", async () => {
  const directory = await appOnDisk({ "package.json": bom("{}"), "app/layout.tsx": LAYOUT })
  expect(planInit(directory)?.edits.map(({ path }) => path)).toContain("app/layout.tsx")
})
