import { createHash } from "node:crypto"
import type { Secret } from "../../../protocol/secret.ts"
import { type BodyMemory, readBody } from "../../../protocol/transport/read-body.ts"
import { type HandlerRequest, PLACEHOLDER_ORIGIN } from "../../../protocol/transport/request.ts"
import { DYNAMIC_HEADERS, refusalResponse } from "../../../protocol/transport/responses.ts"
import { ACTION_STORAGE } from "../../queries/action-key.ts"
import { countRefusal, type DropLedger } from "../drop-ledger.ts"
import { type GuardPolicy, guardScreen } from "./guards.ts"
import { GuessLimit } from "./guess-limit.ts"
import { actionKey, guardViewer, isEqualInConstantTime, NOT_SIGNED_IN, sessionCookie } from "./token.ts"

const PATH = "/sign-in"
/** The form has a token and a path, both shorter than a request's head. */
const FORM_BYTES = 4 * 1024
const FORM_DEADLINE_MS = 5_000

export interface SignInContext {
  readonly policy: GuardPolicy
  /** Memory of bodies whose sender is not known yet. */
  readonly unknownBodies: BodyMemory
  readonly drops: DropLedger
  /** Milliseconds since the epoch. */
  readonly clock: () => number
}

export interface SignIn {
  /** `GET` and `POST /sign-in`: prompts for the token, slows guessing, and sets a session. */
  handler(request: HandlerRequest): Promise<Response>
  /**
   * Guards the screens: the response to send instead, or `undefined`. A URL with `?token=` gets a session and leads to the
   * URL without the token, so that the token stays out of address bar, history and logs.
   */
  guard(request: HandlerRequest): Response | undefined
}

export function signIn({ policy, unknownBodies, drops, clock }: SignInContext): SignIn {
  const { token } = policy
  const guesses = new GuessLimit(clock)

  const present = (request: HandlerRequest, held: Secret, presented: string, next: string): Response => {
    const waitSeconds = guesses.waitSeconds(request.address)
    if (waitSeconds === 0 && isEqualInConstantTime(presented, held.reveal())) return signedInPage(request, held, next)
    countRefusal(drops, NOT_SIGNED_IN, "default")
    if (waitSeconds > 0) return signInPage(next, { status: 429, retryAfterSeconds: waitSeconds })
    guesses.wrong(request.address)
    return signInPage(next, { status: 401 })
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
        return presented === null ? signInPage(next) : present(request, token, presented, next)
      }
      const body = await readBody(request, {
        memory: unknownBodies,
        limitBytes: FORM_BYTES,
        deadlineMs: FORM_DEADLINE_MS,
      })
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
        return present(request, token, presented, localPath(`${url.pathname}${url.search}`))
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

/**
 * The path within this origin; `/` for a URL of another one. A path that begins with two slashes would be a URL of another
 * host, and URL parsing makes one of `/.//host`.
 */
function localPath(next: string | null): string {
  if (next === null || !next.startsWith("/") || !URL.canParse(next, PLACEHOLDER_ORIGIN)) return "/"
  const url = new URL(next, PLACEHOLDER_ORIGIN)
  return url.origin === PLACEHOLDER_ORIGIN && !url.pathname.startsWith("//") ? `${url.pathname}${url.search}` : "/"
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

/** The page that prompts for the token loads its own style and form, and nothing else. */
const FORM_POLICY = policyOf(`style-src '${hashOf(STYLE)}'`, "form-action 'self'")

/** Why the last token was not accepted. */
type Problem = { readonly status: 401 } | { readonly status: 429; readonly retryAfterSeconds: number }

/** The page that prompts for the token. `next` is a path of this host, as `localPath` returns it. */
function signInPage(next: string, problem?: Problem): Response {
  const text =
    problem?.status === 429 ? `Too many wrong tokens. Try again in ${problem.retryAfterSeconds} s.` : "Wrong token."
  const alert = problem === undefined ? "" : `<p role="alert" id="problem">${text}</p>`
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
<input id="token" name="token" type="password" required autofocus autocomplete="current-password"${alert && ' aria-describedby="problem"'}>
${alert}
<button>Sign in</button>
</form>
<p>The token is the value of PAGESPAN_TOKEN of this inspector.</p>
</html>
`
  return page(html, problem?.status ?? 200, {
    "content-security-policy": FORM_POLICY,
    // With `no-referrer`, Chromium sends the form with `Origin: null`, which the guard refuses.
    "referrer-policy": "same-origin",
    ...(problem?.status === 429 && { "retry-after": String(problem.retryAfterSeconds) }),
  })
}

const STORE_KEY = `const { key, next } = document.documentElement.dataset
try { localStorage.setItem("${ACTION_STORAGE}", key) } catch {}
location.replace(next)`
const SIGNED_IN_POLICY = policyOf(`script-src '${hashOf(STORE_KEY)}'`, "form-action 'none'")

/** Sets the session, stores the key with which this origin's pages may change data, and goes on to `next`. */
function signedInPage(request: HandlerRequest, token: Secret, next: string): Response {
  const html = `<!doctype html>
<html lang="en" data-key="${actionKey(token)}" data-next="${escape(next)}">
<meta charset="utf-8">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>Signed in · Pagespan</title>
<noscript><meta http-equiv="refresh" content="0; url=${escape(next)}"></noscript>
<script>${STORE_KEY}</script>
</html>
`
  return page(html, 200, {
    "set-cookie": sessionCookie(request, token),
    "content-security-policy": SIGNED_IN_POLICY,
    // The URL may have the token.
    "referrer-policy": "no-referrer",
  })
}

function page(html: string, status: number, headers: Readonly<Record<string, string>>): Response {
  return new Response(html, {
    status,
    headers: { ...DYNAMIC_HEADERS, "content-type": "text/html; charset=utf-8", ...headers },
  })
}

function policyOf(...allowed: readonly string[]): string {
  return ["default-src 'none'", ...allowed, "base-uri 'none'", "frame-ancestors 'none'"].join("; ")
}

function hashOf(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;")
}
