import type { Secret } from "../../../protocol/secret.ts"
import { type BodyMemory, readBody } from "../../../protocol/transport/read-body.ts"
import type { HandlerRequest } from "../../../protocol/transport/request.ts"
import { DYNAMIC_HEADERS, refusalResponse } from "../../../protocol/transport/responses.ts"
import type { DropLedger } from "../drop-ledger.ts"
import { type GuardPolicy, guardScreen } from "./guards.ts"
import { countRefusal } from "./refusals.ts"
import { signInPage } from "./sign-in-page.ts"
import { guardViewer, isEqualInConstantTime, NOT_SIGNED_IN, sessionCookie } from "./token.ts"

const PATH = "/sign-in"

export interface SignInContext {
  readonly policy: GuardPolicy
  readonly bodies: BodyMemory
  readonly drops: DropLedger
}

export interface SignIn {
  /** `GET` and `POST /sign-in`: asks for the token, and gives a session for it. */
  handler(request: HandlerRequest): Promise<Response>
  /**
   * For the screens: what to answer instead, `undefined` where they may be shown. An address with `?token=` is answered
   * with a session and the same address without it, so that the token stays in no address bar, history or log.
   */
  guard(request: HandlerRequest): Response | undefined
}

export function signIn({ policy, bodies, drops }: SignInContext): SignIn {
  const { token } = policy

  const taken = (request: HandlerRequest, held: Secret, presented: string, next: string): Response => {
    if (isEqualInConstantTime(presented, held.reveal()))
      return redirect(next, { "set-cookie": sessionCookie(request, held) })
    countRefusal(drops, NOT_SIGNED_IN, "default")
    return signInPage(next, true)
  }

  return {
    async handler(request) {
      const refusal = guardScreen(request, policy, "GET", "HEAD", "POST")
      if (refusal !== undefined) {
        countRefusal(drops, refusal, "default")
        return refusalResponse(refusal)
      }
      const { searchParams } = new URL(request.url)
      if (token === undefined) return redirect(localPath(searchParams.get("next")))
      if (request.method !== "POST") {
        const presented = searchParams.get("token")
        const next = localPath(searchParams.get("next"))
        return presented === null ? signInPage(next, false) : taken(request, token, presented, next)
      }
      const body = await readBody(request, { memory: bodies })
      if (!body.ok) return refusalResponse(body.refusal)
      const form = new URLSearchParams(Buffer.from(body.bytes).toString())
      return taken(request, token, form.get("token") ?? "", localPath(form.get("next")))
    },
    guard(request) {
      if (token === undefined) return undefined
      const url = new URL(request.url)
      const presented = url.searchParams.get("token")
      if (presented !== null && isPage(request)) {
        url.searchParams.delete("token")
        return taken(request, token, presented, `${url.pathname}${url.search}`)
      }
      const refusal = guardViewer(request, token)
      if (refusal === undefined) return undefined
      if (isPage(request)) return redirect(`${PATH}?next=${encodeURIComponent(`${url.pathname}${url.search}`)}`)
      countRefusal(drops, refusal, "default")
      return refusalResponse(refusal)
    },
  }
}

/** What a browser shows, and not what a page or a program fetches. */
function isPage({ method, headers }: HandlerRequest): boolean {
  return method === "GET" && (headers.get("accept") ?? "").includes("text/html")
}

/** The address within this host; the first screen for whatever would lead elsewhere. */
function localPath(next: string | null): string {
  const base = "http://server.invalid"
  if (next === null || !next.startsWith("/") || !URL.canParse(next, base)) return "/"
  const url = new URL(next, base)
  return url.origin === base ? `${url.pathname}${url.search}` : "/"
}

function redirect(location: string, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(null, { status: 303, headers: { ...DYNAMIC_HEADERS, ...headers, location } })
}
