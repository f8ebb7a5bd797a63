import { withPagespan } from "pagespan/next"

export default withPagespan({})
