import { withPagespan } from "pagespan/next"

export default withPagespan({}, { consent: "required" })
