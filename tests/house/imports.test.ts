import { readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { describe, expect, test } from "vitest"

/**
 * Which parts of the house may import which. Data flows one way: what stands later in this table is nearer to the person
 * who looks at it, and nothing imports from further along.
 */
const MAY_IMPORT: Record<string, readonly string[]> = {
  model: [],
  wire: ["model"],
  routes: ["model"],
  filters: ["model"],
  sentry: ["model"],
  query: ["model", "wire"],
  threads: [],
  store: ["model", "query", "threads"],
  receive: ["model", "wire", "query"],
  browser: ["model", "wire", "routes", "filters", "sentry"],
  react: ["browser"],
  server: ["model", "routes", "filters", "sentry"],
  forward: ["model", "wire", "sentry", "receive", "server"],
  next: ["model", "routes"],
  tunnel: ["forward"],
  inspector: ["model", "wire", "query", "threads", "store", "receive", "forward", "server", "mcp"],
  command: ["model", "receive", "server", "inspector"],
  cli: ["model", "wire", "query", "command", "mcp", "init"],
  mcp: ["model", "wire", "query", "sentry"],
  init: [],
  package: ["model", "cli", "command"],
  "without-sentry": [],
}

/** What screens and doors may use of the library: its public entries, and of the inspector what shows records. */
const APP_MAY_IMPORT = new Set(["model", "wire", "query", "inspector"])

interface Import {
  readonly file: string
  readonly target: string
}

describe("the house", () => {
  const imports = filesUnder("otel").flatMap(importsOf)

  test("has only parts that this table knows", () => {
    const parts = new Set(filesUnder("otel").map(partOf))
    expect([...parts].filter((part) => !(part in MAY_IMPORT))).toEqual([])
  })

  test("never imports from app/ in otel/", () => {
    expect(imports.filter(({ target }) => target.startsWith("app/"))).toEqual([])
  })

  test.each(Object.entries(MAY_IMPORT))("%s imports only what flows into it", (part, allowed) => {
    const wrong = imports.filter(({ file, target }) => {
      const to = partOf(target)
      return partOf(file) === part && target.startsWith("otel/") && to !== part && !allowed.includes(to)
    })
    expect(wrong).toEqual([])
  })

  test("has app/ use the library by its public entries and the inspector by what shows records", () => {
    const wrong = filesUnder("app")
      .flatMap(importsOf)
      .filter(({ target }) => target.startsWith("otel/") && !APP_MAY_IMPORT.has(partOf(target)))
    expect(wrong).toEqual([])
  })

  test("keeps SQL in the store alone", () => {
    const sql = /\b(?:SELECT\s+.+\s+FROM|INSERT\s+INTO|CREATE\s+TABLE|ALTER\s+TABLE)\b/
    const wrong = [...filesUnder("otel"), ...filesUnder("app")]
      .filter((file) => partOf(file) !== "store")
      .filter((file) => sql.test(readFileSync(file, "utf8")))
    expect(wrong).toEqual([])
  })

  test("leaves the Sentry packages that do not bundle for a browser out of the page", () => {
    const wrong = filesUnder("otel/browser")
      .concat("otel/browser.ts", "otel/react.tsx")
      .filter((file) => /from "@sentry\/(?:nextjs|opentelemetry)"/.test(readFileSync(file, "utf8")))
    expect(wrong).toEqual([])
  })
})

function filesUnder(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
}

/** `otel/store/read/limits.ts` → `store`, `otel/next.ts` → `next`. */
function partOf(path: string): string {
  return path.split("/")[1]?.replace(/\.tsx?$/, "") ?? ""
}

function importsOf(file: string): Import[] {
  const text = readFileSync(file, "utf8")
  return [...text.matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)]
    .map(([, specifier]) => resolveSpecifier(file, specifier ?? ""))
    .filter((target) => target !== undefined)
    .map((target) => ({ file, target }))
}

function resolveSpecifier(file: string, specifier: string): string | undefined {
  if (specifier.startsWith("#")) return specifier.slice(1)
  return specifier.startsWith(".") ? relative(".", join(dirname(file), specifier)) : undefined
}
