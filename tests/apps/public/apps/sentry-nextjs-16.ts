import type { Change } from "../changes.ts"
import type { PublicApp } from "../public-app.ts"

const TUNNELLED = ["instrumentation-client.ts", "sentry.server.config.ts", "sentry.edge.config.ts"]

export const SENTRY_NEXTJS_16: PublicApp = {
  name: "nextjs-16",
  repository: "getsentry/sentry-javascript",
  commit: "f7a6cc0c221c324026287a7218ed07e929eb69d4",
  folder: "dev-packages/e2e-tests/test-applications/nextjs-16",
  licence: "MIT",
  packageManager: "pnpm",
  features: [
    "its own `Sentry.init` in page and server",
    "`withSentryConfig`",
    "`proxy.ts`",
    "errors in server components",
  ],
  links: 2,
  withoutTests: "not run",
  environment: { NEXT_PUBLIC_E2E_TEST_DSN: "{dsn}" },
  changes: [
    {
      kind: "versions",
      packages: {
        "@sentry/nextjs": "11.0.0",
        "@sentry/core": "11.0.0",
        "@sentry-internal/test-utils": undefined,
      },
      why: "the repository builds its own",
    },
    { kind: "remove", file: "tests", why: "they need packages of the repository" },
    ...TUNNELLED.map((file): Change => ({
      kind: "edit",
      file,
      from: "  tunnel: `http://localhost:3031/`, // proxy server\n",
      to: "",
      why: "there is no proxy of Sentry's tests",
    })),
    {
      kind: "edit",
      file: "next.config.ts",
      from: "'@sentry/nextjs';",
      to: "'@sentry/nextjs/config';",
      why: "`withSentryConfig` is there in Sentry's SDK 11.0.0",
    },
    {
      kind: "edit",
      file: "next.config.ts",
      from: "    turbopackApplicationKey: 'nextjs-16-e2e',\n",
      to: "",
      why: "the option has another name in 11.0.0",
    },
    {
      kind: "edit",
      file: "next.config.ts",
      from: "  silent: true,\n",
      to: "  silent: true,\n  applicationKey: 'nextjs-16-e2e',\n",
      why: "this is the name",
    },
    {
      kind: "edit",
      file: "sentry.server.config.ts",
      from: "  streamGenAiSpans: true,\n",
      to: "",
      why: "11.0.0 lacks the option",
    },
  ],
}
