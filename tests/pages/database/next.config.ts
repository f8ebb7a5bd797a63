import type { NextConfig } from "next"
import { withPagespan } from "pagespan/next"
import { builtForTests, withoutTypeCheck } from "../built-once.ts"

/** The same app by both bundlers. */
const VARIANTS = {
  turbopack: builtForTests,
  // By default webpack compiles nothing outside the app's folder, where Pagespan's sources are.
  webpack: { ...withoutTypeCheck, distDir: ".next-webpack", experimental: { externalDir: true } },
} satisfies Record<string, NextConfig>

const variant = (process.env["PAGES_VARIANT"] ?? "turbopack") as keyof typeof VARIANTS

export default withPagespan(VARIANTS[variant])
