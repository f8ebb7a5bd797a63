import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** A Next app on disk. */
export interface AppFiles {
  readonly directory: string
  /** The prefix of `app` and `instrumentation`: `src/` or empty. */
  readonly base: string
  readonly isTypeScript: boolean
  readonly packages: ReadonlySet<string>
}

const SCRIPTS = ["ts", "tsx", "mts", "js", "jsx", "mjs", "cjs"]

/** The App Router app in the directory, `undefined` if there is none. */
export function findApp(directory: string): AppFiles | undefined {
  const base = ["", "src/"].find((prefix) => existsSync(join(directory, prefix, "app")))
  const manifest = readText(directory, "package.json")
  if (base === undefined || manifest === undefined) return undefined
  const { dependencies = {}, devDependencies = {} } = JSON.parse(manifest.replace(/^\uFEFF/, "")) as Record<
    string,
    Record<string, string>
  >
  return {
    directory,
    base,
    isTypeScript: existsSync(join(directory, "tsconfig.json")),
    packages: new Set(Object.keys({ ...dependencies, ...devDependencies })),
  }
}

/** The path, relative to the app, of the first name that exists with the extension of a script. */
export function findScript({ directory }: AppFiles, ...names: readonly string[]): string | undefined {
  return names
    .flatMap((name) => SCRIPTS.map((extension) => `${name}.${extension}`))
    .find((path) => existsSync(join(directory, path)))
}

/** The text with its byte order mark, if any. `undefined` if the file does not exist or is not UTF-8. */
export function readText(directory: string, path: string): string | undefined {
  const file = join(directory, path)
  if (!existsSync(file)) return undefined
  const bytes = readFileSync(file)
  const text = bytes.toString("utf8")
  return Buffer.from(text).equals(bytes) ? text : undefined
}
