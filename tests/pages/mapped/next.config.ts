import type { NextConfig } from "next"
import { withPagespan } from "pagespan/next"
import { builtOnce, withoutTypeCheck } from "../built-once.ts"

/** The same app by both bundlers. */
const VARIANTS = {
  turbopack: { ...withoutTypeCheck, experimental: builtOnce },
  // By default webpack compiles nothing outside the app's folder, where Pagespan's sources are.
  webpack: { ...withoutTypeCheck, distDir: ".next-webpack", experimental: { externalDir: true } },
} satisfies Record<string, NextConfig>

const variant = (process.env["PAGES_VARIANT"] ?? "turbopack") as keyof typeof VARIANTS

export default withPagespan(VARIANTS[variant], { sourceMaps: true, release: "source-maps" })
