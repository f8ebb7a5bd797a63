import type { NextConfig } from "next"
import { withPagespan } from "pagespan/next"

/** Features of Next that not every version has. */
const config = {
  basePath: "/app",
  cacheComponents: true,
  partialPrefetching: true,
  experimental: {
    // What Next before 16 has of `cacheComponents`.
    useCache: true,
    // The app is built once: nothing reads the cache, which takes a fifth of a build.
    turbopackFileSystemCacheForBuild: false,
    ...(process.env["APP_PREPARES"] === "true" && { prepareNavigation: true }),
  },
}

export default withPagespan(config as NextConfig)
