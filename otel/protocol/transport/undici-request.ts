/**
 * Message of undici, the implementation of Node's `fetch`, before it sends a request. A redirect is a request of its own.
 *
 * @see https://github.com/nodejs/undici/blob/main/docs/docs/api/DiagnosticsChannel.md
 */
export interface UndiciRequest {
  readonly method?: string
  readonly origin?: string | URL
  /** With its query. */
  readonly path?: string
  /** Alternating names and values. */
  readonly headers: readonly (string | readonly string[])[]
  addHeader(name: string, value: string): void
}

export const REQUEST_CREATED = "undici:request:create"
const LOOPBACK = /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/** Whether a request to the address may have trace headers: on loopback, or to a listed origin. Origins are compared as a whole. */
export function mayPropagate(address: string | URL | undefined, listed: ReadonlySet<string>): boolean {
  if (address === undefined || !URL.canParse(address)) return false
  const { origin, hostname } = new URL(address)
  return LOOPBACK.test(hostname) || listed.has(origin)
}

/** Names are lower case. */
export function headersOfRequest({ headers }: UndiciRequest): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (let index = 0; index + 1 < headers.length; index += 2)
    found.set(String(headers[index]).toLowerCase(), String(headers[index + 1]))
  return found
}
