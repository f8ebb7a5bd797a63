import type { Environment } from "../protocol/config-values.ts"
import { readPairs } from "../protocol/environment-pairs.ts"

/**
 * Which deployment this is, where no variable of Sentry says so: what `OTEL_RESOURCE_ATTRIBUTES` says, else what the host does,
 * in the order and with the names of `@sentry/nextjs`, so that an app's own Sentry client and Pagespan report the same.
 *
 * @see https://docs.sentry.io/platforms/javascript/guides/nextjs/configuration/options/#release
 */

/** Variables in which hosts and CI systems name the commit: of one system each, then those that several systems set. */
const COMMIT_VARIABLES = [
  "GITHUB_SHA",
  "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA",
  "CI_BUILD_REF",
  "CI_COMMIT_SHA",
  "BITBUCKET_COMMIT",
  "APPVEYOR_PULL_REQUEST_HEAD_COMMIT",
  "APPVEYOR_REPO_COMMIT",
  "CODEBUILD_RESOLVED_SOURCE_VERSION",
  "AWS_COMMIT_ID",
  "BUILD_SOURCEVERSION",
  "GIT_CLONE_COMMIT_HASH",
  "BUDDY_EXECUTION_REVISION",
  "BUILDKITE_COMMIT",
  "CIRCLE_SHA1",
  "CIRRUS_CHANGE_IN_REPO",
  "CF_REVISION",
  "CM_COMMIT",
  "CF_PAGES_COMMIT_SHA",
  "DRONE_COMMIT_SHA",
  "FC_GIT_COMMIT_SHA",
  "HEROKU_TEST_RUN_COMMIT_VERSION",
  "HEROKU_BUILD_COMMIT",
  "HEROKU_SLUG_COMMIT",
  "RAILWAY_GIT_COMMIT_SHA",
  "RENDER_GIT_COMMIT",
  "SEMAPHORE_GIT_SHA",
  "TRAVIS_PULL_REQUEST_SHA",
  "VERCEL_GIT_COMMIT_SHA",
  "VERCEL_GITHUB_COMMIT_SHA",
  "VERCEL_GITLAB_COMMIT_SHA",
  "VERCEL_BITBUCKET_COMMIT_SHA",
  "ZEIT_GITHUB_COMMIT_SHA",
  "ZEIT_GITLAB_COMMIT_SHA",
  "ZEIT_BITBUCKET_COMMIT_SHA",
  "CI_COMMIT_ID",
  "SOURCE_COMMIT",
  "SOURCE_VERSION",
  "GIT_COMMIT",
  "COMMIT_REF",
  "BUILD_VCS_NUMBER",
] as const

declare const __PAGESPAN_RELEASE__: string | undefined

/** The commit that the host or the CI system names. `undefined` if there is none. */
export function commitOf(environment: Environment): string | undefined {
  return COMMIT_VARIABLES.map((name) => environment[name]).find(Boolean)
}

/** The release of a build; `false` or empty if the app wants none, `undefined` if the build found none. */
type BuildRelease = string | false | undefined

/**
 * The release without `SENTRY_RELEASE`: `service.version`, else that of the build, else the commit that the host names.
 * `undefined` if the app wants none.
 *
 * @param ofBuild Default: what the build inlined.
 */
export function releaseOf(environment: Environment, ofBuild: BuildRelease = inlinedRelease()): string | undefined {
  const version = resourceOf(environment)["service.version"]
  if (version) return version
  return ofBuild === undefined ? commitOf(environment) : ofBuild || undefined
}

function inlinedRelease(): BuildRelease {
  return typeof __PAGESPAN_RELEASE__ === "undefined" ? undefined : __PAGESPAN_RELEASE__
}

/**
 * The environment without `SENTRY_ENVIRONMENT`: `deployment.environment.name`, else `vercel-preview` and the like on Vercel,
 * `development` in `next dev`, else `production`.
 */
export function environmentOf(environment: Environment): string {
  const name = resourceOf(environment)["deployment.environment.name"]
  if (name) return name
  const { VERCEL_ENV, NODE_ENV } = environment
  if (VERCEL_ENV) return `vercel-${VERCEL_ENV}`
  return NODE_ENV === "development" ? NODE_ENV : "production"
}

/** The `service.name` without `OTEL_SERVICE_NAME`. `undefined` if no variable names the service. */
export function serviceOf(environment: Environment): string | undefined {
  return resourceOf(environment)["service.name"]
}

/**
 * Values for variables of `readSdkConfig` that are not set.
 *
 * @param ofBuild see `releaseOf`.
 */
export function deploymentDefaults(environment: Environment, ofBuild?: BuildRelease) {
  return {
    OTEL_SERVICE_NAME: serviceOf(environment) ?? "",
    SENTRY_ENVIRONMENT: environmentOf(environment),
    SENTRY_RELEASE: releaseOf(environment, ofBuild) ?? "",
  }
}

function resourceOf({ OTEL_RESOURCE_ATTRIBUTES }: Environment): Readonly<Record<string, string>> {
  return readPairs(OTEL_RESOURCE_ATTRIBUTES)
}
