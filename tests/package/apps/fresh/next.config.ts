import type { NextConfig } from "next"
import { withPagespan } from "pagespan/next"

const nextConfig: NextConfig = {
  basePath: "/shop",
  cacheComponents: true,
  output: "standalone",
  // The app is built once: nothing reads the cache, which takes a fifth of a build.
  experimental: { turbopackFileSystemCacheForBuild: false },
}

export default withPagespan(nextConfig)
