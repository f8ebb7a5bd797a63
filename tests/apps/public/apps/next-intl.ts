import { atComparedServer, inComparedChromium, withoutGoogleFonts } from "../changes.ts"
import type { PublicApp } from "../public-app.ts"

const EXAMPLES = {
  repository: "amannn/next-intl",
  commit: "2e3ddfc40a59b004cfcb6d95a82e4ec2e1303fb7",
  licence: "MIT",
  packageManager: "pnpm",
  links: 4,
} as const

const PLAYWRIGHT = "node_modules/.bin/playwright test"
const INTER = withoutGoogleFonts("src/app/[locale]/layout.tsx", "Inter", "import {Inter} from 'next/font/google';")

/** The playground as its own tests of a use case build it. */
function playground(useCase: string, features: readonly string[], notes: readonly string[]): PublicApp {
  return {
    ...EXAMPLES,
    name: `example-app-router-playground:${useCase}`,
    folder: "examples/example-app-router-playground",
    features: [...features, "`[locale]`", "`proxy.ts`", "translated paths", "MDX"],
    loads: ["/", "/about", "/client", "/de", "/de/verschachtelt", "/spain/noticias/3", "/no-such-page"],
    links: 2,
    environment: { NEXT_PUBLIC_USE_CASE: useCase, TEST_MATCH: `${useCase}.spec.ts` },
    endToEnd: PLAYWRIGHT,
    changes: [
      INTER,
      {
        kind: "edit",
        file: "src/i18n/request.tsx",
        from: "        new Date(),",
        to: "        new Date(`${new Date().getFullYear()}-01-01T12:00Z`),",
        why: "its pages show the minute of the clock",
      },
      atComparedServer("process.env.CI ? 3004 : 3000", "Number(process.env.PORT)"),
      inComparedChromium("use: devices['Desktop Chrome']"),
    ],
    notes,
  }
}

export const NEXT_INTL: readonly PublicApp[] = [
  {
    ...EXAMPLES,
    name: "example-app-router",
    folder: "examples/example-app-router",
    features: ["`[locale]`", "`proxy.ts`", "translated paths"],
    loads: ["/", "/en", "/en/pathnames", "/de", "/de/pfadnamen", "/no-such-page"],
    changes: [
      INTER,
      { kind: "remove", file: "src/app/page.tsx", why: "it has no root layout, which this Next refuses to build" },
      atComparedServer("process.env.CI ? 3001 : 3000", "Number(process.env.PORT)"),
      inComparedChromium("use: devices['Desktop Chrome']"),
    ],
    endToEnd: PLAYWRIGHT,
  },
  {
    ...EXAMPLES,
    name: "example-app-router-migration",
    folder: "examples/example-app-router-migration",
    features: ["`app/` and `pages/`", "`[locale]`", "`proxy.ts`"],
    loads: ["/", "/en", "/en/about", "/de", "/de/about", "/no-such-page"],
    changes: [],
  },
  playground("main", [], ["One test fails in both copies: it expects a port of four digits"]),
  playground("base-path", ["`basePath`"], []),
]
