import { readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"

/** One import statement, type-only or not: two paths from the repository's root. */
export interface Import {
  readonly file: string
  readonly target: string
}

/** The TypeScript files in a directory and its subdirectories, installed packages excepted, sorted, as paths from the repository's root. */
export function sourceFilesBelow(directory: string, extension = /\.tsx?$/): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && extension.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.includes("/node_modules/"))
    .sort()
}

/** A statement begins its line, so that code in a string is no import. */
const IMPORT = /^(?:import|export)\s(?:[^"'`;]*?\sfrom\s)?\s*"(?<statement>[^"]+)"|\bimport\("(?<call>[^"]+)"\)/gm

const TYPE_ONLY = /^(?:import|export) type\s/

/** The imports of a file that resolve to TypeScript files of this repository. */
export function importsOf(file: string): Import[] {
  return resolved(file, [...readFileSync(file, "utf8").matchAll(IMPORT)])
}

/** The same without type-only imports, which nothing loads. */
export function loadedImportsOf(file: string): Import[] {
  const statements = [...readFileSync(file, "utf8").matchAll(IMPORT)]
  return resolved(
    file,
    statements.filter(([statement]) => !TYPE_ONLY.test(statement)),
  )
}

function resolved(file: string, statements: readonly RegExpMatchArray[]): Import[] {
  return statements
    .map(({ groups }) => resolveSpecifier(file, groups?.["statement"] ?? groups?.["call"] ?? ""))
    .filter((target) => target !== undefined && /^(?:otel|app|tests)\/.*\.tsx?$/.test(target))
    .map((target) => ({ file, target: target as string }))
}

function resolveSpecifier(file: string, specifier: string): string | undefined {
  if (specifier.startsWith("#")) return specifier.slice(1)
  const entry = /^pagespan\/([\w-]+)$/.exec(specifier)?.[1]
  if (entry !== undefined) return `otel/${entry}.ts${entry === "react" ? "x" : ""}`
  return specifier.startsWith(".") ? relative(".", join(dirname(file), specifier)) : undefined
}
