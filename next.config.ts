import { withPagespan } from "pagespan/next"

/** No screen shows an image that has to be made smaller: what reads and decodes images on request is off. */
const images = { unoptimized: true }

export default withPagespan({ poweredByHeader: false, images }, { pageModule: "./app/filters/index.ts" })
