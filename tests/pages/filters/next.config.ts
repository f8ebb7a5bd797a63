import { withPagespan } from "pagespan/next"

export default withPagespan({}, { pageModule: "./failing-filters.ts" })
