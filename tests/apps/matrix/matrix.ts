import type { Browser } from "playwright-core"
import type { ForeignApp } from "#tests/package/foreign-app.ts"
import { RecordingSentry } from "#tests/support/recording-sentry.ts"
import { type Bundler, BUNDLERS } from "../bundlers.ts"
import { buildForm, type Deployment, DEPLOYMENTS, deploymentVariables } from "./deployments.ts"
import { installDeployed, type Versions, wanted } from "./versions.ts"
import { visitDeployed } from "./visit-deployed.ts"

/** One build of the app `deployed`, and the ways to deploy it. */
export interface Combination {
  readonly versions: Versions
  readonly bundler: Bundler
  readonly form: Deployment["form"]
}

/** A row of the table. */
export interface Result {
  readonly versions: readonly [next: string, sentry: string, opentelemetry: string]
  readonly bundler: Bundler
  readonly deployment: string
  /** What is wrong; empty where all is right. */
  readonly problems: readonly string[]
  /** Why it did not run. */
  readonly obstacle?: string | undefined
}

const NEXT_VERSIONS: readonly Versions[] = [
  { next: "15.3.9" },
  { next: "15.5.29" },
  { next: "16.0.11" },
  { next: "16.1.7" },
  { next: "16.2.12" },
  { next: "16.3.8" },
  {},
  { next: "16.5.0-canary.38" },
]
const SENTRY_VERSIONS: readonly Versions[] = [
  { sentry: "10.78.0" },
  // Newer versions of `@sentry/nextjs` need packages that do not install everywhere.
  { sentry: "11.12.0", sentryNextjs: "11.0.0" },
]
const FORMS = ["standalone", "export", "export+tunnel"] as const

const withBundlers = (versions: Versions, form: Deployment["form"] = "server"): Combination[] =>
  BUNDLERS.map((bundler) => ({ versions, bundler, form }))

/** Every version and every form of a deployment, with both bundlers. */
export const COMBINATIONS: readonly Combination[] = [
  ...[...NEXT_VERSIONS, ...SENTRY_VERSIONS].flatMap((versions) => withBundlers(versions)),
  ...FORMS.flatMap((form) => withBundlers({}, form)),
]

/** The newest versions, on a server. */
export function combinationsOf(versions: readonly Versions[]): readonly Combination[] {
  return versions.flatMap((each) => withBundlers(each))
}

/** Installs, builds and visits a combination. A failure is a result too. */
export async function tryCombination(
  { versions, bundler, form }: Combination,
  browser: Browser,
): Promise<readonly Result[]> {
  const sentry = await new RecordingSentry().listen()
  const environment = await deploymentVariables(sentry)
  const deployments = DEPLOYMENTS.filter((each) => each.form === form)
  let installed: Result["versions"] = [...wanted(versions), "?"]
  let app: ForeignApp | undefined
  try {
    app = await installDeployed(versions)
    installed = [...wanted(versions), app.versionOf("@opentelemetry/sdk-trace-base")]
    await buildForm(app, form, bundler, environment)
    const results: Result[] = []
    for (const deployment of deployments) {
      const obstacle = deployment.obstacle?.()
      const problems = obstacle === undefined ? await tryDeployment(deployment, app, environment, browser, sentry) : []
      results.push({ versions: installed, bundler, deployment: deployment.name, problems, obstacle })
    }
    return results
  } catch (error) {
    const problems = [firstLines(error)]
    return deployments.map(({ name }) => ({ versions: installed, bundler, deployment: name, problems }))
  } finally {
    await app?.remove()
    await sentry.close()
  }
}

async function tryDeployment(
  deployment: Deployment,
  app: ForeignApp,
  environment: Readonly<Record<string, string>>,
  browser: Browser,
  sentry: RecordingSentry,
): Promise<readonly string[]> {
  try {
    const running = await deployment.start(app, environment)
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
