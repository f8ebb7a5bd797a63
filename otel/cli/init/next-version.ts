import { createRequire } from "node:module"
import { join } from "node:path"
import { type AppFiles, readText } from "./app-files.ts"

/** The version of Next that the app has, else the range that it lists; empty if it names none. */
export function nextVersion(app: AppFiles): string {
  return installedVersion(app.directory) ?? app.packages.get("next") ?? ""
}

function installedVersion(directory: string): string | undefined {
  const { resolve } = createRequire(join(directory, "package.json"))
  for (const modules of resolve.paths("next") ?? []) {
    const manifest = readText(modules, "next/package.json")
    if (manifest !== undefined) return (JSON.parse(manifest) as { version?: string }).version
  }
  return undefined
}
