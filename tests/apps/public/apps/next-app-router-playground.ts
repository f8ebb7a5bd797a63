import { withoutGoogleFonts } from "../changes.ts"
import type { PublicApp } from "../public-app.ts"

export const NEXT_APP_ROUTER_PLAYGROUND: PublicApp = {
  name: "next-app-router-playground",
  repository: "vercel/next-app-router-playground",
  commit: "e7414970453d7fe2415adca2f34fc4d83ad2f46f",
  licence: "MIT",
  licenceFile: "license.md",
  packageManager: "pnpm",
  features: ["Cache Components", "parallel slots", "nested error boundaries", "MDX"],
  links: 2,
  changes: [
    withoutGoogleFonts("app/layout.tsx", "Geist, Geist_Mono", "import { Geist, Geist_Mono } from 'next/font/google';"),
    {
      kind: "edit",
      file: "next.config.ts",
      from: "  cacheComponents: true,\n",
      to: "  cacheComponents: true,\n  typescript: { ignoreBuildErrors: true },\n",
      why: "by webpack, this Next rejects the types of its `unstable_instant`",
    },
  ],
}
