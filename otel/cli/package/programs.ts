import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { rolldown } from "rolldown"
import { packageOf } from "./library.ts"

/** What runs as a program or a thread of its own, by its path below `otel/` without extension. */
const PROGRAMS = [
  "cli/main",
  "cli/server/start",
  "inspector/store/process/main",
  "inspector/store/writer/thread",
  "inspector/source-maps/worker",
]
/** What several programs or lazy imports share. Modules find the programs from two directories below the root. */
const SHARED = "cli/shared"
/** Packages that look for files beside their own, that few commands load, or that load after the first answer: they are not bundled. */
const EXTERNAL = /^(?:chdb|next|yargs|open|@babel\/parser|@grpc\/grpc-js|@modelcontextprotocol\/sdk)(?:\/|$)/
const MODULES = "/node_modules/"

/** Names of packages. */
interface BundledPrograms {
  /** Their code is part of the bundle. */
  readonly bundled: readonly string[]
  readonly imported: readonly string[]
}

/**
 * Bundles the programs and the packages that they use into few files, because a start that resolves and compiles six
 * hundred modules takes three times as long. Each program has the path that it has below `sources`.
 *
 * @param sources directory of the programs, in TypeScript or compiled.
 */
async function bundlePrograms(sources: string, target: string, extension: "ts" | "js"): Promise<BundledPrograms> {
  const bundle = await rolldown({
    platform: "node",
    input: Object.fromEntries(PROGRAMS.map((name) => [name, join(sources, `${name}.${extension}`)])),
    external: EXTERNAL,
    // OpenTelemetry's packages have an ESM build, of which a bundle takes only what it uses.
    resolve: { mainFields: ["module", "main"] },
    logLevel: "silent",
  })
  const { output } = await bundle.write({
    dir: target,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: `${SHARED}/[name]-[hash].js`,
    // Names stay, for stack traces.
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
  })
  await bundle.close()
  const chunks = output.filter((file) => file.type === "chunk")
  const modules = chunks.flatMap(({ moduleIds }) =>
    moduleIds.filter((id) => id.includes(MODULES)).map((id) => id.slice(id.lastIndexOf(MODULES) + MODULES.length)),
  )
  const imports = chunks.flatMap((chunk) => [...chunk.imports, ...chunk.dynamicImports])
  return { bundled: packagesOf(modules), imported: packagesOf(imports.filter((name) => EXTERNAL.test(name))) }
}

function packagesOf(paths: readonly string[]): string[] {
  return [...new Set(paths.map(packageOf))].sort()
}

/**
 * Replaces the compiled modules of inspector and command in the package by their bundle, with the licenses of what it contains.
 *
 * @returns names of the packages that the bundle imports.
 */
export async function bundlePackage(project: string, lib: string): Promise<readonly string[]> {
  const target = `${lib}.programs`
  const { bundled, imported } = await bundlePrograms(lib, target, "js")
  for (const part of new Set(PROGRAMS.map((name) => name.split("/")[0] ?? name))) {
    rmSync(join(lib, part), { recursive: true })
    renameSync(join(target, part), join(lib, part))
  }
  rmSync(target, { recursive: true })
  writeFileSync(join(lib, SHARED, "LICENSES.txt"), licensesOf(project, bundled))
  return imported
}

function licensesOf(project: string, packages: readonly string[]): string {
  return packages.map((name) => `${name}\n\n${licenseOf(join(project, "node_modules", name))}\n`).join("\n")
}

function licenseOf(directory: string): string {
  const file = readdirSync(directory).find((name) => /^(?:licen[cs]e|copying)/i.test(name))
  if (file !== undefined) return readFileSync(join(directory, file), "utf8").trim()
  const { license, author } = JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as Record<
    string,
    unknown
  >
  return `License: ${String(license)}. Author: ${typeof author === "object" ? JSON.stringify(author) : String(author)}.`
}

/** Bundles of earlier sources that stay, because an inspector may still run from one. */
const EARLIER_BUNDLES = 2

/**
 * Bundles the programs of a checkout. A directory that has its name is complete: several processes may start at once, and
 * each may be ended halfway.
 */
export async function bundleCheckout(project: string, target: string): Promise<void> {
  const parent = dirname(target)
  const own = `${target}.${process.pid}`
  mkdirSync(parent, { recursive: true })
  await bundlePrograms(join(project, "otel"), own, "ts")
  if (!existsSync(target)) renameSync(own, target)
  rmSync(own, { recursive: true, force: true })
  const others = readdirSync(parent).filter((name) => name !== basename(target))
  const newestFirst = others
    .map((name) => join(parent, name))
    .toSorted((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)
  for (const old of newestFirst.slice(EARLIER_BUNDLES)) rmSync(old, { recursive: true, force: true })
}
