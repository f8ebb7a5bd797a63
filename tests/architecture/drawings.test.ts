import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"

/**
 * React streams the output of a server component in rows. If a row ends inside an `<svg>`, React inserts a placeholder with
 * an inline style, which the content security policy forbids. A client component renders in one piece.
 */
test("every file that renders an <svg> is a client module", () => {
  const files = readdirSync("app", { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".tsx"))
  const drawing = files.map((name) => join("app", name)).filter((path) => readFileSync(path, "utf8").includes("<svg"))
  expect(drawing.length).toBeGreaterThan(10)
  expect(drawing.filter((path) => !readFileSync(path, "utf8").startsWith('"use client"'))).toStrictEqual([])
})
