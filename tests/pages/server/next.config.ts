import { withPagespan } from "pagespan/next"
import { builtOnce } from "../built-once.ts"

export default withPagespan({ experimental: { ...builtOnce, authInterrupts: true } })
