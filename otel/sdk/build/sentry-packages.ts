import { createRequire } from "node:module"
import { resolve as absolute } from "node:path"

/** Sentry's packages that the SDK imports: optional peers, of which an app has all or none. */
const PACKAGES = ["@sentry/nextjs", "@sentry/browser", "@sentry/core", "@sentry/opentelemetry"]
const STUB = "pagespan/without-sentry"

/** Package names and the modules that a bundler resolves instead. */
export type Aliases = Readonly<Record<string, string>>

/**
 * Aliases from Sentry's packages to a stub, for an app that has not installed them all.
 *
 * @param warn called if only some are found, as with package managers that do not hoist a dependency's dependencies.
 * @returns `undefined` if all packages are installed.
 */
export function sentryAliases(directory: string, warn: (line: string) => void): Aliases | undefined {
  const { resolve } = createRequire(absolute(directory, "package.json"))
  const missing = PACKAGES.filter((name) => !isResolvable(resolve, name))
  if (missing.length === 0) return undefined
  if (!missing.includes("@sentry/nextjs"))
    warn(
      `${missing.join(", ")} cannot be found from here, so Sentry is off: install the missing packages next to @sentry/nextjs`,
    )
  return Object.fromEntries(PACKAGES.map((name) => [name, STUB]))
}

function isResolvable(resolve: (name: string) => string, name: string): boolean {
  try {
    resolve(name)
    return true
  } catch {
    // Not installed: Sentry is optional.
    return false
  }
}
