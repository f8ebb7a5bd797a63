import { existsSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { basename, dirname, isAbsolute, join, relative } from "node:path"

/**
 * The folder of a package as a file finds it on its way up. `NODE_PATH` does not count: pnpm sets it for the programs that it
 * starts, to a folder with all packages of the workspace, in which no bundler looks.
 *
 * @param from path of the file.
 * @returns `undefined` if it is not installed.
 */
export function installedPackage(from: string, name: string): string | undefined {
  const folders = (createRequire(from).resolve.paths(name) ?? []).filter((modules) => isOnTheWay(modules, from))
  return folders.map((modules) => join(modules, name)).find((folder) => existsSync(join(folder, "package.json")))
}

/** The version of a package that is installed for an app. `undefined` if it is not. */
export function installedVersion(directory: string, name: string): string | undefined {
  const folder = installedPackage(join(directory, "package.json"), name)
  if (folder === undefined) return undefined
  return (JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version?: string }).version
}

function isOnTheWay(modules: string, from: string): boolean {
  const rest = relative(dirname(modules), from)
  return basename(modules) === "node_modules" && !rest.startsWith("..") && !isAbsolute(rest)
}
