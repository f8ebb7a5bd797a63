import { withSpanProcessor } from "../after-init.ts"
import { atComparedServer, inComparedChromium } from "../changes.ts"
import type { PublicApp } from "../public-app.ts"

export const NEXT_ENTERPRISE: PublicApp = {
  name: "next-enterprise",
  repository: "Blazity/next-enterprise",
  commit: "97c4f3ed6be0a5b255d0e71606c7b355138281a9",
  licence: "MIT",
  packageManager: "pnpm",
  features: ["`registerOTel` of `@vercel/otel`", "rewrites"],
  links: 4,
  loads: ["/", "/no-such-page"],
  afterInit: withSpanProcessor(
    'registerOTel("next-app")',
    'registerOTel({ serviceName: "next-app", spanProcessors: ["auto", PROCESSOR] })',
  ),
  changes: [
    {
      kind: "versions",
      packages: {
        "@vercel/otel": "2.1.3",
        "@opentelemetry/resources": undefined,
        "@opentelemetry/sdk-node": undefined,
        "@opentelemetry/sdk-trace-node": undefined,
      },
      why: "Pagespan needs OpenTelemetry's SDK 2, and nothing in the app imports the packages of SDK 1",
    },
    atComparedServer('baseURL: "http://127.0.0.1:3000"', "baseURL: process.env.PLAYWRIGHT_TEST_BASE_URL"),
    atComparedServer(' url: "http://127.0.0.1:3000"', " url: process.env.PLAYWRIGHT_TEST_BASE_URL"),
    inComparedChromium('use: { ...devices["Desktop Chrome"] }'),
  ],
  endToEnd: "node_modules/.bin/playwright test --project chromium --reporter list",
  notes: ["`init` left the span processor in `registerOTel` to the owner"],
}
