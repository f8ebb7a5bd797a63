import { createHash } from "node:crypto"
import type { Secret } from "../../../protocol/secret.ts"
import { type BodyMemory, readBody } from "../../../protocol/transport/read-body.ts"
import { type HandlerRequest, PLACEHOLDER_ORIGIN } from "../../../protocol/transport/request.ts"
import { DYNAMIC_HEADERS, refusalResponse } from "../../../protocol/transport/responses.ts"
import { countRefusal, type DropLedger } from "../drop-ledger.ts"
import { type GuardPolicy, guardScreen } from "./guards.ts"
import { guardViewer, isEqualInConstantTime, NOT_SIGNED_IN, sessionCookie } from "./token.ts"

const PATH = "/sign-in"

export interface SignInContext {
  readonly policy: GuardPolicy
  readonly bodies: BodyMemory
  readonly drops: DropLedger
}

export interface SignIn {
  /** `GET` and `POST /sign-in`: prompts for the token and sets a session. */
  handler(request: HandlerRequest): Promise<Response>
  /**
   * Guards the screens: the response to send instead, or `undefined`. A URL with `?token=` gets a session and a redirect
   * to the URL without the token, so that the token stays out of address bar, history and logs.
   */
  guard(request: HandlerRequest): Response | undefined
}

export function signIn({ policy, bodies, drops }: SignInContext): SignIn {
  const { token } = policy

  const present = (request: HandlerRequest, held: Secret, presented: string, next: string): Response => {
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
        return presented === null ? signInPage(next, false) : present(request, token, presented, next)
      }
      const body = await readBody(request, { memory: bodies })
      if (!body.ok) return refusalResponse(body.refusal)
      const form = new URLSearchParams(Buffer.from(body.bytes).toString())
      return present(request, token, form.get("token") ?? "", localPath(form.get("next")))
    },
    guard(request) {
      if (token === undefined) return undefined
      const url = new URL(request.url)
      const presented = url.searchParams.get("token")
      if (presented !== null && isPage(request)) {
        url.searchParams.delete("token")
        return present(request, token, presented, `${url.pathname}${url.search}`)
      }
      const refusal = guardViewer(request, token)
      if (refusal === undefined) return undefined
      if (isPage(request)) return redirect(`${PATH}?next=${encodeURIComponent(`${url.pathname}${url.search}`)}`)
      countRefusal(drops, refusal, "default")
      return refusalResponse(refusal)
    },
  }
}

/** A navigation of a browser, not a fetch. */
function isPage({ method, headers }: HandlerRequest): boolean {
  return method === "GET" && (headers.get("accept") ?? "").includes("text/html")
}

/** The path within this host; `/` for a URL of another origin. */
function localPath(next: string | null): string {
  if (next === null || !next.startsWith("/") || !URL.canParse(next, PLACEHOLDER_ORIGIN)) return "/"
  const url = new URL(next, PLACEHOLDER_ORIGIN)
  return url.origin === PLACEHOLDER_ORIGIN ? `${url.pathname}${url.search}` : "/"
}

function redirect(location: string, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(null, { status: 303, headers: { ...DYNAMIC_HEADERS, ...headers, location } })
}

const STYLE = `:root{color-scheme:light dark;font:14px/1.5 system-ui,sans-serif}
body{max-width:22rem;margin:20vh auto 0;padding:0 1rem}
h1{font-size:1.25rem;margin:0 0 1rem}
label{display:block;margin-bottom:.25rem}
input,button{font:inherit;padding:.5rem .75rem;border-radius:6px;border:1px solid light-dark(#8b929c,#6b737e)}
input{width:100%;box-sizing:border-box;background:transparent;color:inherit;margin-bottom:.75rem}
button{background:light-dark(#1f5fd0,#7fb0ff);color:light-dark(#fff,#0b1220);border-color:transparent;cursor:pointer}
p{color:light-dark(#575e68,#a0a7b1)}p[role=alert]{color:light-dark(#b3261e,#ff8a80)}`

/** The page loads its own style and form, and nothing else. */
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ")

/** The page that prompts for the token. `next` is a path of this host, as `localPath` returns it. */
export function signInPage(next: string, isWrong: boolean): Response {
  const problem = isWrong ? `<p role="alert" id="problem">Wrong token.</p>` : ""
  const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Sign in · Pagespan</title>
<style>${STYLE}</style>
<h1>Pagespan</h1>
<form method="post" action="/sign-in">
<input type="hidden" name="next" value="${escape(next)}">
<input hidden name="username" value="pagespan" autocomplete="username">
<label for="token">Token</label>
<input id="token" name="token" type="password" required autofocus autocomplete="current-password"${isWrong ? ' aria-describedby="problem"' : ""}>
${problem}
<button>Sign in</button>
</form>
<p>The token is the value of PAGESPAN_TOKEN of this inspector.</p>
</html>
`
  return new Response(html, {
    status: isWrong ? 401 : 200,
    headers: {
      ...DYNAMIC_HEADERS,
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": POLICY,
      // With `no-referrer`, Chromium sends the form with `Origin: null`, which the guard refuses.
      "referrer-policy": "same-origin",
    },
  })
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;")
}
