import type { NextConfig } from "next"

/**
 * Makes `next build` write the maps that `pagespan sourcemaps` uploads. Turbopack gives scripts debug ids by itself; with
 * webpack the command does. What the app has set stays.
 */
export function withSourceMaps(nextConfig: NextConfig): NextConfig {
  return {
    productionBrowserSourceMaps: true,
    ...nextConfig,
    turbopack: { debugIds: true, ...nextConfig.turbopack },
    experimental: { serverSourceMaps: true, ...nextConfig.experimental },
  }
}
