import { withPagespan } from "pagespan/next"

export default withPagespan({ basePath: "/app", trailingSlash: true })
