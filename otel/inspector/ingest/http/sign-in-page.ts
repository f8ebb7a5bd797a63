import { createHash } from "node:crypto"
import { DYNAMIC_HEADERS } from "../../../protocol/transport/responses.ts"

const STYLE = `:root{color-scheme:light dark;font:14px/1.5 system-ui,sans-serif}
body{max-width:22rem;margin:20vh auto 0;padding:0 1rem}
h1{font-size:1.25rem;margin:0 0 1rem}
label{display:block;margin-bottom:.25rem}
input,button{font:inherit;padding:.5rem .75rem;border-radius:6px;border:1px solid light-dark(#8b929c,#6b737e)}
input{width:100%;box-sizing:border-box;background:transparent;color:inherit;margin-bottom:.75rem}
button{background:light-dark(#1f5fd0,#7fb0ff);color:light-dark(#fff,#0b1220);border-color:transparent;cursor:pointer}
p{color:light-dark(#575e68,#a0a7b1)}p[role=alert]{color:light-dark(#b3261e,#ff8a80)}`

/** The page needs its own style and its own form, and nothing else. */
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ")

/** The page that asks for the token. `next` is an address of ours, as `localPath` gives it. */
export function signInPage(next: string, isWrong: boolean): Response {
  const problem = isWrong ? `<p role="alert" id="problem">This is not the token.</p>` : ""
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
<p>It is the value of PAGESPAN_TOKEN where this Pagespan was started.</p>
</html>
`
  return new Response(html, {
    status: isWrong ? 401 : 200,
    headers: {
      ...DYNAMIC_HEADERS,
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": POLICY,
      // With no referrer at all Chromium sends the form with `Origin: null`, which anyone can have and is refused.
      "referrer-policy": "same-origin",
    },
  })
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;")
}
