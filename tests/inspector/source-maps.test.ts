import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, onTestFinished, test } from "vitest"
import { FrameMapper } from "#otel/inspector/source-maps/frame-mapper.ts"
import { SourceMaps } from "#otel/inspector/source-maps/source-maps.ts"
import type { StackFrame } from "#otel/protocol/records/error.ts"
import { temporaryDirectory } from "#tests/support/temporary-directory.ts"

const SOURCE = [
  "export function pay(cart) {",
  "  const total = sum(cart)",
  "  return cart.card.charge(total)",
  "}",
].join("\n")
/** Maps line 1, column 0 to line 3, column 9 of `src/pay.ts`, with the name `pay`. */
const MAP = { version: 3, sources: ["src/pay.ts"], sourcesContent: [SOURCE], names: ["pay"], mappings: "AAESA" }

function frame(file: string, over: Partial<StackFrame> = {}): StackFrame {
  return {
    function: "t",
    module: "",
    file,
    line: 1,
    column: 1,
    inApp: undefined,
    before: [],
    context: "",
    after: [],
    ...over,
  }
}

async function rootWith(files: Readonly<Record<string, unknown>>): Promise<string> {
  const root = await temporaryDirectory()
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(root, path, ".."), { recursive: true })
    writeFileSync(join(root, path), typeof content === "string" ? content : JSON.stringify(content))
  }
  return root
}

const mapped = async (root: string, file: string, over?: Partial<StackFrame>) =>
  (await new FrameMapper(root).map([frame(file, over)]))[0]

describe("a minified frame", () => {
  test.each([
    "http://localhost:3000/_next/static/chunks/a1.js",
    "http://localhost:3000/_next/static/chunks/a1.js?v=2#x",
    "/srv/shop/.next/static/chunks/a1.js",
    "C:\\shop\\static\\chunks\\a1.js",
    "a1.js",
  ])("at %s is mapped by the map below the root, with the lines around it", async (file) => {
    const found = await mapped(await rootWith({ ".next/static/chunks/a1.js.map": MAP }), file)
    expect(found).toMatchObject({
      file: "src/pay.ts",
      line: 3,
      function: "pay",
      inApp: true,
      compiled: { file, line: 1, column: 1 },
    })
    expect(found?.before).toEqual(["export function pay(cart) {", "  const total = sum(cart)"])
    expect(found?.context).toBe("  return cart.card.charge(total)")
    expect(found?.after).toEqual(["}"])
  })

  test("is mapped by an indexed map with sections", async () => {
    const sections = { version: 3, sections: [{ offset: { line: 0, column: 0 }, map: MAP }] }
    expect(await mapped(await rootWith({ "a1.js.map": sections }), "a1.js")).toMatchObject({
      file: "src/pay.ts",
      line: 3,
    })
  })

  test("that two maps match equally well is unchanged", async () => {
    const root = await rootWith({ "x/page.js.map": MAP, "y/page.js.map": MAP })
    expect(await mapped(root, "http://h/z/page.js")).toEqual(frame("http://h/z/page.js"))
    expect(await mapped(root, "http://h/y/page.js")).toMatchObject({ file: "src/pay.ts" })
  })

  test.each<[string, unknown]>([
    ["no JSON", "no map"],
    ["another version", { ...MAP, version: 2 }],
    ["null", "null"],
    ["mappings of no text", { ...MAP, mappings: 7 }],
    ["no sources", { version: 3, sources: [], names: [], mappings: "AAAA" }],
    ["more than is read", `${" ".repeat(65 * 1024 * 1024)}${JSON.stringify(MAP)}`],
  ])("whose map is %s is unchanged", async (_name, content) => {
    expect(await mapped(await rootWith({ "a1.js.map": content }), "a1.js")).toEqual(frame("a1.js"))
  })

  test("without a line, or of an unknown file, is unchanged", async () => {
    const root = await rootWith({ "a1.js.map": MAP })
    expect(await mapped(root, "a1.js", { line: undefined })).toEqual(frame("a1.js", { line: undefined }))
    expect(await mapped(root, "b2.js")).toEqual(frame("b2.js"))
  })
})

describe("nothing outside the root is read", () => {
  test.each([
    "../secret.js",
    "/../../secret.js",
    "..\\secret.js",
    "%2e%2e/secret.js",
    "file:///secret.js",
    "//evil.test/secret.js",
    "data:application/json,{}",
    "secret.js\0.js",
  ])("for a frame at %j", async (file) => {
    const outside = await rootWith({ "secret.js.map": MAP, "app/a1.js.map": MAP })
    expect(await mapped(join(outside, "app"), file)).toEqual(frame(file))
  })

  test("through a link to a file or to a directory", async () => {
    const outside = await rootWith({ "secret.js.map": MAP })
    const root = await rootWith({ "a1.js.map": MAP })
    symlinkSync(join(outside, "secret.js.map"), join(root, "secret.js.map"))
    symlinkSync(outside, join(root, "linked"))
    expect(await mapped(root, "secret.js")).toEqual(frame("secret.js"))
    expect(await mapped(root, "linked/secret.js")).toEqual(frame("linked/secret.js"))
  })

  test("for a source that the map names but does not contain", async () => {
    const root = await rootWith({
      "a1.js.map": { ...MAP, sources: ["/etc/hostname"], sourcesContent: [null] },
      "src/pay.ts": SOURCE,
    })
    expect(await mapped(root, "a1.js")).toMatchObject({ file: "/etc/hostname", context: "", before: [], after: [] })
  })
})

test("a root that is no directory is refused with its name", () => {
  expect(() => new SourceMaps({ uploaded: "/none", sourceRoot: "/no/such/place" })).toThrow(
    /^PAGESPAN_SOURCE_ROOT is "\/no\/such\/place"/,
  )
  expect(() => new SourceMaps({ uploaded: "/none", sourceRoot: "/etc/hostname" })).toThrow(/must be a directory/)
})

test("lines of generated sources are cut", async () => {
  const root = await rootWith({ "a1.js.map": { ...MAP, sourcesContent: ["\n\n".concat("x".repeat(1_000_000))] } })
  expect((await mapped(root, "a1.js"))?.context).toHaveLength(300)
})

describe("in its own thread", () => {
  function mapsOf(root: string, settings?: ConstructorParameters<typeof SourceMaps>[1]): SourceMaps {
    const maps = new SourceMaps({ uploaded: join(root, "uploaded"), sourceRoot: root }, settings)
    onTestFinished(() => maps.close())
    return maps
  }

  test("frames of concurrent errors are mapped, each with its own result", async () => {
    const maps = mapsOf(await rootWith({ "a1.js.map": MAP, "b2.js.map": { ...MAP, sources: ["src/other.ts"] } }))
    const results = await Promise.all(["a1.js", "b2.js", "c3.js"].map((file) => maps.map([frame(file)])))
    expect(results.map(([first]) => first?.file)).toEqual(["src/pay.ts", "src/other.ts", "c3.js"])
  })

  test("a map that exhausts the memory ends only the thread, and the next error is mapped", async () => {
    const mappings = "AAAA;".repeat(4_000_000)
    const maps = mapsOf(await rootWith({ "large.js.map": { ...MAP, mappings }, "a1.js.map": MAP }), { memoryMb: 24 })
    expect(await maps.map([frame("large.js")])).toEqual([frame("large.js")])
    expect((await maps.map([frame("a1.js")]))[0]?.file).toBe("src/pay.ts")
  })

  test("a frame that takes too long is unchanged, and the next error is mapped", async () => {
    const mappings = "AAAA;".repeat(4_000_000)
    const root = await rootWith({ "large.js.map": { ...MAP, mappings }, "a1.js.map": MAP })
    expect(await mapsOf(root, { timeoutMs: 1 }).map([frame("large.js")])).toEqual([frame("large.js")])
  })

  test("frames are unchanged when the thread cannot start", async () => {
    const maps = mapsOf(await rootWith({ "a1.js.map": MAP }), { workerFile: "/no/such/worker.js" })
    expect(await maps.map([frame("a1.js")])).toEqual([frame("a1.js")])
  })
})
