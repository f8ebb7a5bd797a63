/** For `Sentry.init`: that it leaves OpenTelemetry to us, as version 11 calls it and as version 10 does. */
export const WITHOUT_SETUP = { enableOpenTelemetrySetup: false, skipOpenTelemetrySetup: true }
