import type { Secret } from "../../../protocol/secret.ts"
import type { HandlerRequest } from "../../../protocol/transport/request.ts"
import type { Refusal } from "../../../protocol/transport/responses.ts"
import { guardHost } from "./host.ts"
import { guardReadOrigin, guardWriteOrigin } from "./origin.ts"
import { guardKey, guardToken, guardViewer } from "./token.ts"

/**
 * The first line of every handler. It lives inside the handlers and not in a middleware, since each middleware layer of
 * the framework has been bypassed at least once. It looks at headers only and reads no body.
 */
export interface GuardPolicy {
  /** Hosts that are served beside the loopback names. */
  readonly hosts: readonly string[]
  /** Origins whose pages may write beside those on loopback. */
  readonly origins: readonly string[]
  /** Asked for from everyone when set. */
  readonly token: Secret | undefined
}

/** For handlers: what takes records. */
export function guardWrite(request: HandlerRequest, policy: GuardPolicy): Refusal | undefined {
  return guardSender(request, policy) ?? guardToken(request, policy.token)
}

/** For handlers whose senders name themselves in another way than by `Authorization`: Sentry's SDKs have a key. */
export function guardSender(request: HandlerRequest, policy: GuardPolicy): Refusal | undefined {
  return guardMethod(request, "POST") ?? guardHost(request, policy.hosts) ?? guardWriteOrigin(request, policy.origins)
}

/** For handlers whose senders have a DSN and send its key in the query or a header. */
export function guardKeyHolder(request: HandlerRequest, policy: GuardPolicy): Refusal | undefined {
  return guardSender(request, policy) ?? guardKey(request, policy.token, undefined)
}

/** For what changes what is shown: pages of other origins may not, even where they may write. */
export function guardAction(
  request: HandlerRequest,
  policy: GuardPolicy,
  method: "DELETE" | "POST" | "PUT",
): Refusal | undefined {
  return (
    guardMethod(request, method) ??
    guardHost(request, policy.hosts) ??
    guardReadOrigin(request) ??
    guardViewer(request, policy.token)
  )
}

/** For the read API, the screens and the live feed: what shows records. */
export function guardRead(request: HandlerRequest, policy: GuardPolicy): Refusal | undefined {
  return guardPublicRead(request, policy) ?? guardViewer(request, policy.token)
}

/** For what pages of this host may do without a token: ask for a session. */
export function guardScreen(
  request: HandlerRequest,
  policy: GuardPolicy,
  ...methods: readonly string[]
): Refusal | undefined {
  return guardMethod(request, ...methods) ?? guardHost(request, policy.hosts) ?? guardReadOrigin(request)
}

/** For health, which a balancer asks without a token and which shows no record. */
export function guardPublicRead(request: HandlerRequest, policy: GuardPolicy): Refusal | undefined {
  return guardScreen(request, policy, "GET", "HEAD")
}

function guardMethod(request: HandlerRequest, ...methods: readonly string[]): Refusal | undefined {
  if (methods.includes(request.method)) return undefined
  const allow = methods.join(", ")
  return { status: 405, reason: "malformed", message: `Only ${allow} is served here.`, headers: { allow } }
}
