/** OpenTelemetry instrumentations of your app's pages. */
export { type PageInstrumentation, setInstrumentations } from "./sdk/browser/requests/instrumentations.ts"
