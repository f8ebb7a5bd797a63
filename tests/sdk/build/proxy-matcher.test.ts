import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { withPagespan } from "#otel/next.ts"
import { proxyProblem } from "#otel/sdk/build/proxy-matcher.ts"

let directory: string

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "pagespan-proxy-"))
  writeFileSync(join(directory, "package.json"), "{}")
  symlinkSync(join(import.meta.dirname, "../../../node_modules"), join(directory, "node_modules"))
})

afterEach(() => rmSync(directory, { recursive: true }))

function problemOf(text: string, file = "proxy.ts", tunnel = "/monitoring"): string | undefined {
  mkdirSync(join(directory, "src"), { recursive: true })
  writeFileSync(join(directory, file), text)
  return proxyProblem(directory, tunnel)
}

/** A translation library's own file, with its comments. */
const LOCALES = String.raw`import createMiddleware from 'next-intl/middleware';

export default createMiddleware(routing);

export const config = {
  // Match all pathnames except for
  // - … if they start with ${"`/api`"}, it isn't one { of these
  matcher: '/((?!api|trpc|_next|_vercel|.*\\..*).*)'
};
`

describe("a proxy whose matcher catches the tunnel is named, with the matcher that does not", () => {
  test.each<[what: string, text: string, fix: string]>([
    ["of a translation library", LOCALES, String.raw`"/((?!monitoring/?$|api|trpc|_next|_vercel|.*\\..*).*)"`],
    ["without a matcher", "export function proxy() {}", String.raw`"/((?!monitoring/?$|_next|.*\\..*).*)"`],
    ["that lists all paths", `export const config = { matcher: ["/", "/:path*"] }`, `"/((?!monitoring/?$|`],
    [
      "with an object, and types",
      `export const config: ProxyConfig = { matcher: [{ source: "/((?!api).*)", missing: [{ type: "header", key: "x" }] }] as const } satisfies ProxyConfig`,
      `"/((?!monitoring/?$|api).*)"`,
    ],
  ])("%s", (_what, text, fix) => {
    const problem = problemOf(text)
    expect(problem).toContain("proxy.ts also runs for /monitoring, to which pages send: exclude it")
    expect(problem).toContain(`matcher: ${fix}`)
    expect(problem).not.toContain("\n")
  })

  test("in src, under its former name, and for another tunnel", () => {
    expect(problemOf(LOCALES, "src/middleware.ts", "/relay/page")).toContain(
      "src/middleware.ts also runs for /relay/page",
    )
  })
})

test.each([
  ["excludes the tunnel", `export const config = { matcher: ["/((?!api|monitoring|_next).*)"] }`],
  ["names other paths", `export const config = { matcher: "/behind/:path*" }`],
  [
    "asks for a cookie",
    `export const config = { matcher: [{ source: "/:path*", has: [{ type: "cookie", key: "x" }] }] }`,
  ],
  [
    "handles the tunnel in its code",
    `export const proxy = ({ url }) => url.endsWith("/monitoring") ? undefined : go()`,
  ],
  ["has a matcher that Next cannot read either", "export const config = { matcher: MATCHER }"],
  ["never ends", "export const config = { matcher: ["],
])("a proxy that %s is not named", (_what, text) => {
  expect(problemOf(text)).toBeUndefined()
})

test("withPagespan warns once, and of nothing where there is no tunnel", () => {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined)
  problemOf(LOCALES)
  withPagespan({}, { projectDirectory: directory })
  expect(warn).not.toHaveBeenCalled()
  mkdirSync(join(directory, "app/monitoring"), { recursive: true })
  writeFileSync(join(directory, "app/monitoring/route.ts"), "")
  for (let load = 0; load < 2; load++) withPagespan({}, { projectDirectory: directory })
  expect(warn.mock.calls.flat().filter((line) => String(line).includes("also runs for"))).toHaveLength(1)
  warn.mockRestore()
})
