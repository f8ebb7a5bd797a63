import { mkdir, readFile, symlink, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { expect, test } from "vitest"
import { temporaryDirectory } from "#tests/support/temporary-directory.ts"
import { startWithoutStore } from "#tests/inspector/ingest/running-inspector.ts"

/** Starts an inspector whose source root contains one file and links to a secret outside. Its editor records its arguments. */
async function startWithSources() {
  const directory = await temporaryDirectory()
  const root = join(directory, "shop")
  const opened = join(directory, "opened")
  await mkdir(join(root, "src"), { recursive: true })
  await mkdir(join(directory, "shop-other"))
  const lines = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`)
  await writeFile(join(root, "src/cart.ts"), lines.join("\n"))
  for (const file of HIDDEN) {
    await mkdir(dirname(join(root, file)), { recursive: true })
    await writeFile(join(root, file), "hush\nhush")
  }
  await symlink(join(root, ".env"), join(root, "src/env.ts"))
  await symlink(join(directory, "secret.ts"), join(root, "src/outside.ts"))
  await writeFile(join(directory, "secret.ts"), "hush")
  await writeFile(join(directory, "secret"), "hush")
  await writeFile(join(directory, "shop-other/file"), "hush")
  await symlink(join(directory, "secret"), join(root, "link"))
  await symlink(directory, join(root, "up"))
  const editor = join(directory, "editor")
  await writeFile(editor, `#!/bin/sh\nprintf '%s\\n' "$@" >> ${opened}\n`, { mode: 0o700 })
  const running = await startWithoutStore({
    PAGESPAN_SOURCE_ROOT: root,
    PAGESPAN_EDITOR: `${editor} -g {file}:{line}:{column}`,
  })
  return { ...running, directory, root, opened }
}

/** Reads what editors have written. The shell creates the file before it writes. */
const written = (opened: string) => () => readFile(opened, "utf8").catch(() => "")

/** Files beneath the root that are no source code, or are hidden. */
const HIDDEN = [
  ".env",
  ".env.local",
  ".env.ts",
  ".git/config",
  ".git/hooks/post-commit.py",
  ".ssh/id_rsa",
  ".aws/credentials",
  ".config/settings.js",
  "src/.secrets.ts",
  "id_rsa",
  "server.key",
  "server.pem",
  "config.json",
  "package.json",
  "settings.yaml",
  "settings.toml",
  "dump.sql",
  "shop.db",
  "notes.txt",
  "shop.log",
  "terraform.tfvars",
  "terraform.tfstate",
  "page.html",
  "cart.js.map",
  "cart.ts~",
  "cart.ts.bak",
]

const OUTSIDE = (directory: string) => [
  ...HIDDEN,
  "src/env.ts",
  "src/outside.ts",
  "./.env",
  "src/../.env",
  ".ENV",

  "../secret",
  "link",
  "up/secret",
  "src/../../secret",
  join(directory, "secret"),
  `file://${join(directory, "secret")}`,
  join(directory, "shop-other/file"),
  "/etc/passwd",
  "..",
  ".",
  "src",
  "src/missing.ts",
  "src/cart.ts\0",
]

test("the editor opens a position in a file below the source root, and no other file", async () => {
  const { url, spotlightUrl, directory, root, opened } = await startWithSources()
  const open = (body: string, base = url) => fetch(`${base}/open`, { method: "POST", body })
  for (const base of [url, spotlightUrl]) expect((await open("src/cart.ts:12:7", base)).status).toBe(204)
  const once = `-g\n${join(root, "src/cart.ts")}:12:7\n`
  await expect.poll(written(opened)).toBe(once + once)
  for (const file of OUTSIDE(directory)) expect([file, (await open(`${file}:1:1`)).status]).toStrictEqual([file, 403])
  expect(await written(opened)()).toBe(once + once)
})

test("a file name is never run as a command", async () => {
  const { url, root, opened } = await startWithSources()
  const name = "$(touch gone); `id` {line}.ts"
  await writeFile(join(root, name), "x")
  expect((await fetch(`${url}/open`, { method: "POST", body: `${name}:3` })).status).toBe(204)
  await expect.poll(written(opened)).toBe(`-g\n${join(root, name)}:3:1\n`)
})

test("a stack trace gets context lines from files below the source root, and from no others", async () => {
  const { url, directory, root } = await startWithSources()
  const ask = async (frames: readonly object[]) => {
    const answer = await fetch(`${url}/contextlines`, { method: "PUT", body: JSON.stringify({ frames, other: 1 }) })
    return answer.json()
  }
  const frame = { filename: "app:///cart.ts", abs_path: join(root, "src/cart.ts"), lineno: 3, function: "pay" }
  expect(
    await ask([frame, { filename: "src/cart.ts", lineno: 20 }, { filename: "src/cart.ts", lineno: 31 }]),
  ).toStrictEqual({
    frames: [
      {
        ...frame,
        pre_context: ["line 1", "line 2"],
        context_line: "line 3",
        post_context: ["line 4", "line 5", "line 6", "line 7", "line 8", "line 9", "line 10"],
      },
      expect.objectContaining({ context_line: "line 20", pre_context: expect.arrayContaining(["line 13"]) }),
      { filename: "src/cart.ts", lineno: 31 },
    ],
    other: 1,
  })
  const outside = OUTSIDE(directory).map((filename) => ({ filename, lineno: 1 }))
  expect(await ask(outside)).toStrictEqual({ frames: outside, other: 1 })
})

test("pages of another site can do neither, and nobody can without a source root", async () => {
  const { url, inspector } = await startWithSources()
  const foreign = { origin: "https://evil.example" }
  expect((await fetch(`${url}/open`, { method: "POST", headers: foreign, body: "src/cart.ts" })).status).toBe(403)
  expect((await fetch(`${url}/contextlines`, { method: "PUT", headers: foreign, body: "{}" })).status).toBe(403)
  // Pages on loopback may write records, and may still not request files.
  const loopback = { origin: "http://localhost:3000" }
  expect((await fetch(`${url}/open`, { method: "POST", headers: loopback, body: "src/cart.ts" })).status).toBe(403)
  expect(inspector.receiver.drops.totals()).toStrictEqual({ foreign_origin: 3 })
  const plain = await startWithoutStore()
  const refused = await fetch(`${plain.url}/contextlines`, { method: "PUT", body: "{}" })
  expect([refused.status, await refused.text()]).toStrictEqual([403, expect.stringContaining("PAGESPAN_SOURCE_ROOT")])
})
