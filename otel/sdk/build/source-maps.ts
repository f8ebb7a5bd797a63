import type { NextConfig } from "next"
import { makesDebugIds } from "../../protocol/next-versions.ts"
import { installedNext } from "./installed-next.ts"

/**
 * Makes `next build` write the maps that `pagespan sourcemaps` uploads. Turbopack gives scripts debug ids by itself since Next 16;
 * else the command does. What the app has set stays.
 */
export function withSourceMaps(nextConfig: NextConfig, directory: string): NextConfig {
  return {
    productionBrowserSourceMaps: true,
    ...nextConfig,
    ...(makesDebugIds(installedNext(directory)) && { turbopack: { debugIds: true, ...nextConfig.turbopack } }),
    experimental: { serverSourceMaps: true, ...nextConfig.experimental },
  }
}
