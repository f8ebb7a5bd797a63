import { AnyMap, originalPositionFor } from "@jridgewell/trace-mapping"
import { describe, expect, test } from "vitest"
import { identify, type Identified } from "#otel/cli/source-maps/debug-ids.ts"

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** Two lines of code whose words `alpha`, `beta` and `gamma` are words of a source. */
const CODE = `alpha();beta()\ngamma()\n//# sourceMappingURL=a.js.map\n`
const MAP = {
  version: 3,
  sources: ["a.ts"],
  sourcesContent: ["alpha()\n\nbeta()\n  gamma()"],
  names: [],
  mappings: "AAAA,QAEA;AACE",
}
const ORIGINS = { alpha: [1, 0], beta: [3, 0], gamma: [4, 2] } as const

function identified(script: string, map: object = MAP): Identified {
  const result = identify(script, JSON.stringify(map))
  if (typeof result === "string") throw new Error(result)
  return result
}

/** Where the map says that each word of the script comes from. */
function originsIn({ script, map }: Identified): Record<string, readonly [number | null, number | null]> {
  const lines = script.split("\n")
  return Object.fromEntries(
    Object.keys(ORIGINS).map((word) => {
      const line = lines.findIndex((text) => text.includes(`${word}()`))
      const found = originalPositionFor(new AnyMap(map), { line: line + 1, column: lines[line]!.indexOf(word) })
      return [word, [found.line, found.column]]
    }),
  )
}

describe("a script gets a debug id", () => {
  test.each([
    ["plain code", CODE, MAP],
    ["code behind a directive on its line", `"use strict";${CODE}`, { ...MAP, mappings: "aAAA,QAEA;AACE" }],
    ["code below comments and directives", `/* a */\n'use strict';\n${CODE}`, { ...MAP, mappings: ";;AAAA,QAEA;AACE" }],
    ["code below a hashbang", `#!/usr/bin/env node\n${CODE}`, { ...MAP, mappings: ";AAAA,QAEA;AACE" }],
    ["a map with sections", CODE, { version: 3, sections: [{ offset: { line: 0, column: 0 }, map: MAP }] }],
  ])("in %s, and its map names the same places as before", (_name, script, map) => {
    expect(originsIn({ script, map: JSON.stringify(map), debugId: "" })).toEqual(ORIGINS)
    const result = identified(script, map)
    expect(result.debugId).toMatch(UUID)
    expect(originsIn(result)).toEqual(ORIGINS)
    expect(JSON.parse(result.map)).toMatchObject({ debugId: result.debugId, debug_id: result.debugId })
    expect(result.script.endsWith(`\n//# debugId=${result.debugId}\n`)).toBe(true)
  })

  test("that Sentry's SDKs find by the stack of the script, before its own code runs", () => {
    const seen: Record<string, string>[] = []
    const { script, debugId } = identified(
      `seen.push({...globalThis._sentryDebugIds})\n//# sourceMappingURL=a.js.map\n`,
    )
    try {
      // oxlint-disable-next-line typescript/no-implied-eval
      new Function("seen", script)(seen)
      expect(Object.entries(seen[0] ?? {})).toEqual([[expect.stringContaining("Error"), debugId]])
    } finally {
      delete (globalThis as { _sentryDebugIds?: unknown })._sentryDebugIds
    }
  })

  test.each([`"use strict";`, `// first\n"use strict";\n`, `'use strict' ;`])(
    "and %j still applies to it",
    (directive) => {
      const isStrict = "return(function(){return this===undefined})()"
      // oxlint-disable-next-line typescript/no-implied-eval
      const run = (script: string) => new Function(script)() as boolean
      expect(run(isStrict)).toBe(false)
      expect(run(identified(`${directive}${isStrict}`).script)).toBe(true)
    },
  )

  test("once: a second run changes nothing, and neither does one on a bundler's id", () => {
    const first = identified(CODE)
    expect(identify(first.script, first.map)).toEqual(first)
    const debugId = "f1c84406-794f-feff-90f6-e5792b7fa724"
    const bundled = `${CODE}//# debugId=${debugId}\n`
    const result = identified(bundled, { ...MAP, debugId })
    expect(result).toMatchObject({ debugId, script: bundled })
    expect(JSON.parse(result.map)).toEqual({ ...MAP, debugId, debug_id: debugId })
  })

  test("that is the same for equal builds, and another for another script or map", () => {
    const ids = [identified(CODE), identified(CODE), identified(`${CODE} `), identified(CODE, { ...MAP, names: ["x"] })]
    expect(new Set(ids.map(({ debugId }) => debugId)).size).toBe(3)
    expect(ids[0]).toEqual(ids[1])
  })
})

describe("a script is left alone", () => {
  test.each(["", "no map", "null", "[]", `{"version":2,"mappings":""}`, `{"version":3}`])("with the map %j", (map) => {
    expect(identify(CODE, map)).toBe("has a source map that is not valid")
  })

  test("if its directive is in the middle of a section", () => {
    const map = { version: 3, sections: [{ offset: { line: 0, column: 0 }, map: MAP }] }
    expect(identify(`"use strict";${CODE}`, JSON.stringify(map))).toBe("has a directive and a source map with sections")
  })
})
