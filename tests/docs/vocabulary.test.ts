import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { sourceFilesBelow } from "#tests/support/source-files.ts"
import { pages } from "./blocks.ts"

/** Words that the documentation once used for terms of the field, and the term to use instead. */
const PRIVATE_WORDS: readonly (readonly [pattern: RegExp, term: string])[] = [
  [/\bdoors?\b/i, "endpoint, handler or receiver"],
  [/\btold\b/i, "reported, recorded or sent"],
  [/\blosses\b/i, "drops, dropped data"],
  [/\b(?:hand|hands|handed|handing) on\b/i, "forward or propagate"],
  [/\bshelf\b/i, "retained run"],
  [/\bstrangers?\b/i, "another origin, another service"],
  [/\bwhoever\b/i, "you, the client, the sender"],
  [/\b(?:intake|admission)\b/i, "ingest"],
  [/\blet go\b/i, "release"],
]

/** The prose of a page: without code, quotations, and the last column of a comparison, which cites tests. */
function proseOf(text: string): string {
  return text
    .replaceAll(/^(```+)[\s\S]*?^\1$/gm, "")
    .replaceAll(/`[^`\n]*`/g, "")
    .replaceAll(/"[^"\n]*"/g, "")
    .replaceAll(/^((?:\|[^|\n]*){3}\|)[^|\n]*\|$/gm, "$1")
}

function privateWordsIn(text: string): string[] {
  return proseOf(text)
    .split("\n")
    .flatMap((line) =>
      PRIVATE_WORDS.filter(([pattern]) => pattern.test(line)).map(([, term]) => `${line.trim()} -> ${term}`),
    )
}

test.each(pages())("%s uses the terms of the field", (page) => {
  expect(privateWordsIn(readFileSync(page, "utf8"))).toEqual([])
})

/** It renames what earlier versions wrote. */
const MIGRATIONS = "otel/inspector/store/schema/migrations.ts"

test("the sources use the terms of the field, in names, comments and texts", () => {
  const sources = ["otel", "app"].flatMap((folder) => sourceFilesBelow(folder)).filter((file) => file !== MIGRATIONS)
  const found = sources.flatMap((file) =>
    readFileSync(file, "utf8")
      .split("\n")
      .flatMap((line) =>
        PRIVATE_WORDS.filter(([pattern]) => pattern.test(line)).map(([, term]) => `${file}: ${line} -> ${term}`),
      ),
  )
  expect(sources.length).toBeGreaterThan(500)
  expect(found).toEqual([])
})

test("a private word is found in prose, and not in code or quotations", () => {
  expect(privateWordsIn("The door answers 200.")).toEqual(["The door answers 200. -> endpoint, handler or receiver"])
  expect(privateWordsIn('The field `told` and the screen "Losses" were renamed.')).toEqual([])
})
