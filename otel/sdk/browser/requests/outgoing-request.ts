import type { Attributes } from "@opentelemetry/api"
import { ATTR_SERVER_ADDRESS, ATTR_URL_FULL, ATTR_URL_QUERY } from "../semconv.ts"

export type FetchArguments = Parameters<typeof globalThis.fetch>

/** A request of the page, read without touching it. */
export interface OutgoingRequest {
  readonly url: URL
  readonly method: string
  readonly headers: Headers
  readonly kind: RequestKind
  readonly isSameOrigin: boolean
}

/** `undefined` for what no network sees (`data:`, `blob:`) and for what the browser itself will refuse. */
export function readRequest([input, init]: FetchArguments): OutgoingRequest | undefined {
  const request = input instanceof Request ? input : undefined
  const headers = new Headers(init?.headers ?? request?.headers)
  return addressedTo(request?.url ?? String(input), init?.method ?? request?.method ?? "GET", headers)
}

/** @param address as the page wrote it, against its `<base>`. */
export function addressedTo(address: string, method: string, headers: Headers): OutgoingRequest | undefined {
  const { baseURI } = document
  if (!URL.canParse(address, baseURI)) return undefined
  const url = new URL(address, baseURI)
  if (!url.protocol.startsWith("http")) return undefined
  const isSameOrigin = url.origin === window.location.origin
  return { url, method: method.toUpperCase(), headers, kind: requestKind(headers), isSameOrigin }
}

/** The address without what may name a person: query, fragment, user and password. */
export function publicUrl({ origin, pathname }: URL): string {
  return `${origin}${pathname}`
}

/** @param queryParameters names of those that the app allows to be told. */
export function recordedUrl(url: URL, queryParameters: readonly string[]): Attributes {
  const told = [...url.searchParams].filter(([name]) => queryParameters.includes(name))
  return {
    [ATTR_URL_FULL]: publicUrl(url),
    [ATTR_SERVER_ADDRESS]: url.hostname,
    ...(told.length === 0 ? {} : { [ATTR_URL_QUERY]: new URLSearchParams(told).toString() }),
  }
}

/** Next's request headers that say what a fetch of the router is for. */
const PREFETCH_HEADERS = ["next-router-prefetch", "next-router-segment-prefetch"]
const RSC_HEADER = "rsc"
const ACTION_HEADER = "next-action"

/** What a request is for: the router's own (a page's data, a server action, a prefetch) or the app's. */
export type RequestKind = "rsc" | "action" | "prefetch" | "api"

export function requestKind(headers: Headers): RequestKind {
  if (PREFETCH_HEADERS.some((name) => headers.has(name))) return "prefetch"
  if (headers.has(ACTION_HEADER)) return "action"
  return headers.has(RSC_HEADER) ? "rsc" : "api"
}
