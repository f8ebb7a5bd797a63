import { BodyMemory, type BodyRoom } from "../../protocol/transport/read-body.ts"
import type { Refusal } from "../../protocol/transport/responses.ts"

/**
 * What one client, and all clients together, may cost this server through the tunnel. A visitor past a budget is refused
 * with 429 until it has recovered; other visitors are not affected. `SECURITY.md` has the same numbers, for adopters.
 */

const MIB = 1024 * 1024

/** What recovers, by second. A budget that was not used for ten seconds holds ten times as much. */
interface Rates {
  /** Requests. */
  readonly requests: number
  /** Bytes of bodies, before inflation and after it. */
  readonly bytes: number
  /** Milliseconds of CPU on the main thread. */
  readonly cpuMs: number
}

type Resource = keyof Rates
const RESOURCES: readonly Resource[] = ["requests", "bytes", "cpuMs"]

/**
 * A page sends two or three requests of some 50 KB for each navigation, and each takes about two milliseconds: this is
 * enough for twenty navigations a second from one address, as a company behind one address may have.
 */
export const CLIENT_RATES: Rates = { requests: 50, bytes: 2 * MIB, cpuMs: 100 }
/** Four tenths of one core remain the most that the tunnel takes, whatever the senders: the rest is the app's. */
export const TOTAL_RATES: Rates = { requests: 800, bytes: 32 * MIB, cpuMs: 400 }
const BURST_SECONDS = 10

/** Requests of one client that are not finished. Chromium opens six connections to a host. */
export const CLIENT_OPEN_LIMIT = 32
export const TOTAL_OPEN_LIMIT = 1_024
/** Bytes of one client's bodies in memory: a fifth of what `BodyMemory` gives to all. */
export const CLIENT_MEMORY_BYTES = 8 * MIB
/** Clients that are remembered. A client that was forgotten starts with full budgets. */
export const CLIENT_LIMIT = 10_000

/** Token buckets that are charged afterwards, when the cost is known. A negative level recovers like any other. */
class Account {
  readonly #rates: Rates
  readonly #levels: Record<Resource, number>
  #at: number

  constructor(rates: Rates, now: number) {
    this.#rates = rates
    this.#levels = {
      requests: rates.requests * BURST_SECONDS,
      bytes: rates.bytes * BURST_SECONDS,
      cpuMs: rates.cpuMs * BURST_SECONDS,
    }
    this.#at = now
  }

  charge(resource: Resource, amount: number): void {
    this.#levels[resource] -= amount
  }

  /** The first resource that is used up, and the seconds until it has recovered. */
  exhausted(now: number): { readonly resource: Resource; readonly seconds: number } | undefined {
    this.#recover(now)
    const resource = RESOURCES.find((each) => this.#levels[each] < 1)
    if (resource === undefined) return undefined
    return { resource, seconds: (1 - this.#levels[resource]) / this.#rates[resource] }
  }

  #recover(now: number): void {
    const seconds = Math.max(0, now - this.#at) / 1_000
    this.#at = now
    for (const each of RESOURCES)
      this.#levels[each] = Math.min(this.#levels[each] + this.#rates[each] * seconds, this.#rates[each] * BURST_SECONDS)
  }
}

interface Client {
  readonly account: Account
  /** Requests that are not finished. */
  open: number
  /** Bytes in memory. */
  reserved: number
}

/** Milliseconds of a clock that never goes back, and of CPU time of this process. */
export interface Clock {
  now(): number
  cpu(): number
}

const systemClock: Clock = {
  now: () => performance.now(),
  cpu() {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1_000
  },
}

export type Acquired = { readonly ok: true; readonly lease: Lease } | { readonly ok: false; readonly refusal: Refusal }

/** The budgets of a process. */
export class Budgets {
  readonly #clock: Clock
  readonly #total: Client
  /** Least recently used first. */
  readonly #clients = new Map<string, Client>()
  readonly #memory: BodyMemory

  constructor(clock: Clock = systemClock, memory = new BodyMemory()) {
    this.#clock = clock
    this.#total = { account: new Account(TOTAL_RATES, clock.now()), open: 0, reserved: 0 }
    this.#memory = memory
  }

  /** Number of clients that are remembered. */
  get size(): number {
    return this.#clients.size
  }

  /** Bytes of all bodies in memory. */
  get reserved(): number {
    return this.#memory.reserved
  }

  /** Begins a request of a client, or refuses it with the time after which to retry. The caller must end the lease. */
  acquire(address: string): Acquired {
    const client = this.#client(address)
    const refusal =
      this.#refusal(client, CLIENT_OPEN_LIMIT, "one client") ??
      this.#refusal(this.#total, TOTAL_OPEN_LIMIT, "all clients")
    if (refusal !== undefined) return { ok: false, refusal }
    const parties = [client, this.#total]
    for (const party of parties) {
      party.open += 1
      party.account.charge("requests", 1)
    }
    return { ok: true, lease: new Lease(client, this.#total, this.#memory, this.#clock) }
  }

  #refusal({ account, open }: Client, openLimit: number, whose: string): Refusal | undefined {
    if (open >= openLimit) return rateLimited(`open requests of ${whose}`, 1)
    const exhausted = account.exhausted(this.#clock.now())
    return exhausted && rateLimited(`${NAMES[exhausted.resource]} of ${whose}`, exhausted.seconds)
  }

  #client(address: string): Client {
    const known = this.#clients.get(address)
    const client = known ?? { account: new Account(CLIENT_RATES, this.#clock.now()), open: 0, reserved: 0 }
    this.#clients.delete(address)
    this.#clients.set(address, client)
    if (known === undefined) this.#forget()
    return client
  }

  /** Forgets the client that was idle for longest. Clients with open requests are fewer than the limit. */
  #forget(): void {
    if (this.#clients.size <= CLIENT_LIMIT) return
    for (const [address, { open, reserved }] of this.#clients) {
      if (open > 0 || reserved > 0) continue
      this.#clients.delete(address)
      return
    }
  }
}

const NAMES: Readonly<Record<Resource, string>> = { requests: "requests", bytes: "bytes", cpuMs: "CPU time" }

function rateLimited(what: string, seconds: number): Refusal {
  return {
    status: 429,
    reason: "rate_limited",
    message: `Too many requests: the budget for ${what} is used up. Retry later.`,
    retryAfterSeconds: Math.max(1, Math.ceil(seconds)),
  }
}

/** One accepted request, and what it costs. */
export class Lease implements BodyRoom {
  readonly turns: BodyRoom["turns"]
  readonly #client: Client
  readonly #total: Client
  readonly #memory: BodyMemory
  readonly #clock: Clock
  readonly #deliveries: Promise<unknown>[] = []
  #reserved = 0
  #refusal: Refusal | undefined

  constructor(client: Client, total: Client, memory: BodyMemory, clock: Clock) {
    this.#client = client
    this.#total = total
    this.#memory = memory
    this.#clock = clock
    this.turns = memory.turns
  }

  /** Why `reserve` failed. */
  get refusal(): Refusal {
    return this.#refusal ?? this.#memory.refusal
  }

  /** Reserves memory for bytes of the body, and charges them. The memory stays reserved until the lease has ended. */
  reserve(bytes: number, held = 0): boolean {
    for (const { account } of [this.#client, this.#total]) account.charge("bytes", bytes)
    if (this.#client.reserved + bytes > CLIENT_MEMORY_BYTES) {
      this.#refusal = rateLimited("memory of one client", 1)
      return false
    }
    if (!this.#memory.reserve(bytes, held)) return false
    this.#client.reserved += bytes
    this.#reserved += bytes
    return true
  }

  /** Does nothing: a body that was read waits in memory for its upstream. */
  release(): void {}

  /** Runs synchronous work and charges the CPU time that it takes. */
  work<Result>(run: () => Result): Result {
    const [startedAt, cpuBefore] = [this.#clock.now(), this.#clock.cpu()]
    try {
      return run()
    } finally {
      // The wall clock counts when the thread is preempted, the CPU clock counts other threads. Both are upper bounds.
      const spent = Math.min(this.#clock.now() - startedAt, this.#clock.cpu() - cpuBefore)
      for (const { account } of [this.#client, this.#total]) account.charge("cpuMs", Math.max(0, spent))
    }
  }

  /** A delivery that goes on after the response. Until it settles the request is open and its memory reserved. */
  holdFor(delivery: Promise<unknown>): void {
    this.#deliveries.push(delivery)
  }

  /** Ends the lease once every delivery has settled. Call it once. */
  end(): void {
    if (this.#deliveries.length === 0) this.#close()
    else void Promise.allSettled(this.#deliveries).then(() => this.#close())
  }

  #close(): void {
    this.#client.open -= 1
    this.#total.open -= 1
    this.#client.reserved -= this.#reserved
    this.#memory.release(this.#reserved)
  }
}
