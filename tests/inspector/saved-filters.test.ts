import { mkdir, readFile, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { savedFilterToJson } from "#otel/inspector/queries/saved-filters/saved-filter.ts"
import { type FilterChange, SavedFilters } from "#otel/inspector/saved-filters.ts"
import { temporaryDirectory } from "../support/temporary-directory.ts"

const SLOW: FilterChange = { name: "slow", screen: "traces", parameters: { q: "duration>1s", since: "1h" } }

async function openFilters() {
  const path = join(await temporaryDirectory(), "data", "saved-filters.json")
  return { path, filters: new SavedFilters(path) }
}

describe("saved filters", () => {
  it("survive a restart, in a file that is private to its user, and are listed by name", async () => {
    const { path, filters } = await openFilters()
    expect(await filters.list()).toEqual([])
    const slow = await filters.save(SLOW)
    await filters.save({ name: "Errors of pay", screen: "errors", parameters: { q: "pay", level: "error" } })
    expect(((await stat(path)).mode & 0o777).toString(8)).toBe("600")
    expect(((await stat(join(path, ".."))).mode & 0o777).toString(8)).toBe("700")
    const restarted = new SavedFilters(path)
    expect((await restarted.list()).map(({ name }) => name)).toEqual(["Errors of pay", "slow"])
    expect(await restarted.list()).toContainEqual(slow)
  })

  it("are renamed, watched and removed by their id, and two have no common name", async () => {
    const { path, filters } = await openFilters()
    const { id } = await filters.save(SLOW)
    await filters.save({ ...SLOW, name: "other" })
    await expect(filters.save({ ...SLOW, id, name: "other" })).rejects.toThrow('Another filter has the name "other".')
    await filters.save({ ...SLOW, id, name: "slower", watch: { measure: "p95", above: 800, window: "15m" } })
    expect((await new SavedFilters(path).list()).map(({ name, watch }) => [name, watch?.above])).toEqual([
      ["other", undefined],
      ["slower", 800],
    ])
    expect(await filters.remove(id)).toBe(true)
    expect(await filters.remove(id)).toBe(false)
    await expect(filters.save({ ...SLOW, id })).rejects.toThrow("removed meanwhile")
    expect((await new SavedFilters(path).list()).map(({ name }) => name)).toEqual(["other"])
  })

  it("that are changed at the same time are all in the file", async () => {
    const { path, filters } = await openFilters()
    await Promise.all(Array.from({ length: 20 }, (_, number) => filters.save({ ...SLOW, name: `filter ${number}` })))
    expect(await new SavedFilters(path).list()).toHaveLength(20)
  })

  it.each([
    [{ name: "" }, "1 to 80 characters"],
    [{ name: " padded" }, "1 to 80 characters"],
    [{ name: "two\nlines" }, "1 to 80 characters"],
    [{ name: "x".repeat(81) }, "1 to 80 characters"],
    [{ parameters: { after: "cursor" } }, 'no parameter "after"'],
    [{ parameters: { q: "x".repeat(2_001) } }, "q is too long"],
    [{ parameters: { since: "1".repeat(257) } }, "since is too long"],
    [{ parameters: { q: "duration>fast" } }, "The filter is invalid"],
    [{ watch: { measure: "count", above: 1.5, window: "15m" } }, "whole number"],
    [{ watch: { measure: "count", above: Number.NaN, window: "15m" } }, "number from 0"],
    [{ watch: { measure: "failed", above: 100, window: "15m" } }, "below 100 percent"],
    [{ watch: { measure: "p95", above: 1, window: "2d" } }, "from 10s to 24h"],
    [{ watch: { measure: "p95", above: 1, window: "soon" } }, "from 10s to 24h"],
    [{ screen: "logs", parameters: {}, watch: { measure: "p95", above: 1, window: "15m" } }, "no measure p95"],
    [{ screen: "errors", parameters: {}, watch: { measure: "count", above: 1, window: "15m" } }, "no measure count"],
  ] as const)("%j is refused", async (over, reason) => {
    const { filters } = await openFilters()
    await expect(filters.save({ ...SLOW, ...over } as FilterChange)).rejects.toThrow(reason)
    expect(await filters.list()).toEqual([])
  })

  it("are at most 100, of which 20 are watched", async () => {
    const { filters } = await openFilters()
    const watch = { measure: "count", above: 3, window: "5m" } as const
    for (let number = 0; number < 20; number++) await filters.save({ ...SLOW, name: `watch ${number}`, watch })
    await expect(filters.save({ ...SLOW, watch })).rejects.toThrow("watches at most 20 filters")
    for (let number = 20; number < 100; number++) await filters.save({ ...SLOW, name: `filter ${number}` })
    await expect(filters.save(SLOW)).rejects.toThrow("saves at most 100 filters")
    const [first] = await filters.list()
    await filters.save({ ...first!, name: "renamed" })
  })

  it("of a damaged file are not overwritten, and the reason names no directory", async () => {
    const { path, filters } = await openFilters()
    await mkdir(join(path, ".."))
    await writeFile(path, "half a file")
    await expect(filters.list()).rejects.toThrow(/^saved-filters\.json in the data directory is damaged/)
    await expect(filters.save(SLOW)).rejects.toThrow("is damaged")
    expect(await readFile(path, "utf8")).toBe("half a file")
    // Somebody repairs it while the inspector runs.
    await writeFile(path, JSON.stringify({ version: 1, filters: [] }))
    await filters.save(SLOW)
  })

  it("that cannot be written say why, and the list stays as it was", async () => {
    const directory = await temporaryDirectory()
    await writeFile(join(directory, "file"), "")
    const filters = new SavedFilters(join(directory, "file", "saved-filters.json"))
    await expect(filters.save(SLOW)).rejects.toThrow(/saved-filters\.json in the data directory cannot be/)
  })
})

describe("the command of a watch", () => {
  const command = (over: Partial<FilterChange>) =>
    savedFilterToJson({ id: "0".repeat(16), ...SLOW, ...over } as never).assert

  it.each([
    ["count", 3, "--count '<=3'"],
    ["failed", 2.5, "--count '>=0' --max-failed 2.5%"],
    ["p95", 800, "--count '>=0' --max-p95 800ms"],
  ] as const)("has the threshold of %s", (measure, above, options) => {
    expect(command({ watch: { measure, above, window: "15m" } })).toBe(
      `pagespan assert 'duration>1s' --own hide --since 15m --within 0s ${options}`,
    )
  })

  it("counts logs, includes Pagespan's own traces where the filter shows them, and quotes for a shell", () => {
    const watch = { measure: "count", above: 0, window: "5m" } as const
    expect(command({ screen: "logs", parameters: { q: 'it\'s "slow"' }, watch })).toBe(
      String.raw`pagespan assert 'it'\''s "slow"' --logs --since 5m --within 0s --count '<=0'`,
    )
    expect(command({ parameters: { q: "name:x", own: "show" }, watch })).toContain("assert 'name:x' --since")
    expect(command({})).toBeNull()
  })
})
