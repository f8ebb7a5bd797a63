import { withPagespan } from "pagespan/next"

export default withPagespan(
  {
    rewrites: async () => [{ source: "/t/:id", destination: "/items/:id" }],
    redirects: async () => [{ source: "/old/:id", destination: "/items/:id", permanent: false }],
  },
  { traceOrigins: ["http://allowed.test"] },
)
