import { withPagespan } from "pagespan/next"
import { builtForTests } from "../built-once.ts"

export default withPagespan(builtForTests, { consent: "required" })
