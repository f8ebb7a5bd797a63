import type { Attributes } from "@opentelemetry/api"
import { ATTR_SERVER_ADDRESS, ATTR_URL_FULL, ATTR_URL_QUERY } from "../roots/semconv.ts"
import { requestKind, type RequestKind } from "./request-kind.ts"

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
