import { readdirSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"
import { describe, expect, test } from "vitest"
import { CANARY } from "#tests/support/canaries.ts"
import { INSPECTOR_BUILD } from "#tests/support/packaged.ts"

const TO_THE_BROWSER = join(INSPECTOR_BUILD, "static")
const ON_THE_SERVER = join(INSPECTOR_BUILD, "server")
/** Folders of `otel/` that no page may contain. */
const SERVER_PARTS = [
  "cli/server",
  "inspector/api",
  "inspector/forward",
  "inspector/ingest",
  "inspector/mcp",
  "inspector/source-maps",
  "inspector/store",
  "sdk/server",
  "sdk/tunnel",
]
/** Sources of pages and screens. A string that occurs here too proves nothing. */
const PAGE_PARTS = [
  "app",
  "otel/filters.ts",
  "otel/inspector/live",
  "otel/inspector/queries",
  "otel/inspector/search",
  "otel/protocol",
  "otel/react.tsx",
  "otel/sdk/browser",
]
/** A shorter string could occur in a page by chance. */
const MIN_LENGTH = 24
const SENTENCE = /\w+ \w+ \w+/

const shipped = filesBelow(TO_THE_BROWSER).map((file) => ({ file, text: readFileSync(file, "utf8") }))

describe("what a build ships to the browser", () => {
  test("contains scripts", () => {
    expect(shipped.filter(({ file }) => file.endsWith(".js")).length).toBeGreaterThan(5)
  })

  test("contains no source map and no reference to one", () => {
    expect(filesHaving(/sourceMappingURL=/)).toEqual([])
    expect(shipped.filter(({ file }) => file.endsWith(".map"))).toEqual([])
    expect(filesBelow("public").filter((file) => file.endsWith(".map"))).toEqual([])
  })

  test("contains none of the secrets in the environment of the build, nor does the server", () => {
    expect(filesHaving(CANARY)).toEqual([])
    const anywhere = filesBelow(ON_THE_SERVER).filter((file) => CANARY.test(readFileSync(file, "utf8")))
    expect(anywhere).toEqual([])
  })

  test("contains no path of the machine that built it", () => {
    const project = process.cwd().replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
    expect(filesHaving(new RegExp(project))).toEqual([])
  })

  test("contains no server module", () => {
    const strings = serverOnlyStrings()
    const server = filesBelow(ON_THE_SERVER)
      .filter((file) => file.endsWith(".js"))
      .map((file) => readFileSync(file, "utf8"))
      .join("\n")
    // The server's bundles contain these strings, so a shipped module would show them too.
    expect(strings.filter((text) => server.includes(text)).length).toBeGreaterThan(20)
    const leaked = strings.filter((text) => shipped.some((part) => part.text.includes(text)))
    expect(leaked).toEqual([])
    expect(filesHaving(/["'`]node:|\bchdb\b|@clickhouse\/|grpc-js/)).toEqual([])
  })

  test("contains no Server Action, and neither does the server", () => {
    const manifest = JSON.parse(readFileSync(join(ON_THE_SERVER, "server-reference-manifest.json"), "utf8")) as object
    expect(manifest).toMatchObject({ node: {}, edge: {} })
    expect(Object.values(manifest).filter((part) => typeof part === "object" && Object.keys(part).length > 0)).toEqual(
      [],
    )
    const sources = ["app", "otel"]
      .flatMap(filesBelow)
      .filter((file) => /^["']use server["']/m.test(readFileSync(file, "utf8")))
    expect(sources).toEqual([])
  })
})

function filesHaving(pattern: RegExp): string[] {
  return shipped.filter(({ text }) => pattern.test(text)).map(({ file }) => relative(TO_THE_BROWSER, file))
}

/** Sentences in the server's sources that no source of a page contains. */
function serverOnlyStrings(): string[] {
  const ofPage = new Set(PAGE_PARTS.flatMap(filesBelow).flatMap(stringsOf))
  const ofServer = SERVER_PARTS.flatMap((part) => filesBelow(join("otel", part))).flatMap(stringsOf)
  return [...new Set(ofServer)].filter((text) => !ofPage.has(text))
}

function stringsOf(file: string): string[] {
  const texts = readFileSync(file, "utf8").matchAll(/"([^"\\\n]+)"/g)
  return [...texts].map(([, text]) => text ?? "").filter((text) => text.length >= MIN_LENGTH && SENTENCE.test(text))
}

function filesBelow(path: string): string[] {
  try {
    return readdirSync(path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === "ENOTDIR") return [path]
    if (code === "ENOENT") return []
    throw error
  }
}
