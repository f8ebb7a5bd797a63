import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { run } from "./run.ts"

/** A relative specifier of a TypeScript file, as TypeScript leaves it in declarations. */
const TYPESCRIPT_SPECIFIER = /(?<head>(?:from |import\()")(?<path>\.[^"]*)\.tsx?"/g
/**
 * As the compiler writes them: statements begin their line, so that no text which names an import is taken for one, and
 * none reaches into the next one.
 */
const SPECIFIER =
  /^(?:import|export)\s(?:(?:(?!^(?:import|export)\s)[^;"'`])*?from )?"(?<statement>[^"]+)"|\bimport\("(?<dynamic>[^"]+)"\)/gm

/**
 * Compiles `otel/` file by file to ESM, so that what tree-shakes in the sources does in the package, and dynamic imports
 * stay chunks. Declarations that no public entry reaches are left out.
 *
 * @param entries file names of the public entries below `lib`, without extension.
 */
export async function compileLibrary(project: string, lib: string, entries: readonly string[]): Promise<void> {
  await run(
    process.execPath,
    [join(project, "node_modules/typescript/bin/tsc"), "-p", "otel/cli/package", "--outDir", lib],
    {
      cwd: project,
    },
  )
  for (const file of filesBelow(lib)) if (file.endsWith(".d.ts")) rewriteDeclaration(file)
  const reached = new Set<string>()
  for (const entry of entries) reachDeclarations(join(lib, `${entry}.d.ts`), reached)
  for (const file of filesBelow(lib)) if (file.endsWith(".d.ts") && !reached.has(file)) rmSync(file)
}

/** What the compiled files import from elsewhere: names of packages, without their subpaths. */
export function importedPackages(lib: string): Set<string> {
  const specifiers = filesBelow(lib)
    .filter((file) => file.endsWith(".js"))
    .flatMap((file) => specifiersOf(readFileSync(file, "utf8")))
  return new Set(specifiers.filter((specifier) => !/^(?:\.|node:)/.test(specifier)).map(packageOf))
}

export function specifiersOf(text: string): string[] {
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

function packageOf(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/")
}
