import { randomBytes } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"
import { FILE_PATH, FILE_POLICY } from "../../inspector/api/items.ts"
import { plainPage } from "./plain-page.ts"

/** What every request to Next passes first: the response headers that protect a screen, and checks of path and method. */

/** Paths that accept a body besides the ingest endpoints: the tunnel and the API. */
const MAY_WRITE = /^\/(?:monitoring$|api\/)/
const READ_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD"])
const NEXT_FILES = "/_next/static/"

/** @see https://cheatsheetseries.owasp.org/cheatsheets/HTTP_Headers_Cheat_Sheet.html */
const FIXED_HEADERS = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
}

/**
 * Sets the headers of a screen. The content security policy allows the inspector's own files, and the inline scripts that
 * Next writes for this response, so that ingested data cannot run even if a screen shows it wrongly. Next reads the nonce
 * from the policy in the request's headers and adds it to its scripts.
 *
 * @see https://nextjs.org/docs/app/guides/content-security-policy
 */
export function secureScreen(request: IncomingMessage, response: ServerResponse, path: string): void {
  const policy = path.startsWith(FILE_PATH) ? FILE_POLICY : contentSecurityPolicy(randomBytes(16).toString("base64"))
  request.headers["content-security-policy"] = policy
  // Headers that are set here override those that Next's handler sets.
  response.setHeader("content-security-policy", policy)
  for (const [name, value] of Object.entries(FIXED_HEADERS)) response.setHeader(name, value)
  // The names of Next's static files contain a hash of their content. Every other response is generated per request.
  if (path.startsWith(NEXT_FILES)) return
  response.setHeader("cache-control", "no-store")
  // nginx would otherwise collect a screen that streams.
  response.setHeader("x-accel-buffering", "no")
}

function contentSecurityPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'`,
    "style-src 'self'",
    "img-src 'self'",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ")
}

/**
 * The response to a request that no screen can answer, `undefined` for all others. Next answers 500 to a path that is not
 * UTF-8, as if the server had failed. Next parses the body of a POST to a screen for a Server Action, and there are none,
 * so the body is never read.
 */
export function refuseForScreens(path: string, method = "GET"): Response | undefined {
  if (decoded(path) === undefined) return refusal(400, "This address is not valid", "It may have been cut or mistyped.")
  if (READ_METHODS.has(method) || MAY_WRITE.test(path)) return undefined
  return refusal(405, "This page is read-only", "It accepts only GET and HEAD.", { allow: "GET, HEAD" })
}

/** Returns the text: Rolldown drops a call of `decodeURIComponent` whose result nothing uses, although it may throw. */
function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}

function refusal(status: number, what: string, why: string, headers?: Readonly<Record<string, string>>): Response {
  const body = `<h1>${what}</h1><p>${why} <a href="/">Overview</a></p>`
  return plainPage({ status, title: `${what} · Pagespan`, body, headers })
}
