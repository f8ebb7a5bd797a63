import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"

/**
 * What a server component hands on is cut into rows wherever one is full, and of a row that comes later React makes a
 * place within the drawing, with a style of its own: the policy forbids it. A client component draws in one piece.
 */
test("every file that draws is a client module", () => {
  const files = readdirSync("app", { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".tsx"))
  const drawing = files.map((name) => join("app", name)).filter((path) => readFileSync(path, "utf8").includes("<svg"))
  expect(drawing.length).toBeGreaterThan(10)
  expect(drawing.filter((path) => !readFileSync(path, "utf8").startsWith('"use client"'))).toStrictEqual([])
})
