import { createRequire } from "node:module"
import { resolve as absolute } from "node:path"

/** What the tracer imports of Sentry's SDK: optional peers, of which an app has all or none. */
const PACKAGES = ["@sentry/nextjs", "@sentry/browser", "@sentry/core", "@sentry/opentelemetry"]
const STAND_IN = "pagespan/without-sentry"

/** Names of packages and what a bundler takes in their place. */
export type Aliases = Readonly<Record<string, string>>

/**
 * What stands in for Sentry's packages in an app that has not installed them, `undefined` where it has.
 *
 * @param warn told when only some are found, as with package managers that do not share a dependency's dependencies.
 */
export function standInsForSentry(directory: string, warn: (line: string) => void): Aliases | undefined {
  const { resolve } = createRequire(absolute(directory, "package.json"))
  const missing = PACKAGES.filter((name) => !isResolvable(resolve, name))
  if (missing.length === 0) return undefined
  if (!missing.includes("@sentry/nextjs"))
    warn(
      `pagespan: ${missing.join(", ")} cannot be found from here, so Sentry is off: install what is missing beside @sentry/nextjs`,
    )
  return Object.fromEntries(PACKAGES.map((name) => [name, STAND_IN]))
}

function isResolvable(resolve: (name: string) => string, name: string): boolean {
  try {
    resolve(name)
    return true
  } catch {
    // Not installed, which is for the app to decide.
    return false
  }
}
