/** A host name or IP address with an optional port. Anything else is refused, because the result is pasted into a shell. */
const HOST = /^(?:[a-z\d.-]+|\[[a-f\d:.]+\])(?::\d{1,5})?$/i

/** Default endpoints of OTLP exporters. */
const DEFAULT_ADDRESSES = new Set(["http://localhost:4318", "http://127.0.0.1:4318", "http://[::1]:4318"])

/** The origin that the browser opened, from the `Host` header. */
export function addressOf(headers: Headers): string {
  const host = headers.get("host") ?? ""
  const protocol = headers.get("x-forwarded-proto")?.split(",")[0]?.trim() === "https" ? "https" : "http"
  return HOST.test(host) ? `${protocol}://${host}` : "http://localhost:4318"
}

/** Whether an SDK on this machine sends here without configuration. */
export function isDefaultAddress(address: string): boolean {
  return DEFAULT_ADDRESSES.has(address)
}
