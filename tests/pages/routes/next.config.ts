import type { NextConfig } from "next"
import { withPagespan } from "pagespan/next"

/** The same pages in other builds, each in a folder of its own beside the plain one. */
const VARIANTS: Readonly<Record<string, NextConfig>> = {
  // Webpack compiles nothing outside of the app's folder unless told to; Pagespan's sources are next door here.
  webpack: { basePath: "/app", trailingSlash: true, experimental: { externalDir: true, sri: { algorithm: "sha256" } } },
  cached: { cacheComponents: true },
}

const variant = process.env["PAGES_VARIANT"]

export default withPagespan(
  {
    rewrites: async () => [{ source: "/t/:id", destination: "/items/:id" }],
    redirects: async () => [{ source: "/old/:id", destination: "/items/:id", permanent: false }],
    // What only one build has is named after it; Cache Components alone knows `use cache`, and no `revalidate`.
    pageExtensions: [variant === "cached" ? "cached.tsx" : "plain.tsx", `${variant}.ts`, "tsx", "ts"],
    ...(variant === undefined ? {} : { distDir: `.next-${variant}`, ...VARIANTS[variant] }),
  },
  { traceOrigins: ["http://allowed.test"], queryParameters: ["page"], recordPrefetches: variant === "cached" },
)
