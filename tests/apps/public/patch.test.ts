import { execFileSync } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { expect, test } from "vitest"
import { temporaryDirectory } from "#tests/support/temporary-directory.ts"
import type { Change } from "./changes.ts"
import { checkOutPatched } from "./patch.ts"
import type { PublicApp } from "./public-app.ts"

const LICENCE = "MIT License\n\nPermission is hereby granted, free of charge, to any person obtaining a copy of\n"
const FILES = {
  LICENSE: LICENCE,
  "apps/shop/package.json": JSON.stringify({ dependencies: { next: "15.0.0", sharp: "1.0.0" } }),
  "apps/shop/app/page.tsx": "export default () => <p>first</p>\n",
  "apps/shop/app/old.tsx": "",
}

/** A directory with the clone `acme+shop/repo`, and its first commit. */
async function mirror(files: Readonly<Record<string, string>> = FILES): Promise<{ mirrors: string; commit: string }> {
  const mirrors = await temporaryDirectory()
  const work = join(mirrors, "work")
  const git = (...words: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...words], {
      cwd: work,
      encoding: "utf8",
    })
  const commitFiles = (contents: Readonly<Record<string, string>>) => {
    for (const [name, text] of Object.entries(contents)) {
      mkdirSync(dirname(join(work, name)), { recursive: true })
      writeFileSync(join(work, name), text)
    }
    git("add", ".")
    git("commit", "--quiet", "--message", "one")
    return git("rev-parse", "HEAD").trim()
  }
  mkdirSync(work)
  git("init", "--quiet")
  const commit = commitFiles(files)
  commitFiles({ "apps/shop/app/page.tsx": "export default () => <p>second</p>\n" })
  git("clone", "--quiet", "--bare", ".", join(mirrors, "acme+shop/repo"))
  return { mirrors, commit }
}

function shop(commit: string, changes: readonly Change[] = []): PublicApp {
  return {
    name: "shop",
    repository: "acme/shop",
    commit,
    folder: "apps/shop",
    licence: "MIT",
    packageManager: "npm",
    features: [],
    links: 0,
    changes,
  }
}

async function patch(changes: readonly Change[], files?: Readonly<Record<string, string>>) {
  const { mirrors, commit } = await mirror(files)
  const directory = await temporaryDirectory()
  const printed: string[] = []
  await checkOutPatched(shop(commit, changes), directory, mirrors, (line) => printed.push(line))
  return { printed, commit, read: (name: string) => readFileSync(join(directory, name), "utf8"), directory }
}

test("the app's folder is that of the commit, not of a later one", async () => {
  const { read, directory } = await patch([])
  expect(read("app/page.tsx")).toContain("first")
  expect(readdirSync(directory).sort()).toEqual(["app", "package.json"])
})

test("changes are applied in their order, and each is printed with its reason", async () => {
  const { printed, commit, read, directory } = await patch([
    { kind: "edit", file: "app/page.tsx", from: "first", to: "other", why: "for a test" },
    { kind: "edit", file: "app/page.tsx", from: "other", to: "last", why: "and again" },
    { kind: "write", file: ".npmrc", text: "legacy-peer-deps=true\n", why: "old peers" },
    { kind: "remove", file: "app/old.tsx", why: "it is old" },
    { kind: "versions", packages: { sharp: undefined, zod: "4.0.0" }, why: "no images" },
  ])
  expect(read("app/page.tsx")).toBe("export default () => <p>last</p>\n")
  expect(read(".npmrc")).toBe("legacy-peer-deps=true\n")
  expect(readdirSync(join(directory, "app"))).toEqual(["page.tsx"])
  const own = JSON.parse(readFileSync("package.json", "utf8")) as { dependencies: Record<string, string> }
  const { next, react, "@sentry/nextjs": sentry } = own.dependencies
  const { dependencies } = JSON.parse(read("package.json")) as typeof own
  expect(dependencies).toMatchObject({ next, react, "@sentry/nextjs": sentry, zod: "4.0.0" })
  expect(dependencies).not.toHaveProperty("sharp")
  expect(printed).toEqual([
    `shop: acme/shop at ${commit}, MIT`,
    expect.stringContaining(`\`next\` ${next}, \`react\` ${react}, `),
    "shop: `app/page.tsx` is edited: for a test",
    "shop: `app/page.tsx` is edited: and again",
    "shop: `.npmrc` is added: old peers",
    "shop: `app/old.tsx` is removed: it is old",
    "shop: no `sharp`, `zod` 4.0.0: no images",
  ])
})

test.each<[string, Change, RegExp]>([
  [
    "a text that is not there",
    { kind: "edit", file: "app/page.tsx", from: "third", to: "", why: "" },
    /app\/page\.tsx: has this text 0 times, not once:\nthird/,
  ],
  [
    "a text that is there twice",
    { kind: "edit", file: "app/page.tsx", from: "p>", to: "", why: "" },
    /app\/page\.tsx: has this text 2 times, not once:\np>/,
  ],
  [
    "a file that is not there",
    { kind: "edit", file: "proxy.ts", from: "a", to: "", why: "" },
    /proxy\.ts: there is no such file/,
  ],
  [
    "a removed file that is not there",
    { kind: "remove", file: "proxy.ts", why: "" },
    /proxy\.ts: there is no such file/,
  ],
  [
    "a package that is not listed",
    { kind: "versions", packages: { husky: undefined }, why: "" },
    /package\.json: does not list husky/,
  ],
])("a change that does not apply is an error: %s", async (_, change, message) => {
  await expect(patch([change])).rejects.toThrow(message)
})

test("a repository under another licence is an error that shows it", async () => {
  await expect(patch([], { ...FILES, LICENSE: "All rights reserved" })).rejects.toThrow(
    /not under MIT:\nAll rights reserved/,
  )
})

test("a commit that is not there is an error", async () => {
  const { mirrors } = await mirror()
  const nowhere = await temporaryDirectory()
  await expect(checkOutPatched(shop("0".repeat(40)), nowhere, mirrors, () => undefined)).rejects.toThrow("0".repeat(40))
})
