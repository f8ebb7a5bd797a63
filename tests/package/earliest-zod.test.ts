import { execFile } from "node:child_process"
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect, test } from "vitest"
import { packageManifest } from "#otel/cli/package/manifest.ts"
import { PACKAGE } from "#tests/support/packaged.ts"
import { temporaryDirectory } from "#tests/support/temporary-directory.ts"

const EARLIEST = "4.0.0"
const INSTALL = ["install", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"]

/** Reads valid, wrong and missing values with the compiled SDK, and prints what it makes of them. */
const PROGRAM = `
import { readSdkConfig } from "./lib/sdk/config.js"
const wrong = { OTEL_TRACES_SAMPLER: "sometimes", OTEL_PROPAGATORS: "b3", OTEL_BSP_MAX_QUEUE_SIZE: "x", SENTRY_DSN: "no DSN",
  OTEL_EXPORTER_OTLP_ENDPOINT: "ftp://x", OTEL_TRACES_SAMPLER_ARG: "7", PAGESPAN_REQUEST_HEADERS: "cookie" }
const valid = { OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: "0.25", OTEL_PROPAGATORS: "tracecontext",
  SENTRY_DSN: "http://key@localhost:4318/1", OTEL_EXPORTER_OTLP_ENDPOINT: "http://localhost:4318" }
const texts = (_, value) => (value instanceof Map ? [...value] : value)
console.log(JSON.stringify([wrong, valid, {}].map((environment) => readSdkConfig(environment)), texts))
`

test("an app that pins an earlier zod has one copy, with which the SDK reads its configuration as with its own", async () => {
  const directory = await temporaryDirectory()
  const { dependencies } = packageManifest(process.cwd(), new Set(["zod"])) as { dependencies: Record<string, string> }
  mkdirSync(join(directory, "holder"))
  writeFileSync(
    join(directory, "holder/package.json"),
    JSON.stringify({ name: "holder", version: "1.0.0", dependencies }),
  )
  const app = { type: "module", dependencies: { zod: EARLIEST, holder: "file:./holder" } }
  writeFileSync(join(directory, "package.json"), JSON.stringify(app))
  await promisify(execFile)("npm", INSTALL, { cwd: directory })
  const lock = readFileSync(join(directory, "package-lock.json"), "utf8")
  const { packages } = JSON.parse(lock) as { packages: Record<string, { version?: string }> }
  const copies = Object.entries(packages).filter(([path]) => path.endsWith("node_modules/zod"))
  expect(copies.map(([path, { version }]) => [path, version])).toEqual([["node_modules/zod", EARLIEST]])

  const run = async (folder: string) => {
    cpSync(join(PACKAGE, "lib"), join(folder, "lib"), { recursive: true })
    writeFileSync(join(folder, "program.mjs"), PROGRAM)
    return (await promisify(execFile)(process.execPath, ["program.mjs"], { cwd: folder })).stdout
  }
  const ours = await temporaryDirectory()
  writeFileSync(join(ours, "package.json"), JSON.stringify({ type: "module" }))
  symlinkSync(join(process.cwd(), "node_modules"), join(ours, "node_modules"))
  const installed = join(directory, "node_modules")
  for (const name of readdirSync("node_modules"))
    if (name !== "zod" && !name.startsWith("."))
      symlinkSync(join(process.cwd(), "node_modules", name), join(installed, name))
  const expected = await run(ours)
  expect(expected).toContain("must be")
  expect(await run(directory)).toBe(expected)
})
