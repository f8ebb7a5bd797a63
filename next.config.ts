import { withPagespan } from "pagespan/next"

/** No screen shows an image that has to be made smaller: what reads and decodes images on request is off. */
const images = { unoptimized: true }

/** Sentry's SDKs post to `/api/{project}/envelope/`, and not all of them follow a redirect. */
const skipTrailingSlashRedirect = true

export default withPagespan(
  { poweredByHeader: false, images, skipTrailingSlashRedirect },
  { pageModule: "./app/page-module.ts" },
)
