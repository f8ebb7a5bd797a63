import { lookup as systemLookup, type LookupAddress } from "node:dns"
import { Agent as HttpAgent, type IncomingMessage, request as httpRequest, type RequestOptions } from "node:http"
import { Agent as HttpsAgent, request as httpsRequest } from "node:https"
import { BlockList, isIP, isIPv6, type LookupFunction } from "node:net"

/** Timeout of a request, in milliseconds: OTLP's default (`OTEL_EXPORTER_OTLP_TIMEOUT`). */
const TIMEOUT_MS = 10_000
/** Bytes of a response that are read: a collector's partial success with its message. */
const ANSWER_LIMIT_BYTES = 64 * 1024

export interface EgressRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

export type EgressAnswer =
  | {
      readonly outcome: "answered"
      readonly status: number
      readonly header: (name: string) => string | undefined
      /** Empty if it is longer than 64 KiB, or does not end in time. */
      readonly body: Uint8Array
    }
  /** The host resolves to addresses that are not allowed. */
  | { readonly outcome: "refused" }
  | { readonly outcome: "failed" }

/** @param signal ends the request, whose outcome is then `failed`. */
export type Send = (request: EgressRequest, signal: AbortSignal) => Promise<EgressAnswer>

interface EgressOptions {
  /** Checks the address that is connected to, so that a second DNS answer cannot bypass the check. */
  mayReach(address: string): boolean
  readonly lookup?: typeof systemLookup
  readonly timeoutMs?: number
}

const REFUSED_CODE = "PAGESPAN_REFUSED_ADDRESS"

/** Posts to configured destinations. Follows no redirect, and connects to allowed addresses only. */
export function createEgress(options: EgressOptions): Send {
  const lookup = guardedLookup(options)
  // Connections of its own, because the address of every other one is unchecked.
  const http = new HttpAgent({ keepAlive: true })
  const https = new HttpsAgent({ keepAlive: true })
  return async ({ url, headers, body }, signal) => {
    const target = new URL(url)
    const host = target.hostname.replace(/^\[|\]$/g, "")
    // Node does not look up a literal address.
    if (isIP(host) !== 0 && !options.mayReach(host)) return { outcome: "refused" }
    const isSecure = target.protocol === "https:"
    const settings: RequestOptions = {
      method: "POST",
      headers: { ...headers, "content-length": body.length },
      lookup,
      agent: isSecure ? https : http,
      signal: AbortSignal.any([signal, AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS)]),
    }
    const attempt = () => post(isSecure ? httpsRequest : httpRequest, target, settings, body)
    const answer = await attempt()
    return answer === "stale" ? orFailed(await attempt()) : answer
  }
}

/** @returns `stale` if a kept-alive connection was closed as the request began: the destination has not seen it. */
function post(
  open: typeof httpRequest,
  target: URL,
  settings: RequestOptions,
  body: Uint8Array,
): Promise<EgressAnswer | "stale"> {
  return new Promise((resolve) => {
    let isAnswered = false
    const request = open(target, settings, (response) => {
      isAnswered = true
      const { statusCode: status = 0, headers } = response
      const header = (name: string) => headers[name]?.toString()
      void drain(response).then((answer) => resolve({ outcome: "answered", status, header, body: answer }))
    })
    request.on("error", (error: NodeJS.ErrnoException) => {
      // The status counts, whatever happens to the body.
      if (isAnswered) return
      if (request.reusedSocket && error.code === "ECONNRESET") resolve("stale")
      else resolve({ outcome: error.code === REFUSED_CODE ? "refused" : "failed" })
    })
    request.end(body)
  })
}

function orFailed(answer: EgressAnswer | "stale"): EgressAnswer {
  return answer === "stale" ? { outcome: "failed" } : answer
}

/** Reads a response to its end, so that the next request can use the connection. A longer one costs the connection. */
async function drain(response: IncomingMessage): Promise<Uint8Array> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.length
      // Leaving the loop destroys the response.
      if (size > ANSWER_LIMIT_BYTES) return new Uint8Array()
      chunks.push(chunk)
    }
    return Buffer.concat(chunks)
  } catch {
    // The status has arrived; a body that breaks off or takes too long changes nothing.
    return new Uint8Array()
  }
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

/**
 * Addresses that need `PAGESPAN_FORWARD_ALLOWED_ADDRESSES`: private, loopback, link-local (where clouds serve metadata),
 * shared, multicast and reserved ranges, and IPv6 ranges that embed an IPv4 address. Of IPv6, only `2000::/3` is assigned to hosts
 * of the internet.
 *
 * @see https://www.iana.org/assignments/iana-ipv4-special-registry/
 * @see https://www.iana.org/assignments/iana-ipv6-special-registry/
 */
const REFUSED: readonly (readonly [network: string, prefix: number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
  ["::", 3],
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
  ["4000::", 2],
  ["8000::", 1],
]

/** A list for each family: in one, an IPv4 address would also match the IPv6 network that its mapped form is in. */
const refused = {
  ipv4: blockList(REFUSED.filter(([network]) => !isIPv6(network))),
  ipv6: blockList(REFUSED.filter(([network]) => isIPv6(network))),
}

/** @param allowed configured addresses and networks like `10.0.0.7` or `10.0.0.0/8`. */
export function addressGuard(allowed: readonly string[]): (address: string) => boolean {
  const exceptions = blockList(allowed.map(parseNetwork).filter((network) => network !== undefined))
  return (address) => {
    const plain = withoutMapping(address)
    const family = isIP(plain)
    if (family === 0) return false
    const type = family === 6 ? "ipv6" : "ipv4"
    return exceptions.check(plain, type) || !refused[type].check(plain, type)
  }
}

function blockList(networks: readonly (readonly [network: string, prefix: number])[]): BlockList {
  const list = new BlockList()
  for (const [network, prefix] of networks) list.addSubnet(network, prefix, isIPv6(network) ? "ipv6" : "ipv4")
  return list
}

function parseNetwork(text: string): [network: string, prefix: number] | undefined {
  const [network = "", digits] = text.split("/")
  const family = isIP(network)
  if (family === 0) return undefined
  const bits = family === 6 ? 128 : 32
  const prefix = digits === undefined ? bits : Number(digits)
  return Number.isInteger(prefix) && prefix >= 0 && prefix <= bits ? [network, prefix] : undefined
}

/** `10.0.0.1` for `::ffff:10.0.0.1` in either spelling; removes a zone. */
function withoutMapping(address: string): string {
  const [plain = ""] = address.split("%")
  if (!isIPv6(plain)) return plain
  const mapped = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(new URL(`http://[${plain}]`).hostname)
  if (mapped === null) return plain
  const [high, low] = [Number.parseInt(mapped[1] ?? "0", 16), Number.parseInt(mapped[2] ?? "0", 16)]
  return [high >> 8, high & 255, low >> 8, low & 255].join(".")
}
