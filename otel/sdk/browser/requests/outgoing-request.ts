import type { Attributes } from "@opentelemetry/api"
import { serverPort } from "../../../protocol/transport/server-port.ts"
import { ATTR_SERVER_ADDRESS, ATTR_SERVER_PORT, ATTR_URL_FULL, ATTR_URL_QUERY } from "../semconv.ts"

export type FetchArguments = Parameters<typeof globalThis.fetch>

/** What a request is for: the router's own (a page's data, a server action, a prefetch) or the app's. */
export type RequestKind = "rsc" | "action" | "prefetch" | "api"

/** A request of the page, read without touching it. */
export interface OutgoingRequest {
  readonly url: URL
  readonly method: string
  readonly headers: Headers
  readonly kind: RequestKind
  readonly isSameOrigin: boolean
}

/**
 * Reads the arguments of `fetch`. `undefined` for what uses no network (`data:`, `blob:`).
 *
 * @throws {TypeError} for what the browser will reject.
 */
export function readRequest([input, init]: FetchArguments): OutgoingRequest | undefined {
  // By its tag, a request of another window is one too.
  const request: Request | undefined = Object(input)[Symbol.toStringTag] === "Request" ? (input as Request) : undefined
  const headers = new Headers(init?.headers ?? request?.headers)
  return addressedTo(request?.url ?? String(input), init?.method ?? request?.method ?? "GET", headers)
}

/**
 * @param address as the page wrote it, relative to its `<base>`.
 * @throws {TypeError} if it is no address.
 */
export function addressedTo(address: string, method: string, headers: Headers): OutgoingRequest | undefined {
  const url = new URL(address, document.baseURI)
  if (!url.protocol.startsWith("http")) return undefined
  const isSameOrigin = url.origin === window.location.origin
  return { url, method: method.toUpperCase(), headers, kind: requestKind(headers), isSameOrigin }
}

/** The URL without query, fragment, user and password, which may identify a person. */
export function publicUrl({ origin, pathname }: URL): string {
  return `${origin}${pathname}`
}

/** @param queryParameters names of those that the app allows to be recorded. */
export function recordedUrl(url: URL, path: string, queryParameters: readonly string[]): Attributes {
  const recorded = [...url.searchParams].filter(([name]) => queryParameters.includes(name))
  return {
    [ATTR_URL_FULL]: url.origin + path,
    [ATTR_SERVER_ADDRESS]: url.hostname,
    [ATTR_SERVER_PORT]: serverPort(url),
    [ATTR_URL_QUERY]: recorded[0] && new URLSearchParams(recorded).toString(),
  }
}

/** By the headers that Next's router sets. */
function requestKind(headers: Headers): RequestKind {
  if (headers.has("next-router-prefetch") || headers.has("next-router-segment-prefetch")) return "prefetch"
  if (headers.has("next-action")) return "action"
  return headers.has("rsc") ? "rsc" : "api"
}
