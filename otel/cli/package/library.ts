import { spawn, type SpawnOptions } from "node:child_process"
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"

/** A relative specifier in a CommonJS module, which the compiler does not touch. */
const REQUIRED_TYPESCRIPT = /require\("(\.[\w./-]*)\.ts"\)/g
/** A relative specifier of a TypeScript file, which TypeScript does not rewrite in declarations. */
const TYPESCRIPT_SPECIFIER = /(?<head>(?:from |import\()")(?<path>\.[^"]*)\.tsx?"/g
/**
 * An import or export in the output of the compiler. A statement begins its line, so that a string that contains one does
 * not match, and no match extends into the next statement.
 */
const SPECIFIER =
  /^(?:import|export)\s(?:(?:(?!^(?:import|export)\s)[^;"'`])*?from )?"(?<statement>[^"]+)"|\bimport\("(?<dynamic>[^"]+)"\)/gm

/**
 * Compiles `otel/` file by file to ESM, and copies its few CommonJS modules, so that a bundler can tree-shake the package and split it at dynamic imports.
 * Deletes the declarations that no public entry imports.
 *
 * @param lib output directory.
 * @param entries file names of the public entries in `lib`, without extension.
 */
export async function compileLibrary(project: string, lib: string, entries: readonly string[]): Promise<void> {
  await run(
    process.execPath,
    [join(project, "node_modules/typescript/bin/tsc"), "-p", "otel/cli/package", "--outDir", lib],
    { cwd: project },
  )
  copyCommonJs(join(project, "otel"), lib)
  for (const file of filesBelow(lib)) if (file.endsWith(".d.ts")) rewriteDeclaration(file)
  const reached = new Set<string>()
  for (const entry of entries) reachDeclarations(join(lib, `${entry}.d.ts`), reached)
  for (const file of filesBelow(lib)) if (file.endsWith(".d.ts") && !reached.has(file)) rmSync(file)
}

function copyCommonJs(sources: string, lib: string): void {
  for (const file of filesBelow(sources).filter((each) => each.endsWith(".cjs")))
    writeFileSync(
      join(lib, relative(sources, file)),
      readFileSync(file, "utf8").replaceAll(REQUIRED_TYPESCRIPT, 'require("$1.js")'),
    )
}

/** The names of the packages that the compiled files import, without subpaths. */
export function importedPackages(lib: string): Set<string> {
  const specifiers = filesBelow(lib)
    .filter((file) => file.endsWith(".js"))
    .flatMap((file) => specifiersOf(readFileSync(file, "utf8")))
  return new Set(specifiers.filter((specifier) => !/^(?:\.|node:)/.test(specifier)).map(packageOf))
}

function specifiersOf(text: string): string[] {
  return [...text.matchAll(SPECIFIER)].map(({ groups }) => groups?.["statement"] ?? groups?.["dynamic"] ?? "")
}

export function filesBelow(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}

function rewriteDeclaration(file: string): void {
  const text = readFileSync(file, "utf8")
  writeFileSync(file, text.replaceAll(TYPESCRIPT_SPECIFIER, '$<head>$<path>.js"'))
}

function reachDeclarations(file: string, reached: Set<string>): void {
  if (reached.has(file)) return
  reached.add(file)
  for (const specifier of specifiersOf(readFileSync(file, "utf8")))
    if (specifier.startsWith("."))
      reachDeclarations(resolve(dirname(file), specifier.replace(/\.js$/, ".d.ts")), reached)
}

export function packageOf(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/")
}

/** Runs a program to its end and returns its output. Rejects with the output when it fails. */
export async function run(command: string, parameters: readonly string[], options: SpawnOptions): Promise<string> {
  const child = spawn(command, parameters, { ...options, stdio: ["ignore", "pipe", "pipe"] })
  let output = ""
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk: Buffer) => (output += chunk.toString()))
  const code = await new Promise<number | null>((done, reject) => child.once("error", reject).once("close", done))
  if (code !== 0) throw new Error(`${command} ${parameters.join(" ")} exited with code ${code}:\n${output}`)
  return output
}
