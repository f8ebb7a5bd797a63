import { inComparedChromium } from "../changes.ts"
import type { PublicApp } from "../public-app.ts"

const POSTGRES_PORT = 5598
const SENTRY = ["@sentry/nextjs", "@sentry/browser", "@sentry/core", "@sentry/opentelemetry"]

export const NEXT_JS_BOILERPLATE: PublicApp = {
  name: "Next-js-Boilerplate",
  repository: "ixartz/Next-js-Boilerplate",
  commit: "1174af3a6d2bc191ebe4a241c72a45d39421b897",
  licence: "MIT",
  packageManager: "npm",
  features: [
    "its own `Sentry.init` of 10.78",
    "`withSentryConfig` with its tunnel",
    "React Compiler",
    "`[locale]`",
    "`proxy.ts` with Clerk",
    "Postgres",
  ],
  links: 2,
  loads: ["/", "/about", "/counter", "/portfolio", "/portfolio/2", "/fr", "/fr/about", "/no-such-page"],
  postgresPort: POSTGRES_PORT,
  environment: {
    DATABASE_URL: `postgresql://postgres@127.0.0.1:${POSTGRES_PORT}/postgres`,
    NEXT_PUBLIC_SENTRY_DSN: "{dsn}",
  },
  prepare: "npm run db:migrate",
  // What `init` leaves to the owner.
  afterInit: "sed -i '/tunnelRoute: /d' next.config.ts",
  endToEnd: "node_modules/.bin/playwright test",
  changes: [
    {
      kind: "versions",
      packages: Object.fromEntries(SENTRY.map((name) => [name, "10.78.0"])),
      why: "the app is of Sentry's SDK 10",
    },
    inComparedChromium("use: { ...devices['Desktop Chrome'] }"),
  ],
  notes: [
    "`init` left Sentry's `tunnelRoute` to the owner, since Pagespan's tunnel has the same path: it is removed",
    "One test fails in both copies: its page needs a host of Clerk's, which the measurement could not reach",
  ],
}
