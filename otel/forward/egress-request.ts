import { lookup as systemLookup, type LookupAddress } from "node:dns"
import { request as httpRequest, type RequestOptions } from "node:http"
import { request as httpsRequest } from "node:https"
import { isIP, type LookupFunction } from "node:net"

/** The time after which an attempt counts as failed; OTLP's own default. */
const TIMEOUT_MS = 10_000

export interface EgressRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

export type EgressAnswer =
  | { readonly outcome: "answered"; readonly status: number; readonly header: (name: string) => string | undefined }
  /** The name stands for an address that must not be reached. */
  | { readonly outcome: "refused" }
  | { readonly outcome: "failed" }

export type Send = (request: EgressRequest) => Promise<EgressAnswer>

interface EgressOptions {
  /** Asked about the very address that is connected to, so that a name cannot change its mind in between. */
  mayReach(address: string): boolean
  readonly lookup?: typeof systemLookup
  readonly timeoutMs?: number
}

const REFUSED_CODE = "PAGESPAN_REFUSED_ADDRESS"

/** Posts to configured destinations. Follows no redirect, reads no answer's body, and connects to no refused address. */
export function createEgress(options: EgressOptions): Send {
  const lookup = guardedLookup(options)
  return ({ url, headers, body }) =>
    new Promise((resolve) => {
      const target = new URL(url)
      const host = target.hostname.replace(/^\[|\]$/g, "")
      // A literal address is connected to without being looked up.
      if (isIP(host) !== 0 && !options.mayReach(host)) return resolve({ outcome: "refused" })
      const settings: RequestOptions = {
        method: "POST",
        headers: { ...headers, "content-length": body.length },
        lookup,
        signal: AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS),
      }
      const request = (target.protocol === "https:" ? httpsRequest : httpRequest)(target, settings, (response) => {
        const { statusCode = 0, headers: answered } = response
        resolve({ outcome: "answered", status: statusCode, header: (name) => answered[name]?.toString() })
        response.destroy()
      })
      request.once("error", (error: NodeJS.ErrnoException) =>
        resolve({ outcome: error.code === REFUSED_CODE ? "refused" : "failed" }),
      )
      request.end(body)
    })
}

function guardedLookup({ mayReach, lookup = systemLookup }: EgressOptions): LookupFunction {
  return (host, options, done) => {
    lookup(host, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
      if (error !== null) return done(error, [])
      const reachable = addresses.filter(({ address }) => mayReach(address))
      const [first] = reachable
      if (first === undefined) return done(Object.assign(new Error("refused address"), { code: REFUSED_CODE }), [])
      if (options.all === true) done(null, reachable)
      else done(null, first.address, first.family)
    })
  }
}
