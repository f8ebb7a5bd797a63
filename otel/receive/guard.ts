import type { DoorRequest } from "./door-request.ts"
import type { Secret } from "../model/secret.ts"
import { guardHost } from "./guard-host.ts"
import { guardReadOrigin, guardWriteOrigin } from "./guard-origin.ts"
import { guardKey, guardToken, guardViewer } from "./guard-token.ts"
import type { Refusal } from "./refusal.ts"

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

/** For doors: what takes records. */
export function guardWrite(request: DoorRequest, policy: GuardPolicy): Refusal | undefined {
  return guardSender(request, policy) ?? guardToken(request, policy.token)
}

/** For doors whose senders name themselves in another way than by `Authorization`: Sentry's SDKs have a key. */
export function guardSender(request: DoorRequest, policy: GuardPolicy): Refusal | undefined {
  return guardMethod(request, "POST") ?? guardHost(request, policy.hosts) ?? guardWriteOrigin(request, policy.origins)
}

/** For doors whose senders have a DSN and send its key in the query or a header. */
export function guardKeyHolder(request: DoorRequest, policy: GuardPolicy): Refusal | undefined {
  return guardSender(request, policy) ?? guardKey(request, policy.token, undefined)
}

/** For what changes what is shown: pages of other origins may not, even where they may write. */
export function guardAction(
  request: DoorRequest,
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
export function guardRead(request: DoorRequest, policy: GuardPolicy): Refusal | undefined {
  return guardPublicRead(request, policy) ?? guardViewer(request, policy.token)
}

/** For what pages of this host may do without a token: ask for a session. */
export function guardScreen(
  request: DoorRequest,
  policy: GuardPolicy,
  ...methods: readonly string[]
): Refusal | undefined {
  return guardMethod(request, ...methods) ?? guardHost(request, policy.hosts) ?? guardReadOrigin(request)
}

/** For health, which a balancer asks without a token and which shows no record. */
export function guardPublicRead(request: DoorRequest, policy: GuardPolicy): Refusal | undefined {
  return guardScreen(request, policy, "GET", "HEAD")
}

function guardMethod(request: DoorRequest, ...methods: readonly string[]): Refusal | undefined {
  if (methods.includes(request.method)) return undefined
  const allow = methods.join(", ")
  return { status: 405, reason: "malformed", message: `Only ${allow} is served here.`, headers: { allow } }
}
