import { type Browser } from "playwright-core"
import { ForeignApp, NEXT_PACKAGES, SENTRY_PACKAGES } from "#tests/package/foreign-app.ts"
import { RecordingSentry } from "#tests/support/recording-sentry.ts"
import { buildForm, type Deployment, DEPLOYMENTS, NEXT_START } from "./deployments.ts"
import { installVersions, nextVersion, sentryVersion, type Versions } from "./versions.ts"
import { visitDeployed } from "./visit-deployed.ts"

export type Bundler = "turbopack" | "webpack"

/** One build of the app `deployed`, and the ways to deploy it. */
export interface Combination {
  readonly versions: Versions
  readonly bundler: Bundler
  readonly deployments: readonly Deployment[]
}

/** A row of the table. */
export interface Result {
  readonly next: string
  readonly sentry: string
  readonly bundler: Bundler
  readonly deployment: string
  /** What is wrong; empty where all is right. */
  readonly problems: readonly string[]
  /** Why it did not run. */
  readonly obstacle?: string
}

const NEXT_VERSIONS: readonly Versions[] = [{ next: "16.3.8" }, {}, { next: "16.5.0-canary.38" }]
const SENTRY_VERSIONS: readonly Versions[] = [
  { sentry: "10.78.0" },
  // Newer versions of `@sentry/nextjs` need packages that do not install everywhere.
  { sentry: "11.12.0", sentryNextjs: "11.0.0" },
]
const BUNDLERS: readonly Bundler[] = ["turbopack", "webpack"]
const FORMS = ["standalone", "export"] as const

/** Every version with every bundler, and every form of a deployment with the repository's versions. */
export const COMBINATIONS: readonly Combination[] = [
  ...NEXT_VERSIONS.flatMap((versions) => BUNDLERS.map((bundler) => ({ versions, bundler, deployments: [NEXT_START] }))),
  ...SENTRY_VERSIONS.map((versions) => ({ versions, bundler: "turbopack" as const, deployments: [NEXT_START] })),
  ...FORMS.map((form) => ({
    versions: {},
    bundler: "turbopack" as const,
    deployments: DEPLOYMENTS.filter((each) => each.form === form),
  })),
]

/** Builds and visits a combination. A failure is a result too. */
export async function tryCombination(
  { versions, bundler, deployments }: Combination,
  browser: Browser,
): Promise<Result[]> {
  const sentry = await new RecordingSentry().listen()
  const environment = { SENTRY_DSN: sentry.dsn }
  const row = (deployment: Deployment, problems: readonly string[], obstacle?: string): Result => ({
    next: nextVersion(versions),
    sentry: sentryVersion(versions),
    bundler,
    deployment: deployment.name,
    problems,
    ...(obstacle === undefined ? {} : { obstacle }),
  })
  let app: ForeignApp | undefined
  try {
    const others = await installVersions(versions)
    const tools = NEXT_PACKAGES.filter((name) => !/^(?:next|react|react-dom)$/.test(name))
    app = await ForeignApp.create(
      "deployed",
      others === undefined ? [...NEXT_PACKAGES, ...SENTRY_PACKAGES] : tools,
      others,
    )
    await buildForm(app, deployments[0]!.form, bundler, environment)
    const results: Result[] = []
    for (const deployment of deployments) {
      const obstacle = deployment.obstacle?.()
      results.push(
        obstacle === undefined
          ? row(deployment, await tryDeployment(deployment, app, browser, sentry))
          : row(deployment, [], obstacle),
      )
    }
    return results
  } catch (error) {
    return deployments.map((deployment) => row(deployment, [firstLines(error)]))
  } finally {
    await app?.remove()
    await sentry.close()
  }
}

async function tryDeployment(
  deployment: Deployment,
  app: ForeignApp,
  browser: Browser,
  sentry: RecordingSentry,
): Promise<string[]> {
  try {
    const running = await deployment.start(app, { SENTRY_DSN: sentry.dsn })
    try {
      return await visitDeployed(browser, sentry, running)
    } finally {
      await running.stop()
    }
  } catch (error) {
    return [firstLines(error)]
  }
}

const MAX_CHARACTERS = 600

function firstLines(error: unknown): string {
  return String(error).replaceAll(/\s+/g, " ").slice(0, MAX_CHARACTERS)
}
