import { withPagespan } from "pagespan/next"

export default withPagespan(
  {
    rewrites: async () => ({
      // As libraries for translations leave the default language out of addresses.
      beforeFiles: [{ source: "/hello", destination: "/en/hello" }],
      afterFiles: [{ source: "/t/:id", destination: "/items/:id" }],
      fallback: [],
    }),
    redirects: async () => [{ source: "/old/:id", destination: "/items/:id", permanent: false }],
  },
  { traceOrigins: ["http://allowed.test"] },
)
