import { execFile } from "node:child_process"
import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core"
import { publint } from "publint"
import { formatMessage } from "publint/utils"
import { beforeAll, describe, expect, test } from "vitest"
import { packageManifest } from "#otel/cli/package/manifest.ts"
import { packPackage } from "./foreign-app.ts"

/** The library takes 0.2 MB; the rest is the inspector with the files of Next and React that serve it. */
const TARBALL_BUDGET_BYTES = 5_400_000

let tarball: string
let files: string[]

beforeAll(async () => {
  tarball = await packPackage()
  const { stdout } = await promisify(execFile)("tar", ["-tzf", tarball], { maxBuffer: 2 ** 26 })
  files = stdout.trim().split("\n")
})

describe("the tarball", () => {
  test("stays within its budget of bytes", () => {
    expect(statSync(tarball).size).toBeLessThanOrEqual(TARBALL_BUDGET_BYTES)
  })

  test("contains no sources, no source maps and no build cache", () => {
    const wrong = files.filter((file) => /(?<!\.d)\.tsx?$|\.map$|\.tsbuildinfo$|\/\.next\/(?:cache|trace)/.test(file))
    expect(wrong).toEqual([])
  })

  test("contains its bill of materials", async () => {
    const { stdout } = await promisify(execFile)("tar", ["-xzOf", tarball, "package/sbom.cdx.json"], {
      maxBuffer: 2 ** 26,
    })
    const { bomFormat, components } = JSON.parse(stdout) as { bomFormat: string; components: { name: string }[] }
    expect([bomFormat, components.some(({ name }) => name === "next")]).toEqual(["CycloneDX", true])
  })

  test("contains the table definitions for the administrator of a cluster", () => {
    expect(files).toContain("package/lib/inspector/store/schema/cluster.sql")
  })

  test("contains the JSON Schema of budgets, which their $schema names", () => {
    expect(files).toContain("package/pagespan.budgets.schema.json")
    const schema = JSON.parse(readFileSync("dist/package/pagespan.budgets.schema.json", "utf8")) as Record<
      string,
      object
    >
    expect(Object.keys(schema["properties"]!)).toEqual(["$schema", "baseline", "minSamples", "routes", "dropped"])
  })

  test("has a set-up file of Vitest that loads little, since each test file loads it anew", () => {
    const setup = readFileSync("dist/package/lib/testing/vitest-setup.js", "utf8")
    const loaded = [...setup.matchAll(/^import .*?"([^"]+)";?$/gm)].map(([, name]) => name)
    expect(loaded.toSorted()).toEqual(["node:async_hooks", "node:diagnostics_channel", "vitest"])
  })

  test("does not contain the path where it was built", async () => {
    const { stdout } = await promisify(execFile)("sh", [
      "-c",
      `tar -xzOf "$0" | grep -acF "$1" || true`,
      tarball,
      process.cwd(),
    ])
    expect(stdout.trim()).toBe("0")
  })

  test("passes publint: exports, files and entry points", async () => {
    const bytes = readFileSync(tarball)
    const { messages, pkg } = await publint({
      pack: { tarball: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer },
      strict: true,
    })
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([])
  })

  test('passes are-the-types-wrong: an ESM project, a bundler and moduleResolution "node" resolve its types', async () => {
    const { problems } = (await checkPackage(createPackageFromTarballData(readFileSync(tarball)))) as {
      problems: { kind: string }[]
    }
    // The package is ESM: CommonJS uses Node's require(esm).
    const wrong = problems.filter(({ kind }) => kind !== "CJSResolvesToESM")
    expect(wrong).toEqual([])
  })
})

describe("the manifest", () => {
  test("must list every imported package", () => {
    expect(() => packageManifest(process.cwd(), new Set(["left-pad"]))).toThrow(
      "the package imports packages that are not dependencies in package.json: left-pad",
    )
  })

  test("makes the engine and Sentry optional peer dependencies", () => {
    const manifest = JSON.parse(readFileSync(join(process.cwd(), "dist/package/package.json"), "utf8")) as Record<
      string,
      Record<string, unknown>
    >
    const all = Object.keys(manifest["dependencies"] ?? {})
    expect(all.filter((name) => /^@sentry|^chdb|^next|^react|^tsx|radix|uplot|cmdk/.test(name))).toEqual([])
    for (const peer of Object.keys(manifest["peerDependencies"] ?? {}))
      expect(manifest["peerDependenciesMeta"]?.[peer]).toEqual({ optional: true })
  })
})
