/** A host name or address with an optional port; it goes into commands that people paste, so nothing else may pass. */
const HOST = /^(?:[a-z\d.-]+|\[[a-f\d:.]+\])(?::\d{1,5})?$/i

/** Where OTLP exporters send when nobody tells them. */
const DEFAULT_ADDRESSES = new Set(["http://localhost:4318", "http://127.0.0.1:4318", "http://[::1]:4318"])

/** The address that the page was opened at, as its browser named it. */
export function addressOf(headers: Headers): string {
  const host = headers.get("host") ?? ""
  const protocol = headers.get("x-forwarded-proto")?.split(",")[0]?.trim() === "https" ? "https" : "http"
  return HOST.test(host) ? `${protocol}://${host}` : "http://localhost:4318"
}

/** An SDK without configuration already sends here, when it runs on this machine. */
export function isDefaultAddress(address: string): boolean {
  return DEFAULT_ADDRESSES.has(address)
}

/** Whether somebody else than Pagespan took part. */
export function isForeign(services: readonly string[], internalServices: readonly string[]): boolean {
  return services.some((service) => !internalServices.includes(service))
}
