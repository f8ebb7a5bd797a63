import type { NextConfig } from "next"
import { withPagespan } from "pagespan/next"

const nextConfig: NextConfig = { basePath: "/shop", cacheComponents: true, output: "standalone" }

export default withPagespan(nextConfig)
