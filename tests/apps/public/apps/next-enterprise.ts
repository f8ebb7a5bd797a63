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
  changes: [],
}
