import { OWN, typeScriptOf } from "#tests/apps/matrix/versions.ts"
import { freePort } from "#tests/support/free-port.ts"
import { ForeignApp, NEXT_PACKAGES } from "./foreign-app.ts"

const SENTRY = ["@sentry/nextjs", "@sentry/browser", "@sentry/core", "@sentry/node", "@sentry/opentelemetry"]
/** Of the app. */
export const BASE = "/app"

interface PreparedOptions {
  readonly versions?: Readonly<Record<string, string>>
  readonly adopt?: (app: ForeignApp) => Promise<unknown>
}

/**
 * Installs the app `prepared` with a version of Next and the packed package, builds it and starts it.
 *
 * @param environment of build and server.
 * @param options.versions of other packages, where they are not the repository's.
 * @param options.adopt changes the app before it is built.
 */
export async function startPrepared(
  next: string,
  environment: Readonly<Record<string, string>>,
  { versions, adopt }: PreparedOptions = {},
): Promise<{ readonly app: ForeignApp; readonly origin: string }> {
  const dependencies = Object.fromEntries([...NEXT_PACKAGES, ...SENTRY].map((name) => [name, OWN[name]]))
  // `@sentry/nextjs` accepts no prerelease of Next.
  const app = await ForeignApp.installed("prepared", {
    dependencies: { ...dependencies, next, ...typeScriptOf(next), ...versions },
    overrides: { next: "$next" },
  })
  try {
    await adopt?.(app)
    const variables = { NODE_ENV: "production", OTEL_BSP_SCHEDULE_DELAY: "100", ...environment }
    await app.run("next", ["build"], variables)
    const origin = `http://127.0.0.1:${await freePort()}`
    app.spawn("next", ["start", "--port", new URL(origin).port, "--hostname", "127.0.0.1"], variables)
    await app.answers(`${origin}${BASE}`)
    return { app, origin }
  } catch (error) {
    await app.remove()
    throw error
  }
}
