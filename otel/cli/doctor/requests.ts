import { COMMAND_USER_AGENT } from "../../protocol/transport/inspector-address.ts"

/** What browsers follow at most (https://fetch.spec.whatwg.org/#http-redirect-fetch). */
const MAX_REDIRECTS = 20
const MAX_AGE = /;\s*max-age=(-?\d+)/i
const EXPIRES = /;\s*expires=([^;]+)/i

/**
 * Requests a page as a browser does: follows redirects with the cookies that they set. An app that signs each visitor in as a
 * guest redirects without end where they are missing.
 *
 * @param limitMs of each request, in milliseconds.
 * @returns the last redirect if there are more than 20, and `undefined` if nothing answers.
 */
export async function requestPage(url: URL, limitMs: number): Promise<Response | undefined> {
  /** By host, as browsers keep them: the port makes no difference. */
  const cookies = new Map<string, Map<string, string>>()
  let address = url
  for (let redirects = 0; ; redirects++) {
    const known = cookies.get(address.hostname) ?? new Map<string, string>()
    cookies.set(address.hostname, known)
    const cookie = [...known].map(([name, value]) => `${name}=${value}`).join("; ")
    const headers = { accept: "text/html", ...(cookie !== "" && { cookie }) }
    const response = await request(address, { headers, redirect: "manual" }, limitMs)
    const location =
      response && response.status >= 300 && response.status < 400 ? response.headers.get("location") : null
    if (response === undefined || location === null || !URL.canParse(location, address)) return response
    if (redirects === MAX_REDIRECTS) return response
    for (const line of response.headers.getSetCookie()) setCookie(known, line)
    address = new URL(location, address)
  }
}

/** @param known cookies of the host, by name. */
function setCookie(known: Map<string, string>, line: string): void {
  const [pair = ""] = line.split(";", 1)
  const end = pair.indexOf("=")
  const name = pair.slice(0, end).trim()
  const value = pair.slice(end + 1).trim()
  if (isDeleted(line)) known.delete(name)
  else known.set(name, value)
}

/** `Max-Age` counts before `Expires`. */
function isDeleted(line: string): boolean {
  const maxAge = MAX_AGE.exec(line)?.[1]
  if (maxAge !== undefined) return Number(maxAge) <= 0
  return Date.parse(EXPIRES.exec(line)?.[1] ?? "") <= Date.now()
}

/** @returns `undefined` if nothing listens there, or it does not answer in time. The caller reports it. */
export async function request(url: URL, options: RequestInit, limitMs: number): Promise<Response | undefined> {
  const headers = { "user-agent": COMMAND_USER_AGENT, ...(options.headers as Record<string, string> | undefined) }
  try {
    return await fetch(url, { ...options, headers, signal: AbortSignal.timeout(limitMs) })
  } catch {
    return undefined
  }
}
