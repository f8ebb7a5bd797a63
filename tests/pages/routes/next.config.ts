import type { NextConfig } from "next"
import { withPagespan } from "pagespan/next"

/**
 * The same pages in several builds, each in a folder of its own. A file that only one of them has is named after it:
 * Cache Components alone knows `use cache`, and no `revalidate`.
 */
const VARIANTS = {
  plain: { pageExtensions: ["plain.tsx", "tsx", "ts"] },
  webpack: {
    distDir: ".next-webpack",
    pageExtensions: ["plain.tsx", "webpack.ts", "tsx", "ts"],
    basePath: "/app",
    trailingSlash: true,
    // Webpack compiles nothing outside of the app's folder unless told to; Pagespan's sources are next handler here.
    experimental: { externalDir: true, sri: { algorithm: "sha256" } },
  },
  instrumented: { distDir: ".next-instrumented", pageExtensions: ["plain.tsx", "tsx", "ts"] },
  cached: { distDir: ".next-cached", pageExtensions: ["cached.tsx", "tsx", "ts"], cacheComponents: true },
} satisfies Record<string, NextConfig>

const variant = (process.env["PAGES_VARIANT"] ?? "plain") as keyof typeof VARIANTS

export default withPagespan(
  {
    rewrites: async () => ({
      // As libraries for translations leave the default language out of addresses.
      beforeFiles: [{ source: "/hello", destination: "/en/hello" }],
      afterFiles: [{ source: "/t/:id", destination: "/items/:id" }],
      fallback: [],
    }),
    redirects: async () => [{ source: "/old/:id", destination: "/items/:id", permanent: false }],
    ...VARIANTS[variant],
  },
  {
    traceOrigins: ["http://allowed.test"],
    queryParameters: ["page"],
    recordPrefetches: variant === "cached",
    ...(variant === "instrumented" ? { pageModule: "./page-module.ts" } : {}),
  },
)
