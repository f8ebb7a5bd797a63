import { withPagespan } from "pagespan/next"
import { builtOnce } from "../built-once.ts"

/** Pages of both routers. */
export default withPagespan({
  experimental: builtOnce,
  rewrites: async () => [{ source: "/journal/:slug", destination: "/blog/:slug" }],
})
