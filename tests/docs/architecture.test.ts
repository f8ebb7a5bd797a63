import { existsSync, readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { loadedImportsOf } from "#tests/support/source-files.ts"

const PAGE = "docs/architecture.md"
/** The most files of ours that a reader opens to follow one path from end to end. */
const PATH_LIMIT = 25
const MARKED = /<!-- path: (?<name>[^(]+) \(.*?-->\n(?<list>[\s\S]*?)<!-- end of path -->/g

interface FollowedPath {
  readonly name: string
  readonly files: readonly string[]
}

function followedPaths(text: string): FollowedPath[] {
  return [...text.matchAll(MARKED)].map(({ groups }) => ({
    name: groups?.["name"] ?? "",
    files: [...(groups?.["list"] ?? "").matchAll(/^\| `([^`]+)` \|/gm)].map(([, file]) => file ?? ""),
  }))
}

/** Everything that is wrong with a list of files, in words. */
function problemsOf({ name, files }: FollowedPath): string[] {
  return [
    ...(files.length === 0 ? [`${name} has no files`] : []),
    ...(files.length > PATH_LIMIT ? [`${name} has ${files.length} files`] : []),
    ...files.filter((file, index) => files.indexOf(file) !== index).map((file) => `${name} repeats ${file}`),
    ...files.filter((file) => !existsSync(file)).map((file) => `${name}: ${file} does not exist`),
  ]
}

/** How far the number on the page may be from the real one: a change may add a file without an edit of the page. */
const FILES_TOLERANCE = 5
/** Entries of a page load's code. The page loads the stages by `require`, which no import names. */
const PAGE_LOAD = ["otel/browser.ts", "otel/sdk/browser/tracing.ts", "otel/tunnel.ts"]
/** Chunks that such a page load does not request: warnings of `next dev`, and the stream of a root with too many spans. */
const NOT_LOADED = new Set(["otel/sdk/browser/development.ts", "otel/sdk/sentry/span-stream.ts"])

/** All files of ours that the entries load. */
function filesLoadedBy(entries: readonly string[]): ReadonlySet<string> {
  const files = new Set(entries)
  for (const file of files)
    for (const { target } of loadedImportsOf(file)) if (!NOT_LOADED.has(target)) files.add(target)
  return files
}

const page = readFileSync(PAGE, "utf8")
const paths = followedPaths(page)

describe("the architecture page", () => {
  test("follows a page load and an OTLP POST", () => {
    expect(paths.map(({ name }) => name)).toEqual(["page load", "OTLP POST"])
  })

  test.each(paths.map((path) => [path.name, path] as const))(
    "lists at most 25 files for one %s, each once, and each exists",
    (_, path) => {
      expect(problemsOf(path)).toEqual([])
    },
  )

  test("says how many files of ours a page load's code is, and lists only such", () => {
    const loaded = filesLoadedBy(PAGE_LOAD)
    const said = Number(/The whole code of the path is (\d+) files/.exec(page)?.[1])
    expect(Math.abs(said - loaded.size), `${loaded.size} files`).toBeLessThanOrEqual(FILES_TOLERANCE)
    expect(paths[0]!.files.filter((file) => !loaded.has(file))).toEqual([])
  })

  test("names only files and folders that exist", () => {
    const named = [...page.matchAll(/`((?:otel|app|tests|docs)\/[\w./-]*)`/g)].map(([, path]) => path ?? "")
    expect(named.length).toBeGreaterThan(50)
    expect(named.filter((path) => !existsSync(path))).toEqual([])
  })
})

test("a list with a missing file, a repeated file or too many files is found", () => {
  const many = Array.from({ length: PATH_LIMIT + 1 }, () => "| `package.json` | |").join("\n")
  const [missing, long] = followedPaths(
    `<!-- path: a (x) -->\n| \`no/such.ts\` | |\n<!-- end of path -->\n<!-- path: b (x) -->\n${many}\n<!-- end of path -->`,
  )
  expect(problemsOf(missing!)).toEqual(["a: no/such.ts does not exist"])
  expect(problemsOf(long!).slice(0, 2)).toEqual(["b has 26 files", "b repeats package.json"])
})
