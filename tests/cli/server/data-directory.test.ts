import {
  chmodSync,
  chownSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { dirname, join } from "node:path"
import type { ReadableStream } from "node:stream/web"
import { describe, expect, test } from "vitest"
import { prepareDataDirectory } from "#otel/cli/server/data-directory.ts"
import { SavedFilters } from "#otel/inspector/saved-filters.ts"
import { UploadedMaps } from "#otel/inspector/source-maps/uploaded-maps.ts"
import { temporaryDirectory } from "#tests/support/temporary-directory.ts"

const modeOf = (path: string) => (lstatSync(path).mode & 0o777).toString(8)

test.each([0o777, 0o775, 0o757, 0o722])(
  "a directory with other entries (%o) that others can write to is refused, and does not change",
  async (mode) => {
    const directory = await temporaryDirectory()
    writeFileSync(join(directory, "notes.txt"), "theirs")
    mkdirSync(join(directory, "journal"))
    chmodSync(directory, mode)
    await expect(prepareDataDirectory(directory)).rejects.toThrow(
      `PAGESPAN_DATA is "${directory}", which others can write to: remove their permission (chmod go-w), or set it to a directory inside, like ${join(directory, "pagespan")}`,
    )
    expect([modeOf(directory), readdirSync(directory).toSorted()]).toStrictEqual([
      mode.toString(8),
      ["journal", "notes.txt"],
    ])
    chmodSync(directory, 0o755)
    expect(await prepareDataDirectory(directory)).toBe(directory)
    expect([modeOf(directory), modeOf(join(directory, "journal"))]).toStrictEqual(["755", "700"])
  },
)

test.each([0o777, 0o775, 0o755])("one of the inspector's own entries (%o) becomes private", async (mode) => {
  const directory = await temporaryDirectory()
  mkdirSync(join(directory, "store"))
  chmodSync(join(directory, "store"), mode)
  chmodSync(directory, mode)
  await prepareDataDirectory(directory)
  expect([modeOf(directory), modeOf(join(directory, "store"))]).toStrictEqual(["700", "700"])
})

test("saved filters are the inspector's own: their directory and their file become private", async () => {
  const directory = await temporaryDirectory()
  const filters = new SavedFilters(join(directory, "saved-filters.json"))
  await filters.save({ name: "mine", screen: "traces", parameters: { q: "status:error" } })
  chmodSync(directory, 0o777)
  chmodSync(join(directory, "saved-filters.json"), 0o644)
  await prepareDataDirectory(directory)
  expect([modeOf(directory), modeOf(join(directory, "saved-filters.json"))]).toStrictEqual(["700", "600"])
})

test("uploaded source maps are the inspector's own: their directory becomes private", async () => {
  const directory = await temporaryDirectory()
  const maps = new UploadedMaps(join(directory, "source-maps"))
  const body = new Response("{}").body as unknown as ReadableStream<Uint8Array>
  expect(await maps.save("0f883d09-0506-43e6-aa8e-fe5eb9eee3f9", "/a.js", body, false)).toBe("stored")
  for (const path of [directory, maps.directory]) chmodSync(path, 0o775)
  await prepareDataDirectory(directory)
  expect([modeOf(directory), modeOf(maps.directory)]).toStrictEqual(["700", "700"])
})

test("a symbolic link to a directory of the inspector's own entries makes that directory private", async () => {
  const directory = join(await temporaryDirectory(), "data")
  mkdirSync(join(directory, "journal"), { recursive: true })
  for (const path of [directory, join(directory, "journal")]) chmodSync(path, 0o777)
  const link = join(await temporaryDirectory(), "link")
  symlinkSync(directory, link)
  expect(await prepareDataDirectory(link)).toBe(link)
  expect([modeOf(directory), modeOf(join(directory, "journal"))]).toStrictEqual(["700", "700"])
})

describe.skipIf(process.getuid?.() !== 0)(
  "what another user put into a directory that others can write to (needs root)",
  () => {
    const NOBODY = 65_534
    const theirs = (path: string) => lchownSync(path, NOBODY, NOBODY)

    test.each([
      ["a file of the journal", "journal/000000000000001.journal", (path: string) => writeFileSync(path, "records")],
      ["the store", "store", (path: string) => mkdirSync(path)],
      ["a link in place of .gitignore", ".gitignore", (path: string) => symlinkSync(join(path, "../../theirs"), path)],
      ["a link in the store", "store/data/link", (path: string) => symlinkSync("/etc", path)],
    ])("refuses the start, and changes nothing: %s", async (_name, name, plant) => {
      const parent = await temporaryDirectory()
      const directory = join(parent, "data")
      writeFileSync(join(parent, "theirs"), "untouched")
      const planted = join(directory, name)
      mkdirSync(dirname(planted), { recursive: true })
      plant(planted)
      theirs(planted)
      const open = [directory, ...(name.includes("/") ? [join(directory, name.split("/")[0]!), dirname(planted)] : [])]
      for (const path of open) chmodSync(path, 0o777)
      for (const start of ["first", "second"])
        expect([start, await problemOf(directory)]).toStrictEqual([
          start,
          `PAGESPAN_DATA is "${directory}", which others can write to, and ${planted} belongs to another user: remove it, or set PAGESPAN_DATA to another directory`,
        ])
      expect(open.map(modeOf)).toStrictEqual(open.map(() => "777"))
      expect(readFileSync(join(parent, "theirs"), "utf8")).toBe("untouched")
    })

    test("is not looked for where only its user can write", async () => {
      const directory = await temporaryDirectory()
      mkdirSync(join(directory, "journal"))
      chownSync(join(directory, "journal"), NOBODY, NOBODY)
      chmodSync(directory, 0o755)
      expect(await prepareDataDirectory(directory)).toBe(directory)
    })
  },
)

async function problemOf(directory: string): Promise<string | undefined> {
  try {
    await prepareDataDirectory(directory)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}
