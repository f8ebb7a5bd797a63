import { type RequestKind, requestKind } from "./request-kind.ts"

export type FetchArguments = Parameters<typeof globalThis.fetch>

/** A call of `fetch`, read without touching it. */
export interface OutgoingRequest {
  readonly url: URL
  readonly method: string
  readonly headers: Headers
  readonly kind: RequestKind
  readonly isSameOrigin: boolean
}

/** `undefined` for what no network sees (`data:`, `blob:`) and for what `fetch` itself will refuse. */
export function readRequest([input, init]: FetchArguments): OutgoingRequest | undefined {
  const request = input instanceof Request ? input : undefined
  const address = request?.url ?? String(input)
  if (!URL.canParse(address, window.location.href)) return undefined
  const url = new URL(address, window.location.href)
  if (!url.protocol.startsWith("http")) return undefined
  const headers = new Headers(init?.headers ?? request?.headers)
  const method = (init?.method ?? request?.method ?? "GET").toUpperCase()
  return { url, method, headers, kind: requestKind(headers), isSameOrigin: url.origin === window.location.origin }
}

/** The address without what may name a person: query, fragment, user and password. */
export function publicUrl({ origin, pathname }: URL): string {
  return `${origin}${pathname}`
}
