interface Described {
  readonly contexts?:
    | { readonly trace?: { readonly trace_id?: string; readonly data?: Readonly<Record<string, unknown>> } | undefined }
    | undefined
}

/**
 * The page that an event is about, without query and fragment, which may identify a person. Sentry's own integration sends the
 * whole URL, and with a transaction the URL at the time of sending.
 */
export function requestOf({ contexts }: Described) {
  const path = contexts?.trace?.data?.["url.path"]
  const url = `${window.location.origin}${typeof path === "string" ? path : window.location.pathname}`
  return { url, headers: { "User-Agent": navigator.userAgent } }
}
