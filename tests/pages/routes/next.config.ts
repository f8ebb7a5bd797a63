import type { NextConfig } from "next"
import { withPagespan } from "pagespan/next"
import { builtForTests, withoutTypeCheck } from "../built-once.ts"

/**
 * The same pages in several builds, each in its own folder. A file of only one build has its name in the extension, since only
 * Cache Components supports `use cache`, and it does not support `revalidate`.
 */
const VARIANTS = {
  plain: { pageExtensions: ["plain.tsx", "tsx", "ts"], ...builtForTests },
  webpack: {
    ...withoutTypeCheck,
    distDir: ".next-webpack",
    pageExtensions: ["plain.tsx", "webpack.ts", "tsx", "ts"],
    basePath: "/app",
    trailingSlash: true,
    // By default webpack compiles nothing outside the app's folder, where Pagespan's sources are.
    experimental: { externalDir: true, sri: { algorithm: "sha256" } },
  },
  instrumented: {
    distDir: ".next-instrumented",
    ...builtForTests,
    pageExtensions: ["plain.tsx", "tsx", "ts"],
  },
  cached: {
    distDir: ".next-cached",
    ...builtForTests,
    pageExtensions: ["cached.tsx", "tsx", "ts"],
    cacheComponents: true,
  },
} satisfies Record<string, NextConfig>

const variant = (process.env["PAGES_VARIANT"] ?? "plain") as keyof typeof VARIANTS

export default withPagespan(
  {
    rewrites: async () => ({
      // As translation libraries omit the default language from URLs.
      beforeFiles: [{ source: "/hello", destination: "/en/hello" }],
      afterFiles: [
        { source: "/t/:id", destination: "/items/:id" },
        { source: "/w/:id", destination: "/where/:id" },
      ],
      fallback: [],
    }),
    redirects: async () => [{ source: "/old/:id", destination: "/items/:id", permanent: false }],
    ...VARIANTS[variant],
  },
  {
    traceOrigins: ["http://allowed.test"],
    pathsWithoutTraceHeaders: ["/api/download/plain"],
    queryParameters: ["page"],
    recordPrefetches: variant === "cached",
    ...(variant === "instrumented" ? { pageModule: "./page-module.ts" } : {}),
  },
)
