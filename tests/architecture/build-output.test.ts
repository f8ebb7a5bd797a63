import { readdirSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"
import { describe, expect, test } from "vitest"
import { CANARY } from "#tests/support/canaries.ts"

/** What `next build` made of the app, scanned as anyone could who downloads it. */
const TO_THE_BROWSER = ".next/static"
const ON_THE_SERVER = ".next/server"
/** Parts of the library that have no business in a page. */
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
/** Parts that pages and screens may be made of, where the same text may stand. */
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
/** Shorter text could stand anywhere by chance. */
const TELLING_LENGTH = 24
const SENTENCE = /\w+ \w+ \w+/

const shipped = filesBelow(TO_THE_BROWSER).map((file) => ({ file, text: readFileSync(file, "utf8") }))

describe("what a build ships to the browser", () => {
  test("is there at all", () => {
    expect(shipped.filter(({ file }) => file.endsWith(".js")).length).toBeGreaterThan(5)
  })

  test("has no source map, and names none", () => {
    expect(filesHaving(/sourceMappingURL=/)).toEqual([])
    expect(shipped.filter(({ file }) => file.endsWith(".map"))).toEqual([])
    expect(filesBelow("public").filter((file) => file.endsWith(".map"))).toEqual([])
  })

  test("has none of the secrets that were in the environment of the build, nor has any other part of it", () => {
    expect(filesHaving(CANARY)).toEqual([])
    const anywhere = filesBelow(ON_THE_SERVER).filter((file) => CANARY.test(readFileSync(file, "utf8")))
    expect(anywhere).toEqual([])
  })

  test("has no path of the machine that built it", () => {
    const project = process.cwd().replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
    expect(filesHaving(new RegExp(project))).toEqual([])
  })

  test("has no module of the server", () => {
    const telling = tellingTexts()
    const server = filesBelow(ON_THE_SERVER)
      .filter((file) => file.endsWith(".js"))
      .map((file) => readFileSync(file, "utf8"))
      .join("\n")
    // The same texts are in the server's half: were a module shipped, its texts would be seen.
    expect(telling.filter((text) => server.includes(text)).length).toBeGreaterThan(20)
    const leaked = telling.filter((text) => shipped.some((part) => part.text.includes(text)))
    expect(leaked).toEqual([])
    expect(filesHaving(/["'`]node:|\bchdb\b|@clickhouse\/|grpc-js/)).toEqual([])
  })

  test("has no Server Action, and the server knows of none", () => {
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

/** The longer texts in the sources of the server's parts that stand in no part of the page's. */
function tellingTexts(): string[] {
  const ofPage = new Set(PAGE_PARTS.flatMap(filesBelow).flatMap(textsOf))
  const ofServer = SERVER_PARTS.flatMap((part) => filesBelow(join("otel", part))).flatMap(textsOf)
  return [...new Set(ofServer)].filter((text) => !ofPage.has(text))
}

function textsOf(file: string): string[] {
  const texts = readFileSync(file, "utf8").matchAll(/"([^"\\\n]+)"/g)
  return [...texts].map(([, text]) => text ?? "").filter((text) => text.length >= TELLING_LENGTH && SENTENCE.test(text))
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
