import type { Attributes } from "@opentelemetry/api"
import { buildManifest } from "./build-manifest.ts"
import { createRouteMatcher, type RouteMatcher } from "./matcher.ts"

/** `null` where no route has secrets, `undefined` until it is needed. */
let matcher: RouteMatcher | null | undefined

function matcherOfSecrets(): RouteMatcher | null {
  if (matcher === undefined) {
    const { routes, handlers, basePath, secrets } = buildManifest()
    matcher = secrets === undefined ? null : createRouteMatcher([...routes, ...handlers], basePath, secrets)
  }
  return matcher
}

/** Origin, path, and the rest of an address. */
const ADDRESS = /^(\w+:\/\/[^/?#]*)?([^?#]*)(.*)$/s

/**
 * Redacts the values of secret parameters in an address that this server serves, as a page does in its own.
 *
 * @param route default: the one that matches the path.
 */
export function publicAddress(address: string, route?: string): string {
  const paths = matcherOfSecrets()
  const [, origin = "", path = "", rest = ""] = (paths && ADDRESS.exec(address)) ?? []
  return paths === null ? address : origin + paths.publicPath(path, route) + rest
}

const ADDRESSES: ReadonlySet<string> = new Set([
  "url.path",
  "url.full",
  "http.target",
  "http.url",
  "browser.document.url.full",
])

/** Redacts the addresses of a request that this server serves. */
export function withPublicAddresses(attributes: Attributes, route?: string): Attributes {
  if (matcherOfSecrets() === null) return attributes
  const found = Object.entries(attributes).filter(([key]) => ADDRESSES.has(key))
  const redacted = found.map(([key, value]) => [
    key,
    publicAddress(String(value), key.startsWith("browser.") ? undefined : route),
  ])
  return { ...attributes, ...Object.fromEntries(redacted) }
}
