import { isSince } from "./is-since.ts"

/** The first version of each supported major version of Sentry's SDK. Earlier ones lack exports that Pagespan imports. */
const FIRST = [10, 78] as const

/**
 * Warning about a version of Sentry's SDK with which an app that uses Pagespan does not build.
 *
 * @param version of `@sentry/nextjs`. Empty: unknown, which is taken as supported.
 * @returns `undefined` for supported versions.
 */
export function sentryProblem(version: string): string | undefined {
  if (isSince(version, FIRST)) return undefined
  return `Sentry's SDK ${version} is not supported: upgrade to 10.78 or later, or to 11`
}

/** The range to which a version that is too old is upgraded without a change of its major version. `undefined`: there is none. */
export function sentryUpgrade(version: string): string | undefined {
  return !isSince(version, FIRST) && isSince(version, FIRST.slice(0, 1)) ? `^${FIRST.join(".")}.0` : undefined
}
