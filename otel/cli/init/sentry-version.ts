import type { AppFiles } from "./app-files.ts"
import { installedVersion } from "./installed-package.ts"

export const SENTRY = "@sentry/nextjs"
/** One version, or one minor version. What a wider range leaves open is installed in its newest version. */
const PINNED = /^[=~v]?\d+\.\d/

/** The version of Sentry's SDK that the app has, else the one that it pins; empty if neither is known. */
export function sentryVersion({ directory, packages }: AppFiles): string {
  if (!packages.has(SENTRY)) return ""
  const range = packages.get(SENTRY) ?? ""
  return installedVersion(directory, SENTRY) ?? (PINNED.test(range) ? range : "")
}
