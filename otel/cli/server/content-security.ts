import { randomBytes } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"
import { FILE_PATH, FILE_POLICY } from "../../inspector/api/items.ts"

/**
 * What a screen may load and run: its own files, and the inline scripts that Next wrote for this very answer. What
 * arrived in a span can then do nothing, even where it was shown wrongly. Next takes the nonce from the request's own
 * policy header and puts it on its scripts.
 *
 * @see https://nextjs.org/docs/app/guides/content-security-policy
 */
export function secureScreen(request: IncomingMessage, response: ServerResponse, path: string): void {
  // What stands here is sent in place of what Next's handler says.
  const policy = path.startsWith(FILE_PATH) ? FILE_POLICY : contentSecurityPolicy(randomBytes(16).toString("base64"))
  request.headers["content-security-policy"] = policy
  response.setHeader("content-security-policy", policy)
  for (const [name, value] of Object.entries(FIXED_HEADERS)) response.setHeader(name, value)
  // Next's own files are named by what is in them; all else is made for this request, also what Next itself refuses.
  if (!path.startsWith(NEXT_FILES)) response.setHeader("cache-control", "no-store")
}

const NEXT_FILES = "/_next/static/"

const FIXED_HEADERS = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
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
