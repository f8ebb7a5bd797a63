import { withoutGoogleFonts } from "../changes.ts"
import type { PublicApp } from "../public-app.ts"

const EXAMPLES = {
  repository: "amannn/next-intl",
  commit: "2e3ddfc40a59b004cfcb6d95a82e4ec2e1303fb7",
  licence: "MIT",
  packageManager: "pnpm",
  links: 4,
} as const

const INTER = withoutGoogleFonts("src/app/[locale]/layout.tsx", "Inter", "import {Inter} from 'next/font/google';")

export const NEXT_INTL: readonly PublicApp[] = [
  {
    ...EXAMPLES,
    name: "example-app-router",
    folder: "examples/example-app-router",
    features: ["`[locale]`", "`proxy.ts`", "translated paths"],
    changes: [
      INTER,
      { kind: "remove", file: "src/app/page.tsx", why: "it has no root layout, which this Next refuses to build" },
    ],
  },
  {
    ...EXAMPLES,
    name: "example-app-router-migration",
    folder: "examples/example-app-router-migration",
    features: ["`app/` and `pages/`", "`[locale]`", "`proxy.ts`"],
    changes: [],
  },
]
