import { withPagespan } from "pagespan/next"

/** Pages of both routers. */
export default withPagespan({
  rewrites: async () => [{ source: "/journal/:slug", destination: "/blog/:slug" }],
})
