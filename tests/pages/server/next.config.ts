import { withPagespan } from "pagespan/next"
export default withPagespan({ typescript: { ignoreBuildErrors: true }, experimental: { turbopackFileSystemCacheForBuild: false, turbopackMinify: false } })
