/**
 * Limits wrong tokens at the sign-in, by address and in all, before the next token is compared. Each limit is a bucket that
 * drains at a steady rate: a person who mistypes notices nothing, and a program has at most one guess a second, whatever
 * the number of its addresses.
 */
interface Rate {
  /** Wrong tokens in a row that wait for nothing. */
  readonly burst: number
  /** Seconds after which one more is allowed. */
  readonly everySeconds: number
}

const PER_ADDRESS: Rate = { burst: 5, everySeconds: 10 }
const IN_ALL: Rate = { burst: 60, everySeconds: 1 }

/** Addresses that are remembered, the latest ones. A client that uses more is limited with all others. */
const ADDRESS_LIMIT = 1_000

interface Bucket {
  readonly level: number
  readonly atMs: number
}

const EMPTY: Bucket = { level: 0, atMs: 0 }

export class GuessLimit {
  readonly #addresses = new Map<string, Bucket>()
  #all = EMPTY

  /** @param clock milliseconds, by a clock that never runs backwards. */
  constructor(private readonly clock: () => number) {}

  /** Seconds until the address may present a token; 0 if it may now. */
  waitSeconds(address: string | undefined): number {
    const bucket = this.#addresses.get(networkOf(address)) ?? EMPTY
    return Math.max(this.#wait(bucket, PER_ADDRESS), this.#wait(this.#all, IN_ALL))
  }

  /** Counts a wrong token. */
  wrong(address: string | undefined): void {
    const network = networkOf(address)
    const bucket = this.#filled(this.#addresses.get(network) ?? EMPTY, PER_ADDRESS)
    // The latest address is the last in the map.
    this.#addresses.delete(network)
    this.#addresses.set(network, bucket)
    this.#all = this.#filled(this.#all, IN_ALL)
    for (const oldest of this.#addresses.keys()) {
      if (this.#addresses.size <= ADDRESS_LIMIT) break
      this.#addresses.delete(oldest)
    }
  }

  #wait(bucket: Bucket, rate: Rate): number {
    return Math.max(0, Math.ceil((this.#level(bucket, rate) - rate.burst + 1) * rate.everySeconds))
  }

  #filled(bucket: Bucket, rate: Rate): Bucket {
    return { level: this.#level(bucket, rate) + 1, atMs: this.clock() }
  }

  #level({ level, atMs }: Bucket, { everySeconds }: Rate): number {
    return Math.max(0, level - (this.clock() - atMs) / 1_000 / everySeconds)
  }
}

const MAPPED_IPV4 = /^::ffff:(?=\d+\.)/i

/** An IPv4 address, or the first 64 bits of an IPv6 address: a client has all addresses of such a network. */
function networkOf(address = ""): string {
  const plain = address.replace(MAPPED_IPV4, "")
  if (!plain.includes(":")) return plain
  const [head = "", tail] = plain.split("::")
  const groups = head.split(":")
  const zeros = tail === undefined ? 0 : 8 - groups.length - tail.split(":").length
  return [...groups, ...Array.from({ length: Math.max(0, zeros) }, () => "0"), ...(tail ?? "").split(":")]
    .slice(0, 4)
    .join(":")
}
