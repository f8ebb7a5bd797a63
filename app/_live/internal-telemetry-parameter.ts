/** Where the choice to show or hide Pagespan's own telemetry is stored: in the URL, and in a cookie for the next screen. */
export const INTERNAL_TELEMETRY_PARAMETER = { parameter: "own", cookie: "pagespan_own" } as const
