import { withPagespan } from "pagespan/next"
import { builtForTests } from "../built-once.ts"

/** Pages of both routers. */
export default withPagespan({
  ...builtForTests,
  rewrites: async () => [{ source: "/journal/:slug", destination: "/blog/:slug" }],
})
