import { withPagespan } from "pagespan/next"

export default withPagespan({
  // The app is built once: nothing reads the cache, which takes a fifth of a build.
  experimental: { turbopackFileSystemCacheForBuild: false },
})
