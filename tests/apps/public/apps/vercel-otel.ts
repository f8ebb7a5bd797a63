import { withSpanProcessor } from "../after-init.ts"
import { withoutGoogleFonts, withoutText } from "../changes.ts"
import type { PublicApp } from "../public-app.ts"

const EMULATED = "the emulator of Vercel's runtime is a package of the repository"

const OPTION = "this Next has no such option"

export const VERCEL_OTEL: PublicApp = {
  name: "sample",
  repository: "vercel/otel",
  commit: "4745daa7559cd41d2fceedeadb56aeec7724735a",
  folder: "apps/sample",
  licence: "MIT",
  licenceFile: "packages/otel/LICENSE",
  packageManager: "pnpm",
  features: ["`registerOTel` with options", "spans of its own", 'pages with `runtime = "edge"`', "`middleware.ts`"],
  links: 0,
  loads: ["/", "/slugs/1", "/slugs/1/edge", "/behind-middleware/1", "/behind-middleware/1/edge", "/no-such-page"],
  afterInit: withSpanProcessor('serviceName: "sample-app",', '& spanProcessors: ["auto", PROCESSOR],'),
  changes: [
    {
      kind: "versions",
      packages: {
        "@vercel/otel": "2.1.3",
        "bridge-emulator": undefined,
        eslint: undefined,
        "eslint-config-next": undefined,
      },
      why: "the repository builds its own, and the linter is of Next 14",
    },
    withoutGoogleFonts("app/layout.tsx", "Inter", "import { Inter } from 'next/font/google'"),
    { kind: "remove", file: "app/favicon.ico", why: "it is no image that this Next can decode" },
    withoutText("next.config.js", '  transpilePackages: ["bridge-emulator"],\n', EMULATED),
    withoutText("next.config.js", "  eslint: {\n    ignoreDuringBuilds: true,\n  },\n", OPTION),
    withoutText("next.config.js", "  experimental: {\n    instrumentationHook: true,\n  },\n", OPTION),
    withoutText(
      "instrumentation.ts",
      'import { start as startBridgeEmulator } from "bridge-emulator/server";\n',
      EMULATED,
    ),
    withoutText(
      "instrumentation.ts",
      '  if (!process.env.VERCEL_ENV || process.env.VERCEL_ENV === "test") {\n    config = startBridgeEmulator(config);\n  }\n',
      EMULATED,
    ),
  ],
  withoutTests: "not run",
  notes: ["`init` left the span processor in `registerOTel` to the owner"],
}
