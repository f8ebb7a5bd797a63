import { withPagespan } from "pagespan/next"

export default withPagespan({ poweredByHeader: false }, { pageModule: "./app/filters/index.ts" })
