import { existsSync, readFileSync, realpathSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, resolve as absolute, isAbsolute, join, relative } from "node:path"
import { sentryProblem } from "../../protocol/sentry-versions.ts"

/** Sentry's packages that the SDK imports: optional peers, of which an app has all or none. */
const PACKAGES = ["@sentry/nextjs", "@sentry/browser", "@sentry/core", "@sentry/opentelemetry"]
const STUB = "pagespan/without-sentry"

/** Package names and the modules that a bundler resolves instead. */
export type Aliases = Readonly<Record<string, string>>

/**
 * Aliases from Sentry's packages to a stub, for an app that has not installed them all.
 *
 * @param directory the app's directory.
 * @param root the folder above which the bundler resolves nothing. Packages above it, as in a `node_modules` of the home
 * directory, count as not installed. `undefined`: no such folder is known.
 * @param warn called if only some are found, as with package managers that do not hoist a dependency's dependencies.
 * @returns `undefined` if all packages are installed.
 */
export function sentryAliases(
  directory: string,
  root: string | undefined,
  warn: (line: string) => void,
): Aliases | undefined {
  const { resolve } = createRequire(absolute(directory, "package.json"))
  const missing = PACKAGES.filter((name) => !isResolvable(resolve, root, name))
  if (missing.length === 0) return undefined
  if (!missing.includes("@sentry/nextjs"))
    warn(
      `${missing.join(", ")} cannot be found from here, so Sentry is off: install the missing packages next to @sentry/nextjs`,
    )
  return Object.fromEntries(PACKAGES.map((name) => [name, STUB]))
}

/** Warning about a version of Sentry's SDK that the app has, with which it does not build. `undefined` if it has none. */
export function oldSentryProblem(directory: string): string | undefined {
  try {
    const { resolve } = createRequire(absolute(directory, "package.json"))
    const path = resolve("@sentry/nextjs/package.json")
    return sentryProblem((JSON.parse(readFileSync(path, "utf8")) as { version: string }).version)
  } catch {
    // Not installed, or a standalone server, which runs without the manifests of its packages.
    return undefined
  }
}

function isResolvable(resolve: NodeJS.RequireResolve, root: string | undefined, name: string): boolean {
  try {
    resolve(name)
  } catch {
    // Not installed: Sentry is optional.
    return false
  }
  const folder = resolve.paths(name)?.find((path) => existsSync(join(path, name)))
  // Plug'n'Play has no such folder. The folder itself may be a link to anywhere.
  return root === undefined || folder === undefined || isWithin(root, realpathSync(dirname(folder)))
}

function isWithin(root: string, path: string): boolean {
  const rest = relative(root, path)
  return !rest.startsWith("..") && !isAbsolute(rest)
}
