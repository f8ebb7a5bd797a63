interface Told {
  readonly contexts?:
    | { readonly trace?: { readonly trace_id?: string; readonly data?: Readonly<Record<string, unknown>> } | undefined }
    | undefined
}

/**
 * Which page an event is about, without query and fragment: they may name a person. Sentry's own integration sends the
 * whole address, and of a transaction the one that the page has when it is sent.
 */
export function requestOf({ contexts }: Told) {
  const path = contexts?.trace?.data?.["url.path"]
  const url = `${window.location.origin}${typeof path === "string" ? path : window.location.pathname}`
  return { url, headers: { "User-Agent": navigator.userAgent } }
}
