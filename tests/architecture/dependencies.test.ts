import { readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { ENGINE_PACKAGES } from "#otel/cli/server/engine-lock.ts"
import { ENGINE } from "#otel/cli/server/engine.ts"

/**
 * Packages with a published vulnerability that would affect Pagespan, and the first version without it. Each advisory adds
 * a row, and no version in a row goes down.
 */
const PATCHED_FLOORS: readonly (readonly [name: string, floor: string, source: string])[] = [
  ["next", "16.4.0", "CVE-2025-29927, CVE-2025-55182, CVE-2026-23869, CVE-2026-27978, CVE-2026-44578, CVE-2026-64645"],
  ["react", "19.3.0", "CVE-2025-55182, CVE-2026-23864, CVE-2026-23870"],
  ["react-dom", "19.3.0", "CVE-2025-55182, CVE-2026-23870"],
  ["@sentry/nextjs", "7.77.0", "CVE-2023-46729: requests could choose where the tunnel sends"],
  ["@sentry/core", "10.27.0", "CVE-2025-65944: cookies and credentials became attributes"],
  ["@sentry/browser", "7.119.1", "GHSA-593m-55hh-j8gv: prototype pollution"],
  ["@sentry/node", "10.27.0", "CVE-2025-65944"],
  ["@modelcontextprotocol/sdk", "1.24.0", "CVE-2025-66414: no protection against DNS rebinding by default"],
  ["@grpc/grpc-js", "1.10.9", "CVE-2024-37168: messages above the limit were held in memory"],
  ["protobufjs", "7.5.6", "CVE-2023-36665, CVE-2026-44291: prototype pollution, code from a schema"],
  ["postcss", "8.4.31", "CVE-2023-44270"],
  ["esbuild", "0.25.0", "GHSA-67mh-4wv8-2f99: any site could read the development server"],
  ["vite", "6.0.9", "CVE-2025-24010: the same"],
]

/** The packages whose install scripts `npm ci` runs, and what each script does. */
const INSTALL_SCRIPTS: Readonly<Record<string, string>> = {
  "node_modules/chdb": "nothing: an empty script",
  "node_modules/esbuild": "links the binary of this system; comes with tsx",
  "node_modules/@grpc/proto-loader/node_modules/protobufjs": "warns of another version beside it",
}

interface Locked {
  readonly version?: string
  readonly resolved?: string
  readonly link?: boolean
  readonly integrity?: string
  readonly hasInstallScript?: boolean
  readonly optional?: boolean
  readonly os?: readonly string[]
  readonly cpu?: readonly string[]
}

const manifest = JSON.parse(readFileSync("package.json", "utf8")) as Record<string, Record<string, string>>
const lock = JSON.parse(readFileSync("package-lock.json", "utf8")) as {
  lockfileVersion: number
  packages: Record<string, Locked>
}
const { "": root, ...installed } = lock.packages

function versionsOf(name: string): string[] {
  return Object.entries(installed)
    .filter(([path]) => path.endsWith(`node_modules/${name}`))
    .map(([, { version }]) => version ?? "")
}

describe("what Pagespan depends on", () => {
  test.each(PATCHED_FLOORS)("has %s at %s or above, in every copy (%s)", (name, floor) => {
    const versions = versionsOf(name)
    expect(versions).not.toEqual([])
    expect(versions.filter((version) => !isAtLeast(version, floor))).toEqual([])
  })

  test("has exact versions, which the lockfile has too", () => {
    const kinds = ["dependencies", "devDependencies", "optionalDependencies"] as const
    for (const kind of kinds) {
      expect((root as unknown as typeof manifest)[kind]).toEqual(manifest[kind])
      const requested = Object.entries(manifest[kind] ?? {})
      expect(requested.filter(([, version]) => !/^(?:npm:@?[\w./-]+@)?\d+\.\d+\.\d+$/.test(version))).toEqual([])
      const locked = requested.map(([name]) => [name, installed[`node_modules/${name}`]?.version])
      expect(locked).toEqual(requested.map(([name, version]) => [name, version.replace(/^npm:.*@/, "")]))
    }
  })

  test("comes from the registry only: no repository, URL, link or folder", () => {
    expect(lock.lockfileVersion).toBe(3)
    const elsewhere = Object.entries(installed).filter(
      ([, { resolved, link }]) => link === true || /^(?:git|github|file|http:)|codeload|\.git\b/.test(resolved ?? ""),
    )
    expect(elsewhere).toEqual([])
    const overridden = Object.values(manifest["dependencies"] ?? {}).filter((version) => /[:/]/.test(version))
    expect(overridden).toEqual([])
  })

  test("has an integrity hash, except for binaries of other systems", () => {
    const unpinned = Object.entries(installed).filter(([, { integrity }]) => integrity === undefined)
    const wrong = unpinned.filter(([, { optional, os, cpu }]) => !optional || os === undefined || cpu === undefined)
    expect(wrong).toEqual([])
    const ofThisSystem = unpinned.filter(([, { os, cpu }]) => os?.includes("linux") && cpu?.includes("x64"))
    expect(ofThisSystem.filter(([path]) => !path.endsWith("-musl"))).toEqual([])
  })

  test("installs the engine at first start in the version of the tests, with the digests of the lockfile", () => {
    expect(ENGINE).toBe(`chdb@${manifest["optionalDependencies"]?.["chdb"]}`)
    for (const [name, { version, integrity }] of Object.entries(ENGINE_PACKAGES)) {
      const locked = installed[`node_modules/${name}`]
      expect([name, version, integrity]).toEqual([name, locked?.version, locked?.integrity])
    }
    const named = Object.values(ENGINE_PACKAGES).flatMap(({ dependencies, optionalDependencies }) =>
      Object.keys({ ...dependencies, ...optionalDependencies }),
    )
    expect(Object.keys(ENGINE_PACKAGES).toSorted()).toEqual(["chdb", ...named].toSorted())
  })

  test("runs only known install scripts", () => {
    const scripted = Object.entries(installed).filter(([, { hasInstallScript }]) => hasInstallScript === true)
    expect(scripted.map(([path]) => path).sort()).toEqual(Object.keys(INSTALL_SCRIPTS).sort())
    const own = Object.keys(manifest["scripts"] ?? {}).filter((name) => /^(?:pre|post)?install$|^prepare$/.test(name))
    expect(own).toEqual([])
  })
})

/** A prerelease, such as `1.2.0-beta`, is below its release. */
function isAtLeast(version: string, floor: string): boolean {
  const [digits = "", beta] = version.split("-", 2)
  const [have, want] = [digits, floor].map((text) => text.split(".").map(Number))
  const first = want!.findIndex((part, index) => have![index] !== part)
  return first === -1 ? beta === undefined : (have![first] ?? 0) > want![first]!
}
