/** The build-time half of the SDK, for `next.config.ts`. */
export { type ConfigFunction, type PagespanOptions, withPagespan } from "./sdk/build/with-pagespan.ts"
