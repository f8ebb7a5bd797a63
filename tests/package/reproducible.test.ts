import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { promisify } from "node:util"
import { expect, onTestFinished, test } from "vitest"
import { packPackage } from "./foreign-app.ts"

const execute = promisify(execFile)
const PACK = `
  git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t "$0"
  cp -al node_modules "$0/" || { rm -rf "$0/node_modules"; cp -a node_modules "$0/"; }
  cd "$0" && npm run --silent package && npm pack ./dist/package --silent`

const digestOf = (file: string) => createHash("sha256").update(readFileSync(file)).digest("hex")

/** The digests of the files in a tarball, which it unpacks into an empty directory. */
async function contentsOf(tarball: string, directory: string): Promise<Record<string, string>> {
  await mkdir(directory)
  await execute("tar", ["-xzf", tarball, "-C", directory])
  const names = await readdir(directory, { recursive: true, withFileTypes: true })
  const files = names.filter((entry) => entry.isFile()).map(({ name, parentPath }) => join(parentPath, name))
  return Object.fromEntries(files.map((file) => [relative(directory, file), digestOf(file)]))
}

test("two packs of the same sources, in two folders, are equal byte for byte", async () => {
  const directory = await mkdtemp(join(tmpdir(), "pagespan-pack-"))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const { stdout } = await execute("sh", ["-ec", PACK, directory], { maxBuffer: 2 ** 26 })
  const second = join(directory, stdout.trim().split("\n").at(-1) ?? "")
  const first = await packPackage()
  // Names the files that differ.
  expect(await contentsOf(second, join(directory, "second"))).toEqual(await contentsOf(first, join(directory, "first")))
  expect(digestOf(second)).toBe(digestOf(first))
}, 600_000)
