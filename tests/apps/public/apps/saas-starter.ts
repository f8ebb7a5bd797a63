import type { PublicApp } from "../public-app.ts"
import { withoutGoogleFonts } from "../changes.ts"

const POSTGRES_PORT = 5599

export const SAAS_STARTER: PublicApp = {
  name: "saas-starter",
  repository: "nextjs/saas-starter",
  commit: "e0dc5d40ce26c01672557912b533d25e32957ad4",
  licence: "MIT",
  packageManager: "pnpm",
  features: ["`middleware.ts`", "Postgres", "server actions", "forms"],
  links: 2,
  postgresPort: POSTGRES_PORT,
  environment: {
    POSTGRES_URL: `postgresql://postgres@127.0.0.1:${POSTGRES_PORT}/postgres`,
    STRIPE_SECRET_KEY: "sk_test_none",
    STRIPE_WEBHOOK_SECRET: "whsec_none",
    BASE_URL: "http://localhost:3000",
    AUTH_SECRET: "0123456789abcdef0123456789abcdef",
  },
  prepare: "pnpm db:migrate",
  changes: [
    withoutGoogleFonts("app/layout.tsx", "Manrope", "import { Manrope } from 'next/font/google';"),
    {
      kind: "edit",
      file: "next.config.ts",
      from: "experimental: {\n    ppr: true,\n    clientSegmentCache: true,\n    nodeMiddleware: true\n  }",
      to: "",
      why: "this Next refuses these experiments of an earlier one",
    },
    ...["prices", "products"].map(
      (what) =>
        ({
          kind: "edit",
          file: "app/(dashboard)/pricing/page.tsx",
          from: `    getStripe${what === "prices" ? "Prices" : "Products"}(),`,
          to: `    [] as Awaited<ReturnType<typeof getStripe${what === "prices" ? "Prices" : "Products"}>>,`,
          why: `a build would ask Stripe for ${what}`,
        }) as const,
    ),
  ],
}
