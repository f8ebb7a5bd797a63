import { existsSync, readFileSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { expect, test } from "vitest"
import { pages } from "./blocks.ts"

interface Link {
  readonly page: string
  /** The file that it leads to. */
  readonly file: string
  /** The heading in that file; empty for none. */
  readonly anchor: string
}

function linksOf(page: string, text: string): Link[] {
  return [...text.matchAll(/\]\((?!https?:)(?<path>[^)#\s]*)(?:#(?<anchor>[^)\s]+))?\)/g)].map(({ groups }) => ({
    page,
    file: groups?.["path"] === "" ? page : join(dirname(page), groups?.["path"] ?? ""),
    anchor: groups?.["anchor"] ?? "",
  }))
}

/** The anchors that GitHub makes of the headings of a page. */
function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-"),
  )
}

function isBroken({ file, anchor }: Link): boolean {
  if (!existsSync(file)) return true
  return anchor !== "" && (statSync(file).isDirectory() || !anchorsOf(readFileSync(file, "utf8")).includes(anchor))
}

test("every link from one page to another leads to a file and a heading that exist", () => {
  const links = pages().flatMap((page) => linksOf(page, readFileSync(page, "utf8")))
  expect(links.length).toBeGreaterThan(100)
  expect(links.filter(isBroken)).toEqual([])
})

test("a link to a missing file or a missing heading is found", () => {
  const text = "[a](docs/none.md) [b](docs/glossary.md#none) [c](docs/glossary.md#in-a-page) [d](https://example.com)"
  expect(linksOf("README.md", text).filter(isBroken)).toEqual([
    { page: "README.md", file: "docs/none.md", anchor: "" },
    { page: "README.md", file: "docs/glossary.md", anchor: "none" },
  ])
})
