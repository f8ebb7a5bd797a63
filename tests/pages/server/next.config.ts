import { withPagespan } from "pagespan/next"

// Tests build it from the repository's root.
export default withPagespan({}, { projectDirectory: "tests/pages/server" })
