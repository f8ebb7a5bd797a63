import { chmodSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { prepareDataDirectory } from "#otel/cli/server/data-directory.ts"
import { SavedFilters } from "#otel/inspector/saved-filters.ts"
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
