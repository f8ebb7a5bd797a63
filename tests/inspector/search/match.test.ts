import { describe, expect, it } from "vitest"
import { matchesTrace, parseFilter } from "#otel/inspector/search/index.ts"
import { CASES, TRACES } from "./cases.ts"

describe("a filter on records in memory", () => {
  it.each(CASES)("%s matches %s", (text, letters) => {
    const { tree, problem } = parseFilter(text)
    expect(problem).toBeUndefined()
    const matching = Object.entries(TRACES).filter(([, spans]) => tree === undefined || matchesTrace(tree, spans))
    expect(matching.map(([letter]) => letter).join("")).toBe(letters)
  })

  it("takes time linear in the length of the text, whatever the pattern", () => {
    const { tree } = parseFilter(`name:${"*a".repeat(400)}*`)
    const [first] = TRACES["a"] ?? []
    const name = "a".repeat(399) + "b".repeat(60_000)
    expect(tree && first && matchesTrace(tree, [{ ...first, name }])).toBe(false)
  })
})
