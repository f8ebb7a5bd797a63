/**
 * Loads the stages of a traced page when it is called. They are in the chunk of this file: bundlers start an ES module that is
 * imported with its importer, and a required one with its `require`.
 */
exports.loadTracing = () => require("./tracing.ts")

/** OpenTelemetry's API, in an app whose own pages use it. A bundler removes it from the first load of any other. */
exports.loadApi = () =>
  typeof __PAGESPAN_API_IN_PAGES__ !== "undefined" && __PAGESPAN_API_IN_PAGES__
    ? require("@opentelemetry/api")
    : undefined
