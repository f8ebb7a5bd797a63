import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
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

test("a private word is found in prose, and not in code or quotations", () => {
  expect(privateWordsIn("The door answers 200.")).toEqual(["The door answers 200. -> endpoint, handler or receiver"])
  expect(privateWordsIn('The field `told` and the screen "Losses" were renamed.')).toEqual([])
})
