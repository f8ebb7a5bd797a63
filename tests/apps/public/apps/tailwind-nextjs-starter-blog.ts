import { withoutGoogleFonts } from "../changes.ts"
import type { PublicApp } from "../public-app.ts"

export const TAILWIND_NEXTJS_STARTER_BLOG: PublicApp = {
  name: "tailwind-nextjs-starter-blog",
  repository: "timlrx/tailwind-nextjs-starter-blog",
  commit: "0bd9333c8e04aefac9e3811370e3800ce658ecbd",
  licence: "MIT",
  packageManager: "npm",
  features: ["MDX with Contentlayer", "catch-all routes", "a content security policy", "`next.config.js` as CommonJS"],
  links: 2,
  loads: ["/", "/blog", "/tags", "/about", "/blog/release-of-tailwind-nextjs-starter-blog-v2.0", "/no-such-page"],
  notes: [
    "Contentlayer makes its files by a plugin of webpack, so that Turbopack does not find them",
    "The two console lines are warnings about preloads that came only without Pagespan",
  ],
  changes: [
    withoutGoogleFonts("app/layout.tsx", "Space_Grotesk", "import { Space_Grotesk } from 'next/font/google'"),
    { kind: "remove", file: "yarn.lock", why: "the packages are installed by npm" },
    { kind: "remove", file: ".yarnrc.yml", why: "the packages are installed by npm" },
    { kind: "edit", file: "package.json", from: ',\n  "packageManager": "yarn@3.6.1"', to: "", why: "the same" },
    { kind: "write", file: ".npmrc", text: "legacy-peer-deps=true\n", why: "its packages name Next 15 as peer" },
  ],
}
