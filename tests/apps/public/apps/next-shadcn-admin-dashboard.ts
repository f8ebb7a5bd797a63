import { withoutGoogleFonts } from "../changes.ts"
import type { PublicApp } from "../public-app.ts"

const FONTS = [
  "DM_Sans",
  "Figtree",
  "Geist",
  "Geist_Mono",
  "Inter",
  "JetBrains_Mono",
  "Lora",
  "Merriweather",
  "Noto_Sans",
  "Noto_Serif",
  "Nunito_Sans",
  "Outfit",
  "Playfair_Display",
  "Public_Sans",
  "Raleway",
  "Roboto",
  "Roboto_Slab",
]

export const NEXT_SHADCN_ADMIN_DASHBOARD: PublicApp = {
  name: "next-shadcn-admin-dashboard",
  repository: "arhamkhnz/next-shadcn-admin-dashboard",
  commit: "64e775837bded678341b09e3ab046d542a1a6a8a",
  licence: "MIT",
  packageManager: "npm",
  features: ["React Compiler", "catch-all routes", "large dashboards"],
  links: 2,
  loads: ["/", "/dashboard/default", "/dashboard/crm", "/dashboard/finance", "/auth/v1/login", "/no-such-page"],
  changes: [
    withoutGoogleFonts(
      "src/lib/fonts/registry.ts",
      FONTS.join(", "),
      `import {\n${FONTS.map((font) => `  ${font},\n`).join("")}} from "next/font/google";`,
    ),
  ],
}
