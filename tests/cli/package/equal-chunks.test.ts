import { mkdir, readFile, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { join } from "node:path"
import { expect, test } from "vitest"
import { shareEqualChunks } from "#otel/cli/package/equal-chunks.ts"
import { temporaryDirectory } from "#tests/support/temporary-directory.ts"

test("a chunk that equals another of its folder but for the name of its source map loads that one, and no other is changed", async () => {
  const directory = await temporaryDirectory()
  await mkdir(join(directory, "ssr"))
  const write = (name: string, code: string) =>
    writeFile(join(directory, name), `${code}\n\n//# sourceMappingURL=${name.split("/").at(-1)}.map`)
  await write("a.js", 'module.exports=[1,()=>"one"]')
  await write("b.js", 'module.exports=[1,()=>"one"]')
  await write("c.js", 'module.exports=[1,()=>"two"]')
  await write("ssr/a.js", 'module.exports=[1,()=>"one"]')
  const before = await Promise.all(["a.js", "c.js", "ssr/a.js"].map((name) => readFile(join(directory, name), "utf8")))
  shareEqualChunks(directory)
  const after = await Promise.all(["a.js", "c.js", "ssr/a.js"].map((name) => readFile(join(directory, name), "utf8")))
  expect(after).toEqual(before)
  expect(await readFile(join(directory, "b.js"), "utf8")).toBe('module.exports=require("./a.js")\n')
  const load = createRequire(join(directory, "entry.js"))
  expect(load("./b.js")).toBe(load("./a.js"))
})
