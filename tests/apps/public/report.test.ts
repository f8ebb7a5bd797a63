import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { temporaryDirectory } from "#tests/support/temporary-directory.ts"
import { COMPATIBILITY_PAGE, textBetween, writeRows } from "../marked-text.ts"
import { rowOfObstacle } from "../table.ts"
import { appsNamed, PUBLIC_APPS } from "./catalogue.ts"
import { APPS_TABLE, CHANGES, cellOf, changesOf } from "./report.ts"

const row = (commit: string, bundler: string, verdict: string) =>
  rowOfObstacle({ name: `[shop](https://github.com/acme/shop) at \`${commit}\``, bundler, features: [] }, verdict)

test("a row replaces that of the same app and bundler, also of another commit, and leaves the others", async () => {
  const page = join(await temporaryDirectory(), "page.md")
  const before = [row("1111111", "turbopack", "old"), row("1111111", "webpack", "old")]
  writeFileSync(page, ["# Page", APPS_TABLE.begin, ...APPS_TABLE.head, ...before, APPS_TABLE.end, "rest"].join("\n"))
  writeRows(page, APPS_TABLE, [row("2222222", "webpack", "new")])
  const rows = [row("1111111", "turbopack", "old"), row("2222222", "webpack", "new")]
  const table = [...APPS_TABLE.head, ...rows].join("\n")
  expect(readFileSync(page, "utf8")).toBe(`# Page\n${APPS_TABLE.begin}\n\n${table}\n\n${APPS_TABLE.end}\nrest`)
})

test("the rows have the order of the catalogue", async () => {
  const page = join(await temporaryDirectory(), "page.md")
  writeFileSync(page, `${APPS_TABLE.begin}\n${APPS_TABLE.end}`)
  const [first, second] = PUBLIC_APPS.map((app) =>
    rowOfObstacle({ name: cellOf(app), bundler: "webpack", features: [] }, ""),
  )
  writeRows(page, APPS_TABLE, [second!, first!])
  expect(textBetween(page, APPS_TABLE).split("\n").slice(2)).toEqual([first, second])
})

test("a page without marks is an error", async () => {
  const page = join(await temporaryDirectory(), "page.md")
  writeFileSync(page, "# Page\n")
  expect(() => writeRows(page, APPS_TABLE, [])).toThrow("has no marks")
})

test("the page lists the changes of the catalogue", () => {
  expect(textBetween(COMPATIBILITY_PAGE, CHANGES)).toBe(changesOf(PUBLIC_APPS))
})

test("each row of the page is of an app of the catalogue", () => {
  const rows = textBetween(COMPATIBILITY_PAGE, APPS_TABLE).split("\n").slice(2)
  const known = PUBLIC_APPS.flatMap((app) =>
    ["turbopack", "webpack"].map((bundler) => `| ${cellOf(app)} | ${bundler} |`),
  )
  expect(rows.filter((line) => !known.some((start) => line.startsWith(start)))).toEqual([])
})

test("apps are pinned, and have names of their own", () => {
  for (const { commit } of PUBLIC_APPS) expect(commit).toMatch(/^[0-9a-f]{40}$/)
  expect(new Set(PUBLIC_APPS.map(({ name }) => name)).size).toBe(PUBLIC_APPS.length)
})

test("an unknown name is an error that lists the names", () => {
  expect(() => appsNamed(["shop"])).toThrow(`no public app shop. There are ${PUBLIC_APPS[0]!.name}`)
})
