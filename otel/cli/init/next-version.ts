import type { AppFiles } from "./app-files.ts"
import { installedVersion } from "./installed-package.ts"

/** The version of Next that the app has, else the range that it lists; empty if it names none. */
export function nextVersion(app: AppFiles): string {
  return installedVersion(app.directory, "next") ?? app.packages.get("next") ?? ""
}
