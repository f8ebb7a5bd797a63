import { existsSync, readdirSync, readFileSync, utimesSync } from "node:fs"
import { join } from "node:path"
import type { ReadableStream } from "node:stream/web"
import { gzipSync } from "node:zlib"
import { describe, expect, test } from "vitest"
import { debugIdsOf } from "#otel/inspector/source-maps/debug-ids.ts"
import { FrameMapper } from "#otel/inspector/source-maps/frame-mapper.ts"
import { UploadedMaps } from "#otel/inspector/source-maps/uploaded-maps.ts"
import { temporaryDirectory } from "#tests/support/temporary-directory.ts"

const ID = "0f883d09-0506-43e6-aa8e-fe5eb9eee3f9"
const OTHER = "f1c84406-794f-4eff-90f6-e5792b7fa724"
const mapOf = (source: string) =>
  JSON.stringify({ version: 3, sources: [source], sourcesContent: ["pay()"], names: [], mappings: "AAAA" })

async function uploadedMaps(totalBytes?: number): Promise<UploadedMaps> {
  return new UploadedMaps(join(await temporaryDirectory(), "source-maps"), totalBytes)
}

function bodyOf(content: string | Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array> {
  return new Response(content).body as unknown as ReadableStream<Uint8Array>
}

const frame = (file: string) => ({
  function: "t",
  module: "",
  file,
  line: 1,
  column: 1,
  inApp: undefined,
  before: [],
  context: "",
  after: [],
})

describe("an uploaded map", () => {
  test("maps the frames of the scripts with its debug id, whatever other builds have the same path", async () => {
    const maps = await uploadedMaps()
    const path = "/_next/server/app/page.js"
    expect(await maps.save(ID, path, bodyOf(gzipSync(mapOf("first.ts"))), true)).toBe("stored")
    expect(await maps.save(OTHER, path, bodyOf(mapOf("second.ts")), false)).toBe("stored")
    const file = "/srv/shop/.next/server/app/page.js"
    const mapped = (debugIds?: Record<string, string>) => new FrameMapper(maps.directory).map([frame(file)], debugIds)
    expect((await mapped({ [file]: ID }))[0]?.file).toBe("first.ts")
    expect((await mapped({ [file]: OTHER }))[0]?.file).toBe("second.ts")
    expect((await mapped())[0]).toEqual(frame(file))
  })

  test("maps the frames of an error without debug ids by the path of the script, if only one build has it", async () => {
    const maps = await uploadedMaps()
    await maps.save(ID, "/_next/static/chunks/a1.js", bodyOf(mapOf("pay.ts")), false)
    const [mapped] = await new FrameMapper(maps.directory).map([frame("http://shop.test/_next/static/chunks/a1.js")])
    expect(mapped?.file).toBe("pay.ts")
  })

  test("replaces an earlier one of the same debug id, and is private to the user", async () => {
    const maps = await uploadedMaps()
    await maps.save(ID, "/a.js", bodyOf(mapOf("first.ts")), false)
    await maps.save(ID, "/b.js", bodyOf(mapOf("second.ts")), false)
    expect(readdirSync(join(maps.directory, ID))).toEqual(["b.js.map"])
    expect(readFileSync(join(maps.directory, ID, "b.js.map"), "utf8")).toBe(mapOf("second.ts"))
  })

  test("is stored while slow ones still arrive, of which there are eight at most", async () => {
    const maps = await uploadedMaps()
    const slow = Array.from({ length: 7 }, (_, index) => {
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
      const id = `00000000-0000-4000-8000-00000000000${index}`
      const saved = maps.save(id, "/slow.js", readable as unknown as ReadableStream<Uint8Array>, false)
      const finish = async () => {
        const writer = writable.getWriter()
        await writer.write(Buffer.from(mapOf("slow.ts")))
        await writer.close()
      }
      return { saved, finish }
    })
    expect(await maps.save(ID, "/a.js", bodyOf(mapOf("a.ts")), false)).toBe("stored")
    // The eighth place.
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
    const eighth = maps.save(OTHER, "/b.js", readable as unknown as ReadableStream<Uint8Array>, false)
    const ninth = maps.save(ID, "/c.js", bodyOf(mapOf("c.ts")), false)
    expect(await Promise.race([ninth, new Promise((later) => setTimeout(later, 100, "waits"))])).toBe("waits")
    await slow[0]?.finish()
    expect(await ninth).toBe("stored")
    await Promise.all(slow.slice(1).map(({ finish }) => finish()))
    expect(await Promise.all(slow.map(({ saved }) => saved))).toEqual(Array(7).fill("stored"))
    await writable.close()
    expect(await eighth).toBe("invalid")
  })

  test("displaces the oldest beyond the limit of all", async () => {
    const maps = await uploadedMaps(250)
    const ids = [ID, OTHER, "00000000-0000-4000-8000-000000000003"]
    for (const [index, id] of ids.entries()) {
      await maps.save(id, "/a.js", bodyOf(mapOf("a.ts")), false)
      if (index < 2) utimesSync(join(maps.directory, id, "a.js.map"), index + 1, index + 1)
    }
    expect(ids.map((id) => existsSync(join(maps.directory, id)))).toEqual([false, true, true])
  })
})

describe("nothing is stored", () => {
  test.each([
    "../../a.js",
    "/a/../b.js",
    "a\\b.js",
    "a\0.js",
    "",
    "/",
    `/${"a/".repeat(40)}b.js`,
    `/${"a".repeat(300)}`,
  ])("at the path %j", async (path) => {
    const maps = await uploadedMaps()
    expect(await maps.save(ID, path, bodyOf(mapOf("a.ts")), false)).toBe("invalid")
    expect(existsSync(maps.directory)).toBe(false)
  })

  test.each(["", "..", "no-id", `${ID}/x`, ID.toUpperCase()])("for the debug id %j", async (id) => {
    expect(await (await uploadedMaps()).save(id, "/a.js", bodyOf(mapOf("a.ts")), false)).toBe("invalid")
  })

  test.each([
    ["a body that is not gzip", bodyOf("no gzip"), true, "invalid"],
    ["an empty body", bodyOf(""), false, "invalid"],
    ["a body that inflates past 64 MiB", bodyOf(gzipSync(Buffer.alloc(65 * 1024 * 1024))), true, "too_large"],
  ] as const)("of %s", async (_name, body, isGzipped, outcome) => {
    const maps = await uploadedMaps()
    expect(await maps.save(ID, "/a.js", body, isGzipped)).toBe(outcome)
    expect(readdirSync(maps.directory, { recursive: true })).toEqual(["incomplete"])
  })
})

test("debug ids of an event are read from what its SDK sent, and nothing else is", () => {
  const images = [
    { type: "sourcemap", code_file: "a.js", debug_id: ID.toUpperCase() },
    { type: "sourcemap", code_file: 7, debug_id: OTHER },
    { type: "sourcemap", code_file: "__proto__", debug_id: OTHER },
  ]
  const ids = debugIdsOf({ context: JSON.stringify({ debug_meta: { images } }) })
  expect({ ...ids }).toEqual({ "a.js": ID, ["__proto__"]: OTHER })
  expect(Object.getPrototypeOf(ids)).toBe(Object.prototype)
  expect(debugIdsOf({ context: "" })).toEqual({})
})
