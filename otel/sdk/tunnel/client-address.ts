import { AsyncLocalStorage } from "node:async_hooks"
import { subscribe } from "node:diagnostics_channel"
import type { IncomingMessage } from "node:http"
import { BlockList, isIP, isIPv6 } from "node:net"
import { processState } from "../process-state.ts"

/**
 * Which client sent a request. Budgets are per client, so a client must not be able to choose its address.
 *
 * Next passes on the `X-Forwarded-For` of the request, and fills in the address of the socket only if there is none. The
 * header alone therefore proves nothing: without a proxy a client writes it itself. So the address of the socket decides
 * what to believe, as in Rails (`ActionDispatch::RemoteIp`) and in Express (`trust proxy`).
 */

/** By request: the address of the socket. Next's `Request` does not have it. */
const peers = processState<AsyncLocalStorage<string | undefined>>("peers")

/** Records the address of the socket for every `POST` that an HTTP server of this process receives from now on. */
export function watchPeers(): void {
  if (peers.value !== undefined) return
  const storage = new AsyncLocalStorage<string | undefined>()
  peers.value = storage
  subscribe("http.server.request.start", (message) => {
    const { request } = message as { readonly request: IncomingMessage }
    // Node publishes and then emits `request` in one call, so the listeners run with this store.
    if (request.method === "POST") storage.enterWith(request.socket.remoteAddress)
  })
}

/** The client of the request that is being handled. See `resolveClient`. */
export function clientOf(request: Request, trustedProxies: number | undefined): string {
  return resolveClient(request.headers.get("x-forwarded-for") ?? "", peers.value?.getStore(), trustedProxies)
}

/** The end of the header is what proxies wrote, an address each. Node accepts 16 KiB of headers. */
const FORWARDED_LIMIT = 512

/** Client of requests of which no address is known. They share one budget. */
const UNKNOWN = "unknown"

/**
 * The client's address, from the addresses between client and server.
 *
 * @param forwardedFor the header: each proxy appends the address from which it got the request.
 * @param peer the address of the socket, if known.
 * @param trustedProxies how many proxies are in front of the server. `undefined`: those with a private address, as the
 *   proxies of a platform or of the same network have.
 * @returns an IPv4 address, or the /64 network of an IPv6 address, since one subscriber has all of it.
 *
 * @example
 * resolveClient("203.0.113.9", "10.0.0.2", undefined) // "203.0.113.9": the peer is a proxy of the same network
 * resolveClient("203.0.113.9", "198.51.100.7", undefined) // "198.51.100.7": the peer wrote the header itself
 * resolveClient("203.0.113.9, 198.51.100.7", "10.0.0.2", 2) // "203.0.113.9": behind a CDN and a load balancer
 */
export function resolveClient(
  forwardedFor: string,
  peer: string | undefined,
  trustedProxies: number | undefined,
): string {
  const hops = hopsOf(forwardedFor, peer)
  if (trustedProxies === undefined) return hops.find((hop) => !isPrivate(hop)) ?? hops.at(-1) ?? UNKNOWN
  // Without the socket's address the first hop is what the nearest proxy wrote. Without a proxy that is the client itself.
  const index = peer === undefined ? trustedProxies - 1 : trustedProxies
  return index < 0 ? UNKNOWN : (hops[Math.min(index, hops.length - 1)] ?? UNKNOWN)
}

/** Nearest first, up to the first entry that is no address, which no proxy writes. */
function hopsOf(forwardedFor: string, peer: string | undefined): string[] {
  const entries = forwardedFor.slice(-FORWARDED_LIMIT).split(",").toReversed()
  const addresses = (peer === undefined ? entries : [peer, ...entries]).map(parseAddress)
  const end = addresses.indexOf(undefined)
  return (end === -1 ? addresses : addresses.slice(0, end)) as string[]
}

const WITH_PORT = /^\[([0-9a-f:.]{2,45})\](?::\d{1,5})?$|^(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}$/i
const MAPPED = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i

function parseAddress(text: string): string | undefined {
  const trimmed = text.trim()
  const [, inBrackets, beforePort] = WITH_PORT.exec(trimmed) ?? []
  const [address = ""] = (inBrackets ?? beforePort ?? trimmed).split("%")
  if (isIP(address) === 0) return undefined
  if (!isIPv6(address)) return address
  return MAPPED.exec(address)?.[1] ?? networkOf(address)
}

const IPV6_GROUPS = 8
const NETWORK_GROUPS = 4

/** `2001:db8:0:0::/64` for any spelling of an address in it. */
function networkOf(address: string): string {
  const [head = "", tail] = address.split("::")
  const before = groupsOf(head)
  const after = groupsOf(tail ?? "")
  const zeros = Array.from({ length: Math.max(0, IPV6_GROUPS - before.length - after.length) }, () => "0")
  const groups = [...before, ...zeros, ...after].slice(0, NETWORK_GROUPS)
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(":")}::/64`
}

/** The groups of a part of an IPv6 address; an IPv4 address at the end stands for two. */
function groupsOf(part: string): string[] {
  return part === "" ? [] : part.split(":").flatMap((group) => (group.includes(".") ? ["0", "0"] : [group]))
}

/**
 * Loopback, private, link-local and shared networks: no visitor from the internet has an address there.
 *
 * @see https://www.iana.org/assignments/iana-ipv4-special-registry/
 * @see https://www.iana.org/assignments/iana-ipv6-special-registry/
 */
const PRIVATE_NETWORKS: readonly (readonly [network: string, prefix: number])[] = [
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
  ["::", 96],
  ["fc00::", 7],
  ["fe80::", 10],
]

const privateNetworks = blockList()

function blockList(): BlockList {
  const list = new BlockList()
  for (const [network, prefix] of PRIVATE_NETWORKS) list.addSubnet(network, prefix, isIPv6(network) ? "ipv6" : "ipv4")
  return list
}

function isPrivate(client: string): boolean {
  const [address = ""] = client.split("/")
  return privateNetworks.check(address, isIPv6(address) ? "ipv6" : "ipv4")
}
