import { withPagespan } from "pagespan/next"

export default withPagespan({ experimental: { authInterrupts: true } })
