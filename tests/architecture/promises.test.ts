import { existsSync, readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"

/** Looks up every test that `docs/promises.md` cites, by file and name. */
const page = readFileSync("docs/promises.md", "utf8")
const PROMISES = 85

interface Promised {
  readonly number: number
  readonly title: string
  readonly text: string
}

const promises = page
  .split(/^### /m)
  .slice(1)
  .map((section): Promised => {
    const [, number = "0", title = ""] = /^(\d+)\. (.+)\n/.exec(section) ?? []
    return { number: Number(number), title, text: section.split(/^## /m)[0] ?? "" }
  })

interface Citation {
  readonly file: string
  readonly name: string
}

/** A line names one or more files, then tests in any of them. */
const citations = page
  .split("\n")
  .filter((line) => line.startsWith("- `tests/"))
  .flatMap((line): Citation[] => {
    const files = [...line.matchAll(/`(tests\/[^`]+)`/g)].map(([, file]) => file ?? "")
    const names = [...line.matchAll(/"([^"]+)"/g)].map(([, name]) => name ?? "")
    return names.map((name) => ({ file: files.find((file) => isNamedIn(file, name)) ?? files.join(", "), name }))
  })

function isNamedIn(file: string, name: string): boolean {
  const any = name.split("…").map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
  return existsSync(file) && new RegExp(`["'\`]${any.join("[^\\n]*")}["'\`]`).test(readFileSync(file, "utf8"))
}

describe("the page of promises", () => {
  test(`has all ${PROMISES} promises in order`, () => {
    expect(promises.map(({ number }) => number)).toEqual(Array.from({ length: PROMISES }, (_, index) => index + 1))
    expect(new Set(promises.map(({ title }) => title)).size).toBe(PROMISES)
  })

  test("cites only tests that exist", () => {
    expect(citations.length).toBeGreaterThan(150)
    expect(citations.filter(({ file, name }) => !isNamedIn(file, name))).toEqual([])
  })

  test("names only files that exist", () => {
    const files = [...page.matchAll(/`(tests\/[^`]+)`/g)].map(([, file]) => file ?? "")
    const linked = [...page.matchAll(/\]\(([\w./-]+)\)/g)].map(([, path]) => `docs/${path}`)
    expect([...files, ...linked].filter((file) => !existsSync(file))).toEqual([])
  })

  test("cites a test or a measurement for each promise, or says that there is none", () => {
    const bare = promises.filter(({ text }) => !/^- `tests\/|`npm run bench:\w+`|\*\*Not shown:\*\*/m.test(text))
    expect(bare.map(({ number }) => number)).toEqual([])
  })

  test("names only npm scripts that exist", () => {
    const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: Record<string, string> }
    const named = [...page.matchAll(/npm run (\w+(?::\w+)?)(?![:\w])/g)].map(([, name]) => name ?? "")
    expect(named.filter((name) => !(name in scripts))).toEqual([])
  })
})
