/**
 * Loads the stages of a traced page when it is called. They are in the chunk of this file: bundlers start an ES module that is
 * imported with its importer, and a required one with its `require`.
 */
exports.loadTracing = () => require("./tracing.ts")
