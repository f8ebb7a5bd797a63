import { withPagespan } from "pagespan/next"

/** No screen shows an image that has to be made smaller: what reads and decodes images on request is off. */
const images = { unoptimized: true }

/** Sentry's SDKs post to `/api/{project}/envelope/`, and not all of them follow a redirect. */
const skipTrailingSlashRedirect = true

/** `npm run types` checks types, of the tests as well. The first start of a checkout does not wait for that. */
const typescript = { ignoreBuildErrors: true }

export default withPagespan(
  { poweredByHeader: false, images, skipTrailingSlashRedirect, typescript },
  { pageModule: "./app/page-module.ts" },
)
