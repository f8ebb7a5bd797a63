import { withPagespan } from "pagespan/next"

// Webpack compiles nothing outside of the app's folder unless told to; Pagespan's sources are next door here.
export default withPagespan({
  basePath: "/app",
  trailingSlash: true,
  experimental: { externalDir: true, sri: { algorithm: "sha256" } },
})
